if .message == "503" then "cancelled" else "timeout" end

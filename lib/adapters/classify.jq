# classify.jq: the rule by which ev2ledger turns an error into an outcome, in jq.
#
# Native and this program answer alike (a test compares them).  Copy it, change it, and give it to --classify.
#
# Input:  {"type": "…", "message": "…", "code": 503 or null}, one per failed request
# Output: "error", "rejected", "timeout", "cancelled" or "unfinished"

# 400..599 by themselves: not the beginning of a longer word or number such as "500ms", "4096" or "500.5".
def three: "(?<code>[45][0-9]{2})(?![0-9A-Za-z_]|\\.[0-9])";

def code_in:
  first(
    (capture("\\A" + three),
     # Up to three characters between, of which the last belongs to no word; p: a dot is any character.
     capture("(?:http/[0-9]\\.[0-9]|http|status|code|error)(?:.{0,2}[^0-9a-z])?" + three; "ip"))
    | .code | tonumber
  ) // null;

def of_code:
  if . == 429 or . == 503 or . == 529 then "rejected"
  elif . == 499 then "cancelled"
  elif . == 408 then "timeout"
  else "error" end;

def first_bytes($n): .[:$n] | until(utf8bytelength <= $n; .[:-1]);

def of_words:
  first_bytes(200) | ascii_downcase | gsub("[ _-]"; "")
  | if test("cancel|clientabort") then "cancelled"
    elif test("timeout|timedout|deadlineexceeded") then "timeout"
    elif test("ratelimit|toomanyrequests|overload|serviceunavailable|queue(is)?full") then "rejected"
    else null end;

(.type // "") as $type | (.message // "") as $message
| ((.code // .status) | if type == "string" then tonumber? // null else . end) as $field
| (if $field != null and $field >= 400 and $field <= 599 then $field else null end
   // ($type | code_in) // ($message | code_in)) as $code
| if $code != null then $code | of_code
  else ($type | of_words) // ($message | of_words) // "error" end

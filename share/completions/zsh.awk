# A zsh completion from what `TOOL --list-options` says: letter, name, argument, help.  awk -v tool=TOOL -f zsh.awk

BEGIN {
    FS = "\t"
    printf "#compdef %s\n# made from the tool's --list-options\n_arguments -s -S", tool
}

{
    help = $4
    gsub(/[][\\:]/, "\\\\&", help)
    gsub(/'/, "'\\''", help)
    argument = ""
    if ($3 != "") {
        message = $3
        gsub(/:/, "\\:", message)
        argument = ":" message ":" action($3)
    }
    if ($1 == "") {
        printf " \\\n    '--%s%s[%s]%s'", $2, ($3 == "" ? "" : "="), help, argument
    } else {
        printf " \\\n    '*'{-%s,--%s%s}'[%s]%s'", $1, $2, ($3 == "" ? "" : "="), help, argument
    }
}

END { print " \\\n    '*:file:_files'" }

function action(arg,    part, n, i, all) {
    if (arg == "CMD") {
        return "_command_names"
    }
    n = split(arg, part, "|")
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^[a-z][a-z-]*$/ && n > 1) {
            all = all (all == "" ? "" : " ") part[i]
        }
    }
    if (all != "") {
        return "(" all ")"
    }
    return arg ~ /FILE|REPORT|PATH/ ? "_files" : " "
}

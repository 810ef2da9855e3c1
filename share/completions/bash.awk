# A bash completion from what `TOOL --list-options` says: letter, name, argument, help.  awk -v tool=TOOL -f bash.awk

BEGIN { FS = "\t" }

{
    spelled = "--" $2
    options = options " " spelled
    if ($1 != "") {
        spelled = "-" $1 "|" spelled
        options = options " -" $1
    }
    if ($3 == "") {
        next
    }
    action = "return"
    if ($3 == "CMD") {
        action = "mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")"
    } else if ($2 == "format" && tool == "ev2ledger") {
        action = "mapfile -t COMPREPLY < <(compgen -W \"auto $(ev2ledger --list-formats 2>/dev/null | cut -f 1)\" -- \"$cur\")"
    } else if ((words = choices($3)) != "") {
        action = "mapfile -t COMPREPLY < <(compgen -W \"" words "\" -- \"$cur\")"
    } else if ($3 ~ /FILE|REPORT|PATH/) {
        action = "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
    }
    arms = arms "    " spelled ") " action "; return ;;\n"
}

# the words of an argument such as N|auto that are meant literally
function choices(arg,    part, n, i, all) {
    n = split(arg, part, "|")
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^[a-z][a-z-]*$/ && n > 1) {
            all = all (all == "" ? "" : " ") part[i]
        }
    }
    return all
}

END {
    gsub("return; return", "return", arms)
    printf "# bash completion of %s, made from its --list-options\n", tool
    printf "_steadytools_%s() {\n", tool
    printf "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    printf "    COMPREPLY=()\n"
    printf "    if [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    printf "    if [ \"$cur\" = = ]; then cur=; fi\n"
    printf "    case $prev in\n%s    esac\n", arms
    printf "    case $cur in\n"
    printf "    -*) mapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$cur\") ;;\n", substr(options, 2)
    printf "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    printf "    esac\n}\n"
    printf "complete -o filenames -F _steadytools_%s %s\n", tool, tool
}

#!/usr/bin/env bash
# Golden cases as TAP: every folder tests/cases/STAGE/CASE holds
#     cmd       the command line, run in the folder
#     in.*      what it reads
#     expout    what stdout must be
#     experr    what stderr must be (absent: anything)
#     status    the exit status (absent: 0)
# cases.sh [--bless] [STAGE/CASE...]: --bless writes expout, experr and status anew; review them with git diff.
set -u
cd "$(dirname "$0")/cases" || exit 2
PATH=${TOOLDIR:-$PWD/../../bin}:$PATH
export LC_ALL=C
bless=
if [ "${1:-}" = --bless ]; then
    bless=1
    shift
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

run_case() {
    (cd "$1" && bash -o pipefail ./cmd >"$tmp/out" 2>"$tmp/err")
    local status=$?
    # the version is not part of what a case says
    sed -i -E 's/"version":"[0-9.]+"/"version":"X"/g' "$tmp/out"
    if [ -n "$bless" ]; then
        cp "$tmp/out" "$1/expout"
        rm -f "$1/experr" "$1/status"
        if [ -s "$tmp/err" ]; then cp "$tmp/err" "$1/experr"; fi
        if [ $status != 0 ]; then echo $status >"$1/status"; fi
        return 0
    fi
    local want=0
    if [ -f "$1/status" ]; then want=$(cat "$1/status"); fi
    [ $status = "$want" ] || echo "# status $status, not $want"
    diff -u "$1/expout" "$tmp/out" | head -n 40 | cut -c 1-400 | sed 's/^/# /'
    [ ! -f "$1/experr" ] || diff -u "$1/experr" "$tmp/err" | head -n 20 | cut -c 1-400 | sed 's/^/# /'
    [ $status = "$want" ] && cmp -s "$1/expout" "$tmp/out" && { [ ! -f "$1/experr" ] || cmp -s "$1/experr" "$tmp/err"; }
}

for cmd in */*/cmd; do
    [ -f "$cmd" ] || continue
    case=${cmd%/cmd}
    if [ $# -gt 0 ]; then
        case " $* " in *" $case "*) ;; *) continue ;; esac
    fi
    n=$((n + 1))
    if why=$(run_case "$case"); then
        echo "ok $n $case"
    else
        echo "not ok $n $case"
        printf '%s\n' "$why"
        failed=$((failed + 1))
    fi
done
echo "1..$n"
[ $failed = 0 ]

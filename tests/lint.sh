#!/usr/bin/env bash
# What the house asks of every file.  lint.sh ROOM...: the rooms of lib/, lowest first.  Prints a line per fault; status 1 if there is any.
set -u
cd "$(dirname "$0")/.." || exit 2
faults=$(mktemp) || exit 2
trap 'rm -f "$faults"' EXIT

rooms="$(printf -- '-I%s ' lib/*/)"

# 1. every header names its layer in its first comment, and a module includes only what stands lower; m_inside.h is part of m
declare -A layer
for f in lib/*/*.h; do
    n=$(sed -nE '1,/\*\//s/.*Layer ([0-9]+).*/\1/p' "$f" | head -n 1)
    [ -n "$n" ] || echo "$f does not say in which layer it stands" >>"$faults"
    layer[$(basename "$f" .h)]=${n:-99}
done
for f in lib/*/*.[ch]; do
    m=$(basename "${f%.[ch]}")
    m=${m%_inside}
    while read -r header; do
        under=${header%.h}
        under=${under%_inside}
        if [ "$under" = "$m" ] || [ -z "${layer[$under]:-}" ]; then continue; fi
        [ "${layer[$under]}" -lt "${layer[$m]:-99}" ] || echo "$f (layer ${layer[$m]:-?}) includes $header (layer ${layer[$under]})"
    done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$f") >>"$faults"
done
# 2. a room uses only rooms below it
declare -A floor
i=0
for room in "$@"; do
    floor[$room]=$i
    i=$((i + 1))
done
for f in lib/*/*.[ch]; do
    room=$(basename "$(dirname "$f")")
    [ -n "${floor[$room]:-}" ] || echo "$f stands in a room that the Makefile does not name"
    while read -r header; do
        other=$(basename "$(dirname "$(ls lib/*/"$header" 2>/dev/null)")")
        if [ -z "$other" ] || [ "$other" = . ] || [ "$other" = "$room" ]; then continue; fi
        [ "${floor[$other]:-99}" -lt "${floor[$room]:-0}" ] || echo "$f includes $header of room $other, which is not below $room"
    done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$f")
done >>"$faults"
grep -ln '#include "' bin/*.c | while read -r f; do
    sed -n 's/^#include "\(.*\)"/\1/p' "$f" | while read -r h; do ls lib/*/"$h" >/dev/null 2>&1 || echo "$f includes $h, which is no header of lib"; done
done >>"$faults"
grep -n '#include <csv.h>' -r lib bin | grep -v '/tsv.c' | sed 's/$/: only lib\/tsv.c uses libcsv/' >>"$faults"
grep -n '#include <jq.h>' -r lib bin | grep -v '/jqmap.c' | sed 's/$/: only lib\/jqmap.c uses libjq programs/' >>"$faults"

# 3. only bin/, die and opts end the program
grep -nE '\b(exit|abort)\(' lib/*/*.c | grep -vE '/(die|opts)\.c' | sed 's/$/: only bin, die and opts exit/' >>"$faults"
grep -nE '\b(atoi|atof|system|popen)\(' bin/*.c lib/*/*.c | grep -v '/num.c' | sed 's/$/: not here/' >>"$faults"
grep -nE 'TODO|FIXME|XXX' -r bin lib tests/*.c man examples Makefile 2>/dev/null >>"$faults"

# 4. layout, shell, manual pages
clang-format --dry-run -Werror bin/*.c lib/*/*.[ch] 2>&1 | grep -E 'error|warning' | cut -d: -f1,2 | sed 's/$/: not as clang-format lays it out/' | sort -u | head -n 20 >>"$faults"
shellcheck -S warning tests/*.sh .ci/run >>"$faults"
mandoc -Tlint -W warning man/*.[157] >>"$faults"

# 5. static analysis
cppcheck --quiet --inline-suppr --std=c11 --enable=warning,portability --error-exitcode=0 --suppress=missingIncludeSystem --suppress=varFuncNullUB --suppress=nullPointerArithmeticRedundantCheck \
    --suppress=nullPointerRedundantCheck \
    '-Djson_object_foreach(o,k,v)=while(next(&k,&v))' \
    -D_GNU_SOURCE $rooms bin lib 2>>"$faults" >/dev/null
printf '%s\n' bin/*.c lib/*/*.c | xargs -P "$(nproc)" -n 6 sh -c \
    'clang-tidy --quiet "$@" -- -std=gnu11 -D_GNU_SOURCE -DVERSION="\"0\"" '"$rooms"' 2>/dev/null' - |
    grep -E '(warning|error):' | sort -u >>"$faults"

cat "$faults"
[ ! -s "$faults" ] && echo "lint: nothing to say"
[ ! -s "$faults" ]

#!/usr/bin/env bats
# render -f html, svg and gnuplot: one file, nothing missing, nothing foreign; and what a browser makes of it.
# The page without plots and the scripts of plots are pinned by tests/cases/render.

load lib

C=cases/render

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cp "$ROOT/tests/$C/shift/in.steady.json" run.steady.json
    # a goodput report with a course over time, and histograms with more than two bins
    jq -c '.series = [range(0; 58) | {t_s: (. * 20), s: 20, offered_rps: (1 + . % 3 / 10), completed_rps: 1.1,
        goodput_rps: (if . < 30 then 1 else 0.4 end), in_flight: 4}] | .cohort = {t0_s: 40, t1_s: 700, offered: 800,
        dispositions: {accepted: 800}, accepted: 800}' "$ROOT/tests/$C/shift/in.goodput.json" >run.goodput.json
    render -f html run.steady.json run.goodput.json >run.html
}

setup() {
    cd "$ROOT/tests" || return
    T=$BATS_TEST_TMPDIR R=$BATS_FILE_TMPDIR
    RENDER=$(command -v render)
}

need_gnuplot() { command -v gnuplot >/dev/null || skip "no gnuplot"; }
need_python() { command -v python3 >/dev/null || skip "no python3"; }

browser() { # WIDTH HEIGHT [ARGUMENT...] FILE: what a headless browser answers on stdout; its complaints in $T/console
    local name
    for name in chromium chromium-browser google-chrome; do command -v $name >/dev/null && break; done
    command -v $name >/dev/null || skip "no chromium"
    local width=$1 height=$2
    shift 2
    timeout 90 $name --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --hide-scrollbars \
        --disable-background-networking --disable-component-update --user-data-dir="$T/profile" --enable-logging=stderr \
        --window-size="$width,$height" "${@:1:$#-1}" "file://${*: -1}" 2>"$T/console"
}

colours() { python3 png.py "$@" | tail -n +2; }

@test "a page is one well-formed file with captions, descriptions and contrast, and names no other" {
    need_python
    need_gnuplot
    run python3 page.py "$R/run.html"
    echo "$output"
    [ "$status" = 0 ]
    [ "${output%% *}" -ge 8 ]
    for f in "$C"/*/in.json "$C/shift/in.steady.json"; do
        render -f html "$f" >"$T/page.html"
        run python3 page.py "$T/page.html"
        echo "$f: $output"
        [ "$status" = 0 ]
    done
    render -f html "$C"/*/in*.json >"$T/page.html" 2>/dev/null
    run python3 page.py "$T/page.html"
    echo "$output"
    [ "$status" = 0 ]
}

@test "a page has every part: course, histograms, account, rates, segments, audit, terms" {
    need_gnuplot
    for id in series hist-tpot rates; do grep -q "<figure id=\"$id\"" "$R/run.html"; done
    for h in 'Course of the run' 'Latency distributions' 'Goodput: every' 'Definitions' 'Audit' 'Accounts' 'Terms'; do
        grep -q "<h2[^>]*>$h" "$R/run.html"
    done
    [ "$(grep -c '>missing<' "$R/run.html")" -ge 8 ]
    # every band of the run, in the colour its name has in the style
    for band in warmup window shift; do grep -q "fill=\"var(--$band)\"" "$R/run.html"; done
}

@test "the same reports give the same bytes, whatever the locale, the directory and the settings of gnuplot" {
    need_gnuplot
    echo 'set title "mine"; set terminal png' >"$T/.gnuplot"
    (cd / && HOME=$T GNUTERM=png GNUPLOT_LIB=$T LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo \
        render -f html "$R/run.steady.json" "$R/run.goodput.json") | cmp - "$R/run.html"
}

@test "without gnuplot a page says so, has the passes as figures, and is no failure" {
    run --separate-stderr env PATH=/nonexistent "$RENDER" -f html "$R/run.steady.json"
    [ "$status" = 0 ]
    [ "$stderr" = "render: plots are left out: gnuplot is not installed" ]
    grep -q 'class="notice">Plots are left out: gnuplot is not installed' <<<"$output"
    grep -q '<details open>' <<<"$output"
    run ! grep -q '<svg\|<script' <<<"$output"
    run --separate-stderr env PATH=/nonexistent "$RENDER" -f svg --plot series "$R/run.steady.json"
    [ "$status" = 2 ]
    [ -z "$output" ]
    [ "$stderr" = "render: gnuplot is not installed" ]
    env PATH=/nonexistent "$RENDER" -f gnuplot --plot series "$R/run.steady.json" | grep -q '^set multiplot'
}

@test "a gnuplot that fails, says nothing, stops reading or never stops writing is not believed" {
    mkdir "$T/bin"
    for body in 'exit 1' 'exit 0' 'cat >/dev/null; echo "<svg"' 'cat >/dev/null; echo "<svg></svg>"' 'exec <&-; sleep 0.1' \
        'cat >/dev/null; head -c 3000000 /dev/zero' 'exec yes'; do
        printf '#!/bin/sh\n%s\n' "$body" >"$T/bin/gnuplot"
        chmod +x "$T/bin/gnuplot"
        run --separate-stderr timeout 20 env PATH="$T/bin:/usr/bin:/bin" "$RENDER" -f html "$R/run.steady.json"
        echo "$body: $status $stderr"
        [ "$status" = 0 ]
        [[ $stderr == "render: plots are left out: gnuplot "* ]]
        run ! grep -q '<svg' <<<"$output"
    done
}

@test "nothing of a report's text is markup, a command to gnuplot or a script" {
    need_gnuplot
    local evil="</script></style><b id=x onload=alert(1)>'\"; system('touch $T/owned') \`touch $T/owned\` @x \$(touch $T/owned)"
    for i in 1 2 3; do
        jq -c --arg n "$i $evil" ".run.name = \$n | .tps.per_user.value *= $i | .reasons = [{code: \$n}] | .window.confidence = \$n
            | .pg = [{name: \$n, options: {(\$n): \$n}}] | .definitions = {(\$n): \$n}" "$R/run.steady.json" >"$T/$i.json"
    done
    jq -n --arg n "$evil" '{model: $n, ($n): [$n, {($n): $n}]}' >"$T/manifest.json"
    render -f html --manifest "$T/manifest.json" "$T/1.json" >"$T/one.html"
    render -f html "$T"/[123].json >"$T/many.html"
    render -f html --compare "$T"/[12].json >"$T/two.html"
    render -f svg --plot frontier "$T"/[123].json >"$T/f.svg"
    render -f gnuplot --plot frontier "$T"/[123].json >"$T/f.gp"
    (cd "$T" && gnuplot -d f.gp >/dev/null)
    [ ! -e "$T/owned" ]
    grep -q 'touch' "$T/f.svg"
    for f in one.html many.html two.html f.svg; do
        run ! grep -q '<b id=x\|</script></style>' "$T/$f"
    done
    if command -v python3 >/dev/null; then
        for f in one many two; do python3 page.py "$T/$f.html"; done
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$T/f.svg"
    fi
}

@test "every plot can be had alone, as a drawing with its data and as a script that draws it" {
    need_gnuplot
    jq -c '.tps.per_user.value = 30 | .tps.system.value = 400' "$R/run.steady.json" >"$T/b.json"
    while read -r plot files; do
        # shellcheck disable=SC2086
        render -f svg --plot "$plot" $files >"$T/$plot.svg"
        grep -q '^<svg xmlns=' "$T/$plot.svg"
        grep -q '<title>..*</title>' "$T/$plot.svg" && grep -q '<desc>..*</desc>' "$T/$plot.svg"
        grep -qE '<(path|polygon|circle) [^>]*="#1e66d0"' "$T/$plot.svg"
        run ! grep -q 'var(' "$T/$plot.svg"
        # shellcheck disable=SC2086
        render -f gnuplot --plot "$plot" $files >"$T/plot.gp"
        [ "$(gnuplot -d "$T/plot.gp" 2>&1 | grep -c '^</svg>')" = 1 ]
    done <<END
series $R/run.steady.json
hist-tpot $R/run.steady.json
hist-ttft $R/run.steady.json
rates $R/run.goodput.json
staircase $C/capacity/in.json
frontier $R/run.steady.json $T/b.json
END
    # a gap is a gap, and a level that is not drawn is not there
    jq -c '.passes[5].tpot_p50 = null' "$R/run.steady.json" >"$T/gap.json"
    render -f gnuplot --plot series "$T/gap.json" | sed -n '/^\$d0_0/,/^EOD/p' | grep -c '^$' | grep -qx 1
}

@test "a plot without data, or without a name, is an error" {
    for plot in rates staircase frontier; do
        run --separate-stderr render -f gnuplot --plot $plot "$R/run.steady.json"
        [ "$status" = 2 ]
        [ -z "$output" ]
        [ "$stderr" = "render: --plot: these reports have nothing to draw as '$plot'" ]
    done
    for bad in "-f svg" "--plot series" "-f svg --plot none" "-f tsv --compare" "-f json --manifest x"; do
        # shellcheck disable=SC2086
        run render $bad "$R/run.steady.json"
        [ "$status" = 2 ]
    done
}

@test "figures of any size make a page" {
    need_gnuplot
    for to in 0 -1 1e-320 1e308 null '"x"'; do
        for f in "$R/run.steady.json" "$R/run.goodput.json" $C/capacity/in.json; do
            jq -c "walk(if type == \"number\" then $to else . end)" "$f" >"$T/odd.json"
            run --separate-stderr timeout 20 render -f html "$T/odd.json"
            echo "$to $f: $status $stderr"
            [ "$status" = 0 ]
            [ "${output: -7}" = "</html>" ]
        done
    done
    jq -c '.metrics.tpot.histogram[0].lo_ns = 0 | .metrics.ttft.histogram[0].lo_ns = -5' "$R/run.steady.json" >"$T/odd.json"
    timeout 20 render -f svg --plot hist-tpot "$T/odd.json" | grep -q '^</svg>'
}

@test "a window that is no result does not look like one" {
    need_gnuplot
    render -f html $C/wandering/in.json >"$T/page.html"
    grep -q 'fill="var(--uncertified)"' "$T/page.html"
    run ! grep -q 'fill="var(--window)"\|>sustained<' "$T/page.html"
    grep -q 'Window, not certified: passes' "$T/page.html"
    run ! grep -q 'fill="var(--uncertified)"' "$R/run.html"
    grep -q '>sustained<' "$R/run.html"
}

@test "a run of 10,000 passes is drawn as means, in a page that can still be read" {
    need_gnuplot
    jq -c '.passes = [range(0; 10000) as $i | .passes[1] | .pass = $i | .role = "body"]' "$R/run.steady.json" >"$T/long.json"
    render -f html "$T/long.json" >"$T/long.html"
    grep -q 'Every super-pass, means of 13' "$T/long.html"
    [ "$(render -f svg --plot series "$T/long.json" | wc -c)" -lt 200000 ]
}

@test "a browser shows the plots in light and in dark, and has nothing to complain of" {
    need_python
    need_gnuplot
    browser 900 1500 --screenshot="$T/light.png" "$R/run.html"
    run grep -E 'CONSOLE|Refused|ERR_' "$T/console"
    echo "$output"
    [ "$status" = 1 ]
    browser 900 1500 --screenshot="$T/dark.png" --blink-settings=preferredColorScheme=0 "$R/run.html"
    # page, warm-up, window, later level, first line: each theme has its own, and none of the other's
    colours "$T/light.png" '#ffffff' '#f6e7c8' '#dff1e4' '#fadcd9' '#1e66d0' >"$T/light"
    colours "$T/dark.png" '#12151b' '#3b311a' '#17342a' '#432523' '#72abff' >"$T/dark"
    cat "$T/light" "$T/dark"
    awk '$2 < 500 { bad = 1 } END { exit bad || NR != 10 }' "$T/light" "$T/dark"
    [ "$(colours "$T/dark.png" '#dff1e4' | cut -d' ' -f2)" = 0 ]
}

@test "a page fits the width of a phone, shows values under the pointer, and prints" {
    need_gnuplot
    cat >"$T/probe.js" <<'END'
<script>
const svg = [...document.querySelectorAll('#series svg')].find(s => s.getBoundingClientRect().width > 0);
const box = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width * 0.6, clientY: box.top + 60}));
document.title = 'probe ' + document.documentElement.scrollWidth + ' of ' + innerWidth + ' plot ' + svg.getAttribute('class')
    + ' tip ' + document.querySelector('.tip').textContent.replace(/\n/g, '; ');
</script>
END
    sed "/^<\/body>/{
        r $T/probe.js
    }" "$R/run.html" >"$T/probe.html"
    browser 800 900 --dump-dom "$T/probe.html" >"$T/wide"
    grep -o '<title>probe[^<]*' "$T/wide"
    grep -qE '<title>probe 800 of 800 plot wide tip super-pass.*; TPOT, ms p50: [12]' "$T/wide"
    # a headless window is no narrower
    browser 500 900 --dump-dom "$T/probe.html" >"$T/phone"
    grep -o '<title>probe[^<]*' "$T/phone"
    grep -qE '<title>probe 500 of 500 plot narrow tip ' "$T/phone"
    browser 900 900 --no-pdf-header-footer --print-to-pdf="$T/run.pdf" "$R/run.html"
    [ "$(head -c 5 "$T/run.pdf")" = "%PDF-" ]
    [ "$(wc -c <"$T/run.pdf")" -gt 30000 ]
}

#!/usr/bin/env bats
# What is installed, packed and completed is what was built, and is gone again when asked.

load lib

setup_file() {
    unset MAKEFLAGS MFLAGS MAKEOVERRIDES
    cd "$ROOT" || return
    make -s install DESTDIR="$BATS_FILE_TMPDIR/inst" PREFIX=/opt/steady >"$BATS_FILE_TMPDIR/install.log" 2>&1
    if command -v dpkg-deb >/dev/null; then
        for n in 1 2; do make -s deb DIST="$BATS_FILE_TMPDIR/deb$n" >>"$BATS_FILE_TMPDIR/install.log" 2>&1; done
    fi
}

setup() {
    unset MAKEFLAGS MFLAGS MAKEOVERRIDES
    cd "$BATS_TEST_TMPDIR" || return
    inst=$BATS_FILE_TMPDIR/inst/opt/steady
}

@test "an installation holds every tool, page, adapter, schema, completion and example, and runs" {
    for t in $TOOLS; do
        [ "$("$inst/bin/$t" --version)" = "$("$ROOT/bin/$t" --version)" ]
        [ -s "$inst/share/bash-completion/completions/$t" ]
        [ -s "$inst/share/zsh/site-functions/_$t" ]
        cmp "$ROOT/man/$t.1" "$inst/share/man/man1/$t.1"
    done
    for page in "$ROOT"/man/*.[57]; do
        cmp "$page" "$inst/share/man/man${page##*.}/${page##*/}"
    done
    [ -s "$inst/share/steadytools/adapters/vllm.jq" ]
    jq -e .title "$inst/share/steadytools/schema/goodput.schema.json"
    for example in "$ROOT"/examples/*/*; do cmp "$example" "$inst/share/doc/steadytools/examples/${example#"$ROOT/examples/"}"; done
    [ -f "$inst/share/doc/steadytools/examples/report.mk" ]
    cmp "$ROOT/README.md" "$inst/share/doc/steadytools/README.md"
    # no test program, and nothing outside of the prefix
    [ "$(find "$inst/bin" -type f | wc -l)" = 7 ]
    [ "$(find "$BATS_FILE_TMPDIR/inst" -type f | grep -vc "^$inst/")" = 0 ]
}

@test "the installed tools need neither the checkout nor each other" {
    small_run .
    cp "$inst"/bin/ev2ledger .
    env -i PATH=/usr/bin:/bin ./ev2ledger ev2ledger.in >ledger.tsv
    cmp ledger.tsv ledger2passes.in
}

@test "uninstalling leaves no file, and nothing of others is touched" {
    make -s -C "$ROOT" install DESTDIR="$PWD/gone" PREFIX=/usr >/dev/null 2>&1
    mkdir -p gone/usr/bin && echo mine >gone/usr/bin/mine
    make -s -C "$ROOT" uninstall DESTDIR="$PWD/gone" PREFIX=/usr >/dev/null
    [ "$(cd gone && find . -type f)" = ./usr/bin/mine ]
}

@test "two tarballs are the same bytes, and one made from an unpacked one holds the same" {
    make -s -C "$ROOT" dist DIST="$PWD/a"
    sleep 1.1
    make -s -C "$ROOT" dist DIST="$PWD/b"
    cmp a/*.tar.gz b/*.tar.gz
    tar -xf a/*.tar.gz
    top=$(ls -d steadytools-*/)
    [ -f "$top/Makefile" ] && [ -f "$top/README.md" ] && [ ! -e "$top/build" ]
    # without a repository the tree is packed as it stands, without what was built in it
    mkdir -p "$top/build" && touch "$top/build/x" "$top/bin/goodput"
    (cd "$top" && GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR make -s dist DIST="$BATS_TEST_TMPDIR/c")
    sleep 1.1
    (cd "$top" && GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR make -s dist DIST="$BATS_TEST_TMPDIR/d")
    cmp c/*.tar.gz d/*.tar.gz
    tar -tf a/*.tar.gz | grep -v '/$' | grep -v pax_global | sort >a.list
    tar -tf c/*.tar.gz | grep -v '/$' | sort >c.list
    cmp a.list c.list
}

@test "the Debian package is the same bytes twice, and says what it needs" {
    command -v dpkg-deb >/dev/null || skip "no dpkg-deb"
    deb=$(ls "$BATS_FILE_TMPDIR"/deb1/*.deb)
    cmp "$deb" "$BATS_FILE_TMPDIR"/deb2/*.deb
    [ "$(dpkg-deb -f "$deb" Package)" = steadytools ]
    [ "$(goodput --version | grep -oE "[0-9.]+$")" = "$(dpkg-deb -f "$deb" Version)" ]
    [ "$(dpkg-deb -f "$deb" Recommends)" = gnuplot-nox ]
    depends=$(dpkg-deb -f "$deb" Depends)
    echo "$depends"
    # every library that is linked belongs to a package that is named, with the version
    while read -r package; do
        grep -qE "(^|, )$package \(>= [0-9]" <<<"$depends" || { echo "missing: $package"; return 1; }
    done < <(ldd "$ROOT"/bin/goodput | grep -oE '/[^ ]*lib(c|jq|jansson|gsl|csv|pcre2-8|xxhash|utf8proc)\.so[^ ]*' |
        sed 's,.*/,*/,' | while read -r so; do dpkg -S "$so" | head -n 1 | cut -d : -f 1; done | sort -u)
    [ "$(dpkg-deb -c "$deb" | awk '$2 != "root/root"' | wc -l)" = 0 ]
}

@test "the tools of the unpacked package make the report the built ones make" {
    command -v dpkg-deb >/dev/null || skip "no dpkg-deb"
    dpkg-deb -x "$BATS_FILE_TMPDIR"/deb1/*.deb root
    dpkg-deb -e "$BATS_FILE_TMPDIR"/deb1/*.deb control
    (cd root && md5sum --quiet -c ../control/md5sums)
    for page in "$ROOT"/man/*.[157]; do gzip -dc "root/usr/share/man/man${page##*.}/${page##*/}.gz" | cmp - "$page"; done
    grep -q 'GPL-3' root/usr/share/doc/steadytools/copyright
    [ -s root/usr/share/zsh/vendor-completions/_plateau ]
    small_run .
    PATH=$PWD/root/usr/bin:/usr/bin:/bin bash -eo pipefail -c '
        ev2ledger ev2ledger.in | ledger2passes -n 4 | warmcrop -q | tailguard | plateau | cmp - render.in'
}

@test "the trial in a chroot says why it is skipped" {
    mkdir few && ln -s "$(command -v id)" "$(command -v dirname)" few/
    run env PATH="$PWD/few" /bin/sh "$ROOT/share/debian/chroot.sh" none.deb here
    [ "$status" = 0 ] && [[ $output =~ ^"deb-chroot: skipped: "(no debootstrap|not root)$ ]]
    PATH=$PATH:/usr/sbin
    command -v debootstrap >/dev/null && [ "$(id -u)" = 0 ] || skip "no debootstrap, or not root"
    MIRROR=http://127.0.0.1:9/ run "$ROOT/share/debian/chroot.sh" none.deb here
    [ "$status" = 0 ] && [[ $output == "deb-chroot: skipped: debootstrap failed"* ]]
}

# complete TOOL WORD...: what bash offers for the last word
complete_bash() (
    . "$ROOT/build/completions/bash/$1"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "_steadytools_$1"
    printf '%s\n' "${COMPREPLY[@]}"
)

@test "bash completes options, their words, and files" {
    for t in $TOOLS; do
        "$t" --list-options | cut -f 2 | sed 's/^/--/' | sort >want
        complete_bash "$t" -- | grep '^--' | sort | cmp - want
        "$t" --list-options | cut -f 1 | grep . | sed 's/^/-/' | sort >want
        complete_bash "$t" - | grep -v '^--' | sort | cmp - want
    done
    [ "$(complete_bash plateau -o n)" = ndjson ]
    [ "$(complete_bash plateau --output = t)" = tsv ]
    [ "$(complete_bash ledger2passes -m p)" = poisson ]
    [ "$(complete_bash ev2ledger -f vl)" = vllm ]
    touch 'a run.json' && [ "$(complete_bash goodput --baseline a)" = 'a run.json' ]
    [ "$(complete_bash goodput a)" = 'a run.json' ]
    [ -z "$(complete_bash goodput --margin a)" ]
}

@test "zsh is told of every option, in a file it can parse" {
    for t in $TOOLS; do
        f=$ROOT/build/completions/zsh/_$t
        [ "$(head -n 1 "$f")" = "#compdef $t" ]
        "$t" --list-options | cut -f 2 | while read -r name; do grep -qE -- "--$name[=}[]" "$f" || echo "$name"; done >lacking
        [ ! -s lacking ]
    done
    command -v zsh >/dev/null || skip "no zsh to parse it"
    for t in $TOOLS; do zsh -n "$ROOT/build/completions/zsh/_$t"; done
}

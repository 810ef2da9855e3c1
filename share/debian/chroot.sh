#!/bin/sh
# Does the package install and run on a Debian that has nothing else?  chroot.sh DEB DIR: a minimal system is made in DIR.
# Needs root, debootstrap and a mirror; says why it skips where one of them is missing.
set -eu
deb=$1 dir=$2
skip() { echo "deb-chroot: skipped: $*" >&2; exit 0; }
[ "$(id -u)" = 0 ] || skip "not root"
command -v debootstrap >/dev/null || skip "no debootstrap"
. /etc/os-release
mirror=${MIRROR:-http://deb.debian.org/debian}
rm -rf --one-file-system "$dir"
mkdir -p "$dir"
debootstrap --variant=minbase "$VERSION_CODENAME" "$dir" "$mirror" >"$dir.log" 2>&1 ||
    skip "debootstrap failed, see $dir.log: $(tail -n 1 "$dir.log")"
cp "$deb" "$dir/tmp/steadytools.deb"
chroot "$dir" apt-get install -y -q --no-install-recommends /tmp/steadytools.deb >>"$dir.log" 2>&1 || {
    tail -n 5 "$dir.log" >&2
    exit 1
}
for tool in ev2ledger ledger2passes warmcrop tailguard plateau goodput render; do chroot "$dir" "$tool" --version; done
rm -rf --one-file-system "$dir"

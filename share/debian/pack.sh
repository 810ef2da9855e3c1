#!/bin/sh
# A Debian package from an installation: pack.sh ROOT VERSION FILE.  ROOT holds what `make install` put there with
# PREFIX=/usr.  The same ROOT and SOURCE_DATE_EPOCH give the same bytes.
set -eu
root=$1 version=$2 deb=$3
here=$(dirname "$0")

strip --strip-unneeded "$root"/usr/bin/*
find "$root/usr/share/man" -type f ! -name '*.gz' -exec gzip -9nf {} +
install -d "$root/DEBIAN" "$root/usr/share/doc/steadytools"
install -m 644 "$here/copyright" "$root/usr/share/doc/steadytools/copyright"

# The packages that own the linked libraries, in the upstream version that was linked, or later.
depends=$(
    readelf -d "$root"/usr/bin/* | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u |
        while read -r library; do dpkg -S "*/$library" | head -n 1; done | cut -d : -f 1 | sort -u |
        while read -r package; do
            dpkg-query -W -f '${Package} ${Version}\n' "$package" | head -n 1 | sed 's/-[^-]*$//; s/ \(.*\)/ (>= \1)/'
        done | paste -s -d , | sed 's/,/, /g'
)
[ -n "$depends" ] || { echo "pack.sh: no package owns the linked libraries" >&2; exit 1; }

(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
sed "s/@VERSION@/$version/; s/@ARCH@/$(dpkg --print-architecture)/; s/@SIZE@/$(du -sk --apparent-size "$root/usr" | cut -f 1)/
    s/@DEPENDS@/$depends/" "$here/control" >"$root/DEBIAN/control"
find "$root" -type d -exec chmod 755 {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$deb" >/dev/null

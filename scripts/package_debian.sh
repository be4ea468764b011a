#!/usr/bin/env bash
# Debian packages of the commit at hand, for any x86-64 processor since 2009 (x86-64-v2), in FOLDER:
#
#     scripts/package_debian.sh [FOLDER]      FOLDER is build/debian if none is given; CHECK=1 also runs the tests
#
# It unpacks `make dist` there, puts scripts/packaging/debian into it and calls dpkg-buildpackage, which needs
# build-essential, debhelper and dh-python; lintian looks at the result where it is installed. The packages are
# DEBFULLNAME's <DEBEMAIL>.
set -euo pipefail
folder=${1:-$(dirname "$0")/../build/debian}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
for command in dpkg-buildpackage dh; do
    command -v $command >/dev/null || { echo "package_debian: no $command: install dpkg-dev and debhelper" >&2; exit 1; }
done

archive=$(scripts/dist.sh "$folder")
tree=${archive%.tar.xz}
version=${tree##*-}
soversion=$(sed -n 's/^SOVERSION *:= *//p' Makefile)
rm -rf "$tree"
tar -C "$folder" -xf "$archive"
mv "$archive" "$folder/ncpbench_$version.orig.tar.xz"

# What the sources know already, the packaging does not repeat.
cp -r "$tree/scripts/packaging/debian" "$tree/debian"
for file in "$tree"/debian/*@SOVERSION@*; do mv "$file" "${file//@SOVERSION@/$soversion}"; done
maintainer="${DEBFULLNAME:-ncpbench} <${DEBEMAIL:-ncpbench@localhost}>"
sed -i "s/@SOVERSION@/$soversion/g; s/@MAINTAINER@/$maintainer/" "$tree/debian/control"
sed -n 's/^Copyright (c) \(.*\)$/\1/p' LICENSE >"$tree/debian/holder"
sed '1,/^Copyright/d; s/^/ /; s/^ $/ ./' LICENSE | sed '1{/^ \.$/d}' >"$tree/debian/licence"
sed -i -e "s/@COPYRIGHT@/$(cat "$tree/debian/holder")/" -e "/@LICENCE@/{r $tree/debian/licence
d}" "$tree/debian/copyright"
rm "$tree/debian/holder" "$tree/debian/licence"
{
    printf 'ncpbench (%s-1) unstable; urgency=medium\n\n  * Version %s; see CHANGELOG.md.\n\n' "$version" "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(git log -1 --format=%cD)"
} >"$tree/debian/changelog"

export DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)}" DEB_BUILD_PROFILES=
[ -n "${CHECK:-}" ] || DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS nocheck" DEB_BUILD_PROFILES=nocheck
(cd "$tree" && dpkg-buildpackage -us -uc -F)
if command -v lintian >/dev/null; then
    # They are not for an upload to Debian, which wants a bug that asks for them, nor need they have an address.
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
        --suppress-tags "$([ -n "${DEBEMAIL:-}" ] || echo bogus-mail-host,bogus-mail-host-in-debian-changelog)" \
        "$folder/ncpbench_$version-1_$(dpkg --print-architecture).changes"
fi
ls "$folder"/*.deb

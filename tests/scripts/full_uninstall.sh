#!/usr/bin/env bash
# make uninstall leaves a folder as make install found it: what was there before stays, empty folders and files among
# ours too. With DESTDIR, with a folder of libraries of its own, and over an older installation.
set -euo pipefail
BUILD=${BUILD:-build}
unset MAKEFLAGS MAKELEVEL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() {
    make -s BUILD="$BUILD" STAGE="$work/stage" "$@" DESTDIR="$work/root" PREFIX=/opt/bench LIBDIR=/opt/bench/lib64
}
tree() { (cd "$work/root" && find . -printf '%p %m %y %l\n' | sort && find . -type f -exec sha256sum {} + | sort); }

mkdir -p "$work/root/opt/bench/bin" "$work/root/opt/bench/share/man/man1"
echo other >"$work/root/opt/bench/bin/other"
chmod 2775 "$work/root/opt/bench/bin"
tree >"$work/before"
run install
for file in bin/ncpbench bin/other lib64/libncpbench.a lib64/libncpbench.so share/man/man1/ncpbench.1 \
    include/ncpbench/ncpbench.h share/ncpbench/data/problems.list; do
    [ -s "$work/root/opt/bench/$file" ]
done
grep -q '^libdir=/opt/bench/lib64$' "$work/root/opt/bench/lib64/pkgconfig/ncpbench.pc"
if grep -rqF "$work" "$work/root/opt/bench"; then exit 1; fi # DESTDIR stands nowhere
tree >"$work/first"

# A second one changes nothing, but removes what an older version left.
manifest=$work/root/opt/bench/share/ncpbench/manifest
mkdir "$work/root/opt/bench/share/ncpbench/old"
echo left >"$work/root/opt/bench/share/ncpbench/old/left"
printf '%s\n' /opt/bench/share/ncpbench/old/ /opt/bench/share/ncpbench/old/left >>"$manifest"
run install
tree | cmp - "$work/first"

run uninstall
tree | cmp - "$work/before"
if run uninstall 2>"$work/said"; then exit 1; fi
grep -q "^uninstall: no installation in $work/root/opt/bench" "$work/said"

# A user's own file among ours stays, and with it its folders.
run install
echo mine >"$work/root/opt/bench/share/ncpbench/data/mine"
run uninstall
[ "$(cd "$work/root/opt/bench" && find share/ncpbench -type f)" = share/ncpbench/data/mine ]
[ "$(cat "$work/root/opt/bench/share/ncpbench/data/mine")" = mine ]

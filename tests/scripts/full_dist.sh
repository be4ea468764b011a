#!/usr/bin/env bash
# make dist gives the same bytes twice, holds what git tracks and nothing else, and knows without git from which commit
# it is, even where it is unpacked into another repository.
set -euo pipefail
BUILD=${BUILD:-build}
unset MAKEFLAGS MAKELEVEL
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "no git repository here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

first=$(scripts/dist.sh "$work/a" 2>/dev/null)
second=$(cd docs && ../scripts/dist.sh "$work/b" 2>/dev/null)
cmp "$first" "$second"
version=$(git show HEAD:harness/version.h | sed -n 's/^#define NB_VERSION "\(.*\)"$/\1/p')
[ "$(basename "$first")" = "ncpbench-$version.tar.xz" ]

git init -q "$work"
git -C "$work" -c user.name=n -c user.email=e commit -q --allow-empty -m other
tar -C "$work" -xf "$first"
tree=$work/ncpbench-$version
[ "$(cd "$tree" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort)" = "$(git ls-tree -r --name-only HEAD | LC_ALL=C sort)" ]
(cd "$tree" && CC=gcc scripts/gen_build_info.sh "$work/build_info.h")
grep -q "COMMIT \"$(git rev-parse HEAD | cut -c 1-12)\"" "$work/build_info.h"
code=0
"$tree/scripts/dist.sh" "$work" >"$work/said" 2>&1 || code=$?
[ "$code" = 1 ]
grep -q '^dist: .* is no git repository' "$work/said"

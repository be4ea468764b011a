#!/usr/bin/env bash
# scripts/fclib.sh on files made up: it links those whose content is right, from wherever below the folder, says what is
# missing in one line, and touches nothing that is right already.
set -euo pipefail
cd "$(dirname "$0")/../.."
# The sweeps ask for no other names than the list has.
for name in $(grep -oh 'problems/fclib/[^, ]*' data/*.sweep | sort -u); do
    grep -q "^[0-9a-f]\{64\}  ${name##*/}$" data/fclib.list || { echo "test_fclib: data/fclib.list lacks $name"; exit 1; }
done
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/scripts" "$tree/data" "$tree/from here/deep"
cp scripts/fclib.sh "$tree/scripts"
cd "$tree"
fail() { echo "test_fclib: $1; it said: $(cat said log)" >&2; exit 1; }
lay() { code=0 && FCLIB=none scripts/fclib.sh "$@" >said 2>log || code=$?; }

echo one >"from here/one.hdf5"
echo two >"from here/deep/two.hdf5"
{ echo "# names"; (cd "from here" && sha256sum one.hdf5) && (cd "from here/deep" && sha256sum two.hdf5); } >data/fclib.list
lay
[ $code = 1 ] && grep -q '^fclib: optional, none of its 2 problems is in /.*/none (docs/guide/fclib.md)$' said || fail "no folder"
[ ! -e data/problems ] || fail "it makes a folder for nothing"
lay "from here"
[ $code = 0 ] && [ "$(cat said)" = "fclib: all 2 problems are in data/problems/fclib" ] || fail "two files"
[ "$(cat data/problems/fclib/one.hdf5 data/problems/fclib/two.hdf5)" = "$(printf 'one\ntwo')" ] || fail "other files"

# Another content of that name is not taken, where a right one is beside it or not; a copy that is right stays.
echo wrong >"from here/two.hdf5"
rm data/problems/fclib/*
cp "from here/one.hdf5" data/problems/fclib
lay "from here"
[ $code = 0 ] && [ ! -L data/problems/fclib/one.hdf5 ] && [ "$(cat data/problems/fclib/two.hdf5)" = two ] || fail "a choice"
rm "from here/deep/two.hdf5" # the link hangs
lay "from here"
[ $code = 1 ] && grep -q 'of 2 problems 1 are missing in .*: two.hdf5 ' said || fail "one is missing"
grep -q 'from here/two.hdf5 has another content' log || fail "another content"
echo two >"from here/two.hdf5"
lay "from here"
[ $code = 0 ] && [ "$(cat data/problems/fclib/two.hdf5)" = two ] || fail "a hanging link stays"

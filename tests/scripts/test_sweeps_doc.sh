#!/usr/bin/env bash
# docs/guide/sweeps.md: its example does what it says, and it knows every key.
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
page=docs/guide/sweeps.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "test_sweeps_doc: $1" >&2
    exit 1
}

# block LANGUAGE: the page's code block in it
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '/^```/d'; }

PATH=$(realpath "$BUILD"):$PATH
block ini >"$work/example.sweep"
block sh >"$work/example.sh"
(cd "$work" && bash -e example.sh >out 2>err) || fail "the example fails: $(cat "$work/err")"
grep -q '^example: 30 cases, 30 run now, 0 reused' "$work/out" || fail "not 30 cases: $(cat "$work/out")"
grep -q '^merged: 34 combinations are 30 cases' "$work/err" || fail "merged otherwise: $(cat "$work/err")"
grep -q 'CubeH8.hdf5 does not exist (optional)' "$work/err" || fail "no notice of the optional file"
again=$(cd "$work" && ncpbench sweep example.sweep -o example.jsonl 2>err)
[[ $again == *" 0 run now, 30 reused"* ]] || fail "run again although all is there: $again"

# keys SECTION: those that the program knows
keys() {
    printf '%s\nno_such_key = 1\n' "$1" >"$work/keys.sweep"
    ncpbench sweep "$work/keys.sweep" -o "$work/keys.jsonl" 2>&1 | sed 's/.*known: //; s/,//g'
}
for key in $(keys '[sweep]') $(keys '[group a]'); do
    grep -q "^| \`$key\` |" "$page" || fail "the key $key is not explained"
done
help=$(ncpbench sweep --help)
[[ $help == *"$page"* ]] || fail "sweep --help does not name $page"

#!/usr/bin/env bash
# scripts/problems.sh: exports what is asked for, leaves alone what has not changed, makes anew what has.
set -euo pipefail
cd "$(dirname "$0")/../.."
PROBLEMS=$(mktemp -d)
export PROBLEMS
trap 'rm -rf "$PROBLEMS"' EXIT

fail() {
    echo "test_problems: $1" >&2
    exit 1
}

first=$(scripts/problems.sh box_on_plane ball_drop)
[[ $first == *box_on_plane* && $first == *ball_drop* ]] || fail "not exported: $first"
[ -s "$PROBLEMS/box_on_plane.h5" ] && [ -s "$PROBLEMS/ball_drop.h5" ] || fail "files are missing"
[ "$(ls "$PROBLEMS" | wc -l)" -eq 4 ] || fail "other files than two problems and their keys"

again=$(scripts/problems.sh box_on_plane ball_drop)
[ -z "$again" ] || fail "exported although nothing changed: $again"

echo other >"$PROBLEMS/ball_drop.h5.key"
rm "$PROBLEMS/box_on_plane.h5"
changed=$(scripts/problems.sh box_on_plane ball_drop)
[[ $changed == *box_on_plane* && $changed == *ball_drop* ]] || fail "not made anew: $changed"

if scripts/problems.sh no_such_problem 2>/dev/null; then
    fail "an unknown problem is not refused"
fi

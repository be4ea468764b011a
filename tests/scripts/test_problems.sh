#!/usr/bin/env bash
# scripts/problems.sh: exports what is asked for, leaves alone what has not changed, makes anew what has: a
# problem whose scene changed, or a strategy that its simulation uses, but not for a scene or strategy of others.
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD=$(realpath "${BUILD:-build}")
PROBLEMS=$(mktemp -d)
export BUILD PROBLEMS
trap 'rm -rf "$PROBLEMS"' EXIT

fail() {
    echo "test_problems: $1" >&2
    exit 1
}

# The sources, to be edited.
tree=$PROBLEMS/.tree
mkdir -p "$tree/data"
cp -a scripts problems solvers harness "$tree"
cp data/problems.list "$tree/data"
cd "$tree"

# expect WORDS WHY: the names that are exported now
expect() {
    local made
    made=$(scripts/problems.sh box_on_plane ball_drop | awk '{ print $1 }' | sort | tr '\n' ' ')
    [ "$made" = "$1" ] || fail "$2: made '$made', not '$1'"
}
expect "ball_drop box_on_plane " "first"
[ -s "$PROBLEMS/box_on_plane.h5" ] && [ -s "$PROBLEMS/ball_drop.h5" ] || fail "files are missing"
[ "$(ls "$PROBLEMS" | wc -l)" -eq 4 ] || fail "other files than two problems and their keys"
expect "" "nothing changed"

echo other >"$PROBLEMS/ball_drop.h5.key"
rm "$PROBLEMS/box_on_plane.h5"
expect "ball_drop box_on_plane " "another key, and no file"

echo '/* edited */' | tee -a problems/scenes/arch.c solvers/ncp/min_map.c solvers/precond/ssor.c \
    >solvers/precond/new.c
expect "" "what these do not use changed"
echo '/* edited */' >>problems/scenes/ball_drop.c
expect "ball_drop " "its scene changed"
echo '/* edited */' >>solvers/outer/proximal_newton.c
expect "ball_drop box_on_plane " "the method changed"
echo '/* edited */' >>solvers/linear/krylov/chebyshev.c
expect "ball_drop box_on_plane " "a shared source changed"

# A model is imported, and anew where it changed; without MuJoCo it is skipped, with a reason.
mkdir data/models
cp "$OLDPWD/data/models/boxes.xml" data/models
echo "boxes data/models/boxes.xml --step 20" >>data/problems.list
if "$BUILD/ncpbench" --version | grep -q '^MuJoCo *none'; then
    scripts/problems.sh boxes | grep -q 'boxes is skipped: .*MuJoCo' || fail "a model is not skipped without MuJoCo"
else
    scripts/problems.sh boxes | grep -q '^  boxes in ' && [ -s "$PROBLEMS/boxes.h5" ] || fail "a model is not imported"
    [ -z "$(scripts/problems.sh boxes)" ] || fail "a model that did not change is imported anew"
    echo '<!-- edited -->' >>data/models/boxes.xml
    scripts/problems.sh boxes | grep -q '^  boxes in ' || fail "a model that changed is not imported anew"
fi

if scripts/problems.sh no_such_problem 2>/dev/null; then
    fail "an unknown problem is not refused"
fi

#!/usr/bin/env bash
# Tries a method on 200 generated problems: balls in a cube and random piles over friction (0.1 to 2),
# mass ratio (1 to 1e6), order (even towers whose contacts are redundant) and disorder, each as it is and
# linearised. Prints how many reached a step error of 1e-8, 1e-10 and 1e-12.
#
#     BUILD=build scripts/generated.sh [SOLVER [SEEDS]]
#
# The default method's settings were chosen on the FCLIB problems of the README, on steps of the scenes
# (the table pile, the beam and the cylinder stack above all) and on violent piles of seed 1; all other
# seeds are held out. SEEDS is a list such as "6 7 8 9 10". Problems are kept in
# data/problems/generated.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
solver=${1:-proximal_newton}
seeds=${2:-1 2 3 4 5 6 7 8 9 10}
folder=data/problems/generated
mkdir -p "$folder"

# kind STEP SCENE SETTING...
kinds=(
    "balls1 200 balls_in_cube count=10 friction=0.1"
    "balls2 200 balls_in_cube count=20 friction=1 radius_min=0.05 radius_max=0.14"
    "balls3 250 balls_in_cube count=30 friction=2 radius_min=0.02 radius_max=0.13"
    "towers1 20 random_pile friction=0.1 time_step=0.004"
    "towers2 20 random_pile friction=0.7 mass_ratio=1e6 time_step=0.004"
    "towers3 20 random_pile friction=2 mass_ratio=1e3 count=64 time_step=0.004"
    "leaning1 80 random_pile disorder=0.02 friction=0.5 time_step=0.004"
    "pile1 100 random_pile disorder=1 walls=1 friction=0.3 time_step=0.004"
    "pile2 100 random_pile disorder=1 walls=1 friction=1 round=0.5 spread=0.3 time_step=0.004"
    "pile3 100 random_pile disorder=1 walls=1 friction=2 mass_ratio=1e3 time_step=0.004"
)

errors=()
for kind in "${kinds[@]}"; do
    read -r name step scene settings <<<"$kind"
    for seed in $seeds; do
        file=$folder/$name-$seed.h5
        options=()
        for setting in $settings seed=$seed; do options+=(--set "$setting"); done
        [ -e "$file" ] || "$program" export "$scene" "${options[@]}" --step "$step" -o "$file" \
            >"$folder/export.log" 2>&1 || { cat "$folder/export.log"; exit 2; }
        for form in "" --linearized; do
            record=$("$program" solve "$file" --solver "$solver" $form --tol 1e-12 --repetitions 0 \
                --floor no --json) || [ $? -eq 1 ]
            # the smallest of the trace: a run may end on a later point
            error=$(grep -o '"best":{[^}]*}' <<<"$record" | grep -o '"step_error":[^,}]*' | cut -d: -f2)
            errors+=("${error:-1}")
            awk -v m="${error:-1}" -v f="$file $form" 'BEGIN { if (!(m <= 1e-8)) print "  " f ": " m }'
        done
    done
done
printf '%s\n' "${errors[@]}" | awk '
    { n++; a += $1 <= 1e-8; b += $1 <= 1e-10; c += $1 <= 1e-12 }
    END { printf "%d problems: 1e-8 %d, 1e-10 %d, 1e-12 %d\n", n, a, b, c }'

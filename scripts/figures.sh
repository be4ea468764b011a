#!/usr/bin/env bash
# make figures: draws the papers' figures from the records in data/records/, without a run.
#
#     [BUILD=build] scripts/figures.sh [FOLDER]     figures/ without an argument
#
# figure14 and figure13_strain show problem files, which it does not export: they are drawn where `make problems`, or
# `make paper`, has left them.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
folder=${1:-figures}
drawn=0
failed=0

# draw FIGURE FILE [OPTION...]: a figure that cannot be drawn is told, not fatal
draw() {
    local output
    if output=$("$program" plot "$@" -o "$folder" 2>&1); then
        drawn=$((drawn + $(grep -c '\.pdf' <<<"$output" || true)))
    else
        echo "figure $1 of $2: $output" >&2
        failed=1
    fi
}

# records PART FIGURE...
records() {
    local figure
    for figure in "${@:2}"; do draw "$figure" "data/records/$1.jsonl.gz"; done
}

records linear figure11 figure12 damping ncp_functions line_search
draw figure17 data/records/linear.jsonl.gz --where problem=heavy_stack,arch,table_pile
draw figure18 data/records/linear.jsonl.gz --where problem=heavy_stack,arch,beam-0060
draw bars data/records/scenes.jsonl.gz --y constraint_error --curves linear --each precision --name figure18_scenes
records beam figure16
records functions figure6 figure9
records insertion insertion
records arch arch_creep
records stack stack_penetration
records pile pile_rest
records boxes boxes_support
draw figure13 data/records/stretch.jsonl.gz --where solver=proximal_newton
records descent pendulum_stretch contact_mass_ratio contact_stiffness_ratio
records grasp grasp_height
records conditions conditioning
draw force_distribution data/records/forces.jsonl.gz --where problem=cylinder,house_of_cards
records noise force_noise force_noise_arch
records fischer fischer_quadratic fischer_line_search fischer_start fischer_cost mixed_convergence
records spectra fischer_fill fischer_spectrum
if output=$(scripts/gpu_figures.py data/records/gpu_*.jsonl.gz -o "$folder" --copy data/records/gpu.copy.json); then
    drawn=$((drawn + $(grep -c '\.pdf' <<<"$output" || true)))
else
    failed=1
fi
for scene in heavy_stack arch; do
    [ -e "data/problems/$scene.h5" ] || continue
    mkdir -p data/problems/solved
    "$program" solve "data/problems/$scene.h5" -o "data/problems/solved/$scene.h5" >/dev/null
    draw figure14 "data/problems/solved/$scene.h5"
done
[ ! -e data/problems/pneunet.h5 ] || draw figure13_strain data/problems/pneunet.h5
echo "$drawn figures in $folder"
exit $failed

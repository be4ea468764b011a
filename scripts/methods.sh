#!/usr/bin/env bash
# The published figures and tables of the methods in docs/notes/published_methods.md, drawn anew: exports their
# problems, runs data/methods.sweep, draws plots/fischer_*.gp and plots/mixed_convergence.gp, has scripts/descent.sh
# do what belongs to primal and dual descent, and prints table 1 of Todorov 2010.
#
#     [BUILD=build] [FCLIB=folder] scripts/methods.sh [RUNS]
#
# RUNS: of each condition of that table; 3 without an argument, 10 in the paper.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
problems=data/problems
results=data/results/methods.jsonl
spectra=data/results/spectra.jsonl
figures=figures
mkdir -p "$problems/fclib" "$problems/methods" data/results "$figures"

for scene in leaning_capsule box_pyramid two_boxes sparse_stack dense_wall; do
    [ "$problems/$scene.h5" -nt "$program" ] ||
        "$program" export "$scene" -o "$problems/$scene.h5" >/dev/null
done
# The gripper's first step: `make problems` exports a later one.
[ "$problems/methods/pneunet.h5" -nt "$program" ] ||
    "$program" export pneunet -o "$problems/methods/pneunet.h5" >/dev/null
for name in CubeH8 LMGC_GlobalFrictionContactProblem00046; do
    from=${FCLIB:-../shared/fclib}/$name.hdf5
    [ ! -e "$from" ] || cp -u "$from" "$problems/fclib/"
done

echo "== sweep (results: $results)"
"$program" sweep data/methods.sweep -o "$results"

echo "== spectra (results: $spectra)"
rm -f "$spectra"
for scene in two_boxes sparse_stack dense_wall; do
    "$program" spectrum "$problems/$scene.h5" -o "$spectra"
done

echo "== figures"
for figure in fischer_quadratic fischer_line_search fischer_start fischer_cost mixed_convergence; do
    "$program" plot "$figure" "$results" -o "$figures"
done
for figure in fischer_fill fischer_spectrum; do
    "$program" plot "$figure" "$spectra" -o "$figures"
done

BUILD=${BUILD:-build} scripts/descent.sh

echo "== table 1 of Todorov 2010"
BUILD=${BUILD:-build} scripts/implicit_table.sh "${1:-3}"

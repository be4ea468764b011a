#!/usr/bin/env bash
# Ten seconds of rest: three structures that stand must gain no energy and not move.
#
#     BUILD=build scripts/rest.sh
#
# Prints, for the paper's method at its defaults and for the proximal Newton method, the
# observable and the largest gain of kinetic and potential energy (data/results/rest.jsonl has
# every step). Two minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
results=data/results/rest.jsonl
mkdir -p "$(dirname "$results")"
rm -f "$results"
for scene in heavy_stack house_of_cards arch; do
    for solver in newton proximal_newton; do
        "$program" simulate "$scene" --time 10 --solver "$solver" -o "$results" >/dev/null
    done
done
"$program" report "$results"

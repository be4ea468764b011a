#!/usr/bin/env bash
# Everything after the build: exports the problems, sweeps, reports, draws.
#
#     BUILD=build scripts/bench.sh          FULL=1 adds the sweep over all scenes
#
# Figures 11, 17 and 18 come from data/first_light.sweep; figures 12 and 16, and what all scenes have
# in common, from data/canonical.sweep, which takes many times as long.
#
# Killed at any time, it goes on where it was. FCLIB names a folder of FCLIB problems
# (https://github.com/FrictionalContactLibrary/fclib-library); without it that part is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
problems=data/problems
results=data/results/first_light.jsonl
canonical=data/results/canonical.jsonl
creep=data/results/arch_creep.jsonl
outer=data/results/solvers.jsonl
precision=data/results/precision.jsonl
figures=figures
started=$SECONDS
mkdir -p "$problems" "$(dirname "$results")" "$figures"

# Copies the FCLIB problems that the sweep knows, where they are there.
fetch_fclib() {
    local from=${FCLIB:-../shared/fclib} name
    [ -d "$from" ] || return 0
    mkdir -p "$problems/fclib"
    for name in CubeH8 Box_Stacks-i0122-82-5 LMGC_GlobalFrictionContactProblem00046 \
        LMGC_100_PR_PerioBox-i00361-60-03000 Capsules-i125-1213; do
        [ ! -e "$from/$name.hdf5" ] || cp -u "$from/$name.hdf5" "$problems/fclib/"
    done
}

# simulate_arch LINEAR PRECOND: at the paper's budget, long enough for the relaxation methods to fall
simulate_arch() {
    echo "  arch, 25 s with $1"
    "$program" simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 \
        --linear "$1" --precond "$2" -o "$creep.new" >/dev/null || [ $? -eq 1 ] # a breakdown is a result
}

# The file appears whole, so that a killed run starts it anew.
simulate_all() {
    [ "$creep" -nt "$program" ] && return 0
    rm -f "$creep.new"
    simulate_arch pcr jacobi
    simulate_arch pcg jacobi
    simulate_arch cholesky none
    simulate_arch gauss_seidel none
    simulate_arch jacobi none
    mv "$creep.new" "$creep"
}

# draw FIGURE INPUT: one figure; a figure without records is reported, not fatal
drawn=() failed=0
draw() {
    local output
    if output=$("$program" plot "$1" "$2" -o "$figures" 2>&1); then
        drawn+=("$output")
    else
        echo "figure $1: $output" >&2
        failed=1
    fi
}

# draw_scene FIGURE SCENE: with the contact forces of a converged solution
draw_scene() {
    local solved=$problems/solved/$2.h5
    mkdir -p "$problems/solved"
    "$program" solve "$problems/$2.h5" --solver newton --newton-iters 60 --linear-iters 200 \
        -o "$solved" >/dev/null
    draw "$1" "$solved"
}

echo "== problems"
scripts/problems.sh
fetch_fclib

echo "== sweeps (results: $results${FULL:+, $canonical})"
"$program" sweep data/first_light.sweep -o "$results"
[ -z "${FULL:-}" ] || "$program" sweep data/canonical.sweep -o "$canonical"

echo "== simulations (results: $creep)"
simulate_all

echo "== results"
"$program" report "$results" --tol 1e-6
[ ! -e "$canonical" ] || "$program" report "$canonical" --tol 1e-6
"$program" report "$creep"

echo "== figures"
for figure in plots/*.gp; do
    name=$(basename "$figure" .gp)
    case $name in
    style | fischer_* | mixed_* | pendulum_stretch | contact_* | conditioning | force_distribution)
        ;; # scripts/methods.sh draws these
    figure12 | figure16) [ ! -e "$canonical" ] || draw "$name" "$canonical" ;;
    convergence | bars) ;; # of a user's own choice of records: ncpbench plot convergence, bars
    figure13) ;; # of simulations that are not made here: docs/notes/soft_scenes.md
    figure13_strain) draw "$name" "$problems/pneunet.h5" ;;
    outer_*) [ ! -e "$outer" ] || draw "$name" "$outer" ;; # of data/solvers.sweep, which is not run here
    precision) [ ! -e "$precision" ] || draw "$name" "$precision" ;; # of make precision
    figure14) for scene in heavy_stack arch; do draw_scene "$name" "$scene"; done ;;
    arch_creep) draw "$name" "$creep" ;;
    *) draw "$name" "$results" ;;
    esac
done
printf '%s\n' "${drawn[@]}"
echo "== done in $((SECONDS - started)) s"
exit $failed

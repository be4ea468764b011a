#!/usr/bin/env bash
# Figures 26 to 28, 30, 31 and 33 and table 3 of Macklin's thesis (2020, chapter 5), drawn anew: primal
# descent and dual ascent (docs/notes/published_methods.md). Part of scripts/methods.sh.
#
#     [BUILD=build] scripts/descent.sh
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
problems=data/problems/methods
simulations=data/results/descent.jsonl
conditions=data/results/conditioning.jsonl
forces=data/results/forces.jsonl
figures=figures
mkdir -p "$problems" data/results "$figures"

# simulate SCENE SECONDS ITERATIONS SOLVER...; one that breaks down is a result
simulate() {
    local scene=$1 time=$2 iterations=$3 solver
    for solver in "${@:4}"; do
        "$program" simulate "$scene" --time "$time" --newton-iters "$iterations" \
            --solver "$solver" -o "$simulations" >/dev/null 2>&1 || [ $? -eq 1 ]
    done
}

# forces_of PROBLEM: by each method, to convergence or 2000 iterations
forces_of() {
    local each=("$program" solve "$1" --forces "$forces" --repetitions 0 --floor no)
    "${each[@]}" --solver newton --ncp fb --newton-iters 60 --linear-iters 100 >/dev/null
    "${each[@]}" --solver newton --ncp min --newton-iters 60 --linear-iters 100 >/dev/null
    "${each[@]}" --solver primal_descent:k_n=1e6:k_f=1e4 --newton-iters 2000 >/dev/null
    "${each[@]}" --solver nsgs --newton-iters 2000 >/dev/null
    "${each[@]}" --solver proximal_newton --newton-iters 60 >/dev/null
}

echo "== simulations (results: $simulations)"
rm -f "$simulations" "$conditions" "$forces"
for scene in double_pendulum_mass double_pendulum_stiffness; do
    simulate "$scene" 2 20 primal_descent:k_n=1e8 dual_ascent proximal_newton
done
for iterations in 20 500; do
    simulate cylinder_stack 2 "$iterations" primal_descent:k_n=1e8:k_f=1e8 dual_ascent proximal_newton
done
simulate leaning_capsule 5 20 primal_descent:k_n=1e8:k_f=1e8 primal_descent:k_n=1e8:k_f=1e6 \
    primal_descent:k_n=1e8:k_f=1e5 primal_descent:k_n=1e8:k_f=1e4 primal_descent:k_n=1e6:k_f=1e4 \
    dual_ascent

echo "== condition numbers (results: $conditions)"
"$program" conditioning particle_chain --set compliance=1e-10 --axis z --to 1e6 --points 19 \
    -o "$conditions" >/dev/null
"$program" conditioning particle_chain --set compliance=1e-10 --axis z --to 1e6 --points 19 \
    --set ratio=1 --vary stiffness_ratio -o "$conditions" >/dev/null

echo "== contact forces (results: $forces)"
"$program" export cylinder_stack --set count=1 --set mass=100 -o "$problems/cylinder.h5" >/dev/null
"$program" export house_of_cards --set time_step=0.00415 -o "$problems/house_of_cards.h5" >/dev/null
for problem in cylinder house_of_cards; do
    forces_of "$problems/$problem.h5"
done

echo "== table 3"
"$program" export cylinder_stack -o "$problems/cylinder_stack.h5" >/dev/null
"$program" export leaning_capsule -o "$problems/leaning_capsule.h5" >/dev/null
"$program" export granular_silo --set time_step=0.002075 --step 20 --solver newton \
    -o "$problems/granular_silo.h5" >/dev/null
# table PROBLEM ITERATIONS SOLVER...: a step at the printed number of iterations; a frame of 16.6 ms has
# 2, 2, 4 and 8 of them
table() {
    local problem=$1 iterations=$2 solver
    for solver in "${@:3}"; do
        echo "$problem, $solver, $iterations iterations"
        "$program" solve "$problems/$problem.h5" --newton-iters "$iterations" --repetitions 9 \
            --floor no --solver "$solver" | grep -E '^(time|judged)'
    done
}
table cylinder_stack 20 primal_descent:k_n=1e8:k_f=1e8 dual_ascent
table leaning_capsule 20 primal_descent:k_n=1e8:k_f=1e6 dual_ascent
table house_of_cards 100 primal_descent:k_n=1e6:k_f=1e4 dual_ascent
table granular_silo 30 primal_descent:k_n=1e4:k_f=1e4 dual_ascent

echo "== figures"
for figure in pendulum_stretch contact_mass_ratio contact_stiffness_ratio; do
    "$program" plot "$figure" "$simulations" -o "$figures"
done
"$program" plot conditioning "$conditions" -o "$figures"
"$program" plot force_distribution "$forces" -o "$figures"

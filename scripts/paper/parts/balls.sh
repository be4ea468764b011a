#!/usr/bin/env bash
# 5 min: Todorov 2010, table 1 and figure 6.
. scripts/paper/common.sh

# On steps of "the cell that is likely to be typical", 10 balls of friction 1, beside other methods.
balls_beside_others() {
    local step solver
    for step in 60 100 140 180; do
        export_new "balls/balls_$step.h5" balls_in_cube --set friction=1 --set count=10 --set time_step=0.005 \
            --step "$step"
        for solver in implicit_complementarity:scale=none proximal_newton nsgs cone_fischer_newton; do
            solve "$problems/balls/balls_$step.h5" --linearized --solver "$solver" --newton-iters 200 --tol 1e-9 \
                --repetitions 9 --floor no
        done
    done
}

method=implicit_complementarity:scale=none # as published
balls() { # FRICTION COUNT SOLVER OPTION...
    study iterations balls_in_cube --runs 10 --steps 200 --linearized --tol 1e-8 -o "$out" \
        --newton-iters 100 --set "friction=$1" --set "count=$2" --solver "${@:3}" >/dev/null
}
for friction in 0.1 0.5 1.0 2.0; do
    for count in 5 10 15; do
        balls "$friction" "$count" "$method"
    done
    balls "$friction" 15 "$method" --warm-start
    for edges in tangent met ignored; do
        balls "$friction" 15 "$method:edges=$edges"
    done
done
for count in 5 10 15; do # the gap that makes a contact is not printed
    for margin in 0.005 0.01 0.02; do
        balls 1.0 "$count" proximal_newton --set "margin=$margin"
    done
done
study iterations ball_drop --linearized --solver "$method" -o "$out" >/dev/null
# Figure 6: the lowest ball closes its gap in the 29th step.
for method in "$method" pgs; do simulate ball_drop --steps 30 --newton-iters 1 --solver "$method"; done
balls_beside_others

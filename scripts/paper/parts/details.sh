#!/usr/bin/env bash
# 2 min: What came last: finer cloth, cloth within bodies, boxes that slide, stiff contacts, an absolute shift.
. scripts/paper/common.sh

step=time_step=0.0083 # of the thesis; draped_cloth's own is half of it

# Cloth of three meshes on the cone when it has come down, and the faces that spheres leave.
culling() {
    local cells
    for cells in 8 10 12; do
        export_new "fields/cloth_$cells.h5" draped_cloth --set "$step" --set "cells=$cells" --set gap=0.02 --step 70
        "$program" closest "$problems/fields/cloth_$cells.h5" --repetitions 1 -o "$out" >/dev/null
    done
}

# Steps in which contacts slide, with and without the running average.
sliding() {
    local number average
    export_sliding
    for number in 10 20 40; do export_new "sliding/heap_$number.h5" random_pile --set disorder=1 --step "$number"; done
    for number in sliding_0.1 sliding_1 sliding_10 heap_10 heap_20 heap_40; do
        for average in 1 4 16; do
            solve "$problems/sliding/$number.h5" --linearized --newton-iters 2000 --repetitions 0 --floor no \
                --solver "mixed_conjugate_residual:average=$average"
        done
    done
}

# Table 2's budget on a pile of tables dropped at random, as it forms and at rest.
sticking() {
    local seed step
    for seed in 1 2 3; do
        for step in 120 900; do
            export_new "sticking/tables_${seed}_$step.h5" table_pile --set disorder=1 --set "seed=$seed" --step "$step" \
                --solver newton --newton-iters 4 --linear-iters 20
            solve "$problems/sticking/tables_${seed}_$step.h5" --solver newton --newton-iters 4 --linear-iters 20 \
                --repetitions 0 --floor no
        done
    done
}

# Todorov's method, ended early.
interrupted() {
    local friction iterations
    for friction in 0.1 0.5 1 2; do
        for iterations in 0 1 2 3 5 10 100; do
            simulate balls_in_cube --set "friction=$friction" --steps 200 --newton-iters "$iterations" \
                --solver implicit_complementarity:scale=none
        done
    done
}

# Cloth that begins within bodies, by the source's solver and its two methods (thesis, figure 44).
entangled() {
    local field search gap
    for gap in -0.05 -0.08 -0.11; do
        for field in 0 1 2 3 4; do
            for search in 1 2; do
                simulate draped_cloth --set "$step" --set "field=$field" --set "gap=$gap" --set "search=$search" \
                    --time 0.6 --solver dual_ascent:motion=fast_projection --newton-iters 200
            done
        done
    done
}

# A weight on contacts that become stiffer, and on hard ones (thesis, figure 29).
stiffening() {
    local solver
    export_new relaxed/weight.h5 cylinder_stack --set count=1 --set mass=100
    for solver in primal_descent:k_n=1e{6,7,8,9,10} proximal_newton; do
        solve "$problems/relaxed/weight.h5" --newton-iters 2000 --repetitions 0 --floor no --solver "$solver"
    done
}

# The arch of part "arch" with the shift of Macklin et al. 2019, section 8.4.
absolute_shift() {
    local precision linear each
    for precision in f64 f32; do
        each=(simulate arch --time 25 --solver newton:shift=absolute --shift 1e-6 --newton-iters 6 --linear-iters 20
            --precision "$precision")
        for linear in pcr pcg; do "${each[@]}" --linear "$linear"; done
        for linear in cholesky jacobi gauss_seidel; do "${each[@]}" --linear "$linear" --precond none; done
    done
}

culling
sliding
sticking
interrupted
entangled
stiffening
absolute_shift

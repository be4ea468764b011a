#!/usr/bin/env bash
# 1 min: Macklin et al. 2019: figure 7.
# Figure 7 at the budget of table 2, 6 x 50; relaxation with "hundreds of iterations", too.
. scripts/paper/common.sh

for precision in f64 f32; do
    each=(simulate beam --steps 132 --solver newton --newton-iters 6 --precision "$precision")
    for linear in pcr pcg; do
        "${each[@]}" --linear-iters 50 --linear "$linear"
    done
    for iterations in 50 500; do
        for linear in jacobi gauss_seidel; do
            "${each[@]}" --linear-iters "$iterations" --linear "$linear" --precond none
        done
    done
done
simulate beam --steps 132 --solver newton --newton-iters 6 --linear cholesky --precond none
simulate beam --steps 132
each=(beam --step 120 --solver newton --newton-iters 6 --linear-iters 50 --linear) # for pictures
export_new insertion/beam_pcr.h5 "${each[@]}" pcr
for linear in jacobi cholesky; do
    export_new "insertion/beam_$linear.h5" "${each[@]}" "$linear" --precond none
done

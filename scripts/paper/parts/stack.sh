#!/usr/bin/env bash
# 1 min: Macklin et al. 2019: the heavy stack.
. scripts/paper/common.sh

for precision in f64 f32; do
    each=(simulate heavy_stack --time 2 --newton-iters 6 --linear-iters 40 --precision "$precision")
    for linear in pcr pcg; do
        "${each[@]}" --linear "$linear"
    done
    for linear in jacobi gauss_seidel; do
        "${each[@]}" --linear "$linear" --precond none
    done
done

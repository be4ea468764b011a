#!/usr/bin/env bash
# 19 min: Macklin et al. 2019, figure 14: the arch.
# At the budget of table 2, 6 x 20, long enough for the relaxation methods to fall; "even with hundreds of iterations"
# that takes longer. The paper's shift, absolute 1e-6, is 7e-6 of the median diagonal.
. scripts/paper/common.sh

simulate arch --time 160 --newton-iters 6 --linear-iters 20 --linear pcr --precision f32 # of two the last is drawn
simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcr
simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcr --precision f32
simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcg
for shift in 1e-6 7e-6 1e-5 2e-5; do
    for precision in f64 f32; do
        simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcr --shift "$shift" \
            --precision "$precision"
    done
done
for shift in 1e-8 1e-6 7e-6 1e-5 2e-5; do
    for precision in f64 f32; do
        simulate arch --time 25 --solver newton --newton-iters 6 --linear cholesky --precond none --shift "$shift" \
            --precision "$precision"
    done
    simulate arch --time 25 --solver newton --newton-iters 6 --linear pcg --linear-iters 20 --shift "$shift" \
        --precision f32
done
for linear in jacobi gauss_seidel; do
    simulate arch --time 25 --newton-iters 6 --linear-iters 20 --linear "$linear" --precond none
    simulate arch --time 25 --newton-iters 6 --linear-iters 20 --linear "$linear" --precond none --precision f32
    simulate arch --time 160 --newton-iters 6 --linear-iters 200 --linear "$linear" --precond none --precision f32
done

#!/usr/bin/env bash
# 2 min: Thesis, figures 26, 27, 30 and 31; section 5.8.
# The pendulums' iterations are not printed: several numbers of them.
. scripts/paper/common.sh

dual=(dual_ascent dual_ascent:motion=fast_projection)
for scene in double_pendulum_mass double_pendulum_stiffness; do
    for iterations in 20 100 500 2000; do
        for solver in primal_descent:k_n=1e8 "${dual[@]}"; do
            simulate "$scene" --time 2 --newton-iters "$iterations" --solver "$solver"
        done
    done
    simulate "$scene" --time 2 --newton-iters 20 --solver proximal_newton
done
for momentum in nesterov chebyshev; do
    simulate double_pendulum_stiffness --time 2 --newton-iters 20 --solver "primal_descent:k_n=1e8:momentum=$momentum"
    simulate leaning_capsule --time 5 --newton-iters 20 \
        --solver "primal_descent:k_n=1e8:k_f=1e4:momentum=$momentum"
done
for iterations in 20 500; do
    for solver in primal_descent:k_n=1e8:k_f=1e8 "${dual[@]}" proximal_newton; do
        simulate cylinder_stack --time 2 --newton-iters "$iterations" --solver "$solver"
    done
done
for solver in primal_descent:k_n=1e8:k_f=1e8 primal_descent:k_n=1e8:k_f=1e6 primal_descent:k_n=1e8:k_f=1e5 \
    primal_descent:k_n=1e8:k_f=1e4 primal_descent:k_n=1e6:k_f=1e4 "${dual[@]}"; do
    simulate leaning_capsule --time 5 --newton-iters 20 --solver "$solver"
done

#!/usr/bin/env bash
# 2 min: Thesis, figure 34.
# A box on a cloth, by both descents at equal iterations, and the cloth alone. The stiffness of contacts is not printed
# of it; the pairs of normal and friction are the four that section 5.6 prints of others. With friction by kappa beside
# the largest the box is thrown off, or the run breaks down.
. scripts/paper/common.sh

fast=dual_ascent:motion=fast_projection
cloth() { # STIFFNESS SOLVER [OPTION...]
    simulate cloth --time 1 --newton-iters "$count" --set "stiffness=$1" --solver "${@:2}"
}
for count in 20 50 100; do
    for stiffness in 1e2 1e4 1e6 1e8 1e10; do
        cloth "$stiffness" primal_descent:k_n=1e5
        cloth "$stiffness" "$fast"
    done
    # By kappa, and the pairs that the thesis prints of contacts.
    for k_n in 3e5 1e6 1e8 1e4:k_f=1e4 1e6:k_f=1e6 1e8:k_f=1e6 1e8:k_f=1e8; do
        cloth 1e10 "primal_descent:k_n=$k_n"
    done
    for stiffness in 1e8 1e10; do
        cloth "$stiffness" primal_descent:k_n=1e5 --set mass=0
        cloth "$stiffness" "$fast" --set mass=0
    done
done

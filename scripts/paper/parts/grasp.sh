#!/usr/bin/env bash
# 3 min: Thesis, figures 32 and 35.
# At the budget and time step of table 3.
. scripts/paper/common.sh

for solver in primal_descent:k_n=1e6:k_f=1e{2,3,4,5,6} proximal_newton nsgs dual_ascent \
    dual_ascent:motion=fast_projection; do
    simulate grasp --set time_step=0.00415 --time 15 --newton-iters 80 --solver "$solver"
done

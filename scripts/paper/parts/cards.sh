#!/usr/bin/env bash
# 3 min: Thesis, figure 25.
# The house of cards at table 3's budget and time step; the stiffnesses are not printed. With a tenth of the iterations
# it falls.
. scripts/paper/common.sh

for solver in primal_descent:k_n=1e5:k_f=1e3 primal_descent:k_n=1e6:k_f=1e4 primal_descent:k_n=1e7:k_f=1e5 \
    dual_ascent; do
    simulate house_of_cards --set time_step=0.00415 --time 3 --newton-iters 100 --solver "$solver"
done
simulate house_of_cards --set time_step=0.00415 --time 3 --newton-iters 10 --solver dual_ascent

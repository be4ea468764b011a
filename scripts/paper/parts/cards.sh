#!/usr/bin/env bash
# 5 min: Thesis, figure 25.
# The house of cards at table 3's budget and time step; the stiffnesses are not printed: k_f is a hundredth of k_n, as
# large, or h k_n. With a tenth of the iterations it falls.
. scripts/paper/common.sh

for solver in primal_descent:k_n=1e5:k_f={1e3,1e5,415} primal_descent:k_n=1e6:k_f={1e4,1e6,4150} \
    primal_descent:k_n=1e7:k_f={1e5,1e7,41500} dual_ascent; do
    simulate house_of_cards --set time_step=0.00415 --time 3 --newton-iters 100 --solver "$solver"
done
simulate house_of_cards --set time_step=0.00415 --time 3 --newton-iters 10 --solver dual_ascent

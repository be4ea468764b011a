#!/usr/bin/env bash
# 2 min: Thesis, figure 25: until it is knocked down.
# Balls are thrown at it, at the same budget, and with the steps solved.
. scripts/paper/common.sh

thrown() {
    simulate house_of_cards --set knock=1 --set "ball_mass=$1" --set time_step=0.00415 --time 2 --solver "${@:2}"
}
for mass in 1 4 16; do
    for solver in primal_descent:k_n=1e6:k_f=1e4 dual_ascent; do
        thrown "$mass" "$solver" --newton-iters 100
    done
done
thrown 1 proximal_newton

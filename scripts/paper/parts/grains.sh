#!/usr/bin/env bash
# 12 min: Thesis, figure 23.
# Figure 23 with fewer of its 256 000 grains, 9 across for 57. The pressure over the stiffness is as printed: with a
# weight that is scaled by the area, as (9 / 57)^2 of 80 000 are 1994, and with the printed weight and contacts that are
# stiffer by as much. k_f as printed, and as a stiffness, h k_n. Of 100 grains, whose steps are solved as far as it
# takes for them to carry the weight, a wall is removed after 1.25 s, from three seeds; once it
# stays.
. scripts/paper/common.sh

silo() { # COUNT OPTION...
    simulate granular_silo --set "count=$1" --set time_step=0.002075 "${@:2}"
}

# descents RATIO SOLVER...: from three seeds
descents() {
    local seed solver
    for seed in 1 2 3; do
        for solver in "${@:2}"; do
            silo 1000 --set "ratio=$1" --set "seed=$seed" --time 1.25 --solver "$solver" --newton-iters 30
        done
    done
}
for seed in 1 2 3; do
    silo 100 --set open=1.25 --set "seed=$seed" --time 1.5 --solver apgd --newton-iters 1000
done
silo 100 --set seed=2 --time 1.5 --solver apgd --newton-iters 1000 # seed=1 is drawn
descents 1994 primal_descent:k_n=1e4:k_f=1e4 primal_descent:k_n=1e4:k_f=20.75 dual_ascent
descents 80000 primal_descent:k_n=4e5:k_f=4e5 primal_descent:k_n=4e5:k_f=830 dual_ascent

#!/usr/bin/env bash
# 12 min: Thesis, figure 23.
# Figure 23 with fewer of its 256 000 grains, 9 across for 57, and a wall that is removed after 1.25 s. The load on a
# contact over its stiffness is as printed: with a weight that is scaled by the area, as (9 / 57)^2 of 80 000 are 1994,
# and with the printed weight and contacts that are stiffer by as much. 100 grains have steps that are solved as far as
# it takes for the grains to carry the weight until the wall goes.
. scripts/paper/common.sh

silo() { # COUNT OPTION...
    simulate granular_silo --set "count=$1" --set open=1.25 --set time_step=0.002075 --time 1.5 "${@:2}"
}
silo 100 --solver apgd --newton-iters 1000
for seed in 1 2 3; do
    for solver in primal_descent:k_n=1e4:k_f=1e4 dual_ascent; do
        silo 1000 --set ratio=1994 --set "seed=$seed" --solver "$solver" --newton-iters 30
    done
    for solver in primal_descent:k_n=4e5:k_f=4e5 dual_ascent; do
        silo 1000 --set ratio=80000 --set "seed=$seed" --solver "$solver" --newton-iters 30
    done
done

#!/usr/bin/env bash
# 3 min: Thesis, figure 23.
# Figure 23 with fewer of its 256 000 grains, and a wall that is removed after 1.25 s; 100 of them with steps that are
# solved as far as it takes for the grains to carry the weight until then.
. scripts/paper/common.sh

silo() { # COUNT OPTION...
    simulate granular_silo --set "count=$1" --set open=1.25 --set time_step=0.002075 --time 1.5 "${@:2}"
}
silo 100 --solver apgd --newton-iters 1000
for solver in primal_descent:k_n=1e4:k_f=1e4 dual_ascent; do
    silo 1000 --solver "$solver" --newton-iters 30
done

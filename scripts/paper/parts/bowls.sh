#!/usr/bin/env bash
# 2 min: Thesis, figure 24.
# Four of its 512 bowls, at table 3's 15 iterations and 8 substeps and the printed stiffness; the height from which they
# drop is not printed. k_f of velocities, as in (132), and as a stiffness, h k_n, by which an iteration a step is
# enough; by the first it takes ten times as many.
. scripts/paper/common.sh

drop() { # ITERATIONS GAP
    simulate bowls --set count=4 --set "gap=$2" --set time_step=0.002075 --time 3 --newton-iters "$1" \
        --solver "$solver"
}
for solver in dual_ascent primal_descent:k_n=1e6:k_f={1e6,2075}; do
    for gap in 0.01 0.03 0.1; do drop 15 "$gap"; done
    drop 1 0.03
done
solver=primal_descent:k_n=1e6:k_f=1e6 drop 150 0.03

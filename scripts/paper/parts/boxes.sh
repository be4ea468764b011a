#!/usr/bin/env bash
# 1 min: Silcowitz et al. 2009, figure 10.
# At the figure's iterations: 150 of PGS, 10 of Newton's method with 15 inner ones and 7 halvings; and with exact solves.
. scripts/paper/common.sh

for ratio in 100 1000 10000; do
    for solver in fischer_newton fischer_newton:damping=0:scale=none pgs; do
        simulate two_boxes --set "ratio=$ratio" --time 2 --solver "$solver" --newton-iters 150
    done
    for solver in fischer_newton:subsolve=conjugate:halvings=7 \
        fischer_newton:subsolve=conjugate:halvings=7:damping=0:scale=none; do
        simulate two_boxes --set "ratio=$ratio" --time 2 --solver "$solver" --newton-iters 10
    done
done

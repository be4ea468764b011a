#!/usr/bin/env bash
# 4 min: Macklin et al. 2019, figure 2.
# The paper's budget, without friction, too, and a direct solver that gets further; the ball is up at 1.3 s.
. scripts/paper/common.sh

simulate pneunet --time 1.6 --solver newton:geometric_stiffness=diagonal --newton-iters 4 --linear-iters 80 \
    --operator factored
simulate pneunet --set friction=0 --time 1.6 --solver newton:geometric_stiffness=diagonal --newton-iters 4 \
    --linear-iters 80 --operator factored
simulate pneunet --time 1.6 --solver newton --newton-iters 8 --linear kkt --precond none --operator factored

#!/usr/bin/env bash
# 1 min: Macklin et al. 2019: warm starts.
# Stacks at rest, and scenes that move.
. scripts/paper/common.sh

for scene in box_pyramid heavy_stack balls_in_cube random_pile:disorder=1 hinge_limits; do
    warm() {
        study iterations ${scene/:/ --set } --steps 40 --tol 1e-6 --solver newton --newton-iters 60 --linear cholesky \
            --precond none -o "$out" "$@" >/dev/null
    }
    warm
    warm --warm-start
done
# At a budget like those of table 2, in its precision.
for scene in box_pyramid dense_wall sparse_stack hinge_limits; do # the wall breaks down
    warm() { simulate "$scene" --time 2 --solver newton --newton-iters 6 --linear-iters 20 --precision f32 "$@"; }
    warm
    warm --warm-start
done

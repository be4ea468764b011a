#!/usr/bin/env bash
# 2 min: Macklin et al. 2019: the pile of tables.
# The regular pile, and the same tables dropped at random; by relaxation, too.
. scripts/paper/common.sh

simulate table_pile --set disorder=1 --time 12 --newton-iters 4 --linear-iters 20 --linear jacobi --precond none
for disorder in 0 1; do
    for seed in 1 2 3; do
        simulate table_pile --set "seed=$seed" --set "disorder=$disorder" --time 12 --solver newton \
            --newton-iters 4 --linear-iters 20
    done
done

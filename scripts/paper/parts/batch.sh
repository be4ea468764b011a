#!/usr/bin/env bash
# 5 min: Macklin et al. 2019, table 2: counts of a scene; section 11: islands.
# The islands with other torques, too, each at the budget of table 2.
. scripts/paper/common.sh

scripts/problems.sh humanoid_batch
solve "$problems/humanoid_batch.h5" --solver newton --newton-iters 1 --repetitions 0 --floor no
for seed in 2 3; do # as data/problems.list has it
    export_new "batch/humanoid_batch_$seed.h5" humanoid_batch --set count=400 --set "seed=$seed" --step 240 \
        --solver newton --newton-iters 8 --linear cholesky --precond none
    solve "$problems/batch/humanoid_batch_$seed.h5" --solver newton --newton-iters 1 --repetitions 0 --floor no
done
for seed in 1 2 3; do
    export_new "batch/humanoids_$seed.h5" humanoid_batch --set count=36 --set "seed=$seed" --step 240 \
        --solver newton --newton-iters 8 --linear cholesky --precond none
    for islands in apart together; do
        solve "$problems/batch/humanoids_$seed.h5" --solver newton --newton-iters 4 --linear-iters 10 \
            --islands "$islands" --precision f32 --repetitions 0 --floor no
    done
done

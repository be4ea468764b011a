#!/usr/bin/env bash
# 1 min: Macklin et al. 2019: assembly beside the linear solver at the printed budgets.
. scripts/paper/common.sh

scripts/problems.sh arch table_pile beam/beam humanoid_batch
for budget in "arch 6 20" "table_pile 4 20" "beam/beam-0060 6 50" "humanoid_batch 4 10"; do
    set -- $budget
    solve "$problems/$1.h5" --solver newton --linear pcr --newton-iters "$2" --linear-iters "$3" --repetitions 5 \
        --floor no --precision f32
done

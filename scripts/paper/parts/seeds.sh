#!/usr/bin/env bash
# 1 min: Macklin et al. 2019: figure 17 and the line search on piles of other seeds.
# As data/problems.list has it, with three seeds: the scalings, NCP functions, and line searches.
. scripts/paper/common.sh

for seed in 1 2 3; do
    export_new "seeds/tables_$seed.h5" table_pile --set "seed=$seed" --settled --solver newton
    for scaling in identity timestep mass; do
        solve "$problems/seeds/tables_$seed.h5" --solver newton --scaling "$scaling" --newton-iters 30 \
            --linear-iters 40 --precision f32 --repetitions 0 --floor no
    done
    for ncp in fb min; do
        for scaling in identity mass; do
            solve "$problems/seeds/tables_$seed.h5" --solver newton --ncp "$ncp" --scaling "$scaling" \
                --newton-iters 30 --linear-iters 40 --repetitions 0 --floor no
        done
    done
    for step in "" :step=backtracking :step=armijo; do
        solve "$problems/seeds/tables_$seed.h5" --solver "newton$step" --newton-iters 60 --linear cholesky \
            --precond none --repetitions 0 --floor no
    done
done

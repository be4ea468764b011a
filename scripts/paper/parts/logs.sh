#!/usr/bin/env bash
# 2 min: Thesis, figures 7 and 8.
# With structure that steers them, from three starts, and without.
. scripts/paper/common.sh

for steer in 20 -20; do
    for seed in 1 2 3; do
        simulate log_slide --time 2.5 --set "seed=$seed" --set "steer=$steer"
    done
    simulate log_slide --time 2.5 --set across=0.2 --set "steer=$steer"
done

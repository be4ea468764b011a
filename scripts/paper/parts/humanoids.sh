#!/usr/bin/env bash
# 1 min: Macklin et al. 2019, table 2: counts; where the program has MuJoCo.
. scripts/paper/common.sh

if "$program" import data/models/humanoid.xml --step 20 -o "$problems/humanoid_first.h5" >/dev/null 2>&1; then
    scripts/problems.sh humanoids
    solve "$problems/humanoids.h5" --solver newton --newton-iters 1 --repetitions 0 --floor no
fi

#!/usr/bin/env bash
# 18 min: Macklin et al. 2019, figure 16.
# Every step, by the paper's scalings and one that sees joints; the paper's two in its precision, too.
. scripts/paper/common.sh

scripts/problems.sh beam/beam
for step in "$problems"/beam/beam-????.h5; do
    each=(solve "$step" --solver newton --linear pcr --newton-iters 100 --linear-iters 40 --repetitions 0)
    for scaling in identity timestep mass effective; do
        for precond in jacobi ic0; do
            "${each[@]}" --scaling "$scaling" --precond "$precond"
        done
    done
    for scaling in identity mass; do
        "${each[@]}" --scaling "$scaling" --precond jacobi --precision f32 --floor no
    done
done

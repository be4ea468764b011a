#!/usr/bin/env bash
# 1 min: Thesis, figures 5 and 6; Macklin et al. 2019, figure 5; Silcowitz et al. 2009, section 2.
# Where a box slides by its friction across its structure, and by the law of friction where that is isotropic.
. scripts/paper/common.sh

for across in 0.2 0.1 0.05; do
    simulate curved_slide --time 0.6 --set "across=$across" --set direction=30 --solver proximal_newton
done
for direction in 0 5 10 15 20 22.5 30 45; do
    for solver in lemke:directions=4 lemke pgs:friction=outer pgs fischer_newton proximal_newton; do
        simulate curved_slide --time 0.6 --set across=0.5 --set "direction=$direction" --solver "$solver"
    done
done

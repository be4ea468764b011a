#!/usr/bin/env bash
# 2 min: Thesis, figures 5 and 6; Macklin et al. 2019, figure 5; Silcowitz et al. 2009, section 2; Todorov 2010.
# Where a box slides by its friction across its structure, and by the law of friction where that is isotropic; what the
# pyramid's problem costs.
. scripts/paper/common.sh
rm -f "$out" # simulations have no keys by which a second run would replace them

for scene in arch box_pyramid sparse_stack; do export_new "pyramid/lcp_$scene.h5" "$scene"; done
"$program" sweep data/pyramid.sweep -o "$out"

for across in 0.2 0.1 0.05; do
    simulate curved_slide --time 0.6 --set "across=$across" --set direction=30 --solver proximal_newton
done
for direction in 0 5 10 15 20 22.5 30 45; do
    for solver in lemke:directions=4 lemke pgs:friction=outer pgs fischer_newton proximal_newton; do
        simulate curved_slide --time 0.6 --set across=0.5 --set "direction=$direction" --solver "$solver"
    done
done

# What friction takes in one step, over the direction; its coefficient tells these from the paths.
for direction in 0 7.5 15 22.5 30 37.5 45 52.5 60 67.5 75 82.5 90; do
    for solver in lemke:directions=4 lemke pgs:friction=outer:directions=4 pgs:friction=outer proximal_newton; do
        simulate curved_slide --steps 2 --set along=0.4 --set across=0.4 --set "direction=$direction" --solver "$solver"
    done
done

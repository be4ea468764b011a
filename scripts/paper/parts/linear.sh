#!/usr/bin/env bash
# 7 min: Macklin et al. 2019, figures 11, 12, 17 and 18; damping; line search.
# Stacks without friction are beside those with it.
. scripts/paper/common.sh

scripts/problems.sh heavy_stack arch table_pile beam/beam sheet box_pyramid dense_wall \
    sliding_box incline balls_in_cube random_pile house_of_cards \
    hinge_limits double_pendulum_mass double_pendulum_stiffness
for scene in heavy_stack arch box_pyramid dense_wall; do
    export_new "frictionless/${scene}_mu0.h5" "$scene" --set friction=0
done
for number in 28 30 32 35; do
    export_new "inclines/incline_$number.h5" incline --set "angle=$number"
done
export_sliding
for number in 1 2 3; do
    export_new "thrown/thrown_$number.h5" random_pile --set speed=30 --set disorder=1 --set walls=1 \
        --set "seed=$number"
done
"$program" sweep data/paper.sweep -o "$out"

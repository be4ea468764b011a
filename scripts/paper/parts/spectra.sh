#!/usr/bin/env bash
# 1 min: Silcowitz et al. 2009, figures 6 and 7.
. scripts/paper/common.sh

for scene in two_boxes sparse_stack dense_wall; do
    scripts/problems.sh "$scene"
    study spectrum "$problems/$scene.h5" -o "$out" >/dev/null
done
export_new methods/one_contact.h5 balls_in_cube
study spectrum "$problems/methods/one_contact.h5" -o "$out" >/dev/null

#!/usr/bin/env bash
# 1 min: Thesis, figure 28, and contacts of a pyramid of boxes.
. scripts/paper/common.sh

each=(study conditioning particle_chain --set compliance=1e-10 --axis z --to 1e6 --points 19 -o "$out")
"${each[@]}" >/dev/null
"${each[@]}" --set ratio=1 --vary stiffness_ratio >/dev/null
study conditioning box_pyramid --contacts --vary contact_compliance+friction_compliance --from 1e-4 --to 1e-12 \
    --points 17 -o "$out" >/dev/null

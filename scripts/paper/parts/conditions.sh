#!/usr/bin/env bash
# 2 min: Thesis, figure 28, contacts of a pyramid of boxes, and both forms of Newton's systems on soft contacts.
. scripts/paper/common.sh
rm -f "$out" # studies have no keys by which a second run would replace them

# soften SCENE OPTION...: a step with contacts of five compliances [m/N], which the folders name
soften() {
    local soft
    for soft in 1e-4 1e-5 1e-6 1e-7 1e-8; do
        export_new "stiffness/$soft/soft_$1.h5" "$@" --set "contact_compliance=$soft" \
            --set "friction_compliance=$soft" --solver proximal_newton
    done
}
soften heavy_stack --step 5
soften arch --step 5
soften grasp --set corners=12 --set uneven=0.5 --step 80
soften gel_stroke --set cells=4 --step 40
soften cloth --set cells=8 --step 30
soften humanoid_batch --step 60
"$program" sweep data/stiffness.sweep -o "$out"

each=(study conditioning particle_chain --set compliance=1e-10 --axis z --to 1e6 --points 19 -o "$out")
"${each[@]}" >/dev/null
"${each[@]}" --set ratio=1 --vary stiffness_ratio >/dev/null
study conditioning box_pyramid --contacts --vary contact_compliance+friction_compliance --from 1e-4 --to 1e-12 \
    --points 17 -o "$out" >/dev/null

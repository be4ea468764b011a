#!/usr/bin/env bash
# 4 min: Every nonlinear method on a step of each scene that came last: how each ends.
# None of the scenes, of the laws and bodies that came last, is at rest. The names are no other part's, so that no claim
# reads them but vj_gaps.
. scripts/paper/common.sh

law_of() { export_new "laws/law_$1.h5" "${@:2}" --solver proximal_newton; } # NAME SCENE OPTION...
law() { law_of "$1" "$@"; }
law curved_slide --set twist=20 --step 10
law steered_boxes --step 20
law gel_stroke --set cells=4 --step 40
law grasp --set corners=12 --set uneven=0.5 --step 80
law cloth --set cells=8 --step 30
law net --set cells=8 --step 30
law shell --step 30
law humanoid_batch --step 120
law tomato --step 90
law hand --step 60
law house_of_cards --set knock=0.2 --step 26
law gears --set count=3 --step 60
law gear_train --step 20
law bowls --set count=2 --set sides=6 --step 10
law log_slide --step 30
law granular_silo --set count=20 --step 5
law table_pile --set disorder=1 --step 40
law draped_cloth --set cells=6 --step 60
law spool_rope --step 20
law soft_snake --step 10
law bouncing_ball --step 135
law_of consistent_shell shell --set consistent=1 --step 30
law_of soft_grasp grasp --set corners=12 --set uneven=0.5 --set contact_compliance=1e-5 \
    --set friction_compliance=1e-4 --step 80
law_of net_of_fields net --set cells=8 --set fields=1 --step 30
law_of draped_spool draped_cloth --set cells=6 --set field=6 --step 60
torus 12 6 >"$problems/laws/torus.obj"
law_of tori random_pile --set "mesh=$problems/laws/torus.obj" --set count=4 --set disorder=1 --step 40
"$program" sweep data/laws.sweep -o "$out"

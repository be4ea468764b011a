#!/usr/bin/env bash
# 1 min: Macklin et al. 2019, section 10.3.
# The forces of steps at rest, each solved by itself.
. scripts/paper/common.sh

rm -rf "$problems/rest"
mkdir -p "$problems/rest"
"$program" export arch --steps 20:31 -o "$problems/rest/rest_arch.h5" >/dev/null
"$program" export box_pyramid --steps 20:31 -o "$problems/rest/rest_pyramid.h5" >/dev/null
for step in "$problems"/rest/*.h5; do
    for ncp in fb min; do
        "$program" solve "$step" --solver newton --ncp "$ncp" --newton-iters 30 --linear pcr --precond ic0 \
            --linear-iters 100 --forces "$out" --repetitions 0 --floor no >/dev/null
    done
done
# A cylinder on its ring of contacts at the paper's precision, and its forces shared afterwards.
for share in alone shared; do
    export_new "methods/cylinder_$share.h5" cylinder_stack --set count=1 --set mass=100
    for budget in "6 20" "20 50" "60 100"; do
        # shellcheck disable=SC2046 # an option or none
        solve "$problems/methods/cylinder_$share.h5" --solver newton --ncp min --newton-iters "${budget% *}" \
            --linear-iters "${budget#* }" --precision f32 --tol 1e-6 --forces "$out" --repetitions 0 --floor no \
            $([ "$share" = alone ] || echo --redistribute) >/dev/null
    done
done

#!/usr/bin/env bash
# 2 min: Macklin et al. 2019, figure 13 and section 10.1.6.
# Without geometric stiffness the neo-Hookean block breaks down after 0.6 s.
. scripts/paper/common.sh

for material in 0 1; do
    simulate material_extension --set "material=$material" --time 1.1
    for stiffness in none diagonal; do
        simulate material_extension --set "material=$material" --time 1.1 --newton-iters 6 --linear kkt \
            --solver "newton:geometric_stiffness=$stiffness" --operator factored --precond none
    done
done
simulate material_extension --set material=1 --time 1.1 --newton-iters 6 --linear kkt \
    --solver newton:geometric_stiffness=diagonal:compliance=diagonal --operator factored --precond none

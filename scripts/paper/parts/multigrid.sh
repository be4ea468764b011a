#!/usr/bin/env bash
# 1 min: Macklin et al. 2019: a cylinder on its contacts; multigrid on walls.
. scripts/paper/common.sh

export_new methods/cylinder.h5 cylinder_stack --set count=1 --set mass=100
for number in 8 16 24; do
    export_new "walls/wall_$number.h5" dense_wall --set "columns=$number" --set "rows=$number" --newton-systems \
        --system 3
done
"$program" sweep data/multigrid.sweep -o "$out"

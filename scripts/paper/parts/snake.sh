#!/usr/bin/env bash
# 3 min: Thesis, figures 53 and 54, tables 5 and 6; pictures of a link and of a shell.
# Curvature over a pressure that rises by half a psi a step, of three meshes, in either chamber and to half of it; the
# first step of a link and of one to ten snakes at the printed budget.
. scripts/paper/common.sh

table5="--set along=12 --set across=6 --set high=3"
for mesh in "4 2 2" "8 4 2" "12 6 3"; do
    set -- $mesh
    for pressure in 55158 -55158 27579; do
        simulate soft_snake --set "along=$1" --set "across=$2" --set "high=$3" --set gravity=0 \
            --set "pressure=$pressure" --set rise=1.6 --set time_step=0.1 --steps 16
    done
done
export_new snake/bent.h5 soft_snake --set along=8 --set across=4 --set pressure=55158 --step 60 # for pictures
export_new snake/shell.h5 shell --step 30
export_new snake/link.h5 soft_snake $table5
for count in {1..10}; do
    export_new "snake/snakes_$count.h5" soft_snake $table5 --set links=4 --set "snakes=$count"
done
for precision in f64 f32; do
    for count in link snakes_{1..10}; do
        solve "$problems/snake/$count.h5" --solver newton --linear pcr --newton-iters 4 --linear-iters 20 \
            --operator factored --precision "$precision" --repetitions 9 --floor no
    done
done

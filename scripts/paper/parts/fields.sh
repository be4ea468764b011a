#!/usr/bin/env bash
# 6 min: Thesis, figures 38, 40, 41 and 46 to 49; table 4; chapter 8.
# Nearest points to distance fields, and what is missed where vertices or sampled points alone are tested.
. scripts/paper/common.sh

step=time_step=0.0083 # the thesis's; the scenes' own is half of it
drape() { simulate draped_cloth --set "$step" --set gap=0.02 --time 0.6 "$@"; }
wind() {
    simulate spool_rope --set "$step" --set ropes=8 --set along=1 --set segments=10 --set ratio=1 --time 0.6 "$@"
}

for seed in 1 2 3; do # the way of a step along a gradient is not printed
    for descent in 0.1 0.03 0.3 1; do
        "$program" closest --seed "$seed" --descent "$descent" -o "$out" >/dev/null
    done
done
"$program" closest --element triangle -o "$out" >/dev/null
"$program" closest --field cone --element triangle --grid 64 -o "$out" >/dev/null
for search in 0 1 2 3; do
    drape --set "search=$search"
    drape --set field=6 --set "search=$search"
    wind --set "search=$search"
done
for count in 4 16 64; do
    drape --set search=4 --set "iterations=$count"
done
for seed in 1 2 3; do # triangles that slide over the edges of a box
    for count in 4 16 32 64; do
        "$program" closest --seed "$seed" --field box --element triangle --count 100 --slide 256 \
            --iterations "$count" --repetitions 1 -o "$out" >/dev/null
    done
done
for search in 0 1 2 3; do
    simulate net --set fields=1 --time 0.6 --set "search=$search"
done
for refine in 1 2; do # contacts found anew within the step
    drape --refine "$refine"
    wind --refine "$refine"
done
export_new fields/draped_cloth.h5 draped_cloth --set "$step" --set gap=0.02 --step 40
export_new fields/draped_cloth_grid.h5 draped_cloth --set "$step" --set gap=0.02 --set grid=128 --step 40
export_new fields/draped_spool.h5 draped_cloth --set "$step" --set gap=0.02 --set field=6 --step 40
export_new fields/spool_rope.h5 spool_rope --set "$step" --set ropes=16 --step 10
torus 24 12 >"$problems/fields/torus.obj"
for seed in 1 2 3; do
    export_new "fields/tori_$seed.h5" random_pile --set "mesh=$problems/fields/torus.obj" --set count=12 \
        --set disorder=1 --set "seed=$seed" --step 60
done
for file in draped_cloth draped_cloth_grid draped_spool spool_rope tori_{1,2,3}; do
    "$program" closest "$problems/fields/$file.h5" --repetitions 25 -o "$out" >/dev/null
done

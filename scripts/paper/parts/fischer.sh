#!/usr/bin/env bash
# 3 min: Silcowitz et al. 2009, figures 2 to 4 and 8; Verschoor and Jalba 2019.
. scripts/paper/common.sh

# With the set-up, which is timed once a run: in turn, nine times, told apart by a limit that none of them needs.
time_whole() {
    local run problem solver
    for run in {1..9}; do
        for problem in "$problems"/fclib/{CubeH8,LMGC_GlobalFrictionContactProblem00046}.hdf5; do
            for solver in mixed_conjugate_residual pgs:friction=cone proximal_newton; do
                [ ! -e "$problem" ] || solve "$problem" --linearized --newton-iters $((1000 + run)) \
                    --solver "$solver" --repetitions 9 --floor no
            done
        done
    done
}

for scene in leaning_capsule box_pyramid two_boxes sparse_stack dense_wall; do
    scripts/problems.sh "$scene"
done
export_new methods/pneunet.h5 pneunet
scripts/fclib.sh || :
"$program" sweep data/methods.sweep -o "$out"
time_whole

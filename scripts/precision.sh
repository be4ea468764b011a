#!/usr/bin/env bash
# What each precision reaches in a linear system, against its floors:
#
#     make precision
#
# One Newton system of each rigid scene and, where FCLIB names their folder, of FCLIB's problems. Results:
# data/results/precision.jsonl and figures/precision.*; a rerun does what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
ncpbench=${BUILD:-build}/ncpbench
problems=data/problems/precision
results=data/results/precision.jsonl
fclib=${FCLIB:-../shared/fclib}
mkdir -p "$problems" data/results

# system NAME SCENE-OR-FILE OPTIONS: one representative Newton system, unless it is there.
system() {
    local name=$1
    shift
    [ -e "$problems/$name.h5" ] ||
        "$ncpbench" export "$@" -o "$problems/$name.h5" --newton-systems --system 4 \
            --solver newton --newton-iters 6 --linear-iters 40
}
system heavy_stack heavy_stack
system arch arch
system beam beam --step 60
system dense_wall dense_wall
system sparse_stack sparse_stack
system box_pyramid box_pyramid
system house_of_cards house_of_cards
system cylinder_stack cylinder_stack
system table_pile table_pile --step 40
if [ -d "$fclib" ]; then
    system CubeH8 "$fclib/CubeH8.hdf5"
    system LMGC_46 "$fclib/LMGC_GlobalFrictionContactProblem00046.hdf5"
    system Box_Stacks "$fclib/Box_Stacks-i0122-82-5.hdf5"
    system LMGC_100 "$fclib/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5"
    system Capsules "$fclib/Capsules-i125-1213.hdf5"
fi

"$ncpbench" sweep data/precision.sweep -o "$results"
"$ncpbench" report "$results" --tol 1e-6
"$ncpbench" plot precision "$results" -o figures

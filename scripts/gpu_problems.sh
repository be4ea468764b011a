#!/bin/sh
# Exports the problems of data/gpu_step.sweep and data/gpu.sweep that data/problems/gpu lacks, or those of
# data/gpu_silo.sweep, which are too large to carry about (130 and 600 MB):
#
#     BUILD=build scripts/gpu_problems.sh [silos]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}

# export_problem NAME SCENE [OPTION...]
export_problem() {
    name=$1
    shift
    [ -e "data/problems/gpu/$name.h5" ] && return
    "$build/ncpbench" export "$@" -o "data/problems/gpu/$name.h5" || failed="$failed $name"
}
failed=
# The same with the Newton system of the fourth iteration.
export_system() { export_problem "$@" --newton-systems --system 3; }

# The silo falling into place after five steps of the paper's kind, with the fourth system of the next: a
# third of the contacts are closed.
export_silo() {
    [ -e "data/problems/gpu/$1.h5" ] && return
    "$build/ncpbench" export granular_silo --set "count=$2" --step 5 --solver newton --newton-iters 4 \
        --linear pcr --precond jacobi --linear-iters 20 --newton-systems --system 3 \
        -o "data/problems/gpu/$1.part.h5"
    mv "data/problems/gpu/$1.part.h5" "data/problems/gpu/$1.h5"
}

mkdir -p data/problems/gpu
if [ "${1:-}" = silos ]; then
    export_silo silo_64k 64000
    export_silo silo_256k 256000
    exit 0
fi
for count in 1 4 16 64 340 1360 5440; do
    export_problem stacks_$count sparse_stack --set count=8 --step 20 --copies $count
done
export_problem heavy_stack_step heavy_stack --step 20
export_problem arch_step arch --step 20
export_problem beam_step beam --step 100 --newton-iters 100 --linear cholesky --precond none --scaling timestep
export_problem table_pile_step table_pile --step 60 --solver newton
export_problem dense_wall_step dense_wall --step 20
export_problem pneunet_step pneunet --step 120 --newton-iters 8 --linear kkt --operator factored --precond none
# The scenes that no step above is of, as `make problems` exports them.
for scene in $("$build/ncpbench" list scene | awk 'NR > 1 { print $1 }'); do
    case $scene in
    arch | beam | dense_wall | heavy_stack | pneunet | sparse_stack | table_pile) continue ;;
    esac
    options=$(sed -n "s/ *#.*//; s/^$scene  *//p" data/problems.list)
    # shellcheck disable=SC2086 # words on purpose
    export_problem "${scene}_step" ${options:-$scene}
done
export_system heavy_stack heavy_stack
export_system arch arch
export_system dense_wall dense_wall
export_system table_pile table_pile --step 60 --solver newton
export_system arch_100 arch --set count=100
export_system silo_1k granular_silo --step 20
export_system boxes_100 box_on_plane --set count=100
export_system boxes_10k box_on_plane --set count=10000
export_system boxes_100k box_on_plane --set count=100000
[ -z "$failed" ] || { echo "gpu_problems: not exported:$failed" >&2; exit 1; }

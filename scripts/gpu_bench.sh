#!/bin/sh
# Sweeps the stored Newton systems over the CUDA solvers and the CPU's on one and two cores:
#
#     BUILD=build scripts/gpu_bench.sh
#
# Exports what data/problems/gpu lacks. Writes data/records/gpu_linear.jsonl and, beside it, the card's
# name, driver and clocks as nvidia-smi gives them. Exit 0, or 77 without a CUDA device.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
if ! reason=$(scripts/gpu_reason.sh "$build"); then
    echo "gpu-bench: $reason"
    exit 77
fi

# export NAME SCENE [OPTION...]: the Newton system of the fourth iteration
export_system() {
    name=$1
    shift
    [ -e "data/problems/gpu/$name.h5" ] ||
        "$build/ncpbench" export "$@" --newton-systems --system 3 -o "data/problems/gpu/$name.h5"
}
mkdir -p data/records data/problems/gpu
export_system heavy_stack heavy_stack
export_system arch arch
export_system arch_100 arch --set count=100
export_system silo_1k granular_silo --step 20
export_system boxes_100 box_on_plane --set count=100
export_system boxes_10k box_on_plane --set count=10000
export_system boxes_100k box_on_plane --set count=100000

nvidia-smi --query-gpu=name,driver_version,vbios_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit \
    --format=csv >data/records/gpu_linear.device.csv || echo "gpu-bench: no nvidia-smi" >&2
"$build/ncpbench" sweep data/gpu.sweep -o data/records/gpu_linear.jsonl
"$build/ncpbench" report data/records/gpu_linear.jsonl

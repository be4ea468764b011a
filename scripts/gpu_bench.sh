#!/bin/sh
# Sweeps whole steps and stored Newton systems over the CUDA solvers and the CPU's on one and two cores,
# and draws what they show:
#
#     BUILD=build GPU_BENCH_SECONDS=420 scripts/gpu_bench.sh
#
# Exports what data/problems/gpu lacks (gpu_problems.sh). Writes data/records/gpu_step.jsonl and
# gpu_linear.jsonl and, beside them, the card's name, driver and clocks as nvidia-smi gives them; with OUT
# set, copies of all there. The two sweeps together take at most GPU_BENCH_SECONDS: what is missing then, another run adds. Exit 0, or 77
# without a CUDA device; GPU_BENCH_HOST=1 runs without one, for the CPU's part.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${GPU_BENCH_SECONDS:-420}
if [ -z "${GPU_BENCH_HOST:-}" ] && ! reason=$(scripts/gpu_reason.sh "$build"); then
    echo "gpu-bench: $reason"
    exit 77
fi

mkdir -p data/records
BUILD=$build scripts/gpu_problems.sh

if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,vbios_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit \
        --format=csv >data/records/gpu.device.csv || echo "gpu-bench: nvidia-smi failed" >&2
fi

# sweep NAME SECONDS RESULTS
sweep() {
    timeout "$2" "$build/ncpbench" sweep "data/$1.sweep" -o "data/records/$3.jsonl" ||
        echo "gpu-bench: $1 is not complete" >&2
    "$build/ncpbench" report "data/records/$3.jsonl" || true
    [ -z "${OUT:-}" ] || cp "data/records/$3.jsonl" "$OUT/"
}
sweep gpu_step $((seconds * 6 / 10)) gpu_step
sweep gpu $((seconds * 4 / 10)) gpu_linear
[ ! -e data/records/gpu.device.csv ] || [ -z "${OUT:-}" ] || cp data/records/gpu.device.csv "$OUT/"
if command -v gnuplot >/dev/null && command -v python3 >/dev/null; then
    scripts/gpu_figures.py data/records/gpu_step.jsonl data/records/gpu_linear.jsonl -o figures
else
    echo "gpu-bench: figures need gnuplot and python3: scripts/gpu_figures.py draws them from the records"
fi

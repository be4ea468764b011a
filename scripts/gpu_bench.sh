#!/bin/sh
# Sweeps whole steps and stored Newton systems over the CUDA solvers and the CPU's on one and two cores,
# and draws what they show:
#
#     BUILD=build GPU_BENCH_SECONDS=420 scripts/gpu_bench.sh
#
# Exports what data/problems/gpu lacks (gpu_problems.sh; the large silos while the small problems are swept).
# Writes data/results/gpu/gpu_step.jsonl, gpu_linear.jsonl and gpu_silo.jsonl and, beside them, the card's name,
# driver and clocks as nvidia-smi gives them, these every five seconds, and the bandwidth of a copy on it; with OUT
# set, all of that in OUT/gpu_records.tar.gz, anew after each sweep. The sweeps together take at most GPU_BENCH_SECONDS: what is missing then, another run adds. Exit 0,
# or 77 without a CUDA device; GPU_BENCH_HOST=1 runs without one, for the CPU's part, and
# GPU_BENCH_SILOS=0 leaves the silos out.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${GPU_BENCH_SECONDS:-540}
end=$(($(date +%s) + seconds))
# What is left of the time, but for $1 seconds.
left() {
    now=$(date +%s)
    [ $((end - now - $1)) -gt 1 ] && echo $((end - now - $1)) || echo 1
}
if [ -z "${GPU_BENCH_HOST:-}" ]; then
    code=0
    reason=$(scripts/gpu_reason.sh "$build") || code=$?
    [ "$code" -eq 0 ] || echo "gpu-bench: $reason"
    [ "$code" -ne 1 ] || exit 77
fi

# Records of another card, whose cases have the same keys, make room.
card=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 || true)
if [ -n "$card" ] && [ -e data/results/gpu/gpu.device.csv ] && ! grep -qF "$card" data/results/gpu/gpu.device.csv; then
    former=data/results/gpu/$(sed -n 2p data/results/gpu/gpu.device.csv | cut -d, -f1 | tr -c 'A-Za-z0-9\n' _)
    mkdir -p "$former"
    mv data/results/gpu/gpu.* data/results/gpu/gpu_* "$former/"
fi
mkdir -p data/results/gpu
BUILD=$build timeout "$(left $((seconds / 2)))" scripts/gpu_problems.sh ||
    echo "gpu-bench: some problems are missing" >&2
background=
trap 'kill $background 2>/dev/null || true' EXIT
trap 'exit 1' INT TERM
silos=
if [ "${GPU_BENCH_SILOS:-1}" = 1 ]; then
    # The sweep of them takes what is there when the time for exporting is over. What is timed comes first.
    BUILD=$build nice -n 19 timeout "$(left $((seconds / 6)))" scripts/gpu_problems.sh silos &
    silos=$!
    background=$silos
fi

if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,vbios_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit \
        --format=csv >data/results/gpu/gpu.device.csv || echo "gpu-bench: nvidia-smi failed" >&2
    # The clocks while things are timed. Whoever looks all the time keeps the driver loaded, too, which each case
    # would otherwise have to wait for.
    nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv -l 5 \
        >>data/results/gpu/gpu.clocks.csv 2>/dev/null &
    background="$background $!"
fi
timeout 60 "$build/gpu_copy" >data/results/gpu/gpu.copy.json || rm -f data/results/gpu/gpu.copy.json

# What there is by now, with the records' journals, from which another run goes on: one file, since who brings
# them from another machine may bring few.
keep() {
    [ -n "${OUT:-}" ] || return 0
    tar -C data/results/gpu -czf "$OUT/gpu_records.part" . || [ $? -eq 1 ] || return 1 # 1: the clocks went on
    mv "$OUT/gpu_records.part" "$OUT/gpu_records.tar.gz"
}

# sweep NAME SECONDS RESULTS
sweep() {
    timeout "$2" "$build/ncpbench" sweep "data/$1.sweep" -o "data/results/gpu/$3.jsonl" ||
        echo "gpu-bench: $1 is not complete" >&2
    "$build/ncpbench" report "data/results/gpu/$3.jsonl" --tol 1e-6 || true
    keep || echo "gpu-bench: the records could not be copied to $OUT" >&2
}
sweep gpu_step "$(left $((seconds / 2)))" gpu_step
sweep gpu "$(left $((seconds * 3 / 10)))" gpu_linear
if [ -n "$silos" ]; then
    wait "$silos" || echo "gpu-bench: the silos were not all exported" >&2
    sweep gpu_silo "$(left 0)" gpu_silo
fi
if command -v python3 >/dev/null; then
    scripts/gpu_figures.py data/results/gpu/gpu_step.jsonl data/results/gpu/gpu_linear.jsonl \
        data/results/gpu/gpu_silo.jsonl -o figures --copy data/results/gpu/gpu.copy.json
else
    echo "gpu-bench: tables and figures need python3: scripts/gpu_figures.py makes them of the records"
fi

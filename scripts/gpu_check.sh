#!/bin/sh
# The CUDA solvers' tests on a card, plain and under compute-sanitizer where that is found:
#
#     BUILD=build CUDA_HOME=/usr/local/cuda scripts/gpu_check.sh TEST...
#
# SANITIZER_TIMEOUT [s] limits each of those runs, 60 by default. Exit 0: all passed; 77: no
# CUDA device, or built without CUDA; 1: a test or a tool found something, or a run took too long.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
reason=$(scripts/gpu_reason.sh "$build") || { echo "gpu-check: $reason"; exit 77; }

status=0
for test in "$@"; do
    "$test" || status=1
done

sanitizer=$(command -v compute-sanitizer || echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
if [ ! -x "$sanitizer" ]; then
    echo "gpu-check: compute-sanitizer is not installed; its checks were not run"
    exit $status
fi
for tool in memcheck racecheck synccheck; do
    for test in "$@"; do
        echo "compute-sanitizer --tool $tool $test"
        NB_TEST_SMALL=1 timeout "${SANITIZER_TIMEOUT:-60}" "$sanitizer" --tool "$tool" --error-exitcode 1 "$test" || status=1
    done
done
exit $status

#!/bin/sh
# The CUDA solvers' tests on a card, plain and under compute-sanitizer where that is found:
#
#     BUILD=build CUDA_HOME=/usr/local/cuda scripts/gpu_check.sh TEST...
#
# TEST_TIMEOUT [s] limits each plain run, 120 by default, SANITIZER_TIMEOUT each of the others, 60 by default,
# and GPU_CHECK_SECONDS all of them, 480 by default. Exit 0: all passed, and no tool found anything in the time
# that it had; 77: no CUDA device, or built without CUDA; 1: a test or a tool found something, or a test took
# too long or had no time.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
status=0
reason=$(scripts/gpu_reason.sh "$build")
case $? in
0) ;;
1) echo "gpu-check: $reason"; exit 77 ;;
*) echo "gpu-check: a small solve failed on the card, testing all the same: $reason"; status=1 ;;
esac
end=$(($(date +%s) + ${GPU_CHECK_SECONDS:-480}))

# Under a tool, which slows a test down a hundredfold, to have no time is no finding.
out_of_time() {
    echo "gpu-check: $1"
    [ -n "${tool:-}" ] || status=1
}

# run LIMIT COMMAND...: for so many seconds, or those that are left.
run() {
    limit=$1
    left=$((end - $(date +%s)))
    shift
    [ "$left" -lt "$limit" ] || left=$limit
    [ "$left" -gt 0 ] || { out_of_time "no time for $*"; return; }
    timeout -k 5 "$left" "$@"
    code=$?
    case $code in
    0) ;;
    124 | 137) out_of_time "stopped after $left s: $*" ;;
    *) status=1 ;;
    esac
}

for test in "$@"; do
    run "${TEST_TIMEOUT:-120}" "$test"
done
sanitizer=$(command -v compute-sanitizer || echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
if [ ! -x "$sanitizer" ]; then
    echo "gpu-check: compute-sanitizer is not installed; its checks were not run"
    exit $status
fi
for tool in memcheck racecheck synccheck; do
    for test in "$@"; do
        echo "compute-sanitizer --tool $tool $test"
        run "${SANITIZER_TIMEOUT:-60}" env NB_TEST_SMALL=1 "$sanitizer" --tool "$tool" --error-exitcode 1 "$test"
    done
done
exit $status

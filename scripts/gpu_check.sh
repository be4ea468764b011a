#!/bin/sh
# The CUDA solvers' tests on a card, plain and under compute-sanitizer where that is found:
#
#     BUILD=build CUDA_HOME=/usr/local/cuda scripts/gpu_check.sh TEST...
#
# TEST_TIMEOUT [s] limits each plain run, 120 by default, SANITIZER_TIMEOUT each of the others, 100 by default,
# of which GPU_CHECK_JOBS go on at once, 6 by default, and GPU_CHECK_SECONDS all of them, 480 by default. Exit 0:
# all passed, and no tool that works on this machine found anything in the time that it had; 77: no CUDA device, or built without CUDA;
# 1: a test or a tool found something, or a test took too long or had no time.
set -u
cd "$(dirname "$0")/.." || exit 2

# within LIMIT END COMMAND...: for so many seconds, or those that are left until END. 124 or 137 where it was
# stopped, 125 where no time was left.
within() {
    limit=$1
    left=$(($2 - $(date +%s)))
    shift 2
    [ "$left" -lt "$limit" ] || left=$limit
    [ "$left" -gt 0 ] || return 125
    timeout -k 5 "$left" "$@"
}

# under SANITIZER END TOOL TEST: what it says comes in one piece. A tool slows a test down a hundredfold, so that
# to have no time is no finding.
under() {
    log=$(mktemp)
    echo "compute-sanitizer --tool $3 $4" >"$log"
    # Calls that CUDA refuses are values that we look at; libraries make some of them on purpose. A program that skips
    # all its tests calls nothing.
    quiet=
    [ "$3" != memcheck ] || quiet="--report-api-errors no"
    # shellcheck disable=SC2086 # two words
    within "${SANITIZER_TIMEOUT:-100}" "$2" env NB_TEST_SMALL=1 "$1" --tool "$3" $quiet --require-cuda-init no \
        --error-exitcode 1 "$4" \
        >>"$log" 2>&1
    code=$?
    case $code in
    124 | 137) echo "gpu-check: stopped after $left s: $3, $4" >>"$log"; code=0 ;;
    125) echo "gpu-check: no time for $3, $4" >>"$log"; code=0 ;;
    esac
    printf '%s\n' "$(cat "$log")"
    rm -f "$log"
    [ "$code" -eq 0 ]
}
if [ "${1:-}" = --under ]; then
    shift
    under "$@"
    exit
fi

build=${BUILD:-build}
status=0
export OPENBLAS_NUM_THREADS=1 # the CPU's side of a test is small, and several go on at once
reason=$(scripts/gpu_reason.sh "$build")
case $? in
0) ;;
1) echo "gpu-check: $reason"; exit 77 ;;
*) echo "gpu-check: a small solve failed on the card, testing all the same: $reason"; status=1 ;;
esac
end=$(($(date +%s) + ${GPU_CHECK_SECONDS:-480}))

for test in "$@"; do
    within "${TEST_TIMEOUT:-120}" "$end" "$test"
    case $? in
    0) continue ;;
    124 | 137) echo "gpu-check: stopped after $left s: $test" ;;
    125) echo "gpu-check: no time for $test" ;;
    esac
    status=1
done

for sanitizer in "$(command -v compute-sanitizer)" "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" \
    "${CUDA_HOME:-/usr/local/cuda}/compute-sanitizer/compute-sanitizer"; do
    [ ! -x "$sanitizer" ] || break
done
if [ ! -x "$sanitizer" ]; then
    echo "gpu-check: compute-sanitizer is not installed; its checks were not run"
    exit $status
fi
# Some machines let CUDA run and its tools not: what they then say is about no test.
tools=
for tool in memcheck racecheck synccheck; do
    if said=$(under "$sanitizer" "$end" "$tool" "$build/gpu_copy"); then
        tools="$tools $tool"
    else
        printf '%s\n' "$said" | head -n 20
        echo "gpu-check: $tool fails on a plain copy here; its checks were not run"
    fi
done
[ -n "$tools" ] || exit $status
# Most of a run under a tool is the host's work: one after the other, the first ones would take all the time.
for tool in $tools; do
    for test in "$@"; do
        printf '%s\n%s\n' "$tool" "$test"
    done
done | xargs -n 2 -P "${GPU_CHECK_JOBS:-6}" scripts/gpu_check.sh --under "$sanitizer" "$end" || status=1
exit $status

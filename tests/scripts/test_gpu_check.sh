#!/usr/bin/env bash
# scripts/gpu_check.sh with stand-ins for the program, the tests and compute-sanitizer: what it runs, and how it
# ends where a test fails, hangs, or a tool finds something or has no time.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/cuda/bin" "$folder/build"

fail() {
    cat "$folder/said" >&2
    echo "test_gpu_check: $1" >&2
    exit 1
}

# program FILE LINE...: a shell script
program() {
    local file=$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$file"
    chmod +x "$file"
}

# check CODE ARGUMENTS...: the script's exit status; what it says is in said.
check() {
    local code=$1 status=0
    shift
    BUILD=$folder/build CUDA_HOME=$folder/cuda PATH=$folder/cuda/bin:/usr/bin:/bin scripts/gpu_check.sh "$@" \
        >"$folder/said" 2>&1 || status=$?
    [ "$status" -eq "$code" ] || fail "ends with $status, not $code: $*"
}

program "$folder/build/ncpbench" 'exit 0'
# shellcheck disable=SC2016 # for the stand-ins' shell
program "$folder/build/gpu_copy" 'exit 0'
# shellcheck disable=SC2016 # for the stand-ins' shell
program "$folder/good" 'echo "good ${NB_TEST_SMALL:-plain}"'
program "$folder/bad" 'exit 1'
program "$folder/endless" 'exec sleep 60'

if [ ! -x /usr/bin/compute-sanitizer ]; then
    check 0 "$folder/good"
    grep -q 'compute-sanitizer is not installed' "$folder/said" || fail "does not say that the sanitizer is missing"
fi

# Three tools, each for each test, all at once: each waits until all have begun.
program "$folder/cuda/bin/compute-sanitizer" 'for test; do :; done' \
    'case $test in */gpu_copy) exit 0 ;; esac' "echo \"\$2\" >>$folder/begun" "until [ \"\$(wc -l <$folder/begun)\" -eq 6 ]; do sleep 0.1; done" "\"\$test\""
SANITIZER_TIMEOUT=20 check 0 "$folder/good" "$folder/good"
[ "$(grep -c '^good plain' "$folder/said")" -eq 2 ] || fail "not two plain runs"
[ "$(grep -c '^good 1' "$folder/said")" -eq 6 ] || fail "not six runs under tools"
for tool in memcheck racecheck synccheck; do
    [ "$(grep -c "^$tool" "$folder/begun")" -eq 2 ] || fail "not twice: $tool"
done

# shellcheck disable=SC2016
program "$folder/cuda/bin/compute-sanitizer" 'for test; do :; done' \
    'case $test in */gpu_copy) exit 0 ;; esac' '[ "$2" != racecheck ]'
check 1 "$folder/good"
# A tool that fails on a plain copy, too, says nothing about a test.
# shellcheck disable=SC2016
program "$folder/cuda/bin/compute-sanitizer" 'echo "ran $2"; [ "$2" != racecheck ]'
check 0 "$folder/good"
grep -q 'racecheck fails on a plain copy here' "$folder/said" || fail "does not say that a tool does not work"
[ "$(grep -c '^ran memcheck' "$folder/said")" -eq 1 ] || fail "not once: memcheck, of one test"
program "$folder/cuda/bin/compute-sanitizer" 'exit 0'
check 1 "$folder/bad" "$folder/good"
TEST_TIMEOUT=1 check 1 "$folder/endless"
grep -q 'stopped after 1 s' "$folder/said" || fail "does not say that a test was stopped"
GPU_CHECK_SECONDS=0 check 1 "$folder/good"
grep -q 'no time for' "$folder/said" || fail "does not say that there was no time"

# To be slow under a tool is no finding.
program "$folder/cuda/bin/compute-sanitizer" 'exec sleep 60'
SANITIZER_TIMEOUT=1 check 0 "$folder/good"
[ "$(grep -c 'stopped after 1 s: [a-z]*check' "$folder/said")" -eq 3 ] || fail "does not name what it stopped"

program "$folder/build/ncpbench" 'echo "ncpbench linear: no CUDA device (no driver)" >&2; exit 2'
check 77 "$folder/good"
grep -q 'no CUDA device (no driver)' "$folder/said" || fail "does not say why it does nothing"
program "$folder/build/ncpbench" 'echo "ncpbench linear: an illegal address" >&2; exit 2'
program "$folder/cuda/bin/compute-sanitizer" 'exit 0'
check 1 "$folder/good"
grep -q '^good plain' "$folder/said" || fail "tests nothing where the small solve fails"

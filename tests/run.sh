#!/usr/bin/env bash
# Runs test programs and closes with "N passed, N failed[, N skipped]":
#
#     BUILD=build tests/run.sh PROGRAM...       WRAPPER=command runs each cmocka program under it
#
# A program is a cmocka group, whose own counts are added up, or a script *.sh: exit 0 passes, 77
# skips. A program that dies, hangs or counts nothing is a failure. Runs from the repository's root.
set -u
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# count PATTERN: the number in front of "test(s)" in cmocka's summary line
count() {
    sed -n "s/^\[  *$1  *\] \([0-9][0-9]*\) test(s).*/\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'
}

run_script() {
    timeout "${TEST_TIMEOUT:-600}" bash "$1" >"$log" 2>&1
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)); echo "  skipped: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); cat "$log"; echo "  FAILED: $1" ;;
    esac
}

run_group() {
    # shellcheck disable=SC2086 # a command with its options
    CMOCKA_MESSAGE_OUTPUT=stdout timeout "${TEST_TIMEOUT:-600}" ${WRAPPER:-} "$1" >"$log" 2>&1
    local status=$? good bad passed_over
    good=$(count PASSED) bad=$(count FAILED) passed_over=$(count SKIPPED)
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
        echo "  $1 ended with status $status and no failed test of its own"
    elif [ "$((good + bad + passed_over))" -eq 0 ]; then
        bad=1
        echo "  $1 ran no test"
    fi
    [ "$bad" -eq 0 ] || cat "$log"
    grep -h '^skipped: ' "$log" | sed 's/^/  /'
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + passed_over))
}

for program in "$@"; do
    before=$SECONDS
    echo "$(basename "$program")"
    case $program in
    *.sh) run_script "$program" ;;
    *) run_group "$program" ;;
    esac
    [ $((SECONDS - before)) -lt 5 ] || echo "  took $((SECONDS - before)) s"
done

if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

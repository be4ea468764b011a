#!/usr/bin/env bash
# Runs test programs, JOBS at a time (by default as many as there are processors), and closes with
# "N passed, N failed[, N skipped]":
#
#     BUILD=build tests/run.sh PROGRAM...       NB_TESTS=quick or full runs those tests only (tests/support/test.h),
#                                               WRAPPER=command runs each cmocka program under it
#
# A program is a cmocka group, whose own counts are added up, or a script *.sh: exit 0 passes, 77
# skips. A program that dies, hangs or counts nothing is a failure. What they say comes in the order of
# the arguments. Runs from the repository's root.
set -u
cd "$(dirname "$0")/.." || exit 2
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} # a thread that waits leaves its processor to the other tests

# count LOG PATTERN: the number in front of "test(s)" in cmocka's summary line
count() {
    sed -n "s/^\[  *$2  *\] \([0-9][0-9]*\) test(s).*/\1/p" "$1" | awk '{ n += $1; seen = 1 } END { if (seen) print n }'
}

# run_script LOG FILE, run_group LOG PROGRAM: what is to be seen of it, then a line "counts PASSED FAILED SKIPPED"
run_script() {
    # shellcheck disable=SC2016 # of the script: which line of it ended it
    timeout "${TEST_TIMEOUT:-600}" bash -E -c 'trap '\''echo "$0: line $LINENO: $BASH_COMMAND" >&2'\'' ERR; . "$0"' "$2" \
        >"$1" 2>&1
    case $? in
    0) echo counts 1 0 0 ;;
    77) echo "  skipped: $(tail -n 1 "$1")"; echo counts 0 0 1 ;;
    *) cat "$1"; echo "  FAILED: $2"; echo counts 0 1 0 ;;
    esac
}

run_group() {
    # shellcheck disable=SC2086 # a command with its options
    CMOCKA_MESSAGE_OUTPUT=stdout timeout "${TEST_TIMEOUT:-600}" ${WRAPPER:-} "$2" >"$1" 2>&1
    local status=$? good bad passed_over
    good=$(count "$1" PASSED) bad=$(count "$1" FAILED) passed_over=$(count "$1" SKIPPED)
    if [ "$status" -ne 0 ] && [ "${bad:-0}" -eq 0 ]; then
        bad=1
        echo "  $2 ended with status $status and no failed test of its own"
    elif [ -z "$good$bad$passed_over" ]; then
        bad=1
        echo "  $2 ran no test"
    fi
    [ "${bad:-0}" -eq 0 ] || cat "$1"
    grep -ah '^skipped: ' "$1" | sed 's/^/  /'
    echo counts "${good:-0}" "${bad:-0}" "${passed_over:-0}"
}

# run NUMBER PROGRAM: leaves what is to be seen in NUMBER.said, once it is complete
run() {
    local before=$SECONDS
    {
        basename "$2"
        case $2 in
        *.sh) run_script "$logs/$1" "$2" ;;
        *) run_group "$logs/$1" "$2" ;;
        esac
        [ $((SECONDS - before)) -lt 5 ] || echo "  took $((SECONDS - before)) s"
    } >"$logs/$1.saying" 2>&1
    mv "$logs/$1.saying" "$logs/$1.said"
    rm -f "$logs/$1"
}

passed=0 failed=0 skipped=0 shown=0
# Shows those that are complete, in order, and adds up their counts.
show() {
    local good bad passed_over
    while [ -f "$logs/$shown.said" ]; do
        grep -av '^counts ' "$logs/$shown.said"
        read -r _ good bad passed_over <<<"$(grep -a '^counts ' "$logs/$shown.said" | tail -n 1)"
        passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + passed_over))
        rm "$logs/$shown.said"
        shown=$((shown + 1))
    done
}

number=0
for program in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
    run "$number" "$program" &
    number=$((number + 1))
    show
done
wait
show

if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && [ "$shown" -eq $# ]

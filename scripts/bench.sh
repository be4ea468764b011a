#!/usr/bin/env bash
# All of `make bench` but the build: exports the problems that it uses, sweeps, simulates, draws, and sums up.
#
#     BUILD=build JOBS=n scripts/bench.sh          FULL=1: all combinations, an hour or two
#
# data/bench.sweep asks which method is the best on each canonical scene; its records make the summary and the page.
# Figures 11, 17 and 18 come from data/first_light.sweep, at the paper's budgets. FULL=1: data/bench_full.sweep, and
# data/canonical.sweep over all problems, for figures 12 and 16, and 25 s of the arch.
#
# Killed at any time, it goes on where it was, and does again only what is older than what it is made of. FCLIB names a
# folder of FCLIB problems (docs/guide/fclib.md); without it that part is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
problems=data/problems
results=data/results
figures=figures
page=$figures/index.html
scenes=(pneunet table_pile beam arch heavy_stack)
[ -z "${FULL:-}" ] || scenes=() # all
sweeps=(first_light bench ${FULL:+bench_full canonical})
untimed=first_light # its cases may run beside an export
slow=pneunet        # its export takes longer than all others together
mkdir -p "$problems" "$results" "$figures"

# key_of SWEEP: what its records are of
key_of() {
    # shellcheck disable=SC2046 # a list of patterns
    (cd data && {
        cat "$1.sweep" $(grep -o 'problems/[^, ]*' "$1.sweep" | sort -u) 2>/dev/null || :
        [ -z "${FULL:-}" ] || grep 'design = pairs' "$1.sweep" || :
    } | sha256sum)
}

# set_aside SWEEP: records of another spec or of other problem files, which would mix with those to come; a case that
# joined the others alone would have no times in turn with them
set_aside() {
    local file=$results/$1.jsonl key
    key=$(key_of "$1")
    [ -e "$file.key" ] && [ "$(<"$file.key")" = "$key" ] && return
    [ ! -e "$file" ] || { mv "$file" "$file.old" && echo "  records of other problems or settings: $file.old"; }
    rm -f "$file.journal"
    echo "$key" >"$file.key"
}

# sweep NAME OPTION...
sweep() { "$program" sweep "data/$1.sweep" ${FULL:+--full} -o "$results/$1.jsonl" "${@:2}"; }

# export_and_look: the problems; on a fresh machine cases without times go on beside the slow export
export_and_look() {
    local looking quick file=$results/$untimed.jsonl
    if [ -n "${FULL:-}" ] || [ -e "$file" ]; then
        scripts/problems.sh "${scenes[@]}"
        return
    fi
    mapfile -t quick < <(printf '%s\n' "${scenes[@]}" | grep -vx "$slow")
    scripts/problems.sh "${quick[@]}"
    sweep $untimed --where "problem!=$slow" >/dev/null 2>"$file.said" & looking=$!
    trap 'kill $looking 2>/dev/null || :' EXIT
    scripts/problems.sh "$slow"
    wait $looking || cat "$file.said" >&2
    trap - EXIT
    rm -f "$file.said"
    key_of $untimed >"$file.key"
}

# simulate_arch FILE: 25 s at the paper's budget, long enough for the relaxation methods to fall. The file appears
# whole, so that a killed run starts it anew.
simulate_arch() {
    local linear
    [ "$1" -nt "$program" ] && return 0
    rm -f "$1.new"
    for linear in pcr pcg cholesky gauss_seidel jacobi; do
        echo "  arch, 25 s with $linear"
        "$program" simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear "$linear" \
            --precond "$([[ $linear == pc? ]] && echo jacobi || echo none)" -o "$1.new" >/dev/null ||
            [ $? -eq 1 ] # a breakdown is a result
    done
    mv "$1.new" "$1"
}

# [where=FILTER] draw INPUT FIGURE...: a figure without records is told, and the others are drawn
draw() {
    local input=$1 figure output failed=0
    shift
    for figure in "$@"; do
        output=$("$program" plot "$figure" "$input" -o "$figures" --format pdf,png,svg \
            ${where:+--where "$where"} 2>&1) ||
            { echo "figure $figure: $output" >&2; failed=1; }
    done
    return $failed
}

# With the contact forces of a converged solution.
draw_scenes() {
    local scene failed=0
    mkdir -p "$problems/solved"
    for scene in heavy_stack arch; do
        "$program" solve "$problems/$scene.h5" -o "$problems/solved/$scene.h5" >/dev/null
        draw "$problems/solved/$scene.h5" figure14 || failed=1
    done
    draw "$problems/pneunet.h5" figure13_strain || failed=1
    return $failed
}

# sum_up_claims FILE RECORDS...: what the papers claim, as far as these records decide it: verdicts into FILE
sum_up_claims() {
    local file=$1 verdicts
    "$program" claims "${@:2}" >"$file" || [ $? -eq 1 ] # some are not as expected
    verdicts=$(tail -n 1 "$file" | sed 's/^[0-9]* claims*: //; s/ from what .* expects/ from what is expected/')
    echo "Papers' claims: $verdicts"
    echo "  $file; hold:" "$(sed -n 's/^holds *\([^:]*\):.*/\1/p' "$file" | paste -sd ' ' | fold -s -w 80 |
        sed '2,$d; $!s/$/.../')"
}

# is_current: the page is newer than all that it is made of
is_current() {
    local file
    for file in "$program" plots/*.gp "$0" data/bench.expected "${records[@]}"; do
        [ "$page" -nt "$file" ] || return 1
    done
}

duration="4 minutes"
[ -z "${FULL:-}" ] || duration="an hour or two"
echo "make bench: about $duration on two quiet cores; what is there already is kept"
scripts/fclib.sh || : # what is missing is optional, and it says so in a line
echo "== problems, and cases of $untimed"
export_and_look
records=()
for name in "${sweeps[@]}"; do
    echo "== sweep $name"
    set_aside "$name"
    sweep "$name" --observe "$(nproc)"
    records+=("$results/$name.jsonl")
done
if [ -n "${FULL:-}" ]; then
    echo "== simulations of the arch"
    simulate_arch "$results/arch_creep.jsonl"
    records+=("$results/arch_creep.jsonl")
fi

bench=("$results/bench.jsonl" ${FULL:+"$results/bench_full.jsonl"})
summary=(report "${bench[@]}" --tol 1e-3 --summary --expected data/bench.expected)
failed=0
if ! is_current; then
    echo "== figures"
    rm -f "$figures"/*.svg
    drawing=()
    draw "$results/first_light.jsonl" figure11 & drawing+=($!)
    where=problem=heavy_stack,arch,table_pile draw "$results/first_light.jsonl" figure17 & drawing+=($!)
    where=problem=heavy_stack,arch,beam,pneunet draw "$results/first_light.jsonl" figure18 & drawing+=($!)
    draw_scenes & drawing+=($!)
    if [ -n "${FULL:-}" ]; then
        draw "$results/canonical.jsonl" figure12 figure16 & drawing+=($!)
        draw "$results/arch_creep.jsonl" arch_creep & drawing+=($!)
    fi
    for process in "${drawing[@]}"; do wait "$process" || failed=1; done
    "$program" claims --json "$results/first_light.jsonl" ${FULL:+"$results/arch_creep.jsonl"} \
        >"$figures/claims.json" ||
        [ $? -eq 1 ] # some are not as expected
    "$program" "${summary[@]}" --html "$page" --baseline precond=jacobi --figures "$figures" >/dev/null
    [ $failed -eq 0 ] || touch -d @0 "$page" # to be made anew
fi
echo "== results, in $SECONDS s"
"$program" "${summary[@]}"
sum_up_claims "$results/claims.txt" "$results/first_light.jsonl" ${FULL:+"$results/arch_creep.jsonl"}
echo "Open $page: all tables and figures"
exit $failed

#!/usr/bin/env bash
# scripts/bench.sh, with a program in the place of ncpbench that only notes how it is called: it says how long it takes,
# ends in few lines of which the last names the page, does nothing twice, and FULL=1 does more. And, with ncpbench,
# that the sweep of `make bench` and its list of expected failures are right on its smallest problem.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
fail() { echo "test_bench: $1" >&2; exit 1; }
cp -a scripts plots data "$tree"
cp -a problems solvers harness "$tree"
cd "$tree"
rm -rf data/problems data/results

mkdir stub
cat >stub/ncpbench <<'END'
#!/usr/bin/env bash
[[ $1 == @(sweep|list|claims) ]] || echo "$*" >>calls
if [[ $1 == @(export|sweep) ]]; then
    echo "$1 $2 begins" >>order
    [[ $* != *--where* ]] || sleep 0.2
    echo "$1 $2 ends" >>order
fi
output=
while [ $# -gt 0 ]; do
    case $1 in
    -o | --html) output=$2; shift ;;
    figure18) [ ! -e broken ] || { echo "no record" >&2; exit 2; } ;;
    --summary) echo "2 cases" ;;
    scene) echo kind arch ;;
    claims) printf 'holds   one: fig\nnot decided two: fig\n2 claims: 1 holds' && exit 1 ;;
    esac
    shift
done
# Of a sweep and of a folder for figures nothing is left that was there.
[ -z "$output" ] || [ -e "$output" ] || echo made >"$output"
END
chmod +x stub/ncpbench
touch -d '1 hour ago' stub/ncpbench plots/*.gp data/bench.expected scripts/bench.sh
bench() { : >calls; BUILD=stub FCLIB=none scripts/bench.sh >said 2>log; }

bench || fail "it fails: $(cat log)"
[ "$(tail -n 4 order | xargs)" = "$(echo sweep\ data/{first_light,bench}.sweep\ {begins,ends})" ] &&
    [ "$(grep -c '^sweep data/first_light.sweep begins' order)" -eq 2 ] ||
    fail "a case is timed beside something else: $(cat order)"
[[ $(head -n 1 said) == "make bench: about "*" minutes"* ]] || fail "its duration is not said: $(head -n 1 said)"
grep -qx "Papers' claims: 1 holds" said && grep -qx '  data/results/claims.txt; hold: one' said ||
    fail "no claims: $(cat said)"
[ "$(tail -n 1 said)" = "Open figures/index.html: all tables and figures" ] || fail "it ends in: $(tail -n 1 said)"
grep -qF '(4 of 4)' said && grep -qF 'pneunet in' said || fail "not the five scenes: $(cat said)"
[ "$(sed '1,/^== results/d' said | wc -l)" -le 4 ] || fail "more than one line of summary, two of claims: $(cat said)"
[ "$(grep -c '^export' calls)" -eq 5 ] || fail "other exports: $(grep '^export' calls)"
grep -q '^plot figure18 .*--format pdf,png,svg' calls || fail "figure 18 is not drawn"
grep -q '^report .*--summary .* --html figures/index.html' calls || fail "the page is not made"

sleep 0.01
bench || fail "it fails a second time: $(cat log)"
[ "$(cat calls)" = "report data/results/bench.jsonl --tol 1e-3 --summary --expected data/bench.expected" ] ||
    fail "a second run does more than it has to: $(cat calls)"

touch plots/figure18.gp broken
! bench || fail "a figure that cannot be drawn is no failure"
grep -q 'figure figure18: no record' log || fail "it does not say which figure failed: $(cat log)"
rm broken
bench && grep -q '^plot figure18' calls || fail "a figure that had failed is not drawn again"

FULL=1 bench || fail "FULL=1 fails: $(cat log)"
grep -q '^plot figure16 data/results/canonical.jsonl' calls || fail "FULL=1 draws no figure 16"
grep -q '^report data/results/bench.jsonl data/results/bench_full.jsonl .*--html' calls || fail "FULL=1: another page"

echo '# edited' >>data/bench.sweep
bench || fail "it fails with another spec: $(cat log)"
[ -e data/results/bench.jsonl.old ] && [ ! -e data/results/first_light.jsonl.old ] ||
    fail "an edited spec sets aside: $(ls data/results)"
rm data/results/*.old
echo other >data/problems/arch.h5
bench || fail "it fails with another problem: $(cat log)"
[ -e data/results/bench.jsonl.old ] && [ -e data/results/first_light.jsonl.old ] ||
    fail "another problem file sets aside: $(ls data/results)"

rm -r data/problems data/results
BUILD=$build scripts/problems.sh heavy_stack >/dev/null
"$build/ncpbench" sweep data/bench.sweep -o bench.jsonl --where problem=heavy_stack --where precond=jacobi,ic0 \
    --where precision=f64 >log 2>&1 || fail "the sweep fails: $(cat log)"
"$build/ncpbench" report bench.jsonl --tol 1e-3 --summary --expected data/bench.expected >said 2>log ||
    fail "no summary: $(cat log)"
[ "$(wc -l <said)" -le 17 ] || fail "the summary has $(wc -l <said) lines"

# The pile of tables is solved to 1e-7 by no method, whose floors figure 17 shows all the same.
BUILD=$build scripts/problems.sh table_pile >/dev/null
"$build/ncpbench" solve data/problems/table_pile.h5 --solver newton --linear pcr --newton-iters 30 --linear-iters 40 \
    --precision f32 --repetitions 0 --floor yes >said 2>&1 || [ $? -eq 1 ]
grep -q '^floors .*component-wise constraints [12][.][0-9]*e-05 m/s' said || fail "no floor of the pile: $(cat said)"

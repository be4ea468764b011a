# shellcheck shell=bash disable=SC2154 # $ncpbench is the test's
# Problems, a spec and a comparison of results for the tests of sweeps over several machines. To be sourced;
# CLUSTER_PROBLEMS and CLUSTER_CASES (8 or 9 for each problem) make them larger.
problems=${CLUSTER_PROBLEMS:-10}
cases=${CLUSTER_CASES:-82}

# make_sweep FOLDER: problems and cluster.sweep in it, of that many cases.
make_sweep() {
    local i
    mkdir -p "$1/problems"
    for ((i = 1; i <= problems; ++i)); do
        case $((i % 3)) in
        0) set -- "$1" heavy_stack --set count=$((2 + i / 3 % 6)) --step $((1 + i / 18)) ;;
        1) set -- "$1" box_on_plane --step $((1 + i / 3)) ;;
        2) set -- "$1" two_boxes --step $((1 + i / 3)) ;;
        esac
        "$ncpbench" export "${@:2}" -o "$1/problems/$(printf '%s_%03d' "$2" "$i").h5" >/dev/null
    done
    cat >"$1/cluster.sweep" <<END
[sweep]
name = cluster
repetitions = 5
time_limit = 60

[group newton]
problem = problems/*.h5
solver = newton
linear = pcr, cholesky
ncp = fb, min
newton_iters = 5

[group methods]
problem = problems/*.h5
solver = nsgs, pgs, proximal_newton, admm
tol = 1e-6
newton_iters = 50

END
    i=$((cases - 8 * problems))
    [ $i -le 0 ] || printf '[group more]\nproblem = %s\nsolver = apgd\nnewton_iters = 20\n' \
        "$(cd "$1" && printf '%s\n' problems/*.h5 | head -n $i | paste -sd, | sed 's/,/,\n    /g')" >>"$1/cluster.sweep"
}

# same_records A B N: A has N cases, each record once, and B the same but for times and machines.
same_records() {
    python3 - "$@" <<'END'
import json
import sys


def read(path):
    records = {}
    for line in open(path):
        record = json.loads(line)
        key = record["kind"], record["key"]
        if key in records:
            sys.exit(f"{path}: {key} is there twice")
        for varying in ("times", "provenance", "peak_memory"):
            record.pop(varying, None)
        records[key] = record
    return records


first, second = read(sys.argv[1]), read(sys.argv[2])
cases = sum(kind == "case" for kind, _ in first)
if cases != int(sys.argv[3]):
    sys.exit(f"{sys.argv[1]}: {cases} cases instead of {sys.argv[3]}")
if first.keys() != second.keys():
    sys.exit(f"other keys: {sorted(first.keys() ^ second.keys())[:5]}")
for key, record in first.items():
    if record != second[key]:
        sys.exit(f"{key} differs: {[name for name in record if record[name] != second[key].get(name)]}")
print(f"{cases} cases, {len(first)} records: the same")
END
}

# kill_a_shard PATTERN: the first of eight that has begun its journal, while it works; its number is $killed. PATTERN: how
# its process's command line begins
kill_a_shard() {
    local journal pid
    killed=
    for ((wait = 0; wait < 2400; ++wait)); do
        for journal in results.*-of-8.jsonl.journal; do
            [ -s "$journal" ] || continue
            killed=${journal#results.} killed=${killed%%-of-8*}
            pid=$(pgrep -f -- "$1$folder/results.jsonl --shard $killed/8" | head -n 1) || continue
            kill -9 "$pid" && return
        done
        sleep 0.05
    done
    [ -n "$killed" ] || fail "no shard could be killed"
}

#!/usr/bin/env bash
# Holds what is written to data/record.schema.json and data/output.schema.json: records of every kind, of cases that
# fail, too, and the documents of --json are valid; what is damaged in one member is not. Skipped without
# python3-jsonschema.
set -eu
cd "$(dirname "$0")/../.."
ncpbench=$(realpath "${BUILD:-build}")/ncpbench
schemas=$PWD/data
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-jsonschema"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$ncpbench" export box_on_plane --step 2 --newton-systems --matrix-market systems -o box.h5 >/dev/null
echo damaged >damaged.h5
"$ncpbench" export particle_chain -o chain.h5 >/dev/null
"$ncpbench" export sliding_box --step 5 -o slide.h5 >/dev/null
"$ncpbench" export box_on_plane --steps 0:1 -o series.h5 >/dev/null
cat >small.sweep <<'END'
[sweep]
name = small
repetitions = 5
time_limit = 10
memory_limit = 2048

[group steps]
problem = box.h5
solver = newton, nsgs
linear = pcr:tol=1e-8, cholesky
precond = none, jacobi
precision = f64
newton_iters = 4
tol = none, 1e-3

[group series]
problem = series-0001.h5
start = previous
newton_iters = 4

[group systems]
mode = linear_system
system = 0, 1
problem = box.h5
linear = pcg, cholesky
END
printf '%s\n' '[sweep]' 'name = try' 'time_limit = 20' '[group systems]' 'mode = linear_system' 'problem = box.h5' \
    'system = 0, 1' 'linear = pcr:tol=1e-8' 'precond = jacobi, @' >try.sweep
cat >claims.list <<'END'
[claim decided]
source = nobody
says = Nothing takes more than four iterations.
where = kind=case mode=step
value = counts.newton
at_most = 4
printed = four
expected = holds
figure = bars
command = ncpbench sweep small.sweep
note = A note.

[claim undecided]
source = nobody
says = Nothing is recorded.
where = kind=nothing
value = counts.newton
equals = 4
expected = holds
figure = bars
command = ncpbench sweep small.sweep

[claim untestable]
source = nobody
says = Everything is fine.
not_testable = nobody says what everything is.
END
sed 's/time_limit = 10/time_limit = 1e-6/; s/newton_iters = 4/newton_iters = 5/' small.sweep >short.sweep
"$ncpbench" sweep small.sweep -o sweep.jsonl >/dev/null 2>&1
"$ncpbench" sweep short.sweep -o short.jsonl >/dev/null 2>&1
grep -q timed_out short.jsonl
{
    "$ncpbench" solve box.h5 --json
    "$ncpbench" solve chain.h5 --json --floor yes
    "$ncpbench" solve box.h5 --json --solver newton --linear ldlt --repetitions 0 --linearized
    "$ncpbench" linear box.h5 --json
    "$ncpbench" simulate two_boxes --steps 3 --json
} >commands.jsonl
"$ncpbench" solve box.h5 --forces others.jsonl >/dev/null
"$ncpbench" simulate sliding_box --steps 3 -o others.jsonl >/dev/null
{
    "$ncpbench" list --json
    "$ncpbench" gradient chain.h5 --of b0.vz --check --json
    "$ncpbench" gradient slide.h5 --of b0.vx --of u1 --to mass --json
    "$ncpbench" info box.h5 --json
    "$ncpbench" info chain.h5 --json
    "$ncpbench" info systems.0.A.mtx --json
    "$ncpbench" index . --records sweep.jsonl --json || [ $? = 1 ]
    "$ncpbench" report sweep.jsonl others.jsonl --tol 1e-2 --json
    "$ncpbench" report short.jsonl --tol 1e-2 --json
    "$ncpbench" compare sweep.jsonl --a precond=none --b precond=jacobi --tol 1e-2 --json
    "$ncpbench" compare sweep.jsonl --a linear=pcg --b linear=cholesky --across precond --json
    "$ncpbench" compare sweep.jsonl --a solver=nsgs --b solver=newton --across linear --across precond --json \
        --fail-if mixed:900% || [ $? = 1 ]
    "$ncpbench" query sweep.jsonl --json "select problem, time_median, tol from cases"
    "$ncpbench" claims sweep.jsonl --json --list claims.list
    "$ncpbench" try precond=ssor --on try.sweep --vary linear_iters=1,40 --json 2>log || { cat log >&2; false; }
} >documents.jsonl

"$python" - "$schemas" <<'END'
import copy
import glob
import gzip
import json
import sys

from jsonschema import Draft202012Validator


def schema(name):
    with open(f"{sys.argv[1]}/{name}.schema.json") as file:
        content = json.load(file)
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def refuse_constant(word):
    raise SystemExit(f"{word} is no JSON")


def read(*names):
    return [json.loads(line, parse_constant=refuse_constant) for name in names for line in open(f"{name}.jsonl")]


def check(validator, documents):
    for document in documents:
        for error in validator.iter_errors(document):
            raise SystemExit(f"{document.get('kind', document.get('command'))}: {list(error.absolute_path)}: "
                             f"{error.message[:400]}")


# Every member in its turn missing, of another type, or beside one that nobody knows; but for objects with free names.
def damages(document, path=()):
    for name, value in document.items():
        without = {key: other for key, other in document.items() if key != name}
        yield (*path, name, "missing"), without
        yield (*path, name, "of another type"), {**document, name: [[]]}
        if isinstance(value, dict) and name not in ("parameters", "matrices"):
            for where, damaged in damages(value, (*path, name)):
                yield where, {**document, name: damaged}
    yield (*path, "unknown member"), {**document, "nobody_knows": 1}


def hold(validator, documents, optional):
    found = 0
    for document in documents:
        for where, damaged in damages(document):
            if where[-1] == "missing" and where[-2] in optional:
                continue
            found += 1
            if validator.is_valid(damaged):
                raise SystemExit(f"damaged and valid: {document.get('kind', document.get('command'))}: {where}")
    return found


def sort_of(document):
    return document.get("kind"), document.get("command"), document.get("settings", {}).get("mode")


def one_of_each(documents):
    return list({sort_of(document): document for document in documents}.values())


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def same(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


# What a schema cannot say: parts are within their whole, a median is that of its values, arrays that belong together
# are of one length. None: the record does not contradict itself.
def contradiction(case):
    times, counts, trace = case["times"], case["counts"], case["trace"]
    if times["application"] is not None and times["application"] > times["linear"]:
        return "application is a part of linear"
    if times["preparation"] is not None and times["assembly"] is not None and times["preparation"] > times["assembly"]:
        return "preparation is a part of assembly"
    if times["solve"] and not same(times["median"], median(times["solve"])):
        return "median is that of solve"
    if times.get("setups") and not same(times["setup"], median(times["setups"])):
        return "setup is the median of setups"
    if "waited" in times and len(times["waited"]) != len(times["solve"]):
        return "waited is beside solve"
    if len({len(values) for values in trace.values() if isinstance(values, list)}) > 1:
        return "columns of a trace are of one length"
    return None


record, output = schema("record"), schema("output")
records = read("sweep", "short", "commands", "others")
documents = read("documents")
kinds = {each["kind"] for each in records}
expected = {"case", "floor", "simulation", "forces"}  # others: tests/python/test_studies.py
assert kinds == expected, kinds
assert {each["command"] for each in documents} == {"compare", "report", "claims", "list", "info", "index", "query",
                                                         "gradient", "try"}
check(record, records)
cases = [each for each in records if each["kind"] == "case"]
for each in cases:
    assert not contradiction(each), (contradiction(each), each["settings"], each["times"])
kept = glob.glob(sys.argv[1] + "/*/*.jsonl.gz")  # of all builds
assert len(kept) > 40, kept
for path in kept:
    for line in gzip.open(path, "rt"):
        times = json.loads(line).get("times") or {}
        part, whole = times.get("application"), times.get("linear")
        assert part is None or whole is None or part <= whole, (path, part, whole)
timed = next(each for each in cases if each["times"]["solve"] and each["times"]["application"] is not None)
for member, value in (("application", 2 * timed["times"]["linear"] + 1), ("median", 1e9), ("waited", [])):
    assert contradiction({**timed, "times": {**timed["times"], member: value}}), member
check(output, documents)
for each in one_of_each(records):
    changed = copy.deepcopy(each)
    changed["kind"] = "other"
    assert not record.is_valid(changed)
of_system = {"setups", "run", "entries", "product_bytes", "reference"}
# Of records of now; of those that began at the step before, or were split.
of_start = {"start", "previous", "islands", "largest_island", "slow", "stuck", "on_edge"}
of_certainty = {"step_condition", "velocity_spread"}  # likewise
of_others = {"waited", "throttled", "quota", "step_error_double", "scene"}  # likewise
of_cost = {"solves", "iterations"}  # likewise, of simulations
of_strategies = {"solver", "ncp", "scaling", "operator", "linear", "precond"}
damaged = hold(record, one_of_each(records), of_system | of_start | of_certainty | of_others | of_cost |
               of_strategies | {"limits"})
damaged += hold(output, one_of_each(documents), {"fail_if"})
assert damaged > 500, damaged
for member, change in (("key", "XYZ"), ("ending", "finished"), ("version", 2), ("retry", False)):
    case = copy.deepcopy(next(each for each in records if each["kind"] == "case"))
    case[member] = change
    assert not record.is_valid(case), member
END

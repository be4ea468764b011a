#!/usr/bin/env bash
# `ncpbench query`: its tables hold what the records hold, by another reading of them; statistics are those of another
# implementation; statements that do more than read, take too long or too much, or name what is not there are refused;
# damaged records are, too, and leave the file as it was that was to be written.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec python3 - "${BUILD:-build}/ncpbench" tests/golden/records.jsonl.gz "$work" <<'END'
import csv, gzip, io, json, math, os, pathlib, resource, signal, sqlite3, statistics, subprocess, sys

program, source, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
lines = gzip.open(source, "rt", encoding="utf-8").read().splitlines()
records = [json.loads(line) for line in lines]
cases = {number: record for number, record in enumerate(records, 1) if record["kind"] == "case"}


def run(*arguments, **more):
    return subprocess.run([program, "query", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, **more)


def ask(statement, *files):
    answer = run(*(files or [source]), statement, "--json")
    assert answer.returncode == 0, (statement, answer.stderr)
    return json.loads(answer.stdout)["rows"]


def refused(part, *arguments, **more):
    answer = run(*arguments, **more)
    assert answer.returncode == 2 and part in answer.stderr, (arguments, part, answer.returncode, answer.stderr)
    assert answer.stderr.count("\n") == 1, answer.stderr
    return answer


def close(a, b):
    return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))


# Every member of every case is where the page says, and nothing else is in the columns.
own = ("settings", "errors", "sizes", "features")
behind = {"times": "time", "counts": "count", "strategies": "source", "provenance": "made"}
arrays = {"times": ("solve", "setups", "control"), "trace": None}
columns = [row[0] for row in ask("select \"column\" from columns where \"table\" = 'cases'")]
derived = {"id", "file", "method", "linear_method", "arithmetic", "machine"}
younger = {"start": "rest", "islands": "own"}
newton = {"ncp", "scaling", "newton_form", "operator", "damping", "linear", "precond", "linear_iters"}
own_linear = ("fischer_newton",)  # solvers that read none of these, and linear solvers without a preconditioner
plain = ("jacobi", "gauss_seidel", "symmetric_gauss_seidel", "sor", "ssor")
rows = ask("select * from cases")
assert [row[0] for row in rows] == list(cases), "the cases are numbered by their place, and in its order"
seen = set()
for row in rows:
    record, found = cases[row[0]], dict(zip(columns, row, strict=True))
    expected = {}
    for outer, value in record.items():
        for inner, item in value.items() if isinstance(value, dict) else [(None, value)]:
            if outer in ("kind", "version") or inner in (arrays.get(outer, ()) or [inner] * (outer == "trace")):
                continue
            name = outer if inner is None else inner if outer in own else f"{behind.get(outer, outer)}_{inner}"
            expected[name] = int(item) if isinstance(item, bool) else json.dumps(item) if isinstance(item, list) else item
    expected = {name: value for name, value in expected.items() if name != "floor"}
    settings = record["settings"]
    if settings["mode"] == "step":
        expected = {**younger, **expected}
    unread = newton if (settings["solver"] or "newton").startswith(own_linear) else set()
    unread = unread | ({"precond"} if settings["linear"] in plain else set())
    expected = {name: value for name, value in expected.items() if name not in unread}
    seen |= {name for name, value in expected.items() if value is not None}
    for name in set(found) - derived:
        assert found[name] == expected.get(name), (row[0], name, found[name], expected.get(name))
    assert set(expected) <= set(found) | {"retry", "probe"}, set(expected) - set(found)
    assert found["file"] == source
assert len(seen) > 100, len(seen)

# Arrays, entry by entry; what is null is NULL, and an id alone finds the same.
traced = [row[0] for row in ask("select \"column\" from columns where \"table\" = 'traces'")]
entries = {}
for row in ask("select * from traces"):
    entries.setdefault(row[0], []).append(row[1:])
for number, record in cases.items():
    trace = record["trace"]
    expected = [[k, *(trace[name][k] if name in trace else None for name in traced[2:])]
                for k in range(len(trace["iteration"]))]
    assert entries.get(number, []) == expected, number
assert ask("select entry, step_error from traces where id = 5") == [[row[0], row[traced.index("step_error") - 1]]
                                                                    for row in entries[5]]
assert ask("select count(*), count(step_error) from traces") == [[sum(map(len, entries.values())), sum(
    len(r["trace"].get("step_error", [])) for r in cases.values())]]
assert [row[0] for row in ask("select solve from repetitions")] == [
    seconds for record in cases.values() for seconds in record["times"]["solve"]]
assert ask("select kind, count(*) from records group by kind order by kind") == [
    [kind, sum(r["kind"] == kind for r in records)] for kind in sorted({r["kind"] for r in records})]
for row, record in zip(ask("select json from records"), records, strict=True):
    assert json.loads(row[0]) == record

# Statistics beside Python's.
times = [r["times"]["median"] for r in cases.values() if r["times"]["median"] is not None]
answer, = ask("select median(time_median), geomean(time_median), shifted_geomean(time_median, 0.001),"
              " quantile(time_median, 0), quantile(time_median, 0.25), quantile(time_median, 1),"
              " geomean_low(time_median, problem), geomean_high(time_median, problem) from cases")
assert close(answer[0], statistics.median(times)) and close(answer[1], statistics.geometric_mean(times))
assert close(answer[2], math.exp(statistics.fmean(math.log(t + 1e-3) for t in times)) - 1e-3)
assert answer[3:6] == [min(times), sorted(times)[math.ceil(len(times) / 4) - 1], max(times)]
problems = {}
for record in cases.values():
    if record["times"]["median"] is not None:
        problems.setdefault(record["settings"]["problem"], []).append(record["times"]["median"])
means = [statistics.geometric_mean(group) for group in problems.values()]
assert min(means) <= answer[6] <= statistics.geometric_mean(means) <= answer[7] <= max(means)
assert answer[6] < answer[7], "an interval over problems that differ has a width"
assert ask("select median(1), median(null), geomean_low(8, 'a'), median(x) from (values (1)) join (select 3 as x"
           " union all select 1 union all select 2)") == [[1, None, 8, 2]]
refused("above 0", source, "select geomean(-1)")
refused("q must be 0 to 1", source, "select quantile(1, 2)")
refused("not of texts", source, "select median(ending) from cases")

# Three forms of the same, with texts that need quotes.
statement = "select 'a,\"b' as \"x,y\", 1.5 as z, null as n, 9007199254740993 as big, x'00ff' as bytes"
assert json.loads(run(source, statement, "--json").stdout) == {
    "command": "query", "columns": ["x,y", "z", "n", "big", "bytes"],
    "rows": [["a,\"b", 1.5, None, 9007199254740993, "00ff"]]}
assert list(csv.reader(io.StringIO(run(source, statement, "--csv").stdout))) == [
    ["x,y", "z", "n", "big", "bytes"], ["a,\"b", "1.5", "", "9007199254740993", "00ff"]]
assert run(source, "select 'a' as x, 12 as number union all select 'bcd', 3").stdout == (
    "x    number\na        12\nbcd       3\n")
assert run(source, "select cast(x'1b5b41ff' as text) as x").stdout == "x\n?[A?\n", "control characters are shown as ?"
many = run(source, "with recursive c(x) as (select 1 union all select x + 1 from c where x < 200000) select x from c",
           "--csv")
assert many.stdout.count("\n") == 200001

# What is not there is named, and what is nearest to it.
refused("no column precon; nearest: precond", source, "select precon from cases")
refused("no column c.precon; nearest: precond", source, "select c.precon from cases c")
refused("nearest: precond", source, "select \"precon\" from cases")
refused("no table case_s; nearest: cases", source, "select * from case_s")
refused("no function medain; nearest: median", source, "select medain(1)")
refused("syntax error", source, "selekt")
refused("is empty", source, " -- nothing")
refused("statement is missing", source)
refused("statement is missing", source, source)
refused("one statement at a time", source, "select 1; select 2")
refused("has a parameter", source, "select ?")
refused("one form at a time", source, "select 1", "--csv", "--json")
refused("No such file", work / "missing.jsonl", "select 1 from cases")

# Statements that do more than read.
for statement in ("attach 'x.sqlite' as x", "pragma table_info(cases)", "select * from pragma_table_info('cases')",
                  "pragma writable_schema = 1", "select load_extension('x')", "delete from cases", "begin", "vacuum",
                  "update cases set ending = 'converged'", "insert into cases(id) values (1)", "drop table cases",
                  "create table x(a)", "create temp view v as select 1", "create virtual table x using traces",
                  "detach main", "analyze", "reindex", "savepoint s", "with x as (select 1) delete from cases",
                  f"vacuum into '{work}/v.sqlite'"):
    refused("does more than read", source, statement)
assert not list(work.iterdir())

# Statements without an end, or with too much.
endless = "with recursive c(x) as (select 1 union all select x + 1 from c) "
refused("stopped after 0.2 s", source, endless + "select count(*) from c", "--time-limit", "0.2")
assert refused("stopped after 0.2 s", source, endless + "select x from c", "--time-limit", "0.2", "--csv").stdout
refused("stopped after 0.2 s", source, "select count(*) from traces a, traces b, traces c, traces d",
        "--time-limit", "0.2")
refused("too big", source, "select zeroblob(500000000)")
refused("1 GiB", source, endless + "select group_concat(zeroblob(100000000)) over (), x from c order by x desc",
        "--time-limit", "100")
refused("1 GiB", source, "with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)"
        " select median(a.x) from c a, c b, c d", "--time-limit", "100")  # a statistic keeps its values

refused("100000 groups", source, endless + "select geomean_low(x, x) from c", "--time-limit", "100")
with open("/dev/full", "w") as full:
    for form in ("--csv", "--json"):
        answer = subprocess.run([program, "query", source, "select * from cases", form], stdout=full, text=True,
                                stderr=subprocess.PIPE, timeout=120)
        assert answer.returncode == 2 and "could not be written" in answer.stderr, answer.stderr
        assert answer.stderr.count("\n") == 1, answer.stderr

# Records that are damaged, torn, replaced, or of fields that nobody knows.
def write(name, *texts):
    (work / name).write_text("".join(texts))
    return work / name

torn = write("torn.jsonl", lines[1], "\n", lines[2][:200])
answer = run(torn, "select count(*) from cases")
assert answer.returncode == 0 and "incomplete" in answer.stderr and answer.stdout.split() == ["count(*)", "1"]
refused("damaged.jsonl:2: not a JSON object", write("damaged.jsonl", lines[1], "\n{nothing}\n", lines[2], "\n"),
        "select count(*) from cases")
refused("holds no record", write("empty.jsonl", "\n"), "select 1 from cases")
changed = json.loads(lines[1]) | {"ending": "crashed", "errors": {"step_error": "no number", "of_tomorrow": 1},
                                  "trace": {"iteration": [0, None], "step_error": [None]}, "novel": {"a": [1]}}
twice = write("twice.jsonl", *(line + "\n" for line in (lines[1], lines[2], json.dumps(changed))))
assert [[row[0], row[1]] for row in ask("select id, ending from cases", twice)] == [
    [2, records[2]["ending"]], [3, "crashed"]], "of equal keys the last counts, in its place"
assert ask("select count(*) from repetitions where id = 1", twice) == [[0]]
assert ask("select entry, iteration, step_error from traces where id = 3", twice) == [[0, 0, None], [1, None, None]]
assert ask("select json_extract(json, '$.novel.a[0]') from records where id = 3", twice) == [[1]]
assert ask("select value from records, json_each(records.json, '$.novel.a') where records.id = 3", twice) == [[1]]
slow = json.loads(lines[1])
slow["times"] |= {"solve": [1, 2], "waited": [0.5, None], "throttled": 0.25}
slow["provenance"]["quota"] = 1.5
waited = write("waited.jsonl", json.dumps(slow), "\n")
assert ask("select time_throttled, made_quota, solve, waited from cases natural join repetitions", waited) == [
    [0.25, 1.5, 1, 0.5], [0.25, 1.5, 2, None]], "what a run waited and was kept from"
packed = (work / "cut.jsonl.gz")
packed.write_bytes(pathlib.Path(source).read_bytes()[:20000])
refused("compressed data are damaged", packed, "select count(*) from cases")
two = ask("select file, count(*) from records group by file order by min(id)", twice, torn)
assert two == [[str(twice), 1], [str(torn), 1]], "a later file's record replaces an earlier one's"

# The file: the same tables for Python's own SQLite, the same bits again, and all or nothing.
output = work / "out.sqlite"
assert run(source, "-o", output).returncode == 0
first = output.read_bytes()
with sqlite3.connect(output) as db:
    assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
    for table in ("cases", "traces", "repetitions", "records", "columns"):
        assert db.execute(f"select * from {table}").fetchall() == [tuple(row) for row in ask(f"select * from {table}")]
assert run(source, "-o", output).returncode == 0 and output.read_bytes() == first
refused("not a JSON object", work / "damaged.jsonl", "-o", output)
refused("missing", "-o", output)
before = twice.read_bytes()
refused("one of the results files", twice, "-o", work / "." / "twice.jsonl")
assert twice.read_bytes() == before
refused("no/out.sqlite", source, "-o", work / "no" / "out.sqlite")


def little_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))


answer = run(source, "-o", output, preexec_fn=little_room)
assert answer.returncode == 2 and str(output) in answer.stderr, answer.stderr
assert output.read_bytes() == first, "a file that could not be written is as it was"
assert sorted(os.listdir(work)) == ["cut.jsonl.gz", "damaged.jsonl", "empty.jsonl", "out.sqlite", "torn.jsonl",
                                    "twice.jsonl", "waited.jsonl"], os.listdir(work)

print(f"{len(seen)} columns, {len(cases)} cases")
END

#!/usr/bin/env python3
"""The evidence's page: every solver on every problem of the collection, in one HTML file that needs no network.

    scripts/evidence/page.py RECORDS.jsonl[.gz]... -o PAGE.html

A solver is its name with its settings. It has solved a case where the harness's own ending is `converged` or
`accuracy_floor` with an error within the tolerance; of the class `infeasible`, where it ends `infeasible`. The numbers
are worked out in the page, by page.js, from what is embedded: a row for each problem, solver and tolerance.
"""
import argparse
import gzip
import json
import os
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
STYLE = HERE.parent.parent / "harness" / "report" / "report.css"
TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence: solvers of frictional contact</title><style>{style}</style></head><body>
<h1>Evidence: solvers of frictional contact</h1>
<noscript><p>This page works its tables out by a script, which this browser does not run.</p></noscript>
<main></main><script type="application/json" id="data">{data}</script><script>{script}</script></body></html>
"""


def records_of(paths):
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record.get("kind") == "case":
                    yield record


def class_of(record):
    """The folder that the problem lies in: collection/full/rest/arch.h5 is of the class rest."""
    return pathlib.PurePath(record["settings"]["problem_file"]).parent.name or "other"


def reached(record):
    """Whether it came within its tolerance; as outcome.c, that much of rounding is no failure."""
    error = record["errors"]["step_error"]
    return (record["ending"] in ("converged", "accuracy_floor") and error is not None
            and error <= record["settings"]["tol"] * (1 + 1e-9))


def solved(record, kind):
    return record["ending"] == "infeasible" if kind == "infeasible" else reached(record)


OPTIONS = {"solver": "--solver", "newton_iters": "--newton-iters", "tol": "--tol", "precision": "--precision",
           "islands": "--islands", "threads": "--threads", "start": "--start"}
OF_NEWTON = {"ncp": "--ncp", "scaling": "--scaling", "linear": "--linear", "precond": "--precond", "shift": "--shift",
             "linear_iters": "--linear-iters", "damping": "--damping", "newton_form": "--newton-form",
             "operator": "--operator"}


def options_of(settings):
    """The options with which `ncpbench solve` repeats a case, as words."""
    options = dict(OPTIONS, **(OF_NEWTON if settings["solver"].split(":")[0] == "newton" else {}))
    given = [(option, settings[key]) for key, option in options.items() if settings.get(key) is not None]
    return [str(word) for pair in given for word in pair] + (["--linearized"] if settings["linearized"] else [])


def row_of(record, kind):
    """[time in ms or None, ending, error, iterations]; a solver whose timed runs failed has not solved it."""
    done, median = solved(record, kind), record["times"]["median"]
    ending = record["ending"] if not done else "not timed" if median is None else "solved"
    return [median * 1e3 if ending == "solved" else None, ending, record["errors"]["step_error"],
            record["counts"]["newton"]]


def collect(records):
    problems, solvers, tolerances, machines, options, limit = {}, [], [], set(), {}, 0
    for record in records:
        settings = record["settings"]
        if settings["mode"] != "step" or settings["tol"] is None:
            continue
        kind = class_of(record)
        problem = problems.setdefault(settings["problem_hash"], {
            "name": settings["problem"], "class": kind, "file": settings["problem_file"],
            "hash": settings["problem_hash"], "sizes": None, "rank": None, "runs": {}})
        if record["sizes"]["rows"] or record["sizes"]["dofs"]:
            problem["sizes"], problem["rank"] = record["sizes"], record["features"]["rank"]
        for known, value in ((solvers, settings["solver"]), (tolerances, settings["tol"])):
            if value not in known:
                known.append(value)
        problem["runs"].setdefault(f"{settings['tol']:g}", {})[settings["solver"]] = row_of(record, kind)
        options.setdefault(settings["solver"], " ".join(map(shlex.quote, options_of({**settings, "tol": None}))))
        limit = max(limit, settings["time_limit"])
        origin = record["provenance"]
        machines.add(f"{origin['cpu']}, ncpbench {origin['version']} ({origin['commit']})")
    return {"problems": sorted(problems.values(), key=lambda p: (p["class"], p["name"])), "solvers": solvers,
            "tolerances": [f"{tol:g}" for tol in sorted(tolerances, reverse=True)], "machines": sorted(machines),
            "options": options, "limit": limit}


def main():
    parser = argparse.ArgumentParser(description="The evidence's page from records.")
    parser.add_argument("records", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    data = collect(records_of(arguments.records))
    if not data["problems"]:
        sys.exit(f"page.py: {arguments.records[0]}: no case with a tolerance")
    text = TEMPLATE.format(style=STYLE.read_text() + (HERE / "page.css").read_text(),
                           script=(HERE / "page.js").read_text(), data=json.dumps(data).replace("<", "\\u003c"))
    new = arguments.output + ".new"
    pathlib.Path(new).write_text(text, encoding="utf-8")
    os.replace(new, arguments.output)
    print(f"{arguments.output}: {len(data['problems'])} problems, {len(data['solvers'])} solvers")


if __name__ == "__main__":
    main()

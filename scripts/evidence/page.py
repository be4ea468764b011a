#!/usr/bin/env python3
"""The evidence's page: every solver on every problem of the collection, in one HTML file that needs no network.

    scripts/evidence/page.py RECORDS.jsonl[.gz]|FOLDER... [--pictures PICTURES.zip] -o PAGE.html
    scripts/evidence/page.py SUBMISSION... [--pictures PICTURES.zip] --site FOLDER

Each argument is a submission: a file of records, or a folder of such files and, perhaps, of pictures. A solver that an
earlier one has, too, is called by the name of its own before. A site is the page as index.html, the pictures, and each
submission's records beside it.

A solver is its name with its settings. It has solved a case where the harness's own ending is `converged` or
`accuracy_floor` with an error within the tolerance; of the class `infeasible`, where it ends `infeasible`. The numbers
are worked out in the page, by page.js, from what is embedded: a row for each problem, solver and tolerance.
"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import shlex
import zipfile

import whole

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent  # of the sources, or share/ncpbench of an installation
STYLES = ROOT / "harness" / "report" / "report.css", HERE / "report.css"
TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence: solvers of frictional contact</title><style>{style}</style></head><body>
<h1>Evidence: solvers of frictional contact</h1>
<noscript><p>This page works its tables out by a script, which this browser does not run.</p></noscript>
<main></main><dialog></dialog><script type="application/json" id="data">{data}</script><script>{script}</script></body></html>
"""


def files_of(submission):
    """The files of records of a submission, which is such a file or a folder of them."""
    path = pathlib.Path(submission)
    files = sorted(path.glob("*.jsonl")) + sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]
    if not files:
        whole.refuse(f"{submission}: no .jsonl and no .jsonl.gz in it")
    return files


def name_of(submission):
    return re.sub(r"\.jsonl(\.gz)?$", "", pathlib.Path(submission).resolve().name)


PARTS = {"settings", "provenance", "ending", "errors", "times", "counts", "sizes", "features"}


def records_of(submissions):
    """Each record with the name of its submission."""
    for submission in submissions:
        for path in files_of(submission):
            for number, line in whole.lines_of(path):
                try:
                    record = json.loads(line)
                except ValueError:
                    record = None
                if not isinstance(record, dict) or record.get("kind") == "case" and not PARTS <= record.keys():
                    whole.refuse(f"{path}:{number}: not a record")
                if record.get("kind") == "case":
                    yield name_of(submission), record


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
    problems, solvers, tolerances, options, limit = {}, [], [], {}, 0
    owner, machine_of, computers, origins = {}, {}, [], set()
    for submission, record in records:
        settings = record["settings"]
        if settings["mode"] != "step" or settings["tol"] is None:
            continue
        kind = class_of(record)
        problem = problems.setdefault(settings["problem_hash"], {
            "name": settings["problem"], "class": kind, "file": settings["problem_file"],
            "hash": settings["problem_hash"], "sizes": None, "rank": None, "runs": {}})
        if record["sizes"]["rows"] or record["sizes"]["dofs"]:
            problem["sizes"], problem["rank"] = record["sizes"], record["features"]["rank"]
        solver, origin = settings["solver"], record["provenance"]
        if owner.setdefault(solver, submission) != submission:
            solver = f"{submission}: {solver}"
        machine = [origin["cpu"], origin.get("host"), origin.get("memory")]
        for known, value in ((solvers, solver), (tolerances, settings["tol"]), (computers, machine)):
            if value not in known:
                known.append(value)
        problem["runs"].setdefault(f"{settings['tol']:g}", {})[solver] = row_of(record, kind)
        options.setdefault(solver, " ".join(map(shlex.quote, options_of({**settings, "tol": None}))))
        machine_of.setdefault(solver, computers.index(machine))
        limit = max(limit, settings["time_limit"])
        origins.add((submission, f"{origin['cpu']}, ncpbench {origin['version']} ({origin['commit']})"))
    several = len({name for name, _ in origins}) > 1
    return {"problems": sorted(problems.values(), key=lambda p: (p["class"], p["name"])), "solvers": solvers,
            "tolerances": [f"{tol:g}" for tol in sorted(tolerances, reverse=True)],
            "machines": [f"{name}: {text}" if several else text for name, text in sorted(origins)],
            "options": options, "limit": limit, "processors": [cpu for cpu, _, _ in computers], "machine_of": machine_of,
            "collection": collection()}


def collection():
    """What identifies the collection: how many problems it has, and the SHA-256 of their list; None without it."""
    path = ROOT / "data" / "collection.list"
    if not path.exists():
        return None
    text = path.read_bytes()
    return {"problems": len(text.splitlines()), "hash": hashlib.sha256(text).hexdigest()}


def citation():
    """How to cite it, in words, of CITATION.cff; None without that."""
    path = ROOT / "CITATION.cff"
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    field = {key: value.strip('" ') for key, value in re.findall(r"(?m)^(title|version|date-released|doi): *(.*)$", text)}
    authors = re.findall(r'(?m)^  - name: "(.*)"$', text)
    return {"authors": ", ".join(authors), "title": field["title"], "version": field["version"],
            "year": field["date-released"][:4], "doi": field.get("doi")}


def add_pictures(data, pictures, folder):
    """Of each problem that has one: in the page, or as a file of the site's folder."""
    data["pictures"] = {}
    for path in pictures:
        with zipfile.ZipFile(path) as file:
            for problem in data["problems"]:
                name = problem["hash"] + ".png"
                if name not in file.namelist():
                    continue
                if folder:
                    (folder / "pictures").mkdir(exist_ok=True)
                    whole.place(folder / "pictures" / name, file.read(name))
                    data["pictures"][problem["hash"]] = "pictures/" + name
                else:
                    text = base64.b64encode(file.read(name)).decode()
                    data["pictures"][problem["hash"]] = "data:image/png;base64," + text


def copy_records(submissions, folder):
    """Into the site, by submission; their paths there."""
    copies = []
    for submission in submissions:
        for path in files_of(submission):
            copy = folder / "records" / name_of(submission) / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            whole.place(copy, path.read_bytes())
            copies.append(str(copy.relative_to(folder)))
    return copies


def main():
    parser = argparse.ArgumentParser(description="The evidence's page from records.")
    parser.add_argument("records", nargs="+")
    parser.add_argument("--pictures", action="append", default=[], help="of pictures.py; may be repeated")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("-o", "--output")
    where.add_argument("--site")
    arguments = parser.parse_args()
    for path in arguments.records + arguments.pictures:
        if not os.path.exists(path):
            whole.refuse(f"{path}: is not there")
    names = [name_of(path) for path in arguments.records]
    if len(set(names)) < len(names):
        whole.refuse("two submissions of one name: " + ", ".join(sorted({n for n in names if names.count(n) > 1})))
    data = collect(records_of(arguments.records))
    if not data["problems"]:
        whole.refuse(f"{arguments.records[0]}: no case with a tolerance")
    folder = pathlib.Path(arguments.site) if arguments.site else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        arguments.output = str(folder / "index.html")
    found = [str(zipped) for path in arguments.records for zipped in sorted(pathlib.Path(path).glob("*.zip"))]
    add_pictures(data, arguments.pictures + found, folder)
    data["records"] = copy_records(arguments.records, folder) if folder else []
    data["cite"] = citation()
    style = next(path for path in STYLES if path.exists())
    text = TEMPLATE.format(style=style.read_text() + (HERE / "page.css").read_text(),
                           script=(HERE / "page.js").read_text(), data=json.dumps(data).replace("<", "\\u003c"))
    whole.place(arguments.output, text.encode())
    print(f"{arguments.output}: {len(data['problems'])} problems, {len(data['solvers'])} solvers")


if __name__ == "__main__":
    whole.run(main)

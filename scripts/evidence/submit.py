#!/usr/bin/env python3
"""Whether records can join the evidence: what each has to hold, and a sample solved and judged again.

    ncpbench submit RECORDS.jsonl[.gz] --problems FOLDER [--list LIST] [--sample N] [--plugin NAME.so ...]
        [-o SUBMISSION.jsonl.gz]

It is what this command runs, with its program in PROGRAM (docs/guide/submitting.md).

Refused are lines that are not records, problems that the list does not have under that hash, cases without a tolerance
or without the machine that they ran on, endings that the errors contradict, and one case twice. Of the solved ones N,
evenly over the file, are solved again with the recorded settings, by the plugins that are named; the solution is
stored, and `ncpbench judge` has to find it within the tolerance, its error within a tenth of the tolerance of the
record's. Exits 0 where all holds, 1 where something does not, each said in a line.

Where all holds, -o writes what the page needs, small enough to commit: the records with the first, the best and the
last entry of their traces.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import whole
from page import options_of, reached

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MACHINE = ("cpu", "commit", "version", "compiler", "date")


def fault_of(record, hashes, seen):
    """What is wrong with a record, or None."""
    settings, errors = record["settings"], record["errors"]
    if settings["mode"] != "step" or settings["tol"] is None:
        return "a case without a tolerance"
    if settings["problem_hash"] not in hashes:
        return f"{settings['problem']} of hash {settings['problem_hash'][:12]} is not in the list"
    if any(not record["provenance"].get(key) for key in MACHINE):
        return "no provenance: " + ", ".join(key for key in MACHINE if not record["provenance"].get(key))
    if record["key"] in seen:
        return "the case of line %d again" % seen[record["key"]]
    error = errors["step_error"]
    if record["ending"] == "converged" and not reached(record):
        return f"converged with an error of {error} to {settings['tol']}"
    times = record["times"]["solve"]
    if reached(record) and (not times or any(not 0 < t < float("inf") for t in times)):
        return "solved without times"
    return None


def read(path, hashes):
    """The records without a fault, and the faults in words."""
    good, faults, seen = [], [], {}
    for number, line in whole.lines_of(path):
        try:
            record = json.loads(line)
            if record["kind"] != "case":
                continue
            fault = fault_of(record, hashes, seen)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            fault = f"not a record ({error!r})"
        if fault:
            faults.append(f"{path}:{number}: {fault}")
        else:
            seen[record["key"]] = number
            good.append(record)
    return good, faults


def judge_again(program, plugins, record, problem):
    """What differs where the case is solved again and its stored solution judged, or None. Where that run went on for
    sharper velocities, which sweeps do not, the record tells of the end of the trace."""
    settings = record["settings"]
    with tempfile.TemporaryDirectory() as folder:
        solution = f"{folder}/solution.h5"
        command = [program, "solve", str(problem), "-o", solution, "--floor", "no", "--repetitions", "1",
                   "--json"]
        command += [word for plugin in plugins for word in ("--plugin", plugin)]
        command += options_of(settings)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 and not os.path.exists(solution):
            return f"solved again it exits {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
        judge = [program, "judge", solution, "--json"] + (["--linearized"] if settings["linearized"] else [])
        judged = json.loads(subprocess.run(judge, capture_output=True, text=True).stdout)["errors"]["step_error"]
    again = json.loads(done.stdout)
    found = again["trace"]["step_error"][-1] if again["counts"].get("further") else judged
    if judged > settings["tol"] or abs(found - record["errors"]["step_error"]) > 0.1 * settings["tol"]:
        return f"its solution is judged {found:.3g}, the record says {record['errors']['step_error']:.3g}"
    return None


def thin(record):
    """The record with three entries of its trace at most."""
    trace, best = record["trace"], record["best"].get("iteration")
    last = len(trace["iteration"]) - 1
    kept = [i for i, iteration in enumerate(trace["iteration"]) if i in (0, last) or iteration == best]
    return dict(record, trace={name: [column[i] for i in kept] for name, column in trace.items()})


def write(path, records):
    """Whole or not at all, and the same bytes for the same records."""
    lines = (json.dumps(thin(record), separators=(",", ":")).encode() + b"\n" for record in records)
    whole.place(path, gzip.compress(b"".join(lines), 9, mtime=0))


def main():
    parser = argparse.ArgumentParser(description="Whether records can join the evidence.")
    parser.add_argument("records")
    parser.add_argument("--problems", required=True, help="the collection, as make collection makes it")
    parser.add_argument("--list", default=str(ROOT / "data" / "collection.list"))
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--plugin", action="append", default=[], help="with the solver; may be repeated")
    parser.add_argument("-o", "--output", help="the submission, .jsonl.gz, where all holds")
    arguments = parser.parse_args()
    program = os.environ.get("PROGRAM", str(ROOT / "build" / "ncpbench"))
    hashes = dict(line.split(maxsplit=1) for line in pathlib.Path(arguments.list).read_text().splitlines())
    good, faults = read(arguments.records, hashes)
    solved = [record for record in good if reached(record)]
    count = min(arguments.sample, len(solved))
    sample = [solved[i * len(solved) // count] for i in range(count)]
    for record in sample:
        problem = pathlib.Path(arguments.problems) / hashes[record["settings"]["problem_hash"]]
        fault = judge_again(program, arguments.plugin, record, problem) if problem.exists() else f"{problem} is not there"
        if fault:
            faults.append(f"{record['settings']['problem']}, {record['settings']['solver']}: {fault}")
    for fault in faults[:20]:
        print(fault)
    print(f"{arguments.records}: {len(good)} records as they should be, {len(faults)} faults; of {len(solved)} solved ones "
          f"{count} solved and judged again")
    if arguments.output and good and not faults:
        write(arguments.output, good)
    sys.exit(1 if faults or not good else 0)


if __name__ == "__main__":
    whole.run(main)

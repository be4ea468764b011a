#!/usr/bin/env python3
"""Which verdicts a measure changes, and what the natural map passes that step_error does not:

    scripts/verdicts.py OLD [--program build/ncpbench] [--fclib FOLDER] [--tol 1e-8] [--limit 6] [--records OUT.json]

OLD is a build of ncpbench with the measure of before. The scenes, as they are and linearised, and the FCLIB files of a
folder are solved to the tolerance by each program with some methods, each in `--limit` seconds. Each answer is judged
by both: a verdict has changed where one calls it converged and the other does not. Of the present program's runs the
smallest natural map and step_error are kept, too. Prints two Markdown tables; docs/notes/verdicts.md has them, with the
reasons."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

METHODS = ["proximal_newton", "newton", "nsgs", "apgd", "admm"]
SCENES_LEFT_OUT = {"granular_silo", "pneunet", "pneunet_finger", "material_extension"}  # minutes each
PARTS = ["penetration", "complementarity", "cone", "sliding", "bilateral", "momentum"]


def run(program, words, limit):
    """The record, or None where it takes too long or is refused."""
    try:
        done = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True, timeout=limit)
        return json.loads(done.stdout) if done.returncode < 2 else None
    except (subprocess.TimeoutExpired, ValueError):
        return None


def largest_part(record):
    errors = record["errors"]
    return max(PARTS, key=lambda part: errors.get("step_" + part) or 0)


def smallest(record, name):
    return min((x for x in record["trace"][name] if x is not None), default=float("inf"))


def judge_both(answer, programs, options):
    """What each program says of an answer: [(error, largest part)]."""
    said = []
    for program in programs:
        record = run(program, ["judge", answer, "--tol", options.tol], 60)
        if record is None or record["errors"]["step_error"] is None:
            return None
        said.append((record["errors"]["step_error"], largest_part(record)))
    return said


def problems(options, folder):
    listed = subprocess.run([options.program, "list", "scene"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines()[1:]:
        scene = line.split()[0]
        if scene in SCENES_LEFT_OUT:
            continue
        file = folder / f"{scene}.h5"
        subprocess.run([options.program, "export", scene, "-o", file], capture_output=True, check=True)
        yield scene, file, []
        yield scene + ", linearised", file, ["--linearized"]
    for file in sorted(pathlib.Path(options.fclib).glob("*.hdf5")) if options.fclib else []:
        yield file.stem, file, []


def try_case(options, name, file, form, method, folder, rows):
    for k, program in enumerate((options.old, options.program)):
        answer = folder / "answer.h5"
        answer.unlink(missing_ok=True)
        record = run(program, ["solve", file, "--solver", method, "--tol", options.tol, "--repetitions", 0,
                               "--floor", "no", "-o", answer, *form], options.limit)
        if record is None or not answer.exists():
            continue
        row = {"problem": name, "method": method, "by": ("old", "new")[k], "ending": record["ending"],
               "natural_map": smallest(record, "natural_map"), "step_error": smallest(record, "step_error")}
        said = judge_both(answer, (options.old, options.program), options)
        if said:
            row.update(old=said[0][0], new=said[1][0], part=said[1][1])
        rows.append(row)


def print_tables(rows, tolerance):
    judged = [row for row in rows if "old" in row]
    changed = [row for row in judged if (row["old"] <= tolerance) != (row["new"] <= tolerance)]
    print(f"{len(judged)} answers, {len(changed)} verdicts changed at {tolerance:g}.\n")
    print("| problem | method | its run had | error before | error now | most of it |\n|---|---|---|---|---|---|")
    for row in changed:
        print(f"| {row['problem']} | `{row['method']}` | the measure {'of before' if row['by'] == 'old' else 'of now'} "
              f"| {row['old']:.0e} | {row['new']:.0e} | {row['part']} |")
    now = [row for row in rows if row["by"] == "new"]
    by_map = [row for row in now if row["natural_map"] <= tolerance < row["step_error"]]
    by_error = [row for row in now if row["step_error"] <= tolerance < row["natural_map"]]
    print(f"\n{len(now)} runs of now: the natural map reaches {tolerance:g} in "
          f"{sum(row['natural_map'] <= tolerance for row in now)}, step_error in "
          f"{sum(row['step_error'] <= tolerance for row in now)}; {len(by_map)} pass by the natural map only, "
          f"{len(by_error)} by step_error only.\n")
    print("| problem | method | passes | natural map | step_error |\n|---|---|---|---|---|")
    for row in by_map + by_error:
        print(f"| {row['problem']} | `{row['method']}` | {'natural map' if row in by_map else 'step_error'} "
              f"| {row['natural_map']:.0e} | {row['step_error']:.0e} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("--program", default="build/ncpbench")
    parser.add_argument("--fclib")
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--limit", type=float, default=6)
    parser.add_argument("--records")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, file, form in problems(options, folder):
            for method in METHODS:
                try_case(options, name, file, form, method, folder, rows)
            print(name, len(rows), file=sys.stderr, flush=True)
            if options.records:
                pathlib.Path(options.records).write_text(json.dumps(rows))
    print_tables(rows, options.tol)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Figures and tables of the CUDA solvers from the records of scripts/gpu_bench.sh:

    scripts/gpu_figures.py gpu_step.jsonl gpu_linear.jsonl -o figures [--copy BYTES_PER_SECOND]

gpu_size: time of a Newton step over the number of contacts (copies of a stack), by the CPU on one and two
cores and by each way on the device. gpu_bandwidth: the bytes that an iteration of PCR must move over the
time that it takes, over these bytes; the roof is the bandwidth of a copy. The time of an iteration is the
difference of two solves of different length, so that launch and copies of vectors drop out. Prints both as
tables. Curves without records are left out. Needs gnuplot.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent


def records(path):
    """The last record of each key, those with times only."""
    last = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                break  # torn by a killed program
            record = json.loads(line)
            if record.get("kind") == "case":
                last[record["key"]] = record
    return [r for r in last.values() if (r.get("times") or {}).get("median")]


def way(settings):
    """The curve that a case belongs to, or None."""
    linear, solver = settings["linear"] or "", settings["solver"] or ""
    if solver.startswith("cuda_newton"):
        return "whole step, one system" if "whole" in solver else "whole step, islands"
    for name in ("library", "graph", "persistent"):
        if linear == "cuda_pcr_" + name:
            return name
    if linear == "pcr":
        return "CPU, 1 core" if settings["threads"] == 1 else "CPU, %d cores" % settings["threads"]
    return None


def steps(cases):
    """(problem, precision) -> contacts and {way: seconds}."""
    out = {}
    for case in cases:
        s = case["settings"]
        if s["mode"] != "step" or not way(s):
            continue
        row = out.setdefault((s["problem"], s["precision"]), (case["sizes"]["contacts"], {}))
        row[1][way(s)] = case["times"]["median"]
    return out


def bytes_moved(case):
    """Matrix once, eighteen vectors of three, z's neighbours once (docs/gpu-notes.md)."""
    size = 8 if case["settings"]["precision"] == "f64" else 4
    rows, blocks = case["sizes"]["rows"] / 3, case["sizes"]["entries"] / 9
    return blocks * (9 * size + 4) + rows * (4 + 18 * 3 * size)


def iterations(cases):
    """(problem, precision, way) -> bytes and seconds of an iteration."""
    longest = {}
    for case in cases:
        s = case["settings"]
        if s["mode"] == "linear_system" and way(s) and case["counts"]["linear"]:
            key = (s["problem"], s["precision"], way(s))
            longest.setdefault(key, []).append(
                (case["counts"]["linear"], case["times"]["median"], bytes_moved(case)))
    out = {}
    for key, runs in longest.items():
        runs.sort()
        (n, short, size), (m, long, _) = runs[0], runs[-1]
        if m > n and long > short:
            out[key] = (size, (long - short) / (m - n))
    return out


def table_of_steps(table):
    print("whole steps [ms]")
    for (problem, precision), (contacts, by_way) in sorted(table.items(), key=lambda item: item[1][0]):
        times = ", ".join("%s %.4g" % (w, 1e3 * t) for w, t in sorted(by_way.items()))
        print("  %-20s %s %7d contacts: %s" % (problem, precision, contacts, times))


def table_of_iterations(table):
    print("iterations of PCR: MB, microseconds, GB/s")
    for (problem, precision, name), (size, seconds) in sorted(table.items()):
        print("  %-14s %s %-13s %9.3f %9.2f %9.1f" %
              (problem, precision, name, size / 1e6, 1e6 * seconds, size / seconds / 1e9))


def curves_of_size(table):
    curves = {}
    for (problem, precision), (contacts, by_way) in table.items():
        if problem.startswith("stacks_") and precision == "f64":
            for name, seconds in by_way.items():
                curves.setdefault(name, []).append((contacts, seconds))
    return curves


def curves_of_bandwidth(table):
    curves = {}
    for (_, precision, name), (size, seconds) in table.items():
        if precision == "f64":
            curves.setdefault(name, []).append((size, size / seconds))
    return curves


def draw(figure, curves, folder, variables):
    if not curves:
        print("%s: no records" % figure)
        return
    names = sorted(curves)
    data = folder / (figure + ".dat")
    with open(data, "w", encoding="utf-8") as out:
        for name in names:
            out.write("# %s\n" % name)
            out.writelines("%.9g %.9g\n" % point for point in sorted(curves[name]))
            out.write("\n\n")
    for kind in ("pdf", "png"):
        setup = ["data = '%s'" % data, "format = '%s'" % kind,
                 "output = '%s'" % (folder / ("%s.%s" % (figure, kind))),
                 "curves = %d" % len(names), "array curve[%d]" % len(names)]
        setup += ["curve[%d] = '%s'" % (i + 1, name) for i, name in enumerate(names)]
        setup += ["%s = %s" % pair for pair in variables.items()]
        script = "\n".join(setup) + "\nload '%s'\n" % (HERE / "plots" / "gpu" / (figure + ".gp"))
        subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)
    print("%s.pdf, %s.png: %d curves" % (folder / figure, folder / figure, len(names)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+")
    parser.add_argument("-o", "--output", default="figures")
    parser.add_argument("--copy", type=float, default=0, help="bandwidth of a copy [B/s]; 0: no roof")
    arguments = parser.parse_args()
    cases = [case for path in arguments.records for case in records(path)]
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    whole, linear = steps(cases), iterations(cases)
    table_of_steps(whole)
    table_of_iterations(linear)
    draw("gpu_size", curves_of_size(whole), folder, {})
    draw("gpu_bandwidth", curves_of_bandwidth(linear), folder, {"roof": arguments.copy})
    return 0


if __name__ == "__main__":
    sys.exit(main())

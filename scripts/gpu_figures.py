#!/usr/bin/env python3
"""Figures and tables of the CUDA solvers from the records of scripts/gpu_bench.sh, and from nothing else:

    scripts/gpu_figures.py RECORDS.jsonl[.gz]... -o figures [--copy gpu.copy.json | BYTES_PER_SECOND]

gpu_size: time of a Newton step over the number of contacts (copies of a stack), by the CPU and by each way
on the device; the crossover, where the device's best passes one core, is printed. gpu_roofline: operations
a second of an iteration of PCR over its operations a byte; the roof is the bandwidth of a copy.
gpu_bandwidth: the bytes that an iteration must move over the time that it takes, over these bytes. The time
of an iteration is the difference of two solves of different length, so that launch and copies of vectors
drop out. Tables: whole steps, the same beside Macklin et al. 2019, table 2; iterations; and the silos' time
of an iteration, share of the copy's bandwidth, and what the step leaves. What has no record is left out.
Without gnuplot there are the tables only.
"""
import argparse
import gzip
import json
import math
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent


def records(path):
    """The last record of each key, those with times only."""
    last = {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                break  # torn by a killed program
            record = json.loads(line)
            if record.get("kind") == "case":
                last[record["key"]] = record
    return [r for r in last.values() if (r.get("times") or {}).get("median")]


# Macklin et al. 2019, table 2: assembly and solve of a step [ms], and the iterations.
PAPER = {"arch_step": ("Arch", 7.75 + 0.15, 6, 20), "table_pile_step": ("Table Pile", 3.7 + 0.1, 4, 20),
         "beam_step": ("Fetch Beam", 18.6 + 0.2, 6, 50), "pneunet_step": ("PneuNet", 22.25 + 0.3, 4, 80),
         "stacks_340": ("Humanoid Run", 8.9 + 0.8, 4, 10)}


def way(settings):
    """The curve of PCR that a case belongs to, or None."""
    name = way_of_driving(settings)
    return name + ", by factors" if name and settings.get("operator") == "factored" else name


def way_of_driving(settings):
    """The same but for the operator's form: what takes the step or the linear solve."""
    linear, solver = settings["linear"] or "", settings["solver"] or ""
    parts = solver.split(":")
    given = parts + linear.split(":")
    by = [p[len("by="):] for p in given if p.startswith("by=")]
    other = [p for p in given if p.startswith(("storage=", "in=", "preconditioner="))]
    if solver.startswith("cuda_newton") and linear.split(":")[0] == "pcr":
        return ", ".join(["whole step"] + by + other)
    if linear.split(":")[0] == "cuda_pcr":
        return ", ".join((by if by == ["library"] else ["persistent"] + by) + other)
    if linear == "pcr":
        cores = "CPU, 1 core" if settings["threads"] == 1 else "CPU, %d cores" % settings["threads"]
        return ", ".join([cores] + other)
    return None


def steps(cases):
    """(problem, precision) -> contacts and {way: seconds}."""
    out = {}
    for case in cases:
        s = case["settings"]
        if s["mode"] != "step" or not way(s):
            continue
        if s["problem"] in PAPER and (s["newton_iters"], s["linear_iters"]) != PAPER[s["problem"]][2:]:
            continue  # not what the paper's time is of
        row = out.setdefault((s["problem"], s["precision"]), (case["sizes"]["contacts"], {}))
        row[1][way(s)] = case["times"]["median"]
    return out


def size_of_number(settings):
    return 8 if settings["precision"] == "f64" else 4


def bytes_moved(case):
    """Matrix once, sixteen vectors of three, z's neighbours once (docs/notes/gpu-notes.md)."""
    size = size_of_number(case["settings"])
    stored = 2 if "storage=" in (case["settings"]["linear"] or "") else size
    rows, blocks = case["sizes"]["rows"] / 3, case["sizes"]["entries"] / 9
    return blocks * (9 * stored + 4) + rows * (4 + 16 * 3 * size)


def operations(case):
    """Multiplications and additions: product, five vectors one step on, P^-1 of two, four inner products."""
    return 2 * case["sizes"]["entries"] + 20 * case["sizes"]["rows"]


def iterations(cases):
    """(problem, precision, way) -> bytes, seconds and operations of an iteration, and the longest solve."""
    longest = {}
    for case in cases:
        s = case["settings"]
        if s["mode"] == "linear_system" and way(s) and case["counts"]["linear"]:
            key = (s["problem"], s["precision"], way(s))
            longest.setdefault(key, []).append(
                (case["counts"]["linear"], case["times"]["median"], case))
    out = {}
    for key, runs in longest.items():
        runs.sort(key=lambda run: run[0])
        (n, short, _), (m, long, case) = runs[0], runs[-1]
        if m > n and long > short:
            out[key] = (bytes_moved(case), (long - short) / (m - n), operations(case), case)
    return out


def table_of_steps(table):
    print("whole steps [ms]")
    for (problem, precision), (contacts, by_way) in sorted(table.items(), key=lambda item: item[1][0]):
        times = ", ".join("%s %.4g" % (w, 1e3 * t) for w, t in sorted(by_way.items()))
        print("  %-20s %s %7d contacts: %s" % (problem, precision, contacts, times))


def table_of_other_solvers(cases):
    """Whole steps by other linear solvers, which are no part of PCR's curves."""
    print("whole steps by other linear solvers than PCR [ms]; step_error after them")
    for case in cases:
        s = case["settings"]
        linear, *given = (s["linear"] or "").split(":")
        name = way({**s, "linear": ":".join(["pcr"] + given)})
        if s["mode"] == "step" and name and linear not in ("", "pcr") and not linear.startswith("cuda_"):
            print("  %-20s %s %-22s %-28s %8.4g  %.3e" %
                  (s["problem"], s["precision"], linear, name, 1e3 * case["times"]["median"],
                   (case.get("errors") or {}).get("step_error") or float("nan")))


def table_of_iterations(table):
    print("iterations of PCR: MB, microseconds, GB/s")
    for (problem, precision, name), (size, seconds, _, _) in sorted(table.items(), key=lambda i: i[0]):
        print("  %-14s %s %-26s %9.3f %9.2f %9.1f" %
              (problem, precision, name, size / 1e6, 1e6 * seconds, size / seconds / 1e9))


def table_beside_paper(table):
    """One line a scene of table 2: the device's best of each precision, and the paper's over it."""
    print("steps beside Macklin et al. 2019, table 2 [ms]")
    for problem, (name, paper, newton, linear) in PAPER.items():
        for precision in ("f64", "f32"):
            by_way = table.get((problem, precision), (0, {}))[1]
            mine = [(t, w) for w, t in by_way.items()
                    if not w.startswith("CPU") and "storage=" not in w]  # which solves another system
            if mine:
                seconds, best = min(mine)
                print("  %-13s %d x %-3d %6.2f  %s %-22s %8.4f  %6.1f times" %
                      (name, newton, linear, paper, precision, best, 1e3 * seconds,
                       paper / (1e3 * seconds)))


def table_of_silos(cases, table, copy):
    """Time of an iteration against the copy's bandwidth, with what solve and step leave."""
    print("silos: MB and microseconds an iteration, share of a copy's bandwidth; residual after so many")
    for (problem, precision, name), (size, seconds, _, case) in sorted(table.items(), key=lambda i: i[0]):
        if problem.startswith("silo_"):
            share = "%5.1f %%" % (100 * size / seconds / copy) if copy else "  no copy"
            print("  %-10s %s %-26s %9.3f %10.1f  %s   %.3e after %d" %
                  (problem, precision, name, size / 1e6, 1e6 * seconds, share,
                   (case.get("errors") or {}).get("residual") or float("nan"), case["counts"]["linear"]))
    print("silos: ms a step; step_error and penetration after it")
    for case in cases:
        s, errors = case["settings"], case.get("errors") or {}
        if s["mode"] == "step" and s["problem"].startswith("silo_") and way(s):
            print("  %-10s %s %-22s %d x %-3d %9.2f   %.3e  %.3e m" %
                  (s["problem"], s["precision"], way(s), case["counts"]["newton"],
                   case["counts"]["linear"] // max(1, case["counts"]["newton"]),
                   1e3 * case["times"]["median"], errors.get("step_error") or float("nan"),
                   errors.get("penetration") or float("nan")))


def crossover(curves):
    """Contacts from which on the device's best is faster than one core, between two sizes where it changes."""
    host = dict(curves.get("CPU, 1 core", []))
    best = {}
    for name, points in curves.items():
        if not name.startswith("CPU"):
            for contacts, seconds in points:
                best[contacts] = min(best.get(contacts, (seconds, name)), (seconds, name))
    sizes = sorted(set(host) & set(best))
    ratios = [(n, host[n] / best[n][0], best[n][1]) for n in sizes]
    for n, ratio, name in ratios:
        print("  %7d contacts: one core takes %8.3f times the time of %s" % (n, ratio, name))
    for (n, before, _), (m, after, _) in zip(ratios, ratios[1:]):
        if before < 1 <= after:
            share = math.log(1 / before) / math.log(after / before)
            return n * (m / n) ** share
    return None


def curves_of_size(table):
    curves = {}
    for (problem, precision), (contacts, by_way) in table.items():
        if problem.startswith("stacks_") and precision == "f64":
            for name, seconds in by_way.items():
                curves.setdefault(name, []).append((contacts, seconds))
    return curves


def curves_of_bandwidth(table):
    curves = {}
    for (_, precision, name), (size, seconds, _, _) in table.items():
        if precision == "f64":
            curves.setdefault(name, []).append((size, size / seconds))
    return curves


def curves_of_roofline(table):
    curves = {}
    for (_, precision, name), (size, seconds, work, _) in table.items():
        if not name.startswith("CPU"):
            curves.setdefault("%s, %s" % (precision, name), []).append((work / size, work / seconds))
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
        setup += ["load '%s'" % (HERE / "plots" / "gpu" / (name + ".gp")) for name in ("gpu_style", figure)]
        subprocess.run(["gnuplot", "-"], input="\n".join(setup) + "\n", text=True, check=True)
    print("%s.pdf, %s.png: %d curves" % (folder / figure, folder / figure, len(names)))


def bandwidth(given):
    """[B/s]; 0 where it was not measured."""
    if not given.endswith(".json"):
        return float(given)
    path = pathlib.Path(given)
    return json.loads(path.read_text(encoding="utf-8"))["copy"] if path.exists() else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+")
    parser.add_argument("-o", "--output", default="figures")
    parser.add_argument("--copy", default="0", help="bandwidth of a copy [B/s], or a file that has it")
    arguments = parser.parse_args()
    cases = [case for path in arguments.records if pathlib.Path(path).exists() for case in records(path)]
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    copy = bandwidth(arguments.copy)
    whole, linear = steps(cases), iterations(cases)
    table_of_steps(whole)
    table_of_other_solvers(cases)
    table_beside_paper(whole)
    table_of_iterations(linear)
    table_of_silos(cases, linear, copy)
    sizes = curves_of_size(whole)
    print("crossover")
    where = crossover(sizes)
    print("  at %.0f contacts" % where if where else "  not within these sizes")
    if not shutil.which("gnuplot"):
        print("figures need gnuplot")
        return 0
    draw("gpu_size", {name: points for name, points in sizes.items() if len(points) > 1}, folder, {})
    draw("gpu_bandwidth", curves_of_bandwidth(linear), folder, {"roof": copy})
    draw("gpu_roofline", curves_of_roofline(linear), folder, {"roof": copy})
    return 0


if __name__ == "__main__":
    sys.exit(main())

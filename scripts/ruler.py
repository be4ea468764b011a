#!/usr/bin/env python3
"""Does the ruler tell what is better? Sweeps identical code under several names, and code that is slower by a tenth:

    scripts/ruler.py [--sweeps 36] [--repetitions 11] [--program build/ncpbench] [--keep FOLDER]

One preconditioner, the diagonal, is built under four names a, b, c, d, and once more with so much extra work that whole
solves take --slower times as long (1.1; found by a first sweep, and measured over all). Each sweep runs them on six
steps, as `try` does. Then a and b are compared, and c and d: disjoint pairs of the same code, of which at most 5 % may
be better or worse; each comparison's verdict, of which at most 2 % may be; how often `report --summary` names a fastest
of the four; and slow against e, a fifth copy: how often the verdict is worse. The output of the run stands in
docs/notes/ruler.md. Exit 1 where an aim is missed.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

SOURCE = """
#include <stdlib.h>
#include "solvers/strategy.h"
static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    *self = malloc((op->size + 1) * sizeof(nb_real));
    return *self ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory");
}
static enum nb_status update(void *self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    nb_real *inverse = self;
    (void)error;
    for (size_t i = 0; i < op->size; ++i)
        inverse[i] = 1 / op->diagonal[i];
    return NB_OK;
}
static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    const nb_real *inverse = self;
    volatile double burnt = 0;
    for (long k = 0; k < (long)(%s * (double)op->size); ++k)
        burnt += 1;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = inverse[i] * r[i];
}
const struct NB(nb_precond) NB(nb_precond_%s) = {.name = "%s", .title = "the diagonal", .source = "scripts/ruler.py",
    .setup = setup, .update = update, .apply = apply, .free = free};
"""
SCENES = ("heavy_stack", "arch", "box_pyramid", "incline", "two_boxes", "hinge_limits")
SPEC = """[sweep]
name = ruler
repetitions = %d
floors = no
[group steps]
problem = %s
solver = newton
ncp = min
scaling = timestep
linear = pcr:tol=1e-8
precond = %s
newton_iters = 30
linear_iters = 3000
tol = 1e-6
"""


class Ruler:
    def __init__(self, arguments, folder):
        self.program = os.path.abspath(arguments.program)
        self.build_plugin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ncpbench-plugin")
        self.folder, self.repetitions = folder, arguments.repetitions
        for scene in SCENES:
            self.run("export", scene, "-o", scene + ".h5")

    def run(self, *words, check=True):
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True)
        if check and done.returncode not in (0, 1):
            sys.exit("ruler: ncpbench %s: %s" % (" ".join(words), done.stderr))
        return done.stdout

    def build(self, name, extra):
        (self.folder / (name + ".c")).write_text(SOURCE % (extra, name, name))
        subprocess.run([self.build_plugin, name + ".c"], cwd=self.folder, check=True, capture_output=True)

    def sweep(self, names, results):
        problems = ", ".join(scene + ".h5" for scene in SCENES)
        (self.folder / "ruler.sweep").write_text(SPEC % (self.repetitions, problems, ", ".join(names)))
        plugins = [word for name in names for word in ("--plugin", "./%s.so" % name)]
        return self.run("sweep", "ruler.sweep", "-o", results, *plugins)

    def compare(self, results, a, b):
        said = self.run("compare", results, "--a", "precond=" + a, "--b", "precond=" + b, "--tol", "1e-6", "--json")
        return json.loads(said)

    def fastest(self, results):
        """Of the summary's rows that name a fastest or say undecided: how many do."""
        said = self.run("report", results, "--tol", "1e-6", "--summary")
        named = len(re.findall(r"\b[abcd]\S*: [\d.]+ \[", said))
        return named, named + said.count("undecided")


def slowdown(comparison):
    return 1 / comparison["steps"]["speed_up"]["value"]


def calibrate(ruler, slower):
    """The extra work by which whole solves take so many times as long."""
    ruler.build("e", "0")
    ruler.build("slow", "4")
    slower_by = []
    for k in range(5): # of one sweep it was off by a fifth
        results = "calibrate%d.jsonl" % k
        (ruler.folder / results).unlink(missing_ok=True)
        ruler.sweep(("e", "slow"), results)
        slower_by.append(slowdown(ruler.compare(results, "e", "slow")) - 1)
    excess = statistics.median(slower_by)
    ruler.build("slow", "%.6g" % (4 * (slower - 1) / excess))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/ncpbench")
    parser.add_argument("--sweeps", type=int, default=36)
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--slower", type=float, default=1.1)
    parser.add_argument("--keep", type=pathlib.Path, help="the folder of the records; a temporary one where not given")
    arguments = parser.parse_args()
    if arguments.sweeps < 1 or arguments.repetitions < 5 or arguments.slower <= 1:
        parser.error("--sweeps >= 1, --repetitions >= 5 and --slower > 1 are needed")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        ruler = Ruler(arguments, folder)
        calibrate(ruler, arguments.slower)
        for name in "abcd":
            ruler.build(name, "0")
        pairs, verdicts, power = (collections.Counter() for _ in range(3))
        ratios = []
        named = rows = controls = off = 0
        load = [os.getloadavg()[0]]
        for k in range(arguments.sweeps):
            same, other = "same%d.jsonl" % k, "slow%d.jsonl" % k
            for results in (same, other):
                (folder / results).unlink(missing_ok=True)
            ruler.sweep("abcd", same)
            ruler.sweep(("e", "slow"), other)
            for a, b in ("ab", "cd"):
                comparison = ruler.compare(same, a, b)
                verdicts[comparison["steps"]["verdict"]] += 1
                pairs.update(pair["verdict"] for pair in comparison["steps"]["pairs"])
            controls += comparison["control"]["pairs"]
            off += comparison["control"]["different"]
            count = ruler.fastest(same)
            named, rows = named + count[0], rows + count[1]
            comparison = ruler.compare(other, "e", "slow")
            power[comparison["steps"]["verdict"]] += 1
            ratios.append(slowdown(comparison))
            load.append(os.getloadavg()[0])
    return tell(pairs, verdicts, power, ratios, (named, rows), (off, controls), load, arguments)


def tell(pairs, verdicts, power, ratios, fastest, controls, load, arguments):
    def share(count, of):
        return 100 * count / of if of else math.nan

    count, judged = sum(pairs.values()), sum(verdicts.values())
    false_pairs = share(pairs["better"] + pairs["worse"], count)
    false_verdicts = share(judged - verdicts["not_distinguishable"], judged)
    false_fastest, found = share(*fastest), share(power["worse"], sum(power.values()))
    print("%d sweeps of %d steps, %d repetitions; load %.1f to %.1f" %
          (arguments.sweeps, len(SCENES), arguments.repetitions, min(load), max(load)))
    print("same code: better or worse in %.1f %% of %d pairs, aim 5" % (false_pairs, count))
    print("           told apart in %.1f %% of %d verdicts, aim 2   %s" % (false_verdicts, judged, dict(verdicts)))
    print("           a fastest named in %.1f %% of %d rows, aim 5" % (false_fastest, fastest[1]))
    print("           the sweeps' own control: %d of %d told apart" % controls)
    print("slower by %.1f %% (median of the sweeps): found in %.0f %% of %d sweeps, aim 90   %s" %
          (100 * (statistics.median(ratios) - 1), found, sum(power.values()), dict(power)))
    return int(not (false_pairs <= 5 and false_verdicts <= 2 and false_fastest <= 5 and found >= 90))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Whether figure 18's claim holds: conjugate residuals (PCR) leave a smaller constraint error than every
relaxation method at the same iterations, and converge more smoothly than conjugate gradients (PCG)
(Macklin et al. 2019, section 10.4).

    scripts/check_figure18.py [--program build/ncpbench] [--precision f32] [--step K] [SCENE ...]

Of every scene, or of those named, the step after K others is solved with each linear solver at 30 Newton
iterations of 40 linear ones. A line a scene: the constraint error [m/s] at the end; the roughness of PCR and
PCG, the sum of all rises of log10 of the error; the relaxation methods that lie below half of PCR's error at
any Newton iteration after the tenth. Ends with the scenes where the claim does not hold; exit status 1 if
there are any, 2 where a scene could not be run."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

RELAXATIONS = ["jacobi", "gauss_seidel", "symmetric_gauss_seidel", "sor", "ssor", "chebyshev_jacobi",
               "momentum_jacobi"]


def trace(program, problem, linear, precision, limit):
    """The constraint error after each Newton iteration; None where the solver cannot run."""
    command = [program, "solve", problem, "--linear", linear, "--precond",
               "jacobi" if linear in ("pcr", "pcg") else "none", "--precision", precision,
               "--newton-iters", "30", "--linear-iters", "40", "--repetitions", "0", "--floor", "no",
               "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        errors = json.loads(done.stdout)["trace"]["constraint_error"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None
    return [e if e is not None else math.inf for e in errors[1:]] or None


def roughness(errors):
    logs = [math.log10(max(e, 1e-300)) if math.isfinite(e) else 300 for e in errors]
    return sum(max(0, b - a) for a, b in zip(logs, logs[1:]))


def judge(program, scene, arguments):
    """(line, whether the claim holds or None)"""
    with tempfile.TemporaryDirectory() as folder:
        problem = os.path.join(folder, scene + ".h5")
        export = [program, "export", scene, "--step", str(arguments.step), "-o", problem]
        try:
            done = subprocess.run(export, capture_output=True, text=True, timeout=arguments.limit)
        except subprocess.TimeoutExpired:
            return f"{scene:24} no export within {arguments.limit:g} s", None
        if done.returncode:
            return f"{scene:24} {done.stderr.strip()}", None
        run = {linear: trace(program, problem, linear, arguments.precision, arguments.limit)
               for linear in ["pcr", "pcg"] + RELAXATIONS}
    relaxed = {name: run[name] for name in RELAXATIONS if run[name]}
    if not run["pcr"] or not run["pcg"] or not relaxed:
        return f"{scene:24} not solved", None
    pcr = run["pcr"]
    # A method that broke down keeps its last error. At the floor of rounding, a factor of two is none.
    at = lambda errors, k: errors[min(k, len(errors) - 1)]
    below = {name for name, errors in relaxed.items() for k in range(10, len(pcr))
             if at(errors, k) < 0.5 * pcr[k]}
    best = min(relaxed, key=lambda name: relaxed[name][-1])
    smooth = roughness(pcr) <= roughness(run["pcg"]) + 0.01
    line = (f"{scene:24} pcr {pcr[-1]:8.1e} pcg {run['pcg'][-1]:8.1e} best relaxation {relaxed[best][-1]:8.1e} "
            f"{best:22} roughness {roughness(pcr):5.2f} {roughness(run['pcg']):5.2f}")
    reasons = (["below PCR: " + ", ".join(sorted(below))] if below else []) + \
              ([] if smooth else ["PCR is rougher than PCG"])
    return line + ("; " + "; ".join(reasons) if reasons else ""), not reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default="build/ncpbench")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--step", type=int, default=0, help="steps to simulate before")
    parser.add_argument("--limit", type=float, default=60, help="seconds a run may take")
    parser.add_argument("scene", nargs="*")
    arguments = parser.parse_args()
    scenes = arguments.scene
    if not scenes:
        listed = subprocess.run([arguments.program, "list", "scene"], capture_output=True, text=True,
                                check=True).stdout.splitlines()
        scenes = [line.split()[0] for line in listed if line.startswith("  ")]
    failing, broken = [], []
    for scene in scenes:
        line, holds = judge(arguments.program, scene, arguments)
        print(line, flush=True)
        if holds is None:
            broken.append(scene)
        elif not holds:
            failing.append(scene)
    print(f"{len(scenes) - len(failing) - len(broken)} scenes bear the claim out; not: "
          f"{', '.join(failing) or 'none'}; not run: {', '.join(broken) or 'none'}")
    return 2 if broken else 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())

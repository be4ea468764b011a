"""Estimates the masses of all bodies of a step from how fast a known push moves them, by SciPy's L-BFGS with gradients of
the step: the sum of squares of what velocities are off is least at the true masses.

    PYTHONPATH=scripts/python python3 mass_estimation.py p.h5 [seed]
"""
import sys

import ncpbench
import numpy as np
from scipy.optimize import minimize


def moved(path, force, factors):
    """The step with those masses, pushed, and its answer."""
    problem = ncpbench.read_problem(path)
    problem.scale_masses(factors)
    problem.push(force)
    return problem, ncpbench.solve(problem)


def estimate(path, seed=1):
    """Masses over the true ones: where the search begins, and what it finds, with the number of steps solved."""
    chance = np.random.default_rng(seed)
    problem = ncpbench.read_problem(path)
    force = 10 * problem.masses.mean() * chance.normal(size=problem.dofs)
    seen = moved(path, force, np.ones(problem.masses.size))[1].v

    def misfit(logarithms):
        problem, answer = moved(path, force, np.exp(logarithms))
        off = (answer.v - seen) / np.abs(seen).max()
        slope = ncpbench.gradient(problem, answer, off / np.abs(seen).max())["mass"]
        return off @ off / 2, slope * problem.masses

    start = chance.uniform(-0.7, 0.7, problem.masses.size)
    found = minimize(misfit, start, jac=True, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-14, "maxiter": 500})
    return np.exp(start), np.exp(found.x), found.nfev


if __name__ == "__main__":
    start, found, solves = estimate(sys.argv[1], *map(int, sys.argv[2:]))
    print(f"{len(found)} masses, {solves} steps solved: off by {abs(start - 1).max():.0%} at the start, "
          f"{abs(found - 1).max():.2g} at the end")

#!/usr/bin/python3
"""A solver of frictional contact for ncpbench in 38 lines: accelerated projected gradients on W = H^T M^-1 H.

    PYTHONPATH=scripts/python ncpbench solve p.h5 --linearized --solver "external:command=python3 short_solver.py"
"""
import ncpbench
import numpy as np


def project(r, mu):
    """r_N >= 0, then |r_T| <= mu r_N, contact by contact."""
    r = r.reshape(-1, 3)
    normal = np.maximum(r[:, 0], 0)
    length = np.hypot(r[:, 1], r[:, 2])
    scale = np.minimum(1, mu * normal / np.where(length > 0, length, 1))
    return np.column_stack((normal, scale * r[:, 1], scale * r[:, 2])).ravel()


def prepare(problem):
    if problem.bilaterals:
        raise ncpbench.Error("bilateral rows are not for this example")
    M, H = problem.M.toarray(), problem.H.toarray()
    W, q, mu = H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, problem.f) + problem.w, problem.mu
    step = 1 / np.linalg.norm(W, 2)

    def solve(tolerance):
        r = y = np.zeros(q.size)
        for iteration in range(1, 20001):
            before, r = r, project(y - step * (W @ y + q), mu)
            y = r + (iteration - 1) / (iteration + 2) * (r - before)
            if np.abs(r - before).max() <= tolerance * np.abs(r).max():
                break
        return ncpbench.Answer(problem, r, v=np.linalg.solve(M, H @ r + problem.f)), iteration

    return solve


ncpbench.serve("projected gradients", prepare)

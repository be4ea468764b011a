#!/usr/bin/python3
"""A solver of frictional contact for ncpbench in 60 lines: projected Gauss-Seidel on the dense W = H^T M^-1 H.

    ncpbench solve p.h5 --linearized --solver "external:command=python3 external_solver.py:tol=1e-6"
"""
import sys

import h5py
import numpy as np


def dense(group):
    """FCLIB's matrix: triplets (nz >= 0), compressed columns (-1) or compressed rows (-2)."""
    m, n, nz = (int(np.ravel(group[k][()])[0]) for k in ("m", "n", "nz"))
    i, p, x = (np.ravel(group[k][()]) for k in "ipx")
    if nz < 0:
        outer = np.repeat(np.arange(p.size - 1), np.diff(p))
        i, p = (i[:p[-1]], outer) if nz == -1 else (outer, i[:p[-1]])
        nz = outer.size
    result = np.zeros((m, n))
    np.add.at(result, (i[:nz], p[:nz]), x[:nz])
    return result


class Step:
    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r") as file:
            group = file["fclib_local" if "fclib_local" in file else "fclib_global"]
            if "G" in group or "V" in group:
                raise ValueError("bilateral rows are not for this example")
            self.mu = group["vectors/mu"][()]
            self.M = self.H = None
            if "M" in group:
                self.M, self.H = dense(group["M"]), dense(group["H"])
                self.f, w = group["vectors/f"][()], group["vectors/w"][()]
                self.W = self.H.T @ np.linalg.solve(self.M, self.H)
                self.q = self.H.T @ np.linalg.solve(self.M, self.f) + w
            else:
                self.W, self.q = dense(group["W"]), group["vectors/q"][()]

    def solve(self, tolerance):
        """U = W r + q; contact by contact r <- P(r - U / W_nn) on the Coulomb disk (normal first)."""
        W, q, r = self.W, self.q, np.zeros(self.q.size)
        for sweep in range(1, 10001):
            change = 0.0
            for c, mu in enumerate(self.mu):
                k = slice(3 * c, 3 * c + 3)
                new = r[k] - (W[k] @ r + q[k]) / np.trace(W[k, k]) * 1.5
                new[0] = max(new[0], 0.0)
                length = np.hypot(new[1], new[2])
                if length > mu * new[0]:
                    new[1:] *= mu * new[0] / length
                change = max(change, np.abs(new - r[k]).max())
                r[k] = new
            if change <= tolerance * np.abs(r).max():
                break
        self.r = r
        return sweep

    def write(self):
        with h5py.File(self.path, "a") as file:
            if "solution" in file:
                del file["solution"]
            group = file.create_group("solution")
            group["r"], group["u"] = self.r, self.W @ self.r + self.q
            if self.M is not None:
                group["v"] = np.linalg.solve(self.M, self.H @ self.r + self.f)


step = None
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    try:
        if word == "load":
            step = Step(rest)
            answer = f"ready projected Gauss-Seidel, numpy {np.__version__}"
        elif word == "solve":
            answer = f"solved {step.solve(float(rest))}"
        elif word == "write":
            step.write()
            answer = "written"
        else:
            break
    except Exception as failure:
        answer = "error " + " ".join(str(failure).split())
    print(answer, flush=True)

#!/usr/bin/python3
"""Error of the solution stored in an FCLIB file, from the file alone.

    check_solution.py FILE.h5

reads fclib_global (M v = H r + G l + f, U = H^T v + w, G^T v + b = 0) or fclib_local
(U = W r + V l + q, V^T r + R l + s = 0) and /solution (v, r, l), and prints

    natural_map VALUE    the relative error of the natural map
    momentum VALUE       its momentum part (0 for a local problem)
    cone VALUE           its contact part, bilateral rows included
    absolute VALUE       the contact part, not divided

With F = R - P_K(R - U - (mu |U_T|, 0, 0)) per contact, and the velocity itself per bilateral row:

    global  ||M v - f - H r - G l|| / max(||f||, ||M v||, ||H r||, ||G l||)
            + ||F|| / max(||U||, ||[r; l]||)
    local   ||F|| / max(||[q; s]||, ||[r; l]||, ||U||)

Divisors of at most 1.5e-8 are left out (as in Siconos). It shares no code with ncpbench.

Exit status: 0 done, 2 the file cannot be used (one line says why)."""

import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    sys.stderr.write(f"check_solution.py: needs python3-h5py and python3-numpy: {missing}\n")
    sys.exit(2)


class BadFile(Exception):
    """The file is readable but is not a problem with a solution."""


def vector(group, name, size=None):
    """A finite vector; with a size, exactly that long. Absent: zeros where the size is 0."""
    if name not in group:
        if size == 0:
            return np.zeros(0)
        raise BadFile(f"{group.name}/{name} is missing")
    values = np.asarray(group[name][()], dtype=float).ravel()
    if size is not None and values.size != size:
        raise BadFile(f"{group.name}/{name} has {values.size} entries instead of {size}")
    if not np.all(np.isfinite(values)):
        raise BadFile(f"{group.name}/{name} holds a value that is not finite")
    return values


def scalar(group, name):
    if name not in group:
        raise BadFile(f"{group.name}/{name} is missing")
    values = np.asarray(group[name][()]).ravel()
    if values.size != 1:
        raise BadFile(f"{group.name}/{name} has {values.size} entries instead of 1")
    return int(values[0])


class Sparse:
    """FCLIB's matrix: triplets (nz >= 0), compressed columns (-1) or compressed rows (-2)."""

    def __init__(self, group):
        self.rows, self.columns = scalar(group, "m"), scalar(group, "n")
        kind = scalar(group, "nz")
        if self.rows < 0 or self.columns < 0 or kind < -2:
            raise BadFile(f"{group.name} has a size or kind that is negative")
        i, p = (vector(group, name).astype(int) for name in ("i", "p"))
        x = vector(group, "x")
        if kind >= 0:
            if min(i.size, p.size, x.size) < kind:
                raise BadFile(f"{group.name} has fewer entries than nz = {kind}")
            self.row, self.column, self.value = i[:kind], p[:kind], x[:kind]
        else:
            outer, inner = self.expand(group, i, p, self.columns if kind == -1 else self.rows, x)
            self.row, self.column = (inner, outer) if kind == -1 else (outer, inner)
            self.value = x[: outer.size]
        for index, limit in ((self.row, self.rows), (self.column, self.columns)):
            if index.size and (index.min() < 0 or index.max() >= limit):
                raise BadFile(f"{group.name} has an index outside 0..{limit - 1}")

    @staticmethod
    def expand(group, i, p, count, x):
        if p.size < count + 1 or p[0] != 0 or np.any(np.diff(p[: count + 1]) < 0):
            raise BadFile(f"{group.name}/p does not ascend from 0 over {count + 1} entries")
        entries = p[count]
        if min(i.size, x.size) < entries:
            raise BadFile(f"{group.name} has fewer than {entries} entries")
        return np.repeat(np.arange(count), np.diff(p[: count + 1])), i[:entries]

    def times(self, x):
        return np.bincount(self.row, self.value * x[self.column], self.rows)[: self.rows]

    def transposed_times(self, x):
        return np.bincount(self.column, self.value * x[self.row], self.columns)[: self.columns]


def matrix(group, name, rows=None, columns=None):
    if name not in group:
        raise BadFile(f"{group.name}/{name} is missing")
    result = Sparse(group[name])
    for what, found, wanted in (("rows", result.rows, rows), ("columns", result.columns, columns)):
        if wanted is not None and found != wanted:
            raise BadFile(f"{group.name}/{name} has {found} {what} instead of {wanted}")
    return result


def relative(error, divisor):
    return error / divisor if divisor > np.sqrt(np.finfo(float).eps) else error


def project_on_cone(z, mu):
    """Rows of z projected on the Coulomb cones |z_T| <= mu z_N."""
    tangent = np.hypot(z[:, 1], z[:, 2])
    normal = (z[:, 0] + mu * tangent) / (1 + mu * mu)
    scale = np.divide(mu * normal, tangent, out=np.zeros_like(tangent), where=tangent > 0)
    result = np.column_stack([normal, scale * z[:, 1], scale * z[:, 2]])
    inside, polar = tangent <= mu * z[:, 0], mu * tangent <= -z[:, 0]
    result[inside] = z[inside]
    result[polar & ~inside] = 0
    return result


def contact_norm(r, u, mu):
    r, u = r.reshape(-1, 3), u.reshape(-1, 3)
    modified = u.copy()
    modified[:, 0] += mu * np.hypot(u[:, 1], u[:, 2])
    return np.linalg.norm(r - project_on_cone(r - modified, mu))


def friction(vectors):
    mu = vector(vectors, "mu")
    if np.any(mu < 0):
        raise BadFile(f"{vectors.name}/mu holds a negative coefficient")
    return mu


def check_global(problem, solution):
    mass, contact = matrix(problem, "M"), matrix(problem, "H")
    bilateral = matrix(problem, "G", mass.rows) if "G" in problem else None
    count = bilateral.columns if bilateral else 0
    vectors = problem["vectors"]
    mu = friction(vectors)
    if mass.rows != mass.columns or contact.rows != mass.rows or contact.columns != 3 * mu.size:
        raise BadFile("the sizes of M, H and mu do not fit together")
    f, w = vector(vectors, "f", mass.rows), vector(vectors, "w", contact.columns)
    v, r = vector(solution, "v", mass.rows), vector(solution, "r", contact.columns)
    b, l = vector(vectors, "b", count), vector(solution, "l", count)
    mv, hr = mass.times(v), contact.times(r)
    gl = bilateral.times(l) if bilateral else np.zeros(mass.rows)
    u = contact.transposed_times(v) + w
    rail = bilateral.transposed_times(v) + b if bilateral else b
    norm = np.linalg.norm
    momentum = relative(norm(mv - f - hr - gl), max(norm(f), norm(mv), norm(hr), norm(gl)))
    absolute = np.hypot(contact_norm(r, u, mu), norm(rail))
    cone = relative(absolute, max(norm(u), np.hypot(norm(r), norm(l))))
    return momentum, cone, absolute


def check_local(problem, solution):
    delassus = matrix(problem, "W")
    vectors = problem["vectors"]
    mu = friction(vectors)
    size = 3 * mu.size
    if delassus.rows != size or delassus.columns != size:
        raise BadFile("the sizes of W and mu do not fit together")
    q, r = vector(vectors, "q", size), vector(solution, "r", size)
    u, s, l, rail = delassus.times(r) + q, np.zeros(0), np.zeros(0), np.zeros(0)
    if "V" in problem:
        coupling = matrix(problem, "V", size)
        block = matrix(problem, "R", coupling.columns, coupling.columns)
        s, l = (vector(g, n, coupling.columns) for g, n in ((vectors, "s"), (solution, "l")))
        u = u + coupling.times(l)
        rail = coupling.transposed_times(r) + block.times(l) + s
    norm = np.linalg.norm
    absolute = np.hypot(contact_norm(r, u, mu), norm(rail))
    scale = max(np.hypot(norm(q), norm(s)), np.hypot(norm(r), norm(l)), norm(u))
    return 0.0, relative(absolute, scale), absolute


def check(path):
    with h5py.File(path, "r") as file:
        if "solution" not in file:
            raise BadFile("there is no /solution group")
        for name, function in (("fclib_global", check_global), ("fclib_local", check_local)):
            if name in file:
                if "vectors" not in file[name]:
                    raise BadFile(f"/{name}/vectors is missing")
                return function(file[name], file["solution"])
    raise BadFile("there is neither fclib_global nor fclib_local")


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        wanted = arguments and arguments[0] in ("-h", "--help")
        (sys.stdout if wanted else sys.stderr).write(
            __doc__ if wanted else "usage: check_solution.py FILE.h5\n")
        return 0 if wanted else 2
    try:
        momentum, cone, absolute = check(arguments[0])
    except (BadFile, OSError, KeyError, ValueError, TypeError, AttributeError,
            RuntimeError, OverflowError) as reason:
        text = " ".join(str(reason).split())
        sys.stderr.write(f"{arguments[0]}: {text}\n")
        return 2
    print(f"natural_map {momentum + cone:.17g}")
    print(f"momentum {momentum:.17g}")
    print(f"cone {cone:.17g}")
    print(f"absolute {absolute:.17g}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

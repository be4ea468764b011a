"""Random pairs of shapes of all kinds, the contacts that ncpbench finds, and brute force beside them.

    pairs.py PROGRAM COUNT

The pairs lie far from each other in problem files, of which `ncpbench closest FILE --table` writes the contacts. Of each
pair the least gap is compared with the least over sampled points, refined about the best, by distances that are
written anew here. Every contact's points have to lie on both surfaces, as far apart as the gap says, along the normal.
"""
import csv
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from polygon import polygon

MARGIN, SPACING, AROUND = 0.25, 8.0, 12
FIELDS = ("sphere", "box", "capsule", "torus", "cylinder", "cone", "spool", "grid")
KINDS = ("ball", "rod", "skin", "rope", "polyhedron", "field", "plane")  # balls and rods: spheres and capsules
CORES = ("ball", "rod", "skin", "rope")  # known by a point, segment or triangle and a radius
CODES = {"plane": 0, "polyhedron": 1, "ball": 2, "rod": 3, "skin": 4, "rope": 4, "field": 5}
rng = np.random.default_rng(47)


# ---- shapes ----

def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def lathe(profile, ring=False):
    """A mesh of a profile (r, z) turned about z, counter-clockwise from outside; a ring's profile is closed."""
    points, faces, rows = [], [], []
    angles = 2 * np.pi * np.arange(AROUND) / AROUND
    for r, z in profile:
        around = AROUND if r > 0 else 1
        rows.append([len(points) + k % around for k in range(AROUND)])
        points += [(r * np.cos(a), r * np.sin(a), z) for a in angles[:around]]
    for low, high in zip(rows, rows[1:] + rows[:1] if ring else rows[1:]):
        for k in range(AROUND):
            face = list(dict.fromkeys([low[k], low[k - AROUND + 1], high[k - AROUND + 1], high[k]]))
            if len(face) > 2:
                faces.append(face)
    return np.array(points, float), faces


def box_mesh(half):
    points = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * half
    return points, [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


def profile_of(name, s):
    arc = np.linspace(-np.pi / 2, np.pi / 2, 8)[1:-1]
    if name == "torus":
        return [(s[0] + s[1] * np.cos(a), s[1] * np.sin(a)) for a in np.arange(8) * np.pi / 4]
    if name in ("sphere", "capsule"):
        half = s[1] if name == "capsule" else 0
        return [(0, -s[0] - half)] + [(s[0] * np.cos(a), s[0] * np.sin(a) + np.copysign(half, a)) for a in arc] + \
            [(0, s[0] + half)]
    if name == "cylinder":
        return [(0, -s[1]), (s[0], -s[1]), (s[0], s[1]), (0, s[1])]
    if name == "cone":
        return [(0, 0), (s[0], 0), (0, s[1])]
    end = s[2] + s[3]
    return [(0, -end), (s[1], -end), (s[1], -s[2]), (s[0], -s[2]), (s[0], s[2]), (s[1], s[2]), (s[1], end), (0, end)]


class Shape:
    def __init__(self, kind, name=None):
        u = rng.uniform
        self.kind, self.name, self.radius, self.half = kind, name, 0.0, 0.0
        self.vertex, self.faces, self.size, self.values = np.zeros((0, 3)), [], np.zeros(4), None
        q = rng.normal(size=4)
        self.q, self.x = q / np.linalg.norm(q), np.zeros(3)
        self.R = rotation(self.q)
        if kind in ("ball", "rod"):
            self.radius, self.half = u(0.1, 0.3), u(0.2, 0.4) if kind == "rod" else 0.0
            self.local = np.array([[0, 0, -self.half], [0, 0, self.half]])[:1 + (kind == "rod")]
        elif kind in ("skin", "rope"):
            self.radius, self.local = 0.02, u(-0.4, 0.4, (3 if kind == "skin" else 2, 3))
        elif kind == "polyhedron" and rng.integers(2):
            self.vertex, self.faces = box_mesh(u(0.15, 0.4, 3))
        elif kind == "polyhedron":
            tetrahedron = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.3
            self.vertex, self.faces = tetrahedron + u(-0.08, 0.08, (4, 3)), [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        elif kind == "field":
            self.make_field(u(0.2, 0.4, 4))

    def make_field(self, s):
        count = {"sphere": 1, "box": 3, "spool": 4}.get(self.name, 2)
        if self.name == "torus":
            s[1] *= s[0]
        if self.name == "spool":
            s[1:] = s[0] + s[1] / 2, s[2] / 2, s[3] / 4
        self.size[:count] = s[:count]
        if self.name == "grid":
            ticks = np.arange(7) * 0.2 - 0.6
            self.size = np.array([0.2, -0.6, -0.6, -0.6])
            z, y, x = np.meshgrid(ticks, ticks, ticks, indexing="ij")
            self.values = np.maximum(np.abs(x) - 0.3, np.maximum(np.abs(y) - 0.25, np.abs(z) - 0.35))
            self.vertex, self.faces = box_mesh(np.array([0.3, 0.25, 0.35]))
        elif self.name == "box":
            self.vertex, self.faces = box_mesh(self.size[:3])
        else:
            self.vertex, self.faces = lathe(profile_of(self.name, self.size), self.name == "torus")

    def move(self, x):
        self.x = x
        self.corners = x + (self.local if self.kind in CORES else self.vertex) @ self.R.T
        self.triangles = [self.corners[[f[0], f[k], f[k + 1]]] for f in self.faces for k in range(1, len(f) - 1)]
        self.normals = np.array([np.cross(self.corners[f[1]] - self.corners[f[0]], self.corners[f[2]] - self.corners[f[0]])
                                 for f in self.faces if self.kind == "polyhedron"]).reshape(-1, 3)
        self.normals /= np.linalg.norm(self.normals, axis=1)[:, None]
        return self

    def distance(self, x):
        """Signed, of points [n, 3] of the world."""
        if self.kind == "plane":
            return (x - self.x) @ self.R[:, 2]
        if self.kind in CORES:
            return from_simplex(x, self.corners) - self.radius
        if self.kind == "field":
            return self.field((x - self.x) @ self.R)
        offsets = [n @ self.corners[f[0]] for n, f in zip(self.normals, self.faces)]
        deepest = (x @ self.normals.T - offsets).max(1)
        if deepest.max() > 0:
            near = np.min([from_simplex(x, t) for t in self.triangles], 0)
            deepest = np.where(deepest > 0, near, deepest)
        return deepest

    def field(self, p):
        s, r = self.size, np.hypot(p[:, 0], p[:, 1])
        if self.name == "sphere":
            return np.linalg.norm(p, axis=1) - s[0]
        if self.name == "capsule":
            return np.hypot(r, np.maximum(np.abs(p[:, 2]) - s[1], 0)) - s[0]
        if self.name == "torus":
            return np.hypot(r - s[0], p[:, 2]) - s[1]
        if self.name == "box":
            q = np.abs(p) - s[:3]
            return np.where(q.max(1) < 0, q.max(1), np.linalg.norm(np.maximum(q, 0), axis=1))
        if self.name == "grid":
            return self.interpolate(p)
        return polygon(r, p[:, 2], profile_of(self.name, s))

    def interpolate(self, p):
        cells = np.array(self.values.shape) - 1
        at = np.clip(p, self.size[1:], self.size[1:] + self.size[0] * cells)
        place = (at - self.size[1:]) / self.size[0]
        cell, value = np.minimum(place.astype(int), cells - 1), 0
        for corner in range(8):
            step = np.array([corner & 1, corner >> 1 & 1, corner >> 2])
            i, j, k = (cell + step).T
            value = value + np.where(step, place - cell, 1 - place + cell).prod(1) * self.values[k, j, i]
        out = np.linalg.norm(p - at, axis=1)
        return np.where(out > 0, np.hypot(out, np.maximum(value, 0)), value)


def from_simplex(x, corners):
    """Distance of points [n, 3] from a point, segment or triangle."""
    if len(corners) == 1:
        return np.linalg.norm(x - corners[0], axis=1)
    sides = [(corners[k], corners[(k + 1) % len(corners)]) for k in range(len(corners) if len(corners) > 2 else 1)]
    best = np.full(len(x), np.inf)
    for a, b in sides:
        t = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        best = np.minimum(best, np.linalg.norm(x - a - t[:, None] * (b - a), axis=1))
    if len(corners) == 3:
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        over = np.all([(x - a) @ np.cross(normal, b - a) >= 0 for a, b in sides], 0)
        best = np.where(over, np.abs((x - corners[0]) @ normal) / np.linalg.norm(normal), best)
    return best


# ---- brute force ----

def lattice(corners, n):
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    keep = (i + j <= n) & (j == 0 if corners == 2 else True)
    return np.stack([n - i - j, i, j], -1)[keep][:, :corners] / n if corners > 1 else np.ones((1, 1))


LATTICE = {1: lattice(1, 1), 2: lattice(2, 64), 3: lattice(3, 16)}


def least(distance, corners):
    """The least over a simplex: a lattice, then ever smaller ones about the best place so far."""
    fine = LATTICE[len(corners)]
    about, size, best = None, 1.0, np.inf
    shrink, rounds = (1, 1) if len(corners) == 1 else (2.5, 24) if len(corners) == 2 else (1.6, 46)  # kinks are narrow
    for _ in range(rounds):
        weight = fine if about is None else np.maximum(np.concatenate([about + size * (fine - about),
                                                                       about - size * (fine - about)]), 0)
        weight = weight / weight.sum(1, keepdims=True)
        values = distance(weight @ corners)
        if values.min() < best:
            best, about = values.min(), weight[values.argmin()]
        size /= shrink
    return best


def least_by_lines(distance, corners):
    """The least of a convex function over a triangle: along lines from its first corner, of which the best are zoomed."""
    low, high, best = 0.0, 1.0, np.inf
    for _ in range(14):
        s = np.linspace(low, high, 9)
        ends = corners[1] + s[:, None] * (corners[2] - corners[1])
        near, far = np.zeros(9), np.ones(9)
        for _ in range(16):
            t = near[:, None] + np.linspace(0, 1, 9) * (far - near)[:, None]
            values = distance((corners[0] + t[..., None] * (ends - corners[0])[:, None]).reshape(-1, 3)).reshape(9, 9)
            at = values.argmin(1)
            near, far = t[range(9), np.maximum(at - 1, 0)], t[range(9), np.minimum(at + 1, 8)]
        at, best = values.min(1).argmin(), min(best, values.min())
        low, high = s[max(at - 1, 0)], s[min(at + 1, 8)]
    return best


def least_of_mesh(distance, shape):
    """Over the faces of a mesh: a lattice on each, and the best six searched."""
    triangles = np.array(shape.triangles)
    coarse = lattice(3, 12)
    values = distance((coarse @ triangles).reshape(-1, 3)).reshape(len(triangles), -1).min(1)
    return min(least(distance, triangles[k]) for k in np.argsort(values)[:6])


def dense(corners):
    return (lattice(2, 256) if len(corners) == 2 else np.ones((1, 1))) @ corners


def separation(a, b):
    """The largest gap of two polyhedra along normals of faces and products of edges."""
    edges = [np.array([s.corners[f[k]] - s.corners[f[k - 1]] for f in s.faces for k in range(len(f))]) for s in (a, b)]
    cross = np.cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)
    size = np.linalg.norm(cross, axis=1)
    cross = cross[size > 1e-6] / size[size > 1e-6, None]
    axes = np.concatenate([a.normals, -b.normals, cross, -cross])
    return ((axes @ b.corners.T).min(1) - (axes @ a.corners.T).max(1)).max()


def least_that_faces(skin, candidates):
    """The least of the values at points, whose distance from the other side grows along its gradient, that a triangle
    looks at: those at its edge or behind it are not to meet it. None where one that it hardly looks at is nearer."""
    best, doubtful = np.inf, np.inf
    for distance, points, sign in candidates:
        slope = np.stack([(distance(points + e) - distance(points - e)) / 2e-6 for e in 1e-6 * np.eye(3)], 1)
        looks, values = sign * slope @ unit_normal(skin) if skin.kind == "skin" else np.ones(len(points)), distance(points)
        best = min([best, *values[looks > 0.2]])
        doubtful = min([doubtful, *values[looks <= 0.2]])
    return best if best < doubtful else None


def unit_normal(skin):
    normal = np.cross(skin.corners[1] - skin.corners[0], skin.corners[2] - skin.corners[0])
    return normal / np.linalg.norm(normal)


def truth(a, b):
    """The least gap of the pair; None where contacts are not made to have it. Kinds in the order of KINDS."""
    if b.kind == "plane" and a.kind == "skin" and not -unit_normal(a) @ b.R[:, 2] > 0.2:
        return None
    if b.kind == "plane":
        return b.distance(a.corners).min() - a.radius
    if a.kind in CORES and b.kind in CORES:
        if a.kind == "skin":  # vertices of either beside the other, in front of it
            ahead = min(((a.corners - b.corners[0]) @ unit_normal(b)).min(), ((b.corners - a.corners[0]) @ unit_normal(a)).min())
            if ahead < 0 or unit_normal(a) @ unit_normal(b) > -0.2:
                return None
            return min(from_simplex(a.corners, b.corners).min(), from_simplex(b.corners, a.corners).min()) - a.radius - b.radius
        gap = least(b.distance, a.corners)
        if b.kind == "skin":
            core = min((from_simplex(x[None], b.corners)[0], *x) for x in dense(a.corners))
            if core[0] < 1e-3 or least_that_faces(b, [(lambda x: from_simplex(x, b.corners), np.array([core[1:]]), 1)]) is None:
                return None
        return gap - a.radius
    if a.kind in CORES:
        gap = least(b.distance, a.corners)
        if a.kind == "skin" and b.kind == "field":
            gap = min(gap, least_by_lines(b.distance, a.corners))
        if b.kind == "polyhedron" and a.kind != "ball" and gap < 0:
            return None  # a segment that pierces it is pushed out by more than its deepest point
        if b.kind == "polyhedron" and a.kind == "skin" and ((b.corners - a.corners[0]) @ unit_normal(a)).min() < 0:
            return None  # a corner behind a triangle is through it
        if b.kind == "polyhedron" and a.kind in ("skin", "rope"):
            near = least_that_faces(a, [(b.distance, a.corners, -1), (lambda x: from_simplex(x, a.corners), b.corners, 1)])
            return None if near is None else near - a.radius
        return gap - a.radius
    if a.kind == b.kind == "polyhedron":
        gap = separation(a, b)
        return gap if gap < 0 else None  # apart their nearest corners may not be over each other
    gaps = [least_of_mesh(s.distance, t) for s, t in ((a, b), (b, a)) if s.kind == "field"]
    gaps += [s.distance(t.corners).min() for s, t in ((a, b), (b, a)) if s.kind == "polyhedron"]
    return min(gaps)


# ---- files ----

def write(path, shapes):
    bodies = [s for s in shapes if s.kind not in ("skin", "rope", "plane")]
    number = {id(s): i for i, s in enumerate(bodies)}
    first_vertex, first_face, face_start, face_vertex, vertices, particles = [0], [0], [0], [], [], []
    for s in shapes:
        faces = s.faces
        if s.kind in ("skin", "rope"):
            s.particle = len(particles)
            faces = [[s.particle, s.particle + 1, s.particle + (2 if s.kind == "skin" else 1)]]
            particles += list(s.corners)
        vertices += list(s.vertex)
        for face in faces:
            face_vertex += face
            face_start.append(len(face_vertex))
        first_vertex.append(len(vertices))
        first_face.append(len(face_start) - 1)
    n, p, count = len(bodies), len(particles), len(shapes)
    fixed = [s.kind == "plane" for s in shapes]
    reals = {
        "time_step": 0.01, "gravity": np.zeros(3), "free_velocity": np.zeros((n, 6)), "bodies/velocity": np.zeros((n, 6)),
        "bodies/position": np.array([s.x for s in bodies]).reshape(n, 3), "bodies/mass": np.ones(n),
        "bodies/orientation": np.array([s.q for s in bodies]).reshape(n, 4), "bodies/inertia": np.tile(np.eye(3), (n, 1, 1)),
        "contacts/point": np.zeros((0, 2, 3)), "contacts/radius": np.zeros((0, 2)), "contacts/frame": np.zeros((0, 3, 3)),
        "contacts/thickness": np.zeros(0), "contacts/friction": np.zeros(0),
        "shapes/position": [s.x if w else np.zeros(3) for s, w in zip(shapes, fixed)],
        "shapes/orientation": [s.q if w else [1.0, 0, 0, 0] for s, w in zip(shapes, fixed)],
        "shapes/friction": np.full(count, 0.5), "shapes/radius": [s.radius for s in shapes],
        "shapes/half_length": [s.half for s in shapes], "shapes/vertex": np.array(vertices).reshape(-1, 3),
        "shapes/size": [s.size for s in shapes],
        "shapes/distance": np.concatenate([np.zeros(0)] + [s.values.ravel() for s in shapes if s.values is not None])}
    if p:
        reals |= {"particles/position": particles, "particles/velocity": np.zeros((p, 3)), "particles/mass": np.ones(p),
                  "particles/free_velocity": np.zeros((p, 3))}
    whole = {
        "contacts/body": np.zeros((0, 2)), "shapes/kind": [CODES[s.kind] for s in shapes],
        "shapes/body": [number.get(id(s), -1) for s in shapes], "shapes/first_vertex": first_vertex,
        "shapes/first_face": first_face, "shapes/face_start": face_start, "shapes/face_vertex": face_vertex,
        "shapes/field": [FIELDS.index(s.name) if s.name else -1 for s in shapes],
        "shapes/nodes": [s.values.shape if s.values is not None else (0, 0, 0) for s in shapes]}
    with h5py.File(path, "w") as file:
        for name, value in (("format", "ncpbench problem"), ("form", "nonlinear"), ("name", "pairs"),
                            ("source", "random pairs"), ("generator", "tests/scripts/pairs.py")):
            file.attrs[name] = np.bytes_(value)
        file.attrs["version"], file.attrs["step"] = np.int32(1), np.int32(0)
        file.create_group("parameters").attrs["margin"] = MARGIN
        for name, value in reals.items():
            file[name] = np.asarray(value, np.float64)
        for name, value in whole.items():
            file[name] = np.asarray(value, np.int32)
    return bodies


def contacts_of(program, path, shapes):
    """By the identities of both shapes: lists of (gap, normal, point a, point b, shape a, shape b)."""
    bodies = write(path, shapes)
    subprocess.run([program, "closest", path, "--repetitions", "1", "--table", path + ".csv"], check=True,
                   stdout=subprocess.DEVNULL)
    owner = {s.particle + k: s for s in shapes if s.kind in ("skin", "rope") for k in range(len(s.corners))}
    plane, found = next((s for s in shapes if s.kind == "plane"), None), {}
    with open(path + ".csv") as file:
        for row in csv.DictReader(file):
            normal, sides, points = np.array([float(row[c]) for c in ("nx", "ny", "nz")]), [], []
            for side, sign in (("a", -1), ("b", 1)):
                body, point = int(row[f"body_{side}"]), np.array([float(row[side + c]) for c in "xyz"])
                particle = [int(row[f"particle_{side}{k}"]) for k in range(3)]
                if particle[0] >= 0:
                    shape = owner[particle[0]]
                    point = sum(float(row[f"weight_{side}{k}"]) * shape.corners[i - shape.particle]
                                for k, i in enumerate(particle) if i >= 0)
                else:
                    shape = bodies[body] if body >= 0 else plane
                    point = shape.x + shape.R @ point if body >= 0 else point
                sides.append(shape)
                points.append(point + sign * float(row[f"radius_{side}"]) * normal)
            found.setdefault(frozenset(map(id, sides)), []).append((float(row["gap"]), normal, *points, *sides))
    return found


def direction():
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def make_pairs(count):
    """All kinds in turn, each pair at a place of its own; a plane is one for all, beside which the others lie."""
    kinds = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i:] if (a, b) not in
             {("skin", "rope"), ("rope", "rope"), ("plane", "plane")}]  # edges across edges of skins are left out
    plane, row = Shape("plane").move(np.zeros(3)), int(np.ceil(count ** (1 / 3)))
    for i in range(count):
        pair = []
        for kind in kinds[i % len(kinds)]:
            pair.append(plane if kind == "plane" else Shape(kind, FIELDS[rng.integers(len(FIELDS))] if kind == "field" else None))
        at = SPACING * np.array([i % row, i // row % row, i // row ** 2])
        if pair[1] is plane:
            at = plane.R @ [SPACING * (i % row ** 2), SPACING * (i // row ** 2), rng.uniform(0.0, 0.7)]
        else:
            pair[1].move(at + rng.uniform(0.2, 1.0) * direction())
        pair[0].move(at)
        face(pair)
        yield pair


def face(pair):
    """Triangles look at the other shape: else they do not meet it."""
    for a, b in (pair, pair[::-1]):
        if a.kind == "skin":
            middle, normal = a.corners.mean(0), np.cross(a.corners[1] - a.corners[0], a.corners[2] - a.corners[0])
            way = -b.R[:, 2] if b.kind == "plane" else b.corners.mean(0) - middle
            if normal @ way < 0:
                a.corners[[1, 2]] = a.corners[[2, 1]]


def check(tally):
    """Faces of polyhedra, and contacts at the ends of a rod, are preferred by a thousandth of a size."""
    for name, line in tally.items():
        biased, meshes = "polyhedron, polyhedron" in name or name in ("rod, polyhedron", "rod, rod"), ", field" in name
        below, above = 2e-3 if biased or meshes else 1e-9, 2e-3 if biased else 1e-6 # of meshes brute force misses some
        assert line[3] < below, f"{name}: a gap is {line[3]:.3g} m below what brute force finds"
        if "not convex" in name:  # a local minimum may be found
            assert line[5] <= max(1, 0.05 * line[2]), f"{name}: {line[5]} of {line[2]} pairs have a nearer point"
        else:
            assert line[4] < above, f"{name}: a gap is {line[4]:.3g} m above the least"


def main(program, count):
    pairs, tally, surface, outside, apart = list(make_pairs(count)), {}, (0.0, ""), 0.0, 0.0
    plane = next(b for a, b in pairs if b.kind == "plane")
    with tempfile.TemporaryDirectory() as folder:
        found = contacts_of(program, f"{folder}/pairs.h5", [s for p in pairs if p[1] is not plane for s in p])
        found |= contacts_of(program, f"{folder}/plane.h5", [plane] + [a for a, b in pairs if b is plane])
    for a, b in pairs:
        contacts = found.pop(frozenset((id(a), id(b))), [])
        for gap, normal, x, y, of_x, of_y in contacts:
            apart = max(apart, abs(gap - normal @ (x - y)))
            if {a.kind, b.kind} != {"polyhedron"}:  # of edges that do not cross the nearest points are not across them
                apart = max(apart, abs(np.linalg.norm(x - y) - abs(gap)))
            depth = [of_x.distance(x[None])[0], of_y.distance(y[None])[0]]
            if "grid" not in (a.name, b.name) and not a.kind == b.kind == "skin":  # the one's values are no distances
                surface = max(surface, (min(map(abs, depth)), f"{a.kind} {a.name}, {b.kind} {b.name}"))
                if "torus" not in (a.name, b.name):  # whose mesh is outside it within the ring
                    outside = max(outside, *depth)
        name = f"{a.kind}, {b.kind}"
        if a.name in ("torus", "spool", "grid") or b.name in ("torus", "spool", "grid"):
            name += ", not convex"
        line = tally.setdefault(name, [0, 0, 0, 0.0, 0.0, 0])
        line[0] += 1
        line[1] += len(contacts)
        gap = truth(a, b)
        if gap is None:
            continue
        line[2] += 1
        least_gap = min((c[0] for c in contacts), default=np.inf)
        if least_gap == np.inf and gap > MARGIN - 1e-9:
            continue
        off = least_gap - gap
        line[3], line[4] = max(line[3], -off), max(line[4], off)
        line[5] += off > 1e-6
    assert not found, f"{len(found)} pairs of shapes that are not one of the pairs meet"
    print(f"{'pair':32} {'pairs':>6} {'contacts':>9} {'known':>6} {'below':>9} {'above':>9} {'above 1e-6':>10}")
    for name, line in sorted(tally.items()):
        print(f"{name:32} {line[0]:6} {line[1]:9} {line[2]:6} {line[3]:9.2g} {line[4]:9.2g} {line[5]:10}")
    print(f"{count} pairs; of two points one is off its surface by {surface[0]:.2g} m at most ({surface[1]}), none outside by more "
          f"than {outside:.2g} m; gaps are off the points by {apart:.2g} m")
    check(tally)
    assert surface[0] < 1e-9 and outside < 1e-9 and apart < 1e-9, (surface, outside, apart)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

#!/usr/bin/env bash
# Meshes of users as distance fields: the values on the grid of a box and of a body that is not convex, from OBJ and both
# kinds of STL, against the closed form and brute force in numpy, a ball's against those of its radius; a cloth falls on
# one, bodies rest on each other. What is damaged is refused in words. Skipped without python3-numpy and h5py.
set -eu
cd "$(dirname "$0")/../.."
program=$PWD/${BUILD:-build}/ncpbench
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'import h5py, numpy' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-numpy, python3-h5py"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" - "$folder" "$program" <<'END_OF_PYTHON'
import struct
import subprocess
import sys
import h5py
import numpy as np

folder, program = sys.argv[1:]


def extruded(outline, low, high):
    """Quadrangles and two ends of a polygon in x and z, counter-clockwise from -y, pulled along y."""
    n = len(outline)
    vertices = [(x, y, z) for y in (low, high) for x, z in outline]
    sides = [(i, n + i, n + (i + 1) % n, (i + 1) % n) for i in range(n)]
    return np.array(vertices, float), sides, [tuple(range(n)), tuple(range(2 * n - 1, n - 1, -1))]


def icosphere(times):
    g = (1 + 5 ** 0.5) / 2
    v = [np.array(p) / np.hypot(1, g) for p in ((-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
                                                (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1),
                                                (-g, 0, 1))]
    f = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
         (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7),
         (9, 8, 1)]
    for _ in range(times):
        middle, more = {}, []
        for a, b, c in f:
            def half(i, j):
                key = (min(i, j), max(i, j))
                if key not in middle:
                    x = v[i] + v[j]
                    v.append(x / np.linalg.norm(x))
                    middle[key] = len(v) - 1
                return middle[key]
            ab, bc, ca = half(a, b), half(b, c), half(c, a)
            more += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        f = more
    return np.array(v), f


def write_obj(name, vertices, faces, extra="vt 0 0\n"):
    with open(f"{folder}/{name}.obj", "w") as file:
        file.write("# of a user\no thing\n" + extra)
        file.writelines("v %.17g %.17g %.17g\n" % tuple(x) for x in vertices)
        for k, face in enumerate(faces):  # numbers from the end and of textures, too
            file.write("f " + " ".join(str(i - len(vertices)) if k % 2 else f"{i + 1}/1" for i in face) + "\n")


def write_stl(name, vertices, faces, binary):
    triangles = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    with open(f"{folder}/{name}.stl", "wb") as file:
        if binary:
            file.write(b"solid is no text here".ljust(80) + struct.pack("<I", len(triangles)))
            for t in triangles:
                file.write(struct.pack("<12f", 0, 0, 0, *vertices[list(t)].ravel()) + b"\0\0")
            return
        lines = ["solid thing"]
        for t in triangles:
            lines += ["facet normal 0 0 0", "outer loop", *("vertex %.17g %.17g %.17g" % tuple(vertices[i]) for i in t),
                      "endloop", "endfacet"]
        file.write("\r\n".join(lines + ["endsolid thing", ""]).encode())


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def grid_of(path, *settings):
    """Nodes and values of the body in a scene's file, and corners of its triangles."""
    done = run("export", "draped_cloth", "-o", f"{folder}/body.h5", "--set", f"mesh={folder}/{path}", "--set",
               "cells=2", *(word for each in settings for word in ("--set", each)))
    assert done.returncode == 0, done.stderr
    with h5py.File(f"{folder}/body.h5") as file:
        s = file["shapes"]
        size, nodes, vertex = s["size"][1], s["nodes"][1], s["vertex"][s["first_vertex"][1]:s["first_vertex"][2]]
        value = s["distance"][:].reshape(nodes[::-1])
        faces = s["face_vertex"][s["face_start"][s["first_face"][1]]:].reshape(-1, 3)
    z, y, x = np.meshgrid(*(size[k + 1] + size[0] * np.arange(nodes[k]) for k in (2, 1, 0)), indexing="ij")
    return np.stack([x, y, z], -1), value, vertex[faces]


def box_distance(p, half):
    q = np.abs(p) - half
    return np.where(q.max(-1) < 0, q.max(-1), np.linalg.norm(np.maximum(q, 0), axis=-1))


# A U, which is not convex: its distance is that of the polygon in the plane, and its ends.
outline = [(-3, -2), (3, -2), (3, 2), (1, 2), (1, -1), (-1, -1), (-1, 2), (-3, 2)]


def u_distance(p, scale):
    inside, edge = np.zeros(p.shape[:-1], bool), np.full(p.shape[:-1], np.inf)
    x, z = p[..., 0], p[..., 2]
    for (ax, az), (bx, bz) in zip(outline, outline[1:] + outline[:1]):
        ax, az, bx, bz = scale * ax, scale * az, scale * bx, scale * bz
        dx, dz = bx - ax, bz - az
        t = np.clip(((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz), 0, 1)
        edge = np.minimum(edge, np.hypot(x - ax - t * dx, z - az - t * dz))
        if dz:
            inside ^= ((az > z) != (bz > z)) & (x < ax + (z - az) / dz * dx)
    flat, ends = np.where(inside, -edge, edge), np.abs(p[..., 1]) - scale * 1.5
    out = np.hypot(np.maximum(flat, 0), np.maximum(ends, 0))
    return np.where((flat < 0) & (ends < 0), np.maximum(flat, ends), out)


vertices, sides, ends = extruded([(0, 0), (4, 0), (4, 1), (0, 1)], 0, 2)
write_obj("box", vertices, sides + ends)
write_stl("box", vertices, sides + ends, False)
half = np.array([0.2, 0.1, 0.05])
for path in ("box.obj", "box.stl"):
    nodes, value, _ = grid_of(path, "grid=21")
    worst = np.abs(value - box_distance(nodes, half)).max()
    print(f"{path}: {value.size} nodes, off by {worst:.2g} m")
    assert worst < 1e-15

vertices, sides, ends = extruded(outline, -1.5, 1.5)
caps = [(0, 1, 4, 5), (1, 2, 3, 4), (0, 5, 6, 7)]
caps += [tuple(8 + i for i in face[::-1]) for face in caps]
write_stl("u", vertices, sides + caps, True)
nodes, value, _ = grid_of("u.stl", "grid=30", "radius=0.3")
worst = np.abs(value - u_distance(nodes, 0.1)).max()
print(f"u.stl: {value.size} nodes, off by {worst:.2g} m")
assert worst < 1e-15 and (value < 0).sum() > 1000

# A ball of flat triangles: brute force over all of them at 300 nodes, and between the radii that hold it.
vertices, faces = icosphere(3)
write_obj("ball", vertices, faces)
nodes, value, scaled = grid_of("ball.obj", "grid=16")
assert len(scaled) == len(faces)
radius = np.linalg.norm(scaled, axis=2)
least = np.linalg.norm(scaled.mean(1), axis=1).min()
r = np.linalg.norm(nodes, axis=-1)
assert (value <= r - least + 1e-12).all() and (value >= r - radius.max() - 1e-12).all()
pick = np.random.default_rng(1).choice(value.size, 300, replace=False)
p = nodes.reshape(-1, 3)[pick][:, None]
a, b, c = (scaled[None, :, k] for k in range(3))
best = np.full((300, len(faces)), np.inf)
for u, v in ((a, b), (b, c), (c, a)):
    t = np.clip(((p - u) * (v - u)).sum(-1) / ((v - u) ** 2).sum(-1), 0, 1)[..., None]
    best = np.minimum(best, np.linalg.norm(p - u - t * (v - u), axis=-1))
normal = np.cross(b - a, c - a)
normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
above = ((p - a) * normal).sum(-1)
foot = p - above[..., None] * normal
within = np.ones(best.shape, bool)
for u, v in ((a, b), (b, c), (c, a)):
    within &= (np.cross(v - u, foot - u) * normal).sum(-1) >= 0
best = np.where(within, np.minimum(best, np.abs(above)), best).min(1)
worst = np.abs(np.abs(value.ravel()[pick]) - best).max()
print(f"ball.obj: 300 nodes of {value.size}, off by {worst:.2g} m")
assert worst < 1e-14
assert ((value < 0).ravel()[pick] == (above < 0).all(1)).all(), "a convex body's inside is behind all its faces"

# A cloth on the U does not get into it; bodies that are not convex rest on each other.
done = run("simulate", "draped_cloth", "--set", f"mesh={folder}/u.stl", "--set", "cells=8", "--time", "0.3", "--json")
assert done.returncode == 0, done.stderr
pile = "random_pile", "--set", "count=2", "--steps", "2", "--checkpoint", f"{folder}/pile.h5"
done = run("simulate", *pile, "--checkpoint-every", "1", "--set", f"mesh={folder}/u.stl")
assert done.returncode == 0, done.stderr
done = run("simulate", "random_pile", "--set", "count=2", "--steps", "3", "--resume", f"{folder}/pile.h5")
assert done.returncode == 2 and "its mesh is u.stl, not nothing" in done.stderr, done.stderr
with h5py.File(f"{folder}/pile.h5") as file:
    assert (file["shapes/kind"][1:] == 5).all() and b"mesh u.stl" in bytes(file.attrs["source"])

good = open(f"{folder}/box.obj").read()
flat = open(f"{folder}/u.stl", "rb").read()
for name, text, words in (
        ("open.obj", good[:good.rindex("f ")], "is not closed: 4 of its edges"),
        ("inside.obj", "\n".join(" ".join([w[0], *w[:0:-1]]) if w[:1] == ["f"] else " ".join(w) for w in
                                 map(str.split, good.splitlines())), "counter-clockwise from outside"),
        ("word.obj", good.replace("v 4", "v four", 1), "line 5: three coordinates must stand here"),
        ("nan.obj", good.replace("v 4", "v nan", 1), "three coordinates must stand here"),
        ("huge.obj", good.replace("v 4", "v 1e999", 1), "is not finite"),
        ("index.obj", good.replace("f 1/1", "f 9/1", 1), "line 12: the number of a vertex above"),
        ("none.obj", "v 0 0 0\n", "no faces"), ("empty.obj", "", "no faces"),
        ("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "at least three corners"),
        ("short.stl", flat[20:80] + b"\0", "61 bytes, an STL file has 84"),
        ("cut.stl", flat[:-1], "triangles make"),
        ("facet.stl", open(f"{folder}/box.stl").read().replace("vertex", "vortex", 1), "the third corner of a facet"),
        ("box.ply", good, "*.obj or *.stl")):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    done = run("export", "draped_cloth", "-o", f"{folder}/bad.h5", "--set", f"mesh={folder}/{name}")
    assert done.returncode == 2 and words in done.stderr, f"{name}: expected {words} in: {done.stderr}"
for scene, setting, words in (("draped_cloth", f"mesh={folder}/none", "*.obj or *.stl"),
                              ("draped_cloth", f"mesh={folder}/absent.stl", "absent.stl"),
                              ("heavy_stack", "mesh=a.stl", "no parameter")):
    done = run("export", scene, "-o", f"{folder}/bad.h5", "--set", setting)
    assert done.returncode == 2 and words in done.stderr, done.stderr
END_OF_PYTHON

#!/usr/bin/env bash
# 10 000 random segments beside distance fields: the distances that `ncpbench closest` finds, against brute force in
# numpy, where each body's distance is written anew (bodies of revolution by the distance from their profile's polygon).
# No method finds less than there is; golden-section search finds the least of convex bodies, and mostly of others.
# Skipped without python3-numpy.
set -eu
cd "$(dirname "$0")/../.."
program=${BUILD:-build}/ncpbench
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'import numpy' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-numpy"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for field in sphere box capsule torus cylinder cone spool; do
    "$program" closest --field "$field" --count 1429 --repetitions 1 --table "$folder/$field.csv" >/dev/null
done
PYTHONPATH=tests/python "$python" - "$folder" <<'END_OF_PYTHON'
import csv
import sys
import numpy as np
from polygon import polygon


def distance(name, p):
    x, y, z = p[..., 0], p[..., 1], p[..., 2]
    r = np.hypot(x, y)
    if name == "sphere":
        return np.sqrt(x * x + y * y + z * z) - 1
    if name == "capsule":
        return np.hypot(r, np.maximum(np.abs(z) - 0.6, 0)) - 0.4
    if name == "torus":
        return np.hypot(r - 1, z) - 0.3
    if name == "box":
        q = np.stack([np.abs(x) - 1, np.abs(y) - 0.6, np.abs(z) - 0.4])
        return np.where(q.max(0) < 0, q.max(0), np.sqrt((np.maximum(q, 0) ** 2).sum(0)))
    points = {"cylinder": [(0, -1), (0.5, -1), (0.5, 1), (0, 1)], "cone": [(0, 0), (0.8, 0), (0, 1.6)],
              "spool": [(0, -0.6), (1, -0.6), (1, -0.4), (0.4, -0.4), (0.4, 0.4), (1, 0.4), (1, 0.6), (0, 0.6)]}
    return polygon(r, z, points[name])


pairs = 0
for name in ("sphere", "box", "capsule", "torus", "cylinder", "cone", "spool"):
    with open(f"{sys.argv[1]}/{name}.csv") as file:
        rows = list(csv.DictReader(file))
    ends = np.array([[float(row[c]) for c in ("x0", "y0", "z0", "x1", "y1", "z1")] for row in rows])
    a, b = ends[:, None, :3], ends[:, None, 3:]
    t = np.linspace(0, 1, 1001)[None, :, None]
    values = distance(name, a + t * (b - a))
    at = values.argmin(1)
    low, high = np.maximum(at - 1, 0) / 1000, np.minimum(at + 1, 1000) / 1000
    t = (low[:, None] + np.linspace(0, 1, 1001)[None] * (high - low)[:, None])[..., None]
    least = np.minimum(values.min(1), distance(name, a + t * (b - a)).min(1))
    length = np.linalg.norm(ends[:, 3:] - ends[:, :3], axis=1)
    for method in ("corners", "frank_wolfe", "golden_section", "projected_gradient", "sampling"):
        found = np.array([float(row[method]) for row in rows])
        below = (least - found).max()
        assert below < 2e-6 * length.max(), f"{name}, {method}: {below} below brute force"
        if method == "golden_section":
            off = np.sort(found - least)
            convex = name not in ("torus", "spool")
            worst = off[-1] if convex else off[int(0.75 * len(off))]
            assert worst < 1e-5, f"{name}: golden-section search is off by {worst} m"
            print(f"{name}: {len(rows)} segments, worst {off[-1]:.2g} m, {np.mean(off < 1e-5):.4f} within 1e-5 m")
    pairs += len(rows)
assert pairs >= 10000
print(f"{pairs} pairs agree")
END_OF_PYTHON

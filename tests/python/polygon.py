"""Distances that the tests of closest points and of pairs of shapes share."""
import numpy as np


def polygon(r, z, points):
    """Signed distance of (r, z) from a polygon, mirrored at the axis so that no edge lies on it."""
    mirrored = points + [(-a, b) for a, b in reversed(points)]
    best, inside = np.full(r.shape, np.inf), np.zeros(r.shape, bool)
    for (ax, ay), (bx, by) in zip(mirrored, mirrored[1:] + mirrored[:1]):
        dx, dy = bx - ax, by - ay
        if dx * dx + dy * dy == 0:
            continue
        t = np.clip(((r - ax) * dx + (z - ay) * dy) / (dx * dx + dy * dy), 0, 1)
        best = np.minimum(best, np.hypot(r - ax - t * dx, z - ay - t * dy))
        if dy:
            inside ^= ((ay > z) != (by > z)) & (r < ax + (z - ay) / dy * dx)
    return np.where(inside, -best, best)

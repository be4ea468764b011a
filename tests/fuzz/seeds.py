#!/usr/bin/python3
"""Small valid files for the fuzzer to begin with: seeds.py NCPBENCH FOLDER

Problem files are copied into HDF5's oldest format, which has no checksums: a changed byte of ours, whose format
has them, would go no further than the checksum. They are without compression for the same reason."""
import os
import subprocess
import sys

import h5py
import numpy as np

ncpbench, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
for name in ("problem", "fclib", "matrix_market", "spec"):
    os.makedirs(f"{folder}/{name}", exist_ok=True)


def plain(source, target):
    def copy(here, there):
        for name, value in here.attrs.items():
            there.attrs[name] = value
        for name, item in here.items():
            if isinstance(item, h5py.Group):
                copy(item, there.create_group(name))
            else:
                there.create_dataset(name, data=item[()])
                for key, value in item.attrs.items():
                    if key not in ("unit", "meaning"):
                        there[name].attrs[key] = value
    with h5py.File(source, "r") as here, h5py.File(target, "w", libver="earliest") as there:
        copy(here, there)


def export(name, *arguments):
    made = f"{folder}/made.h5"
    subprocess.run([ncpbench, "export", *arguments, "-o", made], check=True, stdout=subprocess.DEVNULL)
    plain(made, f"{folder}/problem/{name}.h5")
    os.remove(made)


export("box", "box_on_plane")
export("limits", "hinge_limits")
export("chain", "particle_chain")


def matrix(group, name, dense, kind):
    rows, columns = dense.shape
    i, j = np.nonzero(dense)
    x = dense[i, j]
    nz, p = len(x), j
    if kind == "rows":
        nz, p, i = -2, np.concatenate([[0], np.cumsum(np.bincount(i, minlength=rows))]), j
    member = group.create_group(name)
    for key, value in (("m", rows), ("n", columns), ("nz", nz), ("nzmax", len(x))):
        member.create_dataset(key, data=np.array([value], "i4"))
    member.create_dataset("p", data=np.array(p, "i4"))
    member.create_dataset("i", data=np.array(i, "i4"))
    member.create_dataset("x", data=x)


def fclib(name, local, dimension, kind):
    with h5py.File(f"{folder}/fclib/{name}.h5", "w", libver="earliest") as file:
        group = file.create_group("fclib_local" if local else "fclib_global")
        group.create_dataset("spacedim", data=np.array([dimension], "i4"))
        vectors = group.create_group("vectors")
        vectors.create_dataset("mu", data=np.array([0.5]))
        unit = np.eye(dimension)
        if local:
            matrix(group, "W", unit + 0.1, kind)
            vectors.create_dataset("q", data=-np.ones(dimension))
            if dimension == 3:
                matrix(group, "V", np.ones((3, 1)), kind)
                matrix(group, "R", np.ones((1, 1)), kind)
                vectors.create_dataset("s", data=np.ones(1))
        else:
            matrix(group, "M", unit, kind)
            matrix(group, "H", unit, kind)
            vectors.create_dataset("f", data=-np.ones(dimension))
            vectors.create_dataset("w", data=np.zeros(dimension))
            solution = file.create_group("solution")
            for key in "vur":
                solution.create_dataset(key, data=np.ones(dimension))


for number, (local, dimension, kind) in enumerate([(True, 3, "rows"), (True, 2, "triplets"), (False, 3, "triplets"),
                                                   (False, 2, "rows")]):
    fclib(f"{number}", local, dimension, kind)

texts = {
    "matrix_market/coordinate": "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n1 1 2\n2 2 2.5e0\n"
                                "3 3 1\n3 1 -1\n",
    "matrix_market/general": "%%MatrixMarket matrix coordinate integer general\n2 2 4\n1 1 2\n2 2 2\n1 2 1\n2 1 1\n",
    "matrix_market/array": "%%MatrixMarket matrix array real general\n2 1\n1\n-2e-3\n",
    "matrix_market/dense": "%%MatrixMarket matrix array real symmetric\n2 2\n2\n1\n2\n",
    "spec/full": "[sweep]\nname = s\nrepetitions = 5\ntime_limit = 60\nfloors = no\ninterleave = group\n"
                 "[group a]\nproblem = a.h5, b.h5\nlinear = pcr, cholesky\nprecond = none,\n    jacobi\ntol = 1e-8\n"
                 "[exclude x]\nlinear = cholesky\nprecond = jacobi\n",
    "spec/systems": "[sweep]\nname = t\n[group g]\nmode = linear_system\nproblem = a-?.h5\nsystem = 0, 1\n"
                    "linear = pcg:tol=1e-8\nlinear_iters = 10, 20\n",
}
for name, text in texts.items():
    with open(f"{folder}/{name}", "w", encoding="ascii") as file:
        file.write(text)

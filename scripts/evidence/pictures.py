#!/usr/bin/env python3
"""Small pictures of a collection's problems, for the evidence's page: one file, each named by its problem's SHA-256.

    PROGRAM=build/ncpbench scripts/evidence/pictures.py FOLDER -o PICTURES.zip

What the file has already is kept. `ncpbench plot` draws them, as figure 14, 84 mm wide at 100 points an inch.
"""
import argparse
import hashlib
import io
import os
import pathlib
import re
import subprocess
import tempfile
import zipfile

import whole

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def small_plots(folder):
    """plots/ with a figure `small`, made of figure14, in other size and resolution."""
    style = (ROOT / "plots" / "style.gp").read_text()
    figure = (ROOT / "plots" / "figure14.gp").read_text()
    (folder / "style.gp").write_text(re.sub(r"(?m)^dpi = .*", "dpi = 100.", style))
    (folder / "small.gp").write_text(re.sub(r"(?m)^#: size .*", "#: size 84 x 63", figure))


def draw(program, plots, problem):
    """The picture's bytes, or None: a problem without shapes has none."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "plot", "small", str(problem), "--format", "png", "-o", folder], capture_output=True,
                       env=dict(os.environ, NCPBENCH_PLOTS=str(plots)), check=False)
        drawn = list(pathlib.Path(folder).glob("*.png"))
        return drawn[0].read_bytes() if drawn else None


def main():
    parser = argparse.ArgumentParser(description="Small pictures of a collection's problems.")
    parser.add_argument("folder", help="its folders are the classes")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    program = os.environ.get("PROGRAM", str(ROOT / "build" / "ncpbench"))
    program = os.path.abspath(program) if "/" in program else program
    pictures = {}
    if os.path.exists(arguments.output):
        with zipfile.ZipFile(arguments.output) as kept:
            pictures = {name: kept.read(name) for name in kept.namelist()}
    without = []
    with tempfile.TemporaryDirectory() as plots:
        small_plots(pathlib.Path(plots))
        for problem in sorted(pathlib.Path(arguments.folder).glob("*/*.h5")):
            name = hashlib.sha256(problem.read_bytes()).hexdigest() + ".png"
            picture = pictures.get(name) or draw(program, plots, problem)
            if picture:
                pictures[name] = picture
            else:
                without.append(problem.stem)
    if not pictures:
        whole.refuse(f"{arguments.folder}: no problem with shapes")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, picture in sorted(pictures.items()):
            file.writestr(zipfile.ZipInfo(name), picture)
    whole.place(arguments.output, packed.getvalue())
    print(f"{arguments.output}: {len(pictures)} pictures; without shapes: {', '.join(without) or 'none'}")


if __name__ == "__main__":
    whole.run(main)

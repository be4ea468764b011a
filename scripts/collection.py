#!/usr/bin/env python3
"""The collection: problems made from data/collection.recipe, the same bytes on any machine of the x86-64 kind.

    PROGRAM=build-collection/program JOBS=n LISTS=data scripts/collection.py [--small | --write] FOLDER

Each file is made by `ncpbench export`, `import` or `generate`, and compared with its SHA-256 in data/collection.list,
whose lines `sha256sum -c` reads. A file that is there with its hash is kept, so that a killed run goes on. --small makes
what data/collection_small.list names. --write writes both lists anew; a new list is a new version of the collection.
The bytes do not depend on the machine, as the program is built for x86-64-v2 and the libraries are told to use no later
instructions; they depend on the versions of libraries (Debian 12's), and on the sources, so that
scripts/collection_program.sh takes those of one commit.
"""
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = pathlib.Path(os.environ.get("LISTS", ROOT / "data"))
RECIPE = LISTS / "collection.recipe"
FULL, SMALL = LISTS / "collection.list", LISTS / "collection_small.list"
OPTIONS = ("step", "steps", "copies", "solver", "newton-iters")  # of export; other keys are a scene's
LONGEST = 58  # letters of a name, before which step: a sweep takes 63; longer ones have keys of three letters
SMALL_EACH, SMALL_CONTACTS = 5, 120  # of each class, and at most so many contacts
PLAIN = {"OPENBLAS_CORETYPE": "Nehalem", "NCPBENCH_SIMD": "portable", "OMP_NUM_THREADS": "1",
         "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX"}


def fail(message):
    sys.exit(f"collection: {message}")


def values_of(text):
    """1..4 is 1, 2, 3, 4; else what commas part."""
    span = re.fullmatch(r"(\d+)\.\.(\d+)", text)
    return [str(i) for i in range(int(span[1]), int(span[2]) + 1)] if span else text.split(",")


def read_recipe(program):
    """The runs: class, name of the file without .h5, command line without -o, and the steps it writes."""
    runs = []
    for number, line in enumerate(RECIPE.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) < 2 or any("=" not in word for word in words[2:]):
            fail(f"{RECIPE}:{number}: expected CLASS SOURCE KEY=VALUES...")
        keys = [word.split("=", 1)[0] for word in words[2:]]
        texts = [word.split("=", 1)[1] for word in words[2:]]
        named = {key for key, text in zip(keys, texts) if "," in text or ".." in text}
        for chosen in itertools.product(*map(values_of, texts)):
            runs.append(make_run(program, words[0], words[1], list(zip(keys, chosen)), named))
    return runs


def make_run(program, kind, source, settings, named):
    name = pathlib.Path(source).stem if "/" in source else {"generate": "planted"}.get(source, source)
    if kind == "infeasible":
        name = "opposed"
    command, steps = [program, "export", source], None
    if source == "generate":
        command = [program, "generate"]
    elif "/" in source:
        command = [program, "import", source]
    for key, value in settings:
        if command[1] != "export" or key in OPTIONS:
            command += ["--" + key, value]
        else:
            command += ["--set", f"{key}={value}"]
        if key == "steps":
            first, last, stride = map(int, value.split(":"))
            steps = range(first, last + 1, stride)
        elif key in named or key in ("step", "copies"):
            name += f"-{key}_{value}"
    if len(name) > LONGEST:
        name = re.sub(r"-([a-z]{3})[a-z]*_", r"-\1_", name)
    return {"class": kind, "name": name, "command": command, "steps": steps}


def files_of(run):
    """The paths below the folder that a run writes."""
    if run["steps"] is None:
        return [f"{run['class']}/{run['name']}.h5"]
    return [f"{run['class']}/{run['name']}-{step:04d}.h5" for step in run["steps"]]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_list(path):
    if not path.exists():
        return {}
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in path.read_text().splitlines())}


def make(run, folder, known):
    """Those of its files that are wanted, whole or not at all; what went wrong in words, or None. known has their hashes;
    where it has nothing all are wanted."""
    files = files_of(run)
    if known and all((folder / f).exists() and sha256(folder / f) == known[f] for f in files if f in known):
        return None
    with tempfile.TemporaryDirectory(dir=folder) as new:
        target = pathlib.Path(new) / f"{run['name']}.h5"
        done = subprocess.run(run["command"] + ["-o", str(target)], env=dict(os.environ, **PLAIN), cwd=ROOT,
                              capture_output=True, text=True)
        made = sorted(pathlib.Path(new).glob("*.h5"))
        if done.returncode not in (0, 1) or len(made) != len(files):
            return f"{' '.join(run['command'][1:])}: {(done.stderr.strip() or 'no file').splitlines()[-1]}"
        for path in made:
            (folder / run["class"]).mkdir(exist_ok=True)
            if not known or f"{run['class']}/{path.name}" in known:
                path.replace(folder / run["class"] / path.name)
    return None


def make_all(runs, folder, known):
    failed = []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for count, error in enumerate(pool.map(lambda run: make(run, folder, known), runs), 1):
            if error:
                failed.append(error)
            print(f"\r  {count} of {len(runs)} runs", end="", file=sys.stderr)
    print(file=sys.stderr)
    return failed


def contacts_of(program, folder):
    text = subprocess.run([program, "index", str(folder), "--json"], capture_output=True, text=True).stdout
    return {str(pathlib.Path(p["file"]).relative_to(folder)): p["sizes"]["contacts"]
            for p in json.loads(text)["problems"] if p["sizes"]}


def choose_small(contacts):
    """Of each class so many, evenly over its sizes up to SMALL_CONTACTS; its smallest, where these are fewer."""
    chosen = []
    for kind in sorted({name.split("/")[0] for name in contacts}):
        names = sorted((count, name) for name, count in contacts.items() if name.startswith(kind + "/"))
        count = max(sum(count <= SMALL_CONTACTS for count, _ in names), min(SMALL_EACH, len(names)))
        chosen += [names[(2 * i + 1) * count // (2 * SMALL_EACH)][1] for i in range(SMALL_EACH)]
    return sorted(set(chosen))


def write_lists(program, files, folder):
    digest = {name: sha256(folder / name) for name in sorted(files) if (folder / name).exists()}
    FULL.write_text("".join(f"{digest[name]}  {name}\n" for name in digest))
    small = choose_small({name: count for name, count in contacts_of(program, folder).items() if name in digest})
    SMALL.write_text("".join(f"{digest[name]}  {name}\n" for name in small))
    print(f"{FULL}: {len(digest)} problems; {SMALL}: {len(small)}")


def compare(wanted, folder):
    """How many have another hash than the list says, or are not there."""
    other = [name for name, digest in wanted.items() if not (folder / name).exists() or sha256(folder / name) != digest]
    for name in other[:10]:
        print(f"collection: {name}: {'another SHA-256 than the list' if (folder / name).exists() else 'not there'}")
    print(f"{folder}: {len(wanted) - len(other)} of {len(wanted)} problems as {FULL.name} has them")
    return len(other)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    small, write = "--small" in sys.argv, "--write" in sys.argv
    if len(arguments) != 1 or len(sys.argv) > 2 + small + write or small and write:
        fail("usage: scripts/collection.py [--small | --write] FOLDER")
    program = os.environ.get("PROGRAM", str(ROOT / "build-collection" / "program"))
    folder = pathlib.Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    runs = read_recipe(program)
    names = [name for run in runs for name in files_of(run)]
    if len(set(names)) != len(names):
        fail(f"two runs write {next(n for n in names if names.count(n) > 1)}")
    wanted = {} if write else read_list(SMALL if small else FULL)
    if not write:
        runs = [run for run in runs if any(name in wanted for name in files_of(run))]
    if shutil.which(program) is None:
        fail(f"{program} is not there: make collection builds it")
    failed = make_all(runs, folder, wanted)
    for error in failed[:10]:
        print(f"collection: {error}", file=sys.stderr)
    if write and not failed:
        write_lists(program, names, folder)
    if write:
        return 1 if failed else 0
    return 1 if compare(wanted, folder) else 0


if __name__ == "__main__":
    sys.exit(main())

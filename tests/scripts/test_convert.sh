#!/usr/bin/env bash
# ncpbench convert on arrays as h5py stores them, dense and sparse, on FCLIB's guesses and rolling friction, and on
# files that are damaged. Skipped without python3-h5py.
set -eu
cd "$(dirname "$0")/../.."
ncpbench=$(realpath "${BUILD:-build}")/ncpbench
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'import h5py, numpy' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-h5py"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$python" - <<'END_OF_PYTHON'
import h5py
import numpy as np

random = np.random.default_rng(5)
n, c = 9, 4
H = random.normal(size=(n, 3 * c)) * (random.random((n, 3 * c)) < 0.5)
M = np.diag(random.uniform(1, 2, n))
step = {"M": M, "H": H, "f": random.normal(size=n), "w": random.normal(size=3 * c), "mu": random.random(c)}
local = {"W": H.T @ np.linalg.inv(M) @ H, "q": random.normal(size=(c, 3)), "mu": step["mu"]}


def compressed(a):
    indptr, indices, data = [0], [], []
    for row in a:
        at = np.flatnonzero(row)
        indices += list(at)
        data += list(row[at])
        indptr.append(len(indices))
    return indptr, indices, data


def sparse(file, name, a, kind, said):
    group = file.create_group(name)
    if kind == "coo":
        at = np.argwhere(a)
        group["row"], group["col"], group["data"] = at[:, 0], at[:, 1], a[at[:, 0], at[:, 1]]
    else:
        group["indptr"], group["indices"], group["data"] = compressed(a if kind == "csr" else a.T)
    if said == "scipy":
        group["shape"], group["format"] = a.shape, kind
    elif said == "anndata":
        group.attrs["shape"], group.attrs["encoding-type"] = a.shape, kind + "_matrix"
    elif said == "h5sparse":
        group.attrs["h5sparse_format"] = np.bytes_(kind)


def write(name, parts, kind=None, said=None):
    with h5py.File(name, "w") as file:
        for part, value in parts.items():
            if kind and part in "MHW":
                sparse(file, part, value, kind, said)
            else:
                file[part] = value


write("dense.h5", step)
for kind in "csr", "csc", "coo":
    for said in "scipy", "anndata", "h5sparse":
        write(f"{kind}_{said}.h5", step, kind, said)
write("csr_nothing.h5", step, "csr")
write("coo_nothing.h5", step, "coo")
write("local.h5", local)
write("fortran.h5", {**local, "W": np.asfortranarray(local["W"]), "mu": local["mu"].astype("f4").astype("f8")})

# Damaged ones, each with what must be said of it.
write("bad_nan.h5", {**step, "f": np.full(n, np.nan)})
write("bad_size.h5", {**step, "w": np.zeros(11)})
write("bad_transposed.h5", {**step, "H": H.T})
write("bad_mu.h5", {k: v for k, v in step.items() if k != "mu"})
write("bad_text.h5", {**step, "M": "a text"})
write("bad_kind.h5", step, "csr", "h5sparse")
with h5py.File("bad_kind.h5", "a") as file:
    file["M"].attrs["h5sparse_format"] = np.bytes_("bsr")
write("bad_index.h5", step, "csr", "scipy")
with h5py.File("bad_index.h5", "a") as file:
    file["H/indices"][0] = 99
write("bad_start.h5", step, "csc", "scipy")
with h5py.File("bad_start.h5", "a") as file:
    file["H/indptr"][2] = 10**6
with open("dense.h5", "rb") as whole, open("bad_cut.h5", "wb") as cut:
    cut.write(whole.read()[:1500])
with h5py.File("local.h5") as file: # of q the size of its header
    at = h5py.h5o.get_info(file["q"].id).addr + 9
with open("local.h5", "rb") as whole, open("bad_header.h5", "wb") as damaged:
    image = bytearray(whole.read())
    image[at] = 255
    damaged.write(image)
with open("bad_words.h5", "w") as file:
    file.write("words\n")


def triplets(file, name, a):
    at = np.argwhere(a)
    group = file.create_group(name)
    for key, value in ("m", a.shape[0]), ("n", a.shape[1]), ("nz", len(at)), ("nzmax", len(at)):
        group[key] = [value]
    group["i"], group["p"], group["x"] = at[:, 0], at[:, 1], a[at[:, 0], at[:, 1]]


def fclib(name, group, H, dimension, rolling=None):
    with h5py.File(name, "w") as file:
        file[f"{group}/spacedim"] = [dimension]
        triplets(file, f"{group}/M", M)
        triplets(file, f"{group}/H", H)
        vectors = file.create_group(f"{group}/vectors")
        vectors["f"], vectors["mu"] = step["f"], step["mu"]
        vectors["w"] = np.resize(step["w"], H.shape[1])
        if rolling is not None:
            vectors["mu_r"] = rolling


H5 = np.zeros((n, 5 * c))
H5.reshape(n, c, 5)[:, :, :3] = H.reshape(n, c, 3)
H5.reshape(n, c, 5)[:, :, 3:] = random.normal(size=(n, c, 2))
fclib("rolling.h5", "fclib_global_rolling", H5, 5, np.full(c, 0.25))
fclib("no_rolling.h5", "fclib_global_rolling", H5, 5, np.zeros(c))
fclib("guesses.h5", "fclib_global", H, 3)
with h5py.File("guesses.h5", "a") as file:
    file["guesses/number_of_guesses"] = [2]
    for k in 1, 2:
        guess = file.create_group(f"guesses/{k}")
        guess["v"], guess["u"], guess["r"] = np.full(n, k), np.zeros(3 * c), np.full(3 * c, 10.0 * k)
END_OF_PYTHON

# HDF5 loses memory of its own where a header is damaged.
echo leak:libhdf5 >leaks
export LSAN_OPTIONS=suppressions=$folder/leaks:print_suppressions=0
fail() { echo "$*" >&2; exit 1; }

# refused FILE TEXT: exit 2, one line with the text, and nothing is written.
refused() {
    code=0
    "$ncpbench" convert "$1" out.h5 >said 2>&1 || code=$?
    [ $code = 2 ] || fail "$1: exit $code: $(cat said)"
    grep -q -F -- "$2" said || fail "$1: \"$2\" is missing in: $(cat said)"
    [ "$(wc -l <said)" = 1 ] || fail "$1: more than a line: $(cat said)"
    [ -z "$(ls out* 2>/dev/null)" ] || fail "$1: it left $(ls out*)"
}

refused bad_nan.h5 "f: entry 0 is nan"
refused bad_size.h5 "w: has 11 entries for 4 contacts"
refused bad_transposed.h5 "H: has shape 12 x 9, must be 9 x 12"
refused bad_mu.h5 "mu: "
refused bad_text.h5 "M: "
refused bad_kind.h5 'M: is sparse in the format "bsr"'
refused bad_index.h5 "H: entry 0 has the index 99, outside 0 to 11"
refused bad_start.h5 "H/indptr: "
refused bad_cut.h5 "damaged or cut short"
refused bad_header.h5 "q: not a dataset, or damaged"
refused bad_words.h5 "is not an HDF5 file"
refused absent.h5 "absent.h5"
code=0
"$ncpbench" convert dense.h5 out.txt >said 2>&1 || code=$?
{ [ $code = 2 ] && grep -q "tells no format" said; } || fail "out.txt: exit $code: $(cat said)"

for each in dense csr_* csc_* coo_* local fortran; do
    "$ncpbench" convert "${each%.h5}.h5" "${each%.h5}.fclib.hdf5" >said 2>&1 || fail "$each: $(cat said)"
done
"$ncpbench" convert rolling.h5 rolled.h5 >/dev/null 2>said
grep -q "rolling friction, mu_r up to 0.25, is left out" said || fail "rolling.h5: $(cat said)"
"$ncpbench" convert no_rolling.h5 not_rolled.h5 >/dev/null 2>said
[ ! -s said ] || fail "no_rolling.h5: $(cat said)"
code=0
"$ncpbench" solve rolling.h5 >said 2>&1 || code=$?
{ [ $code = 2 ] && grep -q "rolling friction" said; } || fail "solve rolling.h5: exit $code: $(cat said)"

"$ncpbench" convert guesses.h5 guessed.h5 --guess 2 >said 2>&1 || fail "--guess 2: $(cat said)"
"$ncpbench" convert guesses.h5 unguessed.h5 >/dev/null 2>said
grep -q "2 guesses are left out" said || fail "guesses.h5: $(cat said)"
code=0
"$ncpbench" convert guesses.h5 out.h5 --guess 3 >said 2>&1 || code=$?
{ [ $code = 2 ] && grep -q "2 guesses, and none of number 3" said; } || fail "--guess 3: exit $code: $(cat said)"
"$ncpbench" judge guessed.h5 >/dev/null || [ $? = 1 ]

# A solve begins at the first guess; contacts of FCLIB's steps are not known from one to the next.
"$ncpbench" convert guesses.h5 first.h5 --guess 1 >/dev/null
"$ncpbench" judge first.h5 --json >judged.json || [ $? = 1 ]
"$ncpbench" solve guesses.h5 --start guess --solver newton --newton-iters 1 --json >started.json || [ $? = 1 ]
python3 - <<'END_OF_PYTHON'
import json
judged, started = json.load(open("judged.json")), json.load(open("started.json"))
there, error = started["trace"]["step_error"][0], judged["errors"]["step_error"]
assert abs(there - error) < 1e-9 * error, f"not at the guess: {there}, {error}"
assert started["settings"]["start"] == "guess" and started["times"]["start"] > 0
END_OF_PYTHON
cp unguessed.h5 step-0001.h5
cp unguessed.h5 step-0002.h5
code=0
"$ncpbench" solve step-0002.h5 --start previous --solver nsgs >said 2>&1 || code=$?
{ [ $code = 2 ] && grep -q "does not tell which contacts" said; } || fail "--start previous: exit $code: $(cat said)"

# And out again: arrays that numpy reads as they went in.
"$ncpbench" convert dense.h5 arrays.h5 --format arrays >/dev/null
"$ncpbench" convert local.fclib.hdf5 local_arrays.h5 --format arrays >/dev/null

"$python" - <<'END_OF_PYTHON'
import glob

import h5py
import numpy as np


def matrix(g):
    a = np.zeros((g["m"][0], g["n"][0]))
    nz, p, i, x = g["nz"][0], g["p"][:], g["i"][:], g["x"][:]
    if nz == -2:
        i, p = np.repeat(np.arange(len(p) - 1), np.diff(p)), i
    np.add.at(a, (i, p), x)
    return a


def csr(g):
    a = np.zeros(g.attrs["shape"])
    a[np.repeat(np.arange(a.shape[0]), np.diff(g["indptr"][:])), g["indices"][:]] = g["data"][:]
    return a


names = glob.glob("*.fclib.hdf5")
assert len(names) == 1 + 9 + 2 + 2, names
with h5py.File("dense.h5") as dense, h5py.File("local.h5") as local:
    for name in names:
        with h5py.File(name) as file:
            if "fclib_local" in file:
                assert np.array_equal(matrix(file["fclib_local/W"]), local["W"][:]), name
                assert np.array_equal(file["fclib_local/vectors/q"][:], local["q"][:].ravel()), name
                continue
            for part in "M", "H":
                assert np.array_equal(matrix(file[f"fclib_global/{part}"]), dense[part][:]), name
            for part in "f", "w", "mu":
                assert np.array_equal(file[f"fclib_global/vectors/{part}"][:], dense[part][:]), name
    for name in "rolled.h5", "not_rolled.h5":
        with h5py.File(name) as file:
            assert np.array_equal(matrix(file["fclib_global/H"]), dense["H"][:]), name
            w = np.resize(dense["w"][:], 20).reshape(4, 5)[:, :3].ravel()
            assert np.array_equal(file["fclib_global/vectors/w"][:], w), name
    with h5py.File("arrays.h5") as arrays, h5py.File("local_arrays.h5") as local_arrays:
        assert np.array_equal(csr(arrays["H"]), dense["H"][:]) and np.array_equal(arrays["w"][:], dense["w"][:])
        assert np.array_equal(csr(local_arrays["W"]), local["W"][:])
    with h5py.File("guessed.h5") as guessed:
        assert np.array_equal(guessed["solution/v"][:], np.full(9, 2.0))
        assert np.array_equal(guessed["solution/r"][:], np.full(12, 20.0))
    with h5py.File("unguessed.h5") as unguessed:
        assert "solution" not in unguessed
END_OF_PYTHON

# What is converted is not replaced by what is made of it.
cp dense.h5 same.h5
ln -s same.h5 link.h5
code=0
"$ncpbench" convert same.h5 link.h5 2>said || code=$?
[ $code -eq 2 ] && grep -q 'link.h5: is the input' said && cmp -s dense.h5 same.h5 ||
    { echo "test_convert: a file is converted onto itself: $code, $(cat said)" >&2; exit 1; }

# numpy's and MATLAB's files are Python's part, which the message names.
code=0
"$ncpbench" convert dense.h5 dense.npz 2>said || code=$?
[ $code -eq 2 ] && grep -q 'python3 -m ncpbench_convert dense.h5 dense.npz' said || { cat said; exit 1; }

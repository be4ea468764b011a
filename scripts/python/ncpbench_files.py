"""Named arrays in numpy's .npz and in MATLAB's .mat (version 5), in which ncpbench.py keeps linear steps.

A sparse matrix M is in .npz as M_data, M_indices, M_indptr, M_shape, what scipy.sparse.csr_matrix takes, and in .mat
MATLAB's own; where it is an array it is read as well."""
import io
import os
import pathlib
import tempfile

import ncpbench_mat
import numpy as np
from ncpbench_arrays import Error, sparse

_PARTS = ("data", "indices", "indptr", "shape")
_POINTERS = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")


def holds_arrays(path):
    return pathlib.Path(os.fspath(path)).suffix in (".npz", ".mat")


def check_name(path):
    """Refuses a file's name that promises another format than the content will have."""
    suffix = pathlib.Path(os.fspath(path)).suffix
    if suffix not in (".h5", ".hdf5", ".npz", ".mat"):
        raise Error(f"{os.fspath(path)}: ends in {suffix or 'nothing'}: a problem is written as .h5 or .hdf5 (FCLIB), "
                    ".npz or .mat; `ncpbench convert` makes the others of it")


def _compressed(data, indices, indptr, shape):
    """A matrix in compressed rows, as scipy's, or an array without scipy."""
    data, indices, indptr, shape = (np.asarray(part) for part in (data, indices, indptr, shape))
    whole = [np.issubdtype(part.dtype, np.integer) and part.ndim == 1 for part in (indices, indptr, shape)]
    if not all(whole) or shape.size != 2 or data.ndim != 1 or indptr.size != shape[0] + 1:
        raise ValueError("its parts are not those of a matrix in compressed rows")
    fit = indptr[0] == 0 and indptr[-1] == indices.size == data.size and np.all(indptr[1:] >= indptr[:-1])
    if not fit or (indices.size and not 0 <= indices.min() <= indices.max() < shape[1]):
        raise ValueError(f"its indices are not within {shape[0]} x {shape[1]}")
    if sparse is not None:
        return sparse.csr_matrix((data, indices, indptr), tuple(int(size) for size in shape))
    result = np.zeros(shape)
    np.add.at(result, (np.repeat(np.arange(shape[0]), np.diff(indptr)), indices), data)
    return result


def _read_npz(data):
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    for name in [name[:-len("_indptr")] for name in arrays if name.endswith("_indptr")]:
        parts = [arrays.pop(f"{name}_{part}", None) for part in _PARTS]
        missing = [f"{name}_{part}" for part, value in zip(_PARTS, parts) if value is None]
        if missing:
            raise Error(f"holds no {', no '.join(missing)}")
        arrays[name] = _matrix(name, parts)
    return arrays


def _matrix(name, parts):
    try:
        return _compressed(*parts)
    except ValueError as reason:
        raise Error(f"{name}: {reason}") from None


def _read_mat(data):
    return {name: _matrix(name, (value[2], value[0], value[1], value[3][::-1])).T if isinstance(value, tuple) else value
            for name, value in ncpbench_mat.read(data).items()}


def check_no_pointer(data):
    """Of the bytes that a file begins with: whether it is the file itself."""
    if data.startswith(_POINTERS):
        raise Error("is not the file but Git LFS's pointer to it: `git lfs pull` fetches the file")


def read(path):
    """The arrays of numbers in a file, by name."""
    path = pathlib.Path(os.fspath(path))
    try:
        data = path.read_bytes()
        check_no_pointer(data)
        held = (_read_mat if path.suffix == ".mat" else _read_npz)(data)
    except OSError as reason:
        raise Error(f"{path}: {reason.strerror or reason}") from None
    except Error as reason:
        raise Error(f"{path}: {reason}") from None
    except Exception as reason:  # whatever zipfile, zlib and numpy make of a damaged file
        raise Error(f"{path}: is damaged, or no {path.suffix} file: {' '.join(str(reason).split())}") from None
    for name, value in held.items():
        if value.dtype.kind == "c":
            raise Error(f"{path}: {name}: its numbers are complex")
    return {name: value for name, value in held.items() if value.dtype.kind in "fiub"}


def write(path, arrays):
    """Writes arrays by name; the file appears whole."""
    path = pathlib.Path(os.fspath(path))
    if path.suffix == ".mat":
        content = ncpbench_mat.write(arrays)
    else:
        flat = {}
        for name, value in arrays.items():
            if hasattr(value, "tocsr"):
                value = value.tocsr()
                flat.update({f"{name}_{part}": getattr(value, part) for part in _PARTS})
            else:
                flat[name] = value
        held = io.BytesIO()
        np.savez_compressed(held, **flat)
        content = held.getvalue()
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            file = pathlib.Path(folder) / path.name
            file.write_bytes(content)
            os.replace(file, path)
    except OSError as reason:
        raise Error(f"{path}: {reason.strerror or reason}") from None

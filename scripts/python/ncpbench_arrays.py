"""numpy's and scipy's arrays as libncpbench.so takes them, and back; its messages as exceptions."""
from ctypes import POINTER, byref, c_int

import ncpbench_library as c
import numpy as np

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


class Error(Exception):
    """What ncpbench says is wrong: the file, the dataset or the option, and the range allowed."""

    __module__ = "ncpbench"


def call(function, *arguments):
    error = c.Error()
    if function(*arguments, byref(error)):
        raise Error(error.text.decode(errors="replace"))


def values(pointer, count):
    return np.ctypeslib.as_array(pointer, (count,)).copy() if count else np.zeros(0)


def doubles_of(array):
    return array.ctypes.data_as(c.doubles)


def real(name, values):
    """As an array of floats. What numpy takes with a loss or by guess, it does not: complex numbers lose their
    imaginary parts, masked entries come back, texts are read, and None is a NaN."""
    if np.ma.is_masked(values):
        raise Error(f"{name}: entries of it are masked")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = np.array(array.tolist()).reshape(array.shape)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"its entries are {array.dtype}, must be real numbers")
        return array.astype(float)
    except (TypeError, ValueError) as reason:
        raise Error(f"{name}: {reason}") from None


def vector(name, values, size=None):
    """Entries in the order of rows; an array of several rows has three for each contact, or six for each body."""
    values = real(name, values)
    if sum(length > 1 for length in values.shape) > 1 and values.shape[-1] not in (3, 6):
        raise Error(f"{name} is {' x '.join(map(str, values.shape))}, must be a vector, or "
                    "have rows of 3 or 6")
    values = np.ascontiguousarray(values).ravel()
    if not np.all(np.isfinite(values)):
        at = np.flatnonzero(~np.isfinite(values))[0]
        raise Error(f"{name}: entry {at} is {values[at]}, not a finite number")
    if size is not None and values.size != size:
        raise Error(f"{name} has {values.size} entries, must have {size}")
    return values


def _checked(name, matrix):
    """The matrix, whose indices are within it: scipy's constructors take any, and its conversions then write beside
    their arrays."""
    if not sparse.issparse(matrix):
        return np.atleast_2d(real(name, matrix))
    for index, size in zip((matrix.row, matrix.col), matrix.shape) if matrix.format == "coo" else []:
        if index.size and not 0 <= index.min() <= index.max() < size:
            raise Error(f"{name}: its indices are {index.min()} to {index.max()}, must be within 0 to {size - 1}")
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
    except ValueError as reason:
        raise Error(f"{name}: {reason}") from None
    if matrix.dtype.kind not in "biuf":
        raise Error(f"{name}: its entries are {matrix.dtype}, must be real numbers")
    return matrix


class Rows:
    """A matrix, scipy's or an array, as compressed rows for C, which live as long as this."""

    def __init__(self, name, matrix, shape=None):
        if sparse is not None:
            try:
                matrix = sparse.csr_matrix(_checked(name, matrix), dtype=float, copy=True)
            except (AttributeError, TypeError, ValueError) as reason:  # its parts do not fit each other
                raise Error(f"{name}: {reason}") from None
            matrix.sum_duplicates()
            start, column, value = matrix.indptr, matrix.indices, matrix.data
        else:
            matrix = np.atleast_2d(real(name, matrix))
            row, column = np.nonzero(matrix)
            start, value = np.searchsorted(row, np.arange(matrix.shape[0] + 1)), matrix[row, column]
        if shape and matrix.shape != shape:
            raise Error(f"{name} is {' x '.join(map(str, matrix.shape))}, must be {' x '.join(map(str, shape))}")
        self.matrix = matrix
        self.arrays = start, column, value = (np.ascontiguousarray(start, np.intc),
                                              np.ascontiguousarray(column, np.intc), np.ascontiguousarray(value))
        self.c = c.Csr(*matrix.shape, *(a.ctypes.data_as(POINTER(c_int)) for a in (start, column)), doubles_of(value))


def matrix_of(csr):
    start = np.ctypeslib.as_array(csr.start, (csr.rows + 1,)).copy() if csr.rows else np.zeros(1, int)
    column = np.ctypeslib.as_array(csr.column, (start[-1],)).copy() if start[-1] else np.zeros(0, int)
    value = values(csr.value, start[-1])
    if sparse is not None:
        return sparse.csr_matrix((value, column, start), (csr.rows, csr.columns))
    result = np.zeros((csr.rows, csr.columns))
    result[np.repeat(np.arange(csr.rows), np.diff(start)), column] = value
    return result

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


def vector(name, values, size=None):
    values = np.ascontiguousarray(values, float).ravel()
    if size is not None and values.size != size:
        raise Error(f"{name} has {values.size} entries, must have {size}")
    return values


def _checked(name, matrix):
    """The matrix, whose indices are within it: scipy's constructors take any, and its conversions then write beside
    their arrays."""
    if not sparse.issparse(matrix):
        return matrix
    for index, size in zip((matrix.row, matrix.col), matrix.shape) if matrix.format == "coo" else []:
        if index.size and not 0 <= index.min() <= index.max() < size:
            raise Error(f"{name}: its indices are {index.min()} to {index.max()}, must be within 0 to {size - 1}")
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
    except ValueError as reason:
        raise Error(f"{name}: {reason}") from None
    return matrix


class Rows:
    """A matrix, scipy's or an array, as compressed rows for C, which live as long as this."""

    def __init__(self, name, matrix, shape=None):
        if sparse is not None:
            matrix = sparse.csr_matrix(_checked(name, matrix), dtype=float, copy=True)
            matrix.sum_duplicates()
            start, column, value = matrix.indptr, matrix.indices, matrix.data
        else:
            matrix = np.atleast_2d(np.asarray(matrix, float))
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

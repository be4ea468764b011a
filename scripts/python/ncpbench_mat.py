"""MATLAB's MAT-files of version 5, as far as real arrays go, full or sparse: what `save -v7` and `save -v6` write.

A file is 128 bytes of header, of which the last four tell version and byte order, and elements: type, size, data padded
to 8 bytes, where up to 4 bytes of data stand beside type and size instead. An array is an element of elements: flags
with the class, dimensions, name and numbers, columns first; a sparse one has row indices and starts of columns before
these. Bounds are checked here, which scipy's reader leaves to luck."""
import struct
import zlib

import numpy as np

_TYPES = dict(enumerate("b B h H i I f . d . . q Q".split(), 1))  # of data, miINT8 and on
_CLASSES = dict(enumerate("d f b B h H i I q Q".split(), 6))      # of full arrays, mxDOUBLE_CLASS and on
_ARRAY, _COMPRESSED, _SPARSE, _COMPLEX = 14, 15, 5, 0x800


def _elements(data, order):
    """Type and bytes of each element."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(order + "II", data, at)
        if kind >> 16:
            kind, size, begin, at = kind & 0xffff, kind >> 16, at + 4, at + 8
        else:
            begin, at = at + 8, at + 8 + size + (-size % 8 if kind != _COMPRESSED else 0)
        if begin + size > len(data) or (begin == at - 4 and size > 4):
            raise ValueError("an element is cut off")
        yield kind, data[begin:begin + size]


def _numbers(element, order):
    kind, data = element
    if _TYPES.get(kind, ".") == ".":
        raise ValueError(f"numbers of the unknown type {kind}")
    return np.frombuffer(data, np.dtype(order + _TYPES[kind]))


def _array(data, order):
    """Name and value; None as value of what has no real numbers: text, cells, structures."""
    parts = list(_elements(data, order))
    flags, shape = _numbers(parts[0], order), tuple(int(n) for n in _numbers(parts[1], order))
    name, kind = bytes(parts[2][1]).decode("ascii", "replace"), int(flags[0]) & 0xff
    if int(flags[0]) & _COMPLEX:
        raise ValueError(f"{name}: its numbers are complex")
    if kind == _SPARSE:
        rows, starts, values = (_numbers(part, order) for part in parts[3:6])
        if len(shape) != 2 or starts.size != shape[1] + 1 or values.size < starts[-1]:
            raise ValueError(f"{name}: its indices are not those of a sparse matrix")
        return name, (rows[:starts[-1]], starts, values[:starts[-1]], shape)
    if kind not in _CLASSES:
        return name, None
    return name, _numbers(parts[3], order).astype(_CLASSES[kind]).reshape(shape, order="F")


def read(data):
    """Arrays by name; a sparse one is (row indices, starts of columns, numbers, shape), whose indices are unchecked.
    ValueError where the bytes are no such file."""
    if data[:8] == b"\x89HDF\r\n\x1a\n" or data[124:128] in (b"\x00\x02IM", b"\x02\x00MI"):
        raise ValueError("MATLAB's version 7.3, which is HDF5: `ncpbench convert` reads it")
    order = {b"IM": "<", b"MI": ">"}.get(bytes(data[126:128]))
    if order is None:
        raise ValueError("it has not the header of MATLAB's version 5")
    arrays = {}
    for kind, content in _elements(memoryview(data)[128:], order):
        if kind == _COMPRESSED:
            try:
                inner = zlib.decompress(content)
            except zlib.error as reason:
                raise ValueError(str(reason)) from None
            kind, content = next(_elements(memoryview(inner), order), (0, b""))
        if kind == _ARRAY:
            try:
                name, value = _array(content, order)
            except IndexError:
                raise ValueError("an array lacks parts") from None
            if value is not None:
                arrays[name] = value
    return arrays


def _element(kind, array):
    data = array if isinstance(array, bytes) else np.ascontiguousarray(array).tobytes()
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def _one(name, value):
    sparse = hasattr(value, "tocsc")
    if sparse:
        value = value.tocsc().astype(float)
        value.sum_duplicates()
        parts = [_element(5, value.indices.astype("<i4")), _element(5, value.indptr.astype("<i4")),
                 _element(9, value.data.astype("<f8"))]
    else:
        value = np.asarray(value, float)
        value = value.reshape(-1, 1) if value.ndim < 2 else value
        parts = [_element(9, value.astype("<f8").ravel(order="F").tobytes())]
    flags = np.array([_SPARSE if sparse else 6, value.nnz if sparse else 0], "<u4")
    head = [_element(6, flags), _element(5, np.array(value.shape, "<i4")), _element(1, name.encode("ascii"))]
    packed = zlib.compress(_element(_ARRAY, b"".join(head + parts)))
    return struct.pack("<II", _COMPRESSED, len(packed)) + packed


def write(arrays):
    """The bytes of a file with these arrays; vectors become columns."""
    text = b"MATLAB 5.0 MAT-file, by ncpbench".ljust(124)
    return text + b"\x00\x01IM" + b"".join(_one(name, value) for name, value in arrays.items())

"""Results files as rows: ncpbench.records."""
import gzip
import json
import os

import ncpbench_files
from ncpbench_arrays import Error


def _flat(value, prefix=""):
    for name, member in value.items():
        if isinstance(member, dict):
            yield from _flat(member, f"{prefix}{name}.")
        else:
            yield prefix + name, member


def _check(path):
    with open(path, "rb") as file:
        try:
            ncpbench_files.check_no_pointer(file.read(64))
        except Error as reason:
            raise Error(f"{path}: {reason}") from None


def records(paths, floors=False):
    """The records of results files (.jsonl, .jsonl.gz), one path or several, as a pandas.DataFrame, or a list of
    dicts where there is no pandas. Members of members are columns "errors.step_error". Those of floors, which have
    other members, are left out unless floors is true."""
    rows = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        _check(path)
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    row = dict(_flat(json.loads(line))) if line.strip() else {}
                except (ValueError, AttributeError) as reason:
                    raise Error(f"{path}:{number}: no record: {reason}") from None
                rows += [row] if row and (floors or row.get("kind") != "floor") else []
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)

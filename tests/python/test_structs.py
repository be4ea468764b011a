"""The structs of ncpbench_library.py have the sizes and offsets that the C compiler gives them."""
import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest

import ncpbench_library as library

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRUCTS = {"nb_error": library.Error, "nb_csr": library.Csr, "nb_linear_step": library.Step,
           "nb_parameter": library.Parameter,
           "nb_options": library.Options, "nb_run": library.Run, "nb_application_times": library.ApplicationTimes,
           "nb_observer": library.Observer, "nb_problem_extras": library.Extras, "nb_metric": library.Metric,
           "nb_drawing": library.Places}
IN_C = {"forces": "lambda"}  # which Python keeps to itself


def laid_out_by_c(folder):
    """What a C program prints: the size of each struct and where each of its fields begins."""
    lines = [f'    printf("{name} %zu\\n", sizeof(struct {name}));' for name in STRUCTS]
    lines += [f'    printf("{name}.{field[0]} %zu\\n", offsetof(struct {name}, {IN_C.get(field[0], field[0])}));'
              for name, struct in STRUCTS.items() for field in struct._fields_]
    source = pathlib.Path(folder, "sizes.c")
    source.write_text('#include <stddef.h>\n#include <stdio.h>\n\n#include "harness/ncpbench.h"\n\n'
                      "int main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    program = str(source.with_suffix(""))
    subprocess.run([os.environ.get("CC", "gcc"), "-D_GNU_SOURCE", "-I", str(ROOT), str(source), "-o", program],
                   check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict((name, int(number)) for name, number in (line.split() for line in printed.splitlines()))


class Structs(unittest.TestCase):
    def test_layout(self):
        with tempfile.TemporaryDirectory() as folder:
            there = laid_out_by_c(folder)
        here = {name: ctypes.sizeof(struct) for name, struct in STRUCTS.items()}
        for name, struct in STRUCTS.items():
            here.update((f"{name}.{field[0]}", getattr(struct, field[0]).offset) for field in struct._fields_)
        self.assertEqual(here, there)


if __name__ == "__main__":
    unittest.main(verbosity=2)

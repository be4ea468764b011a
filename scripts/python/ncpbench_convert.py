"""Problems between HDF5 and the arrays of numpy and MATLAB: python3 -m ncpbench_convert SOURCE TARGET.

Both are *.h5, *.hdf5, *.npz or *.mat (version 5, which scipy reads and writes). What else ncpbench reads and writes,
`ncpbench convert` converts."""
import sys

import ncpbench


def convert(source, target):
    """Reads a problem with its solution, if it has one, and writes both. A nonlinear step becomes a linear one, without
    the solution, where the target holds arrays. Returns a sentence on what was lost, or ""."""
    problem = ncpbench.read_problem(source)
    answer, said = ncpbench.stored_answer(source, problem), ""
    if ncpbench.files.holds_arrays(target):
        if problem.form == "nonlinear":
            said = f"{target}: the step is linearized where it begins"
            said += ", and its solution is left out" if answer is not None else ""
            problem, answer = problem.linearized(), None
        elif problem.time_step != 1:
            said = f"{target}: the time step, shapes and what else stands beside the matrices are left out"
    problem.write(target, answer)
    return said


def main(words):
    if len(words) != 2:
        print("usage: python3 -m ncpbench_convert SOURCE TARGET, each *.h5, *.npz or *.mat", file=sys.stderr)
        return 2
    try:
        said = convert(*words)
    except ncpbench.Error as wrong:
        print(f"ncpbench_convert: {wrong}", file=sys.stderr)
        return 2
    if said:
        print(f"ncpbench_convert: {said}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

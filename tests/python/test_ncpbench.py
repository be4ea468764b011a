"""scripts/python/ncpbench.py against the program, against check_solution.py, which shares no code with it, and against
problems of known solution. tests/scripts/test_python.sh runs it."""
import contextlib
import copy
import gzip
import io
import json
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import ncpbench
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BUILD", "build") / "ncpbench"


def program(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def as_local(step):
    """W, q, V, R, s of a global step."""
    M, H, p = dense(step.M), dense(step.H), step.bilaterals
    G, b = (dense(step.G), step.b) if p else (np.zeros((len(M), 0)), np.zeros(0))
    J = np.hstack((H, G))
    W, q, n = J.T @ np.linalg.solve(M, J), J.T @ np.linalg.solve(M, step.f), H.shape[1]
    W = (W + W.T) / 2
    return W[:n, :n], q[:n] + step.w, W[:n, n:], W[n:, n:], q[n:] + b


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.held.name)
        for scene in ("box_pyramid", "double_pendulum_mass", "heavy_stack"):
            program("export", scene, "--step", 3, "-o", cls.folder / f"{scene}.h5")
        cls.paths = sorted(cls.folder.glob("*.h5"))

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def test_solves_as_the_program_does(self):
        for path in self.paths:
            for options in ({}, {"solver": "newton", "precond": "ic0"}, {"precision": "f32"}):
                words = [word for name, value in options.items() for word in (f"--{name}", value)]
                record = json.loads(subprocess.run(
                    [PROGRAM, "solve", path, "--tol", "1e-5", "--json", *words], capture_output=True, text=True).stdout)
                answer = ncpbench.solve(ncpbench.read_problem(path), tol=1e-5, **options)
                self.assertEqual(answer.iterations, record["counts"]["newton"], (path, options))
                # As JSON, whose last digit may be rounded; of the trace, as the program goes on while velocities are unsure.
                expected = record["trace"]["step_error"][-1]
                self.assertTrue(math.isclose(answer.error, expected, rel_tol=2**-51), (path, options))

    def test_arrays_give_the_same_bits_as_the_file(self):
        for path in self.paths:
            step = ncpbench.read_problem(path).linearized()
            more = {"G": step.G, "b": step.b} if step.bilaterals else {}
            again = ncpbench.global_problem(step.M, step.H, step.f, step.w, step.mu, **more)
            plain = ncpbench.global_problem(dense(step.M), dense(step.H), list(step.f), step.w, step.mu, **{
                name: dense(value) for name, value in more.items()})
            written = self.folder / "written.hdf5"
            ncpbench.write_global(written, step.M, step.H, step.f, step.w, step.mu, **more)
            answers = [ncpbench.solve(p, tol=1e-9).v for p in (again, plain, ncpbench.read_problem(written))]
            written.unlink()
            for other in answers[1:]:
                np.testing.assert_array_equal(answers[0], other)

    def test_local_and_global_have_one_solution(self):
        for path in self.paths:
            step = ncpbench.read_problem(path).linearized()
            W, q, V, R, s = as_local(step)
            more = {"V": V, "R": R, "s": s} if step.bilaterals else {}
            local = ncpbench.local_problem(W, q, step.mu, **more)
            a, b = ncpbench.solve(step, tol=1e-10), ncpbench.solve(local, tol=1e-10)
            self.assertTrue(a.converged and b.converged, path)
            np.testing.assert_allclose(a.u, b.u, atol=1e-8)
            np.testing.assert_allclose(dense(local.W), W, atol=0)
            if step.bilaterals:
                np.testing.assert_array_equal(dense(local.V), V)
                np.testing.assert_allclose(local.V.T @ b.r + local.R @ b.l + local.s, 0, atol=1e-8)
            same = ncpbench.Answer(local, b.r, l=b.l)
            self.assertLess(ncpbench.judge(local, same)["step_error"], 1e-9)

    def test_agrees_with_the_independent_check(self):
        try:
            import h5py  # noqa: F401 (check_solution.py reads with it)
        except ImportError:
            self.skipTest("no h5py")
        for path in self.paths:
            step = ncpbench.read_problem(path).linearized()
            rough = ncpbench.solve(step, iterations=2)
            ours = self.folder / "checked.h5"
            step.write(ours, rough)
            said = subprocess.run([sys.executable, ROOT / "scripts/check_solution.py", ours], capture_output=True,
                                  text=True, check=True).stdout
            checked = float(said.split()[1])
            self.assertAlmostEqual(ncpbench.judge(ours)["natural_map"] / checked, 1, delta=1e-6)
            ours.unlink()

    def test_threads_give_the_bits_of_one(self):
        def answer(path):
            return ncpbench.solve(ncpbench.read_problem(path), tol=1e-8).v

        alone = [answer(path) for path in self.paths]
        with ThreadPoolExecutor(4) as pool:
            for one, other in zip(alone * 4, pool.map(answer, self.paths * 4)):
                np.testing.assert_array_equal(one, other)

    def test_starts_where_it_is_told(self):
        step = ncpbench.read_problem(self.folder / "heavy_stack.h5").linearized()
        solved = ncpbench.solve(step, tol=1e-9)
        self.assertGreater(solved.iterations, 0)
        self.assertEqual(ncpbench.solve(step, tol=1e-8, start=solved, solver="nsgs").iterations, 0)

    def test_without_scipy(self):
        path = self.folder / "box_pyramid.h5"
        code = f"""if True:
            import sys
            sys.modules["scipy"] = sys.modules["scipy.sparse"] = None
            import ncpbench
            step = ncpbench.read_problem({str(path)!r}).linearized()
            again = ncpbench.global_problem(step.M, step.H, step.f, step.w, step.mu)
            print(type(step.M).__name__, *ncpbench.solve(again, tol=1e-9).v)"""
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(said[0], "ndarray")
        v = ncpbench.solve(ncpbench.read_problem(path).linearized(), tol=1e-9).v
        np.testing.assert_array_equal(np.array(said[1:], float), v)

    def test_a_damaged_file_is_said_to_be_once(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        path = self.folder / "damaged.h5"
        with h5py.File(path, "w") as file:
            file["W"], file["q"], file["mu"] = np.eye(3), np.zeros(3), [0.5]
            at = h5py.h5o.get_info(file["q"].id).addr + 9  # of the size of its header
        image = bytearray(path.read_bytes())
        image[at] = 255
        path.write_bytes(image)
        code = f"""if True:
            import ncpbench
            try:
                ncpbench.read_problem({str(path)!r})
            except ncpbench.Error as error:
                print(error)"""
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        path.unlink()
        self.assertIn("q: not a dataset, or damaged", said.stdout)
        self.assertEqual(said.stderr, "")

    def test_says_what_is_wrong(self):
        step = ncpbench.read_problem(self.folder / "box_pyramid.h5").linearized()
        W, q, mu = np.eye(3), np.zeros(3), [0.5]
        other = ncpbench.solve(ncpbench.local_problem(W, q, mu))
        for part, call in {
                "nowhere.h5": lambda: ncpbench.read_problem("nowhere.h5"),
                "known: ": lambda: ncpbench.solve(step, solver="no_such"),
                "is no option": lambda: ncpbench.solve(step, tolerance=1),
                "must be a number": lambda: ncpbench.solve(step, damping="much"),
                "W is 2 x 3, must be 3 x 3": lambda: ncpbench.local_problem(W[:2], q, mu),
                "mu has 2 entries, must have 1": lambda: ncpbench.local_problem(W, q, [0.5, 0.5]),
                "must not be negative": lambda: ncpbench.local_problem(W, q, [-0.5]),
                "not a finite number": lambda: ncpbench.local_problem(W * np.nan, q, mu),
                "q has 2 entries": lambda: ncpbench.local_problem(W[:2, :2], q[:2], mu),
                "M is 3 x 3, must be 2 x 2": lambda: ncpbench.global_problem(W, W[:2], q[:2], q, mu),
                "b is missing, though there is G": lambda: ncpbench.global_problem(W, W, q, q, mu, G=W),
                "R is missing, though there is s": lambda: ncpbench.local_problem(W, q, mu, V=W, s=q),
                "answered by v": lambda: ncpbench.Answer(step, np.zeros(3 * step.contacts)),
                "another problem's: it has 3 velocities and 3 forces": lambda: ncpbench.judge(step, other),
                "must have 90 and 300": lambda: ncpbench.solve(step, start=other),
                "the answer is another problem's": lambda: step.write(self.folder / "no.h5", other),
                "an Answer is needed": lambda: ncpbench.judge(step),
                "holds no /solution": lambda: ncpbench.judge(self.folder / "box_pyramid.h5"),
                "/proc/nowhere/p.h5: ": lambda: step.write("/proc/nowhere/p.h5")}.items():
            with self.assertRaises(ncpbench.Error) as raised:
                call()
            self.assertIn(part, str(raised.exception))
        with self.assertRaisesRegex(AttributeError, "global step has no W, but .*H, M, f, mu, w; W is H"):
            step.W
        for copied in copy.copy, pickle.dumps:
            with self.assertRaisesRegex(TypeError, "neither copied nor pickled"):
                copied(step)


class Records(unittest.TestCase):
    def test_indices_outside_a_matrix_are_refused(self):
        """scipy's constructors take indices that count from 1, and its transposes then write beside their arrays."""
        if not ncpbench.arrays.sparse:
            self.skipTest("no scipy")
        sparse = ncpbench.arrays.sparse
        whole = {"M": np.eye(3), "H": np.eye(3), "G": np.ones((3, 1)), "f": np.ones(3), "w": np.zeros(3), "mu": [0.5],
                 "b": np.zeros(1)}
        for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.bsr_matrix):
            for name in "MHG":
                for shift in (1, -1):
                    matrix = kind(whole[name])
                    for index in ("row", "col") if kind is sparse.coo_matrix else ("indices",):
                        setattr(matrix, index, getattr(matrix, index) + shift)
                    with self.assertRaisesRegex(ncpbench.Error, f"^{name}: "):
                        ncpbench.global_problem(**{**whole, name: matrix})
        with self.assertRaisesRegex(ncpbench.Error, "^fclib_local/W|^W: "):
            ncpbench.local_problem(sparse.csr_matrix((np.ones(3), [1, 2, 3], range(4)), (3, 3)), np.ones(3), [0.5])
        with self.assertRaisesRegex(ncpbench.Error, "triangle of a symmetric matrix"):
            ncpbench.global_problem(**{**whole, "M": np.triu(np.ones((3, 3)))})

    def test_what_has_no_real_numbers_is_refused(self):
        """numpy takes the real parts of complex numbers, masked entries, numbers in texts, and None for a NaN."""
        whole = {"M": np.eye(3), "H": np.eye(3), "f": np.ones(3), "w": np.zeros(3), "mu": [0.5]}
        answer = ncpbench.solve(ncpbench.global_problem(**whole), tol=1e-10)
        for name, value in whole.items():
            given = np.array(value, float)
            for other in (given + 0j, given.astype(str), given.astype("M8[s]"), np.full(given.shape, None), {},
                          np.ma.masked_less(given, 2), [given, [given]]):
                with self.assertRaisesRegex(ncpbench.Error, f"^{name}"):
                    ncpbench.global_problem(**{**whole, name: other})
            for same in (given.astype(">f8"), given.astype(object), given.tolist(), np.asfortranarray(given),
                         np.repeat(given, 2, axis=0)[::2], given.astype(np.longdouble), np.ma.array(given)):
                again = ncpbench.solve(ncpbench.global_problem(**{**whole, name: same}), tol=1e-10)
                self.assertEqual(list(again.v), list(answer.v))
        with self.assertRaisesRegex(ncpbench.Error, "^r: "):
            ncpbench.Answer(ncpbench.global_problem(**whole), r=answer.r + 1j, v=answer.v)
        if ncpbench.arrays.sparse:
            for kind in "csr", "csc", "coo":
                with self.assertRaisesRegex(ncpbench.Error, "^H: its entries are complex"):
                    ncpbench.global_problem(**{**whole, "H": ncpbench.arrays.sparse.eye(3).asformat(kind) * (1 + 0j)})

    def test_a_vector_of_rows_has_three_a_contact(self):
        """What is stored by columns has the entries of a vector in another order."""
        whole = {"W": np.eye(12), "q": np.arange(12.0), "mu": np.ones(4)}
        known = ncpbench.local_problem(**whole)
        self.assertEqual(list(ncpbench.local_problem(**{**whole, "q": whole["q"].reshape(4, 3)}).q), list(known.q))
        self.assertEqual(list(ncpbench.local_problem(**{**whole, "q": whole["q"][:, None]}).q), list(known.q))
        with self.assertRaisesRegex(ncpbench.Error, "^q is 3 x 4, must be a vector, or have rows of 3 or 6"):
            ncpbench.local_problem(**{**whole, "q": whole["q"].reshape(4, 3).T})

    def test_records_are_rows(self):
        record = {"problem": "p.h5", "errors": {"step_error": 1e-9, "open": 3}, "times": [1, 2]}
        with tempfile.TemporaryDirectory() as folder:
            plain, packed = os.path.join(folder, "a.jsonl"), os.path.join(folder, "b.jsonl.gz")
            pathlib.Path(plain).write_text(json.dumps(record) + "\n\n")
            with gzip.open(packed, "wt") as file:
                file.write(json.dumps(dict(record, problem="q.h5")) + "\n")
            rows = ncpbench.records([plain, packed])
            if not isinstance(rows, list):
                self.assertEqual(list(rows["errors.step_error"]), [1e-9, 1e-9])
                rows = rows.to_dict("records")
            self.assertEqual([row["problem"] for row in rows], ["p.h5", "q.h5"])
            self.assertEqual(rows[0]["times"], [1, 2])
            pandas, sys.modules["pandas"] = sys.modules.get("pandas"), None
            try:
                self.assertEqual(ncpbench.records(plain), [{"problem": "p.h5", "errors.step_error": 1e-9,
                                                            "errors.open": 3, "times": [1, 2]}])
            finally:
                del sys.modules["pandas"]
                if pandas:
                    sys.modules["pandas"] = pandas
            pathlib.Path(plain).write_text('{"problem": "p.h5"}\n{"cut')
            with self.assertRaisesRegex(ncpbench.Error, "a.jsonl:2: no record"):
                ncpbench.records(plain)

    def test_reads_kept_records(self):
        rows = ncpbench.records(ROOT / "data/records/beam.jsonl.gz")
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        cases = [row for row in rows if row["kind"] == "case"]
        self.assertGreater(len(cases), 10)
        for name in ("settings.precond", "counts.linear", "errors.step_error", "provenance.version"):
            self.assertIn(name, cases[0])


class Page(unittest.TestCase):
    def test_the_first_block_runs(self):
        page = (ROOT / "docs/guide/python.md").read_text()
        code = page.split("```python\n")[1].split("```")[0]
        shown = page.split("```text\n")[1].split("```")[0]
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            os.chdir(folder)
            try:
                exec(code, {})
                error = ncpbench.judge("block.h5")["step_error"]
            finally:
                os.chdir(before)
        self.assertLess(error, 1e-10)
        self.assertEqual(said.getvalue().splitlines()[0].split(), shown.splitlines()[0].split())


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Problems as .npz and .mat, and where contacts are: what is written is read again, what is damaged is refused."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import ncpbench
import ncpbench_convert
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BUILD", "build") / "ncpbench"
SUFFIXES = [".npz", ".mat"]
try:
    import scipy.io as scipy_io
except ImportError:
    scipy_io = None


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


class Files(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        for scene in ("box_pyramid", "double_pendulum_mass"):
            subprocess.run([PROGRAM, "export", scene, "--step", "3", "-o", self.folder / f"{scene}.h5"], check=True,
                           capture_output=True)
        self.nonlinear = ncpbench.read_problem(self.folder / "double_pendulum_mass.h5")

    def steps(self):
        yield ncpbench.read_problem(self.folder / "box_pyramid.h5").linearized()
        step = self.nonlinear.linearized()
        yield step
        M, H, G = dense(step.M), dense(step.H), dense(step.G)
        inverse = np.linalg.inv((M + M.T) / 2)
        inverse = (inverse + inverse.T) / 2

        def product(A, B):
            return A.T @ inverse @ B

        W, R = product(H, H), product(G, G)
        yield ncpbench.local_problem((W + W.T) / 2, H.T @ inverse @ step.f + step.w, step.mu, V=product(H, G),
                                     R=(R + R.T) / 2, s=G.T @ inverse @ step.f + step.b)

    def assert_same(self, one, other):
        self.assertEqual(one.form, other.form)
        for name in dir(one):
            if name in ("M", "H", "G", "f", "w", "b", "W", "V", "R", "q", "s", "mu", "points", "frames", "bodies"):
                np.testing.assert_array_equal(dense(getattr(one, name)), dense(getattr(other, name)), name)

    def test_what_is_written_is_read_again(self):
        for step in self.steps():
            answer = ncpbench.solve(step, tol=1e-9)
            for suffix in SUFFIXES:
                path = self.folder / f"p{suffix}"
                step.write(path, answer)
                again = ncpbench.read_problem(path)
                self.assert_same(step, again)
                self.assertEqual(ncpbench.judge(path)["step_error"], ncpbench.judge(step, answer)["step_error"])
                step.write(path)
                with self.assertRaisesRegex(ncpbench.Error, f"p{suffix}: holds no r"):
                    ncpbench.judge(path)
        with self.assertRaisesRegex(ncpbench.Error, "a nonlinear step has no matrices"):
            self.nonlinear.write(self.folder / "p.npz")
        with self.assertRaisesRegex(ncpbench.Error, "/proc/nowhere/p.npz: "):
            step.write("/proc/nowhere/p.npz")
        for name in ("p.foo", "p", "p.dat", "p.NPZ"):
            with self.assertRaisesRegex(ncpbench.Error, f"{name}: ends in .*: a problem is written as .h5"):
                step.write(self.folder / name)
            self.assertFalse((self.folder / name).exists())

    def test_plain_arrays_of_another_program_are_read(self):
        M, H, f = 2 * np.eye(3), np.eye(3)[:, [2, 0, 1]], np.array([2.0, 0, -0.2])
        np.savez(self.folder / "plain.npz", M=M, H=H, f=f, w=np.zeros(3), mu=0.3, remark="from somewhere")
        step = ncpbench.read_problem(self.folder / "plain.npz")
        self.assertEqual((step.form, step.contacts, step.mu[0]), ("global", 1, 0.3))
        np.testing.assert_array_equal(dense(step.H), H)

    def test_mat_is_what_scipy_writes_and_reads(self):
        if not scipy_io:
            self.skipTest("no scipy, whose reader and writer of .mat is the second one")
        for step in self.steps():
            path = self.folder / "p.mat"
            step.write(path)
            theirs = scipy_io.loadmat(path)
            names = [name for name in dir(step) if name in theirs]
            self.assertGreater(len(names), 3)
            for name in names:
                expected, seen = dense(getattr(step, name)), dense(theirs[name])
                np.testing.assert_array_equal(seen.reshape(expected.shape), expected, name)
            for options in {"do_compression": True}, {"do_compression": False, "oned_as": "row"}:
                beside = {"text": "a", "cell": np.array([{}, "b"], object), "single": np.float32(1), "struct": {"a": 1}}
                scipy_io.savemat(path, {**beside, **{name: getattr(step, name) for name in names}}, **options)
                self.assert_same(step, ncpbench.read_problem(path))
            scipy_io.savemat(path, {"W": np.eye(3) * 1j, "q": np.zeros(3), "mu": [0.5]})
            with self.assertRaisesRegex(ncpbench.Error, "W: its numbers are complex"):
                ncpbench.read_problem(path)

    def test_what_is_wrong_is_said(self):
        whole = {"W": np.eye(3), "q": np.zeros(3), "mu": [0.5]}
        parts = {"W_data": np.ones(3), "W_indices": np.arange(3), "W_indptr": np.arange(4), "W_shape": [3, 3]}
        for said, arrays in {
                "holds no mu": {"W": np.eye(3), "q": np.zeros(3)},
                "holds no M, no H, no f, no w, no mu": {"A": np.eye(3)},
                "W is 3 x 2, must be 3 x 3": dict(whole, W=np.eye(3)[:, :2]),
                "W: its numbers are complex": dict(whole, W=np.eye(3) * 1j),
                "holds no W_shape": {**{k: v for k, v in parts.items() if k != "W_shape"}, **{"q": whole["q"]}},
                "not within 3 x 3": {**parts, "W_indices": np.array([0, 1, 3]), "q": np.zeros(3), "mu": [0.5]},
                "compressed rows": {**parts, "W_indptr": np.arange(3), "q": np.zeros(3), "mu": [0.5]},
                "frames is ": dict(whole, points=np.zeros((1, 3)), frames=np.eye(3)),
                "2 contacts, the step has 1": dict(whole, points=np.zeros((2, 3)), frames=np.array([np.eye(3)] * 2)),
                "not a finite number": dict(whole, q=np.full(3, np.nan))}.items():
            np.savez(self.folder / "wrong.npz", **arrays)
            with self.assertRaises(ncpbench.Error) as raised:
                ncpbench.read_problem(self.folder / "wrong.npz")
            self.assertIn(said, str(raised.exception))
            self.assertIn("wrong.npz: ", str(raised.exception))
        np.savez(self.folder / "pickled.npz", **dict(whole, W=np.array([{}], object)))
        for name in ("pointer.npz", "pointer.mat"):
            (self.folder / name).write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
            with self.assertRaisesRegex(ncpbench.Error, f"{name}: is not the file but Git LFS's pointer"):
                ncpbench.read_problem(self.folder / name)
        for name in ("pointer.jsonl", "pointer.jsonl.gz"):
            (self.folder / name).write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
            with self.assertRaisesRegex(ncpbench.Error, f"{name}: is not the file but Git LFS's pointer"):
                ncpbench.records(self.folder / name)
        for path in ("pickled.npz", "nowhere.npz", "nowhere.mat"):
            with self.assertRaises(ncpbench.Error):
                ncpbench.read_problem(self.folder / path)

    def test_damage_is_an_error(self):
        step = ncpbench.read_problem(self.folder / "box_pyramid.h5").linearized()
        chance = random.Random(1)
        for suffix in SUFFIXES:
            path = self.folder / f"p{suffix}"
            step.write(path)
            whole = path.read_bytes()
            for _ in range(200):
                image = bytearray(whole[:chance.choice([len(whole), chance.randrange(len(whole))])])
                for _ in range(3):
                    if image:
                        image[chance.randrange(len(image))] = chance.randrange(256)
                path.write_bytes(image)
                try:
                    ncpbench.read_problem(path)
                except ncpbench.Error:
                    pass

    def test_converts(self):
        for source in (self.folder / "box_pyramid.h5", self.folder / "double_pendulum_mass.h5"):
            linear = ncpbench.read_problem(source).linearized()
            for suffix in SUFFIXES:
                there, back = self.folder / f"there{suffix}", self.folder / "back.h5"
                said = subprocess.run([sys.executable, "-m", "ncpbench_convert", source, there], check=True,
                                      capture_output=True, text=True).stderr
                self.assertIn("linearized", said)
                self.assertEqual(ncpbench_convert.convert(there, back), "")
                self.assert_same(linear, ncpbench.read_problem(back))
        self.assertEqual(ncpbench_convert.main(["nowhere.npz", "p.h5"]), 2)
        self.assertEqual(ncpbench_convert.main(["nowhere.npz"]), 2)

    def test_a_solution_is_told_of_where_there_is_one(self):
        bare, solved = self.folder / "bare.h5", self.folder / "solved.h5"
        self.nonlinear.write(bare)
        self.nonlinear.write(solved, ncpbench.solve(self.nonlinear))
        self.assertNotIn("solution", ncpbench_convert.convert(bare, self.folder / "p.npz"))
        self.assertIn("its solution is left out", ncpbench_convert.convert(solved, self.folder / "p.npz"))

    def test_places(self):
        """A linear step keeps those of the step that it is of: H's rows of a body's velocity are the frame's."""
        step = ncpbench.read_problem(self.folder / "box_pyramid.h5")
        linear = step.linearized()
        self.assertEqual(linear.points.shape, (step.contacts, 3))
        np.testing.assert_array_equal(linear.points, step.points)
        H = dense(linear.H).T.reshape(step.contacts, 3, -1, 6)
        for contact, (a, b) in enumerate(step.bodies):
            for body, sign in ((a, 1), (b, -1)):
                if body >= 0:
                    np.testing.assert_allclose(sign * H[contact, :, body, :3], step.frames[contact], atol=1e-12)
        local = ncpbench.local_problem(np.eye(3), np.zeros(3), [0.5])
        self.assertEqual(local.points.shape, (0, 3))
        local.place([[1, 2, 3]], [np.eye(3)])
        np.testing.assert_array_equal(local.bodies, [[-1, -1]])
        with self.assertRaisesRegex(ncpbench.Error, "bodies is"):
            local.place([[1, 2, 3]], [np.eye(3)], [[1, 2, 3]])
        with self.assertRaisesRegex(ncpbench.Error, "have their places"):
            step.place(step.points, step.frames)

    def test_what_a_problem_has_is_listed(self):
        names = {"M", "H", "G", "f", "w", "b", "W", "V", "R", "q", "s", "mu"}
        self.assertFalse(names & set(dir(self.nonlinear)))
        for step in self.steps():
            listed = names & set(dir(step))
            self.assertTrue({"mu", "points", "frames"} <= set(dir(step)))
            for name in names:
                self.assertEqual(hasattr(step, name), name in listed, name)


class Records(unittest.TestCase):
    def test_floors_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "r.jsonl"
            path.write_text('{"kind":"floor","key":"1"}\n{"kind":"case","key":"2"}\n{"kind":"simulation","key":"3"}\n')
            for floors, keys in ((False, ["2", "3"]), (True, ["1", "2", "3"])):
                rows = ncpbench.records(path, floors=floors)
                rows = rows if isinstance(rows, list) else rows.to_dict("records")
                self.assertEqual([row["key"] for row in rows], keys)


if __name__ == "__main__":
    unittest.main(verbosity=2)

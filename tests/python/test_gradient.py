"""Gradients of a step from Python against differences of its solution, and masses found by them."""
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import ncpbench
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BUILD", "build") / "ncpbench"


class Gradients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.held.name) / "p.h5"
        subprocess.run([PROGRAM, "export", "sliding_box", "--step", "5", "-o", cls.path], check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def test_differences(self):
        weight = np.arange(1.0, 7)
        problem = ncpbench.read_problem(self.path)
        slope = ncpbench.gradient(problem, ncpbench.solve(problem), weight)
        self.assertEqual(set(slope), {"velocity", "position", "mass", "friction", "force", "compliance"})
        direction = np.array([0.3, -0.2, 0.1, 0.02, 0.01, 0])

        def moved(change, amount):
            problem = ncpbench.read_problem(self.path)
            getattr(problem, change)(amount)
            return weight @ ncpbench.solve(problem).v

        for name, change in (("force", "push"), ("velocity", "add_velocity")):
            e = 1e-3
            difference = (moved(change, e * direction) - moved(change, -e * direction)) / (2 * e)
            self.assertAlmostEqual(difference, slope[name] @ direction, delta=1e-6)
        push = np.array([15, 0, -5.0, 0, 0, 0])
        problem.push(push)
        by_mass = ncpbench.gradient(problem, ncpbench.solve(problem), weight)["mass"][0] * problem.masses[0]
        values = []
        for factor in (1 + 1e-4, 1 - 1e-4):
            other = ncpbench.read_problem(self.path)
            other.push(push)
            other.scale_masses([factor])
            values.append(weight @ ncpbench.solve(other).v)
        self.assertAlmostEqual((values[0] - values[1]) / 2e-4, by_mass, delta=1e-6)

    def test_back_through_many_steps(self):
        """A ball that comes down on a sprung floor with friction: differences of the whole throw."""
        settings = {"friction": 0.3, "height": 0.06, "launch_z": -0.7, "stiffness": 100, "time_step": 0.002}
        to_position, to_velocity = np.zeros((3, 3)), np.zeros(18)
        to_position[0], to_velocity[:6] = (0.3, -0.5, 0.7), (0.02, 0.01, -0.03, 0.001, 0.002, 0.003)

        def thrown(change):
            problem, passed = ncpbench.scene("bouncing_ball", **settings), []
            problem.add_velocity(np.concatenate((change, np.zeros(12))))
            places = problem.positions
            for _ in range(60):
                passed.append((problem, ncpbench.solve(problem, tol=1e-13)))
                problem = problem.next(passed[-1][1])
            velocity = passed[-1][1].v
            np.testing.assert_allclose(problem.positions, passed[-1][0].positions +
                                       0.002 * velocity.reshape(-1, 6)[:, :3], atol=1e-15)
            self.assertGreater(np.abs(problem.positions - places).max(), 0.1)
            return passed, (to_position * problem.positions).sum() + to_velocity @ velocity

        passed, _ = thrown(np.zeros(6))
        self.assertTrue(any(answer.r.any() for _, answer in passed))
        place, slope = to_position.ravel(), to_velocity
        for problem, answer in reversed(passed):
            place, slope = ncpbench.gradient_back(problem, answer, place, slope)
        for k in range(6):
            change = 1e-6 * np.eye(6)[k]
            difference = (thrown(change)[1] - thrown(-change)[1]) / 2e-6
            self.assertAlmostEqual(difference, slope[k], delta=1e-6)

    def test_scenes_and_steps(self):
        problem = ncpbench.scene("sliding_box", friction=0.25)
        self.assertEqual(problem.parameters["friction"], 0.25)
        self.assertEqual(problem.positions.shape, (1, 3))
        with self.assertRaisesRegex(ncpbench.Error, "nearest: sliding_box"):
            ncpbench.scene("slidingbox")
        with self.assertRaisesRegex(ncpbench.Error, "0 to 10"):
            ncpbench.scene("sliding_box", friction=-1)
        linear = problem.linearized()
        with self.assertRaisesRegex(ncpbench.Error, "no step follows a linear one"):
            linear.next(ncpbench.solve(linear))
        with self.assertRaisesRegex(ncpbench.Error, "to_position has 2"):
            ncpbench.gradient_back(problem, ncpbench.solve(problem), [1, 2], np.zeros(6))

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "no python3-scipy")
    def test_exported_systems_have_the_answer(self):
        """The unsymmetric class of systems: their solution by a library is h dy/df in its velocities' rows."""
        import scipy.io
        import scipy.sparse
        for scene, redundant in (("sliding_box", True), ("bouncing_ball", False)):
            path = pathlib.Path(self.held.name) / f"{scene}.h5"
            subprocess.run([PROGRAM, "export", scene, "--step", "5", "-o", path], check=True, capture_output=True)
            ran = subprocess.run([PROGRAM, "gradient", path, "--of", "u0", "--to", "force", "--json", "--system",
                                  path.with_suffix("")], check=True, capture_output=True, text=True)
            told = json.loads(ran.stdout)["gradients"][0]["to"][0]["gradient"]
            A = scipy.sparse.coo_matrix(scipy.io.mmread(path.with_suffix(".A.mtx"))).toarray()
            b = scipy.io.mmread(path.with_suffix(".b.mtx"))
            b = np.asarray(b.todense() if scipy.sparse.issparse(b) else b).ravel()
            self.assertEqual(np.linalg.matrix_rank(A) < len(b), redundant, scene)
            z = np.linalg.lstsq(A, b, rcond=None)[0]
            self.assertGreater(np.abs(A - A.T).max(), 0.1, scene)
            self.assertLess(np.abs(A @ z - b).max(), 1e-9, scene)
            h = ncpbench.read_problem(path).parameters["time_step"]
            np.testing.assert_allclose(h * z[:len(told)], told, rtol=1e-6, atol=1e-12, err_msg=scene)

    def test_refusals(self):
        problem = ncpbench.read_problem(self.path)
        answer = ncpbench.solve(problem)
        with self.assertRaisesRegex(ncpbench.Error, "of has 2 entries"):
            ncpbench.gradient(problem, answer, [1, 2])
        for index in (-1, 6):
            with self.assertRaisesRegex(ncpbench.Error, "within 0 to 5"):
                ncpbench.gradient(problem, answer, index)
        with self.assertRaisesRegex(ncpbench.Error, "factors has 2"):
            problem.scale_masses([1, 2])
        with self.assertRaisesRegex(ncpbench.Error, "above 0"):
            problem.scale_masses([0])
        with self.assertRaisesRegex(ncpbench.Error, "no masses"):
            problem.linearized().scale_masses([])

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "no python3-scipy")
    def test_masses_are_found(self):
        spec = importlib.util.spec_from_file_location("estimation", ROOT / "docs/examples/mass_estimation.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        start, found, _ = module.estimate(self.path)
        self.assertGreater(abs(start - 1).max(), 0.1)
        self.assertLess(abs(found - 1).max(), 1e-9)


if __name__ == "__main__":
    unittest.main(verbosity=2)

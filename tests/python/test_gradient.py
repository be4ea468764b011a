"""Gradients of a step from Python against differences of its solution, and masses found by them."""
import importlib.util
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
        self.assertEqual(set(slope), {"velocity", "mass", "friction", "force", "compliance"})
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

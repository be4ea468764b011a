"""scripts/python/ncpbench_studies.py: condition numbers of two particles by hand and their mirror image, a Delassus
matrix by hand and both forms of a step, zero eigenvalues of a box on four corners, iterations of steps, NCP functions,
records by their schema, refusals.
tests/scripts/test_python.sh runs it."""
import contextlib
import io
import json
import math
import os
import pathlib
import tempfile
import unittest

import ncpbench
import ncpbench_studies as studies
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["NCPBENCH"] = str(ROOT / os.environ.get("BUILD", "build") / "ncpbench")


def run(*words):
    """What the study prints, its messages and its exit code."""
    said, wrong = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        code = studies.main([str(word) for word in words])
    return said.getvalue(), wrong.getvalue(), code


def of_two(a, b, c):
    """Condition number of the symmetric [a b; b c]."""
    mean, half = (a + c) / 2, math.hypot((a - c) / 2, b)
    return (mean + half) / (mean - half)


class Studies(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.addCleanup(self.held.cleanup)
        self.folder = pathlib.Path(self.held.name)

    def kept(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def refused(self, said, *words):
        out, wrong, code = run(*words)
        self.assertEqual((out, code), ("", 2), words)
        self.assertIn(said, wrong)

    def conditions(self, *settings):
        try:
            import h5py  # noqa: F401 (the module needs it)
        except ImportError:
            self.skipTest("no h5py")
        return studies.conditions("particle_chain", settings, "z")[0]

    def test_two_particles(self):
        """Masses 2 and 6 kg, stiffnesses 1e4 and 5e4 N/m, h = 0.01 s: h^2 k = 1 and 5 kg. J = [1 0; -1 1]."""
        primal, dual = self.conditions("count=2", "mass=2", "ratio=3", "compliance=2e-5", "stiffness_ratio=5",
                                       "time_step=0.01")
        self.assertLess(abs(primal / of_two(2 + 1 + 5, -5, 6 + 5) - 1), 1e-12)
        self.assertLess(abs(dual / of_two(0.5 + 1, -0.5, 0.5 + 1 / 6 + 0.2) - 1), 1e-12)

    def test_mirror(self):
        """A last mass r times the others, or a first link r times as soft: each system is the other one's, in reverse
        order."""
        mass = self.conditions("count=7", "ratio=300", "compliance=1e-8")
        stiffness = self.conditions("count=7", "ratio=1", "stiffness_ratio=300", "compliance=1e-8")
        self.assertLess(abs(mass[0] / stiffness[1] - 1), 1e-9)
        self.assertLess(abs(mass[1] / stiffness[0] - 1), 1e-9)
        self.assertGreater(mass[1], 10 * mass[0])

    def test_conditioning_as_a_user_meets_it(self):
        self.conditions("compliance=1e-8")
        words = "conditioning", "particle_chain", "--set", "compliance=1e-8", "--axis"
        said, _, code = run(*words, "z", "--points", 2, "-o", self.folder / "c.jsonl")
        self.assertEqual(code, 0)
        self.assertIn("430.808           430.808", said)
        self.assertEqual([each["settings"]["system"] for each in self.kept("c.jsonl")], ["primal", "dual"])
        self.assertEqual(self.kept("c.jsonl")[0]["trace"]["value"][0], 1)
        self.held_by_schema("c.jsonl")
        # across the chain every row turns a particle, too: no row is along x alone
        self.refused("no row lies along", *words, "x")
        self.refused("row 0 is rigid", "conditioning", "particle_chain")
        self.refused("--set compliance=", "conditioning", "particle_chain")
        self.refused("nearest: ratio", "conditioning", "particle_chain", "--vary", "raito")
        self.refused("no_scene", "conditioning", "no_scene")
        self.refused("without elements", "conditioning", "box_on_plane", "--vary", "mass")

    def test_soft_contacts(self):
        """Two balls of 1 kg on each other and a floor, their rows by hand: M + (h^2/e) J^T J and h^2 J M^-1 J^T + e."""
        self.conditions("compliance=1e-8")
        e, h, r = 2e-6, 0.005, 0.1
        primal, dual = studies.conditions(
            "ball_drop", ("count=2", "height=0", f"contact_compliance={e}", f"friction_compliance={e}"), "all", True)[0]
        M = np.diag([1, 1, 1, *3 * [0.4 * r * r]] * 2)
        J = np.zeros((6, 12))  # vx, vy, vz, wx, wy, wz of the lower one, then of the upper one
        J[0, 2], J[1, [0, 4]], J[2, [1, 3]] = 1, (1, -r), (1, r)
        J[3, [2, 8]], J[4, [0, 4, 6, 10]], J[5, [1, 3, 7, 9]] = (-1, 1), (-1, -r, 1, -r), (-1, r, 1, r)
        self.assertLess(abs(primal / np.linalg.cond(M + h * h / e * J.T @ J) - 1), 1e-9)
        self.assertLess(abs(dual / np.linalg.cond(h * h * J @ np.linalg.inv(M) @ J.T + e * np.eye(6)) - 1), 1e-9)
        words = "conditioning", "ball_drop", "--contacts", "--vary", "contact_compliance+friction_compliance"
        said, _, code = run(*words, "--set", "height=0", "--from", 1e-8, "--to", 1e-4, "--points", 3)
        self.assertEqual((code, len(said.splitlines())), (0, 4))
        self.refused("contacts are rigid", "conditioning", "ball_drop", "--contacts", "--vary", "mass")

    def test_particle_matrix(self):
        step = ncpbench.global_problem(4 * np.eye(3), np.eye(3), [-1, 0, 0], np.zeros(3), [0.5])
        self.assertLess(abs(studies.delassus("", step) - np.eye(3) / 4).max(), 1e-15)

    def test_global_and_condensed(self):
        random = np.random.default_rng(21)
        A, H = random.normal(size=(24, 24)), random.normal(size=(24, 12))
        M = A @ A.T + np.eye(24)
        W = H.T @ np.linalg.solve(M, H)
        local = ncpbench.local_problem((W + W.T) / 2, np.zeros(12), np.zeros(4))
        whole = ncpbench.global_problem(M, H, np.zeros(24), np.zeros(12), np.zeros(4))
        self.assertLess(abs(studies.delassus("", local) - studies.delassus("", whole)).max(), 1e-10)

    def test_no_contacts(self):
        studies.program("export", "particle_chain", "-o", str(self.folder / "chain.h5"))
        said, _, code = run("spectrum", self.folder / "chain.h5", "-o", self.folder / "s.jsonl")
        self.assertEqual(code, 0)
        self.assertIn("0 rows, fill 0.0 %", said)

    def test_counts_zero_eigenvalues(self):
        """One box on four corners: 12 rows of rank 6."""
        studies.program("export", "box_on_plane", "-o", str(self.folder / "box.h5"))
        said, _, code = run("spectrum", self.folder / "box.h5", "-o", self.folder / "s.jsonl")
        self.assertEqual(code, 0)
        self.assertIn("12 rows", said)
        self.assertIn("6 eigenvalues are zero (50.0 %)", said)
        fill, spectrum = self.kept("s.jsonl")
        self.assertEqual((spectrum["kind"], spectrum["rows"], spectrum["zeros"]), ("spectrum", 12, 6))
        self.assertEqual(fill["fill"], len(fill["trace"]["row"]) / 144)
        self.assertEqual(max(fill["trace"]["magnitude"]), 1)
        self.held_by_schema("s.jsonl")
        self.refused("no_file.h5", "spectrum", "no_file.h5")
        self.refused("/dev/zero", "spectrum", "/dev/zero")
        self.refused("/dev/full: cannot be written", "spectrum", self.folder / "box.h5", "-o", "/dev/full")

    def test_a_throw_finds_its_target(self):
        """Off the floor alone: by gradients through all steps, and not by those to velocities."""
        try:
            import scipy.optimize  # noqa: F401 (the study needs it)
        except ImportError:
            self.skipTest("no scipy")
        settings = [word for each in ("distance=2", "target_x=0.8", "target_z=0.12", "stiffness=60", "time_step=0.004")
                    for word in ("--set", each)]
        for gradient in ("all", "velocity"):
            said, wrong, code = run("trajectory", *settings, "--time", 0.3, "--gradient", gradient, "-o",
                                    self.folder / "t.jsonl")
            self.assertEqual((wrong, code), ("", 0))
        found, lost = self.kept("t.jsonl")
        self.assertEqual((found["touched"], found["settings"]["parameters"]["target_x"]), (1, 0.8))
        self.assertLess(found["trace"]["distance"][-1], 1e-6)
        self.assertLess(found["difference"], 1e-5)
        self.assertGreater(lost["trace"]["distance"][-1], 1e-3)
        self.held_by_schema("t.jsonl")
        self.refused("known: launch_x", "trajectory", "--set", "lunch=1")

    def iterations(self, *words):
        """The columns of all runs."""
        said, wrong, code = run("iterations", *words, "--linearized", "-o", self.folder / "i.jsonl")
        self.assertEqual((wrong, code), ("", 0))
        last = said.splitlines()[-1].split()
        self.assertEqual(last[0], "all")
        self.held_by_schema("i.jsonl")
        return dict(zip(studies.COLUMNS, map(float, last[1:])))

    def test_one_iteration_a_step(self):
        """The ball drop's (Todorov 2010, figure 6)."""
        found = self.iterations("ball_drop", "--steps", 60, "--solver", "implicit_complementarity")
        self.assertTrue(4 <= found["contacts"] <= 5 and found["iterations"] <= min(1, found["slow"]))
        self.assertEqual((found["solved"], found["stuck"]), (100, 0))

    def test_local_minima_and_the_limit(self):
        """With one iteration a step none ends before the limit; with many, what is neither solved nor stuck ended
        there. One run is not the other's."""
        words = ("balls_in_cube", "--set", "count=15", "--set", "friction=2", "--runs", 2, "--steps", 60, "--solver",
                 "implicit_complementarity:scale=none", "--newton-iters")
        one, many = (self.iterations(*words, most) for most in (1, 2000))
        self.assertTrue(one["slow"] == 1 and one["solved"] < 100 and one["stuck"] == 0)
        self.assertTrue(many["slow"] > many["iterations"] and many["stuck"] > 0)
        self.assertLess(abs(many["solved"] + many["stuck"] - 100), 0.11)
        traced = self.kept("i.jsonl")[-1]["trace"]
        self.assertEqual(len(set(traced["contacts"])), 2)

    def test_ncp_functions(self):
        """By the effective mass the minimum map is a line: one iteration from any start (Macklin et al. 2019, figure
        9)."""
        said, wrong, code = run("functions", "-o", self.folder / "f.jsonl")
        self.assertEqual((wrong, code), ("", 0))
        self.assertIn("min               mass                    0.25           1           0", said)
        self.assertIn("min               identity                   1           2           0", said)
        records = {tuple(record["settings"].values()): record for record in self.kept("f.jsonl")}
        self.assertLess(abs(records["friction_error", "fb", "mass"]["trace"]["value"][100]), 1e-12)
        self.held_by_schema("f.jsonl")

    def test_iterations_refused(self):
        self.refused('has no parameter "seed"', "iterations", "ball_drop", "--runs", 2)
        self.refused("unknown scene", "iterations", "no_scene")

    def held_by_schema(self, name):
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            return
        schema = Draft202012Validator(json.loads((ROOT / "data/record.schema.json").read_text()))
        for record in self.kept(name):
            schema.validate(record)


if __name__ == "__main__":
    unittest.main()

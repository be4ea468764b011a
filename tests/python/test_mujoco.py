"""ncpbench_recorders.mujoco against `ncpbench import`, of the arrays that MuJoCo 2.2.2 has for the same step under the
names of MuJoCo 3 in Python, and on a ball whose solution is known, stated by hand in each way that MuJoCo 3 may."""
import contextlib
import gzip
import io
import json
import os
import pathlib
import subprocess
import tempfile
import types
import unittest
import unittest.mock
import warnings

import ncpbench
import ncpbench_mujoco
import ncpbench_recorders as recorders
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BUILD", "build") / "ncpbench"
MODEL = """<mujoco><option timestep="0.004" cone="{cone}" jacobian="{jacobian}"/>
<worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.6"/>
  <body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" condim="6" friction="0.7 0.02 0.003"/></body>
  <body pos="0.5 0 0.098" euler="3 4 5"><freejoint/><geom name="brick" type="box" size="0.2 0.1 0.1" condim="4"/>
  </body>
  <body pos="-0.5 0 0.1"><freejoint/><geom type="capsule" size="0.1 0.2" euler="0 90 0" condim="1"/></body>
  <body pos="0 1 0.1"><freejoint/><geom name="slick" type="box" size="0.2 0.1 0.1"/>
    <body pos="0 0 0.2"><joint name="a" type="hinge" axis="1 0 0" range="-1 2" limited="true" frictionloss="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03" contype="0" conaffinity="0"/>
      <body pos="0 0 0.3"><joint name="b" type="ball" range="0 0.5" limited="true" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03"/></body></body></body>
  <body name="fixed" pos="1 1 0.2"><geom type="sphere" size="0.1"/></body>
  <body name="held" pos="1 1 0.45"><joint name="c" type="slide" axis="0 0 1"/>
    <joint name="d" type="hinge" axis="0 1 0"/>
    <geom type="box" size="0.1 0.1 0.15" mass="2"/></body>
</worldbody>
<contact><pair geom1="floor" geom2="slick" friction="0.9 0.3 0.005 0.0001 0.0001"/></contact>
<tendon><fixed name="t" limited="true" range="-0.1 0.001"><joint joint="c" coef="1"/><joint joint="d" coef="0.5"/></fixed>
</tendon>
<equality><joint joint1="c" joint2="d" polycoef="0.01 0.2 0 0 0"/><connect body1="held" body2="fixed" anchor="0 0.1 0"/>
</equality></mujoco>"""

WIDE = {"geom_size": (3,), "subtree_com": (3,), "geom_xpos": (3,), "cdof": (6,)}


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def fields_of(output):
    """The lines and numbers of mujoco_fields.c as model and data."""
    model, data, contacts, at = {}, {}, [], 0
    while at < len(output):
        end = output.index(b"\n", at)
        of, name, kind, count = output[at:end].decode().split()
        array = np.frombuffer(output, "i4" if kind == "i" else "f8", int(count), end + 1)
        at = end + 1 + array.nbytes
        if of == "contact" and name == "dist":
            contacts.append({})
        {"model": model, "data": data}.get(of, contacts[-1] if contacts else None)[name] = array
    return model, data, [types.SimpleNamespace(**{
        k: v[0] if v.size == 1 else v for k, v in contact.items()}) for contact in contacts]


def python_of(output):
    """MjModel and MjData as MuJoCo 3 has them in Python: arrays of two dimensions, constraints as many as there are."""
    model, data, contacts = fields_of(output)
    nv, nefc = int(model["nv"][0]), int(data["nefc"][0])
    for name in ("subtree_com", "geom_xpos"):
        data[name] = data[name].reshape(-1, 3)
    data["cdof"], model["geom_size"] = data["cdof"].reshape(-1, 6), model["geom_size"].reshape(-1, 3)
    jacobian = int(model["jacobian"][0])
    sparse = jacobian == 1 or (jacobian == 2 and nv >= 60)
    for name in data:
        if name.startswith("efc_") and name not in ("efc_J", "efc_J_colind"):
            data[name] = data[name][:nefc]
    if sparse:
        last = int((data["efc_J_rowadr"] + data["efc_J_rownnz"]).max(initial=0))
        data["efc_J"], data["efc_J_colind"] = data["efc_J"][:last], data["efc_J_colind"][:last]
    else:
        data["efc_J"] = data["efc_J"][:nefc * nv]
    data.update({name: int(data[name][0]) for name in ("ncon", "nefc", "nf")}, contact=contacts)
    model.update(nv=nv, opt=types.SimpleNamespace(timestep=float(model["timestep"][0])))
    return types.SimpleNamespace(**model), types.SimpleNamespace(**data)


class AgainstImport(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not pathlib.Path("/usr/include/mujoco/mujoco.h").exists():
            raise unittest.SkipTest("no libmujoco-dev")
        said = subprocess.run([PROGRAM, "import", "nowhere.xml", "-o", "nowhere.h5"], capture_output=True, text=True)
        if "built without MuJoCo" in said.stderr:
            raise unittest.SkipTest("ncpbench was built without MuJoCo")
        cls.held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.held.cleanup)
        cls.folder = pathlib.Path(cls.held.name)
        subprocess.run(["gcc", "-std=c17", "-O1", ROOT / "tests/python/mujoco_fields.c", "-o", cls.folder / "fields",
                        "-lmujoco"], check=True)

    def fields(self, path, step, forward=1):
        return python_of(subprocess.run([self.folder / "fields", path, str(step), str(forward)], check=True,
                                        capture_output=True, cwd=self.folder).stdout)

    def compare(self, path, step):
        """0 where both refuse the step, else the number of its contacts."""
        where = self.folder / "imported.h5"
        said = subprocess.run([PROGRAM, "import", path, "--step", str(step), "-o", where], capture_output=True)
        model, data = self.fields(path, step)
        if said.returncode:
            with self.assertRaisesRegex(ncpbench.Error, "nothing touches"):
                recorders.mujoco(model, data)
            return 0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours = recorders.mujoco(model, data)
        theirs = ncpbench.read_problem(where)
        self.assertEqual((ours.dofs, ours.contacts, ours.bilaterals), (theirs.dofs, theirs.contacts, theirs.bilaterals))
        np.testing.assert_array_equal(dense(ours.M), dense(theirs.M))
        for name in sorted(set(dir(theirs)) & {"H", "G", "f", "w", "b", "mu", "points", "frames", "bodies"}):
            expected = dense(getattr(theirs, name))
            np.testing.assert_allclose(dense(getattr(ours, name)), expected, rtol=1e-12,
                                       atol=1e-13 * np.abs(expected).max(initial=1), err_msg=f"{path} {step} {name}")
        lost = subprocess.run([PROGRAM, "info", where], capture_output=True, text=True, check=True).stdout
        told = " ".join(str(warning.message) for warning in caught)
        for parameter, words in (("torsional_dropped", "torsional"), ("rolling_dropped", "rolling"),
                                 ("dry_friction_dropped", "dry friction"), ("empty_rows_dropped", "empty")):
            self.assertEqual(parameter in lost, words in told, (path, step, parameter, told))
        return theirs.contacts

    def test_command_line(self):
        """The same step as import's, by a module of MuJoCo 3's name; without one it says what to install."""
        path, out, steps = ROOT / "data/models/quadruped.xml", self.folder / "by_python.h5", []
        model, data = self.fields(path, 40)
        simulator = types.SimpleNamespace(
            MjModel=types.SimpleNamespace(from_xml_path=lambda name: model), MjData=lambda model: data,
            mj_step=lambda model, data: steps.append("step"), mj_forward=lambda model, data: steps.append("forward"))
        asked = [str(path), "--step", "40", "-o", str(out)]
        with unittest.mock.patch.dict("sys.modules", mujoco=simulator), \
                contextlib.redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertIsNone(ncpbench_mujoco.main(asked))
        self.assertEqual(steps, 40 * ["step"] + ["forward"])
        subprocess.run([PROGRAM, "import", path, "--step", "40", "-o", self.folder / "theirs.h5"], check=True,
                       capture_output=True)
        ours, theirs = ncpbench.read_problem(out), ncpbench.read_problem(self.folder / "theirs.h5")
        self.assertIn(f"{ours.dofs} dofs", said.getvalue())
        np.testing.assert_array_equal(dense(ours.M), dense(theirs.M))
        self.assertEqual(ours.contacts, theirs.contacts)
        with unittest.mock.patch.dict("sys.modules", mujoco=None):
            self.assertIn("pip install mujoco", ncpbench_mujoco.main(asked))

    def test_models_of_the_tree(self):
        counts = [self.compare(path, step) for path in sorted((ROOT / "data/models").glob("*.xml"))
                  for step in (0, 100, 300)]
        self.assertGreater(sum(count > 0 for count in counts), 20)

    def test_arrays_of_mujoco_3_itself(self):
        """As mujoco3.mjs took them; 40 steps of two versions part by rounding."""
        with gzip.open(ROOT / "tests/python/mujoco3.json.gz", "rt") as file:
            held = json.load(file)
        model, data = (types.SimpleNamespace(**{
            name: np.array(value).reshape((-1,) + WIDE.get(name, ())) if isinstance(value, list) else value
            for name, value in held[of].items()}) for of in ("model", "data"))
        model.opt = types.SimpleNamespace(timestep=model.timestep)
        data.contact = [types.SimpleNamespace(**contact) for contact in held["contact"]]
        path = self.folder / "all.xml"
        path.write_text(MODEL.format(cone="pyramidal", jacobian="sparse"))
        subprocess.run([PROGRAM, "import", path, "--step", "40", "-o", self.folder / "all.h5"], check=True,
                       capture_output=True)
        theirs = ncpbench.read_problem(self.folder / "all.h5")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = recorders.mujoco(model, data)
        self.assertEqual((held["version"], ours.contacts, ours.bilaterals), ("3.3.8", 12, theirs.bilaterals))
        for name in ("M", "H", "G", "f", "w", "b", "mu"):
            expected = dense(getattr(theirs, name))
            np.testing.assert_allclose(dense(getattr(ours, name)), expected, rtol=1e-7,
                                       atol=1e-8 * np.abs(expected).max(), err_msg=name)

    def test_every_kind_of_constraint_in_both_cones_and_both_storages(self):
        for cone in ("elliptic", "pyramidal"):
            for jacobian in ("dense", "sparse"):
                path = self.folder / "all.xml"
                path.write_text(MODEL.format(cone=cone, jacobian=jacobian))
                for step in (0, 40, 200):
                    self.assertGreater(self.compare(path, step), 5)

    def test_rows_of_flexes_are_those_of_bodies(self):
        """A contact whose geom is unknown, as a flex's, has its rows in efc_J: the same."""
        for cone in ("elliptic", "pyramidal"):
            for jacobian in ("dense", "sparse"):
                path = self.folder / "all.xml"
                path.write_text(MODEL.format(cone=cone, jacobian=jacobian))
                model, data = self.fields(path, 40)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    known = recorders.mujoco(model, data)
                    for contact in data.contact:
                        contact.geom = np.array([contact.geom[0], -1])
                    flex = recorders.mujoco(model, data)
                sliding = np.repeat(known.mu > 0, 3)
                np.testing.assert_allclose(dense(flex.H).T[sliding], dense(known.H).T[sliding], atol=1e-12)
                np.testing.assert_allclose(dense(flex.H).T[::3], dense(known.H).T[::3], atol=1e-12)

    def test_constraints_before_the_last_step_are_refused(self):
        model, data = self.fields(ROOT / "data/models/quadruped.xml", 100, forward=0)
        with self.assertRaisesRegex(ncpbench.Error, r"call mj_forward\(model, data\) first"):
            recorders.mujoco(model, data)


class Ball(unittest.TestCase):
    """A ball of mass m, radius R and inertia I on a plane, at v = (1, 0, 0), with a gap: as in test_recorders.py."""

    M, R, H, G, MU, GAP = 2.0, 0.5, 0.01, 9.81, 0.3, 2e-4
    INERTIA = 0.4 * M * R**2

    def step(self, csr_mass=False, **contact):
        diagonal = np.array([self.M] * 3 + [self.INERTIA] * 3)
        model = types.SimpleNamespace(
            nv=6, opt=types.SimpleNamespace(timestep=self.H), dof_parentid=[-1, 0, 1, 2, 3, 4],
            dof_Madr=[0, 1, 3, 6, 10, 15], body_rootid=[0, 1], body_parentid=[0, 0], body_dofnum=[0, 6],
            body_dofadr=[-1, 0], geom_bodyid=[0, 1], geom_size=np.array([[5, 5, 1], [self.R, 0, 0]]))
        J = np.hstack((np.eye(3), [[0, -self.R, 0], [self.R, 0, 0], [0, 0, 0]]))[[2, 0, 1]]
        velocity = np.array([1.0, 0, 0, 0, 0, 0])
        found = types.SimpleNamespace(**{**dict(
            dist=self.GAP, pos=np.array([0, 0, 0.0]), frame=np.array([0, 0, 1, 1, 0, 0, 0, 1, 0.0]), exclude=0, dim=3,
            friction=np.array([self.MU, self.MU, 0.005, 0.0001, 0.0001]), geom=np.array([0, 1]), efc_address=0),
            **contact})
        data = types.SimpleNamespace(
            qvel=velocity, qfrc_smooth=np.array([0, 0, -self.M * self.G, 0, 0, 0]), ncon=1, nefc=3, nf=0,
            contact=[found], efc_type=np.full(3, 7), efc_id=np.zeros(3, int), efc_J=J.ravel(), efc_vel=J @ velocity,
            efc_pos=np.array([self.GAP, 0, 0]), subtree_com=np.array([[0, 0, self.R]] * 2),
            geom_xpos=np.array([[0, 0, 0], [0, 0, self.R + self.GAP]]),
            cdof=np.vstack((np.hstack((np.zeros((3, 3)), np.eye(3))), np.hstack((np.eye(3), np.zeros((3, 3)))))))
        if csr_mass:  # of MuJoCo 3.11 and on: compressed rows of the lower triangle, here of the diagonal alone
            data.M = diagonal
            model.M_rownnz, model.M_rowadr, model.M_colind = np.ones(6, int), np.arange(6), np.arange(6)
        else:
            data.qM = np.zeros(21)
            data.qM[model.dof_Madr] = diagonal
        return model, data

    def assert_solved(self, problem):
        answer = ncpbench.solve(problem, tol=1e-12)
        normal = self.M * (self.G * self.H - self.GAP / self.H)
        turn = self.MU * normal * self.R / self.INERTIA
        expected = [1 - self.MU * normal / self.M, 0, -self.GAP / self.H, 0, turn, 0]
        np.testing.assert_allclose(answer.v, expected, atol=1e-10)
        np.testing.assert_allclose(answer.r, [normal, -self.MU * normal, 0], atol=1e-10)

    def test_each_way_to_state_it(self):
        for csr_mass in (False, True):
            self.assert_solved(recorders.mujoco(*self.step(csr_mass=csr_mass)))
            self.assert_solved(recorders.mujoco(*self.step(csr_mass=csr_mass, geom=np.array([0, -1]))))
        problem = recorders.mujoco(*self.step())
        np.testing.assert_array_equal(problem.bodies, [[0, -1]])
        np.testing.assert_array_equal(problem.frames[0], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])

    def test_mass_in_compressed_rows_is_symmetric(self):
        model, data = self.step(csr_mass=True)
        model.M_rownnz, model.M_rowadr = np.array([1, 2, 1, 1, 1, 1]), np.array([0, 1, 3, 4, 5, 6])
        model.M_colind = np.array([0, 0, 1, 2, 3, 4, 5])
        data.M = np.array([2, 0.5, 2, 2, 1, 1, 1])
        expected = np.diag([2.0, 2, 2, 1, 1, 1])
        expected[0, 1] = expected[1, 0] = 0.5
        np.testing.assert_array_equal(dense(recorders.mujoco(model, data).M), expected)

    def test_what_is_left_out_is_told(self):
        for said, contact in {"1 torsional friction": {"dim": 4}, "1 rolling friction": {"dim": 6},
                              "1 adhesion": {"adhesion": 0.1}}.items():
            with self.assertWarnsRegex(UserWarning, said):
                self.assert_solved(recorders.mujoco(*self.step(**contact)))
        model, data = self.step()
        data.nf = 2
        with self.assertWarnsRegex(UserWarning, "2 dry friction"):
            recorders.mujoco(model, data)
        with self.assertRaisesRegex(ncpbench.Error, "nothing touches"):
            recorders.mujoco(*self.step(exclude=2))
        model, data = self.step()
        data.tree_asleep = np.array([-1, 0])
        with self.assertRaisesRegex(ncpbench.Error, "asleep"):
            recorders.mujoco(model, data)
        model, data = self.step()
        data.qvel = data.qvel + 0.1
        with self.assertRaisesRegex(ncpbench.Error, "mj_forward"):
            recorders.mujoco(model, data)


if __name__ == "__main__":
    unittest.main(verbosity=2)

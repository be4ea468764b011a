"""scripts/python/ncpbench_recorders.py on steps of known solution, stated as each engine states them.

The step: a ball of mass m, radius R and inertia I on a plane, at v = (1, 0, 0), not turning, gravity -g along z, a gap
and friction mu. It slides, so that over a step h

    r_N = m (g h - gap/h),  v+ = (1 - mu r_N/m, 0, -gap/h),  omega+ = (0, mu r_N R/I, 0).
"""
import pathlib
import tempfile
import types
import unittest

import ncpbench
import ncpbench_recorders as recorders
import numpy as np

MASS, RADIUS, STEP, GRAVITY, MU, GAP = 2.0, 0.5, 0.01, 9.81, 0.3, 2e-4
INERTIA = 0.4 * MASS * RADIUS**2
NORMAL = MASS * (GRAVITY * STEP - GAP / STEP)
SOLUTION = np.array([1 - MU * NORMAL / MASS, 0, -GAP / STEP, 0, MU * NORMAL * RADIUS / INERTIA, 0])
FREE = np.array([1, 0, -GRAVITY * STEP, 0, 0, 0])
M = np.diag([MASS] * 3 + [INERTIA] * 3)
# v of the point below the centre: v + omega x (0, 0, -R), rows x, y, z.
POINT = np.hstack((np.eye(3), np.array([[0, -RADIUS, 0], [RADIUS, 0, 0], [0, 0, 0]])))
TURN = np.array([0.3, -0.2, 0.5, np.sqrt(1 - 0.38)])  # x, y, z, w


class Case(unittest.TestCase):
    def solve(self, problem, normal=NORMAL):
        """The answer, which sliding along x by the impulse normal has; the problem is read again from a file."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.h5"
            problem.write(path)
            problem = ncpbench.read_problem(path)
        answer = ncpbench.solve(problem, tol=1e-12)
        self.assertTrue(answer.converged, answer.error)
        self.assertAlmostEqual(answer.r[0], normal, places=10)
        self.assertAlmostEqual(np.hypot(*answer.r[1:3]), MU * normal, places=10)
        return answer

    def assert_velocity(self, answer):
        np.testing.assert_allclose(answer.v, SOLUTION, atol=1e-10)


class Bodies(Case):
    def newton(self, swapped):
        """Shape 0 the plane and 1 the ball, or the other way round; the body's frame is turned and off its centre."""
        com = np.array([0.1, -0.2, 0.05])
        R = recorders._rotations(TURN[None])[0]
        point = {"ball": R.T @ [0, 0, -0.4] + com, "plane": np.zeros(3)}  # 0.1 of the ball is its margin
        offset = {"ball": R.T @ [0, 0, -0.1], "plane": np.zeros(3)}
        margin = {"ball": 0.1, "plane": 0.0}
        names = ["ball", "plane"] if swapped else ["plane", "ball"]
        centre = np.array([0, 0, RADIUS + GAP])
        contacts = types.SimpleNamespace(
            rigid_contact_count=np.array([1]), rigid_contact_normal=np.array([[0, 0, -1.0 if swapped else 1.0]] * 3))
        for k, name in enumerate(names):
            setattr(contacts, f"rigid_contact_shape{k}", np.array([0 if name == "plane" else 1, -1, -1]))
            setattr(contacts, f"rigid_contact_point{k}", np.array([point[name]] * 3))
            setattr(contacts, f"rigid_contact_offset{k}", np.array([offset[name]] * 3))
            setattr(contacts, f"rigid_contact_margin{k}", np.array([margin[name]] * 3))
        model = types.SimpleNamespace(
            shape_body=np.array([-1, 0]), shape_material_mu=np.array([0.5, 0.1]), body_mass=np.array([MASS]),
            body_inertia=np.array([INERTIA * np.eye(3)]), body_com=np.array([com]), body_world=np.array([0]),
            gravity=np.array([[0, 0, -GRAVITY], [0, 0, 0]]))
        state = types.SimpleNamespace(
            body_q=np.array([np.concatenate((centre - R @ com, TURN))]), body_qd=np.array([[1.0, 0, 0, 0, 0, 0]]),
            body_f=np.zeros((1, 6)))
        return recorders.newton(model, state, contacts, STEP)

    def test_newton(self):
        for swapped in (False, True):
            self.assert_velocity(self.solve(self.newton(swapped)))

    def test_bullet(self):
        class Client:
            """What PyBullet answers of a plane (7, mass 0) and a ball (3); contact points in either order."""

            def __init__(self, ball_first):
                ball, plane = (0, 0, GAP), (0, 0, 0)
                self.points = [(0, 3, 7, -1, -1, ball, plane, (0, 0, 1), GAP) if ball_first else
                               (0, 7, 3, -1, -1, plane, ball, (0, 0, -1), GAP)]

            getNumBodies = staticmethod(lambda: 2)
            getBodyUniqueId = staticmethod(lambda i: [7, 3][i])
            getNumJoints = staticmethod(lambda body: 0)
            getDynamicsInfo = staticmethod(lambda body, link: (
                (0.0, 0.6, (0, 0, 0)) if body == 7 else (MASS, 0.5, (INERTIA,) * 3)))
            getBasePositionAndOrientation = staticmethod(lambda body: (
                ((0, 0, 0), (0, 0, 0, 1)) if body == 7 else ((0, 0, RADIUS + GAP), tuple(TURN))))
            getBaseVelocity = staticmethod(lambda body: ((0, 0, 0) if body == 7 else (1, 0, 0), (0, 0, 0)))

            def getContactPoints(self):
                return self.points

        for ball_first in (False, True):
            self.assert_velocity(self.solve(recorders.bullet(Client(ball_first), STEP, (0, 0, -GRAVITY))))

    def test_a_moving_floor_carries_on(self):
        """The floor, of mass 0, moves at 1 m/s as the ball: nothing slides."""
        problem = recorders.rigid(
            [0, MASS], [np.zeros((3, 3)), INERTIA * np.eye(3)], [[0, 0, -1], [0, 0, RADIUS]],
            [[1, 0, 0, 0, 0, 0], FREE], [[1, 0]], [[[0, 0, 0], [0, 0, 0]]], [[0, 0, 2]], [0], [MU], STEP)
        answer = ncpbench.solve(problem, tol=1e-12)
        np.testing.assert_allclose(answer.v, [1, 0, 0, 0, 0, 0], atol=1e-12)
        np.testing.assert_allclose(answer.r, [MASS * GRAVITY * STEP, 0, 0], atol=1e-12)

    def test_two_bodies_push_each_other(self):
        """Equal balls meet head on: each stops, by the momentum that it had, along a slanted normal."""
        n = np.array([2, -1, 2]) / 3
        free = np.array([np.r_[n, 0, 0, 0], np.r_[-n, 0, 0, 0]])
        problem = recorders.rigid([MASS, MASS], [INERTIA * np.eye(3)] * 2, [-RADIUS * n, RADIUS * n], free, [[1, 0]],
                                  [[[0, 0, 0], [0, 0, 0]]], [n], [0], [MU], STEP)
        answer = ncpbench.solve(problem, tol=1e-12)
        np.testing.assert_allclose(answer.v, 0, atol=1e-12)
        np.testing.assert_allclose(answer.r, [MASS, 0, 0], atol=1e-12)


class Matrices(Case):
    """Engines that have matrices: contact rows x, y, z with z the normal, so tangents first."""

    J = POINT
    W = POINT @ np.linalg.solve(M, POINT.T)

    def test_drake_sap(self):
        blocks = [MASS * np.eye(3), INERTIA * np.eye(3)]
        problem = recorders.drake_sap(blocks, FREE, self.J, [GAP], [MU], STEP)
        self.assert_velocity(self.solve(problem))
        whole = recorders.drake_sap(M, FREE, self.J, [2 * GAP], [MU], STEP, dissipation_time_scale=STEP)
        self.assert_velocity(self.solve(whole))

    def test_drake_sap_is_as_soft_as_its_regularization(self):
        """U_N + R_n r_N = 0 with the weight's impulse m (g h - gap/h): r_N (1/m + R_n) = g h - gap/h."""
        softness = 0.02
        problem = recorders.drake_sap(M, FREE, self.J, [GAP], [MU], STEP, regularization=[1e-3, 1e-3, softness])
        self.solve(problem, (GRAVITY * STEP - GAP / STEP) / (1 / MASS + softness))

    def test_pinocchio(self):
        g = self.J @ FREE + [0, 0, GAP / STEP]
        velocity = self.solve(recorders.pinocchio(self.W, g, [MU]))
        acceleration = self.solve(recorders.pinocchio(self.W, g / STEP, [MU], time_step=STEP))
        np.testing.assert_allclose(velocity.r, acceleration.r, rtol=1e-12)
        np.testing.assert_allclose(velocity.r[1:], [-MU * NORMAL, 0], atol=1e-10)
        with self.assertRaisesRegex(ncpbench.Error, "g has 4 entries, must have three"):
            recorders.pinocchio(np.eye(4), np.zeros(4), [MU])
        with self.assertRaisesRegex(ncpbench.Error, r"J is \(3, 6\), must be \(6, 6\)"):
            recorders.drake_sap(M, FREE, self.J, [GAP, GAP], [MU, MU], STEP)

    def test_contactbench(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "contact_problem.npz"
            g = self.J @ FREE + [0, 0, GAP / STEP]
            np.savez(path, G=self.W, g=g[:, None], mus=[MU])
            self.solve(recorders.contactbench(path))
            np.savez(path, G=self.W, mus=[MU])
            with self.assertRaisesRegex(ncpbench.Error, "contact_problem.npz: holds no g"):
                recorders.contactbench(path)
            path.write_text("G")
            with self.assertRaisesRegex(ncpbench.Error, "contact_problem.npz: is no .npz archive"):
                recorders.contactbench(path)

    def test_contactbench_takes_what_is_written(self):
        """A step with joints and one without, there and back: the same contacts, the same answer."""
        for scene in ("box_on_plane", "hinge_limits", "particle_chain", "beam"):
            problem = ncpbench.scene(scene)
            answer = ncpbench.solve(problem.linearized(), tol=1e-13)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "contact_problem.npz"
                recorders.write_contactbench(path, problem, answer)
                again = recorders.contactbench(path)
                with np.load(path) as arrays:
                    moved = (arrays["G"] @ arrays["lam"] + arrays["g"]).reshape(-1, 3)[:, [2, 0, 1]].ravel()
            H = problem.linearized().H
            np.testing.assert_allclose(H.T @ answer.v + problem.linearized().w, moved, atol=1e-9)
            self.assertEqual(again.contacts, problem.contacts)
            if again.contacts:
                self.assertLess(ncpbench.judge(again, ncpbench.Answer(again, r=answer.r))["step_error"], 1e-7)

    def test_contactbench_has_gradients_to_compare_with(self):
        """Of a random problem whose contacts are open, stick and slide: central differences of whole solutions."""
        random = np.random.default_rng(3)
        seen = set()
        for _ in range(6):
            A = random.normal(size=(9, 12))
            W, q, mu = A @ A.T / 12, random.normal(size=9), random.uniform(0.2, 3, 3)
            of = random.normal(size=9)

            def value(W, q, mu):
                problem = ncpbench.local_problem(W, q, mu)
                answer = ncpbench.solve(problem, tol=1e-14)
                self.assertLess(ncpbench.judge(problem, answer)["step_error"], 1e-12)
                return problem, answer, of @ answer.r.reshape(3, 3)[:, [1, 2, 0]].ravel()

            problem, answer, _ = value(W, q, mu)
            U = W @ answer.r + q
            for i in range(3):
                tangents = slice(3 * i + 1, 3 * i + 3)
                seen.add("open" if answer.r[3 * i] < 1e-9 else
                         "slide" if np.linalg.norm(U[tangents]) > 1e-6 else "stick")
            slope = recorders.contactbench_gradient(problem, answer, of)
            rows = [2, 0, 1, 5, 3, 4, 8, 6, 7]
            change = [random.normal(size=shape) for shape in ((9, 9), 9, 3)]
            change[0] += change[0].T
            step = 1e-6
            ends = [value(W + s * change[0], q + s * change[1], mu + s * change[2])[2] for s in (step, -step)]
            told = ((slope["dL_dG"][np.ix_(rows, rows)] * change[0]).sum() + slope["dL_dg"][rows] @ change[1] +
                    slope["dL_dmus"] @ change[2])
            self.assertAlmostEqual((ends[0] - ends[1]) / (2 * step), told, delta=1e-6 * max(1, abs(told)))
        self.assertEqual(seen, {"open", "slide", "stick"})
        box = ncpbench.scene("sliding_box")
        with self.assertRaisesRegex(ncpbench.Error, "redundant"):
            recorders.contactbench_gradient(box, ncpbench.solve(box.linearized(), tol=1e-13), np.eye(12)[2])
        with self.assertRaisesRegex(ncpbench.Error, "of has 2 entries, must have 12"):
            recorders.contactbench_gradient(box, ncpbench.solve(box), [1, 2])

    def test_kamino(self):
        """Two worlds, of which the second has the ball, a joint that holds y = 0, where it comes with v_y = 0.5, and a
        limit v_x <= 0.9, all scaled by a preconditioner: the joint takes m 0.5, the limit what friction leaves."""
        free = FREE + [0, 0.5, 0, 0, 0, 0]
        rows = np.vstack(([0, 1, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0], self.J))
        scale = np.array([2, 0.5, 3, 3, 3])
        D = rows @ np.linalg.solve(M, rows.T) * np.outer(scale, scale)
        v_f = (rows @ free + [0, 0.9, 0, 0, GAP / STEP]) * scale
        data = types.SimpleNamespace(
            njc=[0, 1], nl=[0, 1], nc=[0, 1], dim=[0, 5], mio=[0, 4], vio=[0, 2], cio=[0, 1],
            D=np.concatenate((np.full(4, 9), D.ravel(), [9])), v_f=np.concatenate(([9, 9], v_f, [9])),
            P=np.concatenate(([9, 9], scale)), mu=[9, MU])
        answer = self.solve(recorders.kamino(data, world=1))
        self.assertAlmostEqual(answer.l[0], -0.5 * MASS, places=10)
        np.testing.assert_allclose(answer.r[3:], [MASS * 0.1 - MU * NORMAL, 0, 0], atol=1e-10)

    def chrono(self, folder, compliance):
        """A joint holds y = 0; contact rows N, U, V; files as WriteMatrixBlocks writes them, indices from 1."""
        C = np.vstack(([0, 1, 0, 0, 0, 0], self.J[[2, 0, 1]]))
        b = np.array([0, GAP / STEP, 0, 0])
        for part, matrix in (("H", M), ("Cq", C), ("E", np.diag(compliance))):
            entries = [f"{i + 1} {j + 1} {matrix[i, j]:.12e}" for i, j in zip(*np.nonzero(matrix))]
            entries.append("{} {} 0".format(*matrix.shape))
            (folder / f"s_{part}.dat").write_text("\n".join(entries) + "\n")
        for part, vector in (("f", M @ (FREE + [0, 0.5, 0, 0, 0, 0])), ("b", b)):
            (folder / f"s_{part}.dat").write_text("".join(f"{x:.16e}\n" for x in vector))
        return recorders.chrono(folder, "s", [MU])

    def test_chrono(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            answer = self.solve(self.chrono(folder, np.zeros(4)))
            self.assert_velocity(answer)
            self.assertAlmostEqual(answer.l[0], -0.5 * MASS, places=10)
            soft = (GRAVITY * STEP - GAP / STEP) / (1 / MASS + 0.02)
            answer = self.solve(self.chrono(folder, [0, 0.02, 0, 0]), soft)
            self.assertAlmostEqual(answer.l[0], -0.5 * MASS, places=10)
            (folder / "s_Cq.dat").write_text("9 1 1.0\n")
            with self.assertRaisesRegex(ncpbench.Error, "s_Cq.dat has an entry outside 4 x 6"):
                recorders.chrono(folder, "s", [MU])
            with self.assertRaisesRegex(ncpbench.Error, "s_b.dat has 4 rows, fewer than three"):
                recorders.chrono(folder, "s", [MU, MU])
            with self.assertRaisesRegex(ncpbench.Error, "t_f.dat"):
                recorders.chrono(folder, "t", [MU])


if __name__ == "__main__":
    unittest.main(verbosity=2)

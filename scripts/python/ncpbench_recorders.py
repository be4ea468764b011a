"""Steps of other engines as problems of ncpbench, one function for each engine; docs/guide/recorders.md tells every
field and where the engine's source says it.

    import ncpbench_recorders as recorders
    recorders.contactbench("contact_problem.npz").write("p.h5")

All of them return an ncpbench.Problem with contact rows normal, tangent, tangent, U > 0 where contacts open, and
impulses [N s]. Arguments are what the engine has, in its own order, sign and unit; arrays of Warp are copied to numpy.
None of the engines is imported.
"""
import pathlib
import zipfile

import ncpbench
import numpy as np
from ncpbench_mujoco import mujoco  # noqa: F401

_NORMAL_LAST = [2, 0, 1]  # rows of a contact as normal, tangent, tangent


def _array(values, dtype=float):
    """numpy's, of anything: Warp's arrays have numpy()."""
    return np.asarray(values.numpy() if hasattr(values, "numpy") else values, dtype)


def _normal_first(contacts):
    """The order of 3 contacts' rows that has each contact's last row first."""
    return (3 * np.arange(contacts)[:, None] + _NORMAL_LAST).ravel()


def _rotations(quaternions):
    """Rotation matrices of quaternions x, y, z, w, one a row."""
    x, y, z, w = (quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)).T
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)


def _cross_matrices(vectors):
    """[r]x of vectors, one a row: [r]x w = r x w."""
    x, y, z = vectors.T
    zero = np.zeros_like(x)
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


def _frames(normals):
    """Rows n, t1, t2 of normals, one a row."""
    n = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    axis = np.eye(3)[np.argmin(np.abs(n), axis=1)]
    first = np.cross(n, axis)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack((n, first, np.cross(n, first)), axis=1)


def rigid(mass, inertia, position, free_velocity, body, point, normal, gap, mu, time_step, name="rigid"):
    """Rigid bodies in contact, in maximal coordinates:  M = diag(m 1, I),  f = M u~,  w = gap / h in normal rows.

    mass [n], inertia [n, 3, 3] about the centre of mass in the world's axes, position [n, 3] of the centre of mass,
    free_velocity [n, 6], u~: v and omega at the end of the step without contacts. A body of mass 0 moves as
    free_velocity says. body [c, 2] is side a and side b of each contact, -1 the world; point [c, 2, 3] where the force
    acts on them, in the world; normal [c, 3] from b to a; gap [c]; mu [c]; time_step h."""
    mass, inertia, position, free = (_array(a) for a in (mass, inertia, position, free_velocity))
    body, point, normal = _array(body, int).reshape(-1, 2), _array(point).reshape(-1, 2, 3), _array(normal)
    bodies, contacts = mass.size, len(body)
    frame, jacobian = _frames(normal.reshape(-1, 3)), np.zeros((contacts, 3, bodies, 6))
    for side, sign in enumerate((1.0, -1.0)):
        there = np.flatnonzero(body[:, side] >= 0)
        at = body[there, side]
        arm = _cross_matrices(point[there, side] - position.reshape(-1, 3)[at])
        jacobian[there, :, at, :3] += sign * frame[there]
        jacobian[there, :, at, 3:] -= sign * frame[there] @ arm
    moving = mass > 0
    w = np.zeros((contacts, 3))
    w[:, 0] = _array(gap).ravel() / time_step
    w += np.einsum("cibk,bk->ci", jacobian[:, :, ~moving], free.reshape(-1, 6)[~moving])
    M = np.zeros((moving.sum(), 6, moving.sum(), 6))
    for k, i in enumerate(np.flatnonzero(moving)):
        M[k, :3, k, :3], M[k, 3:, k, 3:] = mass[i] * np.eye(3), inertia.reshape(-1, 3, 3)[i]
    size = 6 * moving.sum()
    M, H = M.reshape(size, size), jacobian[:, :, moving].reshape(3 * contacts, size).T
    return ncpbench.global_problem(M, H, M @ free.reshape(-1, 6)[moving].ravel(), w.ravel(), mu, name=name)


def _compliant(M, H, f, w, mu, compliance, G=None, b=None, name="compliant"):
    """u = H^T v + w + E r with a diagonal E [1/kg] of all rows, which FCLIB has in W only; bilateral rows last."""
    whole = np.hstack([H] + ([G] if G is not None else []))
    solved = np.linalg.solve(M, np.column_stack((whole, f)))
    all_W, velocity, n = whole.T @ solved[:, :-1] + np.diag(compliance), whole.T @ solved[:, -1], w.size
    all_W = (all_W + all_W.T) / 2
    more = {} if G is None else {"V": all_W[:n, n:], "R": all_W[n:, n:], "s": velocity[n:] + b}
    return ncpbench.local_problem(all_W[:n, :n], velocity[:n] + w, mu, name=name, **more)


def newton(model, state, contacts, time_step, name="newton"):
    """Newton's bodies and rigid contacts (newton.Model, State, Contacts). Joints and particles are not read."""
    count = int(_array(contacts.rigid_contact_count, int)[0])
    shape = np.stack([_array(getattr(contacts, f"rigid_contact_shape{k}"), int)[:count] for k in (0, 1)], axis=1)
    of_shape, mu = _array(model.shape_body, int), _array(model.shape_material_mu)
    body = np.where(shape >= 0, of_shape[shape], -1)
    pose, twist = _array(state.body_q), _array(state.body_qd)
    R = _rotations(pose[:, 3:])
    mass, local = _array(model.body_mass), _array(model.body_inertia)
    inertia = R @ local @ R.transpose(0, 2, 1)

    def in_world(side, vector, shift):
        at = body[:, side]
        turned = np.einsum("cij,cj->ci", R[at], vector) + shift * pose[at, :3]
        return np.where(at[:, None] >= 0, turned, vector)

    support, surface = [], []
    for side in (0, 1):
        p = _array(getattr(contacts, f"rigid_contact_point{side}"))[:count]
        support.append(in_world(side, p, 1))
        surface.append(in_world(side, p + _array(getattr(contacts, f"rigid_contact_offset{side}"))[:count], 1))
    normal = _array(contacts.rigid_contact_normal)[:count]
    margin = sum(_array(getattr(contacts, f"rigid_contact_margin{k}"))[:count] for k in (0, 1))
    gap = np.einsum("ci,ci->c", normal, support[1] - support[0]) - margin
    free = twist.copy()
    for i in np.flatnonzero(mass > 0):
        force = _array(state.body_f)[i]
        gravity = _array(model.gravity).reshape(-1, 3)[_array(model.body_world, int)[i]]
        omega = twist[i, 3:]
        free[i, :3] += time_step * (gravity + force[:3] / mass[i])
        free[i, 3:] += time_step * np.linalg.solve(inertia[i], force[3:] - np.cross(omega, inertia[i] @ omega))
    centre = pose[:, :3] + np.einsum("bij,bj->bi", R, _array(model.body_com))
    return rigid(mass, inertia, centre, free, body[:, ::-1], np.stack(surface[::-1], axis=1), normal, gap,
                 mu[shape].mean(axis=1), time_step, name)


def kamino(data, world=0, name="kamino"):
    """Kamino's dual problem of a world (DualProblem.data after build, with a dense Delassus matrix, before solve)."""
    at = {k: int(_array(getattr(data, k), int)[world]) for k in ("njc", "nl", "nc", "dim", "mio", "vio", "cio")}
    size, p, limits, contacts = at["dim"], at["njc"], at["nl"], at["nc"]
    scale = _array(data.P)[at["vio"]:][:size]
    D = _array(data.D)[at["mio"]:][:size * size].reshape(size, size) / np.outer(scale, scale)
    v_f = _array(data.v_f)[at["vio"]:][:size] / scale
    D = (D + D.T) / 2
    rows = np.concatenate((p + limits + _normal_first(contacts), p + np.arange(limits)))
    place = np.concatenate((np.arange(3 * contacts), 3 * (contacts + np.arange(limits))))
    n = 3 * (contacts + limits)
    W, q, V = np.zeros((n, n)), np.zeros(n), np.zeros((n, p))
    W[np.ix_(place, place)], q[place], V[place] = D[np.ix_(rows, rows)], v_f[rows], D[rows, :p]
    for k in range(contacts, contacts + limits):  # a limit's tangents carry no force and move by themselves
        W[3 * k + 1, 3 * k + 1] = W[3 * k + 2, 3 * k + 2] = W[3 * k, 3 * k]
    mu = np.concatenate((_array(data.mu)[at["cio"]:][:contacts], np.zeros(limits)))
    more = {"V": V, "R": D[:p, :p], "s": v_f[:p]} if p else {}
    return ncpbench.local_problem(W, q, mu, name=name, **more)


def drake_sap(A, v_star, J, phi, mu, time_step, dissipation_time_scale=0.0, regularization=None, name="drake_sap"):
    """Drake's SapContactProblem with friction cone constraints: A as blocks or whole, J their Jacobians one below the
    other. With regularization [3 c], R of each constraint in its own order, the contacts are as soft as SAP's."""
    if isinstance(A, (list, tuple)):
        sizes = np.cumsum([0] + [len(block) for block in A])
        whole = np.zeros((sizes[-1], sizes[-1]))
        for block, begin, end in zip(A, sizes, sizes[1:]):
            whole[begin:end, begin:end] = block
        A = whole
    A, J, phi = _array(A), _array(J), _array(phi).ravel()
    shape = (3 * phi.size, len(A))
    if J.shape != shape:
        raise ncpbench.Error(f"J is {J.shape}, must be {shape}, three rows for each phi")
    order = _normal_first(phi.size)
    w = np.zeros(3 * phi.size)
    w[::3] = phi / (time_step + _array(dissipation_time_scale))
    M, H, f = A, J[order].T, A @ _array(v_star).ravel()
    if regularization is None:
        return ncpbench.global_problem(M, H, f, w, mu, name=name)
    return _compliant(M, H, f, w, mu, _array(regularization).ravel()[order], name=name)


def pinocchio(G, g, mu, time_step=1.0, name="pinocchio"):
    """Pinocchio's contact problem: the Delassus matrix G and the free contact velocity g, or acceleration with
    time_step h, with a friction cone about z for each contact."""
    G, g = _array(G), _array(g).ravel()
    if g.size % 3 or G.shape != (g.size, g.size):
        raise ncpbench.Error(f"G is {G.shape} and g has {g.size} entries, must have three for each contact")
    order = _normal_first(g.size // 3)
    return ncpbench.local_problem(G[np.ix_(order, order)], time_step * g[order], mu, name=name)


def contactbench(path):
    """A contact_problem.npz of ContactBench: G, g and mus."""
    path = pathlib.Path(path)
    if not zipfile.is_zipfile(path):
        raise ncpbench.Error(f"{path}: is no .npz archive" if path.exists() else f"{path}: No such file")
    with np.load(path, allow_pickle=False) as arrays:
        missing = {"G", "g", "mus"} - set(arrays.files)
        if missing:
            raise ncpbench.Error(f"{path}: holds no {', no '.join(sorted(missing))}")
        return pinocchio(arrays["G"], arrays["g"], arrays["mus"], name=path.stem)


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def _local(problem):
    """W, q and mu of any step, U = W r + q: of a nonlinear one linearised, without its bilateral rows."""
    if problem.form != "local":
        problem = problem.linearized()
        H, M = _dense(problem.H), _dense(problem.M)
        free, moved = np.linalg.solve(M, problem.f), np.linalg.solve(M, H)
        W, q = H.T @ moved, H.T @ free + problem.w
        if problem.bilaterals:
            G = _dense(problem.G)
            V, R, s = moved.T @ G, G.T @ np.linalg.solve(M, G), G.T @ free + problem.b
    else:
        W, q = _dense(problem.W), problem.q.copy()
        if problem.bilaterals:
            V, R, s = _dense(problem.V), _dense(problem.R), problem.s
    if problem.bilaterals:
        held = np.linalg.lstsq(R, np.column_stack((V.T, s)), rcond=None)[0]
        W, q = W - V @ held[:, :-1], q - V @ held[:, -1]
    return W, q, problem.mu


_BORDER, _DETERMINED = 2.0**-26, 2.0**-13


def _linearise(W, r, U, mu):
    """F(r, U) = 0 of all contacts with their states fixed: dF/dr, dF/dU, dF/dmu.

    open: r = 0;  stick: U = 0;  slide: U_N = 0, r_T + mu r_N t = 0 with t = U_T/|U_T|."""
    n = r.size
    of_r, of_U, of_mu = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n // 3))
    size = max(np.abs(U).max(initial=0), np.abs(np.diag(W) * r).max(initial=0))
    for i in range(n // 3):
        normal, tangents, rows = 3 * i, slice(3 * i + 1, 3 * i + 3), slice(3 * i, 3 * i + 3)
        slip, room = np.linalg.norm(U[tangents]), W[normal, normal] * (mu[i] * r[normal] - np.linalg.norm(r[tangents]))
        pressed = W[normal, normal] * r[normal]
        border = abs(U[normal] - pressed) if mu[i] == 0 or U[normal] > pressed else min(pressed, abs(slip - room))
        if border <= _BORDER * size:
            raise ncpbench.Error(f"contact {i} is on the border between two states: there is no gradient")
        if U[normal] > pressed:
            of_r[rows, rows] = np.eye(3)
        elif room > slip:
            of_U[rows, rows] = np.eye(3)
        else:
            t = U[tangents] / slip if slip > 0 else np.full(2, np.nan)
            of_U[normal, normal] = 1
            of_r[tangents, tangents] = np.eye(2)
            of_mu[tangents, i] = r[normal] * t
            if mu[i] > 0:
                of_r[tangents, normal] = mu[i] * t
                of_U[tangents, tangents] = mu[i] * r[normal] / slip * (np.eye(2) - np.outer(t, t))
    return of_r, of_U, of_mu


def contactbench_gradient(problem, answer, of):
    """How L = of . lam answers to G, g and mus of ContactBench's problem, as its solvers' `vjp` does: dL_dG [3 c, 3 c],
    entry by entry, dL_dg [3 c], dL_dmus [c]. of and all rows are in its order, tangents first; answer is of this step.

    With the states fixed (d F/d r + d F/d U W)^T z = of is solved; where redundant contacts leave L undetermined, or
    a contact is on the border between two states, an Error says so."""
    W, q, mu = _local(problem)
    r, of = np.asarray(answer.r, float), _array(of).ravel()
    if of.size != q.size:
        raise ncpbench.Error(f"of has {of.size} entries, must have {q.size}, three for each contact")
    order = _normal_first(mu.size)
    of_r, of_U, of_mu = _linearise(W, r, W @ r + q, mu)
    system = (of_r + of_U @ W).T
    z = np.linalg.lstsq(system, of[order], rcond=2.0**-40)[0]
    if np.linalg.norm(system @ z - of[order]) > _DETERMINED * np.linalg.norm(of):
        raise ncpbench.Error("contacts are redundant: L = of . lam is not determined, nor is its gradient")
    back = np.argsort(order)
    slope = -of_U.T @ z
    return {"dL_dG": np.outer(slope, r)[np.ix_(back, back)], "dL_dg": slope[back], "dL_dmus": -of_mu.T @ z}


def write_contactbench(path, problem, answer=None, of=None):
    """The other way: a step as a contact_problem.npz, G, g and mus, impulses as unknowns; with an answer its lam, and
    with `of` contactbench_gradient's arrays for dL_dlam = of, to compare those of ContactBench with."""
    W, q, mu = _local(problem)
    back = np.argsort(_normal_first(mu.size))
    named = {"G": W[np.ix_(back, back)], "g": q[back][:, None], "mus": mu}
    if answer is not None:
        named["lam"] = np.asarray(answer.r, float)[back][:, None]
        if of is not None:
            named.update(contactbench_gradient(problem, answer, of), dL_dlam=_array(of).ravel())
    np.savez(path, **named)


def chrono(folder, prefix, mu, one_indexed=True):
    """Chrono's ChSystemDescriptor::WriteMatrixBlocks(folder, prefix, one_indexed) of a step of ChSystemNSC: links
    first, as bilateral rows, then mu's contacts."""
    def read(part, columns):
        path = pathlib.Path(folder) / f"{prefix}_{part}.dat"
        try:
            return np.loadtxt(path, ndmin=2).reshape(-1, columns)
        except (ValueError, OSError) as reason:
            raise ncpbench.Error(f"{path}: {reason}") from None

    f, b, mu = read("f", 1)[:, 0], read("b", 1)[:, 0], _array(mu).ravel()
    n, m, p = f.size, b.size, b.size - 3 * mu.size
    if p < 0:
        raise ncpbench.Error(f"{prefix}_b.dat has {m} rows, fewer than three for each of {mu.size} contacts")

    def matrix(part, rows, columns):
        result, entries = np.zeros((rows, columns)), read(part, 3)
        i, j = (entries[:, :2].astype(int) - bool(one_indexed)).T
        if i.size and (min(i.min(), j.min()) < 0 or i.max() >= rows or j.max() >= columns):
            raise ncpbench.Error(f"{prefix}_{part}.dat has an entry outside {rows} x {columns}")
        np.add.at(result, (i, j), entries[:, 2])
        return result

    M, C, E = matrix("H", n, n), matrix("Cq", m, n), np.diag(matrix("E", m, m))
    more = {"G": C[:p].T, "b": b[:p]} if p else {}
    if np.any(E):
        return _compliant(M, C[p:].T, f, b[p:], mu, np.concatenate((E[p:], E[:p])), name=prefix, **more)
    return ncpbench.global_problem(M, C[p:].T, f, b[p:], mu, name=prefix, **more)


def bullet(client, time_step, gravity, free_velocity=None, name="bullet"):
    """PyBullet's bodies without joints: client is the module, or a BulletClient, after performCollisionDetection.
    free_velocity [n, 6] is that without contacts, in the order of getBodyUniqueId; without it, only gravity acts."""
    ids = [client.getBodyUniqueId(i) for i in range(client.getNumBodies())]
    number = {identity: i for i, identity in enumerate(ids)}
    for identity in ids:
        if client.getNumJoints(identity):
            raise ncpbench.Error(f"body {identity} has joints; only bodies without are read")
    dynamics = [client.getDynamicsInfo(identity, -1) for identity in ids]
    poses = [client.getBasePositionAndOrientation(identity) for identity in ids]
    mass, friction = np.array([d[0] for d in dynamics]), np.array([d[1] for d in dynamics])
    R = _rotations(np.array([pose[1] for pose in poses], float).reshape(-1, 4))
    inertia = R @ np.array([np.diag(d[2]) for d in dynamics]).reshape(-1, 3, 3) @ R.transpose(0, 2, 1)
    if free_velocity is None:
        free_velocity = np.array([np.concatenate(client.getBaseVelocity(identity)) for identity in ids], float)
        free_velocity[mass > 0, :3] += time_step * np.asarray(gravity, float)
    points = client.getContactPoints()
    body = np.array([[number[c[1]], number[c[2]]] for c in points], int).reshape(-1, 2)
    return rigid(mass, inertia, [pose[0] for pose in poses], free_velocity, body, [[c[5], c[6]] for c in points],
                 [c[7] for c in points], [c[8] for c in points], friction[body].prod(axis=1).clip(0, 10), time_step,
                 name)

"""ncpbench_recorders.mujoco: a step of MuJoCo as problems/import/mujoco makes one of MuJoCo 2.2.2, of the arrays that
MjModel and MjData of MuJoCo 3 have. MuJoCo is not imported but by the command line, which simulates a model:

    python3 -m ncpbench_mujoco MODEL.xml --step 300 -o FILE.h5

M is qM, or the later M in compressed rows. A contact's rows are its frame times the velocity of geom 2's body less that
of geom 1's at its point, of cdof and the tree of dofs, as mj_jac finds it; a contact of a flex, which has no body, has
its rows in efc_J, n, t1, t2 in an elliptic cone, n +- mu t in a pyramid. Limits and equalities are rows of efc_J."""
import argparse
import sys
import warnings

import ncpbench
import numpy as np

_EQUALITY, _LIMITS, _FRICTIONLESS, _PYRAMIDAL = 0, (3, 4), 5, 6  # of mjtConstraint
_IN_GAP = 1                 # of mjContact.exclude; what is above has no rows
_LEAST_FRICTION = 1e-5      # mjMINMU, which MuJoCo puts in place of 0


def _mass(model, data):
    nv = int(model.nv)
    M = np.zeros((nv, nv))
    if hasattr(data, "qM"):
        for i in range(nv):
            at, j = int(model.dof_Madr[i]), i
            while j >= 0:
                M[i, j] = M[j, i] = data.qM[at]
                at, j = at + 1, int(model.dof_parentid[j])
        return M
    row = np.repeat(np.arange(nv), model.M_rownnz)
    at = np.concatenate([first + np.arange(count) for first, count in zip(model.M_rowadr, model.M_rownnz)])
    column, value = np.asarray(model.M_colind)[at], np.asarray(data.M)[at]
    M[row, column] = M[column, row] = value
    return M


def _constraint_rows(model, data):
    """efc_J as an array, whether MuJoCo has it so or in compressed rows."""
    shape, held = (int(data.nefc), int(model.nv)), np.asarray(data.efc_J, float).ravel()
    if held.size == shape[0] * shape[1]:
        return held.reshape(shape)
    J = np.zeros(shape)
    for row, (first, count) in enumerate(zip(data.efc_J_rowadr, data.efc_J_rownnz)):
        J[row, np.asarray(data.efc_J_colind)[first:first + count]] = held[first:first + count]
    return J


def _check(model, data, J):
    """That constraints are of the state at which data stands, which those that mj_step leaves are not."""
    if np.any(np.asarray(getattr(data, "tree_asleep", [])) >= 0):
        raise ncpbench.Error("trees are asleep, whose contacts MuJoCo leaves out: switch sleep off and call "
                             "mj_forward(model, data)")
    scale = np.abs(J) @ np.abs(data.qvel)
    if np.any(np.abs(J @ data.qvel - data.efc_vel) > 1e-9 * (scale + scale.max(initial=0))):
        raise ncpbench.Error("data's constraints are those before its last step: call mj_forward(model, data) first")


def _point_velocity(model, data, body, point):
    """Velocity of a body's point by dof [3, nv]."""
    J = np.zeros((3, int(model.nv)))
    arm = np.asarray(point) - data.subtree_com[model.body_rootid[body]]
    while body > 0 and model.body_dofnum[body] == 0:
        body = model.body_parentid[body]
    dof = model.body_dofadr[body] + model.body_dofnum[body] - 1 if body > 0 else -1
    while dof >= 0:
        J[:, dof] = data.cdof[dof][3:] + np.cross(data.cdof[dof][:3], arm)
        dof = model.dof_parentid[dof]
    return J


def _sides(contact):
    """Geoms 1 and 2, -1 where it is of a flex, which MuJoCo 2 does not have."""
    return [int(geom) for geom in (contact.geom if hasattr(contact, "geom") else (contact.geom1, contact.geom2))]


def _rows_of_bodies(model, data, contact, sides):
    """Rows n, t1, t2, and whether no velocity changes the gap, to rounding."""
    velocity = [_point_velocity(model, data, int(model.geom_bodyid[geom]), contact.pos) for geom in sides]
    rows = np.asarray(contact.frame).reshape(3, 3) @ (velocity[1] - velocity[0])
    eps, nv = np.finfo(float).eps, int(model.nv)
    places = [np.abs(contact.pos)] + [np.abs(a[geom]) for geom in sides for a in (data.geom_xpos, model.geom_size)]
    near = contact.dist >= -64 * eps * max(float(np.max(place)) for place in places)
    still = np.abs(rows[0]).max(initial=0) <= nv * eps * max(np.abs(v).max(initial=0) for v in velocity)
    return rows, still and near


def _rows_of_flex(data, contact, J):
    """Rows n, t1, t2 as efc_J has them; None where it has none."""
    at = int(contact.efc_address)
    if at < 0:
        return None
    kind = int(data.efc_type[at])
    if kind == _FRICTIONLESS:
        return np.vstack((J[at], np.zeros((2, J.shape[1]))))
    if kind != _PYRAMIDAL:
        return J[at:at + 3]
    pairs = J[at:at + 4].reshape(2, 2, -1)
    return np.vstack((pairs[0].mean(axis=0), (pairs[:, 0] - pairs[:, 1]) / 2 / np.asarray(contact.friction)[:2, None]))


def _contacts(model, data, J, left_out):
    """Rows, gap, mu, sides' bodies, point and frame of each contact."""
    for contact in (data.contact[i] for i in range(int(data.ncon))):
        if contact.exclude > _IN_GAP:
            left_out["contacts that MuJoCo has taken out"] += 1
            continue
        sides, mu = _sides(contact), np.array(contact.friction, float)
        if min(sides) >= 0:
            rows, still = _rows_of_bodies(model, data, contact, sides)
        else:
            rows, still = _rows_of_flex(data, contact, J), False
        if rows is None or still:
            left_out["contacts of flexes within their gap" if rows is None else "contacts that nothing moves"] += 1
            continue
        left_out["torsional friction of contacts"] += contact.dim > 3 and mu[2] > _LEAST_FRICTION
        left_out["rolling friction of contacts"] += contact.dim > 4 and mu[3:].max() > _LEAST_FRICTION
        left_out["adhesion of contacts"] += getattr(contact, "adhesion", 0) != 0
        most = mu[:2].max() if contact.dim > 1 else 0.0
        if most > 0:  # by two coefficients: the round cone is then the elliptic one
            rows = rows * np.array([1, mu[0] / most, mu[1] / most])[:, None]
        bodies = [int(model.geom_bodyid[g]) - 1 if g >= 0 else -1 for g in sides[::-1]]
        yield rows, contact.dist, most, bodies, contact.pos, np.asarray(contact.frame).reshape(3, 3)


def _equalities(data, J, left_out):
    """Rows of equality constraints and their errors, without those that are rounding beside the others of one."""
    at = np.flatnonzero(np.asarray(data.efc_type)[:J.shape[0]] == _EQUALITY)
    ids, largest, kept = np.asarray(data.efc_id)[at], np.abs(J[at]).max(axis=1, initial=0), []
    for row, constraint, most in zip(at, ids, largest):
        if most <= J.shape[1] * np.finfo(float).eps * largest[ids == constraint].max():
            left_out["empty equality rows"] += 1
        else:
            kept.append(row)
    return J[kept], np.asarray(data.efc_pos)[kept]


def mujoco(model, data, name="mujoco"):
    """A step of MuJoCo 3 (mujoco.MjModel, mujoco.MjData) after mj_forward(model, data), in its generalised velocities.
    What has no place in the problem, such as torsional friction, is told by a warning."""
    h, nv, J = float(model.opt.timestep), int(model.nv), _constraint_rows(model, data)
    left_out = dict.fromkeys(("torsional friction of contacts", "rolling friction of contacts", "adhesion of contacts",
                              "dry friction of joints and tendons", "empty equality rows",
                              "contacts that nothing moves", "contacts that MuJoCo has taken out",
                              "contacts of flexes within their gap"), 0)
    _check(model, data, J)
    found = list(_contacts(model, data, J, left_out))
    limits = np.flatnonzero(np.isin(np.asarray(data.efc_type)[:int(data.nefc)], _LIMITS))
    if not found and not limits.size:
        raise ncpbench.Error(f"{name}: nothing touches, and no joint is at a limit")
    H, w, mu = np.zeros((len(found) + limits.size, 3, nv)), np.zeros((len(found) + limits.size, 3)), []
    for k, (rows, gap, friction, *_) in enumerate(found):
        H[k], w[k, 0] = rows, gap / h
        mu.append(friction)
    for k, row in enumerate(limits, len(found)):  # a limit's tangents are empty: it has no friction
        H[k, 0], w[k, 0] = J[row], data.efc_pos[row] / h
        mu.append(0.0)
    rows, errors = _equalities(data, J, left_out)
    more = {"G": rows.T, "b": errors / h} if len(rows) else {}
    M = _mass(model, data)
    f = M @ data.qvel + h * np.asarray(data.qfrc_smooth)
    problem = ncpbench.global_problem(M, H.reshape(-1, nv).T, f, w.ravel(), mu, name=name, **more)
    if found:
        bodies, points, frames = zip(*(contact[3:] for contact in found))
        problem.place(points, frames, bodies)
    left_out["dry friction of joints and tendons"] = int(data.nf)
    said = [f"{count} {what}" for what, count in left_out.items() if count]
    if said:
        warnings.warn(f"{name}: left out: {', '.join(said)}", stacklevel=2)
    return problem


def _simulated(mujoco3, path, step):
    """A model's step, with controls of 0, as `ncpbench import` simulates it."""
    model = mujoco3.MjModel.from_xml_path(path)
    data = mujoco3.MjData(model)
    for _ in range(step):
        mujoco3.mj_step(model, data)
    mujoco3.mj_forward(model, data)
    return mujoco(model, data, name=path.rsplit("/", 1)[-1].rsplit(".", 1)[0])


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="ncpbench_mujoco", description="Writes a step of a model of MuJoCo 3.")
    parser.add_argument("model", help="MJCF or URDF")
    parser.add_argument("--step", type=int, default=0, help="simulate so many steps before (0)")
    parser.add_argument("-o", "--output", required=True, help="the problem file, *.h5")
    asked = parser.parse_args(arguments)
    try:
        import mujoco as mujoco3
    except ImportError:
        return "ncpbench_mujoco: this python3 has no mujoco: `pip install mujoco`, in a virtual environment perhaps"
    try:
        problem = _simulated(mujoco3, asked.model, asked.step)
        problem.write(asked.output)
    except (ncpbench.Error, ValueError) as error:
        return f"ncpbench_mujoco: {asked.model}: {error}"
    print(f"{asked.output}: {problem.dofs} dofs, {problem.contacts} contacts and limits")
    return None


if __name__ == "__main__":
    sys.exit(main())

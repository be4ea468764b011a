#!/usr/bin/env bash
# What convert writes as MJCF, loaded by MuJoCo: masses, inertias, poses, velocities, joints and contacts are those of
# the problem file; what MJCF has no place for is refused. Skipped without libmujoco-dev or python3-h5py.
set -eu
cd "$(dirname "$0")/../.."
ncpbench=$(realpath "${BUILD:-build}")/ncpbench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'import h5py, numpy' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-h5py"; exit 77; }

# Prints what MuJoCo makes of a model, at its key frame if it has one.
cat >look.c <<'END_OF_C'
#include <mujoco/mujoco.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char text[1000] = "";
    mjModel *m = argc > 1 ? mj_loadXML(argv[1], NULL, text, sizeof text) : NULL;
    if (!m)
        return fprintf(stderr, "%s\n", text), 1;
    mjData *d = mj_makeData(m);
    if (m->nkey)
        mj_resetDataKeyframe(m, d, 0);
    mj_forward(m, d);
    mjtNum least = 0;
    for (int i = 0; i < d->ncon; ++i)
        least = mju_min(least, d->contact[i].dist);
    printf("model %d %d %d %d %.17g %.17g %.17g\n", m->nq, m->nv, d->ncon, m->neq, m->opt.timestep, m->opt.gravity[2],
           least);
    for (int b = 1; b < m->nbody; ++b) {
        mjtNum v[6], R[9], I[9], D[9] = {0}, T[9];
        mj_objectVelocity(m, d, mjOBJ_BODY, b, v, 0);
        mju_mulQuat(T, d->xquat + 4 * b, m->body_iquat + 4 * b);
        mju_quat2Mat(R, T);
        for (int k = 0; k < 3; ++k)
            D[4 * k] = m->body_inertia[3 * b + k];
        mju_mulMatMat(T, R, D, 3, 3, 3);
        mju_mulMatMatT(I, T, R, 3, 3, 3);
        printf("%s %.17g", mj_id2name(m, mjOBJ_BODY, b), m->body_mass[b]);
        for (int k = 0; k < 3; ++k)
            printf(" %.17g", d->xipos[3 * b + k]);
        for (int k = 0; k < 9; ++k)
            printf(" %.17g", d->xmat[9 * b + k]);
        for (int k = 0; k < 6; ++k)
            printf(" %.17g", v[(k + 3) % 6]);
        for (int k = 0; k < 9; ++k)
            printf(" %.17g", I[k]);
        printf("\n");
    }
    for (int j = 0; j < m->njnt; ++j)
        printf("joint %d %d %.17g %.17g\n", m->jnt_type[j], m->jnt_limited[j], m->jnt_range[2 * j], m->jnt_range[2 * j + 1]);
    mj_step(m, d);
    return 0;
}
END_OF_C
${CC:-cc} -o look look.c -lmujoco 2>compiled || { echo "skipped: no libmujoco-dev"; exit 77; }

fail() { echo "$*" >&2; exit 1; }
refused() {
    code=0
    "$ncpbench" convert "$1" out.xml >said 2>&1 || code=$?
    { [ $code = 2 ] && grep -q -F -- "$2" said; } || fail "$1: exit $code: $(cat said)"
    [ ! -e out.xml ] || fail "$1: it left out.xml"
}

"$ncpbench" export heavy_stack -o stack.h5 >/dev/null
"$ncpbench" export box_on_plane --step 5 -o box.h5 >/dev/null
"$ncpbench" export balls_in_cube -o balls.h5 --step 20 >/dev/null
"$ncpbench" export leaning_capsule -o capsule.h5 --step 2 >/dev/null
"$ncpbench" export hinge_limits -o hinge.h5 --step 10 >/dev/null
"$ncpbench" export arch -o arch.h5 >/dev/null
"$ncpbench" export house_of_cards -o cards.h5 >/dev/null
for each in stack box balls capsule hinge arch cards; do
    "$ncpbench" convert $each.h5 $each.xml >/dev/null 2>said || fail "$each: $(cat said)"
    grep -q "contacts are left out" said || fail "$each: $(cat said)"
    ./look $each.xml >$each.txt || fail "$each.xml: MuJoCo does not load it"
done

# A hinge and a ball more between bodies that have their joints close loops; both are equalities, met at the start.
"$ncpbench" export double_pendulum_mass -o chain.h5 >/dev/null
"$python" - <<'END_OF_PYTHON'
import h5py
import numpy as np

with h5py.File("chain.h5") as chain, h5py.File("loop.h5", "w") as loop:
    for name in chain.attrs:
        loop.attrs[name] = chain.attrs[name]
    for name in chain:
        chain.copy(name, loop)
    old = {name: loop["joints"][name][:] for name in loop["joints"]}
    for kind in 2, 1:
        for name, values in old.items():
            more = values[-1:].copy() if name != "kind" else np.array([kind], values.dtype)
            now = np.concatenate([loop["joints"][name][:], more])
            del loop["joints"][name]
            loop["joints"][name] = now
END_OF_PYTHON
"$ncpbench" convert loop.h5 loop.xml >/dev/null 2>said || fail "loop: $(cat said)"
./look loop.xml >loop.txt || fail "loop.xml: MuJoCo does not load it"
[ "$(sed -n 's/^model [0-9]* [0-9]* [0-9]* \([0-9]*\) .*/\1/p' loop.txt)" = 3 ] || fail "loop: $(cat loop.txt)"
[ ! -e MUJOCO_LOG.TXT ] || fail "$(cat MUJOCO_LOG.TXT)"

"$ncpbench" export sheet -o sheet.h5 >/dev/null
"$ncpbench" export hinge_limits -o deepest.h5 --set count=96 --set limit=0.1 >/dev/null
"$ncpbench" convert deepest.h5 deepest.xml >/dev/null 2>said || fail "deepest: $(cat said)"
./look deepest.xml >/dev/null || fail "deepest.xml: MuJoCo does not load it"
"$ncpbench" export hinge_limits -o deeper.h5 --set count=97 --set limit=0.1 >/dev/null
refused deeper.h5 "more than 96 bodies"
refused sheet.h5 "soft bodies"
"$ncpbench" export double_pendulum_stiffness -o pendulum.h5 >/dev/null
refused pendulum.h5 "MJCF"
"$ncpbench" convert box.h5 box.dat >/dev/null 2>&1
refused box.dat "a linear step has no bodies"

"$python" - <<'END_OF_PYTHON'
import h5py
import numpy as np


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def near(what, a, b, within=1e-9):
    scale = max(1, np.abs(b).max())
    assert np.abs(np.asarray(a) - b).max() <= within * scale, (what, a, b)


for name in "stack", "box", "balls", "capsule", "hinge", "arch", "cards":
    lines = [line.split() for line in open(name + ".txt")]
    head = [float(word) for word in lines[0][1:]]
    bodies = {line[0]: np.array(line[1:], float) for line in lines if line[0].startswith("body")}
    with h5py.File(name + ".h5") as file:
        count = len(file["bodies/mass"])
        assert len(bodies) == count, (name, len(bodies))
        near("time step", head[4], file["time_step"][()])
        near("gravity", head[5], file["gravity"][2])
        assert head[6] > -1e-3, (name, head[6])  # nothing is deep in another
        for b in range(count):
            found = bodies[f"body{b}"]
            R = rotation(file["bodies/orientation"][b])
            near(name + " mass", found[0], file["bodies/mass"][b])
            near(name + " position", found[1:4], file["bodies/position"][b])
            near(name + " orientation", found[4:13].reshape(3, 3), R)
            near(name + " angular velocity", found[16:19], file["bodies/velocity"][b][3:], 1e-7)
            # Of a chain, ours keep its joints closed at the end of the step, and MuJoCo's at its start.
            near(name + " velocity", found[13:16], file["bodies/velocity"][b][:3], 0.1 if name == "hinge" else 1e-7)
            inertia = R @ file["bodies/inertia"][b] @ R.T
            near(name + " inertia", found[19:28].reshape(3, 3) / np.trace(inertia), inertia / np.trace(inertia))
        contacts = len(file["contacts/friction"])
        if name in ("box", "balls", "capsule"):
            assert head[2] == contacts, (name, head[2], contacts)
        else:
            assert name == "hinge" or head[2] >= 10, (name, head[2])  # boxes that do touch, and meshes
        if name == "hinge":
            hinges = [line for line in lines if line[0] == "joint" and line[1] == "3"]
            bounds = sorted(file["limits/bound"][:])
            assert head[1] == len(hinges) > 0 and all(line[2] == "1" for line in hinges), lines
            for line in hinges:
                near("limits", [float(line[3]), float(line[4])], np.array([bounds[0], bounds[-1]]))
print("MuJoCo finds the bodies of seven problems")
END_OF_PYTHON

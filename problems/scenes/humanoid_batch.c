/* Copies of a humanoid that stands, falls and lies under random torques: 13 capsules on 12 joints, balls at neck,
 * waist, hips and shoulders, hinges about y at knees, ankles and elbows, all with limits. Its measures are those of
 * data/models/humanoid.xml, 66 kg. Each joint has a motor, whose torque is random and held for a while, and a damper:
 *
 *     I (omega - omega~) = h (tau - d (omega_a - omega_b))     on side a, the contrary on side b.
 *
 * Both are torques between two bodies in the free velocity of a step. A damper is taken implicitly, one joint after
 * another, which loses energy at any step. Ours: the published model is not there. */
#include <math.h>
#include <string.h>

#include "problems/base/random.h"
#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT,
       TORQUE,
       HOLD,
       DAMPING,
       FRICTION,
       GAP,
       SPACING,
       SEED,
       TIME_STEP,
       GRAVITY,
       MARGIN };
enum { PARTS = 13,
       JOINTS = 12,
       LIMITS = 18 };

static const double density = 985; /* [kg/m^3] */

/* A part hangs on its parent by a joint at `anchor`, and is a capsule from one end to the other, all in the frame of a
 * humanoid whose torso is at the origin [m]. */
static const struct part {
    int parent; /* -1: the torso, which is free */
    double anchor[3], ends[2][3], radius;
    double limits[2];       /* of a hinge, or 0 and the limit of a ball [degrees] */
    double torque, damping; /* [N m], [N m s] */
} parts[PARTS] = {
    {-1, {0, 0, 0}, {{0, -0.1, 0.05}, {0, 0.1, 0.05}}, 0.14, {0, 0}, 0, 0},
    {0, {0, 0, 0.21}, {{0, 0, 0.3}, {0, 0, 0.35}}, 0.09, {0, 40}, 3, 3},
    {0, {0, 0, -0.14}, {{0, -0.07, -0.26}, {0, 0.07, -0.26}}, 0.12, {0, 40}, 18, 5},
    {2, {0, -0.1, -0.34}, {{0, -0.1, -0.37}, {0, -0.09, -0.7}}, 0.065, {0, 60}, 18, 3},
    {3, {0, -0.09, -0.74}, {{0, -0.09, -0.76}, {0, -0.09, -1.08}}, 0.05, {-5, 140}, 15, 2},
    {4, {0, -0.09, -1.14}, {{-0.06, -0.09, -1.15}, {0.13, -0.09, -1.15}}, 0.04, {-40, 40}, 6, 2},
    {2, {0, 0.1, -0.34}, {{0, 0.1, -0.37}, {0, 0.09, -0.7}}, 0.065, {0, 60}, 18, 3},
    {6, {0, 0.09, -0.74}, {{0, 0.09, -0.76}, {0, 0.09, -1.08}}, 0.05, {-5, 140}, 15, 2},
    {7, {0, 0.09, -1.14}, {{-0.06, 0.09, -1.15}, {0.13, 0.09, -1.15}}, 0.04, {-40, 40}, 6, 2},
    {0, {0, -0.28, 0.1}, {{0, -0.28, 0.08}, {0, -0.28, -0.16}}, 0.045, {0, 90}, 7.5, 3},
    {9, {0, -0.28, -0.2}, {{0, -0.28, -0.22}, {0, -0.28, -0.46}}, 0.035, {-140, 5}, 6, 2},
    {0, {0, 0.28, 0.1}, {{0, 0.28, 0.08}, {0, 0.28, -0.16}}, 0.045, {0, 90}, 7.5, 3},
    {11, {0, 0.28, -0.2}, {{0, 0.28, -0.22}, {0, 0.28, -0.46}}, 0.035, {-140, 5}, 6, 2},
};

static int is_hinge(const struct part *part)
{
    return part->limits[0] < 0;
}

static double soles(void)
{
    return parts[5].radius - parts[5].ends[0][2];
}

/* The torso's place of a copy: on a square grid, soles at the gap. */
static void place(const double *values, int copy, double *origin)
{
    const int side = (int)ceil(sqrt(values[COUNT]) - 1e-9);
    origin[0] = (copy % side - (side - 1) / 2.0) * values[SPACING];
    origin[1] = (copy / side - (side - 1) / 2.0) * values[SPACING];
    origin[2] = soles() + values[GAP];
}

/* Turns z of the capsule to the direction from one end to the other: half way is the axis of half a turn. */
static void align(const double *along, double *orientation)
{
    double axis[3] = {along[0], along[1], along[2] + 1};
    if (along[2] < -1 + 1e-9)
        axis[0] = 1, axis[1] = axis[2] = 0;
    nb_normalise3(axis);
    orientation[0] = 0;
    memcpy(orientation + 1, axis, sizeof axis);
}

static void make_part(const double *values, struct nb_problem *problem, int copy, int i, const double *origin)
{
    const struct part *part = &parts[i];
    const int body = PARTS * copy + i;
    double along[3], centre[3];
    nb_subtract3(part->ends[1], part->ends[0], along);
    const double half = nb_norm3(along) / 2, r = part->radius;
    nb_add_scaled3(part->ends[0], 0.5, along, centre);
    nb_add_scaled3(centre, 1, origin, centre);
    nb_normalise3(along);
    struct nb_shape *shape = &problem->shapes[1 + body];
    nb_scene_make_capsule(problem, body, shape, r, half, density * M_PI * r * r * (2 * half + 4 * r / 3), centre);
    align(along, problem->bodies.orientation + 4 * body);
    shape->friction = values[FRICTION];
}

/* Hinges turn about z of their frame, which is y of the humanoid. */
static void join(struct nb_problem *problem, int copy, int i, const double *origin)
{
    const double about_y[4] = {sqrt(0.5), -sqrt(0.5), 0, 0}, degree = M_PI / 180;
    const struct part *part = &parts[i];
    const int joint = JOINTS * copy + i - 1, hinge = is_hinge(part);
    double anchor[3];
    nb_add_scaled3(origin, 1, part->anchor, anchor);
    nb_scene_make_joint(problem, joint, hinge ? NB_JOINT_HINGE : NB_JOINT_BALL, PARTS * copy + i,
                        PARTS * copy + part->parent, anchor, hinge ? about_y : NULL);
    nb_scene_limit_joint(problem, joint, hinge ? part->limits[0] * degree : -INFINITY, part->limits[1] * degree);
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int copies = (int)values[COUNT];
    enum nb_status status = nb_scene_allocate_on_ground(problem, PARTS * copies, 1 + PARTS * copies, values[FRICTION],
                                                        error);
    if (!status)
        status = nb_scene_allocate_joints(problem, JOINTS * copies, error);
    for (int copy = 0; !status && copy < copies; ++copy) {
        double origin[3];
        place(values, copy, origin);
        for (int i = 0; i < PARTS; ++i)
            make_part(values, problem, copy, i, origin);
        for (int i = 1; i < PARTS; ++i)
            join(problem, copy, i, origin);
    }
    return status;
}

/* The two sides of a joint: I^-1 in the world, and the angular velocity. */
struct pair {
    double inverse[2][9], *omega[2];
};

static void find_pair(const struct nb_problem *problem, int joint, double *velocity, struct pair *pair)
{
    for (int side = 0; side < 2; ++side) {
        const int body = problem->joints.body[2 * joint + side];
        const double *inertia = problem->bodies.inertia + 9 * body;
        const double inverse[9] = {1 / inertia[0], 0, 0, 0, 1 / inertia[4], 0, 0, 0, 1 / inertia[8]};
        double rotation[9];
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
        nb_world_inertia(rotation, inverse, pair->inverse[side]);
        pair->omega[side] = velocity + 6 * body + 3;
    }
}

static void turn(struct pair *pair, const double *impulse)
{
    for (int side = 0; side < 2; ++side) {
        double change[3];
        nb_rotate(pair->inverse[side], impulse, change);
        nb_add_scaled3(pair->omega[side], side == 0 ? 1 : -1, change, pair->omega[side]);
    }
}

/* (1/(h d) + I_a^-1 + I_b^-1) impulse = -(omega_a - omega_b). */
static void damp(struct pair *pair, double damping)
{
    double matrix[9], slip[3], impulse[3];
    if (damping <= 0)
        return;
    for (int k = 0; k < 9; ++k)
        matrix[k] = pair->inverse[0][k] + pair->inverse[1][k] + (k % 4 == 0 ? 1 / damping : 0);
    nb_subtract3(pair->omega[1], pair->omega[0], slip);
    if (!nb_solve_spd3(matrix, slip, impulse))
        turn(pair, impulse);
}

/* The motor of a joint over an interval, in [-torque, torque] about each of its axes. */
static void random_torque(const struct nb_problem *problem, int joint, int interval, uint64_t seed, double *torque)
{
    const struct part *part = &parts[1 + joint % JOINTS];
    uint64_t chance = seed;
    chance = nb_random_bits(&chance) ^ (uint64_t)interval;
    chance = nb_random_bits(&chance) ^ (uint64_t)joint;
    for (int k = 0; k < 3; ++k)
        torque[k] = part->torque * nb_random_signed(&chance);
    if (is_hinge(part)) {
        const int parent = problem->joints.body[2 * joint + 1];
        const double *turn_b = problem->joints.orientation + 8 * joint + 4;
        double orientation[4], frame[9];
        nb_quaternion_product(problem->bodies.orientation + 4 * parent, turn_b, orientation);
        nb_quaternion_matrix(orientation, frame);
        const double size = torque[2];
        for (int k = 0; k < 3; ++k)
            torque[k] = size * frame[3 * k + 2];
    }
}

static void drive(const struct nb_problem *problem, double *velocity)
{
    const double h = problem->time_step, share = nb_problem_parameter(problem, "torque", 0);
    const double damping = nb_problem_parameter(problem, "damping", 0);
    const int interval = (int)(problem->step * h / fmax(nb_problem_parameter(problem, "hold", 1), h));
    const uint64_t seed = (uint64_t)nb_problem_parameter(problem, "seed", 0);
    for (int i = 0; i < problem->joints.count; ++i) {
        struct pair pair;
        double torque[3];
        if (problem->joints.body[2 * i] < 0 || problem->joints.body[2 * i + 1] < 0)
            continue;
        find_pair(problem, i, velocity, &pair);
        random_torque(problem, i, interval, seed, torque);
        for (int k = 0; k < 3; ++k)
            torque[k] *= h * share;
        turn(&pair, torque);
        damp(&pair, h * damping * parts[1 + i % JOINTS].damping);
    }
}

/* Of all humanoids. */
static double observe(const struct nb_problem *problem)
{
    double sum = 0;
    for (int i = 0; i < problem->bodies.count; i += PARTS)
        sum += problem->bodies.position[3 * i + 2];
    return sum / (problem->bodies.count / PARTS);
}

const struct nb_scene nb_scene_humanoid_batch = {
    .name = "humanoid_batch",
    .title = "Humanoids under random torques",
    .source = "Macklin et al. 2019, table 2; the model and its torques are ours",
    .observable = "mean height of the torsos",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 1, 1, 4000, 1, "1", "humanoids"},
            [TORQUE] = {"torque", 1, 0, 10, 0, "1", "of the motors, over 3 to 18 N m"},
            [HOLD] = {"hold", 0.1, 1e-3, 100, 0, "s", "time after which the torques are new ones"},
            [DAMPING] = {"damping", 1, 0, 100, 0, "1", "of the joints, over 2 to 5 N m s"},
            [FRICTION] = NB_SCENE_FRICTION(0.8),
            [GAP] = {"gap", 0.02, 0, 10, 0, "m", "below the soles at the start"},
            [SPACING] = {"spacing", 4, 1, 100, 0, "m", "from one humanoid to the next"},
            [SEED] = {"seed", 1, 0, 1e6, 1, "1", "of the torques"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.05),
        },
    .build = build,
    .drive = drive,
    .observe = observe,
};

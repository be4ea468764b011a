/* A self-supporting arch of voussoirs between two fixed springers (Macklin et al. 2019, section
 * 10.1.5 and figure 14; the paper gives the masses, 15 to 110 kg, and mu 0.6).
 *
 * The axis is the parabola z = rise (1 - (2 x / span)^2). Joints stand across it; the section grows
 * from the crown to the springings, and so does the width of the blocks along x, from 1 to `growth`
 * (docs/theory/design.md, section 8). With the default values the thrust line stays within a tenth of the section's
 * height of the axis, and the thrust within 5 degrees of the joints' normals.
 *
 * The joints' long edges, along y, carry extra vertices in their middle: six contacts a joint where
 * four would do, so that the contact forces are not unique. */
#include <math.h>
#include <stdlib.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    COUNT, SPAN, RISE, CROWN, SPRINGING, DEPTH, GROWTH, DENSITY, EDGE_POINTS, FRICTION, TIME_STEP,
    GRAVITY, MARGIN
};

/* Length of the springers along the axis [m]. */
static const double springer_length = 0.3;

struct joint {
    double inner[2], outer[2]; /* x, z of the intrados and the extrados */
    double tangent[2];         /* of the axis, towards +x               */
};

static struct joint joint_at(const double *values, double x)
{
    const double along = 2 * x / values[SPAN];
    const double z = values[RISE] * (1 - along * along);
    const double slope = -4 * values[RISE] * along / values[SPAN], norm = hypot(1, slope);
    const double half = (values[CROWN] + (values[SPRINGING] - values[CROWN]) * fabs(along)) / 2;
    const double across[2] = {-half * slope / norm, half / norm};
    return (struct joint){{x - across[0], z - across[1]},
                          {x + across[0], z + across[1]},
                          {1 / norm, slope / norm}};
}

/* Width of block i along x, relative to one at the crown. */
static double relative_width(const double *values, int i)
{
    return 1 + (values[GROWTH] - 1) * fabs((2 * i + 1) / values[COUNT] - 1);
}

/* The joints [count + 1] from left to right. */
static void place_joints(const double *values, struct joint *joint)
{
    const int count = (int)values[COUNT];
    double total = 0, sum = 0;
    for (int i = 0; i < count; ++i)
        total += relative_width(values, i);
    for (int i = 0; i <= count; ++i) {
        joint[i] = joint_at(values, values[SPAN] * (sum / total - 0.5));
        if (i < count)
            sum += relative_width(values, i);
    }
}

/* The block between two joints. */
static enum nb_status make_block(const double *values, const struct joint *left,
                                 const struct joint *right, struct nb_shape *shape,
                                 struct nb_error *error)
{
    const double corners[8] = {left->inner[0],  left->inner[1],  right->inner[0], right->inner[1],
                               right->outer[0], right->outer[1], left->outer[0],  left->outer[1]};
    /* On a steep axis a thick section's joints would meet inside it. */
    const double inner = (right->inner[0] - left->inner[0]) * left->tangent[0] +
                         (right->inner[1] - left->inner[1]) * left->tangent[1];
    if (!(inner > 0))
        return nb_fail(error, NB_BAD_INPUT,
                       "arch: joints cross at x = %.3g m: lower thickness or rise, or count",
                       left->inner[0]);
    shape->friction = values[FRICTION];
    return nb_shape_prism(shape, corners, values[DEPTH], (int)values[EDGE_POINTS], error);
}

/* A joint moved along its tangent. */
static struct joint shifted(const struct joint *joint, double distance)
{
    struct joint moved = *joint;
    for (int k = 0; k < 2; ++k) {
        moved.inner[k] += distance * joint->tangent[k];
        moved.outer[k] += distance * joint->tangent[k];
    }
    return moved;
}

/* Shapes: the voussoirs from left to right, the two springers, the ground at their feet. */
static enum nb_status place_blocks(const double *values, const struct joint *joint,
                                   struct nb_problem *problem, struct nb_error *error)
{
    const int count = problem->bodies.count;
    const struct joint left = shifted(&joint[0], -springer_length);
    const struct joint right = shifted(&joint[count], springer_length);
    struct nb_shape *springer = problem->shapes + count, *ground = springer + 2;
    enum nb_status status = NB_OK;
    for (int i = 0; !status && i < count; ++i) {
        status = make_block(values, &joint[i], &joint[i + 1], &problem->shapes[i], error);
        if (!status)
            nb_scene_make_body(problem, i, &problem->shapes[i], values[DENSITY]);
    }
    if (!status)
        status = make_block(values, &left, &joint[0], &springer[0], error);
    if (!status)
        status = make_block(values, &joint[count], &right, &springer[1], error);
    ground->kind = NB_SHAPE_PLANE;
    ground->friction = values[FRICTION];
    ground->position[2] = fmin(left.inner[1], left.outer[1]);
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    enum nb_status status = nb_scene_allocate(problem, count, count + 3, error);
    if (status)
        return status;
    struct joint *joint = calloc((size_t)count + 1, sizeof *joint);
    if (!joint)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d voussoirs", count);
    place_joints(values, joint);
    status = place_blocks(values, joint, problem, error);
    free(joint);
    return status;
}

static double observe(const struct nb_problem *problem)
{
    const int count = problem->bodies.count;
    const double *position = problem->bodies.position;
    return (position[3 * ((count - 1) / 2) + 2] + position[3 * (count / 2) + 2]) / 2;
}

const struct nb_scene nb_scene_arch = {
    .name = "arch",
    .title = "Self-supporting arch",
    .source = "Macklin et al. 2019, section 10.1.5, figure 14",
    .observable = "crown height: mean of the two middle voussoirs' centres",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 20, 2, 100, 1, "1", "voussoirs"},
            [SPAN] = {"span", 4, 0.5, 100, 0, "m", "distance of the springings on the axis"},
            [RISE] = {"rise", 1.25, 0.01, 100, 0, "m", "height of the crown on the axis"},
            [CROWN] = {"thickness_crown", 0.2, 0.01, 10, 0, "m", "height of the section"},
            [SPRINGING] = {"thickness_springing", 0.24, 0.01, 10, 0, "m", "height of the section"},
            [DEPTH] = {"depth", 0.4, 0.01, 10, 0, "m", "width of the section, along y"},
            [GROWTH] = {"growth", 4.4, 0.2, 20, 0, "1", "widest block over narrowest, along x"},
            [DENSITY] = {"density", 2400, 1, 1e5, 0, "kg/m^3", "density of the voussoirs"},
            [EDGE_POINTS] = {"edge_points", 1, 0, 8, 1, "1", "extra contacts on a long edge"},
            [FRICTION] = NB_SCENE_FRICTION(0.6),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};

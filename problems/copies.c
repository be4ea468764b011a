#include "problems/copies.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/fields.h"
#include "problems/join.h"

static double largest(double a, double b) { return a > b ? a : b; }

double nb_shape_reach(const struct nb_shape *shape)
{
    double most = shape->radius + shape->half_length;
    for (int i = 0; i < shape->vertex_count; ++i) {
        const double *v = shape->vertex + 3 * i;
        most = largest(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
}

/* How far a body's shape reaches from the body's centre of mass. */
static double reach(const struct nb_shape *shape)
{
    const double *p = shape->position;
    return nb_shape_reach(shape) + sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

/* Between two copies. */
static double pitch_of(const struct nb_problem *problem)
{
    const struct nb_bodies *bodies = &problem->bodies;
    double span = 0, radius = 0;
    for (int axis = 0; axis < 2; ++axis)
        for (int i = 0; i < bodies->count; ++i)
            span = largest(span, fabs(bodies->position[3 * i + axis] - bodies->position[axis]));
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].body >= 0)
            radius = largest(radius, reach(&problem->shapes[i]));
    return 2 * span + 2.5 * radius + 0.1;
}

/* Entries [2 count] of bodies, shifted to each copy's; points of the world move with it. */
static void move_sides(int *body, double *point, int count, int copies, int bodies,
                       const double *shift)
{
    for (int k = 0; k < copies; ++k)
        for (size_t i = (size_t)2 * (size_t)count * (size_t)k;
             i < (size_t)2 * (size_t)count * ((size_t)k + 1); ++i) {
            if (body[i] >= 0) {
                body[i] += k * bodies;
                continue;
            }
            for (size_t c = 0; c < 2; ++c)
                point[3 * i + c] += shift[2 * k + (int)c];
        }
}

/* Arrays of a group, one copy after the other. */
static int repeat_group(const struct nb_problem *from, enum nb_field_groups group, int copies,
                        struct nb_problem *out)
{
    return nb_fields_repeat(from, out, nb_field_groups[group].field, copies);
}

static int repeat_bodies(const struct nb_problem *from, int copies, const double *shift,
                         struct nb_problem *out)
{
    const size_t n = (size_t)from->bodies.count;
    int failed = 0;
    out->bodies.count = from->bodies.count * copies;
    out->free_velocity = nb_repeat(from->free_velocity, 6 * n * sizeof(double), copies, &failed);
    if (!repeat_group(from, NB_BODIES, copies, out) || failed)
        return 0;
    for (size_t i = 0; i < n * (size_t)copies; ++i)
        for (size_t c = 0; c < 2; ++c)
            out->bodies.position[3 * i + c] += shift[2 * (i / n) + c];
    return 1;
}

static int repeat_contacts(const struct nb_problem *from, int copies, const double *shift,
                           struct nb_problem *out)
{
    out->contacts.count = from->contacts.count * copies;
    if (!repeat_group(from, NB_CONTACTS, copies, out))
        return 0;
    move_sides(out->contacts.body, out->contacts.point, from->contacts.count, copies,
               from->bodies.count, shift);
    return 1;
}

static int repeat_joints(const struct nb_problem *from, int copies, const double *shift,
                         struct nb_problem *out)
{
    const int joints = from->joints.count, limits = from->limits.count;
    out->joints.count = joints * copies;
    out->limits.count = limits * copies;
    if (!repeat_group(from, NB_JOINTS, copies, out) || !repeat_group(from, NB_LIMITS, copies, out))
        return 0;
    for (int i = 0; i < limits * copies; ++i)
        out->limits.joint[i] += i / limits * joints;
    if (joints > 0)
        move_sides(out->joints.body, out->joints.point, joints, copies, from->bodies.count, shift);
    return 1;
}

static int repeat_shapes(const struct nb_problem *from, int copies, struct nb_problem *out)
{
    int done = 1;
    out->shapes = calloc((size_t)from->shape_count * (size_t)copies + 1, sizeof *out->shapes);
    if (!out->shapes)
        return 0;
    for (int k = 0; k < copies; ++k)
        for (int i = 0; i < from->shape_count && done; ++i) {
            if (k > 0 && from->shapes[i].body < 0)
                continue;
            struct nb_shape *shape = &out->shapes[out->shape_count++];
            done = nb_shape_copy(&from->shapes[i], shape);
            if (shape->body >= 0)
                shape->body += k * from->bodies.count;
        }
    return done;
}

static enum nb_status repeat_linear(const struct nb_problem *problem, int copies, struct nb_problem *out,
                                    struct nb_error *error)
{
    struct nb_problem *parts = calloc((size_t)copies, sizeof *parts); /* of borrowed arrays */
    if (!parts)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d copies of %s", copies, problem->name);
    for (int k = 0; k < copies; ++k)
        parts[k] = *problem;
    const enum nb_status status = nb_problem_join(parts, copies, out, error);
    free(parts);
    return status;
}

enum nb_status nb_problem_repeat(const struct nb_problem *problem, int copies, struct nb_problem *out,
                                 struct nb_error *error)
{
    const int rows = problem->linear.dofs + problem->linear.contacts + problem->linear.bilaterals;
    const int most = problem->contacts.count + problem->bodies.count + problem->joints.count + rows + 1;
    memset(out, 0, sizeof *out);
    if (problem->form == NB_LINEAR_LOCAL || problem->particles.count > 0)
        return nb_fail(error, NB_UNSUPPORTED, "%s: only steps of rigid bodies and global linear ones can be repeated",
                       problem->name);
    if (copies < 1 || copies > INT_MAX / 64 / most)
        return nb_fail(error, NB_BAD_INPUT, "%s: %d copies, allowed are 1 to %d", problem->name,
                       copies, INT_MAX / 64 / most);
    if (problem->form == NB_LINEAR_GLOBAL)
        return repeat_linear(problem, copies, out, error);
    double *shift = calloc((size_t)copies, 2 * sizeof *shift);
    const int side = (int)ceil(sqrt((double)copies));
    const double pitch = pitch_of(problem);
    int failed = !shift;
    for (int k = 0; k < copies && shift; ++k) {
        shift[2 * k] = pitch * (k % side);
        shift[2 * k + 1] = pitch * (k / side);
    }
    out->form = problem->form;
    memcpy(out->gravity, problem->gravity, sizeof out->gravity);
    failed = failed || !nb_problem_keep_provenance(problem, out) ||
             !repeat_bodies(problem, copies, shift, out) || !repeat_contacts(problem, copies, shift, out) ||
             !repeat_joints(problem, copies, shift, out) || !repeat_shapes(problem, copies, out);
    free(shift);
    if (!failed)
        return NB_OK;
    nb_problem_free(out);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d copies of %s", copies, problem->name);
}

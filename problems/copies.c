#include "problems/copies.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `copies` times the array; NULL stays NULL. */
static void *repeat(const void *from, size_t bytes, int copies, int *failed)
{
    char *to = from ? malloc(bytes * (size_t)copies + 1) : NULL;
    if (from && !to)
        *failed = 1;
    for (int k = 0; to && k < copies; ++k)
        memcpy(to + bytes * (size_t)k, from, bytes);
    return to;
}

static double largest(double a, double b) { return a > b ? a : b; }

/* How far a body's shape reaches from the body's centre of mass. */
static double reach(const struct nb_shape *shape)
{
    double most = shape->radius + shape->half_length;
    for (int i = 0; i < shape->vertex_count; ++i) {
        const double *v = shape->vertex + 3 * i;
        most = largest(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    const double *p = shape->position;
    return most + sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
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

static int repeat_bodies(const struct nb_problem *from, int copies, const double *shift,
                         struct nb_problem *out)
{
    const struct nb_bodies *bodies = &from->bodies;
    const size_t n = (size_t)bodies->count;
    int failed = 0;
    out->bodies.count = bodies->count * copies;
    out->bodies.position = repeat(bodies->position, 3 * n * sizeof(double), copies, &failed);
    out->bodies.orientation = repeat(bodies->orientation, 4 * n * sizeof(double), copies, &failed);
    out->bodies.velocity = repeat(bodies->velocity, 6 * n * sizeof(double), copies, &failed);
    out->bodies.mass = repeat(bodies->mass, n * sizeof(double), copies, &failed);
    out->bodies.inertia = repeat(bodies->inertia, 9 * n * sizeof(double), copies, &failed);
    out->free_velocity = repeat(from->free_velocity, 6 * n * sizeof(double), copies, &failed);
    for (int k = 0; k < copies && !failed; ++k)
        for (size_t i = n * (size_t)k; i < n * ((size_t)k + 1); ++i)
            for (size_t c = 0; c < 2; ++c)
                out->bodies.position[3 * i + c] += shift[2 * k + (int)c];
    return failed;
}

static int repeat_contacts(const struct nb_problem *from, int copies, const double *shift,
                           struct nb_problem *out)
{
    const struct nb_contacts *contacts = &from->contacts;
    const size_t n = (size_t)contacts->count;
    int failed = 0;
    out->contacts.count = contacts->count * copies;
    out->contacts.body = repeat(contacts->body, 2 * n * sizeof(int), copies, &failed);
    out->contacts.point = repeat(contacts->point, 6 * n * sizeof(double), copies, &failed);
    out->contacts.radius = repeat(contacts->radius, 2 * n * sizeof(double), copies, &failed);
    out->contacts.frame = repeat(contacts->frame, 9 * n * sizeof(double), copies, &failed);
    out->contacts.thickness = repeat(contacts->thickness, n * sizeof(double), copies, &failed);
    out->contacts.friction = repeat(contacts->friction, n * sizeof(double), copies, &failed);
    if (!failed)
        move_sides(out->contacts.body, out->contacts.point, contacts->count, copies,
                   from->bodies.count, shift);
    return failed;
}

static int repeat_joints(const struct nb_problem *from, int copies, const double *shift,
                         struct nb_problem *out)
{
    const struct nb_joints *joints = &from->joints;
    const struct nb_limits *limits = &from->limits;
    const size_t n = (size_t)joints->count, m = (size_t)limits->count;
    int failed = 0;
    out->joints.count = joints->count * copies;
    out->joints.kind = repeat(joints->kind, n * sizeof(int), copies, &failed);
    out->joints.body = repeat(joints->body, 2 * n * sizeof(int), copies, &failed);
    out->joints.point = repeat(joints->point, 6 * n * sizeof(double), copies, &failed);
    out->joints.orientation = repeat(joints->orientation, 8 * n * sizeof(double), copies, &failed);
    out->joints.compliance = repeat(joints->compliance, 6 * n * sizeof(double), copies, &failed);
    out->joints.drift = repeat(joints->drift, 6 * n * sizeof(double), copies, &failed);
    out->limits.count = limits->count * copies;
    out->limits.joint = repeat(limits->joint, m * sizeof(int), copies, &failed);
    out->limits.side = repeat(limits->side, m * sizeof *limits->side, copies, &failed);
    out->limits.bound = repeat(limits->bound, m * sizeof(double), copies, &failed);
    for (int k = 0; k < copies && !failed; ++k)
        for (size_t i = m * (size_t)k; i < m * ((size_t)k + 1); ++i)
            out->limits.joint[i] += k * joints->count;
    if (!failed && n > 0)
        move_sides(out->joints.body, out->joints.point, joints->count, copies, from->bodies.count,
                   shift);
    return failed;
}

static int copy_shape(const struct nb_shape *from, struct nb_shape *to)
{
    const size_t corners = from->face_start ? (size_t)from->face_start[from->face_count] : 0;
    int failed = 0;
    *to = *from;
    to->vertex = repeat(from->vertex, 3 * (size_t)from->vertex_count * sizeof(double), 1, &failed);
    to->face_start =
        repeat(from->face_start, ((size_t)from->face_count + 1) * sizeof(int), 1, &failed);
    to->face_vertex = repeat(from->face_vertex, corners * sizeof(int), 1, &failed);
    return failed;
}

static int repeat_shapes(const struct nb_problem *from, int copies, struct nb_problem *out)
{
    int failed = 0;
    out->shapes = calloc((size_t)from->shape_count * (size_t)copies + 1, sizeof *out->shapes);
    if (!out->shapes)
        return 1;
    for (int k = 0; k < copies; ++k)
        for (int i = 0; i < from->shape_count && !failed; ++i) {
            if (k > 0 && from->shapes[i].body < 0)
                continue;
            struct nb_shape *shape = &out->shapes[out->shape_count++];
            failed = copy_shape(&from->shapes[i], shape);
            if (shape->body >= 0)
                shape->body += k * from->bodies.count;
        }
    return failed;
}

static void copy_description(const struct nb_problem *from, struct nb_problem *out)
{
    out->form = from->form;
    out->time_step = from->time_step;
    memcpy(out->gravity, from->gravity, sizeof out->gravity);
    memcpy(out->name, from->name, sizeof out->name);
    memcpy(out->source, from->source, sizeof out->source);
    memcpy(out->generator, from->generator, sizeof out->generator);
    out->step = from->step;
}

enum nb_status nb_problem_repeat(const struct nb_problem *problem, int copies, struct nb_problem *out,
                                 struct nb_error *error)
{
    const int most = problem->contacts.count + problem->bodies.count + problem->joints.count + 1;
    memset(out, 0, sizeof *out);
    if (problem->form != NB_NONLINEAR || problem->particles.count > 0)
        return nb_fail(error, NB_UNSUPPORTED, "%s: only steps of rigid bodies can be repeated",
                       problem->name);
    if (copies < 1 || copies > INT_MAX / 64 / most)
        return nb_fail(error, NB_BAD_INPUT, "%s: %d copies, allowed are 1 to %d", problem->name,
                       copies, INT_MAX / 64 / most);
    double *shift = calloc((size_t)copies, 2 * sizeof *shift);
    const int side = (int)ceil(sqrt((double)copies));
    const double pitch = pitch_of(problem);
    int failed = !shift, parameters = 0;
    for (int k = 0; k < copies && shift; ++k) {
        shift[2 * k] = pitch * (k % side);
        shift[2 * k + 1] = pitch * (k / side);
    }
    copy_description(problem, out);
    out->parameters = repeat(problem->parameters, (size_t)problem->parameter_count *
                             sizeof *out->parameters, 1, &parameters);
    out->parameter_count = out->parameters ? problem->parameter_count : 0;
    failed = failed || parameters || repeat_bodies(problem, copies, shift, out) ||
             repeat_contacts(problem, copies, shift, out) ||
             repeat_joints(problem, copies, shift, out) || repeat_shapes(problem, copies, out);
    free(shift);
    if (!failed)
        return NB_OK;
    nb_problem_free(out);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d copies of %s", copies, problem->name);
}

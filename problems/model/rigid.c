/* Rigid bodies in maximal coordinates, and contacts between points fixed in them:
 *
 *     C_n = n . (a - b) - d,   a = x_A + R_A p_A,    D^T u = (t1, t2)^T (v_a - v_b),
 *
 * v_a = v_A + omega_A x (R_A p_A), at q+ = q- (+) h u; n, t1, t2 fixed over the step (Macklin et
 * al. 2019, equations 9, 44, 89). A body is two nodes: translation and rotation. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block3.h"
#include "solvers/model.h"

struct NB(nb_rigid) {
    int bodies;
    nb_real *start_position;    /* [3 bodies] x-        */
    nb_real *start_orientation; /* [4 bodies] theta-    */
    nb_real *position;          /* [3 bodies] x+        */
    nb_real *rotation;          /* [9 bodies] R(theta+) */
    const int *body;            /* [2 contacts] borrowed from the problem */
    nb_real *point;             /* [6 contacts] */
    nb_real *frame;             /* [9 contacts] */
    nb_real *thickness;         /* [contacts]   */
};

void NB(nb_rigid_free)(struct NB(nb_rigid) *rigid)
{
    if (!rigid)
        return;
    free(rigid->start_position);
    free(rigid->start_orientation);
    free(rigid->position);
    free(rigid->rotation);
    free(rigid->point);
    free(rigid->frame);
    free(rigid->thickness);
    free(rigid);
}

static nb_real *narrow(const double *values, size_t count)
{
    nb_real *out = malloc((count + 1) * sizeof *out);
    for (size_t i = 0; out && i < count; ++i)
        out[i] = (nb_real)values[i];
    return out;
}

/* R from a quaternion w, x, y, z. Double serves the set-up, nb_real the step. */
#define ROTATION_BODY(type, q, r)                                                      \
    do {                                                                               \
        const type w = (q)[0], x = (q)[1], y = (q)[2], z = (q)[3];                     \
        (r)[0] = 1 - 2 * (y * y + z * z), (r)[1] = 2 * (x * y - w * z);                \
        (r)[2] = 2 * (x * z + w * y), (r)[3] = 2 * (x * y + w * z);                    \
        (r)[4] = 1 - 2 * (x * x + z * z), (r)[5] = 2 * (y * z - w * x);                \
        (r)[6] = 2 * (x * z - w * y), (r)[7] = 2 * (y * z + w * x);                    \
        (r)[8] = 1 - 2 * (x * x + y * y);                                              \
    } while (0)

static void rotation(const nb_real *q, nb_real *r) { ROTATION_BODY(nb_real, q, r); }
static void rotation_double(const double *q, double *r) { ROTATION_BODY(double, q, r); }

/* theta+ = normalise(theta- + h/2 Q(theta-) omega): Q(theta) omega is the product (0, omega) theta. */
static void advance(const nb_real *q, const nb_real *omega, nb_real h, nb_real *out)
{
    const nb_real k = h / 2, a = k * omega[0], b = k * omega[1], c = k * omega[2];
    out[0] = q[0] - a * q[1] - b * q[2] - c * q[3];
    out[1] = q[1] + a * q[0] + b * q[3] - c * q[2];
    out[2] = q[2] - a * q[3] + b * q[0] + c * q[1];
    out[3] = q[3] + a * q[2] - b * q[1] + c * q[0];
    const nb_real scale = 1 / nb_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] +
                                      out[3] * out[3]);
    for (int i = 0; i < 4; ++i)
        out[i] *= scale;
}

/* Inverse of a symmetric positive definite 3x3 matrix by cofactors, in double. */
static void invert3(const double *m, double *out)
{
    const double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8],
                 c = m[3] * m[7] - m[4] * m[6];
    const double scale = 1 / (m[0] * a + m[1] * b + m[2] * c);
    out[0] = a * scale, out[3] = b * scale, out[6] = c * scale;
    out[1] = (m[2] * m[7] - m[1] * m[8]) * scale;
    out[4] = (m[0] * m[8] - m[2] * m[6]) * scale;
    out[7] = (m[1] * m[6] - m[0] * m[7]) * scale;
    out[2] = (m[1] * m[5] - m[2] * m[4]) * scale;
    out[5] = (m[2] * m[3] - m[0] * m[5]) * scale;
    out[8] = (m[0] * m[4] - m[1] * m[3]) * scale;
}

/* out = R a R^T */
static void rotate_tensor(const double *r, const double *a, double *out)
{
    double ra[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            ra[3 * i + j] = r[3 * i] * a[j] + r[3 * i + 1] * a[3 + j] + r[3 * i + 2] * a[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = ra[3 * i] * r[3 * j] + ra[3 * i + 1] * r[3 * j + 1] +
                             ra[3 * i + 2] * r[3 * j + 2];
}

/* H^-1 at q-: 1/m on the translation, the world inertia's inverse on the rotation. */
static void fill_inverse_mass(struct NB(nb_model) *model)
{
    const struct nb_bodies *bodies = &model->problem->bodies;
    for (int i = 0; i < bodies->count; ++i) {
        double r[9], inverse[9], world[9];
        nb_real *translation = model->inverse_mass + 18 * (size_t)i, *turn = translation + 9;
        rotation_double(bodies->orientation + 4 * (size_t)i, r);
        invert3(bodies->inertia + 9 * (size_t)i, inverse);
        rotate_tensor(r, inverse, world);
        for (int k = 0; k < 9; ++k) {
            translation[k] = (nb_real)(k % 4 == 0 ? 1 / bodies->mass[i] : 0);
            turn[k] = (nb_real)world[k];
        }
    }
}

/* Two nodes for each of a contact's bodies, in ascending node order. */
static void fill_pattern(struct NB(nb_model) *model)
{
    struct NB(nb_bsr) *jacobian = &model->jacobian;
    int at = 0;
    for (int i = 0; i < model->contacts; ++i) {
        const int *body = model->rigid->body + 2 * (size_t)i;
        const int swap = body[0] >= 0 && body[1] >= 0 && body[0] > body[1];
        for (int side = 0; side < 2; ++side) {
            const int b = body[swap ? 1 - side : side];
            if (b < 0)
                continue;
            jacobian->column[at++] = 2 * b;
            jacobian->column[at++] = 2 * b + 1;
        }
        jacobian->start[i + 1] = at;
    }
}

static int count_sides(const struct nb_contacts *contacts)
{
    int sides = 0;
    for (int i = 0; i < 2 * contacts->count; ++i)
        sides += contacts->body[i] >= 0;
    return sides;
}

enum nb_status NB(nb_rigid_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    const struct nb_bodies *bodies = &model->problem->bodies;
    const struct nb_contacts *contacts = &model->problem->contacts;
    const size_t nb = (size_t)bodies->count, nc = (size_t)contacts->count;
    struct NB(nb_rigid) *rigid = calloc(1, sizeof *rigid);
    model->rigid = rigid;
    if (!rigid)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rigid bodies");
    rigid->bodies = bodies->count;
    rigid->body = contacts->body;
    rigid->start_position = narrow(bodies->position, 3 * nb);
    rigid->start_orientation = narrow(bodies->orientation, 4 * nb);
    rigid->position = malloc((3 * nb + 1) * sizeof *rigid->position);
    rigid->rotation = malloc((9 * nb + 1) * sizeof *rigid->rotation);
    rigid->point = narrow(contacts->point, 6 * nc);
    rigid->frame = narrow(contacts->frame, 9 * nc);
    rigid->thickness = narrow(contacts->thickness, nc);
    if (!rigid->start_position || !rigid->start_orientation || !rigid->position ||
        !rigid->rotation || !rigid->point || !rigid->frame || !rigid->thickness)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rigid bodies");
    const enum nb_status status = NB(nb_bsr_allocate)(&model->jacobian, model->blocks,
                                                      model->nodes, 2 * count_sides(contacts),
                                                      error);
    if (status)
        return status;
    fill_pattern(model);
    fill_inverse_mass(model);
    for (size_t i = 0; i < 6 * nb; ++i)
        model->free_velocity[i] = (nb_real)model->problem->free_velocity[i];
    for (size_t i = 0; i < nc; ++i)
        model->friction[i] = (nb_real)contacts->friction[i];
    return NB_OK;
}

/* Translation block: +- the frame. Rotation block: row f is +- (r x f)^T, since
 * f . (omega x r) = omega . (r x f). */
static void fill_side(const nb_real *frame, const nb_real *arm, nb_real sign, nb_matrix *out)
{
    for (int k = 0; k < 3; ++k) {
        const nb_real *f = frame + 3 * k;
        for (int j = 0; j < 3; ++j)
            out[3 * k + j] = (nb_matrix)(sign * f[j]);
        out[9 + 3 * k] = (nb_matrix)(sign * (arm[1] * f[2] - arm[2] * f[1]));
        out[9 + 3 * k + 1] = (nb_matrix)(sign * (arm[2] * f[0] - arm[0] * f[2]));
        out[9 + 3 * k + 2] = (nb_matrix)(sign * (arm[0] * f[1] - arm[1] * f[0]));
    }
}

/* One contact: its Jacobian blocks, C_n/h and D^T u. */
static void evaluate_contact(struct NB(nb_model) *model, int i, const nb_real *u)
{
    const struct NB(nb_rigid) *rigid = model->rigid;
    const nb_real *frame = rigid->frame + 9 * (size_t)i;
    const int *body = rigid->body + 2 * (size_t)i;
    nb_real between[3] = {0, 0, 0}, relative[3] = {0, 0, 0};
    for (int side = 0; side < 2; ++side) {
        const nb_real sign = side == 0 ? 1 : -1;
        const nb_real *point = rigid->point + 6 * (size_t)i + 3 * side;
        const int b = body[side];
        if (b < 0) {
            for (int k = 0; k < 3; ++k)
                between[k] += sign * point[k];
            continue;
        }
        const nb_real *x = rigid->position + 3 * (size_t)b, *v = u + 6 * (size_t)b, *w = v + 3;
        nb_real r[3];
        NB(nb_block_apply)(rigid->rotation + 9 * (size_t)b, point, r);
        const nb_real turn[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2],
                                 w[0] * r[1] - w[1] * r[0]};
        for (int k = 0; k < 3; ++k) {
            between[k] += sign * (x[k] + r[k]);
            relative[k] += sign * (v[k] + turn[k]);
        }
        const int first = model->jacobian.start[i];
        const int at = model->jacobian.column[first] == 2 * b ? first : first + 2;
        fill_side(frame, r, sign, model->jacobian.value + 9 * (size_t)at);
    }
    nb_real *out = model->violation + 3 * (size_t)i;
    out[0] = (frame[0] * between[0] + frame[1] * between[1] + frame[2] * between[2] -
              rigid->thickness[i]) / model->time_step;
    for (int k = 1; k < 3; ++k)
        out[k] = frame[3 * k] * relative[0] + frame[3 * k + 1] * relative[1] +
                 frame[3 * k + 2] * relative[2];
}

void NB(nb_rigid_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    struct NB(nb_rigid) *rigid = model->rigid;
    const nb_real h = model->time_step;
    for (int b = 0; b < rigid->bodies; ++b) {
        const nb_real *v = u + 6 * (size_t)b;
        nb_real orientation[4];
        for (int k = 0; k < 3; ++k)
            rigid->position[3 * (size_t)b + (size_t)k] =
                rigid->start_position[3 * (size_t)b + (size_t)k] + h * v[k];
        advance(rigid->start_orientation + 4 * (size_t)b, v + 3, h, orientation);
        rotation(orientation, rigid->rotation + 9 * (size_t)b);
    }
    for (int i = 0; i < model->contacts; ++i)
        evaluate_contact(model, i, u);
}

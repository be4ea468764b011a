/* Contacts between points fixed in rigid bodies:
 *
 *     C_n = n . (a - b) - d,   a = x_A + r_A,   r_A = R_A p_A - rho_a n,
 *     D^T u = (t1, t2)^T (v_a - v_b),   v_a = v_A + omega_A x r_A,   r_B = R_B p_B + rho_b n,
 *
 * at q+ = q- (+) h u; n, t1, t2 fixed over the step (Macklin et
 * al. 2019, equations 9, 44). */
#include <stdlib.h>

#include "problems/model/rigid.h"
#include "solvers/block3.h"

void NB(nb_contacts_free)(struct NB(nb_contact_points) *contacts)
{
    free(contacts->point);
    free(contacts->radius);
    free(contacts->frame);
    free(contacts->thickness);
}

enum nb_status NB(nb_contacts_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    const struct nb_contacts *given = &model->problem->contacts;
    struct NB(nb_contact_points) *contacts = &model->rigid->contacts;
    const size_t n = (size_t)given->count;
    contacts->body = given->body;
    contacts->point = NB(nb_narrow)(given->point, 6 * n);
    contacts->radius = given->radius ? NB(nb_narrow)(given->radius, 2 * n)
                                     : calloc(2 * n + 1, sizeof *contacts->radius);
    contacts->frame = NB(nb_narrow)(given->frame, 9 * n);
    contacts->thickness = NB(nb_narrow)(given->thickness, n);
    if (!contacts->point || !contacts->radius || !contacts->frame || !contacts->thickness)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the contacts");
    for (size_t i = 0; i < n; ++i)
        model->friction[i] = (nb_real)given->friction[i];
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
    const struct NB(nb_body_state) *bodies = &model->rigid->bodies;
    const struct NB(nb_contact_points) *contacts = &model->rigid->contacts;
    const int row = model->bilateral_blocks + i;
    const nb_real *frame = contacts->frame + 9 * (size_t)i;
    const int *body = contacts->body + 2 * (size_t)i;
    nb_real between[3] = {0, 0, 0}, relative[3] = {0, 0, 0};
    for (int side = 0; side < 2; ++side) {
        const nb_real sign = side == 0 ? 1 : -1;
        const nb_real *point = contacts->point + 6 * (size_t)i + 3 * side;
        const nb_real out_by = -sign * contacts->radius[2 * (size_t)i + side];
        const int b = body[side];
        if (b < 0) {
            for (int k = 0; k < 3; ++k)
                between[k] += sign * (point[k] + out_by * frame[k]);
            continue;
        }
        const nb_real *x = bodies->position + 3 * (size_t)b, *v = u + 6 * (size_t)b, *w = v + 3;
        nb_real r[3];
        NB(nb_block_apply)(bodies->rotation + 9 * (size_t)b, point, r);
        for (int k = 0; k < 3; ++k)
            r[k] += out_by * frame[k];
        const nb_real turn[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2],
                                 w[0] * r[1] - w[1] * r[0]};
        for (int k = 0; k < 3; ++k) {
            between[k] += sign * (x[k] + r[k]);
            relative[k] += sign * (v[k] + turn[k]);
        }
        const int first = model->jacobian.start[row];
        const int at = model->jacobian.column[first] == 2 * b ? first : first + 2;
        fill_side(frame, r, sign, model->jacobian.value + 9 * (size_t)at);
    }
    nb_real *out = model->violation + 3 * (size_t)row;
    out[0] = (frame[0] * between[0] + frame[1] * between[1] + frame[2] * between[2] -
              contacts->thickness[i]) / model->time_step;
    for (int k = 1; k < 3; ++k)
        out[k] = frame[3 * k] * relative[0] + frame[3 * k + 1] * relative[1] +
                 frame[3 * k + 2] * relative[2];
}

void NB(nb_contacts_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    for (int i = 0; i < model->contacts; ++i)
        evaluate_contact(model, i, u);
}

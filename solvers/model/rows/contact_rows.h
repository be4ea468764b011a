/* The rows of one contact (solvers/model/rows/contact.c). Private to solvers/model/rows and the CUDA solvers. */
#ifndef NB_MODEL_CONTACT_ROWS_H
#define NB_MODEL_CONTACT_ROWS_H

#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/model/rows/nonlinear.h"

#define nb_contact_is_deformable NB(nb_contact_is_deformable)

/* Translation block: +- the frame. Rotation block: row f is +- (r x f)^T, since
 * f . (omega x r) = omega . (r x f). */
NB_BOTH void NB(nb_contact_fill_side)(const nb_real *frame, const nb_real *arm, nb_real sign, nb_matrix *out)
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

/* A contact at q+, gathered from its two sides. */
struct NB(nb_contact_state) {
    int contact, row;
    const nb_real *frame;
    nb_real between[3];  /* a - b       */
    nb_real relative[3]; /* v_a - v_b   */
};

NB_BOTH void NB(nb_contact_add_rigid_side)(struct nb_model *model,
                                           struct NB(nb_contact_state) *state, int side,
                                           const nb_real *u)
{
    const struct nb_body_state *bodies = &model->nonlinear->bodies;
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const size_t i = (size_t)state->contact;
    const nb_real *frame = state->frame, *point = contacts->point + 6 * i + 3 * side;
    const nb_real sign = side == 0 ? 1 : -1, out_by = -sign * contacts->radius[2 * i + side];
    const int b = contacts->body[2 * i + side];
    if (b < 0) {
        for (int k = 0; k < 3; ++k)
            state->between[k] += sign * (point[k] + out_by * frame[k]);
        return;
    }
    const nb_real *x = bodies->position + 3 * (size_t)b, *v = u + 6 * (size_t)b, *w = v + 3;
    nb_real r[3];
    nb_block_apply(bodies->rotation + 9 * (size_t)b, point, r);
    for (int k = 0; k < 3; ++k)
        r[k] += out_by * frame[k];
    const nb_real turn[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2],
                             w[0] * r[1] - w[1] * r[0]};
    for (int k = 0; k < 3; ++k) {
        state->between[k] += sign * (x[k] + r[k]);
        state->relative[k] += sign * (v[k] + turn[k]);
    }
    const int at = nb_block_at(&model->jacobian, state->row, 2 * b);
    NB(nb_contact_fill_side)(frame, r, sign, model->jacobian.value + 9 * (size_t)at);
}

/* a = sum_k w_k x_k -+ rho n. Both sides may share a particle: its blocks add up. */
NB_BOTH void NB(nb_contact_add_deformable_side)(struct nb_model *model, struct NB(nb_contact_state) *state,
                                int side, const nb_real *u)
{
    const struct nb_particle_state *particles = &model->nonlinear->particles;
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const size_t i = (size_t)state->contact;
    const nb_real sign = side == 0 ? 1 : -1, *frame = state->frame;
    for (int k = 0; k < 3; ++k)
        state->between[k] -= contacts->radius[2 * i + side] * frame[k];
    for (size_t m = 6 * i + 3 * side; m < 6 * i + 3 * side + 3; ++m) {
        const int particle = contacts->particle[m];
        if (particle < 0)
            break;
        const int node = particles->first_node + particle;
        const nb_real weight = sign * contacts->weight[m];
        const int at = nb_block_at(&model->jacobian, state->row, node);
        for (int k = 0; k < 3; ++k) {
            state->between[k] += weight * particles->position[3 * (size_t)particle + k];
            state->relative[k] += weight * u[3 * (size_t)node + k];
        }
        for (int k = 0; k < 9; ++k)
            model->jacobian.value[9 * (size_t)at + k] += (nb_matrix)(weight * frame[k]);
    }
}

NB_BOTH int nb_contact_is_deformable(const struct nb_contact_points *contacts, int i, int side)
{
    return contacts->particle && contacts->particle[6 * (size_t)i + 3 * (size_t)side] >= 0;
}

NB_BOTH void NB(nb_contact_clear_row)(struct nb_bsr *jacobian, int row)
{
    const size_t first = (size_t)jacobian->start[row], end = (size_t)jacobian->start[row + 1];
    memset(jacobian->value + 9 * first, 0, 9 * (end - first) * sizeof *jacobian->value);
}

/* One contact: its Jacobian blocks, C_n/h and D^T u. */
NB_BOTH void NB(nb_evaluate_contact)(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    struct NB(nb_contact_state) state;
    memset(&state, 0, sizeof state);
    state.contact = i;
    state.row = model->bilateral_blocks + i;
    state.frame = contacts->frame + 9 * (size_t)i;
    const nb_real *frame = state.frame, *between = state.between, *relative = state.relative;
    if (nb_contact_is_deformable(contacts, i, 0) || nb_contact_is_deformable(contacts, i, 1))
        NB(nb_contact_clear_row)(&model->jacobian, state.row);
    for (int side = 0; side < 2; ++side)
        if (nb_contact_is_deformable(contacts, i, side))
            NB(nb_contact_add_deformable_side)(model, &state, side, u);
        else
            NB(nb_contact_add_rigid_side)(model, &state, side, u);
    nb_real *out = model->violation + 3 * (size_t)state.row;
    out[0] = (frame[0] * between[0] + frame[1] * between[1] + frame[2] * between[2] -
              contacts->thickness[i]) / model->time_step;
    for (int k = 1; k < 3; ++k)
        out[k] = frame[3 * k] * relative[0] + frame[3 * k + 1] * relative[1] +
                 frame[3 * k + 2] * relative[2];
}

#endif

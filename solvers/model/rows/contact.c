/* Contacts between points of rigid bodies, deformable surfaces and the world:
 *
 *     C_n = n . (a - b) - d,   a = x_A + r_A,   r_A = R_A p_A - rho_a n,
 *     D^T u = (t1, t2)^T (v_a - v_b),   v_a = v_A + omega_A x r_A,   r_B = R_B p_B + rho_b n,
 *
 * at q+ = q- (+) h u; n, t1, t2 fixed over the step (Macklin et al. 2019, equations 9, 44). A point of
 * a deformable surface is a = sum_k w_k x_k - rho_a n, v_a = sum_k w_k v_k.
 *
 * Most of a Newton iteration's evaluation is that of contacts between rigid bodies, so that these are
 * evaluated here in vectors of four lanes, the last without meaning, and the blocks of their translations
 * are written once; all others, and all on a CUDA device, by contact_rows.h. */
#include <stdlib.h>

#include "solvers/model/rows/contact_rows.h"

/* Where a body's blocks are, and that of its translation, which is constant. */
static void place_side(struct nb_model *model, int side)
{
    struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const nb_real *frame = contacts->frame + 9 * (size_t)(side / 2);
    contacts->place[side] = nb_block_at(&model->jacobian, model->bilateral_blocks + side / 2,
                                        2 * contacts->body[side]);
    for (int k = 0; k < 9; ++k)
        model->jacobian.value[9 * (size_t)contacts->place[side] + (size_t)k] =
            (nb_matrix)(side % 2 == 0 ? frame[k] : -frame[k]);
}

void NB(nb_contacts_start)(struct nb_model *model)
{
    const struct nb_contacts *given = &model->problem->contacts;
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const size_t n = (size_t)given->count;
    nb_narrow(contacts->point, given->point, 6 * n);
    if (given->radius)
        nb_narrow(contacts->radius, given->radius, 2 * n);
    if (given->particle)
        nb_narrow(contacts->weight, given->weight, 6 * n);
    nb_narrow(contacts->frame, given->frame, 9 * n);
    nb_narrow(contacts->thickness, given->thickness, n);
    for (size_t i = 0; i < n; ++i)
        model->friction[i] = (nb_real)given->friction[i];
    for (int i = 0; i < 2 * given->count; ++i)
        if (given->body[i] >= 0)
            place_side(model, i);
}

typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));
typedef nb_matrix four_stored
    __attribute__((vector_size(4 * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

static inline four load(const nb_real *value)
{
    return *(const four_loose *)(const void *)value;
}

static inline void store(nb_matrix *out, four value)
{
    *(four_stored *)(void *)out = __builtin_convertvector(value, four_stored);
}

/* (y, z, x) and (z, x, y): a x b = yzx(a) zxy(b) - zxy(a) yzx(b) */
static inline four yzx(four a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
static inline four zxy(four a) { return __builtin_shufflevector(a, a, 2, 0, 1, 3); }

/* R p; R [9] by rows */
static inline four rotate(const nb_real *rotation, const nb_real *p)
{
    const four low = load(rotation), middle = load(rotation + 4), high = load(rotation + 5);
    return __builtin_shufflevector(low, middle, 0, 3, 6, 6) * p[0] +
           __builtin_shufflevector(low, middle, 1, 4, 7, 7) * p[1] +
           __builtin_shufflevector(low, high, 2, 4, 7, 7) * p[2];
}

/* A frame, row by row, and its rows turned. */
struct frame {
    four row[3], yzx[3], zxy[3];
};

/* Rows sign (r x f)^T of a rotation's block. */
static inline void fill_rotation(const struct frame *frame, four arm, nb_real sign, nb_matrix *out)
{
    const four first = sign * yzx(arm), second = sign * zxy(arm);
    four row[3];
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k)
        row[k] = first * frame->zxy[k] - second * frame->yzx[k];
    store(out, row[0]);
    store(out + 3, row[1]);
    store(out + 5, __builtin_shufflevector(row[1], row[2], 2, 4, 5, 6));
}

/* One side's part of a - b and of v_a - v_b, and its block of the rotation. */
static inline void add_side(struct nb_model *model, int i, int side, const struct frame *frame,
                            const nb_real *u, four *between, four *relative)
{
    const struct nb_body_state *bodies = &model->nonlinear->bodies;
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const size_t at = 2 * (size_t)i + (size_t)side;
    const nb_real *point = contacts->point + 3 * at;
    const nb_real sign = side == 0 ? 1 : -1, out_by = -sign * contacts->radius[at];
    if (contacts->body[at] < 0) {
        *between += sign * (load(point) + out_by * frame->row[0]);
        return;
    }
    const size_t b = (size_t)contacts->body[at];
    const four arm = rotate(bodies->rotation + 9 * b, point) + out_by * frame->row[0];
    const four velocity = load(u + 6 * b), turn = load(u + 6 * b + 2); /* v_z, omega */
    *between += sign * (load(bodies->position + 3 * b) + arm);
    *relative += sign * (velocity + (__builtin_shufflevector(turn, turn, 2, 3, 1, 0) * zxy(arm) -
                                     __builtin_shufflevector(turn, turn, 3, 1, 2, 0) * yzx(arm)));
    fill_rotation(frame, arm, sign, model->jacobian.value + 9 * (size_t)contacts->place[at] + 9);
}

static void evaluate_rigid(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    struct frame frame;
    four between = {0}, relative = {0};
    for (int k = 0; k < 3; ++k) {
        frame.row[k] = load(contacts->frame + 9 * (size_t)i + 3 * k);
        frame.yzx[k] = yzx(frame.row[k]);
        frame.zxy[k] = zxy(frame.row[k]);
    }
    add_side(model, i, 0, &frame, u, &between, &relative);
    add_side(model, i, 1, &frame, u, &between, &relative);
    const four gap = frame.row[0] * between, first = frame.row[1] * relative,
               second = frame.row[2] * relative;
    nb_real *out = model->violation + 3 * (size_t)(model->bilateral_blocks + i);
    out[0] = (gap[0] + gap[1] + gap[2] - contacts->thickness[i]) / model->time_step;
    out[1] = first[0] + first[1] + first[2];
    out[2] = second[0] + second[1] + second[2];
}

void NB(nb_contacts_evaluate)(struct nb_model *model, const nb_real *u)
{
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    for (int i = 0; i < contacts->count; ++i)
        if (nb_contact_is_deformable(contacts, i, 0) || nb_contact_is_deformable(contacts, i, 1))
            NB(nb_evaluate_contact)(model, i, u);
        else
            evaluate_rigid(model, i, u);
}

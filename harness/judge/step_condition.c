/* The condition of a step at an answer (step_condition.h). The unknowns are velocities, in a local problem those of
 * rows, and the impulses p of all rows. With w of a row, its velocity U and beta = mu w r_N / |w r_T - U_T|, t the
 * direction of w r_T - U_T and P = 1 - t t^T:
 *
 *     momentum   M v - J^T p = f;                local: U - W p = 0
 *     closed     U + (C + 1e-20 w) p = a,        C the compliance of a bilateral row, or of a soft contact's
 *     slides     w (1 - beta P) p_T + beta P U_T - mu w p_N t = a_T
 *     open       w p = a
 *
 * An a is off by as much as the measure's own scale, V_N of normals and V_T of tangents, since that is what an error of
 * 1 allows; velocities that answer are over V_N, of which they are told. The matrix has s p for p, s = 1e-10, and rows
 * and columns over the roots of w and M_kk: M's share in pivots is small then, so that rows that are nearly parallel
 * are told apart by their angle, and not by its square. Each trial takes two solves by UMFPACK: first with p = 0 in all
 * rows that are not closed, which makes of random a the nearest that rows can do together; then whole. */
#include "harness/judge/step_condition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/arena.h"
#include "problems/base/random.h"

enum { TRIALS = 8 };
#define COMPLIANCE 1e-20 /* of rows, over w: dependent ones share impulses, angles down to 1e-10 are felt */
#define OF_LOCAL 1e-14   /* the same of a local form, where W has squares of angles, and rounding of their size */
#define SOFT 1e-10       /* s: M's share in a pivot, so that rows are told apart by angles, not by their squares */

enum state { OPEN,
             STICKS,
             SLIDES };

struct system {
    struct nb_judge *judge;
    int contacts, rows, first, size; /* rows: of contacts and bilaterals; first: of them, after the velocities */
    void *memory;
    enum state *state;              /* [contacts]                     */
    double *compliance;             /* [rows] of bilateral ones and of soft contacts */
    double *right, *x, *consistent; /* [size], [size], [rows]     */
    double *mass;                   /* [first] M's diagonal; 1 of a local form */
    double *row_scale, *column_scale; /* [size] that make units fall out */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct system *s = data;
    NB_ARRAY(arena, s->state, s->contacts);
    NB_ARRAY(arena, s->compliance, s->rows);
    NB_ARRAYS(arena, s->size, s->right, s->x);
    NB_ARRAY(arena, s->consistent, s->rows);
    NB_ARRAY(arena, s->mass, s->first);
    NB_ARRAYS(arena, s->size, s->row_scale, s->column_scale);
}

static bool is_local(const struct system *s)
{
    return s->judge->problem->form == NB_LINEAR_LOCAL;
}

/* A row's node: its contact's, or its own if it is a bilateral row. */
static int node_of(const struct system *s, int row)
{
    return row < 3 * s->contacts ? row / 3 : row - 2 * s->contacts;
}

/* The matrix that has a row of contacts or bilaterals, and which of its rows it is. */
static const struct nb_csr *matrix_of(const struct system *s, int row, int *own)
{
    const bool contact = row < 3 * s->contacts;
    *own = contact ? row : row - 3 * s->contacts;
    return contact ? s->judge->jacobian : s->judge->bilateral;
}

static double weight(const struct system *s, int row)
{
    const double w = s->judge->scale.inverse_mass[node_of(s, row)];
    return w > 0 ? w : 1;
}

/* w r_T - U_T of a contact. */
static double sliding_of(const struct system *s, int i, double direction[2])
{
    const double *r = s->judge->impulse + 3 * i, *u = s->judge->velocity + 3 * i, w = weight(s, 3 * i);
    for (int k = 0; k < 2; ++k)
        direction[k] = w * r[k + 1] - u[k + 1];
    return hypot(direction[0], direction[1]);
}

static void find_states(struct system *s)
{
    for (int i = 0; i < s->contacts; ++i) {
        double direction[2];
        const double w = weight(s, 3 * i), normal = w * s->judge->impulse[3 * i];
        if (!(normal > s->judge->velocity[3 * i]))
            s->state[i] = OPEN;
        else if (!nb_judge_is_limit(s->judge, i) && s->judge->friction[i] > 0 &&
                 sliding_of(s, i, direction) <= s->judge->friction[i] * normal)
            s->state[i] = STICKS;
        else
            s->state[i] = SLIDES;
    }
}

static bool is_closed(const struct system *s, int row)
{
    return row >= 3 * s->contacts || s->state[row / 3] == STICKS || (s->state[row / 3] == SLIDES && row % 3 == 0);
}

/* factor times the velocity of a row by x, in equation `at`. */
static void add_velocity(const struct system *s, struct nb_triplets *to, int at, int row, double factor)
{
    int own;
    const struct nb_csr *from = matrix_of(s, row, &own);
    if (is_local(s)) {
        nb_triplets_add(to, at, row, factor);
        return;
    }
    for (int k = from->start[own]; k < from->start[own + 1]; ++k)
        nb_triplets_add(to, at, from->column[k], factor * from->value[k]);
}

/* Tangents of a contact that slides. */
static void add_sliding(const struct system *s, struct nb_triplets *to, int i)
{
    double t[2], projector[2];
    const double w = weight(s, 3 * i), mu = s->judge->friction[i], length = sliding_of(s, i, t);
    const double beta = length > 0 ? fmin(1, mu * w * s->judge->impulse[3 * i] / length) : 0;
    const int p = s->first + 3 * i;
    for (int k = 0; k < 2; ++k)
        t[k] = length > 0 ? t[k] / length : 0;
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 2; ++j)
            projector[j] = (j == k) - t[k] * t[j];
        nb_triplets_add(to, p + 1 + k, p, -mu * w * t[k]);
        for (int j = 0; j < 2; ++j) {
            nb_triplets_add(to, p + 1 + k, p + 1 + j, w * ((j == k) - beta * projector[j]));
            if (beta * projector[j] == 0)
                continue;
            add_velocity(s, to, p + 1 + k, 3 * i + 1 + j, SOFT * beta * projector[j]);
            nb_triplets_add(to, p + 1 + k, p + 1 + j, beta * projector[j] * s->compliance[3 * i + 1 + j]);
        }
    }
}

static void add_momentum(const struct system *s, struct nb_triplets *to)
{
    const struct nb_judge *judge = s->judge;
    const struct nb_csr *block = is_local(s) ? &judge->problem->linear.delassus : judge->mass;
    for (int i = 0; i < block->rows; ++i) {
        if (is_local(s))
            nb_triplets_add(to, i, i, SOFT);
        for (int k = block->start[i]; k < block->start[i + 1]; ++k)
            nb_triplets_add(to, i, is_local(s) ? s->first + block->column[k] : block->column[k],
                            (is_local(s) ? -1 : SOFT) * block->value[k]);
    }
    for (int row = 0; row < s->rows && !is_local(s); ++row) {
        int own;
        const struct nb_csr *from = matrix_of(s, row, &own);
        for (int k = from->start[own]; k < from->start[own + 1]; ++k)
            nb_triplets_add(to, from->column[k], s->first + row, -from->value[k]);
    }
}

/* The matrix, with the law of friction or, whole == 0, without impulses of rows that are not closed. */
static enum nb_status build(const struct system *s, bool whole, struct nb_csr *matrix, struct nb_error *error)
{
    struct nb_triplets entries = {0};
    add_momentum(s, &entries);
    for (int row = 0; row < s->rows; ++row) {
        const double w = weight(s, row), compliance = (is_local(s) ? OF_LOCAL : COMPLIANCE) * w;
        const bool slides = row < 3 * s->contacts && s->state[row / 3] == SLIDES && row % 3 != 0;
        if (is_closed(s, row)) {
            add_velocity(s, &entries, s->first + row, row, 1);
            nb_triplets_add(&entries, s->first + row, s->first + row, (s->compliance[row] + compliance) / SOFT);
        } else if (!(whole && slides))
            nb_triplets_add(&entries, s->first + row, s->first + row, w);
        else if (row % 3 == 1)
            add_sliding(s, &entries, row / 3);
    }
    return nb_csr_take_triplets(matrix, s->size, s->size, &entries, error);
}

static void scale_matrix(const struct system *s, struct nb_csr *matrix)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            matrix->value[k] *= s->row_scale[i] * s->column_scale[matrix->column[k]];
}

/* Compressed rows are the transposed matrix's columns. NULL: singular, or no memory. */
static void *factorise(const struct nb_csr *matrix)
{
    void *symbolic = NULL, *numeric = NULL;
    const int n = matrix->rows;
    if (umfpack_di_symbolic(n, n, matrix->start, matrix->column, matrix->value, &symbolic, NULL, NULL) == UMFPACK_OK &&
        umfpack_di_numeric(matrix->start, matrix->column, matrix->value, symbolic, &numeric, NULL, NULL) != UMFPACK_OK)
        umfpack_di_free_numeric(&numeric);
    umfpack_di_free_symbolic(&symbolic);
    return numeric;
}

/* x of right, which is scaled in place. */
static bool solve(const struct system *s, const struct nb_csr *matrix, void *numeric)
{
    for (int i = 0; i < s->size; ++i)
        s->right[i] *= s->row_scale[i];
    const int status = umfpack_di_solve(UMFPACK_At, matrix->start, matrix->column, matrix->value, s->x, s->right,
                                        numeric, NULL, NULL);
    for (int i = 0; i < s->size; ++i)
        s->x[i] *= s->column_scale[i];
    return status == UMFPACK_OK;
}

/* The velocity of a row by x. */
static double velocity_of(const struct system *s, int row)
{
    int own;
    const struct nb_csr *from = matrix_of(s, row, &own);
    double sum = 0;
    if (is_local(s))
        return s->x[row];
    for (int k = from->start[own]; k < from->start[own + 1]; ++k)
        sum += from->value[k] * s->x[from->column[k]];
    return sum;
}

/* What velocity k of the dofs is relative to; infinite where its island has nothing to do. */
static double body_scale(const struct system *s, int k)
{
    const struct nb_step_scale *scale = &s->judge->scale;
    const double energy = scale->energy[scale->island[s->judge->contacts + s->judge->bilaterals + k]];
    return energy > 0 && s->mass[k] > 0 ? sqrt(energy / s->mass[k]) : INFINITY;
}

static double largest_answer(const struct system *s)
{
    double largest = 0;
    for (int row = 0; row < s->rows; ++row) {
        const double v = s->judge->scale.velocity[node_of(s, row)];
        if (v > 0 && row < 3 * s->contacts)
            largest = nb_worst(largest, fabs(velocity_of(s, row)) / v);
    }
    for (int k = 0; k < s->first && !is_local(s); ++k)
        largest = nb_worst(largest, fabs(s->x[k]) / body_scale(s, k));
    return largest;
}

/* Numbers of either sign and of a size in [1/2, 1], two of which never cancel. */
static double random_sign(uint64_t *chance)
{
    const double x = nb_random_signed(chance);
    return (x + copysign(1, x)) / 2;
}

/* By how much a step of error 1 may be off in a row: the measure's own scales, V_T of tangents. */
static double scale_of(const struct system *s, int row)
{
    const int contact_rows = 3 * s->contacts;
    return row < contact_rows ? nb_step_scale_of(s->judge, row / 3, row % 3)
                              : s->judge->scale.velocity[node_of(s, row)];
}

/* One trial's answer to momenta that are off, and with `rows` to rows, too; NaN where a solve failed. */
static double answer(struct system *s, const struct nb_csr matrix[2], void *const numeric[2], bool rows,
                     uint64_t *chance)
{
    memset(s->right, 0, (size_t)s->size * sizeof *s->right);
    for (int row = 0; row < s->rows; ++row) {
        const double off = rows ? random_sign(chance) * scale_of(s, row) : 0;
        s->consistent[row] = off; /* of rows that are not closed as it is */
        if (is_closed(s, row))
            s->right[s->first + row] = off;
    }
    if (!rows)
        memset(s->x, 0, (size_t)s->size * sizeof *s->x);
    else if (!solve(s, &matrix[0], numeric[0]))
        return NAN;
    for (int row = 0; row < s->rows; ++row)
        s->right[s->first + row] =
            is_closed(s, row) ? velocity_of(s, row) + s->compliance[row] / SOFT * s->x[s->first + row]
                              : SOFT * s->consistent[row];
    for (int k = 0; k < s->first && !is_local(s); ++k)
        if (isfinite(body_scale(s, k)))
            s->right[k] = SOFT * random_sign(chance) * body_scale(s, k) * s->mass[k];
    return solve(s, &matrix[1], numeric[1]) ? largest_answer(s) : NAN;
}

static enum nb_status estimate(struct system *s, struct nb_step_condition *condition, struct nb_error *error)
{
    struct nb_csr matrix[2] = {{0}, {0}};
    void *numeric[2] = {NULL, NULL};
    uint64_t chance = 1;
    enum nb_status status = NB_OK;
    for (int k = 0; k < 2 && !status; ++k)
        if (!(status = build(s, k, &matrix[k], error))) {
            scale_matrix(s, &matrix[k]);
            numeric[k] = factorise(&matrix[k]);
        }
    if (!status && numeric[0] && numeric[1]) {
        *condition = (struct nb_step_condition){0, 0};
        for (int trial = 0; trial < TRIALS; ++trial)
            condition->all = nb_worst(condition->all, answer(s, matrix, numeric, true, &chance));
        for (int trial = 0; trial < TRIALS; ++trial)
            condition->momentum = nb_worst(condition->momentum, answer(s, matrix, numeric, false, &chance));
        if (is_local(s)) /* whose momenta are velocities of rows */
            condition->momentum = condition->all;
    }
    for (int k = 0; k < 2; ++k) {
        umfpack_di_free_numeric(&numeric[k]);
        nb_csr_free(&matrix[k]);
    }
    return status;
}

/* By the roots of M_kk and of w: what is left is J as its rows' angles are, and SOFT has no unit. */
static void find_row_scales(struct system *s)
{
    for (int k = 0; k < s->first; ++k) {
        const double own = is_local(s) ? 1 / sqrt(weight(s, k)) : 1 / sqrt(s->mass[k]);
        s->row_scale[k] = own;
        s->column_scale[k] = is_local(s) ? 1 / own : own;
    }
    for (int row = 0; row < s->rows; ++row)
        s->row_scale[s->first + row] = s->column_scale[s->first + row] = 1 / sqrt(weight(s, row));
}

double nb_velocity_uncertainty(const struct nb_step_condition *condition, const struct nb_metrics *errors)
{
    const double rows[] = {errors->step_penetration, errors->step_complementarity, errors->step_cone,
                           errors->step_sliding, errors->step_bilateral};
    double largest = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        largest = nb_worst(largest, rows[k]);
    return condition->all * largest + condition->momentum * errors->step_momentum;
}

enum nb_status nb_step_condition(struct nb_judge *judge, const double *u, const double *lambda,
                                 struct nb_step_condition *condition, struct nb_error *error)
{
    struct system s = {.judge = judge, .contacts = judge->contacts, .rows = 3 * judge->contacts + judge->bilaterals};
    s.first = is_local(&s) ? s.rows : judge->dofs;
    s.size = s.first + s.rows;
    *condition = (struct nb_step_condition){NAN, NAN};
    if (s.size > NB_STEP_CONDITION_SIZE || s.rows == 0)
        return NB_OK;
    s.memory = nb_arena_allocate(lay_out, &s);
    if (!s.memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the condition of %d rows", s.size);
    nb_judge_update(judge, u, lambda);
    find_states(&s);
    for (int k = 0; k < s.first; ++k)
        s.mass[k] = is_local(&s) ? 1 : nb_csr_diagonal(judge->mass, k);
    for (int i = 0; i < 3 * judge->contacts && judge->contact_compliance; ++i)
        s.compliance[i] = judge->contact_compliance[i];
    if (judge->bilateral_compliance)
        nb_judge_add_compliance(judge, s.compliance + 3 * judge->contacts);
    find_row_scales(&s);
    const enum nb_status status = estimate(&s, condition, error);
    free(s.memory);
    return status;
}

/* Linear steps with a state that are written down in another way: contacts in pieces of others, turned, and the global
 * form condensed to the local one, W = H^T M^-1 H. */
#ifndef NB_TESTS_REMADE_STEPS_H
#define NB_TESTS_REMADE_STEPS_H

#include "harness/judge/metrics_private.h"
#include "tests/support/method_support.h"
#include "tests/support/numbers.h"

/* One contact of the new step: contact `from` of the old, tangents turned by the angle, with a share of its impulse. */
struct piece {
    int from;
    double angle, share;
};

struct state {
    struct nb_problem problem;
    double *u, *lambda;
    int *origin; /* [contacts] of each in the step that it was made from; NULL: the same */
};

static inline void free_state(struct state *state)
{
    nb_problem_free(&state->problem);
    free(state->u);
    free(state->lambda);
    free(state->origin);
}

/* The rows of a turned contact by those of the old one: turned = turn . old. */
static inline void turning(double angle, double turn[3][3])
{
    const double c = cos(angle), s = sin(angle);
    const double matrix[3][3] = {{1, 0, 0}, {0, c, s}, {0, -s, c}};
    memcpy(turn, matrix, sizeof matrix);
}

static inline void turn_vector(const struct piece *piece, int count, const double *old, double *turned)
{
    for (int i = 0; i < count; ++i) {
        double turn[3][3];
        turning(piece[i].angle, turn);
        for (int k = 0; k < 3; ++k) {
            const double *v = old + 3 * piece[i].from;
            turned[3 * i + k] = turn[k][0] * v[0] + turn[k][1] * v[1] + turn[k][2] * v[2];
        }
    }
}

static inline void add_row(struct nb_triplets *triplets, const struct nb_csr *matrix, int row, double factor, int to)
{
    for (int k = matrix->start[row]; factor != 0 && k < matrix->start[row + 1]; ++k)
        assert_true(nb_triplets_add(triplets, to, matrix->column[k], factor * matrix->value[k]));
}

static inline void take(struct nb_triplets *triplets, int rows, int columns, struct nb_csr *matrix)
{
    assert_int_equal(nb_csr_from_triplets(matrix, rows, columns, triplets->count, triplets->row, triplets->column,
                                          triplets->value, NULL),
                     NB_OK);
    nb_triplets_free(triplets);
}

/* The contacts' rows of the new step; those that follow them stay. */
static inline void turn_rows(const struct nb_csr *old, int contacts, const struct piece *piece, int count,
                             struct nb_csr *turned)
{
    struct nb_triplets triplets = {0};
    const int others = old->rows - 3 * contacts;
    for (int i = 0; i < count; ++i) {
        double turn[3][3];
        turning(piece[i].angle, turn);
        for (int row = 0; row < 3; ++row)
            for (int k = 0; k < 3; ++k)
                add_row(&triplets, old, 3 * piece[i].from + k, turn[row][k], 3 * i + row);
    }
    for (int i = 0; i < others; ++i)
        add_row(&triplets, old, 3 * contacts + i, 1, 3 * count + i);
    take(&triplets, 3 * count + others, old->columns, turned);
}

static inline void transpose(const struct nb_csr *matrix, struct nb_csr *transposed)
{
    struct nb_triplets triplets = {0};
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            assert_true(nb_triplets_add(&triplets, matrix->column[k], row, matrix->value[k]));
    take(&triplets, matrix->columns, matrix->rows, transposed);
}

/* T W T^T, of a local problem. */
static inline void turn_both(const struct nb_csr *old, int contacts, const struct piece *piece, int count,
                             struct nb_csr *turned)
{
    OWNS(nb_csr_free)
    struct nb_csr left, across, both;
    turn_rows(old, contacts, piece, count, &left);
    transpose(&left, &across);
    turn_rows(&across, contacts, piece, count, &both);
    transpose(&both, turned);
}

static inline void remake_vectors(const struct state *old, const struct piece *piece, int count, struct state *state)
{
    const struct nb_linear_step *from = &old->problem.linear;
    struct nb_linear_step *to = &state->problem.linear;
    const int tail = from->bilaterals;
    free(to->contact_velocity);
    free(to->friction);
    to->contact_velocity = zeros(3 * count);
    to->friction = zeros(count);
    turn_vector(piece, count, from->contact_velocity, to->contact_velocity);
    state->lambda = zeros(tail + 3 * count);
    memcpy(state->lambda, old->lambda, (size_t)tail * sizeof(double));
    turn_vector(piece, count, old->lambda + tail, state->lambda + tail);
    for (int i = 0; i < count; ++i) {
        to->friction[i] = from->friction[piece[i].from];
        for (int k = 0; k < 3; ++k)
            state->lambda[tail + 3 * i + k] *= piece[i].share;
    }
    state->u = zeros(from->dofs + 3 * count + tail);
    if (old->problem.form == NB_LINEAR_LOCAL) {
        turn_vector(piece, count, old->u, state->u);
        memcpy(state->u + 3 * count, old->u + 3 * from->contacts, (size_t)tail * sizeof(double));
    } else {
        memcpy(state->u, old->u, (size_t)from->dofs * sizeof(double));
    }
}

static inline void remake(const struct state *old, const struct piece *piece, int count, struct state *state)
{
    const struct nb_linear_step *from = &old->problem.linear;
    assert_int_equal(nb_problem_copy(&old->problem, &state->problem, NULL), NB_OK);
    struct nb_linear_step *to = &state->problem.linear;
    struct nb_csr *matrix = old->problem.form == NB_LINEAR_LOCAL ? &to->delassus : &to->contact_jacobian;
    nb_csr_free(matrix);
    if (old->problem.form == NB_LINEAR_LOCAL)
        turn_both(&from->delassus, from->contacts, piece, count, matrix);
    else
        turn_rows(&from->contact_jacobian, from->contacts, piece, count, matrix);
    to->contacts = count;
    remake_vectors(old, piece, count, state);
    state->origin = calloc((size_t)count + 1, sizeof *state->origin);
    for (int i = 0; i < count; ++i)
        state->origin[i] = piece[i].from;
}

/* ---- the local form ---- */

/* M by its symmetric part, by which alone a step of the global form has an effective mass. */
static inline void symmetrise(struct nb_csr *mass)
{
    struct nb_triplets triplets = {0};
    for (int row = 0; row < mass->rows; ++row)
        for (int k = mass->start[row]; k < mass->start[row + 1]; ++k) {
            const int column = mass->column[k];
            const double half = 0.5 * mass->value[k];
            assert_true(nb_triplets_add(&triplets, row, column, half));
            assert_true(nb_triplets_add(&triplets, column, row, half));
        }
    const int dofs = mass->rows;
    nb_csr_free(mass);
    take(&triplets, dofs, dofs, mass);
}

/* u = M^-1 (f + H r + G l). */
static inline void balance(struct state *state, struct nb_mass_factor *factor)
{
    const struct nb_linear_step *step = &state->problem.linear;
    const double h = state->problem.time_step;
    OWNS(free_at)
    double *impulse = zeros(step->bilaterals + 3 * step->contacts),
           *total = zeros(step->dofs);
    for (int i = 0; i < step->bilaterals + 3 * step->contacts; ++i)
        impulse[i] = h * state->lambda[i];
    memcpy(total, step->force, (size_t)step->dofs * sizeof *total);
    nb_csr_multiply_transposed(&step->bilateral_jacobian, impulse, total, 1);
    nb_csr_multiply_transposed(&step->contact_jacobian, impulse + step->bilaterals, total, 1);
    assert_int_equal(nb_mass_factor_solve(factor, total, state->u), NB_OK);
}

/* The rows' velocities by u, and the two constants: [3 contacts + bilaterals]. */
static inline void multiply_rows(const struct nb_linear_step *step, const double *u, double *velocity)
{
    nb_csr_multiply(&step->contact_jacobian, u, velocity, 0);
    nb_csr_multiply(&step->bilateral_jacobian, u, velocity + 3 * step->contacts, 0);
}

static inline void add_constants(const struct nb_linear_step *step, double *velocity)
{
    for (int i = 0; i < 3 * step->contacts; ++i)
        velocity[i] += step->contact_velocity[i];
    for (int i = 0; i < step->bilaterals; ++i)
        velocity[3 * step->contacts + i] += step->bilateral_velocity[i];
}

/* W, column by column. */
static inline void form_delassus(const struct nb_linear_step *step, struct nb_mass_factor *factor,
                                 struct nb_csr *delassus)
{
    const int contact_rows = 3 * step->contacts, rows = contact_rows + step->bilaterals;
    struct nb_triplets triplets = {0};
    OWNS(free_at)
    double *force = zeros(step->dofs),
           *u = zeros(step->dofs), *velocity = zeros(rows);
    for (int row = 0; row < rows; ++row) {
        const bool contact = row < contact_rows;
        const struct nb_csr *jacobian = contact ? &step->contact_jacobian : &step->bilateral_jacobian;
        const int at = contact ? row : row - contact_rows;
        memset(force, 0, (size_t)step->dofs * sizeof *force);
        for (int k = jacobian->start[at]; k < jacobian->start[at + 1]; ++k)
            force[jacobian->column[k]] += jacobian->value[k];
        assert_int_equal(nb_mass_factor_solve(factor, force, u), NB_OK);
        multiply_rows(step, u, velocity);
        for (int i = 0; i < rows; ++i)
            if (velocity[i] != 0)
                assert_true(nb_triplets_add(&triplets, i, row, velocity[i]));
    }
    take(&triplets, rows, rows, delassus);
}

static inline void condense(const struct state *global, struct nb_mass_factor *factor, struct state *local)
{
    const struct nb_linear_step *from = &global->problem.linear;
    struct nb_linear_step *to = &local->problem.linear;
    const int rows = 3 * from->contacts + from->bilaterals;
    OWNS(free_at)
    double *free_motion = zeros(from->dofs),
           *constant = zeros(rows);
    test_linear_step(&local->problem, NB_LINEAR_LOCAL, global->problem.name, 0, from->contacts, from->bilaterals);
    local->problem.time_step = global->problem.time_step;
    form_delassus(from, factor, &to->delassus);
    memcpy(to->friction, from->friction, (size_t)from->contacts * sizeof(double));
    assert_int_equal(nb_mass_factor_solve(factor, from->force, free_motion), NB_OK);
    multiply_rows(from, free_motion, constant);
    add_constants(from, constant);
    memcpy(to->contact_velocity, constant, 3 * (size_t)from->contacts * sizeof(double));
    memcpy(to->bilateral_velocity, constant + 3 * from->contacts, (size_t)from->bilaterals * sizeof(double));
    local->u = zeros(rows);
    multiply_rows(from, global->u, local->u);
    add_constants(from, local->u);
    local->lambda = zeros(rows);
    memcpy(local->lambda, global->lambda, (size_t)rows * sizeof(double));
}

#endif

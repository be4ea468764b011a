/* The changes of test_invariances.c: the same step and state, written down in other units, in another place, order or
 * frame, with rows scaled, or with something beside it that changes nothing. */
#ifndef NB_TESTS_CHANGED_STEPS_H
#define NB_TESTS_CHANGED_STEPS_H

#include <float.h>

#include "problems/units.h"
#include "tests/harness/judge/remade_steps.h"

enum { NONLINEAR = 1,
       GLOBAL = 2,
       LOCAL = 4,
       LINEAR = GLOBAL | LOCAL,
       ALL = NONLINEAR | LINEAR,
       GLOBAL_AT_WORK = 8 /* is_at_work */ };

struct change {
    const char *name;
    void (*make)(const struct change *change, const struct state *old, struct state *state);
    int forms;
    double mass, length, time; /* of units */
};

static double *copy_of(const double *x, int count)
{
    return memcpy(zeros(count), x, (size_t)count * sizeof *x);
}

static void copy_state(const struct state *old, struct state *state)
{
    assert_ok(nb_problem_copy(&old->problem, &state->problem, &why));
    state->u = copy_of(old->u, nb_problem_dofs(&old->problem));
    state->lambda = copy_of(old->lambda, nb_problem_multipliers(&old->problem));
}

/* ---- units, place and time ---- */

static void in_units(const struct change *change, const struct state *old, struct state *state)
{
    const struct nb_units units = {change->mass, change->length, change->time};
    copy_state(old, state);
    assert_true(nb_problem_change_units(&state->problem, units.mass, units.length, units.time));
    nb_solution_change_units(&old->problem, &units, state->u, state->lambda);
}

static void move_world_points(int count, const int *body, const int *particle, double *point, const double *by)
{
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3 && body[i] < 0 && !(particle && particle[3 * i] >= 0); ++k)
            point[3 * i + k] += by[k];
}

static void translate(const struct change *change, const struct state *old, struct state *state)
{
    static const double by[3] = {0.25, -0.375, 0.1875};
    struct nb_problem *p = &state->problem;
    (void)change;
    copy_state(old, state);
    for (int i = 0; i < 3 * p->bodies.count; ++i)
        p->bodies.position[i] += by[i % 3];
    for (int i = 0; i < 3 * p->particles.count; ++i)
        p->particles.position[i] += by[i % 3];
    move_world_points(2 * p->contacts.count, p->contacts.body, p->contacts.particle, p->contacts.point, by);
    move_world_points(2 * p->joints.count, p->joints.body, NULL, p->joints.point, by);
    move_world_points(p->attachments.count, p->attachments.body, NULL, p->attachments.point, by);
}

/* The impulses stay, and forces are theirs over another h. */
static void in_another_time_step(const struct change *change, const struct state *old, struct state *state)
{
    (void)change;
    copy_state(old, state);
    state->problem.time_step *= 8;
    for (int i = 0; i < nb_problem_multipliers(&state->problem); ++i)
        state->lambda[i] /= 8;
}

/* ---- contacts ---- */

static void shuffle(struct piece *piece, int count)
{
    for (int i = count - 1; i > 0; --i) {
        const int j = (int)((uniform() + 1) / 2 * (i + 1));
        const struct piece other = piece[i];
        piece[i] = piece[j];
        piece[j] = other;
    }
}

/* angle: up to that; times: each contact, with shares of its impulse. */
static void in_pieces(const struct state *old, double angle, int times, bool shuffled, struct state *state)
{
    const int count = old->problem.linear.contacts;
    OWNS(free_at)
    struct piece *piece = calloc(2 * (size_t)count + 1, sizeof *piece);
    for (int i = 0; i < count; ++i) {
        piece[i] = (struct piece){i, angle * uniform(), times == 1 ? 1 : 0.5 + 0.4 * uniform()};
        piece[count + i] = (struct piece){i, angle * uniform(), 1 - piece[i].share};
    }
    if (shuffled)
        shuffle(piece, times * count);
    remake(old, piece, times * count, state);
}

static void turn_tangents(const struct change *change, const struct state *old, struct state *state)
{
    (void)change;
    in_pieces(old, 3, 1, false, state);
}

static void reorder_contacts(const struct change *change, const struct state *old, struct state *state)
{
    (void)change;
    in_pieces(old, 0, 1, true, state);
}

/* As two pieces of a shape give them: each with tangents of its own, rounded by itself. */
static void give_contacts_twice_turned(const struct change *change, const struct state *old, struct state *state)
{
    struct nb_csr *rows = &state->problem.linear.contact_jacobian;
    (void)change;
    in_pieces(old, 3, 2, true, state);
    for (int k = 0; rows->start && k < rows->start[rows->rows]; ++k)
        rows->value[k] *= 1 + DBL_EPSILON * uniform();
}

static void give_contacts_twice(const struct change *change, const struct state *old, struct state *state)
{
    (void)change;
    in_pieces(old, 0, 2, true, state);
}

/* ---- velocities ---- */

/* Velocity j becomes the sum of weight[3 j + k] times velocity to[3 j + k]. */
struct map {
    int *to;
    double *weight;
};

static void map_matrix(const struct nb_csr *old, const struct map *map, bool rows, struct nb_csr *matrix)
{
    struct nb_triplets triplets = {0};
    for (int row = 0; row < old->rows; ++row)
        for (int k = old->start[row]; k < old->start[row + 1]; ++k)
            for (int a = 0; a < (rows ? 3 : 1); ++a)
                for (int b = 0; b < 3; ++b) {
                    const int column = 3 * old->column[k] + b, own = 3 * row + a;
                    const double weight = map->weight[column] * (rows ? map->weight[own] : 1);
                    if (weight != 0)
                        assert_true(nb_triplets_add(&triplets, rows ? map->to[own] : row, map->to[column],
                                                    weight * old->value[k]));
                }
    take(&triplets, old->rows, old->columns, matrix);
}

static double *map_vector(const double *old, const struct map *map, int dofs)
{
    double *x = zeros(dofs);
    for (int j = 0; j < 3 * dofs; ++j)
        x[map->to[j]] += map->weight[j] * old[j / 3];
    return x;
}

static void map_velocities(const struct state *old, const struct map *map, struct state *state)
{
    const struct nb_linear_step *from = &old->problem.linear;
    struct nb_linear_step *to = &state->problem.linear;
    copy_state(old, state);
    nb_csr_free(&to->mass);
    nb_csr_free(&to->contact_jacobian);
    nb_csr_free(&to->bilateral_jacobian);
    map_matrix(&from->mass, map, true, &to->mass);
    map_matrix(&from->contact_jacobian, map, false, &to->contact_jacobian);
    map_matrix(&from->bilateral_jacobian, map, false, &to->bilateral_jacobian);
    free(to->force);
    free(state->u);
    to->force = map_vector(from->force, map, from->dofs);
    state->u = map_vector(old->u, map, from->dofs);
}

static void reorder_velocities(const struct change *change, const struct state *old, struct state *state)
{
    const int dofs = old->problem.linear.dofs;
    OWNS(free_at)
    int *to = calloc(3 * (size_t)dofs + 1, sizeof *to);
    OWNS(free_at)
    double *weight = zeros(3 * dofs);
    (void)change;
    for (int j = 0; j < dofs; ++j) {
        to[3 * j] = to[3 * j + 1] = to[3 * j + 2] = j;
        weight[3 * j] = 1;
    }
    for (int j = dofs - 1; j > 0; --j) {
        const int k = (int)((uniform() + 1) / 2 * (j + 1)), other = to[3 * j];
        to[3 * j] = to[3 * k];
        to[3 * k] = other;
    }
    map_velocities(old, &(struct map){to, weight}, state);
}

/* Velocities are vectors of three numbers, of bodies two of them and of particles one. */
static void turn_world(const struct state *old, const double turn[3][3], struct state *state)
{
    const int dofs = old->problem.linear.dofs;
    OWNS(free_at)
    int *to = calloc(3 * (size_t)dofs + 1, sizeof *to);
    OWNS(free_at)
    double *weight = zeros(3 * dofs);
    for (int j = 0; j < dofs; ++j)
        for (int k = 0; k < 3; ++k) {
            const bool whole = j / 3 < dofs / 3;
            to[3 * j + k] = whole ? 3 * (j / 3) + k : j;
            weight[3 * j + k] = whole ? turn[k][j % 3] : k == 0;
        }
    map_velocities(old, &(struct map){to, weight}, state);
}

static void turn_to_axes(const struct change *change, const struct state *old, struct state *state)
{
    static const double turn[3][3] = {{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}};
    (void)change;
    turn_world(old, turn, state);
}

static void turn_askew(const struct change *change, const struct state *old, struct state *state)
{
    const double third = 1 / 3.0, turn[3][3] = {{2 * third, -third, 2 * third},
                                                {2 * third, 2 * third, -third},
                                                {-third, 2 * third, 2 * third}};
    (void)change;
    turn_world(old, turn, state);
}

/* ---- bilateral rows, islands, entries ---- */

static void scale_rows(struct nb_csr *matrix, int first, const double *factor)
{
    for (int row = first; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            matrix->value[k] *= factor[row - first];
}

static void scale_bilaterals(const struct change *change, const struct state *old, struct state *state)
{
    const int rows = old->problem.linear.bilaterals, first = 3 * old->problem.linear.contacts;
    OWNS(free_at)
    double *factor = zeros(rows);
    struct nb_linear_step *step = &state->problem.linear;
    struct nb_csr *delassus = &step->delassus;
    const bool local = old->problem.form == NB_LINEAR_LOCAL;
    (void)change;
    copy_state(old, state);
    for (int i = 0; i < rows; ++i) {
        factor[i] = ldexp(uniform() < 0 ? -1 : 1, (int)(10 * uniform()));
        step->bilateral_velocity[i] *= factor[i];
        state->lambda[i] /= factor[i];
        if (local)
            state->u[first + i] *= factor[i];
    }
    scale_rows(local ? delassus : &step->bilateral_jacobian, local ? first : 0, factor);
    for (int k = 0; local && k < delassus->start[delassus->rows]; ++k)
        if (delassus->column[k] >= first)
            delassus->value[k] *= factor[delassus->column[k] - first];
}

/* Rows and columns move up by `by` from where it says; more entries may follow. */
static void spread(const struct nb_csr *old, int row_at, int column_at, int by, struct nb_triplets *triplets)
{
    for (int row = 0; row < old->rows; ++row)
        for (int k = old->start[row]; k < old->start[row + 1]; ++k)
            assert_true(nb_triplets_add(triplets, row + (row >= row_at) * by,
                                        old->column[k] + (old->column[k] >= column_at) * by, old->value[k]));
}

static double *longer(double *x, int count, int by)
{
    double *grown = zeros(count + by);
    memcpy(grown, x, (size_t)count * sizeof *x);
    free(x);
    return grown;
}

/* A particle of 2 kg that leaves its contact at 1 m/s, the last one. */
static void add_open_island(const struct change *change, const struct state *old, struct state *state)
{
    const struct nb_linear_step *from = &old->problem.linear;
    struct nb_linear_step *to = &state->problem.linear;
    const int n = from->dofs, c = 3 * from->contacts, p = from->bilaterals;
    const bool local = old->problem.form == NB_LINEAR_LOCAL;
    struct nb_triplets entries[3] = {{0}, {0}, {0}};
    (void)change;
    copy_state(old, state);
    if (local)
        spread(&from->delassus, c, c, 3, &entries[0]);
    for (int m = 0; m < 2 && !local; ++m)
        spread(m ? &from->contact_jacobian : &from->mass, c + n, n, 3, &entries[m]);
    for (int k = 0; k < 3; ++k) {
        assert_true(nb_triplets_add(&entries[0], (local ? c : n) + k, (local ? c : n) + k, local ? 0.5 : 2));
        assert_true(local || nb_triplets_add(&entries[1], c + k, n + k, 1));
    }
    nb_csr_free(local ? &to->delassus : &to->mass);
    take(&entries[0], local ? c + p + 3 : n + 3, local ? c + p + 3 : n + 3, local ? &to->delassus : &to->mass);
    if (!local) {
        nb_csr_free(&to->contact_jacobian);
        take(&entries[1], c + 3, n + 3, &to->contact_jacobian);
        to->bilateral_jacobian.columns += 3;
        to->force = longer(to->force, n, 3);
        to->dofs += 3;
        state->u = longer(state->u, n, 3);
    } else {
        state->u = longer(state->u, c + p, 3);
        memmove(state->u + c + 3, state->u + c, (size_t)p * sizeof(double));
        memcpy(state->u + c, (double[]){1, 0, 0}, 3 * sizeof(double));
    }
    to->contact_velocity = longer(to->contact_velocity, c, 3);
    to->contact_velocity[c] = 1;
    to->friction = longer(to->friction, from->contacts, 1);
    to->friction[from->contacts] = 0.5;
    state->lambda = longer(state->lambda, c + p, 3);
    ++to->contacts;
}

static void store_zeros_in(struct nb_csr *matrix)
{
    struct nb_csr full;
    const int rows = matrix->rows, entries = matrix->start[rows];
    int at = 0;
    if (rows == 0 || matrix->columns == 0)
        return;
    assert_ok(nb_csr_allocate(&full, rows, matrix->columns, entries + rows, &why));
    for (int row = 0; row < rows; ++row) {
        const int zero = (int)((uniform() + 1) / 2 * matrix->columns);
        bool stored = false;
        for (int k = matrix->start[row]; k <= matrix->start[row + 1]; ++k) {
            const int column = k < matrix->start[row + 1] ? matrix->column[k] : matrix->columns;
            if (!stored && zero < column)
                full.column[at++] = zero;
            stored |= zero <= column;
            if (column < matrix->columns) {
                full.column[at] = column;
                full.value[at++] = matrix->value[k];
            }
        }
        full.start[row + 1] = at;
    }
    nb_csr_free(matrix);
    *matrix = full;
}

static void store_zeros(const struct change *change, const struct state *old, struct state *state)
{
    struct nb_linear_step *step = &state->problem.linear;
    (void)change;
    copy_state(old, state);
    struct nb_csr *const matrices[] = {&step->mass, &step->contact_jacobian, &step->bilateral_jacobian,
                                       &step->delassus};
    for (int m = 0; m < 4; ++m)
        if (matrices[m]->start)
            store_zeros_in(matrices[m]);
}

#endif

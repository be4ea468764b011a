/* H^T begins as the diagonal S; random reflections 1 - 2 x x^T/|x|^2 from either side, as many as it has rows and
 * columns, make X and Y (problems/planted.h). */
#include "problems/planted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/random.h"

/* Dense arrays, row by row. */
struct workspace {
    int rows, columns;     /* 3 N, n                                     */
    int all_rows;          /* those of opposed contacts, too             */
    double *jacobian;      /* H^T [all_rows x columns]                   */
    double *matrix;        /* M [columns square] or W [all_rows square]  */
    double *reflector, *product; /* [the larger of both]                 */
    double *velocity, *impulse;  /* U, r [all_rows]                      */
    double *v;             /* [columns]                                  */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct workspace *work = data;
    const int larger = work->all_rows > work->columns ? work->all_rows : work->columns;
    NB_ARRAY(arena, work->jacobian, work->all_rows * work->columns);
    NB_ARRAY(arena, work->matrix, larger * larger);
    NB_ARRAY(arena, work->reflector, larger);
    NB_ARRAY(arena, work->product, larger);
    NB_ARRAY(arena, work->velocity, work->all_rows);
    NB_ARRAY(arena, work->impulse, work->all_rows);
    NB_ARRAY(arena, work->v, work->columns);
}

static double draw_reflector(double *x, int count, uint64_t *state)
{
    double square = 0;
    for (int i = 0; i < count; ++i) {
        x[i] = nb_random_signed(state);
        square += x[i] * x[i];
    }
    return square > 0 ? 2 / square : 0;
}

/* J -= factor x (x^T J). */
static void reflect_rows(struct workspace *work, uint64_t *state)
{
    const double factor = draw_reflector(work->reflector, work->rows, state);
    memset(work->product, 0, (size_t)work->columns * sizeof *work->product);
    for (int i = 0; i < work->rows; ++i)
        for (int j = 0; j < work->columns; ++j)
            work->product[j] += work->reflector[i] * work->jacobian[(size_t)i * (size_t)work->columns + (size_t)j];
    for (int i = 0; i < work->rows; ++i)
        for (int j = 0; j < work->columns; ++j)
            work->jacobian[(size_t)i * (size_t)work->columns + (size_t)j] -=
                factor * work->reflector[i] * work->product[j];
}

/* J -= factor (J x) x^T. */
static void reflect_columns(struct workspace *work, uint64_t *state)
{
    const double factor = draw_reflector(work->reflector, work->columns, state);
    for (int i = 0; i < work->rows; ++i) {
        double *row = work->jacobian + (size_t)i * (size_t)work->columns, product = 0;
        for (int j = 0; j < work->columns; ++j)
            product += row[j] * work->reflector[j];
        for (int j = 0; j < work->columns; ++j)
            row[j] -= factor * product * work->reflector[j];
    }
}

static void make_jacobian(const struct nb_planted *planted, struct workspace *work, uint64_t *state)
{
    const int rank = work->rows - planted->deficiency;
    for (int i = 0; i < rank; ++i)
        work->jacobian[(size_t)i * (size_t)work->columns + (size_t)i] =
            rank > 1 ? pow(planted->condition, -0.5 * i / (rank - 1)) : 1;
    for (int i = 0; i < work->rows; ++i)
        reflect_rows(work, state);
    for (int i = 0; i < work->columns; ++i)
        reflect_columns(work, state);
    for (int i = work->rows; i < work->all_rows; ++i)
        for (int j = 0; j < work->columns; ++j)
            work->jacobian[(size_t)i * (size_t)work->columns + (size_t)j] =
                -work->jacobian[(size_t)(i - work->rows) * (size_t)work->columns + (size_t)j];
}

/* U and r of a contact, its state by chance. */
static void plant_contact(const struct nb_planted *planted, double *velocity, double *impulse, uint64_t *state)
{
    const double chance = nb_random(state), size = 0.1 + 0.9 * nb_random(state), angle = 2 * M_PI * nb_random(state);
    const double direction[2] = {cos(angle), sin(angle)}, share = nb_random(state), mu = planted->friction;
    const int open = chance < planted->open, sliding = !open && chance < planted->open + planted->sliding;
    velocity[0] = open ? size : 0;
    impulse[0] = open ? 0 : size;
    for (int k = 0; k < 2; ++k) {
        velocity[1 + k] = open || sliding ? (0.1 + 0.9 * share) * direction[k] : 0;
        impulse[1 + k] = open ? 0 : -mu * size * direction[k] * (sliding ? 1 : 0.9 * share);
    }
}

/* A matrix with all entries that are not 0. */
static enum nb_status compress(const double *dense, int rows, int columns, struct nb_csr *matrix,
                               struct nb_error *error)
{
    int entries = 0;
    for (size_t k = 0; k < (size_t)rows * (size_t)columns; ++k)
        entries += dense[k] != 0;
    const enum nb_status status = nb_csr_allocate(matrix, rows, columns, entries, error);
    for (int i = 0, at = 0; i < rows && !status; ++i) {
        for (int j = 0; j < columns; ++j) {
            const double value = dense[(size_t)i * (size_t)columns + (size_t)j];
            if (value == 0)
                continue;
            matrix->column[at] = j;
            matrix->value[at++] = value;
        }
        matrix->start[i + 1] = at;
    }
    return status;
}

/* W = J J^T, exactly symmetric. */
static void make_delassus(const struct workspace *work)
{
    const size_t rows = (size_t)work->all_rows, columns = (size_t)work->columns;
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (size_t k = 0; k < columns; ++k)
                sum += work->jacobian[i * columns + k] * work->jacobian[j * columns + k];
            work->matrix[i * rows + j] = work->matrix[j * rows + i] = sum;
        }
}

static enum nb_status fill_global(struct workspace *work, struct nb_linear_step *step, struct nb_error *error)
{
    for (int i = 0; i < work->columns; ++i)
        work->matrix[(size_t)i * (size_t)work->columns + (size_t)i] = 1;
    enum nb_status status = compress(work->matrix, work->columns, work->columns, &step->mass, error);
    if (!status)
        status = compress(work->jacobian, work->all_rows, work->columns, &step->contact_jacobian, error);
    if (!status)
        status = nb_csr_allocate(&step->bilateral_jacobian, 0, work->columns, 0, error);
    if (!status)
        status = nb_csr_allocate(&step->delassus, 0, 0, 0, error);
    if (status)
        return status;
    nb_csr_multiply_transposed(&step->contact_jacobian, work->impulse, step->force, 0);
    nb_csr_multiply(&step->contact_jacobian, work->v, step->contact_velocity, 0);
    for (int i = 0; i < work->columns; ++i)
        step->force[i] = work->v[i] - step->force[i];
    return NB_OK;
}

static enum nb_status fill_local(struct workspace *work, struct nb_linear_step *step, struct nb_error *error)
{
    struct nb_csr *const empty[] = {&step->mass, &step->contact_jacobian, &step->bilateral_jacobian};
    make_delassus(work);
    enum nb_status status = compress(work->matrix, work->all_rows, work->all_rows, &step->delassus, error);
    for (int i = 0; i < 3 && !status; ++i)
        status = nb_csr_allocate(empty[i], 0, 0, 0, error);
    if (!status)
        nb_csr_multiply(&step->delassus, work->impulse, step->contact_velocity, 0);
    return status;
}

static enum nb_status describe(const struct nb_planted *planted, struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_parameter parameters[] = {
        {"contacts", planted->contacts}, {"deficiency", planted->deficiency}, {"condition", planted->condition},
        {"friction", planted->friction}, {"open", planted->open}, {"sliding", planted->sliding},
        {"opposed", planted->opposed}, {"seed", planted->seed}};
    snprintf(problem->name, sizeof problem->name, "planted");
    snprintf(problem->source, sizeof problem->source, "%s of given rank and condition",
             planted->opposed > 0 ? "contradicting contacts" : "planted solution");
    problem->time_step = 1;
    problem->parameters = malloc(sizeof parameters);
    if (!problem->parameters)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the parameters");
    memcpy(problem->parameters, parameters, sizeof parameters);
    problem->parameter_count = sizeof parameters / sizeof *parameters;
    return NB_OK;
}

/* The step and, in work, its solution. */
static enum nb_status fill(const struct nb_planted *planted, struct workspace *work, struct nb_problem *problem,
                           struct nb_error *error)
{
    struct nb_linear_step *step = &problem->linear;
    uint64_t state = (uint64_t)planted->seed;
    make_jacobian(planted, work, &state);
    for (int c = 0; c < planted->contacts; ++c)
        plant_contact(planted, work->velocity + 3 * c, work->impulse + 3 * c, &state);
    for (int i = 0; i < work->columns; ++i)
        work->v[i] = nb_random_signed(&state);
    problem->form = planted->form;
    const int contacts = work->all_rows / 3;
    if (!nb_linear_vectors_allocate(step, planted->form == NB_LINEAR_GLOBAL ? work->columns : 0, contacts, 0))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d contacts", contacts);
    enum nb_status status = describe(planted, problem, error);
    if (!status)
        status = (planted->form == NB_LINEAR_GLOBAL ? fill_global : fill_local)(work, step, error);
    for (int i = 0; i < work->rows && !status; ++i)
        step->contact_velocity[i] = work->velocity[i] - step->contact_velocity[i];
    for (int i = work->rows; i < work->all_rows && !status; ++i)
        step->contact_velocity[i] = -step->contact_velocity[i - work->rows] - (i % 3 == 0 ? 1 : 0);
    for (int c = 0; c < contacts && !status; ++c)
        step->friction[c] = planted->friction;
    return status;
}

static double *copy(const double *from, int count)
{
    double *to = malloc(((size_t)count + 1) * sizeof *to);
    if (to)
        memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

enum nb_status nb_planted_make(const struct nb_planted *planted, struct nb_problem *problem, double **u,
                               double **lambda, struct nb_error *error)
{
    const int rows = 3 * planted->contacts, rank = rows - planted->deficiency;
    struct workspace work = {.rows = rows, .all_rows = rows + 3 * planted->opposed,
                             .columns = planted->dofs > 0 ? planted->dofs : rows};
    memset(problem, 0, sizeof *problem);
    *u = *lambda = NULL;
    if (rank < 1)
        return nb_fail(error, NB_BAD_INPUT, "a deficiency of %d leaves no rank: %d contacts have %d rows",
                       planted->deficiency, planted->contacts, rows);
    if (work.columns < rank)
        return nb_fail(error, NB_BAD_INPUT, "%d velocities are fewer than the rank, %d", work.columns, rank);
    if (planted->open + planted->sliding > 1)
        return nb_fail(error, NB_BAD_INPUT, "the shares of open and sliding contacts, %g and %g, are more than 1",
                       planted->open, planted->sliding);
    if (planted->opposed > planted->contacts)
        return nb_fail(error, NB_BAD_INPUT, "%d opposed contacts are more than the %d that they oppose",
                       planted->opposed, planted->contacts);
    void *memory = nb_arena_allocate(lay_out, &work);
    enum nb_status status = memory ? fill(planted, &work, problem, error)
                                   : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d contacts", planted->contacts);
    if (!status && planted->opposed == 0) {
        *u = planted->form == NB_LINEAR_GLOBAL ? copy(work.v, work.columns) : copy(work.velocity, rows);
        *lambda = copy(work.impulse, rows);
        if (!*u || !*lambda)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the solution");
    }
    free(memory);
    if (status) {
        nb_problem_free(problem);
        free(*u);
        free(*lambda);
        *u = *lambda = NULL;
    }
    return status;
}

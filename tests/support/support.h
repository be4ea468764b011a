/* Small problems with known structure for the tests; fixed seeds only. */
#ifndef NB_TEST_SUPPORT_H
#define NB_TEST_SUPPORT_H

#include "problems/problem.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/test.h"

/* Uniform in [-1/2, 1/2), reproducible. */
static inline double test_uniform(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* A prepared step of a scene, which is valid; settings end with NULL. */
static inline void test_scene(struct nb_problem *problem, const char *scene,
                              const char *const *settings)
{
    struct nb_error error;
    int count = 0;
    while (settings && settings[count])
        ++count;
    if (nb_scene_create(scene, count, settings, problem, &error) ||
        nb_step_prepare(problem, &error) || nb_problem_validate(problem, &error))
        fail_msg("%s: %s", scene, error.text);
}

/* y = A x, dense row-major [rows x columns]. */
static inline void test_multiply(const double *a, int rows, int columns, const double *x, double *y)
{
    for (int i = 0; i < rows; ++i) {
        y[i] = 0;
        for (int j = 0; j < columns; ++j)
            y[i] += a[i * columns + j] * x[j];
    }
}

static inline double *test_dense(const struct nb_csr *matrix)
{
    double *dense = calloc((size_t)matrix->rows * (size_t)matrix->columns + 1, sizeof *dense);
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            dense[(size_t)i * (size_t)matrix->columns + (size_t)matrix->column[k]] += matrix->value[k];
    return dense;
}

static inline double test_entry(const struct nb_csr *matrix, int row, int column)
{
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
        if (matrix->column[k] == column)
            return matrix->value[k];
    return 0;
}

/* The problem at q- (+) h u with u = speed e_dof; what is prescribed to the world's attachments stands still. */
static inline void test_moved(const struct nb_problem *problem, int dof, double speed, struct nb_problem *moved)
{
    OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(problem), sizeof *u);
    u[dof] = speed;
    assert_int_equal(nb_problem_copy(problem, moved, NULL), NB_OK);
    if (moved->attachments.count)
        memset(moved->attachments.drift, 0, 3 * (size_t)moved->attachments.count * sizeof(double));
    nb_step_advance(moved, u);
}

/* Central differences by the velocities of `rows` values of the configuration, at q-: slope [rows x dofs]. */
static inline void test_differentiate(const struct nb_problem *problem, int rows,
                                      void (*values)(const struct nb_problem *, double *), double *slope)
{
    const double speed = 1e-4;
    const int dofs = nb_problem_dofs(problem);
    OWNS(free_at) double *plus = calloc((size_t)rows, sizeof *plus), *minus = calloc((size_t)rows, sizeof *minus);
    for (int dof = 0; dof < dofs; ++dof) {
        OWNS(nb_problem_free) struct nb_problem ahead, behind;
        test_moved(problem, dof, speed, &ahead);
        test_moved(problem, dof, -speed, &behind);
        values(&ahead, plus);
        values(&behind, minus);
        for (int row = 0; row < rows; ++row)
            slope[row * dofs + dof] = (plus[row] - minus[row]) / (2 * speed * problem->time_step);
    }
}

/* The entries of a dense row-major matrix that are not 0. */
static inline void test_sparse(struct nb_csr *matrix, int rows, int columns, const double *dense)
{
    int entries = 0;
    assert_int_equal(nb_csr_allocate(matrix, rows, columns, rows * columns, NULL), NB_OK);
    for (int k = 0; k < rows * columns; ++k) {
        matrix->start[k / columns + 1] = entries + (dense[k] != 0);
        if (dense[k] == 0)
            continue;
        matrix->column[entries] = k % columns;
        matrix->value[entries++] = dense[k];
    }
}

/* A linear step of h = 1 s whose vectors are 0 and whose matrices are to come, but for one without rows. */
static inline void test_linear_step(struct nb_problem *problem, enum nb_form form, const char *name, int dofs,
                                    int contacts, int bilaterals)
{
    struct nb_linear_step *step = &problem->linear;
    memset(problem, 0, sizeof *problem);
    problem->form = form;
    problem->time_step = 1;
    strcpy(problem->name, name);
    assert_true(nb_linear_vectors_allocate(step, dofs, contacts, bilaterals));
    if (form == NB_LINEAR_GLOBAL && bilaterals == 0)
        test_sparse(&step->bilateral_jacobian, 0, dofs, NULL);
}

/* A random global linear problem: `dofs` velocities with a general mass (coupled = 1), one of parts of so many
 * dofs (coupled > 1), or 3x3 blocks (0), contacts and bilateral rows on random velocities. */
static inline void test_global(struct nb_problem *problem, int dofs, int contacts, int bilaterals,
                               int coupled, uint32_t seed)
{
    struct nb_linear_step *step = &problem->linear;
    const int room = dofs * dofs + 9 * dofs * (contacts + bilaterals + 1);
    OWNS(free_at) int *row = malloc((size_t)room * sizeof *row), *column = malloc((size_t)room * sizeof *column);
    OWNS(free_at) double *value = malloc((size_t)room * sizeof *value);
    int count = 0;
    test_linear_step(problem, NB_LINEAR_GLOBAL, "random", dofs, contacts, bilaterals);
    for (int i = 0; i < dofs; ++i)
        for (int j = 0; j <= i; ++j) {
            const int part = coupled == 0 ? 3 : coupled == 1 ? dofs : coupled;
            if (i / part != j / part)
                continue;
            const double v = i == j ? 2 + i % 7 + (coupled ? dofs * 0.3 : 0) : test_uniform(&seed);
            row[count] = i, column[count] = j, value[count++] = v;
            if (i != j)
                row[count] = j, column[count] = i, value[count++] = v;
        }
    nb_csr_from_triplets(&step->mass, dofs, dofs, count, row, column, value, NULL);
    for (int part = 0; part < 1 + (bilaterals > 0); ++part) {
        const int rows = part == 0 ? 3 * contacts : bilaterals;
        count = 0;
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < 6; ++k) {
                const int block = part == 0 ? i / 3 : i;
                row[count] = i;
                column[count] = (block * 5 + k) % dofs;
                value[count++] = test_uniform(&seed) + (k == i % 3 ? 1 : 0);
            }
        nb_csr_from_triplets(part == 0 ? &step->contact_jacobian : &step->bilateral_jacobian, rows,
                             dofs, count, row, column, value, NULL);
    }
    for (int i = 0; i < dofs; ++i)
        step->force[i] = 3 * test_uniform(&seed);
    for (int i = 0; i < 3 * contacts; ++i)
        step->contact_velocity[i] = 0.3 * test_uniform(&seed);
    for (int i = 0; i < bilaterals; ++i)
        step->bilateral_velocity[i] = 0.2 * test_uniform(&seed);
    for (int i = 0; i < contacts; ++i)
        step->friction[i] = 0.05 + 0.02 * (i % 4);
}

/* The local problem of a global one without bilateral rows: W = H^T M^-1 H, q = H^T M^-1 f + w.
 * solve: x = M^-1 x for a dense SPD matrix, from the caller's LAPACK. */
static inline void test_condense(const struct nb_problem *global, struct nb_problem *local,
                                 void (*solve)(double *matrix, int n, double *x, int columns))
{
    const struct nb_linear_step *from = &global->linear;
    const int n = from->dofs, m = 3 * from->contacts, all = m + from->bilaterals;
    struct nb_linear_step *to = &local->linear;
    OWNS(free_at) double *mass = test_dense(&from->mass), *contact = test_dense(&from->contact_jacobian);
    OWNS(free_at) double *bilateral = test_dense(&from->bilateral_jacobian);
    OWNS(free_at) double *x = calloc((size_t)n * (size_t)(all + 1), sizeof *x); /* columns: J^T, then f */
    OWNS(free_at) double *j = calloc((size_t)all * (size_t)n + 1, sizeof *j);
    memcpy(j, contact, (size_t)m * (size_t)n * sizeof *j);
    memcpy(j + m * n, bilateral, (size_t)(all - m) * (size_t)n * sizeof *j);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < all; ++k)
            x[i * (all + 1) + k] = j[k * n + i];
        x[i * (all + 1) + all] = from->force[i];
    }
    solve(mass, n, x, all + 1);
    test_linear_step(local, NB_LINEAR_LOCAL, "condensed", 0, from->contacts, from->bilaterals);
    local->time_step = global->time_step;
    nb_csr_allocate(&to->delassus, all, all, all * all, NULL);
    int entries = 0;
    memcpy(to->friction, from->friction, (size_t)from->contacts * sizeof(double));
    for (int r = 0; r < all; ++r) {
        double *out = r < m ? to->contact_velocity + r : to->bilateral_velocity + (r - m);
        *out = r < m ? from->contact_velocity[r] : from->bilateral_velocity[r - m];
        for (int c = 0; c <= all; ++c) {
            double sum = 0;
            for (int i = 0; i < n; ++i)
                sum += j[r * n + i] * x[i * (all + 1) + c];
            if (c == all) {
                *out += sum;
            } else if (sum != 0) {
                to->delassus.column[entries] = c;
                to->delassus.value[entries++] = sum;
            }
        }
        to->delassus.start[r + 1] = entries;
    }
}

#endif

/* FCLIB's own library as the second opinion: it opens what we write, and finds in foreign files
 * what we find there. libfclib exits and crashes on bad input, so it is used in tests only. */
#include "tests/support/io_files.h"
#include "tests/support/io_samples.h"
#include "tests/support/same_problem.h"

#include <fclib.h>

#include "problems/io/problem_file.h"

#define REAL_FILES "../shared/fclib/"

/* A matrix of libfclib as a dense array [m x n], row by row; repeats are added. */
static double *dense(const struct fclib_matrix *matrix)
{
    double *full = calloc((size_t)matrix->m * (size_t)matrix->n + 1, sizeof *full);
    assert_non_null(full);
    if (matrix->nz >= 0)
        for (int k = 0; k < matrix->nz; ++k)
            full[matrix->i[k] * matrix->n + matrix->p[k]] += matrix->x[k];
    else
        for (int major = 0; major < (matrix->nz == -1 ? matrix->n : matrix->m); ++major)
            for (int k = matrix->p[major]; k < matrix->p[major + 1]; ++k)
                full[matrix->nz == -1 ? matrix->i[k] * matrix->n + major
                                      : major * matrix->n + matrix->i[k]] += matrix->x[k];
    return full;
}

/* Every entry of a matrix of libfclib against the block of ours that starts at (row0, column0), or
 * against its transpose. */
static void same_matrix(const char *what, const struct fclib_matrix *theirs,
                        const struct nb_csr *ours, int row0, int column0, int transposed)
{
    OWNS(free_at) double *full = dense(theirs);
    const int rows = transposed ? theirs->n : theirs->m;
    const int columns = transposed ? theirs->m : theirs->n;
    int found = 0, stored = 0;
    for (int k = 0; k < theirs->m * theirs->n; ++k)
        stored += full[k] != 0;
    for (int i = 0; i < rows; ++i)
        for (int k = ours->start[row0 + i]; k < ours->start[row0 + i + 1]; ++k) {
            const int j = ours->column[k] - column0;
            if (j < 0 || j >= columns)
                continue;
            const double value = transposed ? full[j * theirs->n + i] : full[i * theirs->n + j];
            if (value != ours->value[k])
                fail_msg("%s: entry %d, %d is %.17g, libfclib has %.17g", what, i, j,
                         ours->value[k], value);
            found += value != 0;
        }
    assert_int_equal(found, stored);
}

static void same_values(const char *what, const double *theirs, const double *ours, int count)
{
    for (int i = 0; i < count; ++i)
        if (theirs[i] != ours[i])
            fail_msg("%s: entry %d is %.17g, libfclib has %.17g", what, i, ours[i], theirs[i]);
}

/* Theirs, or, where that is one half of a symmetric matrix, the whole. */
static void same_mass(const struct fclib_matrix *theirs, const struct nb_csr *ours)
{
    const int n = ours->rows;
    OWNS(free_at)
    double *m = dense(theirs);
    int above = 0, below = 0;
    for (int i = 0; i < n * n; ++i) {
        above |= m[i] != 0 && i % n > i / n;
        below |= m[i] != 0 && i % n < i / n;
    }
    if (above == below) {
        same_matrix("M", theirs, ours, 0, 0, 0);
        return;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            assert_true(nb_csr_entry(ours, i, j) == (m[n * i + j] != 0 ? m[n * i + j] : m[n * j + i]));
}

static void compare_global(const char *path, const struct nb_problem *linear)
{
    const struct nb_linear_step *step = &linear->linear;
    OWNS(free_at) struct fclib_global *theirs = fclib_read_global(path);
    assert_non_null(theirs);
    assert_int_equal(theirs->spacedim, 3);
    assert_int_equal(theirs->M->m, step->dofs);
    assert_int_equal(theirs->M->n, step->dofs);
    assert_int_equal(theirs->H->m, step->dofs);
    assert_int_equal(theirs->H->n, 3 * step->contacts);
    same_mass(theirs->M, &step->mass);
    same_matrix("H", theirs->H, &step->contact_jacobian, 0, 0, 1);
    assert_int_equal(theirs->G != NULL, step->bilaterals > 0);
    if (theirs->G) {
        assert_int_equal(theirs->G->n, step->bilaterals);
        same_matrix("G", theirs->G, &step->bilateral_jacobian, 0, 0, 1);
        same_values("b", theirs->b, step->bilateral_velocity, step->bilaterals);
    }
    same_values("f", theirs->f, step->force, step->dofs);
    same_values("w", theirs->w, step->contact_velocity, 3 * step->contacts);
    same_values("mu", theirs->mu, step->friction, step->contacts);
    assert_string_equal(theirs->info->title, linear->source);
    fclib_delete_global(theirs);
}

static void compare_local(const char *path, const struct nb_problem *linear)
{
    const struct nb_linear_step *step = &linear->linear;
    const int n = 3 * step->contacts;
    OWNS(free_at) struct fclib_local *theirs = fclib_read_local(path);
    assert_non_null(theirs);
    assert_int_equal(theirs->spacedim, 3);
    assert_int_equal(theirs->W->m, n);
    same_matrix("W", theirs->W, &step->delassus, 0, 0, 0);
    assert_int_equal(theirs->V != NULL, step->bilaterals > 0);
    if (theirs->V) {
        assert_int_equal(theirs->V->n, step->bilaterals);
        same_matrix("V", theirs->V, &step->delassus, 0, n, 0);
        same_matrix("V^T", theirs->V, &step->delassus, n, 0, 1);
        same_matrix("R", theirs->R, &step->delassus, n, n, 0);
        same_values("s", theirs->s, step->bilateral_velocity, step->bilaterals);
    }
    same_values("q", theirs->q, step->contact_velocity, n);
    same_values("mu", theirs->mu, step->friction, step->contacts);
    fclib_delete_local(theirs);
}

static void write_ok(const char *path, const struct nb_problem *problem,
                     const struct nb_problem_extras *extras)
{
    assert_ok(nb_problem_write(path, problem, extras, &why));
}

/* A nonlinear file opens as the step linearised at its start. */
TEST_IN_FOLDER(test_export_nonlinear)
{
    static const int sizes[][2] = {{3, 5}, {2, 0}, {60, 90}};
    for (int i = 0; i < 3; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        sample_nonlinear(&problem, sizes[i][0], sizes[i][1]);
        write_ok(in_folder(state, "a.h5"), &problem, NULL);
        assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
        compare_global(in_folder(state, "a.h5"), &linear);
    }
}

/* Joints without compliance are G and b for libfclib; compliant ones are in M and f; limits are
 * contacts without friction. */
TEST_IN_FOLDER(test_export_joints)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    sample_nonlinear(&problem, 4, 3);
    sample_joints(&problem, 9);
    sample_limits(&problem);
    assert_true(problem.limits.count > 4);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    assert_true(linear.linear.bilaterals > 0);
    assert_true(linear.linear.bilaterals < nb_problem_bilaterals(&problem));
    assert_int_equal(linear.linear.contacts, 3 + problem.limits.count);
    compare_global(in_folder(state, "a.h5"), &linear);
}

TEST_IN_FOLDER(test_export_linear)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    sample_global(&problem, 14, 3, 4);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    compare_global(in_folder(state, "a.h5"), &problem);
    nb_problem_free(&problem);
    sample_local(&problem, 4, 5);
    write_ok(in_folder(state, "b.h5"), &problem, NULL);
    compare_local(in_folder(state, "b.h5"), &problem);
}

/* v = u and r = h lambda, u = H^T v + w summed here from libfclib's own H. */
TEST_IN_FOLDER(test_solution)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    uint64_t random = 29;
    sample_global(&problem, 14, 3, 4);
    const int n = 9, p = 4, dofs = 14;
    OWNS(free_at) double *v = sample_numbers(dofs, &random), *lambda = sample_numbers(n + p, &random);
    const struct nb_problem_extras extras = {.u = v, .lambda = lambda};
    write_ok(in_folder(state, "a.h5"), &problem, &extras);
    OWNS(free_at) struct fclib_global *theirs = fclib_read_global(in_folder(state, "a.h5"));
    struct fclib_solution *solution = fclib_read_solution(in_folder(state, "a.h5"));
    assert_true(theirs && solution);
    double *h = dense(theirs->H);
    same_values("v", solution->v, v, dofs);
    for (int i = 0; i < n; ++i) {
        double u = theirs->w[i];
        for (int k = 0; k < dofs; ++k)
            u += h[k * n + i] * v[k];
        assert_true(fabs(u - solution->u[i]) < 1e-14);
        assert_true(solution->r[i] == problem.time_step * lambda[p + i]);
    }
    for (int i = 0; i < p; ++i)
        assert_true(solution->l[i] == problem.time_step * lambda[i]);
    free(h);
    fclib_delete_solutions(solution, 1);
    fclib_delete_global(theirs);
}

static int has_real_files(void)
{
    if (access(REAL_FILES "CubeH8.hdf5", R_OK) == 0)
        return 1;
    print_message("skipped: there is no " REAL_FILES "\n");
    return 0;
}

/* Five problems from the collections around Siconos and LMGC90. */
TEST(test_real_files)
{
    static const struct {
        const char *name;
        int dofs, contacts, local;
    } files[] = {
        {"CubeH8", 162, 1, 0},
        {"LMGC_GlobalFrictionContactProblem00046", 162, 9, 0},
        {"Box_Stacks-i0122-82-5", 450, 82, 0},
        {"LMGC_100_PR_PerioBox-i00361-60-03000", 180, 60, 1},
        {"Capsules-i125-1213", 858, 286, 1},
    };
    if (!has_real_files())
        skip();
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        char path[256];
        snprintf(path, sizeof path, REAL_FILES "%s.hdf5", files[i].name);
        assert_ok(nb_problem_read(path, &problem, &why));
        assert_string_equal(problem.name, files[i].name);
        assert_int_equal(nb_problem_dofs(&problem), files[i].dofs);
        assert_int_equal(nb_problem_contacts(&problem), files[i].contacts);
        assert_int_equal(problem.form, files[i].local ? NB_LINEAR_LOCAL : NB_LINEAR_GLOBAL);
        assert_true(problem.time_step == 1);
        if (files[i].local)
            compare_local(path, &problem);
        else
            compare_global(path, &problem);
    }
}

/* Reading a foreign file and writing it gives the same problem again, and one that libfclib reads
 * the same. */
TEST_IN_FOLDER(test_real_files_rewritten)
{
    static const char *const names[] = {"Box_Stacks-i0122-82-5", "Capsules-i125-1213"};
    if (!has_real_files())
        skip();
    for (int i = 0; i < 2; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, again;
        char path[256];
        snprintf(path, sizeof path, REAL_FILES "%s.hdf5", names[i]);
        assert_int_equal(nb_problem_read(path, &problem, NULL), NB_OK);
        write_ok(in_folder(state, "a.h5"), &problem, NULL);
        assert_int_equal(nb_problem_read(in_folder(state, "a.h5"), &again, NULL), NB_OK);
        same_problem(&problem, &again);
        if (problem.form == NB_LINEAR_LOCAL)
            compare_local(in_folder(state, "a.h5"), &problem);
        else
            compare_global(in_folder(state, "a.h5"), &problem);
    }
}

/* Box_Stacks stores a solution of zeros that were never allocated in the file. */
TEST(test_real_solution)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(free_at) double *u = NULL, *lambda = NULL;
    const char *path = REAL_FILES "Box_Stacks-i0122-82-5.hdf5";
    if (!has_real_files())
        skip();
    assert_int_equal(nb_problem_read(path, &problem, NULL), NB_OK);
    assert_ok(nb_solution_read(path, &problem, &u, &lambda, &why));
    struct fclib_solution *theirs = fclib_read_solution(path);
    same_values("v", theirs->v, u, 450);
    same_values("r", theirs->r, lambda, 246);
    fclib_delete_solutions(theirs, 1);
}

/* The three storages and their traps, written by libfclib: triplets out of order with a repeat, an
 * explicit zero and nzmax above nz; compressed columns; compressed rows. */
TEST_IN_FOLDER(test_storages)
{
    int mi[] = {2, 0, 1, 0, 2, 2}, mp[] = {2, 0, 1, 0, 0, 1};
    double mx[] = {4, 1, 3, 0.5, 0, -1, 0, 0};
    int hp[] = {0, 1, 2, 4}, hi[] = {0, 1, 0, 2};
    double hx[] = {1, 2, 3, 4};
    int gp[] = {0, 0, 1, 1}, gi[] = {0};
    double gx[] = {5}, f[] = {1, 2, 3}, w[] = {-1, 0, 0}, b[] = {0.25}, mu[] = {0.5};
    struct fclib_matrix m = {8, 3, 3, mp, mi, mx, 6, NULL}, h = {4, 3, 3, hp, hi, hx, -1, NULL},
                        g = {1, 3, 1, gp, gi, gx, -2, NULL};
    struct fclib_global theirs = {.M = &m, .H = &h, .G = &g, .mu = mu, .f = f, .b = b, .w = w,
                                  .spacedim = 3};
    OWNS(nb_problem_free) struct nb_problem problem;
    assert_int_equal(fclib_write_global(&theirs, in_folder(state, "a.h5")), 1);
    assert_ok(nb_problem_read(in_folder(state, "a.h5"), &problem, &why));
    static const int mass_start[] = {0, 2, 4, 7}, mass_column[] = {0, 2, 1, 2, 0, 1, 2}; /* with the other half */
    static const double mass[] = {1.5, 0, 3, -1, 0, -1, 4};
    static const int contact_start[] = {0, 1, 2, 4}, contact_column[] = {0, 1, 0, 2};
    const struct nb_linear_step *step = &problem.linear;
    assert_memory_equal(step->mass.start, mass_start, sizeof mass_start);
    assert_memory_equal(step->mass.column, mass_column, sizeof mass_column);
    assert_memory_equal(step->mass.value, mass, sizeof mass);
    assert_memory_equal(step->contact_jacobian.start, contact_start, sizeof contact_start);
    assert_memory_equal(step->contact_jacobian.column, contact_column, sizeof contact_column);
    assert_memory_equal(step->contact_jacobian.value, hx, sizeof hx);
    assert_int_equal(step->bilateral_jacobian.start[1], 1);
    assert_int_equal(step->bilateral_jacobian.column[0], 1);
    assert_true(step->bilateral_jacobian.value[0] == 5);
    assert_true(step->bilateral_velocity[0] == 0.25);
    assert_string_equal(problem.name, "a");
}

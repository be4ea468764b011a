/* Datasets of VTKHDF files, and solved steps to write there. */
#ifndef TEST_VTKHDF_H
#define TEST_VTKHDF_H

#include "tests/support/test.h"

#include <hdf5.h>

#include "problems/io/vtkhdf.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/solve.h"

static inline hsize_t length(hid_t file, const char *name)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t size[2] = {0};
    assert_true(set >= 0);
    assert_true(H5Sget_simple_extent_dims(space, size, NULL) > 0);
    H5Sclose(space);
    H5Dclose(set);
    return size[0];
}

static inline void read_as(hid_t file, const char *name, hid_t type, void *values)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
}

static inline double *read_doubles(hid_t file, const char *name, int width)
{
    double *values = calloc((size_t)length(file, name) * (size_t)width + 1, sizeof *values);
    read_as(file, name, H5T_NATIVE_DOUBLE, values);
    return values;
}

static inline int *read_ints(hid_t file, const char *name)
{
    int *values = calloc((size_t)length(file, name) + 1, sizeof *values);
    read_as(file, name, H5T_NATIVE_INT, values);
    return values;
}

/* What the scene holds, at its first step, with a solution of it. */
struct solved {
    struct nb_problem problem;
    double *u, *lambda;
    int *status;
};

static inline void solve_scene(struct solved *solved, const char *scene)
{
    struct nb_error error;
    struct nb_solver *solver;
    struct nb_run run;
    struct nb_options options = nb_options_default();
    options.solver = "proximal_newton";
    if (nb_scene_create(scene, 0, NULL, &solved->problem, &error) ||
        nb_step_prepare(&solved->problem, &error) ||
        nb_solver_create(&solver, &solved->problem, &options, &error) ||
        nb_solver_run(solver, 60, NULL, &run, &error))
        fail_msg("%s: %s", scene, error.text);
    solved->u = calloc((size_t)nb_problem_dofs(&solved->problem) + 1, sizeof *solved->u);
    solved->lambda = calloc((size_t)nb_problem_multipliers(&solved->problem) + 1,
                            sizeof *solved->lambda);
    solved->status = calloc((size_t)solved->problem.contacts.count + 1, sizeof *solved->status);
    for (int i = 0; i < solved->problem.contacts.count; ++i)
        solved->status[i] = i % 3;
    nb_solver_solution(solver, solved->u, solved->lambda);
    nb_solver_free(solver);
}

static inline void free_solved(struct solved *solved)
{
    nb_problem_free(&solved->problem);
    free(solved->u);
    free(solved->lambda);
    free(solved->status);
}

#endif

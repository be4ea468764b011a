/* Whole steps on a CUDA device against newton on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/cuda_support.h"

struct step_case {
    const char *scene, *setting, *form;
    int newton, linear; /* iterations: as many as leave more than rounding */
    const char *small;  /* the setting under compute-sanitizer, if another one; "": left out there */
};

/* A tool is a hundred times slower, and has a minute or two. */
static int set_size(struct step_case *given)
{
    if (!getenv("NB_TEST_SMALL") || !given->small)
        return 1;
    given->setting = given->small;
    return *given->small != 0;
}

/* u [dofs], lambda [multipliers]. The rows cuda_* have a preconditioner of their own, and a direct solver
 * has none. The CPU's islands and other precisions are of the matrix. */
static void run_step(const struct nb_problem *problem, const struct step_case *given,
                     const char *solver, const char *linear, double *u, double *lambda)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *run_by = NULL;
    struct nb_error error = {""};
    struct nb_run run;
    options.solver = solver;
    options.linear = linear;
    options.precond = strncmp(linear, "cuda_", 5) && strncmp(linear, "dense_", 6) ? "jacobi" : "none";
    options.precision = NB_TEXT(NB_PRECISION);
    options.linear_iterations = given->linear;
    const int matrix = strstr(linear, "islands") || (strncmp(solver, "newton", 6) == 0 && strstr(linear, ":in="));
    options.operator_form = matrix ? "assembled" : given->form;
    if (nb_solver_create(&run_by, problem, &options, &error) ||
        nb_solver_run(run_by, given->newton, NULL, &run, &error))
        fail_msg("%s: %s", solver, error.text);
    assert_false(run.broke_down);
    assert_int_equal(run.newton_iterations, given->newton);
    nb_solver_solution(run_by, u, lambda);
    nb_solver_free(run_by);
}

/* The solver with `linear`, twice, and newton with `host_linear`. */
static void same_step_by(const struct step_case *given, const char *solver, const char *linear,
                         const char *host_linear)
{
    const double bound = sizeof(nb_real) == sizeof(double) ? 1e-8 : 3e-2;
    struct nb_problem problem = {0};
    struct nb_error error = {""};
    assert_int_equal(nb_scene_create(given->scene, 1, &given->setting, &problem, &error), NB_OK);
    assert_int_equal(nb_step_prepare(&problem, &error), NB_OK);
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    double *u = calloc(3 * (size_t)dofs, sizeof *u);
    double *lambda = calloc(3 * (size_t)rows, sizeof *lambda);
    run_step(&problem, given, strstr(solver, "diagonal") ? "newton:geometric_stiffness=diagonal" : "newton",
             host_linear, u, lambda);
    run_step(&problem, given, solver, linear, u + dofs, lambda + rows);
    run_step(&problem, given, solver, linear, u + 2 * dofs, lambda + 2 * rows);
    assert_memory_equal(u + dofs, u + 2 * dofs, (size_t)dofs * sizeof *u);
    assert_memory_equal(lambda + rows, lambda + 2 * rows, (size_t)rows * sizeof *lambda);
    if (!(distance(u + dofs, u, dofs) <= bound * norm(problem.free_velocity, dofs)))
        fail_msg("%s, %s, %s, %s: %g m/s off", given->scene, given->form, solver, linear,
                 distance(u + dofs, u, dofs));
    free(u);
    free(lambda);
    nb_problem_free(&problem);
}

static void same_step(const struct step_case *given, const char *solver, const char *linear)
{
    char host[64];
    snprintf(host, sizeof host, "%s%s", linear, strstr(solver, "islands") ? ":islands=yes" : "");
    same_step_by(given, solver, linear, host);
}

/* The gripper fits clusters of 16 blocks only, which parts=whole takes, and the CPU would assemble its
 * islands. The sheet's matrix, 6 MB in f64, fits no cluster. */
static int can_take(const struct step_case *given, const char *solver)
{
    if (!strcmp(given->scene, "pneunet"))
        return !strstr(solver, "islands") && !strstr(solver, "cluster");
    return strcmp(given->scene, "sheet") || strcmp(given->form, "assembled") || !strstr(solver, "cluster");
}

/* Whole steps: one system as newton solves it, islands as with its islands=yes. Velocities are compared
 * in terms of free fall. */
static void test_whole_steps_are_the_cpus(void **state)
{
    static const struct step_case cases[] = {
        {"box_on_plane", "count=300", "assembled", 6, 20, "count=20"},
        {"heavy_stack", "count=3", "assembled", 6, 20, NULL},
        {"beam", "count=6", "assembled", 6, 20, "count=4"},
        {"beam", "count=6", "factored", 6, 20, "count=4"},
        {"hinge_limits", "count=8", "assembled", 4, 5, NULL},
        {"hinge_limits", "count=8", "factored", 4, 5, NULL},
        {"sheet", "cells=4", "assembled", 3, 5, "cells=2"},
        {"sheet", "cells=4", "factored", 3, 5, "cells=2"},
        {"pneunet", "inflate=0.1", "factored", 3, 5, ""},
    };
    const char *solver = *state;
    skip_without_device();
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        struct step_case given = cases[s];
        if (set_size(&given) && can_take(&given, solver))
            same_step(&given, solver, "pcr");
    }
}

/* Jacobi's iterates are the CPU's; those of Gauss-Seidel, which takes the rows by colours, where they have converged. */
static void test_relaxations(void **state)
{
    static const struct step_case jacobi[] = {
        {"box_on_plane", "count=300", "assembled", 6, 20, "count=20"},
        {"box_on_plane", "count=300", "factored", 6, 20, "count=20"},
        {"heavy_stack", "count=3", "assembled", 6, 20, NULL},
        {"beam", "count=6", "assembled", 6, 20, "count=4"},
        {"beam", "count=6", "factored", 6, 20, "count=4"},
    };
    static const struct step_case swept[] = {
        {"box_on_plane", "count=300", "assembled", 4, 300, ""},
        {"box_on_plane", "count=300", "factored", 4, 300, ""},
    };
    const char *solver = *state;
    const int clusters = strstr(solver, "cluster") != NULL; /* have Gauss-Seidel with the matrix only */
    skip_without_device();
    for (size_t s = 0; s < sizeof jacobi / sizeof *jacobi; ++s) {
        struct step_case given = jacobi[s];
        if (set_size(&given))
            same_step(&given, solver, "jacobi");
    }
    static const char *const converge[] = {"gauss_seidel", "symmetric_gauss_seidel", "sor:omega=1.25", "ssor"};
    for (size_t s = 0; s < (clusters ? 1 : sizeof swept / sizeof *swept); ++s) {
        struct step_case given = swept[s];
        for (size_t k = 0; k < sizeof converge / sizeof *converge && set_size(&given); ++k)
            same_step(&given, solver, converge[k]);
    }
}

/* In 16 bits as the linear solver's own row keeps them: both round the same matrix, and precondition by it unrounded.
 * Islands have no such row. */
static void test_storage(void **state)
{
    static const struct step_case cases[] = {
        {"box_on_plane", "count=300", "assembled", 2, 5, "count=20"},
        {"heavy_stack", "count=3", "assembled", 2, 5, NULL},
        {"hinge_limits", "count=8", "factored", 2, 5, NULL},
        {"sheet", "cells=4", "factored", 2, 5, "cells=2"},
    };
    static const char *const storage[] = {"storage=f16", "storage=bf16"};
    skip_without_device();
    for (size_t s = 0; s < 2 * (sizeof cases / sizeof *cases); ++s) {
        struct step_case given = cases[s / 2];
        char solver[96], host[64];
        snprintf(solver, sizeof solver, "%s:%s", (const char *)*state, storage[s % 2]);
        snprintf(host, sizeof host, "cuda_pcr_persistent:%s", storage[s % 2]);
        if (set_size(&given))
            same_step_by(&given, solver, "pcr", host);
    }
}

/* Refined linear solves that have converged are newton's, whatever the lower precision. */
static void test_refinement(void **state)
{
    static const struct step_case cases[] = {
        {"box_on_plane", "count=300", "assembled", 3, 200, "count=20"},
        {"box_on_plane", "count=300", "factored", 3, 200, "count=20"},
        {"heavy_stack", "count=3", "assembled", 3, 400, NULL},
        {"heavy_stack", "count=3", "factored", 3, 400, NULL},
    };
    static const char *const linear[] = {"pcr:in=f32", "pcr:in=f16", "pcg:in=f16"};
    const char *solver = *state;
    skip_without_device();
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        struct step_case given = cases[s];
        if (set_size(&given))
            for (size_t k = 0; k < sizeof linear / sizeof *linear; ++k)
                same_step(&given, solver, linear[k]);
    }
}

/* A direct solver has nothing to add up in another order but rounding. */
static void test_cholesky(void **state)
{
    static const struct step_case cases[] = {
        {"box_on_plane", "count=300", "assembled", 4, 1, "count=20"},
        {"heavy_stack", "count=3", "assembled", 4, 1, NULL},
        {"beam", "count=6", "assembled", 4, 1, "count=4"},
        {"hinge_limits", "count=8", "assembled", 4, 1, NULL},
        {"sheet", "cells=4", "assembled", 3, 1, "cells=2"},
    };
    const char *solver = *state;
    skip_without_device();
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        struct step_case given = cases[s];
        if (!set_size(&given))
            continue;
        same_step(&given, solver, "dense_cholesky");
        same_step(&given, solver, "dense_cholesky:in=f16");
    }
}

/* H changes from the second iteration on, by differences that rounding is divided in. */
static void test_geometric_stiffness(void **state)
{
    static const struct step_case cases[] = {
        {"sheet", "cells=4", "assembled", 2, 5, "cells=2"},
        {"sheet", "cells=4", "factored", 2, 5, "cells=2"},
        {"pneunet", "inflate=0.1", "factored", 2, 5, ""},
    };
    char solver[96];
    snprintf(solver, sizeof solver, "%s:geometric_stiffness=diagonal", (const char *)*state);
    skip_without_device();
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        struct step_case given = cases[s];
        if (set_size(&given) && can_take(&given, solver))
            same_step(&given, solver, "pcr");
    }
}

int main(void)
{
    static const char *const solvers[] = {
        "cuda_newton:parts=whole",  "cuda_newton:parts=whole:placed=grid",
        "cuda_newton:by=graph",     "cuda_newton:parts=whole:placed=cluster8",
        "cuda_newton:parts=islands", "cuda_newton:parts=islands:placed=cluster2"};
    static struct tests tests;
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        add_test(&tests, "whole steps are the CPU's", solvers[k], test_whole_steps_are_the_cpus, solvers[k]);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        add_test(&tests, "relaxations", solvers[k], test_relaxations, solvers[k]);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        if (!strstr(solvers[k], "islands"))
            add_test(&tests, "16 bits", solvers[k], test_storage, solvers[k]);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        add_test(&tests, "refined solves", solvers[k], test_refinement, solvers[k]);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        if (!strstr(solvers[k], "cluster"))
            add_test(&tests, "Cholesky", solvers[k], test_cholesky, solvers[k]);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        add_test(&tests, "geometric stiffness", solvers[k], test_geometric_stiffness, solvers[k]);
    return run_listed(&tests);
}

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

/* u [dofs], lambda [multipliers]; 0 where one block has no room for it. The rows cuda_* have a preconditioner of their
 * own. The CPU's islands are of the matrix. */
static int run_step(const struct nb_problem *problem, const struct step_case *given,
                    const char *solver, const char *linear, double *u, double *lambda)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *run_by = NULL;
    struct nb_error error = {""};
    struct nb_run run;
    options.solver = solver;
    options.linear = linear;
    options.precond = strncmp(linear, "cuda_", 5) ? "jacobi" : "none";
    options.precision = NB_TEXT(NB_PRECISION);
    options.linear_iterations = given->linear;
    options.operator_form = strstr(linear, "islands") ? "assembled" : given->form;
    const enum nb_status status = nb_solver_create(&run_by, problem, &options, &error);
    if (status == NB_UNSUPPORTED && strstr(error.text, "does not fit"))
        return 0;
    if (status || nb_solver_run(run_by, given->newton, NULL, &run, &error))
        fail_msg("%s: %s", solver, error.text);
    assert_false(run.broke_down);
    assert_int_equal(run.newton_iterations, given->newton);
    nb_solver_solution(run_by, u, lambda);
    nb_solver_free(run_by);
    return 1;
}

/* The solver with `linear`, twice, and newton with `host_linear`. */
static void same_step_by(const struct step_case *given, const char *solver, const char *linear,
                         const char *host_linear)
{
    const double bound = sizeof(nb_real) == sizeof(double) ? 1e-8 : 3e-2;
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    assert_ok(nb_scene_create(given->scene, 1, &given->setting, &problem, &why));
    assert_ok(nb_step_prepare(&problem, &why));
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    OWNS(free_at) double *u = calloc(3 * (size_t)dofs, sizeof *u);
    OWNS(free_at) double *lambda = calloc(3 * (size_t)rows, sizeof *lambda);
    run_step(&problem, given, "newton", host_linear, u, lambda);
    if (run_step(&problem, given, solver, linear, u + dofs, lambda + rows)) {
        run_step(&problem, given, solver, linear, u + 2 * dofs, lambda + 2 * rows);
        assert_memory_equal(u + dofs, u + 2 * dofs, (size_t)dofs * sizeof *u);
        assert_memory_equal(lambda + rows, lambda + 2 * rows, (size_t)rows * sizeof *lambda);
        if (!(distance(u + dofs, u, dofs) <= bound * norm(problem.free_velocity, dofs)))
            fail_msg("%s, %s, %s, %s: %g m/s off", given->scene, given->form, solver, linear,
                     distance(u + dofs, u, dofs));
    }
}

static void same_step(const struct step_case *given, const char *solver, const char *linear)
{
    char host[64];
    snprintf(host, sizeof host, "%s%s", linear, strstr(solver, "islands") ? ":islands=yes" : "");
    same_step_by(given, solver, linear, host);
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
        const int gripper = !strcmp(given.scene, "pneunet"); /* whose islands the CPU would assemble */
        if (set_size(&given) && !(gripper && strstr(solver, "islands")))
            same_step(&given, solver, "pcr");
    }
}

/* Jacobi's iterates are the CPU's; those of Gauss-Seidel, which takes the rows by colours, where they have
 * converged. */
static void test_relaxations(void **state)
{
    static const struct step_case jacobi[] = {
        {"box_on_plane", "count=300", "assembled", 6, 20, "count=20"},
        {"box_on_plane", "count=300", "factored", 6, 20, "count=20"},
        {"heavy_stack", "count=3", "assembled", 6, 20, NULL},
        {"beam", "count=6", "assembled", 6, 20, "count=4"},
        {"beam", "count=6", "factored", 6, 20, "count=4"},
    };
    static const struct step_case swept = {"box_on_plane", "count=300", "assembled", 4, 300, ""};
    const char *solver = *state;
    skip_without_device();
    for (size_t s = 0; s < sizeof jacobi / sizeof *jacobi; ++s) {
        struct step_case given = jacobi[s];
        if (set_size(&given))
            same_step(&given, solver, "jacobi");
    }
    struct step_case given = swept;
    if (set_size(&given))
        same_step(&given, solver, "gauss_seidel");
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
        snprintf(host, sizeof host, "cuda_pcr:%s", storage[s % 2]);
        if (set_size(&given))
            same_step_by(&given, solver, "pcr", host);
    }
}

int main(void)
{
    static const char *const solvers[] = {"cuda_newton:by=block", "cuda_newton:by=grid", "cuda_newton:by=islands"};
    static struct tests tests;
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        add_test(&tests, "whole steps are the CPU's", solvers[k], test_whole_steps_are_the_cpus, solvers[k]);
        add_test(&tests, "relaxations", solvers[k], test_relaxations, solvers[k]);
        if (!strstr(solvers[k], "islands"))
            add_test(&tests, "16 bits", solvers[k], test_storage, solvers[k]);
    }
    return run_listed(&tests);
}

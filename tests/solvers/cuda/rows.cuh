// The rows cuda_* of linear solvers against the CPU's, from the registry down to whatever a test puts behind the
// border of device_linear.h. Include after cmocka.h.
#ifndef NB_TEST_CUDA_ROWS_CUH
#define NB_TEST_CUDA_ROWS_CUH

#include <cmath>
#include <cstring>
#include <vector>

extern "C" {
#include "harness/simulate/simulate.h"
#include "solvers/precision.h"
#include "problems/scene.h"
}

#include "tests/solvers/cuda/scenes.cuh"

// form: the CPU's where it is not the same, since its block Jacobi wants the matrix. storage: what its rounding did
// on all scenes, twice over. slack: of the bound for rounding, which PCG by blocks needs where two iterations all but
// solve the system (a pendulum of very different masses).
struct test_row {
    const char *cuda, *cpu, *precond, *form;
    double storage = 0, slack = 1;
};

// Velocities after two Newton iterations of two linear ones: fewer than solve the smallest, which would leave only
// rounding.
inline std::vector<double> run(const nb_problem &problem, const char *linear, const char *precond,
                        const char *form)
{
    nb_options options = nb_options_default();
    nb_solver *solver = nullptr;
    nb_run run;
    nb_error error = {};
    options.solver = "newton";
    options.linear = linear;
    options.precond = precond;
    options.operator_form = form;
    options.precision = NB_TEXT(NB_PRECISION);
    options.linear_iterations = 2;
    if (nb_solver_create(&solver, &problem, &options, &error) ||
        nb_solver_run(solver, 2, nullptr, &run, &error))
        fail_msg("%s, %s: %s", linear, form, error.text);
    assert_false(run.broke_down);
    assert_int_equal(run.newton_iterations, 2);
    std::vector<double> u((size_t)nb_problem_dofs(&problem)),
        lambda((size_t)nb_problem_multipliers(&problem));
    nb_solver_solution(solver, u.data(), lambda.data());
    nb_solver_free(solver);
    return u;
}

// Of each row, assembled and factored, on that scene: what the CPU's row does.
inline void same_as_cpu(const test_scene &given, const std::vector<test_row> &rows)
{
    nb_problem problem = {};
    nb_error error = {};
    nb_options simple = nb_options_default();
    simple.solver = "newton";
    simple.linear = "kkt";
    simple.precond = "none";
    simple.operator_form = "factored";
    if (nb_scene_create(given.name, (int)given.settings.size(), given.settings.data(), &problem, &error) ||
        nb_simulate(&problem, given.steps, &simple, nullptr, nullptr, &error))
        fail_msg("%s: %s", given.name, error.text);
    double fall = 0;
    for (int i = 0; i < nb_problem_dofs(&problem); ++i)
        fall += problem.free_velocity[i] * problem.free_velocity[i];
    for (const test_row &row : rows)
        for (const char *form : {"assembled", "factored"}) {
            if (given.large && (row.form || strcmp(form, "assembled") == 0))
                continue;
            if (strstr(row.cuda, "library") && strcmp(form, "factored") == 0)
                continue; // it takes the matrix
            if (row.storage > 0 && strcmp(form, "assembled") == 0)
                continue; // rounding A can leave it indefinite; whatever G is, G H^-1 G^T + C is not
            const std::vector<double> mine = run(problem, row.cuda, "none", form);
            const std::vector<double> cpu =
                run(problem, row.cpu, row.precond, row.form ? row.form : form);
            double off = 0;
            for (size_t i = 0; i < mine.size(); ++i)
                off += (mine[i] - cpu[i]) * (mine[i] - cpu[i]);
            off = std::sqrt(off / fall);
            const double rounding = row.slack * (sizeof(nb_real) == sizeof(double) ? 1e-11 : 5e-3);
            if (!(off < std::max(row.storage, rounding)))
                fail_msg("%s, %s, %s: %g off", given.name, row.cuda, form, off);
        }
    nb_problem_free(&problem);
}

#endif

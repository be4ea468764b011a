// Whole time steps of cuda_newton from the registry, or from the border of step.h, down to its kernels on emulated
// threads, with CUDA's runtime in host memory: by a grid of up to three blocks, by one block, or a block an island,
// whose linear systems are in shared memory or, where that has no room, in global memory.
#ifndef NB_TEST_CUDA_STEPS_CUH
#define NB_TEST_CUDA_STEPS_CUH

#include "tests/solvers/cuda/host_runtime.cuh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
extern "C" {
#include "harness/simulate/simulate.h"
#include "solvers/model/newton_system.h"
#include "problems/scene.h"
}

extern "C" {
#include "solvers/cuda/newton_choices.h"
}
#include "solvers/cuda/launch.cu"
#include "solvers/cuda/step/step.cu"
#include "tests/solvers/cuda/scenes.cuh"

// The ways to take a step: what the solver is called, what it says of itself, and the shared memory that there is.
struct way {
    nb_cuda_step_by by;
    const char *solver, *team;
    size_t room;
    bool islands; // each with a linear solve of its own
};
inline const way ways[] = {
    {NB_CUDA_STEP_BY_GRID, "cuda_newton:by=grid:threads=64", "by the grid", host::MOST_ROOM, false},
    {NB_CUDA_STEP_BY_BLOCK, "cuda_newton:by=block:threads=64", "in one block", host::MOST_ROOM, false},
    {NB_CUDA_STEP_BY_ISLANDS, "cuda_newton:by=islands:threads=64", "in a block an island", host::MOST_ROOM, true},
    {NB_CUDA_STEP_BY_ISLANDS, "cuda_newton:by=islands:threads=32", "in a block an island", 6000, true},
};

inline int know_kernels(void **)
{
    host::know(grid_kernel<step_krylov>);
    host::know(block_kernel<step_krylov>);
    host::know(grid_kernel<step_relaxations>);
    host::know(block_kernel<step_relaxations>);
    return 0;
}

struct run_of {
    nb_problem problem = {};
    nb_options options = nb_options_default();
    nb_cuda_storage storage = NB_CUDA_SAME; // of device_step
    std::vector<double> u, lambda; // the CPU's
    nb_error error = {};

    run_of(const char *scene, std::vector<const char *> settings, int steps = 0)
    {
        nb_options exact = nb_options_default();
        exact.precision = "f64";
        exact.solver = "newton";
        exact.linear = "kkt";
        exact.precond = "none";
        exact.operator_form = "factored";
        exact.newton_iterations = 8;
        if (nb_scene_create(scene, (int)settings.size(), settings.data(), &problem, &error) ||
            nb_simulate(&problem, steps, &exact, nullptr, nullptr, &error))
            fail_msg("%s: %s", scene, error.text);
        options.solver = "newton";
        options.linear = "pcr";
        options.precond = "jacobi";
        options.precision = NB_TEXT(NB_PRECISION);
        options.linear_iterations = 10;
    }
    ~run_of() { nb_problem_free(&problem); }

    void solve(int iterations, bool islands)
    {
        nb_solver *solver = nullptr;
        nb_run run;
        const char *linear = options.linear, *form = options.operator_form;
        if (islands || strcmp(options.precond, "block_jacobi") == 0) // where the CPU has nothing else
            options.operator_form = "assembled";
        const std::string given = std::string(linear) + (islands ? ":islands=yes" : "");
        options.linear = given.c_str();
        if (nb_solver_create(&solver, &problem, &options, &error) ||
            nb_solver_run(solver, iterations, nullptr, &run, &error))
            fail_msg("%s", error.text);
        options.linear = linear;
        options.operator_form = form;
        assert_false(run.broke_down);
        u.assign((size_t)nb_problem_dofs(&problem), 0.0);
        lambda.assign((size_t)nb_problem_multipliers(&problem), 0.0);
        nb_solver_solution(solver, u.data(), lambda.data());
        nb_solver_free(solver);
    }
};

// || a - b || / || scale ||
inline double distance(const std::vector<double> &a, const std::vector<double> &b, const double *scale)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        all += scale[i] * scale[i];
    }
    return std::sqrt(off / all);
}

// The largest difference over the largest entry, or over `least` where that is more.
template <class A, class B>
inline double difference(const A *a, const B *b, size_t count, double least = 0)
{
    double off = 0, most = least;
    for (size_t i = 0; i < count; ++i) {
        off = std::max(off, std::fabs((double)a[i] - (double)b[i]));
        most = std::max(most, std::fabs((double)b[i]));
        if (std::isnan((double)a[i]) || std::isnan((double)b[i]))
            return INFINITY;
    }
    return most > 0 ? off / most : off;
}

// The solver of the registry, and its solution after so many iterations.
struct device_run {
    nb_solver *solver = nullptr;
    nb_run run = {};
    std::vector<double> u, lambda;
    run_of &step;

    device_run(run_of &given, const way &how) : step(given)
    {
        nb_options options = given.options;
        options.solver = how.solver;
        host::room = how.room;
        if (nb_solver_create(&solver, &given.problem, &options, &given.error))
            fail_msg("%s, %s: %s", how.solver, options.linear, given.error.text);
    }
    ~device_run() { nb_solver_free(solver); }

    nb_status go(int iterations, const nb_observer *observer = nullptr)
    {
        const nb_status status = nb_solver_run(solver, iterations, observer, &run, &step.error);
        u.assign((size_t)nb_problem_dofs(&step.problem), 0.0);
        lambda.assign((size_t)nb_problem_multipliers(&step.problem), 0.0);
        nb_solver_solution(solver, u.data(), lambda.data());
        return status;
    }
};

// A step on the device by itself, whose arrays a test can look at.
struct device_step {
    NB(nb_model) *model = nullptr;
    NB(nb_newton) *newton = nullptr;
    NB(nb_cuda_step) *step = nullptr;

    device_step(run_of &run, const way &how)
    {
        NB(nb_delassus) matrix = {};
        NB(nb_cuda_step_options) chosen = {};
        nb_islands islands = {};
        const bool factored = strcmp(run.options.operator_form, "factored") == 0;
        nb_cuda_linear_cost cost;
        nb_options options = run.options;
        options.solver = how.solver;
        nb_elasticity elasticity = {};
        NB(nb_cuda_newton_elasticity)(how.solver, &elasticity);
        if (NB(nb_cuda_newton_choose)(&options, &chosen, &cost, &run.error) ||
            NB(nb_model_create_with)(&model, &run.problem, &elasticity, 1, &run.error) ||
            NB(nb_newton_create)(&newton, model, &run.options, &run.error) ||
            (!factored && (NB(nb_delassus_create)(&matrix, model, &run.error) ||
                           NB(nb_delassus_list_products)(&matrix, model, &run.error))) ||
            nb_islands_find(&islands, &run.problem, &run.error))
            fail_msg("%s", run.error.text);
        chosen.storage = run.storage;
        chosen.shift = newton->shift;
        chosen.r_normal = newton->r_normal;
        chosen.r_friction = newton->r_friction;
        host::room = how.room;
        if (NB(nb_cuda_step_create)(&step, model, factored ? nullptr : &matrix, &islands, &chosen, &run.error))
            fail_msg("%s: %s", how.solver, run.error.text);
        nb_islands_free(&islands);
        NB(nb_delassus_free)(&matrix);
    }
    ~device_step()
    {
        NB(nb_cuda_step_free)(step);
        NB(nb_newton_free)(newton);
        NB(nb_model_free)(model);
    }
    device_step(const device_step &) = delete;

    nb_cuda_step_report go(int iterations)
    {
        std::vector<nb_real> u(step->velocities + 1), lambda(step->forces + 1);
        nb_cuda_step_report report;
        nb_error error = {};
        assert_int_equal(NB(nb_cuda_step_run)(step, 0, iterations, nullptr, u.data(), lambda.data(), &report, &error),
                         NB_OK);
        return report;
    }
};

#endif

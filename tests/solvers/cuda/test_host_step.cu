// A step's host code (step.cu, step_graph.cuh), its kernels behind it, with CUDA's runtime in host memory: whole steps
// of cuda_newton against newton, in one block, by the grid, in islands and as a graph with and without loops; what
// an observer sees; and no memory. Needs no device.
#include "tests/solvers/cuda/host_runtime.cuh"

#include "solvers/cuda/cluster.cu"
#include "solvers/cuda/grid.cu"
#include "solvers/cuda/step/step.cu"
#include "tests/solvers/cuda/scenes.cuh"
#include "tests/solvers/cuda/steps.cuh"

namespace {

template <class Solver> void know_family()
{
    host::know(grid_kernel<Solver>);
    host::know(block_kernel<Solver>);
    host::know(cluster_kernel<Solver>); // asked for its memory
}

// A solver of a step, and its solution after so many iterations.
struct device_run {
    nb_solver *solver = nullptr;
    nb_run run = {};
    std::vector<double> u, lambda;
    run_of &step;

    device_run(run_of &given, const char *name) : step(given)
    {
        nb_options options = given.options;
        options.solver = name;
        if (nb_solver_create(&solver, &given.problem, &options, &given.error))
            fail_msg("%s, %s: %s", name, options.linear, given.error.text);
    }
    ~device_run() { nb_solver_free(solver); }

    void go(int iterations, const nb_observer *observer = nullptr)
    {
        if (nb_solver_run(solver, iterations, observer, &run, &step.error))
            fail_msg("%s", step.error.text);
        assert_false(run.broke_down);
        assert_int_equal(run.newton_iterations, iterations);
        u.assign((size_t)nb_problem_dofs(&step.problem), 0.0);
        lambda.assign((size_t)nb_problem_multipliers(&step.problem), 0.0);
        nb_solver_solution(solver, u.data(), lambda.data());
    }
};

void nothing_is_left()
{
    assert_int_equal(host::held, 0);
    assert_int_equal(host::graphs, 0);
}

struct way {
    const char *solver, *place;
    size_t room;
    bool islands;
    int driver;
};
const way ways[] = {
    {"cuda_newton:parts=whole", "in one block", MOST_SHARED, false, CUDART_VERSION},
    {"cuda_newton:parts=whole:threads=64", "by the grid", 0, false, CUDART_VERSION},
    {"cuda_newton:placed=grid", "by the grid", MOST_SHARED, false, CUDART_VERSION},
    {"cuda_newton:by=graph", "in a graph", MOST_SHARED, false, CUDART_VERSION},
    {"cuda_newton:by=graph", "in a graph, launched for each iteration", MOST_SHARED, false, 12030},
    {"cuda_newton", "in one block", MOST_SHARED, true, CUDART_VERSION},
    {"cuda_newton:parts=islands", "in one block", 6000, true, CUDART_VERSION},
};

void take(const way &one)
{
    host::room = one.room;
    host::driver = one.driver;
}

// In units of free fall.
double bound_of(const char *linear)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    return strstr(linear, "in=") ? (wide ? 1e-8 : 2e-3) : wide ? 1e-8 : 1e-3;
}

// Two runs of it, so that nothing of the first may be left in the second.
void same_as_newton(run_of &run, const way &one, int iterations)
{
    take(one);
    run.solve(iterations, one.islands);
    device_run device(run, one.solver);
    for (int twice = 0; twice < 2; ++twice) {
        device.go(iterations);
        if (strcmp(device.run.detail, one.place))
            fail_msg("%s, %s, %s: %s", one.solver, run.options.linear, run.options.operator_form, device.run.detail);
        const double off = distance(device.u, run.u, run.problem.free_velocity);
        if (!(off < bound_of(run.options.linear)))
            fail_msg("%s, %s, %s: %g off", one.solver, run.options.linear, run.options.operator_form, off);
    }
}

void test_steps(void **)
{
    const std::vector<test_scene> scenes = {
        {"box_on_plane", {"count=3"}, 0, false},
        {"balls_in_cube", {"count=8"}, 60, false},
        {"beam", {"count=3"}, 0, false},
        {"sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3, false},
    };
    for (const test_scene &scene : scenes) {
        run_of run(scene.name, scene.settings, scene.steps);
        for (const char *linear : {"pcr", "pcg", "jacobi", "dense_cholesky"})
            for (const char *form : {"assembled", "factored"})
                for (const way &one : ways) {
                    if (form[0] == 'f' && (one.islands || linear[0] == 'd'))
                        continue; // which the CPU, or either, has not
                    run.options.linear = linear;
                    run.options.operator_form = form;
                    run.options.precond = strchr("jd", linear[0]) ? "none" : "jacobi";
                    same_as_newton(run, one, 2);
                }
    }
    nothing_is_left();
}

// Sweeps take the rows in an order of their own, which is the same by all ways of one part.
void test_sweeps(void **)
{
    run_of run("beam", {"count=3"});
    for (const char *linear : {"gauss_seidel", "ssor", "sor:omega=1.2"})
        for (const char *form : {"assembled", "factored"}) {
            std::vector<double> first;
            for (const way &one : ways) {
                if (one.islands)
                    continue;
                take(one);
                run.options.linear = linear;
                run.options.operator_form = form;
                run.options.precond = "none";
                device_run device(run, one.solver);
                device.go(2);
                first = first.empty() ? device.u : first;
                const double off = distance(device.u, first, run.problem.free_velocity);
                if (!(off < bound_of(linear)))
                    fail_msg("%s, %s, %s: %g off", one.solver, linear, form, off);
            }
        }
    nothing_is_left();
}

// Refined linear solves to their end, as loops within the loop of a graph; a driver without loops has none of them.
void test_refinement(void **)
{
    run_of run("box_on_plane", {"count=3"});
    run.options.linear_iterations = 200;
    for (const char *linear : {"pcr:in=f16", "pcg:in=f32", "dense_cholesky:in=f16"})
        for (const way &one : ways) {
            const bool graph = strstr(one.solver, "graph") != nullptr;
            run.options.linear = linear;
            run.options.precond = linear[0] == 'd' ? "none" : "jacobi";
            run.options.operator_form = strcmp(linear, "pcr:in=f16") == 0 && graph ? "factored" : "assembled";
            if (graph && one.driver < 12040) {
                nb_options options = run.options;
                nb_solver *none = nullptr;
                take(one);
                options.solver = one.solver;
                assert_int_equal(nb_solver_create(&none, &run.problem, &options, &run.error), NB_UNSUPPORTED);
                assert_non_null(strstr(run.error.text, "by=launch"));
            } else if (!one.islands) {
                same_as_newton(run, one, 3);
            }
        }
    nothing_is_left();
}

// A linear solve with a tolerance is a loop of its own in a graph.
void test_tolerance(void **)
{
    run_of run("heavy_stack", {"count=3"});
    run.options.linear_iterations = 60;
    run.options.linear = "pcr:tol=1e-3";
    for (const way &one : ways)
        if (!one.islands)
            same_as_newton(run, one, 2);
    nothing_is_left();
}

// Broyden's diagonal and 16 bits: what the builder adds for them is there, by all ways.
void test_other_settings(void **)
{
    run_of run("sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3);
    run.options.operator_form = "factored";
    run.options.linear_iterations = 5; // more divide differences that are rounding
    for (const char *setting : {":geometric_stiffness=diagonal", ":storage=f16", ":floor=yes:stop=1e-9"}) {
        std::vector<double> first;
        for (const way &one : ways) {
            const std::string solver = one.solver + std::string(setting);
            if (one.islands)
                continue;
            take(one);
            device_run device(run, solver.c_str());
            device.go(2);
            first = first.empty() ? device.u : first;
            const double off = distance(device.u, first, run.problem.free_velocity);
            if (!(off < bound_of("pcr")))
                fail_msg("%s: %g off", solver.c_str(), off);
        }
    }
    nothing_is_left();
}

struct kept {
    int shown = 0;
    std::vector<double> u, lambda;
};
bool keep(void *context, int iteration, const double *u, const double *lambda, const nb_linear_report *)
{
    auto *self = (kept *)context;
    assert_int_equal(iteration, self->shown++);
    self->u.assign(u, u + self->u.size());
    self->lambda.assign(lambda, lambda + self->lambda.size());
    return true;
}

// More iterates than are kept at once: the last one shown is the run's, and the run is that of nobody watching.
void test_an_observer(void **)
{
    run_of run("balls_in_cube", {"count=4"}, 60);
    run.options.linear_iterations = 3;
    for (const way &one : ways) {
        take(one);
        device_run watched(run, one.solver), alone(run, one.solver);
        kept shown;
        shown.u.resize((size_t)nb_problem_dofs(&run.problem));
        shown.lambda.resize((size_t)nb_problem_multipliers(&run.problem));
        const nb_observer observer = {&shown, keep};
        watched.go(70, &observer);
        alone.go(70);
        assert_int_equal(shown.shown, 71);
        assert_true(watched.u == alone.u && watched.lambda == alone.lambda);
        assert_true(shown.u == alone.u && shown.lambda == alone.lambda);
    }
    nothing_is_left();
}

// Whichever allocation is the one too many, that is the status, also of a run that is watched; and nothing is left.
void test_lack_of_memory(void **)
{
    run_of run("box_on_plane", {"count=2"});
    kept shown;
    const nb_observer observer = {&shown, keep};
    for (const way &one : ways) {
        nb_options options = run.options;
        options.solver = one.solver;
        take(one);
        int enough = 0;
        for (nb_status status = NB_OUT_OF_MEMORY; status == NB_OUT_OF_MEMORY; ++enough) {
            nb_solver *solver = nullptr;
            nb_run counts;
            shown.shown = 0;
            host::left = enough;
            status = nb_solver_create(&solver, &run.problem, &options, &run.error);
            if (!status)
                status = nb_solver_run(solver, 2, &observer, &counts, &run.error);
            nb_solver_free(solver);
            assert_true(status == NB_OK || status == NB_OUT_OF_MEMORY);
            nothing_is_left();
        }
        assert_true(enough > 50);
    }
    host::left = 1L << 30;
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_refinement),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_other_settings),
        cmocka_unit_test(test_an_observer),
        cmocka_unit_test(test_lack_of_memory),
    };
    know_family<step_krylov>();
    know_family<step_jacobi>();
    know_family<step_sweeps<false>>();
    know_family<step_sweeps<true>>();
    know_family<step_direct>();
    know_family<step_refined<lower_direct>>();
    know_family<step_refined<lower_krylov<pcr_method>>>();
    know_family<step_refined<lower_krylov<pcg_method>>>();
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// The solver cuda_newton of the registry with emulated threads in place of the device: the border of step.h is
// defined here, so that all above it runs as on a card. What an observer is shown, and how runs end. Needs no
// device.
#include "tests/solvers/cuda/emulate.cuh"

#include "tests/solvers/cuda/steps.cuh"

// Islands by a block of threads each, or all by a grid.
struct NB(nb_cuda_step) {
    host_memory memory;
    step_plan plan;
    step_system s = {};
    division how = BY_GRID;
};

static int launches;      // of the last run
static int out_of_memory; // the next launch is

extern "C" nb_status NB(nb_cuda_step_create)(NB(nb_cuda_step) **out, const NB(nb_model) *model,
                                             const NB(nb_delassus) *delassus, const nb_islands *islands,
                                             const NB(nb_cuda_step_options) *options, nb_error *)
{
    auto *step = new NB(nb_cuda_step);
    const bool apart = options->parts == NB_CUDA_PARTS_ISLANDS;
    step->how = apart ? BY_ISLANDS : BY_GRID;
    step->plan = step_divide(*model, delassus, apart ? islands : nullptr);
    step_builder<host_memory> builder(step->memory, *model, step->plan);
    step->s = builder.build(*options, delassus, (size_t)std::max(step->plan.parts, (int)BLOCKS));
    step->s.linear.lone = apart;
    for (int p = 0; p < step->s.parts; ++p)
        step->s.states[p].limit = options->linear_iterations;
    *out = step;
    return NB_OK;
}

extern "C" void NB(nb_cuda_step_free)(NB(nb_cuda_step) *step)
{
    delete step;
}

extern "C" nb_status NB(nb_cuda_step_run)(NB(nb_cuda_step) *step, int first, int end,
                                          const NB(nb_cuda_step_trace) *trace, nb_real *u, nb_real *lambda,
                                          nb_cuda_step_report *report, nb_error *error)
{
    step_system &s = step->s;
    const size_t velocities = 3 * (size_t)s.model.nodes, forces = 3 * (size_t)s.model.blocks;
    std::vector<step_result> kept((size_t)((end - first) * s.parts));
    if (first == 0) {
        std::fill_n(s.u, velocities, NB_REAL(0));
        std::fill_n(s.lambda, forces, NB_REAL(0));
        std::fill_n(s.results, s.parts, step_result());
        launches = 0;
    }
    *report = step_report(s.results, (size_t)s.parts, "emulated");
    if (out_of_memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "an emulated lack of memory");
    s.trace = {trace ? trace->iterate : nullptr, kept.data()};
    launch(s, step->how, first, end, emulated::FORWARD);
    launches++;
    std::copy_n(s.u, velocities, u);
    std::copy_n(s.lambda, forces, lambda);
    for (int k = 0; trace && k < end - first; ++k)
        trace->report[k] = step_report(kept.data() + (size_t)(k * s.parts), (size_t)s.parts, "emulated");
    *report = step_report(s.results, (size_t)s.parts, "emulated");
    return NB_OK;
}

namespace {

struct watched {
    int shown = 0, enough = 1 << 30; // iterations
    long linear_iterations = 0;
    std::vector<double> u, lambda; // the last ones shown
    size_t dofs, multipliers;
};

bool watch(void *context, int iteration, const double *u, const double *lambda, const nb_linear_report *linear)
{
    auto *self = (watched *)context;
    assert_int_equal(iteration, self->shown);
    assert_true((iteration == 0) == !linear);
    self->linear_iterations += linear ? linear->iterations : 0;
    self->shown++;
    self->u.assign(u, u + self->dofs);
    self->lambda.assign(lambda, lambda + self->multipliers);
    return iteration < self->enough;
}

// A solver of a step, and its solution.
struct registered {
    run_of &step;
    nb_solver *solver = nullptr;
    nb_run run = {};
    std::vector<double> u, lambda;

    registered(run_of &given, const char *name) : step(given)
    {
        nb_options options = given.options;
        options.solver = name;
        if (nb_solver_create(&solver, &given.problem, &options, &given.error))
            fail_msg("%s: %s", name, given.error.text);
    }
    ~registered() { nb_solver_free(solver); }

    nb_status go(int iterations, watched *by = nullptr)
    {
        u.assign((size_t)nb_problem_dofs(&step.problem), 0.0);
        lambda.assign((size_t)nb_problem_multipliers(&step.problem), 0.0);
        const nb_observer observer = {by, watch};
        if (by) {
            by->dofs = u.size();
            by->multipliers = lambda.size();
        }
        const nb_status status = nb_solver_run(solver, iterations, by ? &observer : nullptr, &run, &step.error);
        nb_solver_solution(solver, u.data(), lambda.data());
        return status;
    }
};

// One launch, watched or not; what is shown at each iteration is what a run that ends there leaves.
void test_the_observer_sees_each_iterate(void **)
{
    run_of run("balls_in_cube", {"count=8"}, 60);
    for (const char *name : {"cuda_newton:parts=whole", "cuda_newton:parts=islands"})
        for (int enough : {1, 4, 10}) {
            registered one(run, name), other(run, name);
            watched by;
            by.enough = enough;
            assert_int_equal(one.go(10, &by), NB_OK);
            assert_int_equal(launches, 1);
            assert_int_equal(other.go(enough), NB_OK);
            assert_int_equal(launches, 1);
            assert_int_equal(by.shown, enough + 1);
            assert_true(by.u == other.u && by.lambda == other.lambda);
            assert_true(one.u == other.u && one.lambda == other.lambda);
            assert_int_equal(one.run.newton_iterations, other.run.newton_iterations);
            assert_int_equal(one.run.linear_iterations, other.run.linear_iterations);
            assert_int_equal(by.linear_iterations, other.run.linear_iterations);
        }
}

// More iterations than are kept at once.
void test_a_long_run_in_pieces(void **)
{
    run_of run("box_on_plane", {"count=2"});
    registered one(run, "cuda_newton"), other(run, "cuda_newton");
    watched by;
    assert_int_equal(one.go(150, &by), NB_OK);
    assert_int_equal(launches, 3);
    assert_int_equal(by.shown, 151);
    assert_int_equal(other.go(150), NB_OK);
    assert_true(one.u == other.u && one.lambda == other.lambda && by.u == one.u);
    assert_int_equal(by.linear_iterations, other.run.linear_iterations);
}

// The device ends the run, and no more is shown than took place.
void test_endings_of_the_device(void **)
{
    run_of run("heavy_stack", {"count=2"});
    run.options.linear_iterations = 40;
    for (const char *name : {"cuda_newton:floor=yes", "cuda_newton:stop=1e-3", "cuda_newton:parts=islands:floor=yes"}) {
        registered one(run, name), other(run, name);
        watched by;
        assert_int_equal(one.go(60, &by), NB_OK);
        assert_int_equal(other.go(60), NB_OK);
        assert_true(one.run.newton_iterations > 3 && one.run.newton_iterations < 60);
        assert_int_equal(one.run.newton_iterations, other.run.newton_iterations);
        assert_int_equal(by.shown, one.run.newton_iterations + 1);
        assert_false(one.run.broke_down);
        assert_true(one.u == other.u && by.u == one.u && by.lambda == other.lambda);
    }
}

// The matrix rounded to 16 bits solves another system, near the run's own.
void test_storage(void **)
{
    run_of run("box_on_plane", {"count=2"});
    for (const char *form : {"assembled", "factored"}) {
        run.options.operator_form = form;
        registered same(run, "cuda_newton"), stored(run, "cuda_newton:storage=f16");
        registered coarse(run, "cuda_newton:storage=bf16");
        assert_int_equal(same.go(6), NB_OK);
        assert_int_equal(stored.go(6), NB_OK);
        assert_int_equal(coarse.go(6), NB_OK);
        const double off = distance(stored.u, same.u, run.problem.free_velocity);
        const double further = distance(coarse.u, same.u, run.problem.free_velocity);
        assert_true(off > 0 && off < 0.02);
        assert_true(further > off && further < 0.2);
    }
}

// Refined linear solves end where those of the run's own precision do, and each round counts two products.
void test_refinement(void **)
{
    run_of run("box_on_plane", {"count=2"});
    run.options.linear_iterations = 100;
    const std::string bounds[] = {"pcr:in=f32", "pcg:in=f16", "pcg:in=bf16",
                                  "dense_cholesky:in=f32", "dense_cholesky:in=bf16"};
    registered same(run, "cuda_newton");
    assert_int_equal(same.go(4), NB_OK);
    for (const std::string &linear : bounds)
        for (const char *name : {"cuda_newton:parts=whole", "cuda_newton:parts=islands"}) {
            run.options.linear = linear.c_str();
            run.options.precond = linear[0] == 'd' ? "none" : "jacobi";
            run.options.operator_form = linear.find("16") == std::string::npos ? "assembled" : "factored";
            if (linear[0] == 'd')
                run.options.operator_form = "assembled";
            registered one(run, name);
            assert_int_equal(one.go(4), NB_OK);
            assert_int_equal(launches, 1);
            assert_false(one.run.broke_down);
            const double off = distance(one.u, same.u, run.problem.free_velocity);
            assert_true(off < (sizeof(nb_real) == sizeof(double) ? 1e-9 : 1e-3));
            const long besides = one.run.operator_applications - one.run.linear_iterations;
            assert_true(linear[0] == 'd' ? besides == 0 : besides >= 4 && besides % 2 == 0);
        }
}

// One solve an iteration, and newton's steps with the same solver.
void test_cholesky(void **)
{
    run_of run("box_on_plane", {"count=2"});
    run.options.linear = "dense_cholesky";
    run.options.precond = "none";
    run.solve(5, false);
    for (const char *name : {"cuda_newton:parts=whole", "cuda_newton:parts=islands"}) {
        registered one(run, name);
        watched by;
        assert_int_equal(one.go(5, &by), NB_OK);
        assert_int_equal(launches, 1);
        assert_int_equal(by.linear_iterations, 5);
        assert_int_equal(one.run.operator_applications, 0);
        assert_true(distance(one.u, run.u, run.problem.free_velocity) <
                    (sizeof(nb_real) == sizeof(double) ? 1e-9 : 1e-3));
    }
}

// By name, without a preconditioner; what the device does not have is said.
void test_relaxations(void **)
{
    run_of run("box_on_plane", {"count=2"});
    for (const char *linear :
         {"jacobi", "gauss_seidel", "symmetric_gauss_seidel", "sor:omega=1.2", "ssor:omega=1.2", "sor"})
        for (const char *name : {"cuda_newton:parts=whole", "cuda_newton:parts=islands"}) {
            run.options.linear = linear;
            run.options.precond = "none";
            registered one(run, name);
            watched by;
            assert_int_equal(one.go(4, &by), NB_OK);
            assert_int_equal(launches, 1);
            assert_int_equal(by.shown, 5);
            assert_false(one.run.broke_down);
            assert_true(one.run.linear_iterations > 0);
            const bool power = strcmp(linear, "jacobi") == 0;
            const bool twice = strstr(linear, "symmetric") || strstr(linear, "ssor");
            const long besides = one.run.operator_applications - (twice ? 2 : 1) * one.run.linear_iterations;
            const bool estimated = strcmp(linear, "sor") == 0;
            assert_int_equal(besides, 4 * (power ? 11 : estimated ? 12 : 2));
        }
}

void refused(run_of &run, const char *solver, const char *linear, const char *form, const char *because)
{
    nb_options options = run.options;
    nb_solver *none = nullptr;
    options.solver = solver;
    options.linear = linear;
    options.operator_form = form;
    assert_int_equal(nb_solver_create(&none, &run.problem, &options, &run.error), NB_UNSUPPORTED);
    assert_null(none);
    if (!strstr(run.error.text, because))
        fail_msg("%s, %s, %s: %s", solver, linear, form, run.error.text);
}

void test_what_the_device_does_not_have(void **)
{
    run_of run("box_on_plane", {"count=2"});
    refused(run, "cuda_newton", "chebyshev", "assembled", "not chebyshev");
    refused(run, "cuda_newton:placed=cluster8", "gauss_seidel", "factored", "by factors gauss_seidel is not made");
    refused(run, "cuda_newton", "jacobi:islands=yes", "assembled", "parts=islands");
    refused(run, "cuda_newton", "dense_cholesky", "factored", "dense_cholesky takes the matrix");
    refused(run, "cuda_newton:placed=cluster8", "dense_cholesky", "assembled", "dense_cholesky is not made for clusters");
    refused(run, "cuda_newton:storage=f16", "dense_cholesky", "assembled", "storage=same");
    refused(run, "cuda_newton", "dense_cholesky:in=f32", "factored", "dense_cholesky takes the matrix");
    refused(run, "cuda_newton", "jacobi:in=f16", "assembled", "in= is for linear pcr, pcg and dense_cholesky");
    refused(run, "cuda_newton:storage=f16", "pcr:in=f16", "assembled", "storage=same");
}

void test_lack_of_memory_is_the_runs_status(void **)
{
    run_of run("box_on_plane", {"count=2"});
    registered one(run, "cuda_newton");
    watched by;
    out_of_memory = 1;
    assert_int_equal(one.go(4, &by), NB_OUT_OF_MEMORY);
    assert_int_equal(one.go(4), NB_OUT_OF_MEMORY);
    out_of_memory = 0;
    assert_non_null(strstr(run.error.text, "an emulated lack of memory"));
    assert_int_equal(one.go(4), NB_OK);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_observer_sees_each_iterate),
        cmocka_unit_test(test_a_long_run_in_pieces),
        cmocka_unit_test(test_endings_of_the_device),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_refinement),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_relaxations),
        cmocka_unit_test(test_what_the_device_does_not_have),
        cmocka_unit_test(test_lack_of_memory_is_the_runs_status),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

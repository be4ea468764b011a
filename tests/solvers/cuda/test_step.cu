// Whole time steps of cuda_newton against newton on the CPU: the same velocities and forces, assembled and by factors,
// however the device takes the step; what an observer sees; what is refused; and no memory. CUDA's runtime is one in
// host memory, its threads are emulated (steps.cuh). Needs no device.
#include "tests/solvers/cuda/steps.cuh"

namespace {

// What a Newton iteration is made of, at (u, lambda) after some of the CPU's iterations, against the
// CPU's: rows, right side, and the product of A with a vector. Row k of the device's is index[k].
void same_linearisation(run_of &run, const char *name, const way &how)
{
    device_step device(run, how);
    step_system &s = device.step->system;
    NB(nb_newton) *newton = device.newton;
    const NB(nb_model) &model = *device.model;
    const size_t n = newton->op.size, jacobian = 9 * (size_t)model.jacobian.start[model.blocks];
    run.solve(2, false);
    NB(nb_model_narrow_velocity)(device.model, run.u.data(), s.u);
    NB(nb_model_narrow_multiplier)(device.model, run.lambda.data(), s.lambda);
    std::vector<nb_real> mine(n), theirs(n), right(n), x(n), diagonal(n);
    for (size_t i = 0; i < n; ++i)
        x[i] = (nb_real)(1 + (double)(i * 7 % 11)) * (i % 2 ? 1 : -1);
    for (size_t i = 0; i < n; ++i)
        s.linear.z[i] = x[3 * (size_t)s.rows.index[i / 3] + i % 3];
    emulated::launch((unsigned)device.step->blocks, (unsigned)device.step->threads, emulated::FORWARD, [&] {
        const step_team apart = {(int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x};
        const step_team team = s.linear.lone ? apart : step_grid_team();
        const auto barrier = s.linear.lone ? __syncthreads : emulated::wait_for_grid;
        step_linearise(s, team, barrier);
        const linear_system<nb_real> system = step_linear(s, team);
        prepare_product(system, system.z, barrier);
        multiply(system, system.z,
                 [&](int row, int c, const nb_real *all) { system.w[3 * row + c] = component(all, c); });
    });
    if (NB(nb_newton_linearise)(newton, s.u, s.lambda, 1, &run.error))
        fail_msg("%s: %s", name, run.error.text);
    NB(nb_operator_apply)(&newton->op, x.data(), theirs.data());
    for (size_t i = 0; i < n; ++i) {
        const size_t row = 3 * (size_t)s.rows.index[i / 3] + i % 3;
        mine[row] = s.linear.w[i];
        right[row] = s.linear.b[i];
        diagonal[row] = 1 / s.linear.inverse[i];
    }
    // Where the rows are nearly solved, what is left of them is the rounding of free fall.
    double fall = 0;
    for (int i = 0; i < 3 * model.nodes; ++i)
        fall = std::max(fall, std::fabs((double)model.free_velocity[i]));
    const double off[] = {difference(s.model.jacobian.value, model.jacobian.value, jacobian),
                          difference(s.model.violation, model.violation, n, fall),
                          difference(s.row_scale, newton->row_scale, n),
                          difference(s.diagonal, newton->diagonal, n),
                          difference(s.constraint, newton->constraint, n, fall),
                          difference(right.data(), newton->right_side, n, fall),
                          difference(mine.data(), theirs.data(), n),
                          difference(diagonal.data(), newton->op.diagonal, n)};
    static const char *const what[] = {"J", "violation", "L", "C", "h", "b", "A x", "P"};
    for (size_t k = 0; k < sizeof off / sizeof *off; ++k)
        if (!(off[k] < 1e5 * NB_UNIT_ROUNDOFF))
            fail_msg("%s: %s is %g off", name, what[k], off[k]);
}

FULL_TEST(the_linearisation_of_every_scene)
{
    for (const test_scene &one : test_scenes()) {
        run_of run(one.name, one.settings, one.steps);
        for (const char *form : {"factored", "assembled"}) {
            if (one.large && strcmp(form, "assembled") == 0)
                continue;
            run.options.operator_form = form;
            run.options.linear_iterations = 4;
            same_linearisation(run, one.name, ways[0]);
            if (!one.large)
                same_linearisation(run, one.name, ways[2]);
        }
    }
}

// A step, and what to ask of both sides for it. PCR multiplies differences by about ten an iteration where it is near
// the solution of an ill-conditioned system: with ten iterations in each of four Newton iterations 1e-16 becomes 1e-3
// on the hinges, and 6e-8, of float, becomes 2e-2 on the beam. So few.
struct compared_step {
    const char *scene;
    std::vector<const char *> settings;
    int steps, iterations, linear_iterations;
    const char *linear, *precond, *form;
    const char *ncp = "fb", *newton_form = "scaled";
};
const std::vector<compared_step> compared = {
    {"heavy_stack", {}, 0, 5, 10, "pcr", "jacobi", "assembled"},
    {"heavy_stack", {}, 0, 4, 10, "pcg", "jacobi", "assembled"},
    {"box_on_plane", {"count=4"}, 0, 6, 10, "pcr", "jacobi", "assembled", "min"},
    {"box_on_plane", {"count=4"}, 0, 6, 10, "pcr", "block_jacobi", "assembled", "fb", "true"},
    {"box_on_plane", {"count=4"}, 0, 3, 10, "jacobi", "none", "factored"},
    {"balls_in_cube", {"count=12"}, 60, 3, 10, "jacobi", "none", "assembled"}, // islands of several sizes
    {"beam", {"count=4"}, 0, 4, 5, "pcr", "jacobi", "assembled"},
    {"double_pendulum_mass", {}, 0, 4, 10, "pcr", "jacobi", "assembled"},
    {"hinge_limits", {"count=4"}, 30, 4, 5, "pcr", "jacobi", "assembled"},
    {"hinge_limits", {"count=4"}, 30, 2, 5, "pcg", "block_jacobi", "factored"},
    {"two_boxes", {}, 0, 2, 5, "pcr", "block_jacobi", "factored"},
    {"particle_chain", {"count=5"}, 10, 4, 5, "pcr", "jacobi", "assembled"},
    {"material_extension", {"cells=2", "cells_across=1", "rise=0.05"}, 3, 3, 5, "pcr", "jacobi", "assembled"},
    {"sheet", {"cells=2", "cells_across=2", "rise=0.05", "material=1"}, 3, 3, 5, "pcr", "jacobi", "assembled"},
    {"sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3, 2, 5, "pcg", "jacobi", "factored"},
};

FULL_TEST(steps)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    for (const compared_step &one : compared) {
        run_of run(one.scene, one.settings, one.steps);
        run.options.linear = one.linear;
        run.options.precond = one.precond;
        run.options.operator_form = one.form;
        run.options.ncp = one.ncp;
        run.options.newton_form = one.newton_form;
        run.options.linear_iterations = one.linear_iterations;
        for (const way &how : ways) {
            run.solve(one.iterations, how.islands);
            device_run device(run, how);
            for (int twice = 0; twice < 2; ++twice) { // nothing of the first may be left in the second
                host::turns = twice ? emulated::BACKWARD : emulated::SCATTERED;
                assert_int_equal(device.go(one.iterations), NB_OK);
                assert_false(device.run.broke_down);
                assert_int_equal(device.run.newton_iterations, one.iterations);
            }
            const char *team = !how.islands || device.run.detail[3] == 'a' ? how.team : "in one block";
            assert_string_equal(device.run.detail, team);
            const double velocities = distance(device.u, run.u, run.problem.free_velocity);
            const double forces = distance(device.lambda, run.lambda, run.lambda.data());
            if (!(velocities < (wide ? 1e-8 : 2e-2) && forces < (wide ? 1e-6 : 0.2)))
                fail_msg("%s, %s, %s: velocities %g off, forces %g", one.scene, one.linear, how.solver, velocities,
                         forces);
        }
    }
    assert_int_equal(host::held, 0);
}

FULL_TEST(the_order_of_threads_does_not_matter)
{
    run_of run("box_on_plane", {"count=3"});
    for (const char *linear : {"pcr", "pcg", "jacobi", "gauss_seidel"})
        for (const char *form : {"assembled", "factored"})
            for (const way &how : ways) {
                run.options.linear = linear;
                run.options.operator_form = form;
                if (linear[0] == 'g' && form[0] == 'f')
                    continue;
                device_run device(run, how);
                std::vector<double> u, lambda;
                for (emulated::order turns : {emulated::FORWARD, emulated::BACKWARD, emulated::SCATTERED}) {
                    host::turns = turns;
                    assert_int_equal(device.go(2), NB_OK);
                    u = u.empty() ? device.u : u;
                    lambda = lambda.empty() ? device.lambda : lambda;
                    assert_true(u == device.u && lambda == device.lambda);
                }
            }
}

// All threads learn that a velocity is no number, before any of them moves.
FULL_TEST(not_finite)
{
    run_of run("box_on_plane", {"count=1"});
    for (const char *linear : {"pcr", "pcg", "jacobi", "gauss_seidel"})
        for (const way &how : ways) {
            run.options.linear = linear;
            device_step device(run, how);
            const step_system &s = device.step->system;
            const_cast<nb_real *>(s.model.free_velocity)[0] = INFINITY;
            for (emulated::order turns : {emulated::FORWARD, emulated::BACKWARD}) {
                host::turns = turns;
                const nb_cuda_step_report report = device.go(3);
                assert_string_equal(report.failure, "the linear solve is not finite");
                assert_int_equal(report.newton_iterations, 0);
                for (int i = 0; i < 3 * s.model.nodes; ++i)
                    assert_true(s.u[i] == 0);
            }
        }
}

struct watched {
    int shown = 0, enough = 1 << 30; // iterations
    long linear_iterations = 0;
    std::vector<double> u, lambda; // the last ones shown

    explicit watched(const run_of &run)
        : u((size_t)nb_problem_dofs(&run.problem)), lambda((size_t)nb_problem_multipliers(&run.problem))
    {
    }
};

bool watch(void *context, int iteration, const double *u, const double *lambda, const nb_linear_report *linear)
{
    auto *self = (watched *)context;
    assert_int_equal(iteration, self->shown);
    assert_true((iteration == 0) == !linear);
    self->linear_iterations += linear ? linear->iterations : 0;
    self->shown++;
    std::copy_n(u, self->u.size(), self->u.begin());
    std::copy_n(lambda, self->lambda.size(), self->lambda.begin());
    return iteration < self->enough;
}

// What is shown at each iteration is what a run that ends there leaves; so many launches, more iterations than are kept
// at once among them.
FULL_TEST(an_observer)
{
    run_of run("balls_in_cube", {"count=8"}, 60);
    run.options.linear_iterations = 3;
    struct {
        int iterations, enough, launches;
    } const cases[] = {{10, 1, 1}, {10, 4, 1}, {70, 70, 2}};
    for (const way &how : ways)
        for (const auto &one : cases) {
            device_run observed(run, how), alone(run, how);
            watched by(run);
            const nb_observer observer = {&by, watch, nullptr};
            by.enough = one.enough;
            const int before = host::launches;
            assert_int_equal(observed.go(one.iterations, &observer), NB_OK);
            assert_int_equal(host::launches - before, one.launches);
            assert_int_equal(alone.go(one.enough), NB_OK);
            assert_int_equal(by.shown, one.enough + 1);
            assert_true(by.u == alone.u && by.lambda == alone.lambda);
            assert_true(observed.u == alone.u && observed.lambda == alone.lambda);
            assert_int_equal(observed.run.newton_iterations, alone.run.newton_iterations);
            assert_int_equal(observed.run.linear_iterations, alone.run.linear_iterations);
            assert_int_equal(by.linear_iterations, alone.run.linear_iterations);
        }
    assert_int_equal(host::held, 0);
}

// Products with the operator: one an iteration and one besides, two with colours, and the power iterations of Jacobi.
FULL_TEST(counts)
{
    run_of run("box_on_plane", {"count=2"});
    struct {
        const char *linear;
        int besides;
    } const cases[] = {{"pcr", 1}, {"pcg", 1}, {"jacobi", 11}, {"gauss_seidel", 2}};
    for (const auto &one : cases) {
        run.options.linear = one.linear;
        device_run device(run, ways[0]);
        assert_int_equal(device.go(4), NB_OK);
        assert_true(device.run.linear_iterations > 0);
        assert_int_equal(device.run.operator_applications - device.run.linear_iterations, 4 * one.besides);
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

FULL_TEST(what_the_device_does_not_have)
{
    run_of run("box_on_plane", {"count=2"});
    refused(run, "cuda_newton", "chebyshev", "assembled", "not chebyshev");
    refused(run, "cuda_newton", "gauss_seidel", "factored", "single rows of the matrix");
    refused(run, "cuda_newton", "jacobi:islands=yes", "assembled", "by=islands");
    refused(run, "cuda_newton", "pcr:in=f16", "assembled", "storage=");
    host::room = 2000;
    refused(run, "cuda_newton:by=block", "pcr", "assembled", "does not fit a block's shared memory");
}

// Whichever allocation is the one too many, that is the status, also of a run that is watched; and nothing is left.
FULL_TEST(lack_of_memory)
{
    run_of run("box_on_plane", {"count=2"});
    for (const way &how : {ways[0], ways[2]}) {
        nb_options options = run.options;
        options.solver = how.solver;
        host::room = how.room;
        int enough = 0;
        for (nb_status status = NB_OUT_OF_MEMORY; status == NB_OUT_OF_MEMORY; ++enough) {
            nb_solver *solver = nullptr;
            nb_run counts;
            watched by(run);
            const nb_observer observer = {&by, watch, nullptr};
            host::left = enough;
            status = nb_solver_create(&solver, &run.problem, &options, &run.error);
            if (!status)
                status = nb_solver_run(solver, 2, &observer, &counts, &run.error);
            nb_solver_free(solver);
            assert_true(status == NB_OK || status == NB_OUT_OF_MEMORY);
            assert_int_equal(host::held, 0);
        }
        assert_true(enough > 50);
    }
    host::left = 1L << 30;
}

FIXTURE(know_kernels, nullptr)

} // namespace

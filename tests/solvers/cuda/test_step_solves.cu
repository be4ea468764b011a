// The linear solves within whole steps of cuda_newton against solves by the book with what the step has stored: the
// matrix or the blocks of L J in the run's precision or in 16 bits, Gauss-Seidel by colours; and its velocities against
// the CPU's where both have converged. Needs no device.
#include "tests/solvers/cuda/plain.cuh"
#include "tests/solvers/cuda/steps.cuh"

namespace {

// Entry k of the values of A or L J, widened by arithmetic of its own.
double stored_value(const step_system &s, size_t k)
{
    if (!s.linear.storage)
        return (double)((const nb_real *)s.linear.value)[k];
    const unsigned bits = ((const unsigned short *)s.linear.value)[k];
    const int digits = s.linear.storage == STORED_F16 ? 10 : 7, bias = s.linear.storage == STORED_F16 ? 15 : 127;
    const int exponent = (int)(bits >> digits & ((1u << (15 - digits)) - 1));
    const unsigned fraction = bits & ((1u << digits) - 1);
    const double size = exponent ? std::ldexp(fraction + (double)(1u << digits), exponent - bias - digits)
                                 : std::ldexp((double)fraction, 1 - bias - digits);
    return bits & 0x8000u ? -size : size;
}

std::vector<double> widened(const nb_real *from, size_t count)
{
    return std::vector<double>(from, from + count);
}

// The system of the part's last linear solve.
problem part_problem(const NB(nb_cuda_step) &step, size_t part)
{
    const step_system &s = step.system;
    const step_partition &own = step.partition;
    const size_t first = (size_t)own.rows.start[part], rows = (size_t)own.rows.start[part + 1] - first;
    const size_t entry = (size_t)own.start[first], entries = (size_t)own.start[first + rows] - entry;
    std::vector<double> value;
    for (size_t k = 9 * entry; k < 9 * (entry + entries); ++k)
        value.push_back(stored_value(s, k));
    problem out;
    if (own.factored) {
        const size_t node = (size_t)own.nodes.start[part], nodes = (size_t)own.nodes.start[part + 1] - node;
        out = assemble((int)rows, (int)nodes, own.start.data() + first, own.column.data() + entry, value,
                       widened(s.linear.factors.inverse_mass + 9 * node, 9 * nodes),
                       widened(s.linear.factors.compliance + 9 * first, 9 * rows));
    } else {
        out.rows = (int)rows;
        for (size_t row = 0; row <= rows; ++row)
            out.start.push_back(own.start[first + row] - (int)entry);
        out.column.assign(own.column.begin() + (long)entry, own.column.begin() + (long)(entry + entries));
        out.value = value;
    }
    out.b = widened(s.linear.b + 3 * first, 3 * rows);
    return out;
}

// Its preconditioner.
std::vector<double> part_inverse(const NB(nb_cuda_step) &step, size_t part)
{
    const size_t wide = step.system.linear.wide ? 9 : 3, first = (size_t)step.partition.rows.start[part];
    const size_t rows = (size_t)step.partition.rows.start[part + 1] - first;
    return widened(step.system.linear.inverse + wide * first, wide * rows);
}

const std::vector<test_scene> scenes = {
    {"box_on_plane", {"count=4"}, 0, false},
    {"balls_in_cube", {"count=12"}, 60, false}, // islands of several sizes
    {"heavy_stack", {"count=3"}, 0, false},
    {"hinge_limits", {"count=4"}, 30, false},
    {"sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3, false},
};

// To the nearest number of so many binary digits, ties to even, and none below the least.
double rounded(double value, nb_cuda_storage storage)
{
    const int digits = storage == NB_CUDA_F16 ? 11 : 8, least = storage == NB_CUDA_F16 ? -24 : -133;
    const int unit = std::max(std::ilogb(value) - digits + 1, least);
    return value == 0 ? 0 : std::ldexp(std::nearbyint(std::ldexp((double)(float)value, -unit)), unit);
}

// In the first Newton iteration both runs have the same matrix, but for its rounding, and the same preconditioner.
FULL_TEST(what_is_stored)
{
    for (const test_scene &one : scenes)
        for (const char *form : {"assembled", "factored"})
            for (nb_cuda_storage storage : {NB_CUDA_F16, NB_CUDA_BF16}) {
                run_of run(one.name, one.settings, one.steps);
                run.options.operator_form = form;
                device_step same(run, ways[3]);
                run.storage = storage;
                device_step stored(run, ways[3]);
                same.go(1);
                stored.go(1);
                const step_system &from = same.step->system, &to = stored.step->system;
                for (size_t k = 0; k < 9 * same.step->partition.column.size(); ++k)
                    if (stored_value(to, k) != rounded(stored_value(from, k), storage))
                        fail_msg("%s, %s: %g is stored as %g", one.name, form, stored_value(from, k),
                                 stored_value(to, k));
                assert_memory_equal(from.linear.inverse, to.linear.inverse,
                                    3 * (size_t)from.linear.rows * sizeof(nb_real));
            }
}

// The last linear solve of each part by the same method in double.
void same_solve(run_of &run, const char *name, const way &how)
{
    const char *const linear = run.options.linear;
    device_step device(run, how);
    const NB(nb_cuda_step) &step = *device.step;
    device.go(2);
    int solved = 0;
    for (size_t p = 0; p < step.parts; ++p) {
        const int count = step.system.states[p].iteration;
        assert_int_equal(step.system.results[p].failure, STEP_FINE);
        if (count == 0)
            continue; // there was nothing to solve
        solved++;
        const size_t first = (size_t)step.partition.rows.start[p];
        const problem system = part_problem(step, p);
        const std::vector<double> inverse = part_inverse(step, p);
        const int *order = step.system.linear.order; // of all parts; null without colours
        const std::vector<double> x =
            !strcmp(linear, "gauss_seidel") ? plain_gauss_seidel(system, inverse, order + first, count)
            : !strcmp(linear, "jacobi")     ? plain_jacobi(system, inverse, count)
                                            : plain_krylov(system, inverse, count, linear[2] == 'g');
        const double off = difference(step.system.linear.x + 3 * first, x.data(), x.size());
        if (!(off < 3000 * NB_UNIT_ROUNDOFF))
            fail_msg("%s, %s, %s, %s, part %d: x is %g off", name, linear, run.options.operator_form, how.solver,
                     (int)p, off);
    }
    assert_true(solved > 0);
}

FULL_TEST(solves)
{
    static const struct {
        const char *linear;
        nb_cuda_storage storage;
        int iterations;
    } cases[] = {{"pcr", NB_CUDA_F16, 2},  {"pcg", NB_CUDA_BF16, 2},          {"jacobi", NB_CUDA_BF16, 6},
                 {"jacobi", NB_CUDA_SAME, 6}, {"gauss_seidel", NB_CUDA_SAME, 6}, {"gauss_seidel", NB_CUDA_F16, 6}};
    for (const test_scene &one : scenes)
        for (const char *form : {"assembled", "factored"})
            for (const auto &given : cases)
                for (const way &how : ways) {
                    run_of run(one.name, one.settings, one.steps);
                    run.options.operator_form = form;
                    run.options.linear = given.linear;
                    run.options.linear_iterations = given.iterations;
                    run.storage = given.storage;
                    const bool far = how.by == NB_CUDA_STEP_BY_GRID; // where Jacobi's factor can be looked at
                    if (given.linear[0] == 'p' || (given.linear[0] == 'g' ? form[0] == 'a' : far))
                        same_solve(run, one.name, how);
                }
}

// Where the sweeps have converged their order is gone: the CPU's solution, and the CPU's ending by a tolerance.
FULL_TEST(converged_sweeps)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    run_of run("box_on_plane", {"count=2"});
    run.options.linear_iterations = 300;
    for (const way &how : ways) {
        run.options.linear = "gauss_seidel";
        run.solve(3, how.islands);
        device_run device(run, how);
        assert_int_equal(device.go(3), NB_OK);
        const double off = distance(device.u, run.u, run.problem.free_velocity);
        if (!(off < (wide ? 1e-9 : 1e-3)))
            fail_msg("%s: velocities %g off", how.solver, off);
        run.options.linear = "gauss_seidel:tol=1e-4";
        device_step early(run, how);
        const nb_cuda_step_report report = early.go(2);
        assert_int_equal(report.ending, NB_LINEAR_CONVERGED);
        assert_in_range(report.linear_iterations, 2, 299); // the first right side is zero
    }
}

FULL_TEST(less_memory)
{
    run_of run("heavy_stack", {"count=3"});
    for (const char *form : {"assembled", "factored"}) {
        run.options.operator_form = form;
        run.storage = NB_CUDA_SAME;
        device_step same(run, ways[1]);
        run.storage = NB_CUDA_F16;
        device_step stored(run, ways[1]);
        const size_t values = 9 * same.step->partition.column.size();
        const size_t narrower = values * (sizeof(nb_real) - 2), spared = same.step->room - stored.step->room;
        assert_in_range(spared, narrower - 16, narrower + 16);
    }
}

FIXTURE(know_kernels, nullptr)

} // namespace

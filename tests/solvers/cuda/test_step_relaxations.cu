// The relaxations of cuda_newton on emulated threads: Jacobi against newton on the CPU, Gauss-Seidel by colours
// against a plain loop over the same rows, and against the CPU's solution where both have converged. Needs neither a
// device nor nvcc.
#include "tests/solvers/cuda/emulate.cuh"

#include "tests/solvers/cuda/scenes.cuh"
#include "tests/solvers/cuda/step_parts.cuh"

namespace {

const std::vector<test_scene> scenes = {
    {"box_on_plane", {"count=4"}, 0, false},
    {"balls_in_cube", {"count=12"}, 60, false}, // islands of several sizes
    {"heavy_stack", {"count=3"}, 0, false},
    {"beam", {"count=4"}, 0, false},
    {"hinge_limits", {"count=4"}, 30, false},
    {"sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3, false},
};

// A relaxation rounds once an iteration and nothing grows: each Newton iteration is the CPU's but for rounding, the
// estimated factor with it.
void same_as_cpu(run_of &run, const char *name, int iterations)
{
    std::vector<double> u, lambda;
    const bool factored = strcmp(run.options.operator_form, "factored") == 0;
    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_CLUSTER_LEAN, BY_ISLANDS, BY_ISLANDS_NEAR,
                         BY_ISLANDS_CLUSTERS}) {
        if (how == BY_CLUSTER_LEAN && !factored)
            continue;
        run.solve(iterations, how >= BY_ISLANDS);
        emulate(run, how, iterations, iterations, emulated::FORWARD, u, lambda);
        const double velocities = distance(u, run.u, run.problem.free_velocity);
        const double forces = distance(lambda, run.lambda, run.lambda.data());
        const double bound = 1000 * (double)NB_UNIT_ROUNDOFF;
        if (!(velocities < bound && forces < bound))
            fail_msg("%s, %s: velocities %g off, forces %g", name, division_names[how], velocities, forces);
    }
}

void test_jacobi(void **)
{
    for (const test_scene &one : scenes) {
        run_of run(one.name, one.settings, one.steps);
        run.options.linear = "jacobi";
        for (const char *form : {"assembled", "factored"}) {
            run.options.operator_form = form;
            same_as_cpu(run, one.name, 3);
        }
    }
}

// Sweeps over a part's rows colour by colour, from zero, with the matrix and right side of the last Newton iteration;
// an iteration is one forward and, where symmetric, one backward in all.
std::vector<double> plain_sweeps(const step_system &s, const step_plan &plan, int part, int count, double omega,
                                 bool symmetric)
{
    const problem p = part_problem(s, plan, part);
    const int *const order = s.linear.order + plan.rows.start[(size_t)part];
    std::vector<double> x(p.size(), 0.0);
    for (int sweep = 0; sweep < (symmetric ? 2 * count : count); ++sweep)
        for (int turn = 0; turn < p.rows; ++turn)
            for (int scalar = 0; scalar < 3; ++scalar) {
                const bool backward = symmetric && sweep % 2;
                const int row = order[backward ? p.rows - 1 - turn : turn], r = backward ? 2 - scalar : scalar;
                double residual = p.b[3 * (size_t)row + (size_t)r], diagonal = 0;
                for (int k = p.start[(size_t)row]; k < p.start[(size_t)row + 1]; ++k)
                    for (int c = 0; c < 3; ++c) {
                        const double entry = p.value[9 * (size_t)k + 3 * (size_t)r + (size_t)c];
                        residual -= entry * x[3 * (size_t)p.column[(size_t)k] + (size_t)c];
                        diagonal = p.column[(size_t)k] == row && c == r ? entry : diagonal;
                    }
                x[3 * (size_t)row + (size_t)r] += omega * residual / diagonal;
            }
    return x;
}

// The smallest eigenvalue of a dense symmetric matrix, by Jacobi's rotations.
double smallest_eigenvalue(std::vector<double> a, size_t n)
{
    for (int sweep = 0; sweep < 30; ++sweep)
        for (size_t p = 0; p + 1 < n; ++p)
            for (size_t q = p + 1; q < n; ++q) {
                const double angle = 0.5 * std::atan2(2 * a[p * n + q], a[q * n + q] - a[p * n + p]);
                const double c = std::cos(angle), s = std::sin(angle);
                for (size_t k = 0; k < n; ++k) {
                    const double left = a[k * n + p], right = a[k * n + q];
                    a[k * n + p] = c * left - s * right;
                    a[k * n + q] = s * left + c * right;
                }
                for (size_t k = 0; k < n; ++k) {
                    const double upper = a[p * n + k], lower = a[q * n + k];
                    a[p * n + k] = c * upper - s * lower;
                    a[q * n + k] = s * upper + c * lower;
                }
            }
    double least = a[0];
    for (size_t k = 0; k < n; ++k)
        least = std::min(least, a[k * n + k]);
    return least;
}

// Young's optimum for the smallest eigenvalue that ten steps see: the Rayleigh quotients of D^-1/2 A D^-1/2 in its
// Krylov space, whose basis is made orthogonal twice over, from the start of signs that power_start.h has.
double plain_factor(const problem &p)
{
    const size_t n = p.size();
    std::vector<double> a = spread(p), v(n), small;
    std::vector<std::vector<double>> basis;
    const std::vector<double> given = a;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j)
            a[i * n + j] /= std::sqrt(given[i * n + i] * given[j * n + j]);
        v[i] = 1 + (double)((i * 2654435761u) >> 4 & 255u) / 256.0;
    }
    const auto apply = [&](const std::vector<double> &x) {
        std::vector<double> y(n, 0.0);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j)
                y[i] += a[i * n + j] * x[j];
        return y;
    };
    for (size_t k = 0; k < 10 && k < n; ++k) {
        const double before = std::sqrt(dot(v, v));
        for (int twice = 0; twice < 2; ++twice)
            for (const std::vector<double> &one : basis) {
                const double along = dot(one, v);
                for (size_t i = 0; i < n; ++i)
                    v[i] -= along * one[i];
            }
        const double size = std::sqrt(dot(v, v));
        if (!(size > 1e-7 * before)) // nothing is left but rounding
            break;
        for (double &one : v)
            one /= size;
        basis.push_back(v);
        v = apply(v);
    }
    for (const std::vector<double> &left : basis)
        for (const std::vector<double> &right : basis)
            small.push_back(dot(left, apply(right)));
    const double low = std::min(std::max(smallest_eigenvalue(small, basis.size()), 0.05), 1.0);
    return 2 / (1 + std::sqrt(low * (2 - low)));
}

// The factor of a part: the one given, or what the device has found.
double factor_of(const run_of &run, const step_system &s, const problem &part, int number, const char *name,
                 division how)
{
    if (!strstr(run.options.linear, "sor"))
        return 1;
    if (run.omega > 0)
        return (double)run.omega;
    const double mine = (double)s.spectra[number].omega, wanted = plain_factor(part);
    if (!(std::fabs(mine - wanted) < (sizeof(nb_real) == sizeof(double) ? 1e-9 : 2e-4)))
        fail_msg("%s, %s, part %d: a factor of %.12g, not %.12g", name, division_names[how], number, mine, wanted);
    return mine;
}

void same_sweeps(run_of &run, const char *name, int iterations)
{
    const bool symmetric = strcmp(run.options.linear, "ssor") == 0 ||
                           strcmp(run.options.linear, "symmetric_gauss_seidel") == 0;
    const bool factored = strcmp(run.options.operator_form, "factored") == 0;
    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_ISLANDS, BY_ISLANDS_NEAR, BY_CLUSTER, BY_ISLANDS_CLUSTERS}) {
        if (clustered(how) && factored)
            continue; // the blocks of a cluster would share nodes
        emulated_step step(run, how);
        int most = 0; // where a right side is zero there is nothing to solve
        launch(step.s, how, 0, iterations, emulated::FORWARD);
        for (int p = 0; p < step.s.parts; ++p) {
            const step_result &result = step.s.results[p];
            if (step.plan.rows.start[(size_t)p] == step.plan.rows.start[(size_t)p + 1])
                continue; // nothing holds it
            const double factor = factor_of(run, step.s, part_problem(step.s, step.plan, p), p, name, how);
            const std::vector<double> x =
                plain_sweeps(step.s, step.plan, p, run.options.linear_iterations, factor, symmetric);
            assert_int_equal(result.failure, STEP_FINE);
            most = std::max(most, result.linear_iterations);
            const nb_real *mine = step.s.linear.x + 3 * (size_t)step.plan.rows.start[(size_t)p];
            const double off = difference(mine, x.data(), x.size());
            if (!(off < 300 * NB_UNIT_ROUNDOFF))
                fail_msg("%s, %s, part %d: sweeps %g off", name, division_names[how], p, off);
        }
        assert_true(most >= (iterations - 1) * run.options.linear_iterations);
    }
}

void test_gauss_seidel_by_colours(void **)
{
    for (const test_scene &one : scenes) {
        run_of run(one.name, one.settings, one.steps);
        for (const char *linear : {"gauss_seidel", "symmetric_gauss_seidel", "sor", "ssor"}) {
            run.options.linear = linear;
            run.omega = strcmp(linear, "ssor") == 0 ? NB_REAL(1.25) : 0; // sor estimates it
            for (const char *form : {"assembled", "factored"}) {
                run.options.operator_form = form;
                same_sweeps(run, one.name, 3);
            }
        }
    }
}

// Where the sweeps have converged their order is gone: the CPU's solution, and the CPU's ending by a tolerance.
void converges(run_of &run, division how)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    std::vector<double> u, lambda;
    run.solve(3, how >= BY_ISLANDS);
    emulate(run, how, 3, 3, emulated::FORWARD, u, lambda);
    const double off = distance(u, run.u, run.problem.free_velocity);
    if (!(off < (wide ? 1e-9 : 1e-3)))
        fail_msg("%s, %s: velocities %g off", run.options.linear, division_names[how], off);
    emulated_step step(run, how);
    for (int p = 0; p < step.s.parts; ++p)
        step.s.states[p].tolerance = NB_REAL(1e-4);
    launch(step.s, how, 0, 2, emulated::FORWARD);
    for (int p = 0; p < step.s.parts; ++p) {
        assert_int_equal(step.s.results[p].ending, NB_LINEAR_CONVERGED);
        assert_in_range(step.s.results[p].linear_iterations, 2, 299); // the first right side is zero
    }
}

void test_converged_sweeps(void **)
{
    run_of run("box_on_plane", {"count=2"});
    run.options.linear_iterations = 300;
    for (const char *linear : {"gauss_seidel", "symmetric_gauss_seidel", "sor", "ssor"}) {
        run.options.linear = linear;
        run.omega = strcmp(linear, "sor") == 0 ? NB_REAL(1.25) : 0; // ssor estimates it
        for (division how : {BY_GRID, BY_GRAPH, BY_ISLANDS_NEAR, BY_CLUSTER})
            converges(run, how);
    }
}

// Each row of a part has a colour, which none of its neighbours has.
void test_colours_of_parts(void **)
{
    run_of run("balls_in_cube", {"count=12"}, 60);
    run.options.linear = "gauss_seidel";
    emulated_step step(run, BY_ISLANDS);
    run.options.operator_form = "factored";
    emulated_step factors(run, BY_ISLANDS);
    assert_memory_equal(step.s.linear.order, factors.s.linear.order,
                        (size_t)step.s.linear.rows * sizeof *step.s.linear.order);
    const step_plan &plan = step.plan;
    const step_colours colours = step_colour(plan.parts, plan.rows.start, plan.start, plan.column);
    assert_true(plan.parts > 1 && colours.most > 1);
    for (size_t p = 0; p < (size_t)plan.parts; ++p) {
        const int first = plan.rows.start[p], rows = plan.rows.start[p + 1] - first;
        std::vector<int> colour((size_t)rows, -1);
        for (int c = colours.first[p]; c < colours.first[p + 1] - 1; ++c)
            for (int k = colours.start[(size_t)c]; k < colours.start[(size_t)c + 1]; ++k)
                colour[(size_t)colours.order[(size_t)(first + k)]] = c;
        for (int i = 0; i < rows; ++i) {
            assert_true(colour[(size_t)i] >= 0);
            for (int k = plan.start[(size_t)(first + i)]; k < plan.start[(size_t)(first + i) + 1]; ++k) {
                const int j = plan.column[(size_t)k];
                assert_true(i == j || colour[(size_t)i] != colour[(size_t)j]);
            }
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobi),
        cmocka_unit_test(test_gauss_seidel_by_colours),
        cmocka_unit_test(test_converged_sweeps),
        cmocka_unit_test(test_colours_of_parts),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// Whole steps of cuda_newton with PCR and PCG in a lower precision, refined in the run's own, on emulated threads: the
// rounded matrix against arithmetic of its own, what is left of b - A x against a plain product in double, and the
// steps against newton's with the same setting. Needs neither a device nor nvcc.
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
constexpr nb_solve_format formats[] = {NB_SOLVE_F32, NB_SOLVE_F16, NB_SOLVE_BF16};
constexpr const char *forms[] = {"assembled", "factored"};
constexpr division ways[] = {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_ISLANDS, BY_ISLANDS_NEAR, BY_ISLANDS_CLUSTERS};

// Binary digits of a format's numbers, and the exponent of its least one.
int digits_of(nb_solve_format format)
{
    return format == NB_SOLVE_F32 ? 24 : format == NB_SOLVE_BF16 ? 8 : 11;
}
double rounded(double value, nb_solve_format format)
{
    const int least = format == NB_SOLVE_F16 ? -24 : -125 - digits_of(format);
    const int unit = std::max(std::ilogb(value) - digits_of(format) + 1, least);
    return value == 0 ? 0 : std::ldexp(std::nearbyint(std::ldexp((double)(float)value, -unit)), unit);
}

double lower_value(const step_lower &lower, size_t k)
{
    return lower.system.storage
               ? (double)pcr_widen(((const unsigned short *)lower.system.value)[k], lower.system.storage)
               : (double)((const float *)lower.system.value)[k];
}

// S A S + E of a part: powers of two, nearest numbers, and a diagonal that is no less than it must be.
void check_lower(const step_system &s, const step_plan &plan, int part, nb_solve_format format, const char *name)
{
    const problem whole = part_problem(s, plan, part);
    const size_t first = (size_t)plan.rows.start[(size_t)part], entry = (size_t)plan.start[first];
    const nb_real *scale = s.lower.scale + 3 * first;
    const double unit = std::ldexp(1.0, -digits_of(format));
    for (int i = 0; i < (int)whole.size(); ++i) {
        double sum = 0, diagonal = 0, stored = 0;
        int exponent;
        assert_true(std::frexp((double)scale[i], &exponent) == 0.5);
        for (int k = whole.start[(size_t)i / 3]; k < whole.start[(size_t)i / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c) {
                const size_t at = 9 * (size_t)k + 3 * ((size_t)i % 3) + (size_t)c;
                const int j = 3 * whole.column[(size_t)k] + c;
                const double from = whole.value[at] * (double)scale[i] * (double)scale[j];
                const double value = rounded(from, format), mine = lower_value(s.lower, 9 * entry + at);
                sum += std::fabs(value);
                if (i == j) {
                    assert_true(from >= 0.5 && from <= 4);
                    diagonal = value;
                    stored = mine;
                } else if (mine != value) {
                    fail_msg("%s: %g is stored as %g", name, from, mine);
                }
            }
        const double wanted = diagonal + unit * sum;
        const double last = std::ldexp(1.0, std::ilogb(wanted) - digits_of(format) + 1);
        if (!(stored > wanted - 1e-6 * wanted && stored < wanted + last + 1e-6 * wanted))
            fail_msg("%s: a diagonal of %g is %g", name, wanted, stored);
    }
}

void test_the_lower_matrix(void **)
{
    for (const test_scene &one : scenes)
        for (nb_solve_format format : formats)
            for (division how : {BY_GRID, BY_ISLANDS}) {
                run_of run(one.name, one.settings, one.steps);
                run.format = format;
                run.options.linear_iterations = 20;
                emulated_step step(run, how);
                launch(step.s, how, 0, 2, emulated::FORWARD);
                for (int p = 0; p < step.s.parts; ++p)
                    check_lower(step.s, step.plan, p, format, one.name);
            }
}

// Entry (i, j) of a part's H^-1 or W, of which nodes are apart.
template <class T> double mass_entry(const T *mass, size_t i, size_t j)
{
    return i / 3 == j / 3 ? (double)mass[3 * i + j % 3] : 0;
}

// B = G' W G'^T + C' of a part: W and G' are scaled by powers of two and rounded once, and C' holds what makes B no less
// than S A S by row sums, but not twice of it.
void check_lower_factors(const step_system &s, const step_plan &plan, int part, nb_solve_format format, const char *name)
{
    const problem whole = part_problem(s, plan, part);
    const size_t first = (size_t)plan.rows.start[(size_t)part], n = whole.size();
    const size_t node = (size_t)plan.nodes.start[(size_t)part];
    const size_t width = 3 * ((size_t)plan.nodes.start[(size_t)part + 1] - node);
    const nb_real *scale = s.lower.scale + 3 * first, *mass = s.linear.factors.inverse_mass + 9 * node;
    const float *low_mass = s.lower.system.factors.inverse_mass + 9 * node;
    std::vector<double> across(width), g(n * width, 0.0);
    for (size_t i = 0; i < width; ++i) {
        int exponent;
        across[i] = std::sqrt(mass_entry(low_mass, i, i) / (double)(float)mass_entry(mass, i, i));
        assert_true(std::frexp(across[i], &exponent) == 0.5);
        assert_true(mass_entry(low_mass, i, i) >= 0.5 && mass_entry(low_mass, i, i) <= 4);
    }
    for (size_t i = 0; i < width; ++i)
        for (size_t j = i / 3 * 3; j < i / 3 * 3 + 3; ++j)
            assert_true(mass_entry(low_mass, i, j) == (double)(float)(mass_entry(mass, i, j) * across[i] * across[j]));
    for (size_t row = 0; row < n; ++row)
        for (int k = plan.start[first + row / 3]; k < plan.start[first + row / 3 + 1]; ++k)
            for (size_t c = 0; c < 3; ++c) {
                const size_t at = 9 * (size_t)k + 3 * (row % 3) + c, column = 3 * (size_t)plan.column[(size_t)k] + c;
                const double from = stored_value(s, at) * (double)scale[row] / across[column];
                g[row * width + column] = lower_value(s.lower, at);
                if (lower_value(s.lower, at) != rounded(from, format))
                    fail_msg("%s: %g is stored as %g", name, from, lower_value(s.lower, at));
            }
    const float *compliance = s.lower.system.factors.compliance + 9 * first;
    for (size_t i = 0; i < n; ++i) {
        double off = 0, bound = 0, excess = 0;
        for (size_t j = 0; j < n; ++j) {
            double product = 0, size = 0;
            for (size_t a = 0; a < width; ++a)
                for (size_t b = a / 3 * 3; b < a / 3 * 3 + 3; ++b) {
                    const double term = g[i * width + a] * mass_entry(low_mass, a, b) * g[j * width + b];
                    product += term;
                    size += std::fabs(term);
                }
            const size_t block = (size_t)whole.start[i / 3] + j / 3; // dense: every block of a row
            const double wanted = whole.value[9 * block + 3 * (i % 3) + j % 3] * (double)scale[i] * (double)scale[j];
            const double own = i / 3 == j / 3 ? (double)compliance[3 * i + j % 3] : 0;
            if (i == j)
                excess = product + own - wanted;
            else
                off += std::fabs(product + own - wanted);
            bound += size + std::fabs(own);
        }
        const double unit = std::ldexp(1.0, -digits_of(format));
        if (!(excess >= off - 1e-6 * unit * bound && excess <= 4 * unit * bound))
            fail_msg("%s, in %d: %g on the diagonal against %g beside it", name, (int)format, excess, off);
    }
}

// P^-1 of S A S + E: of the diagonal, or of its blocks.
void check_lower_inverse(const step_system &s, const step_plan &plan, int part, const char *name)
{
    const problem whole = part_problem(s, plan, part);
    const size_t first = (size_t)plan.rows.start[(size_t)part];
    const nb_real *scale = s.lower.scale + 3 * first, *exact = s.linear.factors.compliance + 9 * first;
    const float *compliance = s.lower.system.factors.compliance + 9 * first;
    const float *inverse = s.lower.system.inverse + (s.linear.wide ? 9 : 3) * first;
    for (size_t i = 0; i < whole.size(); ++i)
        for (size_t j = i / 3 * 3; j < i / 3 * 3 + 3; ++j) {
            double sum = 0; // of the inverse times the block
            for (size_t m = i / 3 * 3; m < i / 3 * 3 + 3; ++m) {
                const size_t block = (size_t)whole.start[j / 3] + j / 3;
                const double factor = (double)scale[m] * (double)scale[j], own = (double)exact[3 * m + j % 3];
                const double excess = m == j ? (double)compliance[3 * m + m % 3] - factor * own : 0;
                const double entry = factor * whole.value[9 * block + 3 * (m % 3) + j % 3] + excess;
                sum += (s.linear.wide ? (double)inverse[3 * i + m % 3] : m == i && j == i ? (double)inverse[i] : 0) * entry;
            }
            if (s.linear.wide || i == j)
                if (!(std::fabs(sum - (i == j)) < 1e-2))
                    fail_msg("%s: (%zu, %zu) of the inverse times the block is %g", name, i, j, sum);
        }
}

void test_the_lower_factors(void **)
{
    for (const test_scene &one : scenes)
        for (nb_solve_format format : formats)
            for (division how : {BY_GRAPH, BY_ISLANDS}) {
                run_of run(one.name, one.settings, one.steps);
                run.format = format;
                run.options.operator_form = "factored";
                run.options.precond = how == BY_GRAPH ? "jacobi" : "block_jacobi";
                run.options.linear_iterations = 20;
                emulated_step step(run, how);
                launch(step.s, how, 0, 2, emulated::FORWARD);
                for (int p = 0; p < step.s.parts; ++p) {
                    check_lower_factors(step.s, step.plan, p, format, one.name);
                    check_lower_inverse(step.s, step.plan, p, one.name);
                }
            }
}

// || S (b - A x) || / || S b ||
double left_over(const step_system &s, const step_plan &plan, int part)
{
    const problem whole = part_problem(s, plan, part);
    const size_t first = 3 * (size_t)plan.rows.start[(size_t)part];
    const nb_real *mine = s.linear.x + first, *scale = s.lower.scale + first;
    const std::vector<double> x(mine, mine + whole.size()), product = multiply(whole, x);
    double left = 0, all = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double r = (double)scale[i] * (whole.b[i] - product[i]), b = (double)scale[i] * whole.b[i];
        left += r * r;
        all += b * b;
    }
    return all > 0 ? std::sqrt(left / all) : 0;
}

// To a tolerance that the lower precision does not have.
void check_tolerance(const char *linear, const char *precond, const char *form, nb_solve_format format, division how)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    const double tolerance = wide ? 1e-10 : 1e-5;
    run_of run("balls_in_cube", {"count=8"}, 60);
    run.format = format;
    run.options.linear = linear;
    run.options.precond = precond;
    run.options.operator_form = form;
    run.options.linear_iterations = 400;
    emulated_step step(run, how);
    step.s.tolerance = (nb_real)tolerance;
    launch(step.s, how, 0, 3, emulated::FORWARD);
    for (int p = 0; p < step.s.parts; ++p) {
        const step_result &result = step.s.results[p];
        const double left = left_over(step.s, step.plan, p);
        assert_int_equal(result.failure, STEP_FINE);
        if (result.ending != NB_LINEAR_CONVERGED || !(left < 1.01 * tolerance))
            fail_msg("%s, %s, %s, in %d, %s: ending %d, %g left", linear, precond, form, (int)format,
                     division_names[how], result.ending, left);
        if (result.linear_iterations > 0) // balls in the air have none
            assert_true(result.rounds >= (wide ? 4 : 2));
    }
}

void test_the_tolerance_is_reached(void **)
{
    for (nb_solve_format format : formats)
        for (division how : ways) {
            for (const char *form : forms)
                for (const char *linear : {"pcr", "pcg"})
                    for (const char *precond : {"jacobi", "block_jacobi"})
                        check_tolerance(linear, precond, form, format, how);
            if (!clustered(how)) // which it has not
                check_tolerance("dense_cholesky", "jacobi", "assembled", format, how);
        }
    check_tolerance("pcr", "jacobi", "factored", NB_SOLVE_F16, BY_CLUSTER_LEAN);
}

// As newton's, where both are solved to what the precision of the run has.
void test_steps(void **)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    std::vector<double> u, lambda;
    for (const test_scene &one : scenes)
        for (nb_solve_format format : formats) {
            if (strcmp(one.name, "sheet") == 0 || strcmp(one.name, "beam") == 0)
                continue; // they take thousands of iterations
            run_of run(one.name, one.settings, one.steps);
            run.format = format;
            run.options.linear_iterations = 400;
            for (division how : {BY_GRID, BY_GRAPH, BY_CLUSTER, BY_ISLANDS_NEAR})
                for (const char *form : forms) {
                    run.options.operator_form = form;
                    run.solve(3, how >= BY_ISLANDS);
                    emulate(run, how, 3, 3, emulated::FORWARD, u, lambda);
                    const double off = distance(u, run.u, run.problem.free_velocity);
                    const double least = form[0] == 'f' ? 1e-9 : 1e-11; // E is larger by factors
                    if (!(off < (!wide ? 1e-4 : format == NB_SOLVE_BF16 ? 1e-6 : least)))
                        fail_msg("%s, %s, in %d, %s: velocities %g off", one.name, form, (int)format,
                                 division_names[how], off);
                }
        }
}

// The same by a factor in the lower precision, with as many corrections as it takes.
void test_direct_steps(void **)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    std::vector<double> u, lambda;
    for (const test_scene &one : scenes)
        for (nb_solve_format format : formats) {
            if (strcmp(one.name, "sheet") == 0 && format == NB_SOLVE_BF16)
                continue; // too coarse for it, on the CPU as well
            run_of run(one.name, one.settings, one.steps);
            run.format = format;
            run.options.linear = "dense_cholesky";
            run.options.precond = "none";
            run.options.linear_iterations = 1;
            for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_ISLANDS_NEAR}) {
                run.solve(3, how >= BY_ISLANDS);
                emulate(run, how, 3, 3, emulated::FORWARD, u, lambda);
                const double off = distance(u, run.u, run.problem.free_velocity);
                const bool nearly_singular = format == NB_SOLVE_F32; // E is small: corrections end early
                if (!(off < (!wide ? 1e-3 : nearly_singular || format == NB_SOLVE_BF16 ? 1e-7 : 1e-10)))
                    fail_msg("%s, in %d, %s: velocities %g off", one.name, (int)format, division_names[how], off);
            }
        }
}

// No more iterations than are allowed, all rounds together; the order of threads changes nothing.
void test_limit_and_order(void **)
{
    run_of run("balls_in_cube", {"count=12"}, 60);
    run.format = NB_SOLVE_F16;
    for (int limit : {1, 7, 25})
        for (division how : ways) {
            run.options.operator_form = forms[limit == 7];
            run.options.linear_iterations = limit;
            std::vector<double> u, lambda, other, forces;
            emulated_step step(run, how);
            launch(step.s, how, 0, 1, emulated::FORWARD);
            for (int p = 0; p < step.s.parts; ++p) {
                const step_result &result = step.s.results[p];
                assert_true(result.linear_iterations <= limit);
                if (result.ending == NB_LINEAR_ITERATION_LIMIT)
                    assert_int_equal(result.linear_iterations, limit);
            }
            emulate(run, how, 2, 2, emulated::FORWARD, u, lambda);
            for (order turns : {emulated::BACKWARD, emulated::SCATTERED}) {
                emulate(run, how, 2, 2, turns, other, forces);
                assert_true(u == other && lambda == forces);
            }
        }
}

// A round that does harm is undone and the last one; one that gains too little is the last one, and stays.
void test_decisions(void **)
{
    struct {
        double next;
        nb_linear_ending inner, ending;
        bool harmed;
    } const cases[] = {{0.5, NB_LINEAR_CONVERGED, NB_LINEAR_ITERATION_LIMIT, false},
                       {0.95, NB_LINEAR_CONVERGED, NB_LINEAR_STAGNATED, false},
                       {0.95, NB_LINEAR_BREAKDOWN, NB_LINEAR_BREAKDOWN, false},
                       {1e-3, NB_LINEAR_BREAKDOWN, NB_LINEAR_CONVERGED, false},
                       {2, NB_LINEAR_CONVERGED, NB_LINEAR_STAGNATED, true},
                       {(double)NAN, NB_LINEAR_CONVERGED, NB_LINEAR_STAGNATED, true}};
    for (const auto &one : cases) {
        step_refinement all = {};
        all.residual = 1;
        all.goal = NB_REAL(0.01);
        all.inner = one.inner;
        assert_int_equal(refine_harmed(all, (nb_real)one.next), one.harmed);
        assert_int_equal(all.ending, one.ending);
        assert_true(all.residual == (one.ending == NB_LINEAR_ITERATION_LIMIT ? NB_REAL(0.5) : NB_REAL(1)));
    }
    for (int rounds : {0, 1}) { // nothing was done: in the first round that is how the solve has ended
        step_refinement all = {};
        pcr_state<float> low = {};
        all.rounds = rounds;
        all.ending = NB_LINEAR_ITERATION_LIMIT;
        low.after_iteration = pcr_verdict(NB_LINEAR_BREAKDOWN, PCR_NO_DETAIL);
        assert_int_equal(refine_takes(all, low), rounds);
        assert_int_equal(all.ending, rounds ? NB_LINEAR_ITERATION_LIMIT : NB_LINEAR_BREAKDOWN);
        assert_int_equal(all.rounds, rounds + 1);
    }
}

// In 16 bits all that a block needs of the matrix, or of L J, is a quarter of what f64 takes.
void test_room(void **)
{
    for (const char *form : forms) {
        run_of run("heavy_stack", {"count=3"});
        run.options.operator_form = form;
        emulated_step same(run, BY_ISLANDS_NEAR);
        run.format = NB_SOLVE_F16;
        emulated_step refined(run, BY_ISLANDS_NEAR);
        const size_t values = 9 * same.plan.column.size();
        assert_true(refined.s.room + values * (sizeof(nb_real) - 2) <= same.s.room + 8);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_lower_matrix),
        cmocka_unit_test(test_the_lower_factors),
        cmocka_unit_test(test_the_tolerance_is_reached),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_direct_steps),
        cmocka_unit_test(test_limit_and_order),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

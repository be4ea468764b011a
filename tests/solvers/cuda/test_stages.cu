// The stages of the CUDA linear solvers on emulated threads, by a grid and by a block in its shared memory, assembled
// and by factors, against plain loops in double: the same iterates in both types, with scalar and block preconditioners
// and in 16 bits; the same bits whatever the order in which threads run; the endings of solvers/linear/krylov/krylov.c.
// Needs no device.
#include "tests/solvers/cuda/emulate.cuh"

#include "tests/solvers/cuda/systems.cuh"

namespace {

// The iterates are those of `plain`, and the same bits in another order of threads; few rows and many, blocks that
// have none, and once more blocks than a warp has lanes, whose sums are added another way.
template <class T, class Method>
void same_iterates(const factors &f, plain_method plain, bool wide, int count)
{
    const std::vector<double> inverse = invert(f.whole, wide);
    const std::vector<double> x = plain(f.whole, inverse, count);
    for (int blocks : {(int)BY_ONE_BLOCK, 3, 45}) {
        if (blocks > 3 && (wide || f.nodes || f.whole.rows < 29))
            continue;
        device<T> d(f, inverse);
        const nb_linear_report report = d.template solve<Method>(blocks, count, 0, emulated::FORWARD);
        assert_int_equal(report.ending, NB_LINEAR_ITERATION_LIMIT);
        assert_int_equal(report.iterations, count);
        const double off = error(d, x);
        if (!(off < (f.nodes ? 300 : 100) * (double)number_type<T>::roundoff))
            fail_msg("%d rows in %d blocks: %g off", f.whole.rows, blocks, off);
        const std::vector<T> before = d.x();
        d.template solve<Method>(blocks, count, 0, wide ? emulated::BACKWARD : emulated::SCATTERED);
        assert_true(d.x() == before);
    }
}

template <class T, class Method> void same_iterates_of_all(plain_method plain, bool preconditioned)
{
    for (int rows : {1, 4, 29})
        for (bool factored : {false, true})
            for (bool wide : {false, true}) {
                if (wide && (rows == 1 || !preconditioned))
                    continue; // solved at once: what follows would be round-off; a diagonal is all it knows
                factors f = make_factors(rows, 0);
                if (!factored) {
                    f = {};
                    f.whole = make_problem(rows);
                }
                same_iterates<T, Method>(f, plain, wide, rows == 1 ? 2 : 5);
            }
}

FULL_TEST(iterates)
{
    same_iterates_of_all<double, pcr_method>(plain_residuals, true);
    same_iterates_of_all<float, pcr_method>(plain_residuals, true);
    same_iterates_of_all<double, pcg_method>(plain_gradients, true);
    same_iterates_of_all<float, pcg_method>(plain_gradients, true);
    same_iterates_of_all<double, jacobi_method>(plain_jacobi, false);
}

FULL_TEST(gauss_seidel)
{
    const problem p = make_problem(29);
    const std::vector<double> inverse = invert(p, false);
    for (int blocks : {(int)BY_ONE_BLOCK, 3}) {
        device<double> d(p, inverse);
        const nb_linear_report swept = d.solve<gauss_seidel_method>(blocks, 4, 0, emulated::FORWARD);
        assert_int_equal(swept.ending, NB_LINEAR_ITERATION_LIMIT);
        assert_int_equal(swept.iterations, 4);
        assert_true(error(d, plain_gauss_seidel(p, inverse, d.colours.order.data(), 4)) < 1e-14);
        const std::vector<double> before = d.x();
        for (order how : {emulated::BACKWARD, emulated::SCATTERED}) {
            d.solve<gauss_seidel_method>(blocks, 4, 0, how);
            assert_true(d.x() == before);
        }
    }
}

FULL_TEST(colours_do_not_touch)
{
    const problem p = make_problem(40);
    const nb_cuda_colouring colours = nb_cuda_colour_rows(p.rows, p.start.data(), p.column.data());
    std::vector<int> colour(p.rows, -1);
    for (size_t c = 0; c + 1 < colours.start.size(); ++c)
        for (int k = colours.start[c]; k < colours.start[c + 1]; ++k)
            colour[colours.order[k]] = (int)c;
    for (int i = 0; i < p.rows; ++i) {
        assert_true(colour[i] >= 0);
        for (int k = p.start[i]; k < p.start[i + 1]; ++k)
            assert_true(p.column[k] == i || colour[p.column[k]] != colour[i]);
    }
}

// Numbers of few digits are exact in 16 bits, so that the result must be too.
FULL_TEST(sixteen_bits)
{
    for (int storage : {STORED_F16, STORED_BF16})
        for (bool factored : {false, true})
            for (int blocks : {(int)BY_ONE_BLOCK, 2}) {
                factors f = make_factors(29, storage == STORED_F16 ? 9 : 6);
                if (!factored) {
                    f = {};
                    f.whole = make_problem(9);
                    for (double &one : f.whole.value)
                        one = std::round(one * (storage == STORED_F16 ? 64 : 8)) / (storage == STORED_F16 ? 64 : 8);
                }
                const std::vector<double> inverse = invert(f.whole, false);
                device<double> narrow(f, inverse), wide(f, inverse);
                narrow.store(factored ? f.value : f.whole.value, storage);
                narrow.solve<pcr_method>(blocks, 5, 0, emulated::FORWARD);
                wide.solve<pcr_method>(blocks, 5, 0, emulated::FORWARD);
                assert_true(narrow.x() == wide.x());
            }
    assert_true(half_widen(0x0001, STORED_F16) == 0x1p-24f && half_widen(0x83ff, STORED_F16) == -0x3ffp-24f);
    assert_true(std::isinf(half_widen(0x7c00, STORED_F16)) && std::isnan(half_widen(0x7e00, STORED_F16)));
}

template <class Method> void endings(const char *rho)
{
    problem p = make_problem(12);
    const std::vector<double> inverse = invert(p, false);
    device<double> early(p, inverse);
    const nb_linear_report stopped = early.solve<Method>(2, 200, 1e-6, emulated::FORWARD);
    assert_int_equal(stopped.ending, NB_LINEAR_CONVERGED);
    assert_in_range(stopped.iterations, 2, 60);
    assert_int_equal(early.solve<Method>(BY_ONE_BLOCK, 200, 1e-6, emulated::FORWARD).iterations, stopped.iterations);
    p.b[5] = NAN;
    device<double> broken(p, inverse);
    assert_int_equal(broken.solve<Method>(2, 20, 0, emulated::FORWARD).ending, NB_LINEAR_NON_FINITE);
    p.b.assign(p.b.size(), 0.0);
    device<double> nothing(p, inverse);
    assert_int_equal(nothing.solve<Method>(2, 20, 0, emulated::FORWARD).ending, NB_LINEAR_CONVERGED);
    if (!rho)
        return;
    for (double &one : p.value)
        one = -one;
    p.b.assign(p.b.size(), 1.0);
    device<double> indefinite(p, inverse);
    const nb_linear_report report = indefinite.solve<Method>(2, 20, 0, emulated::FORWARD);
    assert_int_equal(report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(report.detail, rho);
}

FULL_TEST(endings)
{
    endings<pcr_method>("z^T A z is not a positive number");
    endings<pcg_method>("p^T A p is not a positive number");
    endings<jacobi_method>(nullptr);
    endings<gauss_seidel_method>(nullptr);
}

// Without a tolerance, too: the residual after the last sweep tells.
FULL_TEST(overflowing_sweeps)
{
    const problem p = make_problem(12);
    std::vector<double> inverse = invert(p, false);
    for (double &one : inverse)
        one *= 1e200;
    device<double> d(p, inverse);
    const nb_linear_report report = d.solve<gauss_seidel_method>(2, 4, 0, emulated::FORWARD);
    assert_int_equal(report.ending, NB_LINEAR_NON_FINITE);
    assert_int_equal(report.iterations, 4);
}

// Far beyond what the arithmetic can reach: what is left stays as small as it was, also where the system is
// singular.
template <class T> void long_solve(bool singular)
{
    problem p = make_problem(12);
    for (int i = 0; singular && i < p.rows; ++i) { // the first components: a graph's Laplacian
        double sum = 0;
        int own = p.start[i];
        for (int k = p.start[i]; k < p.start[i + 1]; ++k) {
            double *block = p.value.data() + 9 * (size_t)k;
            for (int e = 0; e < 9; ++e)
                block[e] = e % 4 ? 0 : block[e];
            block[0] = -std::fabs(block[0]) - 0.1;
            own = p.column[k] == i ? k : own;
            sum -= p.column[k] == i ? 0 : block[0];
        }
        p.value[9 * (size_t)own] = sum;
    }
    const std::vector<double> inverse = invert(p, false);
    std::vector<double> x(p.size());
    for (double &one : x)
        one = uniform();
    p.b = multiply(p, x);
    device<T> d(p, inverse);
    d.template solve<pcr_method>(2, 400, 0, emulated::FORWARD);
    std::vector<double> r = multiply(p, std::vector<double>(d.system.x, d.system.x + p.size()));
    for (size_t i = 0; i < r.size(); ++i)
        r[i] -= p.b[i];
    const double left = std::sqrt(dot(r, r) / dot(p.b, p.b));
    if (!(left < 100 * (double)number_type<T>::roundoff))
        fail_msg("%s: %g of the right side is left", singular ? "singular" : "regular", left);
}

FULL_TEST(long_solves)
{
    long_solve<double>(false);
    long_solve<float>(false);
    long_solve<double>(true);
    long_solve<float>(true);
}

} // namespace

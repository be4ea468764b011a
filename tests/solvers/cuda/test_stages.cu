// The stages of the CUDA solvers on emulated threads, against plain loops in double: the same iterates in
// both types, with scalar and block preconditioners and in 16 bits; the same bits whatever the order in
// which threads run; the endings of solvers/linear/krylov/krylov.c. Needs neither a device nor nvcc.
#include "tests/solvers/cuda/emulate.cuh"

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
extern "C" {
#include <cmocka.h>
}

#include "tests/solvers/cuda/systems.cuh"

namespace {

template <class T, class Method> void same_iterates(bool gradients)
{
    for (int rows : {1, 4, 29}) {
        const problem p = make_problem(rows);
        for (bool wide : {false, true})
            for (int count : {1, 2, 6}) {
                const std::vector<double> inverse = invert(p, wide);
                // A block by itself is solved at once: what follows would be round-off.
                if (rows == 1 && (wide || count > 2))
                    continue;
                device<T> d(p, inverse, 3);
                const nb_linear_report report = d.template solve<Method>(3, count, 0, emulated::FORWARD);
                assert_int_equal(report.ending, NB_LINEAR_ITERATION_LIMIT);
                assert_int_equal(report.iterations, count);
                assert_true(error(d, plain_krylov(p, inverse, count, gradients)) <
                            100 * (double)pcr_type<T>::roundoff);
            }
    }
}

void test_krylov_iterates(void **)
{
    same_iterates<double, pcr_method>(false);
    same_iterates<float, pcr_method>(false);
    same_iterates<double, pcg_method>(true);
    same_iterates<float, pcg_method>(true);
}

// More blocks than a warp has lanes: their sums are added another way.
template <class Method> void same_iterates_by_many(bool gradients)
{
    const problem p = make_problem(90);
    const std::vector<double> inverse = invert(p, false);
    device<double> d(p, inverse, 45), again(p, inverse, 45);
    d.template solve<Method>(45, 4, 0, emulated::FORWARD);
    assert_true(error(d, plain_krylov(p, inverse, 4, gradients)) < 1e-14);
    again.template solve<Method>(45, 4, 0, emulated::SCATTERED);
    assert_true(d.vectors == again.vectors);
}

void test_many_blocks(void **)
{
    same_iterates_by_many<pcr_method>(false);
    same_iterates_by_many<pcg_method>(true);
}

template <class T, class Method> void same_iterates_in_cluster(plain_method plain)
{
    for (int rows : {1, 4, 29})
        for (int ranks : {1, 2, 5, 16})
            for (bool wide : {false, true})
                for (int stride : {1, 6}) {
                    if (wide && (rows == 1 || plain == plain_jacobi))
                        continue; // solved at once; a diagonal is all it knows
                    const problem p = make_problem(rows);
                    const int count = rows == 1 ? 2 : 6;
                    const std::vector<double> inverse = invert(p, wide);
                    device<T> d(p, inverse, 16), again(p, inverse, 16);
                    const nb_linear_report report = solve_in_cluster<Method>(
                        d, ranks, count, stride, 0, emulated::FORWARD);
                    assert_int_equal(report.ending, NB_LINEAR_ITERATION_LIMIT);
                    assert_int_equal(report.iterations, count);
                    assert_true(error(d, plain(p, inverse, count)) < 100 * (double)pcr_type<T>::roundoff);
                    solve_in_cluster<Method>(again, ranks, count, 2, 0, emulated::SCATTERED);
                    for (size_t i = 0; i < p.size(); ++i)
                        assert_true(d.system.x[i] == again.system.x[i]);
                }
}

void test_clusters(void **)
{
    same_iterates_in_cluster<double, pcr_method>(plain_residuals);
    same_iterates_in_cluster<float, pcr_method>(plain_residuals);
    same_iterates_in_cluster<double, pcg_method>(plain_gradients);
    same_iterates_in_cluster<double, jacobi_method>(plain_jacobi);
    const problem p = make_problem(29);
    const std::vector<double> inverse = invert(p, false);
    device<double> early(p, inverse, 16), grid(p, inverse, 2);
    const nb_linear_report stopped =
        solve_in_cluster<pcr_method>(early, 3, 200, 200, 1e-6, emulated::BACKWARD);
    const nb_linear_report other = grid.solve<pcr_method>(2, 200, 1e-6, emulated::FORWARD);
    assert_int_equal(stopped.ending, NB_LINEAR_CONVERGED);
    assert_int_equal(stopped.iterations, other.iterations);
}

template <class Method> void same_bits(const char *name)
{
    const problem p = make_problem(23);
    for (bool wide : {false, true}) {
        device<double> first(p, invert(p, wide), 3);
        first.solve<Method>(3, 5, 0, emulated::FORWARD);
        for (order how : {emulated::BACKWARD, emulated::SCATTERED}) {
            device<double> again(p, invert(p, wide), 3);
            again.solve<Method>(3, 5, 0, how);
            if (first.vectors != again.vectors)
                fail_msg("%s: the order of threads changes the result", name);
        }
        if (Method::coloured || strcmp(name, "jacobi") == 0)
            break; // a diagonal is all they know
    }
}

void test_the_order_of_threads_does_not_matter(void **)
{
    same_bits<pcr_method>("pcr");
    same_bits<pcg_method>("pcg");
    same_bits<jacobi_method>("jacobi");
    same_bits<gauss_seidel_method>("gauss_seidel");
}

// Rows by colour, scalar rows in order within a block.
std::vector<double> plain_gauss_seidel(const problem &p, const nb_cuda_colours &colours, int count)
{
    std::vector<double> x(p.size(), 0.0);
    for (int sweep = 0; sweep < count; ++sweep)
        for (int row : colours.order)
            for (int r = 0; r < 3; ++r) {
                double residual = p.b[3 * row + r], diagonal = 0;
                for (int k = p.start[row]; k < p.start[row + 1]; ++k)
                    for (int c = 0; c < 3; ++c) {
                        residual -= p.value[9 * k + 3 * r + c] * x[3 * p.column[k] + c];
                        if (p.column[k] == row && c == r)
                            diagonal = p.value[9 * k + 3 * r + c];
                    }
                x[3 * row + r] += residual / diagonal;
            }
    return x;
}

void test_relaxations(void **)
{
    const problem p = make_problem(29);
    std::vector<double> inverse = invert(p, false);
    device<double> sweeps(p, inverse, 3);
    const nb_linear_report swept = sweeps.solve<gauss_seidel_method>(3, 4, 0, emulated::FORWARD);
    assert_int_equal(swept.ending, NB_LINEAR_ITERATION_LIMIT);
    assert_int_equal(swept.iterations, 4);
    assert_true(error(sweeps, plain_gauss_seidel(p, sweeps.colours, 4)) < 1e-14);

    for (int ranks : {1, 2, 5, 16})
        for (int stride : {1, 4}) {
            device<double> apart(p, inverse, 16), again(p, inverse, 16);
            solve_in_cluster<gauss_seidel_method>(apart, ranks, 4, stride, 0, emulated::FORWARD);
            assert_true(error(apart, plain_gauss_seidel(p, sweeps.colours, 4)) < 1e-14);
            solve_in_cluster<gauss_seidel_method>(again, ranks, 4, 2, 0, emulated::SCATTERED);
            for (size_t i = 0; i < p.size(); ++i)
                assert_true(apart.system.x[i] == again.system.x[i]);
        }

    for (double &one : inverse)
        one *= 0.7;
    device<double> jacobi(p, inverse, 3);
    assert_int_equal(jacobi.solve<jacobi_method>(3, 4, 0, emulated::FORWARD).iterations, 4);
    assert_true(error(jacobi, plain_jacobi(p, inverse, 4)) < 1e-14);
}

void test_colours_do_not_touch(void **)
{
    const problem p = make_problem(40);
    const nb_cuda_colours colours = nb_cuda_colour_rows(p.rows, p.start.data(), p.column.data());
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
void test_sixteen_bits(void **)
{
    problem p = make_problem(9);
    for (double &one : p.value)
        one = std::round(one * 64) / 64;
    const std::vector<double> inverse = invert(p, false);
    for (int storage : {PCR_F16, PCR_BF16}) {
        if (storage == PCR_BF16)
            for (double &one : p.value)
                one = std::round(one * 8) / 8;
        device<double> narrow(p, inverse, 2), wide(p, inverse, 2);
        narrow.store(p.value, storage);
        narrow.solve<pcr_method>(2, 5, 0, emulated::FORWARD);
        wide.solve<pcr_method>(2, 5, 0, emulated::FORWARD);
        assert_true(narrow.vectors == wide.vectors);
    }
    assert_true(pcr_widen(0x0001, PCR_F16) == 0x1p-24f && pcr_widen(0x83ff, PCR_F16) == -0x3ffp-24f);
    assert_true(std::isinf(pcr_widen(0x7c00, PCR_F16)) && std::isnan(pcr_widen(0x7e00, PCR_F16)));
}

template <class Method> void endings(const char *rho)
{
    problem p = make_problem(12);
    const std::vector<double> inverse = invert(p, false);
    device<double> early(p, inverse, 2);
    const nb_linear_report stopped = early.solve<Method>(2, 200, 1e-6, emulated::FORWARD);
    assert_int_equal(stopped.ending, NB_LINEAR_CONVERGED);
    assert_in_range(stopped.iterations, 2, 60);
    p.b[5] = NAN;
    device<double> broken(p, inverse, 2);
    assert_int_equal(broken.solve<Method>(2, 20, 0, emulated::FORWARD).ending, NB_LINEAR_NON_FINITE);
    p.b.assign(p.b.size(), 0.0);
    device<double> nothing(p, inverse, 2);
    assert_int_equal(nothing.solve<Method>(2, 20, 0, emulated::FORWARD).ending, NB_LINEAR_CONVERGED);
    if (!rho)
        return;
    for (double &one : p.value)
        one = -one;
    p.b.assign(p.b.size(), 1.0);
    device<double> indefinite(p, inverse, 2);
    const nb_linear_report report = indefinite.solve<Method>(2, 20, 0, emulated::FORWARD);
    assert_int_equal(report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(report.detail, rho);
}

void test_endings(void **)
{
    endings<pcr_method>("z^T A z");
    endings<pcg_method>("p^T A p");
    endings<jacobi_method>(nullptr);
    endings<gauss_seidel_method>(nullptr);
}

// Without a tolerance, too: the residual after the last sweep tells.
void test_overflowing_sweeps(void **)
{
    const problem p = make_problem(12);
    std::vector<double> inverse = invert(p, false);
    for (double &one : inverse)
        one *= 1e200;
    device<double> d(p, inverse, 2);
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
    device<T> d(p, inverse, 2);
    d.template solve<pcr_method>(2, 400, 0, emulated::FORWARD);
    std::vector<double> r = multiply(p, std::vector<double>(d.system.x, d.system.x + p.size()));
    for (size_t i = 0; i < r.size(); ++i)
        r[i] -= p.b[i];
    const double left = std::sqrt(dot(r, r) / dot(p.b, p.b));
    if (!(left < 100 * (double)pcr_type<T>::roundoff))
        fail_msg("%s: %g of the right side is left", singular ? "singular" : "regular", left);
}

void test_long_solves(void **)
{
    long_solve<double>(false);
    long_solve<float>(false);
    long_solve<double>(true);
    long_solve<float>(true);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_krylov_iterates),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_the_order_of_threads_does_not_matter),
        cmocka_unit_test(test_relaxations),
        cmocka_unit_test(test_colours_do_not_touch),
        cmocka_unit_test(test_sixteen_bits),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_overflowing_sweeps),
        cmocka_unit_test(test_long_solves),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

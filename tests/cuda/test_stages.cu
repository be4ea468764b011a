// The stages of the CUDA solvers on emulated threads, against plain loops in double: the same iterates in
// both types, with scalar and block preconditioners and in 16 bits; the same bits whatever the order in
// which threads run; the endings of solvers/kernels/krylov.c. Needs neither a device nor nvcc.
#include "tests/cuda/emulate.cuh"

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
extern "C" {
#include <cmocka.h>
}

#include "solvers/cuda/colours.cuh"
#include "solvers/cuda/cluster.cuh"
#include "solvers/cuda/pcg_stages.cuh"

namespace {

using emulated::order;
enum { THREADS = 64 };

// A chain of 3x3 blocks with links to far rows: symmetric and positive definite, as doubles.
struct problem {
    int rows;
    std::vector<int> start, column;
    std::vector<double> value, b;
    size_t size() const { return 3 * (size_t)rows; }
};

uint32_t seed;
double uniform()
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24) - 0.5;
}

problem make_problem(int rows)
{
    problem out;
    std::vector<double> dense(9 * (size_t)rows * rows, 0.0);
    const size_t n = 3 * (size_t)rows;
    seed = 11;
    out.rows = rows;
    for (int i = 0; i < rows; ++i)
        for (int j : {i, i + 1, i + 5})
            for (int k = 0; k < 9 && j < rows; ++k) {
                if (i == j && k / 3 <= k % 3)
                    continue;
                const size_t r = 3 * (size_t)i + k / 3, c = 3 * (size_t)j + k % 3;
                dense[r * n + c] = dense[c * n + r] = uniform();
            }
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.1 + 0.1 * (double)(i % 4);
        for (size_t j = 0; j < n; ++j)
            sum += std::fabs(dense[i * n + j]);
        dense[i * n + i] = sum;
        out.b.push_back(uniform());
    }
    out.start.push_back(0);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j)
            if (i == j || std::abs(i - j) == 1 || std::abs(i - j) == 5) {
                out.column.push_back(j);
                for (int k = 0; k < 9; ++k)
                    out.value.push_back(dense[(3 * (size_t)i + k / 3) * n + 3 * (size_t)j + k % 3]);
            }
        out.start.push_back((int)out.column.size());
    }
    return out;
}

std::vector<double> multiply(const problem &p, const std::vector<double> &x)
{
    std::vector<double> y(p.size(), 0.0);
    for (int i = 0; i < p.rows; ++i)
        for (int k = p.start[i]; k < p.start[i + 1]; ++k)
            for (int e = 0; e < 9; ++e)
                y[3 * i + e / 3] += p.value[9 * k + e] * x[3 * p.column[k] + e % 3];
    return y;
}

double dot(const std::vector<double> &x, const std::vector<double> &y)
{
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
        sum += x[i] * y[i];
    return sum;
}

// P^-1 by cofactors [9 rows]; a diagonal where not wide [3 rows].
std::vector<double> invert(const problem &p, bool wide)
{
    std::vector<double> out;
    for (int i = 0; i < p.rows; ++i) {
        int at = p.start[i];
        while (p.column[at] != i)
            ++at;
        const double *m = p.value.data() + 9 * (size_t)at;
        double determinant = 0, inverse[9];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                inverse[3 * c + r] = m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
            }
        for (int c = 0; c < 3; ++c)
            determinant += m[c] * inverse[3 * c];
        for (int k = 0; k < 9; ++k)
            if (wide)
                out.push_back(inverse[k] / determinant);
        for (int c = 0; c < 3 && !wide; ++c)
            out.push_back(1 / m[4 * c]);
    }
    return out;
}

std::vector<double> precondition(const std::vector<double> &inverse, const std::vector<double> &r)
{
    std::vector<double> z(r.size());
    const bool wide = inverse.size() > r.size();
    for (size_t i = 0; i < r.size(); ++i) {
        const size_t row = i / 3 * 3;
        z[i] = wide ? inverse[3 * i] * r[row] + inverse[3 * i + 1] * r[row + 1] +
                          inverse[3 * i + 2] * r[row + 2]
                    : inverse[i] * r[i];
    }
    return z;
}

// Saad 2003, algorithms 6.20 (preconditioned) and 9.1, by the book.
std::vector<double> plain_krylov(const problem &p, const std::vector<double> &inverse, int count,
                                 bool gradients)
{
    std::vector<double> x(p.size(), 0.0), r = p.b, z = precondition(inverse, r), d = z;
    std::vector<double> az = multiply(p, z), ad = az;
    double rho = gradients ? dot(r, z) : dot(z, az);
    for (int k = 0; k < count; ++k) {
        const double gamma = gradients ? dot(d, ad) : dot(ad, precondition(inverse, ad));
        for (size_t i = 0; i < x.size(); ++i) {
            x[i] += rho / gamma * d[i];
            r[i] -= rho / gamma * ad[i];
        }
        z = precondition(inverse, r);
        az = multiply(p, z);
        const double next = gradients ? dot(r, z) : dot(z, az);
        for (size_t i = 0; i < x.size(); ++i) {
            d[i] = z[i] + next / rho * d[i];
            ad[i] = az[i] + next / rho * ad[i];
        }
        rho = next;
    }
    return x;
}

// An emulated solve: the arrays of a system, and what its last launch left.
template <class T> struct device {
    pcr_system<T> system = {};
    pcr_state<T> state = {};
    std::vector<T> value, inverse, b, vectors, sums;
    std::vector<unsigned short> narrow;
    nb_cuda_colours colours;

    device(const problem &p, const std::vector<double> &given, int blocks)
        : value(p.value.begin(), p.value.end()), inverse(given.begin(), given.end()),
          b(p.b.begin(), p.b.end()), vectors(6 * p.size(), T(0)), sums(4 * (size_t)blocks, T(NAN)),
          colours(nb_cuda_colour_rows(p.rows, p.start.data(), p.column.data()))
    {
        const size_t n = p.size();
        system.rows = p.rows;
        system.wide = given.size() > n;
        system.start = p.start.data();
        system.column = p.column.data();
        system.order = colours.order.data();
        system.colour_start = colours.start.data();
        system.colours = (int)colours.start.size() - 1;
        system.value = value.data();
        system.inverse = inverse.data();
        system.b = b.data();
        T **const vector[] = {&system.x, &system.r, &system.z, &system.p, &system.q, &system.w};
        for (size_t k = 0; k < 6; ++k)
            *vector[k] = vectors.data() + k * n;
        T **const sum[] = {&system.sum_rr, &system.sum_bb, &system.sum_zw, &system.sum_qq};
        for (int k = 0; k < 4; ++k)
            *sum[k] = sums.data() + k * blocks;
        system.guess = system.x;
        system.state = &state;
    }

    template <class Method> nb_linear_report solve(int blocks, int count, double tolerance, order how)
    {
        std::vector<T> scratch((size_t)blocks * PCR_MOST_WARPS);
        state.limit = count;
        state.tolerance = (T)tolerance;
        emulated::launch((unsigned)blocks, THREADS, how, [&] {
            pcr_iterate<Method>(system, true, count,
                                scratch.data() + blockIdx.x * PCR_MOST_WARPS,
                                emulated::wait_for_grid);
        });
        return pcr_report(state);
    }
};

// The same in the shared memory of a block or a cluster, in launches of `stride` iterations. Nothing is there before
// that could be mistaken for a result.
template <class Method, class T>
nb_linear_report solve_in_cluster(device<T> &d, const problem &p, int ranks, int count, int stride,
                                  double tolerance, order how)
{
    const pcr_division division = pcr_divide(d.system, p.start.data(), p.column.data(), ranks, Method::multiplies_p);
    std::vector<T> scratch((size_t)ranks * PCR_MOST_WARPS, T(NAN));
    std::vector<double> memory((size_t)ranks * (division.bytes / sizeof(double) + 1), (double)NAN);
    std::vector<char *> shared;
    for (int rank = 0; rank < ranks; ++rank)
        shared.push_back((char *)(memory.data() + (size_t)rank * (division.bytes / sizeof(double) + 1)));
    d.system.split = ranks > 1 ? division.split.data() : nullptr;
    d.system.needed = division.needed.data();
    d.state.limit = count;
    d.state.tolerance = (T)tolerance;
    for (int done = 0; done < count; done += stride)
        emulated::launch((unsigned)ranks, THREADS, how, [&] {
            const pcr_system<T> near =
                pcr_bring(d.system, Method::multiplies_p, done > 0, shared[blockIdx.x]);
            cluster_barrier()();
            pcr_iterate<Method>(near, done == 0, std::min(stride, count - done),
                                scratch.data() + blockIdx.x * PCR_MOST_WARPS, cluster_barrier());
            pcr_return(d.system, near, true);
        }, (unsigned)ranks, shared);
    return pcr_report(d.state);
}

template <class T> double error(const device<T> &d, const std::vector<double> &x)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        off += ((double)d.system.x[i] - x[i]) * ((double)d.system.x[i] - x[i]);
        all += x[i] * x[i];
    }
    return std::sqrt(off / all);
}

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

template <class T, class Method> void same_iterates_in_cluster(bool gradients)
{
    for (int rows : {1, 4, 29})
        for (int ranks : {1, 2, 5, 16})
            for (bool wide : {false, true})
                for (int stride : {1, 6}) {
                    if (rows == 1 && wide)
                        continue; // solved at once
                    const problem p = make_problem(rows);
                    const int count = rows == 1 ? 2 : 6;
                    const std::vector<double> inverse = invert(p, wide);
                    device<T> d(p, inverse, 16), again(p, inverse, 16);
                    const nb_linear_report report = solve_in_cluster<Method>(
                        d, p, ranks, count, stride, 0, emulated::FORWARD);
                    assert_int_equal(report.ending, NB_LINEAR_ITERATION_LIMIT);
                    assert_int_equal(report.iterations, count);
                    assert_true(error(d, plain_krylov(p, inverse, count, gradients)) <
                                100 * (double)pcr_type<T>::roundoff);
                    solve_in_cluster<Method>(again, p, ranks, count, 2, 0, emulated::SCATTERED);
                    for (size_t i = 0; i < p.size(); ++i)
                        assert_true(d.system.x[i] == again.system.x[i]);
                }
}

void test_clusters(void **)
{
    same_iterates_in_cluster<double, pcr_method>(false);
    same_iterates_in_cluster<float, pcr_method>(false);
    same_iterates_in_cluster<double, pcg_method>(true);
    const problem p = make_problem(29);
    const std::vector<double> inverse = invert(p, false);
    device<double> early(p, inverse, 16), grid(p, inverse, 2);
    const nb_linear_report stopped =
        solve_in_cluster<pcr_method>(early, p, 3, 200, 200, 1e-6, emulated::BACKWARD);
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
    std::vector<double> inverse = invert(p, false), x(p.size(), 0.0);
    device<double> sweeps(p, inverse, 3);
    const nb_linear_report swept = sweeps.solve<gauss_seidel_method>(3, 4, 0, emulated::FORWARD);
    assert_int_equal(swept.ending, NB_LINEAR_ITERATION_LIMIT);
    assert_int_equal(swept.iterations, 4);
    assert_true(error(sweeps, plain_gauss_seidel(p, sweeps.colours, 4)) < 1e-14);

    for (double &one : inverse)
        one *= 0.7;
    for (int k = 0; k < 4; ++k) {
        const std::vector<double> product = multiply(p, x);
        for (size_t i = 0; i < x.size(); ++i)
            x[i] += inverse[i] * (p.b[i] - product[i]);
    }
    device<double> jacobi(p, inverse, 3);
    assert_int_equal(jacobi.solve<jacobi_method>(3, 4, 0, emulated::FORWARD).iterations, 4);
    assert_true(error(jacobi, x) < 1e-14);
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
        for (double one : p.value) {
            const float value = (float)one;
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            const uint32_t half = (bits >> 16 & 0x8000u) |
                                  ((bits & 0x7fffffffu) ? ((bits & 0x7fffffffu) - 0x38000000u) >> 13 : 0);
            narrow.narrow.push_back((unsigned short)(storage == PCR_F16 ? half : bits >> 16));
        }
        narrow.system.storage = storage;
        narrow.system.value = narrow.narrow.data();
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

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_krylov_iterates),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_the_order_of_threads_does_not_matter),
        cmocka_unit_test(test_relaxations),
        cmocka_unit_test(test_colours_do_not_touch),
        cmocka_unit_test(test_sixteen_bits),
        cmocka_unit_test(test_endings),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

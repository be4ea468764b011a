// Cholesky's factorisation of the CUDA step on emulated threads, against elimination in double: solutions, the same
// bits by any number of blocks and threads in any order, and the row at which an indefinite matrix ends it. Needs
// neither a device nor nvcc.
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

#include "solvers/cuda/dense_stages.cuh"
#include "tests/solvers/cuda/systems.cuh"

namespace {

// By that many blocks of the grid, or, where 0, by a block alone. Returns `failed`.
// again: another right side, which is solved for after the first with the same factor.
template <class T>
int run(device<T> &d, unsigned blocks, unsigned threads, order how, const std::vector<T> *again = nullptr)
{
    const unsigned count = blocks ? blocks : 1;
    std::vector<T> scratch(count * DENSE_SCRATCH, T(NAN)), matrix(dense_size(3 * (size_t)d.system.rows), T(NAN));
    int failed = 77; // of a factorisation before
    d.system.lone = blocks == 0;
    emulated::launch(count, threads, how, [&] {
        T *own = scratch.data() + blockIdx.x * DENSE_SCRATCH;
        if (blocks)
            dense_solve(d.system, matrix.data(), &failed, own, emulated::wait_for_grid);
        else
            dense_solve(d.system, matrix.data(), &failed, own, __syncthreads);
    });
    if (again) {
        d.b = *again;
        d.system.b = d.b.data();
        emulated::launch(count, threads, how, [&] {
            dense_solve_again(d.system, matrix.data(), scratch.data() + blockIdx.x * DENSE_SCRATCH,
                              emulated::wait_for_grid);
        });
    }
    return failed;
}

// Every block of rows meets every other one: in a band, far tiles would have nothing to tell one another.
problem full_problem(int rows)
{
    problem out;
    const size_t n = 3 * (size_t)rows;
    std::vector<double> dense(n * n);
    seed = 11;
    out.rows = rows;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j)
            dense[i * n + j] = dense[j * n + i] = i == j ? (double)n : uniform();
    out.start.push_back(0);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            out.column.push_back(j);
            for (size_t e = 0; e < 9; ++e)
                out.value.push_back(dense[(3 * (size_t)i + e / 3) * n + 3 * (size_t)j + e % 3]);
        }
        out.start.push_back((int)out.column.size());
    }
    for (size_t i = 0; i < n; ++i)
        out.b.push_back(uniform());
    return out;
}

// Around multiples of the tile's 32 rows.
template <class T> void solves()
{
    for (int rows : {1, 10, 11, 21, 22, 32, 33, 64, 65}) {
        const problem p = full_problem(rows);
        std::vector<double> x;
        assert_int_equal(eliminate(p, x), -1);
        device<T> first(p, invert(p, false), 3);
        assert_int_equal(run(first, 3, 64, emulated::FORWARD), 0);
        assert_int_equal(pcr_report(first.state).ending, NB_LINEAR_CONVERGED);
        assert_int_equal(pcr_report(first.state).iterations, 1);
        std::vector<T> other; // of one right side with the factor of another
        for (unsigned blocks : {0u, 3u})
            for (order how : {emulated::FORWARD, emulated::BACKWARD, emulated::SCATTERED}) {
                device<T> twice(p, invert(p, false), 3);
                for (size_t i = 0; i < p.size(); ++i)
                    twice.b[i] = (T)i;
                run(twice, blocks, 64, how, &first.b);
                assert_true(error(twice, x) < 30 * (double)pcr_type<T>::roundoff);
                if (other.empty())
                    other.assign(twice.system.x, twice.system.x + p.size());
                assert_memory_equal(other.data(), twice.system.x, p.size() * sizeof(T));
            }
        const double off = error(first, x), right = std::sqrt(dot(p.b, p.b));
        if (!(off < 30 * (double)pcr_type<T>::roundoff))
            fail_msg("%d rows: %g off", rows, off);
        assert_true(std::fabs((double)first.state.right_side - right) < 10 * (double)pcr_type<T>::roundoff * right);
        for (unsigned blocks : {0u, 1u, 2u, 5u})
            for (order how : {emulated::FORWARD, emulated::BACKWARD, emulated::SCATTERED}) {
                device<T> again(p, invert(p, false), 5);
                assert_int_equal(run(again, blocks, blocks == 2 ? 96 : 64, how), 0);
                assert_memory_equal(first.system.x, again.system.x, p.size() * sizeof(T));
            }
    }
}

void test_solutions(void **)
{
    solves<double>();
    solves<float>();
}

void test_indefinite(void **)
{
    for (int row : {0, 7, 31, 32, 50, 95}) {
        problem p = make_problem(32);
        std::vector<double> x;
        int at = p.start[row / 3];
        while (p.column[at] != row / 3)
            ++at;
        p.value[9 * (size_t)at + 4 * (size_t)(row % 3)] *= -1;
        const int wanted = eliminate(p, x);
        assert_int_equal(wanted, row);
        for (unsigned blocks : {0u, 3u}) {
            device<double> d(p, invert(p, false), 3);
            assert_int_equal(run(d, blocks, 64, emulated::BACKWARD), 1 + wanted);
        }
    }
    problem p = make_problem(32);
    p.value[9 * 20 + 4] = NAN;
    device<double> d(p, invert(p, false), 3);
    assert_true(run(d, 2, 64, emulated::FORWARD) > 0);
    p = make_problem(32);
    p.b[3] = INFINITY;
    device<double> endless(p, invert(p, false), 3);
    assert_int_equal(run(endless, 2, 64, emulated::FORWARD), 0);
    assert_int_equal(pcr_report(endless.state).ending, NB_LINEAR_NON_FINITE);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_indefinite),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

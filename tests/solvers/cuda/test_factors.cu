// The operator by its factors on emulated threads, by a grid, a block and clusters, against plain loops in double
// with the matrix that the factors make: PCR and PCG, both preconditioners, 16-bit storage, values that stay in
// global memory, clusters with more blocks than rows, nodes with many blocks. Needs neither a device nor nvcc.
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

// G by rows and by nodes, H^-1 [9 nodes], C [9 rows]; `whole` is G H^-1 G^T + C with all of its blocks.
struct factors {
    int nodes;
    std::vector<int> start, column, node_start, node_entry, node_row;
    std::vector<double> value, mass, compliance;
    problem whole;
};

// Positive definite and symmetric 3x3 blocks.
std::vector<double> blocks(int count, double least)
{
    std::vector<double> out;
    for (int i = 0; i < count; ++i) {
        double root[9];
        for (double &one : root)
            one = uniform();
        for (int k = 0; k < 9; ++k) {
            out.push_back(k % 4 ? 0 : least);
            for (int j = 0; j < 3; ++j)
                out.back() += root[3 * (k / 3) + j] * root[3 * (k % 3) + j];
        }
    }
    return out;
}

void by_nodes(factors &f)
{
    f.node_start.push_back(0);
    for (int node = 0; node < f.nodes; ++node) {
        for (size_t row = 0; row + 1 < f.start.size(); ++row)
            for (int k = f.start[row]; k < f.start[row + 1]; ++k)
                if (f.column[(size_t)k] == node) {
                    f.node_entry.push_back(k);
                    f.node_row.push_back((int)row);
                }
        f.node_start.push_back((int)f.node_row.size());
    }
}

void assemble(factors &f, int rows)
{
    const size_t n = 3 * (size_t)rows, m = 3 * (size_t)f.nodes;
    std::vector<double> g(n * m, 0.0), weighted(n * m, 0.0);
    for (int i = 0; i < rows; ++i)
        for (int k = f.start[(size_t)i]; k < f.start[(size_t)i + 1]; ++k)
            for (size_t e = 0; e < 9; ++e)
                g[(3 * (size_t)i + e / 3) * m + 3 * (size_t)f.column[(size_t)k] + e % 3] = f.value[9 * (size_t)k + e];
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < m; ++j)
            for (size_t c = 0; c < 3; ++c)
                weighted[i * m + j] += g[i * m + j / 3 * 3 + c] * f.mass[j / 3 * 9 + 3 * c + j % 3];
    f.whole.rows = rows;
    f.whole.start.push_back(0);
    for (size_t i = 0; i < (size_t)rows; ++i) {
        for (size_t j = 0; j < (size_t)rows; ++j) {
            f.whole.column.push_back((int)j);
            for (size_t e = 0; e < 9; ++e) {
                double sum = i == j ? f.compliance[9 * i + e] : 0;
                for (size_t k = 0; k < m; ++k)
                    sum += weighted[(3 * i + e / 3) * m + k] * g[(3 * j + e % 3) * m + k];
                f.whole.value.push_back(sum);
            }
        }
        f.whole.start.push_back((int)f.whole.column.size());
    }
    for (size_t i = 0; i < n; ++i)
        f.whole.b.push_back(uniform());
}

// Every row meets node 0 and up to three others. digits: of G's numbers, after the point; 0: all.
factors make_factors(int rows, int digits)
{
    factors out;
    const double unit = std::ldexp(1.0, digits);
    seed = 5;
    out.nodes = rows / 2 + 2;
    out.start.push_back(0);
    for (int i = 0; i < rows; ++i) {
        for (int node : {0, 1 + i % (out.nodes - 1), 1 + (i + 3) % (out.nodes - 1)})
            if (out.column.size() == (size_t)out.start.back() || out.column.back() != node) {
                out.column.push_back(node);
                for (int k = 0; k < 9; ++k) {
                    const double one = uniform();
                    out.value.push_back(digits ? std::round(one * unit) / unit : one);
                }
            }
        out.start.push_back((int)out.column.size());
    }
    out.mass = blocks(out.nodes, 0.3);
    out.compliance = blocks(rows, 0.5);
    by_nodes(out);
    assemble(out, rows);
    return out;
}

template <class T> struct factored_device : device<T> {
    std::vector<T> mass, compliance, velocity;

    factored_device(const factors &f, const std::vector<double> &inverse, int blocks)
        : device<T>(f.whole, inverse, blocks), mass(f.mass.begin(), f.mass.end()),
          compliance(f.compliance.begin(), f.compliance.end()), velocity(f.mass.size(), T(NAN))
    {
        pcr_factors<T> &own = this->system.factors;
        this->value.assign(f.value.begin(), f.value.end());
        this->system.factored = 1;
        this->system.start = f.start.data();
        this->system.column = f.column.data();
        this->system.value = this->value.data();
        own.nodes = f.nodes;
        own.node_start = f.node_start.data();
        own.node_entry = f.node_entry.data();
        own.node_row = f.node_row.data();
        own.inverse_mass = mass.data();
        own.compliance = compliance.data();
        own.velocity = velocity.data();
    }
};

// ranks 0: by a grid of three blocks; else a block or cluster.
template <class Method, class T>
nb_linear_report solve_anywhere(factored_device<T> &d, int ranks, int count, int stride, order how)
{
    return ranks ? solve_in_cluster<Method>(static_cast<device<T> &>(d), ranks, count, stride, 0, how)
                 : d.template solve<Method>(3, count, 0, how);
}

template <class T, class Method> void same_iterates(plain_method plain)
{
    for (int rows : {1, 4, 45})
        for (int ranks : {0, 1, 2, 5, 16})
            for (bool wide : {false, true})
                for (int stays : {0, 1}) {
                    if (wide && (rows == 1 || plain == plain_jacobi))
                        continue; // solved at once; a diagonal is all it knows
                    const factors f = make_factors(rows, 0);
                    const int count = rows == 1 ? 2 : 5;
                    const std::vector<double> inverse = invert(f.whole, wide);
                    factored_device<T> d(f, inverse, 16), again(f, inverse, 16);
                    d.system.stays = again.system.stays = stays;
                    const nb_linear_report report =
                        solve_anywhere<Method>(d, ranks, count, stays ? 1 : 5, emulated::FORWARD);
                    assert_int_equal(report.ending, NB_LINEAR_ITERATION_LIMIT);
                    assert_int_equal(report.iterations, count);
                    const double off = error(d, plain(f.whole, inverse, count));
                    if (!(off < 300 * (double)pcr_type<T>::roundoff))
                        fail_msg("%d rows in %d blocks: %g off", rows, ranks, off);
                    solve_anywhere<Method>(again, ranks, count, 2, emulated::SCATTERED);
                    for (size_t i = 0; i < f.whole.size(); ++i)
                        assert_true(d.system.x[i] == again.system.x[i]);
                }
}

void test_iterates(void **)
{
    same_iterates<double, pcr_method>(plain_residuals);
    same_iterates<float, pcr_method>(plain_residuals);
    same_iterates<double, pcg_method>(plain_gradients);
    same_iterates<double, jacobi_method>(plain_jacobi);
}

// Numbers of few digits are exact in 16 bits, so that the result must be too.
void test_sixteen_bits(void **)
{
    for (int storage : {PCR_F16, PCR_BF16})
        for (int ranks : {0, 1, 5}) {
            const factors f = make_factors(45, storage == PCR_F16 ? 9 : 6);
            const std::vector<double> inverse = invert(f.whole, false);
            factored_device<double> narrow(f, inverse, 16), wide(f, inverse, 16);
            narrow.store(f.value, storage);
            solve_anywhere<pcr_method>(narrow, ranks, 5, 5, emulated::FORWARD);
            solve_anywhere<pcr_method>(wide, ranks, 5, 5, emulated::FORWARD);
            assert_true(narrow.vectors == wide.vectors);
        }
}

// Each block's share of a node goes to a slot of its own in every block that meets the node.
void test_shares(void **)
{
    const factors f = make_factors(45, 0);
    const std::vector<int> split = {0, 10, 10, 31, 45};
    const pcr_share_lists shares = pcr_share_nodes(f.nodes, f.start.data(), f.column.data(), split);
    std::vector<std::vector<int>> written(4);
    for (size_t block = 0; block < 4; ++block)
        written[block].assign((size_t)shares.slots(block), 0);
    assert_int_equal(shares.nodes(1), 0);
    assert_int_equal((int)shares.column.size(), f.start.back());
    for (size_t block = 0; block < 4; ++block)
        for (int k = shares.first_slot[block]; k < shares.first_slot[block + 1]; ++k)
            written[(size_t)(shares.slot[(size_t)k] % 16)].at((size_t)(shares.slot[(size_t)k] / 16))++;
    for (const std::vector<int> &block : written)
        for (int times : block)
            assert_int_equal(times, 1);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterates),
        cmocka_unit_test(test_sixteen_bits),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

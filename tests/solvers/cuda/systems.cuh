// Small systems of 3x3 blocks, assembled and by their factors, and emulated solves of them.
#ifndef NB_TEST_CUDA_SYSTEMS_CUH
#define NB_TEST_CUDA_SYSTEMS_CUH

#include "tests/solvers/cuda/emulate.cuh"

#include <cstdint>
#include <cstring>

#include "solvers/cuda/colouring.cuh"
#include "solvers/cuda/iterations.cuh"
#include "solvers/cuda/memory_layout.cuh"
#include "tests/solvers/cuda/plain.cuh"

using emulated::order;
enum { THREADS = 64 };

inline uint32_t seed;
inline double uniform()
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24) - 0.5;
}

// A chain of 3x3 blocks with links to far rows.
inline problem make_problem(int rows)
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

// G by rows and by nodes, H^-1 [9 nodes], C [9 rows]; `whole` is G H^-1 G^T + C with all of its blocks.
struct factors {
    int nodes = 0; // 0: only `whole` counts
    std::vector<int> start, column, node_start, node_entry, node_row;
    std::vector<double> value, mass, compliance;
    problem whole;
};

// Positive definite and symmetric 3x3 blocks.
inline std::vector<double> random_blocks(int count, double least)
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

inline void sort_by_nodes(factors &f)
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

// Every row meets node 0 and up to three others. digits: of G's numbers, after the point; 0: all.
inline factors make_factors(int rows, int digits)
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
    out.mass = random_blocks(out.nodes, 0.3);
    out.compliance = random_blocks(rows, 0.5);
    sort_by_nodes(out);
    out.whole = assemble(rows, out.nodes, out.start.data(), out.column.data(), out.value, out.mass, out.compliance);
    for (int i = 0; i < 3 * rows; ++i)
        out.whole.b.push_back(uniform());
    return out;
}

// P^-1 by cofactors [9 rows]; a diagonal where not wide [3 rows].
inline std::vector<double> invert(const problem &p, bool wide)
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

enum { BY_ONE_BLOCK = 0 }; // in its shared memory, in place of a number of blocks of the grid

// An emulated solve: a system's arrays, and what its last launch left.
template <class T> struct device {
    linear_system<T> system = {};
    std::vector<double> memory;
    std::vector<unsigned short> narrow;
    nb_cuda_colouring colours;

    device(const problem &p, const std::vector<double> &inverse)
        : device(factors{0, {}, {}, {}, {}, {}, {}, {}, {}, p}, inverse)
    {
    }

    device(const factors &f, const std::vector<double> &inverse)
    {
        const problem &p = f.whole;
        const std::vector<int> &start = f.nodes ? f.start : p.start, &column = f.nodes ? f.column : p.column;
        const size_t entries = column.size();
        system.rows = p.rows;
        system.wide = inverse.size() > p.size();
        system.factored = f.nodes > 0;
        system.factors.nodes = f.nodes;
        memory.assign(lay_out_system(nullptr, entries, MOST_BLOCKS, system) / sizeof(double), (double)NAN);
        lay_out_system((char *)memory.data(), entries, MOST_BLOCKS, system);
        fill(system.start, start);
        fill(system.column, column);
        fill((const T *)system.value, f.nodes ? f.value : p.value);
        fill(system.inverse, inverse);
        fill(system.b, p.b);
        std::vector<double> weight = invert(p, false);
        for (double &one : weight)
            one = std::fabs(one); // an indefinite matrix has some norm
        fill(system.weight, weight);
        if (f.nodes) {
            fill(system.factors.node_start, f.node_start);
            fill(system.factors.node_entry, f.node_entry);
            fill(system.factors.node_row, f.node_row);
            fill(system.factors.inverse_mass, f.mass);
            fill(system.factors.compliance, f.compliance);
            return;
        }
        colours = nb_cuda_colour_rows(p.rows, p.start.data(), p.column.data());
        system.order = colours.order.data();
        system.colour_start = colours.start.data();
        system.colours = (int)colours.start.size() - 1;
    }
    device(const device &) = delete;

    // In 16 bits, of which the numbers need no more.
    void store(const std::vector<double> &numbers, int storage)
    {
        for (double one : numbers) {
            const float number = (float)one;
            uint32_t bits;
            memcpy(&bits, &number, sizeof bits);
            const uint32_t half = (bits >> 16 & 0x8000u) |
                                  ((bits & 0x7fffffffu) ? ((bits & 0x7fffffffu) - 0x38000000u) >> 13 : 0);
            narrow.push_back((unsigned short)(storage == STORED_F16 ? half : bits >> 16));
        }
        system.storage = storage;
        system.value = narrow.data();
    }

    template <class Method> nb_linear_report solve(int blocks, int count, double tolerance, order how)
    {
        linear_system<T> measured = system;
        const size_t scratch = SCRATCH * sizeof(T);
        const size_t room = blocks ? 0 : lay_out_system(nullptr, (size_t)system.start[system.rows], 1, measured);
        *system.state = {};
        system.state->limit = count;
        system.state->tolerance = (T)tolerance;
        std::fill_n(system.x, 3 * system.rows, T(0));
        emulated::launch((unsigned)std::max(blocks, 1), THREADS, how, [&] {
            T *own = (T *)shared_memory();
            if (blocks) {
                iterate<Method>(system, true, count, own, emulated::wait_for_grid);
                return;
            }
            const linear_system<T> near = copy_system(system, (char *)own + scratch);
            __syncthreads();
            iterate<Method>(near, true, count, own, __syncthreads);
            return_solution(system, near);
        }, scratch + room);
        return report_of(*system.state);
    }

    std::vector<T> x() const { return std::vector<T>(system.x, system.x + 3 * system.rows); }

private:
    enum { MOST_BLOCKS = 45 };
    template <class E, class F> static void fill(const E *to, const std::vector<F> &from)
    {
        for (size_t i = 0; i < from.size(); ++i)
            const_cast<E *>(to)[i] = (E)from[i];
    }
};

template <class T> double error(const device<T> &d, const std::vector<double> &x)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        off += ((double)d.system.x[i] - x[i]) * ((double)d.system.x[i] - x[i]);
        all += x[i] * x[i];
    }
    return std::sqrt(off / all);
}

#endif

// Small systems of 3x3 blocks, and emulated solves of them.
#ifndef NB_TEST_CUDA_SYSTEMS_CUH
#define NB_TEST_CUDA_SYSTEMS_CUH

#include "tests/solvers/cuda/emulate.cuh"

#include <cstdint>
#include <cstring>

#include "solvers/cuda/cluster.cuh"
#include "solvers/cuda/colours.cuh"
#include "solvers/cuda/pcg_stages.cuh"
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

// An emulated solve: the arrays of a system, and what its last launch left.
template <class T> struct device {
    pcr_system<T> system = {};
    pcr_state<T> state = {};
    std::vector<T> value, inverse, b, vectors, sums;
    std::vector<unsigned short> narrow;
    nb_cuda_colours colours;

    device(const problem &p, const std::vector<double> &given, int blocks)
        : value(p.value.begin(), p.value.end()), inverse(given.begin(), given.end()),
          b(p.b.begin(), p.b.end()), vectors(6 * p.size(), T(0)), sums(5 * (size_t)blocks, T(NAN)),
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
        T **const sum[] = {&system.sum_rr, &system.sum_bb, &system.sum_zw, &system.sum_ww,
                            &system.sum_wq};
        for (int k = 0; k < 5; ++k)
            *sum[k] = sums.data() + k * blocks;
        system.guess = system.x;
        system.state = &state;
    }

    // In 16 bits, of which the numbers need no more.
    void store(const std::vector<double> &numbers, int storage)
    {
        for (double one : numbers) {
            const float number = (float)one;
            uint32_t bits;
            memcpy(&bits, &number, sizeof bits);
            const uint32_t half = (bits >> 16 & 0x8000u) |
                                  ((bits & 0x7fffffffu) ? ((bits & 0x7fffffffu) - 0x38000000u) >> 13 : 0);
            narrow.push_back((unsigned short)(storage == PCR_F16 ? half : bits >> 16));
        }
        system.storage = storage;
        system.value = narrow.data();
    }

    template <class Method> nb_linear_report solve(int blocks, int count, double tolerance, order how)
    {
        std::vector<T> scratch((size_t)blocks * PCR_SCRATCH);
        state.limit = count;
        state.tolerance = (T)tolerance;
        emulated::launch((unsigned)blocks, THREADS, how, [&] {
            pcr_iterate<Method>(system, true, count,
                                scratch.data() + blockIdx.x * PCR_SCRATCH,
                                emulated::wait_for_grid);
        });
        return pcr_report(state);
    }
};

// The same in the shared memory of a block or a cluster, in launches of `stride` iterations. Nothing is there before
// that could be mistaken for a result.
template <class Method, class T>
nb_linear_report solve_in_cluster(device<T> &d, int ranks, int count, int stride,
                                  double tolerance, order how)
{
    const pcr_division division =
        pcr_divide(d.system, d.system.start, d.system.column, ranks, Method::multiplied);
    pcr_system<T> measured = d.system;
    const size_t bytes = ranks > 1 ? division.bytes
                                   : pcr_place((char *)nullptr, measured.rows,
                                               (size_t)measured.start[measured.rows],
                                               Method::multiplied, measured);
    const size_t words = bytes / sizeof(double) + 1;
    std::vector<T> scratch((size_t)ranks * PCR_SCRATCH, T(NAN));
    std::vector<double> memory((size_t)ranks * words, (double)NAN);
    std::vector<char *> shared;
    for (int rank = 0; rank < ranks; ++rank)
        shared.push_back((char *)(memory.data() + (size_t)rank * words));
    d.system.split = ranks > 1 ? division.split.data() : nullptr;
    d.system.needed = division.needed.data();
    if (d.system.factored)
        d.system.factors.shares = division.shares.view([](const auto &list) { return list.data(); });
    d.state.limit = count;
    d.state.tolerance = (T)tolerance;
    for (int done = 0; done < count; done += stride)
        emulated::launch((unsigned)ranks, THREADS, how, [&] {
            const pcr_system<T> near =
                pcr_bring(d.system, Method::multiplied, done > 0, shared[blockIdx.x]);
            cluster_barrier()();
            pcr_iterate<Method>(near, done == 0, std::min(stride, count - done),
                                scratch.data() + blockIdx.x * PCR_SCRATCH, cluster_barrier());
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

#endif

// The rows cuda_* of the registry with emulated threads in place of the device: the border of pcr.h is
// defined here, so that all above it runs as on a card. Newton iterations with them against those with the
// CPU's own rows, assembled and factored, on every scene. Needs no device.
#include "tests/cuda/emulate.cuh"

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
extern "C" {
#include <cmocka.h>
#include "solvers/cuda/pcr.h"
}

#include "solvers/cuda/colours.cuh"
#include "solvers/cuda/iterate.cuh"
#include "solvers/cuda/pcg_stages.cuh"
#include "tests/cuda/rows.cuh"

namespace {

constexpr unsigned BLOCKS = 2, THREADS = 64;

template <class E> std::vector<E> copy_of(const void *from, size_t count)
{
    return std::vector<E>((const E *)from, (const E *)from + count);
}

} // namespace

struct nb_cuda_pcr {
    nb_cuda_method method;
    size_t entries;
    std::vector<int> start, column, node_start, node_entry, node_row;
    std::vector<char> value; // of the storage's type
    std::vector<nb_real> inverse, mass, compliance, velocity, b, vectors, sums;
    nb_cuda_colours colours;
    pcr_state<nb_real> state = {};
    pcr_system<nb_real> system = {};

    nb_cuda_pcr(nb_cuda_method given, const nb_cuda_pattern &pattern)
        : method(given), entries((size_t)pattern.start[pattern.rows]),
          start(copy_of<int>(pattern.start, (size_t)pattern.rows + 1)),
          column(copy_of<int>(pattern.column, entries)), vectors(18 * (size_t)pattern.rows),
          sums(5 * BLOCKS)
    {
        const size_t n = 3 * (size_t)pattern.rows;
        system.rows = pattern.rows;
        system.wide = pattern.wide;
        system.storage = pattern.storage;
        system.start = start.data();
        system.column = column.data();
        nb_real **const vector[] = {&system.x, &system.r, &system.z, &system.p, &system.q, &system.w};
        for (size_t k = 0; k < 6; ++k)
            *vector[k] = vectors.data() + k * n;
        system.guess = system.x;
        nb_real **const sum[] = {&system.sum_rr, &system.sum_bb, &system.sum_zw, &system.sum_ww,
                                  &system.sum_wq};
        for (size_t k = 0; k < 5; ++k)
            *sum[k] = sums.data() + k * BLOCKS;
        system.state = &state;
        if (pattern.nodes > 0)
            take_factors(pattern);
    }

    void take_factors(const nb_cuda_pattern &pattern)
    {
        node_start = copy_of<int>(pattern.node_start, (size_t)pattern.nodes + 1);
        node_entry = copy_of<int>(pattern.node_entry, entries);
        node_row = copy_of<int>(pattern.node_row, entries);
        velocity.resize(3 * (size_t)pattern.nodes);
        system.factored = 1;
        system.factors.nodes = pattern.nodes;
        system.factors.node_start = node_start.data();
        system.factors.node_entry = node_entry.data();
        system.factors.node_row = node_row.data();
        system.factors.velocity = velocity.data();
    }

    void update(const nb_cuda_values &values)
    {
        const size_t rows = (size_t)system.rows;
        value = copy_of<char>(values.value, 9 * entries * (system.storage ? 2 : sizeof(nb_real)));
        inverse = copy_of<nb_real>(values.inverse, (system.wide ? 9 : 3) * rows);
        system.value = value.data();
        system.inverse = inverse.data();
        if (!system.factored)
            return;
        mass = copy_of<nb_real>(values.inverse_mass, 9 * (size_t)system.factors.nodes);
        compliance = copy_of<nb_real>(values.compliance, 9 * rows);
        system.factors.inverse_mass = mass.data();
        system.factors.compliance = compliance.data();
    }

    template <class Method> void iterate(int count)
    {
        std::vector<nb_real> scratch(BLOCKS * PCR_SCRATCH);
        emulated::launch(BLOCKS, THREADS, emulated::SCATTERED, [&] {
            pcr_iterate<Method>(system, true, count,
                                scratch.data() + blockIdx.x * PCR_SCRATCH,
                                emulated::wait_for_grid);
        });
    }

    nb_linear_report solve(const nb_cuda_task &task)
    {
        const size_t n = 3 * (size_t)system.rows;
        b = copy_of<nb_real>(task.b, n);
        memcpy(system.x, task.x, n * sizeof(nb_real));
        system.b = b.data();
        state = {};
        state.limit = task.iterations;
        state.tolerance = (nb_real)task.tolerance;
        if (method == NB_CUDA_PCR)
            iterate<pcr_method>(task.iterations);
        else if (method == NB_CUDA_PCG)
            iterate<pcg_method>(task.iterations);
        else
            iterate<jacobi_method>(task.iterations);
        memcpy(task.x, system.x, n * sizeof(nb_real));
        return pcr_report(state);
    }
};

extern "C" nb_status nb_cuda_pcr_create(nb_cuda_pcr **out, nb_cuda_method method, nb_cuda_way,
                                        const nb_cuda_pattern *pattern, nb_error *)
{
    *out = new nb_cuda_pcr(method, *pattern);
    return NB_OK;
}

extern "C" nb_status nb_cuda_pcr_update(nb_cuda_pcr *pcr, const nb_cuda_values *values, nb_error *)
{
    pcr->update(*values);
    return NB_OK;
}

extern "C" nb_linear_report nb_cuda_pcr_solve(nb_cuda_pcr *pcr, const nb_cuda_task *task)
{
    return pcr->solve(*task);
}

extern "C" void nb_cuda_pcr_free(nb_cuda_pcr *pcr)
{
    delete pcr;
}

namespace {

void test_the_rows_are_the_cpus(void **)
{
    const std::vector<test_row> rows = {
        {"cuda_pcr_graph", "pcr", "jacobi", nullptr},
        {"cuda_pcg_persistent", "pcg", "jacobi", nullptr},
        {"cuda_pcr_persistent:preconditioner=block_jacobi", "pcr", "block_jacobi", "assembled"},
        {"cuda_pcg_persistent:preconditioner=block_jacobi", "pcg", "block_jacobi", "assembled", 0, 4},
        {"cuda_pcr_graph:storage=f16", "pcr", "jacobi", nullptr, 0.06},
        {"cuda_pcg_persistent:storage=bf16", "pcg", "jacobi", nullptr, 0.3},
        {"cuda_jacobi", "jacobi", "none", nullptr},
    };
    for (const test_scene &one : test_scenes())
        same_as_cpu(one, rows);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rows_are_the_cpus),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

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
#include "problems/simulate.h"
#include "solvers/cuda/pcr.h"
#include "solvers/precision.h"
}

#include "solvers/cuda/colours.cuh"
#include "solvers/cuda/iterate.cuh"
#include "solvers/cuda/pcg_stages.cuh"
#include "tests/cuda/scenes.cuh"

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

// Velocities after two Newton iterations of two linear ones: fewer than solve the smallest, which would leave only rounding.
std::vector<double> run(const nb_problem &problem, const char *linear, const char *precond,
                        const char *form)
{
    nb_options options = nb_options_default();
    nb_solver *solver = nullptr;
    nb_run run;
    nb_error error = {};
    options.solver = "newton";
    options.linear = linear;
    options.precond = precond;
    options.operator_form = form;
    options.precision = NB_TEXT(NB_PRECISION);
    options.linear_iterations = 2;
    if (nb_solver_create(&solver, &problem, &options, &error) ||
        nb_solver_run(solver, 2, nullptr, &run, &error))
        fail_msg("%s, %s: %s", linear, form, error.text);
    assert_false(run.broke_down);
    assert_int_equal(run.newton_iterations, 2);
    std::vector<double> u((size_t)nb_problem_dofs(&problem)),
        lambda((size_t)nb_problem_multipliers(&problem));
    nb_solver_solution(solver, u.data(), lambda.data());
    nb_solver_free(solver);
    return u;
}

void same_as_cpu(const test_scene &given)
{
    // form: the CPU's where it is not the same, since its block Jacobi wants the matrix. storage: what its rounding did
    // on all scenes, twice over.
    static const struct {
        const char *cuda, *cpu, *precond, *form;
        double storage = 0;
    } rows[] = {{"cuda_pcr_graph", "pcr", "jacobi", nullptr},
                {"cuda_pcg_persistent", "pcg", "jacobi", nullptr},
                {"cuda_pcr_persistent:preconditioner=block_jacobi", "pcr", "block_jacobi", "assembled"},
                {"cuda_pcr_graph:storage=f16", "pcr", "jacobi", nullptr, 0.06},
                {"cuda_pcg_persistent:storage=bf16", "pcg", "jacobi", nullptr, 0.3},
                {"cuda_jacobi", "jacobi", "none", nullptr}};
    nb_problem problem = {};
    nb_error error = {};
    nb_options simple = nb_options_default();
    simple.solver = "newton";
    simple.linear = "kkt";
    simple.precond = "none";
    simple.operator_form = "factored";
    if (nb_scene_create(given.name, (int)given.settings.size(), given.settings.data(), &problem, &error) ||
        nb_simulate(&problem, given.steps, &simple, nullptr, nullptr, &error))
        fail_msg("%s: %s", given.name, error.text);
    double fall = 0;
    for (int i = 0; i < nb_problem_dofs(&problem); ++i)
        fall += problem.free_velocity[i] * problem.free_velocity[i];
    for (const auto &row : rows)
        for (const char *form : {"assembled", "factored"}) {
            if (given.large && (row.form || strcmp(form, "assembled") == 0))
                continue;
            if (row.storage > 0 && strcmp(form, "assembled") == 0)
                continue; // rounding A can leave it indefinite; whatever G is, G H^-1 G^T + C is not
            const std::vector<double> mine = run(problem, row.cuda, "none", form);
            const std::vector<double> cpu =
                run(problem, row.cpu, row.precond, row.form ? row.form : form);
            double off = 0;
            for (size_t i = 0; i < mine.size(); ++i)
                off += (mine[i] - cpu[i]) * (mine[i] - cpu[i]);
            off = std::sqrt(off / fall);
            const double rounding = sizeof(nb_real) == sizeof(double) ? 1e-11 : 5e-3;
            if (!(off < std::max(row.storage, rounding)))
                fail_msg("%s, %s, %s: %g off", given.name, row.cuda, form, off);
        }
    nb_problem_free(&problem);
}

void test_the_rows_are_the_cpus(void **)
{
    for (const test_scene &one : test_scenes())
        same_as_cpu(one);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rows_are_the_cpus),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

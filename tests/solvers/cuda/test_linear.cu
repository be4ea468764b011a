// The rows cuda_* of linear solvers from the registry through device_linear.h, their host code and their kernels, with
// CUDA's runtime in host memory and plain loops in place of cuBLAS and cuSPARSE: Newton iterations against those with
// the CPU's own rows, assembled and factored, on every scene, in one block and by the grid; observed solves; and no
// memory. Needs no device.
#include "tests/solvers/cuda/host_libraries.cuh"

#include "solvers/cuda/device_linear.cu"
#include "solvers/cuda/launch.cu"
#include "solvers/cuda/library.cu"
#include "solvers/cuda/persistent.cu"

extern "C" {
#include "harness/simulate/simulate.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/precision.h"
}

#include "tests/solvers/cuda/scenes.cuh"

namespace {

// form: the CPU's where it is not the same, since its block Jacobi wants the matrix. storage: what its rounding did
// on all scenes, twice over.
struct test_row {
    const char *cuda, *cpu, *precond, *form;
    double storage = 0;
};

// Velocities after two Newton iterations of two linear ones: fewer than solve the smallest, which would leave only
// rounding.
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

// Of each row, assembled and factored, on that scene: what the CPU's row does.
void same_as_cpu(const test_scene &given, const std::vector<test_row> &rows)
{
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
    for (const test_row &row : rows)
        for (const char *form : {"assembled", "factored"}) {
            if (given.large && (row.form || strcmp(form, "assembled") == 0))
                continue;
            if (strstr(row.cuda, "library") && strcmp(form, "factored") == 0)
                continue; // it takes the matrix
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

template <class Method> void know_kernels()
{
    host::know(grid_kernel<Method, nb_real>);
    host::know(block_kernel<Method, nb_real>);
}

FULL_TEST(rows_are_the_cpus)
{
    const std::vector<test_row> rows = {
        {"cuda_pcr:preconditioner=block_jacobi", "pcr", "block_jacobi", "assembled"},
        {"cuda_pcg:storage=bf16", "pcg", "jacobi", nullptr, 0.3},
        {"cuda_pcr:by=grid:storage=f16", "pcr", "jacobi", nullptr, 0.06},
        {"cuda_jacobi", "jacobi", "none", nullptr},
        {"cuda_pcg:by=grid", "pcg", "jacobi", nullptr},
        {"cuda_pcr:by=library", "pcr", "jacobi", nullptr},
        {"cuda_pcr:by=library:preconditioner=block_jacobi", "pcr", "block_jacobi", "assembled"},
    };
    host::turns = emulated::SCATTERED;
    for (const test_scene &one : test_scenes())
        same_as_cpu(one, rows);
    assert_int_equal(host::held, 0);
}

struct stack {
    nb_problem problem = {};
    nb_error error = {};
    stack()
    {
        const char *const size = "count=2";
        if (nb_scene_create("heavy_stack", 1, &size, &problem, &error) || nb_step_prepare(&problem, &error))
            fail_msg("%s", error.text);
    }
    ~stack() { nb_problem_free(&problem); }
};

// By colours, whose iterates the CPU has not: the same ones wherever the system is.
FULL_TEST(gauss_seidel)
{
    stack stack;
    const std::vector<double> near = run(stack.problem, "cuda_gauss_seidel:by=block", "none", "assembled");
    const std::vector<double> far = run(stack.problem, "cuda_gauss_seidel:by=grid", "none", "assembled");
    assert_true(near == far);
    assert_int_equal(host::held, 0);
}

// A chain of three block rows.
const int start[] = {0, 2, 5, 7}, column[] = {0, 1, 0, 1, 2, 1, 2};

struct shown {
    int next = 0;
    std::vector<std::vector<nb_real>> x;
};
void show(void *context, int iteration, const void *x)
{
    auto *self = (shown *)context;
    assert_int_equal(iteration, self->next++);
    self->x.emplace_back((const nb_real *)x, (const nb_real *)x + 9);
}

// An observed solve resumes from launch to launch, and shows what solves of so many iterations leave.
FULL_TEST(observed_solves)
{
    std::vector<nb_real> value(63), inverse(9), b(9);
    for (int k = 0; k < 7; ++k)
        for (int e = 0; e < 9; ++e)
            value[(size_t)(9 * k + e)] = k % 3 ? 0 : e % 4 ? NB_REAL(0.5) : NB_REAL(4) + (nb_real)(k % 2);
    for (int k : {1, 2, 4, 5})
        for (int e = 0; e < 9; e += 4)
            value[(size_t)(9 * k + e)] = -1;
    for (size_t i = 0; i < 9; ++i) {
        inverse[i] = 1 / value[9 * (3 * (i / 3)) + 4 * (i % 3)];
        b[i] = (nb_real)(1 + i % 4);
    }
    const nb_cuda_values values = {value.data(), inverse.data(), inverse.data(), nullptr, nullptr};
    for (nb_cuda_method method : {NB_CUDA_PCR, NB_CUDA_PCG, NB_CUDA_JACOBI, NB_CUDA_GAUSS_SEIDEL})
        for (nb_cuda_by by : {NB_CUDA_BY_BLOCK, NB_CUDA_BY_GRID, NB_CUDA_BY_LIBRARY}) {
            const nb_cuda_pattern pattern = {sizeof(nb_real) == sizeof(float), 0, NB_CUDA_SAME, by, 3, start, column,
                                             0, nullptr, nullptr, nullptr};
            nb_cuda_linear *solver = nullptr;
            nb_error error;
            shown all;
            std::vector<nb_real> x(9);
            if (by == NB_CUDA_BY_LIBRARY && method != NB_CUDA_PCR)
                continue;
            assert_int_equal(nb_cuda_linear_create(&solver, method, &pattern, &error), NB_OK);
            assert_int_equal(nb_cuda_linear_update(solver, &values, &error), NB_OK);
            const nb_cuda_task observed = {b.data(), x.data(), 4, 0, show, &all};
            assert_int_equal(nb_cuda_linear_solve(solver, &observed).iterations, 4);
            assert_int_equal(all.next, 5);
            for (int k = 1; k <= 4; ++k) {
                x.assign(9, 0);
                const nb_cuda_task alone = {b.data(), x.data(), k, 0, nullptr, nullptr};
                assert_int_equal(nb_cuda_linear_solve(solver, &alone).iterations, k);
                // Gauss-Seidel forms r at the end only, which the next sweep does not read.
                assert_true(x == all.x[(size_t)k]);
            }
            nb_cuda_linear_free(solver);
            assert_int_equal(host::held, 0);
        }
}

// Whichever allocation is the one too many, that is the status, and nothing is left.
FULL_TEST(lack_of_memory)
{
    stack stack;
    nb_options options = nb_options_default();
    options.solver = "newton";
    options.precision = NB_TEXT(NB_PRECISION);
    options.precond = "none";
    for (const char *linear : {"cuda_pcr", "cuda_pcr:by=library", "cuda_gauss_seidel"}) {
        options.linear = linear;
        int enough = 0;
        for (nb_status status = NB_OUT_OF_MEMORY; status == NB_OUT_OF_MEMORY; ++enough) {
            nb_solver *solver = nullptr;
            host::left = enough;
            status = nb_solver_create(&solver, &stack.problem, &options, &stack.error);
            nb_solver_free(solver);
            assert_true(status == NB_OK || status == NB_OUT_OF_MEMORY);
            assert_int_equal(host::held, 0);
        }
        assert_true(enough > 3);
    }
    host::left = 1L << 30;
}

int know_all(void **)
{
    know_kernels<pcr_method>();
    know_kernels<pcg_method>();
    know_kernels<jacobi_method>();
    know_kernels<gauss_seidel_method>();
    return 0;
}
FIXTURE(know_all, nullptr)

} // namespace

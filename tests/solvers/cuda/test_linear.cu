// The rows cuda_* of linear solvers from the registry through pcr.h, their host code and their kernels, with CUDA's
// runtime in host memory: Newton iterations against those with the CPU's own rows, assembled and factored, on every
// scene, in one block, by the grid and as a graph. Needs no device.
#include "tests/solvers/cuda/host_runtime.cuh"

#include "solvers/cuda/cluster.cu"
#include "solvers/cuda/grid.cu"
#include "solvers/cuda/pcr.cu"
#include "solvers/cuda/pcr_graph.cu"
#include "solvers/cuda/pcr_persistent.cu"
#include "solvers/cuda/sweep.cu"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}

#include "problems/scene.h"
#include "problems/step.h"
#include "tests/solvers/cuda/rows.cuh"

namespace {

template <class Method> void know_persistent()
{
    host::know(grid_kernel<Method, nb_real>);
    host::know(lone_kernel<Method, nb_real>);
    host::know(cluster_kernel<Method, nb_real>);
}
template <class Method> void know_graph()
{
    host::know(stage_kernel<Method, 0, nb_real>);
    host::know(stage_kernel<Method, 1, nb_real>);
    host::know(stage_kernel<Method, 2, nb_real>);
    host::know(stage_kernel<Method, Method::last, nb_real>);
    host::know(respond_kernel<Method, 0, nb_real>);
    host::know(respond_kernel<Method, 2, nb_real>);
    host::know(respond_kernel<Method, Method::last, nb_real>);
}

void same_on_all_scenes(const std::vector<test_row> &rows)
{
    for (const test_scene &one : test_scenes())
        same_as_cpu(one, rows);
    assert_int_equal(host::held, 0);
    assert_int_equal(host::graphs, 0);
}

void test_in_one_block(void **)
{
    host::room = MOST_SHARED;
    same_on_all_scenes({
        {"cuda_pcr_persistent:preconditioner=block_jacobi", "pcr", "block_jacobi", "assembled"},
        {"cuda_pcg_persistent:preconditioner=block_jacobi", "pcg", "block_jacobi", "assembled", 0, 4},
        {"cuda_pcg_persistent:storage=bf16", "pcg", "jacobi", nullptr, 0.3},
        {"cuda_jacobi", "jacobi", "none", nullptr},
    });
}

void test_by_the_grid(void **)
{
    host::room = 0;
    same_on_all_scenes({
        {"cuda_pcr_persistent", "pcr", "jacobi", nullptr},
        {"cuda_pcg_persistent", "pcg", "jacobi", nullptr},
    });
}

void test_graph(void **)
{
    same_on_all_scenes({
        {"cuda_pcr_graph", "pcr", "jacobi", nullptr},
        {"cuda_pcg_graph", "pcg", "jacobi", nullptr},
        {"cuda_pcr_graph:storage=f16", "pcr", "jacobi", nullptr, 0.06},
    });
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
void test_gauss_seidel(void **)
{
    stack stack;
    host::room = MOST_SHARED;
    const std::vector<double> near = run(stack.problem, "cuda_gauss_seidel", "none", "assembled");
    host::room = 0;
    const std::vector<double> far = run(stack.problem, "cuda_gauss_seidel", "none", "assembled");
    assert_true(near == far);
    assert_int_equal(host::held, 0);
}

// Whichever allocation is the one too many, that is the status, and nothing is left.
void test_lack_of_memory(void **)
{
    stack stack;
    nb_options options = nb_options_default();
    options.solver = "newton";
    options.precision = NB_TEXT(NB_PRECISION);
    options.precond = "none";
    host::room = MOST_SHARED;
    for (const char *linear : {"cuda_pcr_graph", "cuda_pcr_persistent", "cuda_gauss_seidel"}) {
        options.linear = linear;
        int enough = 0;
        for (nb_status status = NB_OUT_OF_MEMORY; status == NB_OUT_OF_MEMORY; ++enough) {
            nb_solver *solver = nullptr;
            host::left = enough;
            status = nb_solver_create(&solver, &stack.problem, &options, &stack.error);
            nb_solver_free(solver);
            assert_true(status == NB_OK || status == NB_OUT_OF_MEMORY);
            assert_int_equal(host::held, 0);
            assert_int_equal(host::graphs, 0);
        }
        assert_true(enough > 3);
    }
    host::left = 1L << 30;
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_one_block),
        cmocka_unit_test(test_by_the_grid),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_gauss_seidel),
        cmocka_unit_test(test_lack_of_memory),
    };
    know_persistent<pcr_method>();
    know_persistent<pcg_method>();
    know_persistent<jacobi_method>();
    know_persistent<gauss_seidel_method>();
    know_graph<pcr_method>();
    know_graph<pcg_method>();
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

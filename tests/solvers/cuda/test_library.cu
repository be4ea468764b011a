// The `library` way, from the registry through pcr.h down to the calls of cuBLAS and cuSPARSE, with plain loops in
// place of these and of CUDA's runtime: Newton iterations against those with the CPU's own rows, assembled
// and factored, on every scene. Needs no device.
#include "tests/solvers/cuda/host_libraries.cuh"

#include "solvers/cuda/pcg_library.cu"
#include "solvers/cuda/pcr.cu"
#include "solvers/cuda/pcr_library.cu"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}

#include "tests/solvers/cuda/rows.cuh"

namespace {

void test_the_rows_are_the_cpus(void **)
{
    const std::vector<test_row> rows = {
        {"cuda_pcr_library", "pcr", "jacobi", nullptr},
        {"cuda_pcg_library", "pcg", "jacobi", nullptr},
        {"cuda_pcr_library:preconditioner=block_jacobi", "pcr", "block_jacobi", "assembled"},
        {"cuda_pcg_library:preconditioner=block_jacobi", "pcg", "block_jacobi", "assembled", 0, 4},
    };
    for (const test_scene &one : test_scenes())
        same_as_cpu(one, rows);
    assert_int_equal(host::held, 0);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rows_are_the_cpus),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// Whole steps of cuda_newton that keep the matrix, or the blocks of L J, in 16 bits, on emulated threads: what is
// stored against the numbers of the run's own precision, and the linear solve against one by the book with what is
// stored. Needs neither a device nor nvcc.
#include "tests/solvers/cuda/emulate.cuh"

#include "tests/solvers/cuda/scenes.cuh"
#include "tests/solvers/cuda/step_parts.cuh"

namespace {

const std::vector<test_scene> scenes = {
    {"box_on_plane", {"count=4"}, 0, false},
    {"balls_in_cube", {"count=12"}, 60, false}, // islands of several sizes
    {"heavy_stack", {"count=3"}, 0, false},
    {"hinge_limits", {"count=4"}, 30, false},
    {"sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3, false},
};
constexpr nb_cuda_storage narrow[] = {NB_CUDA_F16, NB_CUDA_BF16};

// To the nearest number of so many binary digits, ties to even, and none below the least.
double rounded(double value, nb_cuda_storage storage)
{
    const int digits = storage == NB_CUDA_F16 ? 11 : 8, least = storage == NB_CUDA_F16 ? -24 : -133;
    const int unit = std::max(std::ilogb(value) - digits + 1, least);
    return value == 0 ? 0 : std::ldexp(std::nearbyint(std::ldexp((double)(float)value, -unit)), unit);
}

// In the first Newton iteration both runs have the same matrix, but for its rounding, and the same preconditioner.
void test_what_is_stored(void **)
{
    for (const test_scene &one : scenes)
        for (const char *form : {"assembled", "factored"})
            for (nb_cuda_storage storage : narrow) {
                run_of run(one.name, one.settings, one.steps);
                run.options.operator_form = form;
                emulated_step same(run, BY_ISLANDS);
                run.storage = storage;
                emulated_step stored(run, BY_ISLANDS);
                launch(same.s, BY_ISLANDS, 0, 1, emulated::FORWARD);
                launch(stored.s, BY_ISLANDS, 0, 1, emulated::FORWARD);
                for (size_t k = 0; k < 9 * same.plan.column.size(); ++k) {
                    const double from = stored_value(same.s, k), now = stored_value(stored.s, k);
                    if (now != rounded(from, storage))
                        fail_msg("%s, %s: %g is stored as %g", one.name, form, from, now);
                }
                assert_memory_equal(same.s.linear.inverse, stored.s.linear.inverse,
                                    3 * (size_t)same.s.linear.rows * sizeof(nb_real));
            }
}

void same_solve(run_of &run, const char *name, division how)
{
    emulated_step step(run, how);
    launch(step.s, how, 0, 2, emulated::FORWARD);
    int solved = 0;
    for (int p = 0; p < step.s.parts; ++p) {
        const problem system = part_problem(step.s, step.plan, p);
        const int count = step.s.states[p].iteration;
        assert_int_equal(step.s.results[p].failure, STEP_FINE);
        const bool gradients = strcmp(run.options.linear, "pcg") == 0;
        if (count == 0)
            continue; // there was nothing to solve
        solved++;
        const std::vector<double> x =
            plain_krylov(system, part_inverse(step.s, step.plan, p), count, gradients);
        const nb_real *mine = step.s.linear.x + 3 * (size_t)step.plan.rows.start[(size_t)p];
        const double off = difference(mine, x.data(), x.size());
        if (!(off < 3000 * NB_UNIT_ROUNDOFF))
            fail_msg("%s, %s, %s, part %d: x is %g off", name, run.options.operator_form, division_names[how], p, off);
    }
    assert_true(solved > 0);
}

void test_solves(void **)
{
    for (const test_scene &one : scenes)
        for (const char *form : {"assembled", "factored"})
            for (const char *linear : {"pcr", "pcg"})
                for (nb_cuda_storage storage : narrow)
                    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_CLUSTER_LEAN, BY_ISLANDS,
                                         BY_ISLANDS_NEAR, BY_ISLANDS_CLUSTERS}) {
                        run_of run(one.name, one.settings, one.steps);
                        run.options.operator_form = form;
                        run.options.linear = linear;
                        run.options.linear_iterations = 2;
                        run.storage = storage;
                        if (how != BY_CLUSTER_LEAN || strcmp(form, "factored") == 0)
                            same_solve(run, one.name, how);
                    }
}

void test_less_memory(void **)
{
    run_of run("heavy_stack", {"count=3"});
    for (const char *form : {"assembled", "factored"}) {
        run.options.operator_form = form;
        run.storage = NB_CUDA_SAME;
        emulated_step same(run, BY_ISLANDS_NEAR);
        run.storage = NB_CUDA_F16;
        emulated_step stored(run, BY_ISLANDS_NEAR);
        const size_t values = 9 * same.plan.column.size(), spared = same.s.room - stored.s.room;
        const size_t narrower = values * (sizeof(nb_real) - 2);
        assert_in_range(spared, narrower - sizeof(nb_real), narrower + sizeof(nb_real));
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_stored),
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_less_memory),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// Whole steps of cuda_newton by dense Cholesky on emulated threads, against newton with dense_cholesky on the CPU, and
// where it breaks down. Needs neither a device nor nvcc.
#include "tests/solvers/cuda/emulate.cuh"

#include "tests/solvers/cuda/scenes.cuh"
#include "tests/solvers/cuda/step_parts.cuh"

namespace {

const std::vector<test_scene> scenes = {
    {"box_on_plane", {"count=4"}, 0, false},
    {"balls_in_cube", {"count=12"}, 60, false}, // islands of several sizes
    {"heavy_stack", {"count=4"}, 0, false},     // more rows than a tile
    {"beam", {"count=4"}, 0, false},
    {"hinge_limits", {"count=4"}, 30, false},
    {"sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3, false},
};

void prepare(run_of &run)
{
    run.options.linear = "dense_cholesky";
    run.options.precond = "none";
}

// What the matrices' condition makes of rounding; in the whole step and in its islands.
void test_steps(void **)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    std::vector<double> u, lambda;
    for (const test_scene &one : scenes) {
        run_of run(one.name, one.settings, one.steps);
        prepare(run);
        for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_ISLANDS, BY_ISLANDS_NEAR}) {
            run.solve(4, how >= BY_ISLANDS);
            emulate(run, how, 4, how == BY_BLOCK ? 1 : 4, emulated::FORWARD, u, lambda);
            const double velocities = distance(u, run.u, run.problem.free_velocity);
            if (!(velocities < (wide ? 1e-9 : 1e-3)))
                fail_msg("%s, %s: velocities %g off", one.name, division_names[how], velocities);
        }
    }
}

// A block of the grid for each tile of the lower triangle, whatever the threads of a block.
void test_the_grid_has_work(void **)
{
    run_of run("heavy_stack", {"count=4"});
    prepare(run);
    emulated_step step(run, BY_GRID);
    const int n = 3 * step.s.linear.rows, tiles = (n + 31) / 32;
    assert_true(tiles > 1);
    for (int threads : {64, 512}) {
        assert_int_equal(step_grid_warps(step.plan, NB_CUDA_CHOLESKY, threads), tiles * (tiles + 1) / 2 * threads / 32);
        assert_int_equal(step_grid_warps(step.plan, NB_CUDA_PCR, threads), step.s.linear.rows);
    }
}

// Near and far, by any number of blocks: the same sums.
void test_the_same_bits(void **)
{
    std::vector<double> u, lambda, other, forces;
    for (const test_scene &one : scenes) {
        run_of run(one.name, one.settings, one.steps);
        prepare(run);
        static const division alike[3][2] = {{BY_GRID, BY_BLOCK}, {BY_GRID, BY_GRAPH}, {BY_ISLANDS, BY_ISLANDS_NEAR}};
        for (const division *pair : alike) {
            emulate(run, pair[0], 3, 3, emulated::FORWARD, u, lambda);
            for (order turns : {emulated::FORWARD, emulated::BACKWARD, emulated::SCATTERED}) {
                emulate(run, pair[1], 3, 3, turns, other, forces);
                assert_true(u == other && lambda == forces);
            }
        }
    }
}

// A shift that leaves the diagonal positive and the matrix of redundant contacts not.
void test_breakdown(void **)
{
    run_of run("box_on_plane", {"count=3"});
    prepare(run);
    for (nb_solve_format format : {NB_SOLVE_SAME, NB_SOLVE_F32})
        for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_ISLANDS, BY_ISLANDS_NEAR}) {
            run.format = format;
            emulated_step step(run, how);
            nb_real least = 0; // of the diagonal, without the shift
            {
                emulated_step plain(run, how);
                launch(plain.s, how, 0, 1, emulated::FORWARD);
                least = 1 / plain.s.linear.inverse[0];
                for (int i = 0; i < 3 * plain.s.linear.rows; ++i)
                    least = std::min(least, 1 / plain.s.linear.inverse[i]);
            }
            step.s.shift = -NB_REAL(0.01) * least;
            launch(step.s, how, 0, 3, emulated::FORWARD);
            for (int p = 0; p < step.s.parts; ++p) {
                std::vector<double> x;
                const step_result &result = step.s.results[p];
                const int row = eliminate(part_problem(step.s, step.plan, p), x);
                const int first = step.plan.rows.start[(size_t)p];
                assert_true(row >= 0);
                assert_int_equal(result.failure, STEP_INDEFINITE);
                assert_int_equal(result.row, 3 * step.plan.rows.index[(size_t)(first + row / 3)] + row % 3);
                assert_in_range(result.newton_iterations, 0, 2);
            }
            const nb_cuda_step_report report = step_report(step.s.results, (size_t)step.s.parts, "");
            assert_non_null(strstr(report.failure, "not positive definite"));
            assert_int_equal(report.row, step.s.results[step.s.parts - 1].row);
        }
}

void test_not_finite(void **)
{
    run_of run("box_on_plane", {"count=1"});
    prepare(run);
    for (nb_solve_format format : {NB_SOLVE_SAME, NB_SOLVE_F16})
        for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_ISLANDS, BY_ISLANDS_NEAR}) {
            run.format = format;
            not_finite(run, how);
        }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_the_grid_has_work),
        cmocka_unit_test(test_the_same_bits),
        cmocka_unit_test(test_breakdown),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

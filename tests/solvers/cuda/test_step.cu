// A whole time step of cuda_newton on emulated threads against newton on the CPU: the same velocities and
// forces, as one system by a grid, by one block, and as a block an island, near and far from the data. Needs
// neither a device nor nvcc.
#include "tests/solvers/cuda/emulate.cuh"

#include "tests/solvers/cuda/scenes.cuh"
#include "tests/solvers/cuda/steps.cuh"

namespace {

// What a Newton iteration is made of, at (u, lambda) after some of the CPU's iterations, against the
// CPU's: rows, right side, and the product of A with a vector. Row k of the device's is index[k].
void same_linearisation(run_of &run, const char *name, division how)
{
    emulated_step step(run, how);
    step_system &s = step.s;
    NB(nb_newton) *newton = step.newton;
    const NB(nb_model) &model = *step.model;
    const size_t n = newton->op.size, jacobian = 9 * (size_t)model.jacobian.start[model.blocks];
    run.solve(2, false);
    NB(nb_model_narrow_velocity)(step.model, run.u.data(), s.u);
    NB(nb_model_narrow_multiplier)(step.model, run.lambda.data(), s.lambda);
    const unsigned blocks = how == BY_GRID ? BLOCKS : (unsigned)s.parts;
    std::vector<nb_real> mine(n), theirs(n), right(n), x(n), diagonal(n);
    for (size_t i = 0; i < n; ++i)
        x[i] = (nb_real)(1 + (double)(i * 7 % 11)) * (i % 2 ? 1 : -1);
    for (size_t i = 0; i < n; ++i)
        s.linear.z[i] = x[3 * (size_t)s.rows.index[i / 3] + i % 3];
    emulated::launch(blocks, THREADS, emulated::FORWARD, [&] {
        const bool whole = how == BY_GRID;
        const step_team team = {whole ? 0 : (int)blockIdx.x,
                                (int)(whole ? blockIdx.x * THREADS + threadIdx.x : threadIdx.x),
                                (int)(whole ? blocks * THREADS : THREADS)};
        const auto barrier = whole ? emulated::wait_for_grid : __syncthreads;
        step_linearise(s, team, 0, nullptr, barrier); // no stage of it that needs scratch
        const pcr_system<nb_real> system = step_linear(s, team);
        const int lane = team.thread % PCR_WARP, warps = team.threads / PCR_WARP;
        if (system.factored)
            pcr_respond(system, system.z, team.thread / PCR_WARP, warps, lane);
        barrier();
        for (int row = team.thread / PCR_WARP; row < system.rows; row += warps) {
            const nb_real value = pcr_row_product(system, row, system.z, lane);
            if (lane < 3)
                system.w[3 * row + lane] = value;
        }
    });
    if (NB(nb_newton_linearise)(newton, s.u, s.lambda, 1, &run.error))
        fail_msg("%s: %s", name, run.error.text);
    NB(nb_operator_apply)(&newton->op, x.data(), theirs.data());
    for (size_t i = 0; i < n; ++i) {
        const size_t row = 3 * (size_t)s.rows.index[i / 3] + i % 3;
        mine[row] = s.linear.w[i];
        right[row] = s.linear.b[i];
        diagonal[row] = 1 / s.linear.inverse[i];
    }
    // Where the rows are nearly solved, what is left of them is the rounding of free fall.
    double fall = 0;
    for (int i = 0; i < 3 * model.nodes; ++i)
        fall = std::max(fall, std::fabs((double)model.free_velocity[i]));
    const double off[] = {difference(s.model.jacobian.value, model.jacobian.value, jacobian),
                          difference(s.model.violation, model.violation, n, fall),
                          difference(s.row_scale, newton->row_scale, n),
                          difference(s.diagonal, newton->diagonal, n),
                          difference(s.constraint, newton->constraint, n, fall),
                          difference(right.data(), newton->right_side, n, fall),
                          difference(mine.data(), theirs.data(), n),
                          difference(diagonal.data(), newton->op.diagonal, n)};
    static const char *const what[] = {"J", "violation", "L", "C", "h", "b", "A x", "P"};
    for (size_t k = 0; k < sizeof off / sizeof *off; ++k)
        if (!(off[k] < 1e5 * NB_UNIT_ROUNDOFF))
            fail_msg("%s: %s is %g off", name, what[k], off[k]);
}

// What the rounding of both sides allows after that many iterations on these systems; bodies at rest have
// velocities that are round-off of those they would have in free fall.
void same_as_cpu(run_of &run, const char *name, int iterations)
{
    const bool wide = sizeof(nb_real) == sizeof(double);
    std::vector<double> u, lambda;
    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_CLUSTER_LEAN, BY_ISLANDS,
                         BY_ISLANDS_NEAR, BY_ISLANDS_CLUSTERS}) {
        const bool factored = strcmp(run.options.operator_form, "factored") == 0;
        if (how == BY_CLUSTER_LEAN && !factored)
            continue; // only factors leave their values
        run.solve(iterations, how >= BY_ISLANDS);
        emulate(run, how, iterations, how == BY_BLOCK ? 1 : iterations, emulated::FORWARD, u, lambda);
        const double velocities = distance(u, run.u, run.problem.free_velocity);
        const double forces = distance(lambda, run.lambda, run.lambda.data());
        if (!(velocities < (wide ? 1e-8 : 2e-2) && forces < (wide ? 1e-6 : 0.2)))
            fail_msg("%s, %s: velocities %g off, forces %g", name, division_names[how], velocities, forces);
    }
}

void test_stack(void **)
{
    run_of run("heavy_stack", {});
    same_as_cpu(run, "heavy_stack", 5);
    run.options.linear = "pcg";
    same_as_cpu(run, "heavy_stack with PCG", 4);
}

void test_islands(void **)
{
    run_of run("box_on_plane", {"count=4"});
    same_as_cpu(run, "four boxes", 6);
    run.options.ncp = "min";
    same_as_cpu(run, "four boxes with the minimum map", 6);
    run.options.ncp = "fb";
    run.options.newton_form = "true";
    same_as_cpu(run, "four boxes in the true form", 6);
    run.options.precond = "block_jacobi";
    same_as_cpu(run, "four boxes with block Jacobi", 6);
    run.options.linear = "pcg";
    same_as_cpu(run, "four boxes with PCG", 6);
}

// PCR multiplies differences by about ten an iteration where it is near the solution of an ill-conditioned
// system: with ten iterations in each of four Newton iterations 1e-16 becomes 1e-3 on the hinges,
// and 6e-8, of float, becomes 2e-2 on the beam.
enum { few = 5 };

void test_joints(void **)
{
    run_of beam("beam", {"count=4"});
    beam.options.linear_iterations = few;
    same_as_cpu(beam, "beam", 4);
    run_of pendulum("double_pendulum_mass", {});
    same_as_cpu(pendulum, "double pendulum", 4);
}

void test_the_linearisation_of_every_scene(void **)
{
    for (const test_scene &one : test_scenes()) {
        run_of run(one.name, one.settings, one.steps);
        for (const char *form : {"factored", "assembled"}) {
            if (one.large && strcmp(form, "assembled") == 0)
                continue;
            run.options.operator_form = form;
            run.options.linear_iterations = 4;
            same_linearisation(run, one.name, BY_GRID);
            if (!one.large)
                same_linearisation(run, one.name, BY_ISLANDS);
        }
    }
}

void test_limits(void **)
{
    run_of hinges("hinge_limits", {"count=4"}, 30);
    assert_true(hinges.problem.limits.count > 0);
    hinges.options.linear_iterations = few;
    same_as_cpu(hinges, "hinges with limits", 4);
}

// Elements that have been strained, of either material; what holds them, and contacts with them.
void test_elements(void **)
{
    for (const char *material : {"material=0", "material=1"}) {
        run_of block("material_extension", {"cells=2", "cells_across=1", "rise=0.05", material}, 3);
        block.options.linear_iterations = few;
        same_as_cpu(block, "block", 3);
        run_of sheet("sheet", {"cells=2", "cells_across=2", "rise=0.05", material}, 3);
        sheet.options.linear_iterations = few;
        same_as_cpu(sheet, "sheet", 3);
    }
    run_of chain("particle_chain", {"count=5"}, 10);
    chain.options.linear_iterations = few;
    same_as_cpu(chain, "particle chain", 4);
}

// The diagonal of section 8.3 changes H from the second iteration on, and a run begins with M again.
void test_geometric_stiffness(void **)
{
    for (const char *material : {"material=0", "material=1"})
        for (const char *form : {"assembled", "factored"}) {
            run_of block("material_extension", {"cells=2", "cells_across=1", "rise=0.05", material}, 3);
            run_of sheet("sheet", {"cells=2", "cells_across=2", "rise=0.05", material}, 3);
            for (run_of *run : {&block, &sheet}) {
                run->options.linear_iterations = few;
                run->options.operator_form = form;
                run->options.solver = "newton:geometric_stiffness=none";
                std::vector<double> none, lambda, with;
                emulate(*run, BY_GRID, 3, 3, emulated::FORWARD, none, lambda);
                run->options.solver = "newton:geometric_stiffness=diagonal";
                emulate(*run, BY_GRID, 3, 3, emulated::FORWARD, with, lambda);
                assert_true(distance(with, none, run->problem.free_velocity) > 1e-3);
                for (order turns : {emulated::BACKWARD, emulated::SCATTERED}) {
                    emulate(*run, BY_GRID, 3, 3, turns, none, lambda);
                    assert_true(none == with);
                }
                for (order turns : {emulated::FORWARD, emulated::BACKWARD}) {
                    emulated_step apart(*run, BY_GRID); // what was in the sums before counts for nothing
                    for (int k = 0; k < 3; ++k) {
                        std::fill_n(apart.s.geometry.partial, 2 * BLOCKS, NB_REAL(1e30));
                        launch(apart.s, BY_GRID, k, k + 1, turns);
                    }
                    NB(nb_model_widen_velocity)(apart.model, apart.s.u, none.data());
                    assert_true(none == with);
                }
                same_as_cpu(*run, "diagonal geometric stiffness", 2); // it divides by changes: differences grow
                emulated_step again(*run, BY_GRID);
                launch(again.s, BY_GRID, 0, 3, emulated::FORWARD);
                std::fill_n(again.s.u, 3 * again.model->nodes, NB_REAL(0));
                std::fill_n(again.s.lambda, 3 * again.model->blocks, NB_REAL(0));
                launch(again.s, BY_GRID, 0, 3, emulated::FORWARD);
                std::vector<double> second(with.size(), 0.0);
                NB(nb_model_widen_velocity)(again.model, again.s.u, second.data());
                assert_true(second == with);
            }
        }
}

// As the CPU's factored operator, or as its assembled one where it has no other. The third iteration on
// redundant contacts would divide a residual of rounding by one.
void test_the_factored_operator(void **)
{
    run_of boxes("two_boxes", {}), hinges("hinge_limits", {"count=4"}, 30),
        sheet("sheet", {"cells=2", "cells_across=2", "rise=0.05"}, 3);
    for (run_of *run : {&boxes, &hinges, &sheet})
        for (const char *linear : {"pcr", "pcg"}) {
            run->options.linear = linear;
            run->options.linear_iterations = few;
            run->options.operator_form = "factored";
            same_as_cpu(*run, "factored", 2);
            run->options.precond = "block_jacobi";
            same_as_cpu(*run, "factored with block Jacobi", 2);
            run->options.precond = "jacobi";
        }
}

void test_the_order_of_threads_does_not_matter(void **)
{
    run_of run("box_on_plane", {"count=3"});
    static const char *const linears[] = {"pcr", "jacobi", "gauss_seidel", "sor"};
    for (int k = 0; k < 32; ++k) {
        static const division ways[] = {BY_GRID, BY_BLOCK, BY_ISLANDS_NEAR, BY_CLUSTER};
        const division how = ways[k / 8];
        std::vector<double> u, lambda, other, forces;
        run.options.operator_form = k % 2 ? "factored" : "assembled";
        run.options.linear = linears[k % 8 / 2];
        if (how == BY_CLUSTER && k % 8 > 1 && k % 8 != 4 && k % 8 != 6)
            continue; // of the relaxations sweeps with the matrix only
        emulate(run, how, 3, 3, emulated::FORWARD, u, lambda);
        for (order turns : {emulated::BACKWARD, emulated::SCATTERED}) {
            emulate(run, how, 3, 3, turns, other, forces);
            assert_true(u == other && lambda == forces);
        }
    }
}

void test_not_finite(void **)
{
    run_of run("box_on_plane", {"count=1"});
    for (const char *linear : {"pcr", "pcg", "jacobi", "gauss_seidel", "sor"})
        for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_ISLANDS_NEAR}) {
            if (how == BY_CLUSTER && strcmp(linear, "jacobi") == 0)
                continue; // which it has not
            run.options.linear = linear;
            not_finite(run, how);
        }
}

// Falling balls have no right side at all: that is no reason to stop, since the motion is still damped.
void test_free_fall_is_not_stopped(void **)
{
    run_of run("ball_drop", {}, 20);
    for (division how : {BY_GRID, BY_GRAPH, BY_ISLANDS}) {
        std::vector<double> u, lambda, other, forces;
        emulate(run, how, 12, 12, emulated::FORWARD, u, lambda);
        emulate(run, how, 12, 12, emulated::FORWARD, other, forces, NB_REAL(1e-3));
        assert_true(u == other && lambda == forces);
    }
}

// Iterates and results of one launch that are kept on the way.
struct kept_iterates {
    emulated_step step;
    std::vector<nb_real> iterate;
    std::vector<step_result> results;
    size_t velocities, size;

    kept_iterates(run_of &run, division how, int iterations, nb_real stop, int stride) : step(run, how)
    {
        step_system &s = step.s;
        velocities = 3 * (size_t)s.model.nodes;
        size = velocities + 3 * (size_t)s.model.blocks;
        iterate.assign((size_t)iterations * size, (nb_real)NAN);
        results.assign((size_t)(iterations * s.parts), step_result());
        s.stop = stop;
        for (int k = 0; k < iterations; k += stride) {
            s.trace = {iterate.data() + (size_t)k * size, results.data() + (size_t)(k * s.parts)};
            launch(s, how, k, k + stride, emulated::FORWARD);
        }
    }
};

// Each is bit for bit what a run of so many iterations leaves, also of parts that have ended before others.
void test_kept_iterates(void **)
{
    enum { ITERATIONS = 12 };
    run_of run("balls_in_cube", {"count=12"}, 60);
    bool ended_apart = false;
    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_ISLANDS, BY_ISLANDS_CLUSTERS})
        for (int stride : {(int)ITERATIONS, 3}) {
            if (how == BY_GRAPH && stride == 3)
                continue; // the graph's loop keeps its place on the device
            kept_iterates kept(run, how, ITERATIONS, NB_REAL(0.05), stride);
            int most = 0, fewest = ITERATIONS;
            for (int p = 0; p < kept.step.s.parts; ++p) {
                most = std::max(most, kept.step.s.results[p].newton_iterations);
                fewest = std::min(fewest, kept.step.s.results[p].newton_iterations);
            }
            ended_apart |= fewest < most;
            assert_true(most > 3 && fewest < ITERATIONS);
            for (int k = 0; k < most; ++k) {
                emulated_step other(run, how);
                other.s.stop = NB_REAL(0.05);
                launch(other.s, how, 0, k + 1, emulated::FORWARD);
                const nb_real *u = kept.iterate.data() + (size_t)k * kept.size;
                const size_t forces = kept.size - kept.velocities, parts = (size_t)other.s.parts;
                assert_memory_equal(u, other.s.u, kept.velocities * sizeof *u);
                assert_memory_equal(u + kept.velocities, other.s.lambda, forces * sizeof *u);
                assert_memory_equal(kept.results.data() + (size_t)k * parts, other.s.results,
                                    parts * sizeof(step_result));
            }
        }
    assert_true(ended_apart);
}

// Where the run ends by itself, its right side is rounding, and within a digit the least of a long run.
void test_floor(void **)
{
    enum { ITERATIONS = 60 };
    run_of run("heavy_stack", {"count=2"});
    run.options.linear_iterations = 60;
    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_ISLANDS_NEAR}) {
        emulated_step one(run, how), other(run, how);
        one.s.floor = 1;
        launch(one.s, how, 0, ITERATIONS, emulated::FORWARD);
        launch(other.s, how, 0, ITERATIONS, emulated::FORWARD);
        const step_norms ended = one.s.norms[0], all = other.s.norms[0];
        assert_int_equal(one.s.results[0].failure, STEP_FINE);
        assert_true(one.s.results[0].newton_iterations < ITERATIONS);
        assert_int_equal(other.s.results[0].newton_iterations, ITERATIONS);
        assert_true(ended.least < 100 * (nb_real)NB_UNIT_ROUNDOFF * ended.largest);
        assert_true(ended.least < 10 * all.least);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_the_linearisation_of_every_scene),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_geometric_stiffness),
        cmocka_unit_test(test_the_factored_operator),
        cmocka_unit_test(test_the_order_of_threads_does_not_matter),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_free_fall_is_not_stopped),
        cmocka_unit_test(test_kept_iterates),
        cmocka_unit_test(test_floor),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

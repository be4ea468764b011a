// A whole time step of cuda_newton on emulated threads against newton on the CPU: the same velocities and
// forces, as one system by a grid, by one block, and as a block an island, near and far from the data. Needs
// neither a device nor nvcc.
#include "tests/cuda/emulate.cuh"

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
extern "C" {
#include <cmocka.h>
#include "problems/simulate.h"
#include "solvers/kernels/newton_system.h"
}

#include "solvers/cuda/step/graph_stages.cuh"
#include "solvers/cuda/step/step_clusters.cuh"
#include "tests/cuda/scenes.cuh"

namespace {

using emulated::order;

// Ordinary memory in the place of a device's.
class host_memory {
public:
    template <class E> E *copy(const E *from, size_t count)
    {
        E *to = zeros<E>(count);
        if (count > 0)
            memcpy((void *)to, from, count * sizeof(E));
        return to;
    }
    template <class E> E *zeros(size_t count)
    {
        pieces.push_back(std::make_unique<char[]>((count + 1) * sizeof(E)));
        return (E *)pieces.back().get();
    }

private:
    std::vector<std::unique_ptr<char[]>> pieces;
};

constexpr unsigned BLOCKS = 2, THREADS = 64;
constexpr int RANKS = 3;
enum division { BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_ISLANDS, BY_ISLANDS_NEAR, BY_ISLANDS_CLUSTERS };

struct run_of {
    nb_problem problem = {};
    nb_options options = nb_options_default();
    std::vector<double> u, lambda; // the CPU's
    nb_error error = {};

    run_of(const char *scene, std::vector<const char *> settings, int steps = 0)
    {
        nb_options exact = nb_options_default();
        exact.precision = "f64";
        exact.solver = "newton";
        exact.linear = "kkt";
        exact.precond = "none";
        exact.operator_form = "factored";
        exact.newton_iterations = 8;
        if (nb_scene_create(scene, (int)settings.size(), settings.data(), &problem, &error) ||
            nb_simulate(&problem, steps, &exact, nullptr, nullptr, &error))
            fail_msg("%s: %s", scene, error.text);
        options.solver = "newton";
        options.linear = "pcr";
        options.precond = "jacobi";
        options.precision = NB_TEXT(NB_PRECISION);
        options.linear_iterations = 10;
    }
    ~run_of() { nb_problem_free(&problem); }

    void solve(int iterations, bool islands)
    {
        nb_solver *solver = nullptr;
        nb_run run;
        const char *linear = options.linear, *form = options.operator_form;
        if (islands || strcmp(options.precond, "block_jacobi") == 0) // where the CPU has nothing else
            options.operator_form = "assembled";
        const std::string apart = std::string(linear) + ":islands=yes";
        options.linear = islands ? apart.c_str() : linear;
        if (nb_solver_create(&solver, &problem, &options, &error) ||
            nb_solver_run(solver, iterations, nullptr, &run, &error))
            fail_msg("%s", error.text);
        options.linear = linear;
        options.operator_form = form;
        assert_false(run.broke_down);
        u.assign((size_t)nb_problem_dofs(&problem), 0.0);
        lambda.assign((size_t)nb_problem_multipliers(&problem), 0.0);
        nb_solver_solution(solver, u.data(), lambda.data());
        nb_solver_free(solver);
    }
};

// || a - b || / || scale ||
double distance(const std::vector<double> &a, const std::vector<double> &b, const double *scale)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        all += scale[i] * scale[i];
    }
    return std::sqrt(off / all);
}

NB(nb_cuda_step_options) step_options(const run_of &run, const NB(nb_newton) &newton)
{
    NB(nb_cuda_step_options) out = {};
    out.minimum = strcmp(run.options.ncp, "min") == 0;
    out.true_form = strcmp(run.options.newton_form, "true") == 0;
    out.gradients = strcmp(run.options.linear, "pcg") == 0;
    out.wide = strcmp(run.options.precond, "block_jacobi") == 0;
    out.linear_iterations = run.options.linear_iterations;
    out.shift = newton.shift;
    out.damping = (nb_real)run.options.damping;
    out.r_normal = newton.r_normal;
    out.r_friction = newton.r_friction;
    return out;
}

bool clustered(division how)
{
    return how == BY_CLUSTER || how == BY_ISLANDS_CLUSTERS;
}

// The kernels of step_graph.cuh, one launch each, until the graph's loop would end.
template <class Method> void launch_graph(step_system &s, step_progress &progress, order turns)
{
    std::vector<nb_real> scratch(BLOCKS * PCR_MOST_WARPS);
    const auto stage = [&](step_stage which, unsigned blocks, unsigned threads) {
        emulated::launch(blocks, threads, turns, [&] {
            const step_team team = {0, (int)(blockIdx.x * threads + threadIdx.x), (int)(blocks * threads)};
            if (which != STEP_JUDGE || threadIdx.x == 0)
                step_run_stage(which, s, team, &progress);
        });
    };
    const auto krylov = [&](int number, bool start) {
        emulated::launch(BLOCKS, THREADS, turns, [&] { step_run_response<Method>(s, number, &progress); });
        emulated::launch(BLOCKS, THREADS, turns, [&] {
            step_run_krylov<Method>(s, number, start, &progress,
                                    scratch.data() + blockIdx.x * PCR_MOST_WARPS);
        });
    };
    do {
        for (step_stage one : {STEP_STATE, STEP_ROWS, STEP_BILATERAL, STEP_MATRIX, STEP_RIGHT_SIDE})
            stage(one, BLOCKS, THREADS);
        for (int number : {0, 2, 3})
            krylov(number, true);
        while (step_solving(s, &progress))
            for (int number : {1, 2, 3})
                krylov(number, false);
        stage(STEP_JUDGE, 1, 32);
        stage(STEP_IMPULSE, BLOCKS, THREADS);
        stage(STEP_VELOCITY, BLOCKS, THREADS);
    } while (step_advance(s, &progress));
}

void launch(step_system &s, division how, int first, int end, order turns)
{
    if (how == BY_GRAPH) {
        step_progress progress = {first, end, 0};
        if (s.gradients)
            launch_graph<pcg_method>(s, progress, turns);
        else
            launch_graph<pcr_method>(s, progress, turns);
        return;
    }
    if (clustered(how)) {
        const unsigned blocks = (unsigned)(s.parts * RANKS);
        const size_t words = s.room / sizeof(double) + 1;
        std::vector<nb_real> scratch(blocks * PCR_MOST_WARPS);
        std::vector<double> memory(blocks * words, (double)NAN);
        std::vector<char *> shared;
        for (unsigned k = 0; k < blocks; ++k)
            shared.push_back((char *)(memory.data() + k * words));
        emulated::launch(blocks, THREADS, turns, [&] {
            const step_team team = {(int)blockIdx.x / RANKS,
                                    (int)(blockIdx.x % RANKS * THREADS + threadIdx.x),
                                    (int)(RANKS * THREADS)};
            step_iterate(s, team, first, end, shared[blockIdx.x],
                         scratch.data() + blockIdx.x * PCR_MOST_WARPS, cluster_barrier());
        }, (unsigned)RANKS, shared);
        return;
    }
    const unsigned blocks = how == BY_GRID ? BLOCKS : (unsigned)s.parts;
    const size_t room = s.room;
    std::vector<nb_real> scratch(blocks * PCR_MOST_WARPS);
    std::vector<double> memory(blocks * (room / sizeof(double) + 1));
    emulated::launch(blocks, THREADS, turns, [&] {
        nb_real *own = scratch.data() + blockIdx.x * PCR_MOST_WARPS;
        if (how == BY_GRID) {
            const step_team team = {0, (int)(blockIdx.x * THREADS + threadIdx.x), (int)(blocks * THREADS)};
            step_iterate(s, team, first, end, nullptr, own, emulated::wait_for_grid);
        } else {
            const step_team team = {(int)blockIdx.x, (int)threadIdx.x, (int)THREADS};
            char *near = room ? (char *)(memory.data() + blockIdx.x * (room / sizeof(double) + 1))
                              : nullptr;
            step_iterate(s, team, first, end, near, own, __syncthreads);
        }
    });
}

// A step in memory that emulated threads read and write.
struct emulated_step {
    host_memory memory;
    NB(nb_model) *model = nullptr;
    NB(nb_newton) *newton = nullptr;
    nb_islands islands = {};
    step_plan plan;
    step_clusters clusters;
    step_system s = {};
    const division how;

    emulated_step(run_of &run, division given) : how(given)
    {
        NB(nb_delassus) matrix = {};
        const bool factored = strcmp(run.options.operator_form, "factored") == 0;
        nb_options options = run.options;
        options.precond = "jacobi";
        if (NB(nb_model_create)(&model, &run.problem, 1, &run.error) ||
            NB(nb_newton_create)(&newton, model, &options, &run.error) ||
            (!factored && NB(nb_delassus_create)(&matrix, model, &run.error)) ||
            nb_islands_find(&islands, &run.problem, &run.error))
            fail_msg("%s", run.error.text);
        const NB(nb_delassus) *delassus = factored ? nullptr : &matrix;
        const bool apart = how >= BY_ISLANDS;
        const NB(nb_cuda_step_options) chosen = step_options(run, *newton);
        plan = step_divide(*model, delassus, apart ? &islands : nullptr);
        step_builder<host_memory> builder(memory, *model, plan);
        s = builder.build(chosen, delassus, (size_t)std::max(plan.parts, (int)BLOCKS));
        s.linear.lone = how != BY_GRID && how != BY_GRAPH;
        s.room = how == BY_ISLANDS_NEAR ? step_most_room(plan, chosen.wide) : 0;
        if (clustered(how)) {
            clusters = step_divide_parts(plan, RANKS, chosen.wide, chosen.gradients);
            s.room = clusters.room;
            s.ranks = RANKS;
            s.linear.split = clusters.split.data();
            s.linear.needed = clusters.needed.data();
        }
        for (int p = 0; p < plan.parts; ++p)
            s.states[p].limit = run.options.linear_iterations;
        NB(nb_delassus_free)(&matrix);
    }
    ~emulated_step()
    {
        nb_islands_free(&islands);
        NB(nb_newton_free)(newton);
        NB(nb_model_free)(model);
    }
};

// The step on emulated threads, in one launch or one an iteration.
void emulate(run_of &run, division how, int iterations, int stride, order turns,
             std::vector<double> &u, std::vector<double> &lambda)
{
    emulated_step step(run, how);
    for (int k = 0; k < iterations; k += stride)
        launch(step.s, how, k, k + stride, turns);
    u.assign((size_t)nb_problem_dofs(&run.problem), 0.0);
    lambda.assign((size_t)nb_problem_multipliers(&run.problem), 0.0);
    for (int p = 0; p < step.plan.parts; ++p) {
        assert_int_equal(step.s.results[p].failure, STEP_FINE);
        assert_int_equal(step.s.results[p].newton_iterations, iterations);
    }
    NB(nb_model_widen_velocity)(step.model, step.s.u, u.data());
    NB(nb_model_widen_multiplier)(step.model, step.s.lambda, lambda.data());
}

// The largest difference over the largest entry, or over `least` where that is more.
template <class A, class B> double difference(const A *a, const B *b, size_t count, double least = 0)
{
    double off = 0, most = least;
    for (size_t i = 0; i < count; ++i) {
        off = std::max(off, std::fabs((double)a[i] - (double)b[i]));
        most = std::max(most, std::fabs((double)b[i]));
        if (std::isnan((double)a[i]) || std::isnan((double)b[i]))
            return INFINITY;
    }
    return most > 0 ? off / most : off;
}

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
        step_linearise(s, team, barrier);
        const pcr_system<nb_real> system = step_linear(s, team);
        const int lane = team.thread % PCR_WARP, warps = team.threads / PCR_WARP;
        if (system.factors.nodes > 0)
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
    static const char *const names[] = {"grid", "block", "islands", "islands in shared memory"};
    const bool wide = sizeof(nb_real) == sizeof(double);
    std::vector<double> u, lambda;
    for (division how : {BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_ISLANDS, BY_ISLANDS_NEAR,
                         BY_ISLANDS_CLUSTERS}) {
        if (clustered(how) && strcmp(run.options.operator_form, "factored") == 0)
            continue; // clusters take an assembled matrix
        run.solve(iterations, how >= BY_ISLANDS);
        emulate(run, how, iterations, how == BY_BLOCK ? 1 : iterations, emulated::FORWARD, u, lambda);
        const double velocities = distance(u, run.u, run.problem.free_velocity);
        const double forces = distance(lambda, run.lambda, run.lambda.data());
        if (!(velocities < (wide ? 1e-8 : 2e-2) && forces < (wide ? 1e-6 : 0.1)))
            fail_msg("%s, %s: velocities %g off, forces %g", name, names[how], velocities, forces);
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

void test_joints(void **)
{
    run_of beam("beam", {"count=4"});
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

// PCR multiplies differences by about ten an iteration where it is near the solution of an ill-conditioned
// system: with ten iterations in each of four Newton iterations 1e-16 becomes 1e-3 on the hinges.
enum { few = 5 };

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
    for (int k = 0; k < 6; ++k) {
        static const division ways[] = {BY_GRID, BY_BLOCK, BY_ISLANDS_NEAR};
        const division how = ways[k / 2];
        std::vector<double> u, lambda, other, forces;
        run.options.operator_form = k % 2 ? "factored" : "assembled";
        emulate(run, how, 3, 3, emulated::FORWARD, u, lambda);
        for (order turns : {emulated::BACKWARD, emulated::SCATTERED}) {
            emulate(run, how, 3, 3, turns, other, forces);
            assert_true(u == other && lambda == forces);
        }
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
        cmocka_unit_test(test_the_factored_operator),
        cmocka_unit_test(test_the_order_of_threads_does_not_matter),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

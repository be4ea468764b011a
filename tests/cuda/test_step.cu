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

#include "solvers/cuda/step/step_iterate.cuh"
#include "solvers/cuda/step/step_plan.cuh"

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
enum division { BY_GRID, BY_BLOCK, BY_ISLANDS, BY_ISLANDS_NEAR };

struct run_of {
    nb_problem problem = {};
    nb_options options = nb_options_default();
    std::vector<double> u, lambda; // the CPU's
    nb_error error = {};

    run_of(const char *scene, std::vector<const char *> settings)
    {
        if (nb_scene_create(scene, (int)settings.size(), settings.data(), &problem, &error) ||
            nb_step_prepare(&problem, &error))
            fail_msg("%s: %s", scene, error.text);
        options.solver = "newton";
        options.linear = "pcr";
        options.precond = "jacobi";
        options.linear_iterations = 10;
    }
    ~run_of() { nb_problem_free(&problem); }

    void solve(int iterations, bool islands)
    {
        nb_solver *solver = nullptr;
        nb_run run;
        const char *linear = options.linear;
        const std::string apart = std::string(linear) + ":islands=yes";
        options.linear = islands ? apart.c_str() : linear;
        if (nb_solver_create(&solver, &problem, &options, &error) ||
            nb_solver_run(solver, iterations, nullptr, &run, &error))
            fail_msg("%s", error.text);
        options.linear = linear;
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
    out.damping = run.options.damping;
    out.r_normal = newton.r_normal;
    out.r_friction = newton.r_friction;
    return out;
}

void launch(step_system &s, division how, int first, int end, order turns)
{
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

// The step on emulated threads, in one launch or one an iteration.
void emulate(run_of &run, division how, int iterations, int stride, order turns,
             std::vector<double> &u, std::vector<double> &lambda)
{
    NB(nb_model) *model = nullptr;
    NB(nb_newton) *newton = nullptr;
    NB(nb_delassus) delassus = {};
    nb_islands islands = {};
    host_memory memory;
    if (NB(nb_model_create)(&model, &run.problem, 1, &run.error) ||
        NB(nb_newton_create)(&newton, model, &run.options, &run.error) ||
        NB(nb_delassus_create)(&delassus, model, &run.error) ||
        nb_islands_find(&islands, &run.problem, &run.error))
        fail_msg("%s", run.error.text);
    const bool apart = how == BY_ISLANDS || how == BY_ISLANDS_NEAR;
    const step_plan plan = step_divide(*model, delassus, apart ? &islands : nullptr);
    const NB(nb_cuda_step_options) options = step_options(run, *newton);
    step_builder<host_memory> builder(memory, *model, plan);
    step_system s = builder.build(options, delassus, (size_t)std::max(plan.parts, (int)BLOCKS));
    s.linear.lone = how != BY_GRID;
    s.room = how == BY_ISLANDS_NEAR ? step_most_room(plan, options.wide) : 0;
    for (int p = 0; p < plan.parts; ++p)
        s.states[p].limit = options.linear_iterations;
    for (int k = 0; k < iterations; k += stride)
        launch(s, how, k, k + stride, turns);
    u.assign((size_t)nb_problem_dofs(&run.problem), 0.0);
    lambda.assign((size_t)nb_problem_multipliers(&run.problem), 0.0);
    for (int p = 0; p < plan.parts; ++p) {
        assert_int_equal(s.results[p].failure, STEP_FINE);
        assert_int_equal(s.results[p].newton_iterations, iterations);
    }
    NB(nb_model_widen_velocity)(model, s.u, u.data());
    NB(nb_model_widen_multiplier)(model, s.lambda, lambda.data());
    nb_islands_free(&islands);
    NB(nb_delassus_free)(&delassus);
    NB(nb_newton_free)(newton);
    NB(nb_model_free)(model);
}

void same_as_cpu(run_of &run, const char *name, int iterations)
{
    static const char *const names[] = {"grid", "block", "islands", "islands in shared memory"};
    std::vector<double> u, lambda;
    for (division how : {BY_GRID, BY_BLOCK, BY_ISLANDS, BY_ISLANDS_NEAR}) {
        run.solve(iterations, how >= BY_ISLANDS);
        emulate(run, how, iterations, how == BY_BLOCK ? 1 : iterations, emulated::FORWARD, u, lambda);
        // Bodies at rest have velocities that are round-off of those they would have in free fall.
        const double velocities = distance(u, run.u, run.problem.free_velocity);
        const double forces = distance(lambda, run.lambda, run.lambda.data());
        if (!(velocities < 1e-8 && forces < 1e-6))
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

void test_the_order_of_threads_does_not_matter(void **)
{
    run_of run("box_on_plane", {"count=3"});
    for (division how : {BY_GRID, BY_BLOCK, BY_ISLANDS_NEAR}) {
        std::vector<double> u, lambda, other, forces;
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
        cmocka_unit_test(test_the_order_of_threads_does_not_matter),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

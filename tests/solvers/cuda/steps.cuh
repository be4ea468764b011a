// A whole time step of cuda_newton on emulated threads: by a grid, a graph's kernels, a block, clusters, or as a
// block or cluster an island, near and far from the data.
#ifndef NB_TEST_CUDA_STEPS_CUH
#define NB_TEST_CUDA_STEPS_CUH

#include "tests/solvers/cuda/emulate.cuh"

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
#include "harness/simulate/simulate.h"
#include "solvers/model/newton_system.h"
}

#include "problems/scene.h"
#include "solvers/cuda/step/step_builder.cuh"
#include "solvers/cuda/step/step_clusters.cuh"
#include "solvers/cuda/step/step_direct.cuh"
#include "solvers/cuda/step/step_refined.cuh"
#include "tests/solvers/cuda/graphs.cuh"

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

constexpr int RANKS = 3;
enum division {
    BY_GRID, BY_GRAPH, BY_BLOCK, BY_CLUSTER, BY_CLUSTER_LEAN, BY_ISLANDS, BY_ISLANDS_NEAR, BY_ISLANDS_CLUSTERS
};
inline const char *const division_names[] = {"grid", "graph", "block", "cluster", "cluster, values in global memory",
                                             "islands", "islands in shared memory", "islands in clusters"};

struct run_of {
    nb_problem problem = {};
    nb_options options = nb_options_default();
    nb_cuda_storage storage = NB_CUDA_SAME;
    nb_solve_format format = NB_SOLVE_SAME;
    nb_real omega = 0; // of sor and ssor; 0: estimated
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
        if (islands || format || strstr(linear, ":in=") ||
            strcmp(options.precond, "block_jacobi") == 0) // where the CPU has nothing else
            options.operator_form = "assembled";
        static const char *const formats[] = {"", ":in=f32", ":in=f16", ":in=bf16"};
        const std::string factor = omega > 0 ? ":omega=" + std::to_string((double)omega) : "";
        const std::string given = linear + factor + formats[format] + (islands ? ":islands=yes" : "");
        options.linear = given.c_str();
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
inline double distance(const std::vector<double> &a, const std::vector<double> &b, const double *scale)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        all += scale[i] * scale[i];
    }
    return std::sqrt(off / all);
}

// The largest difference over the largest entry, or over `least` where that is more.
template <class A, class B>
inline double difference(const A *a, const B *b, size_t count, double least = 0)
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

inline NB(nb_cuda_step_options) step_options(const run_of &run, const NB(nb_newton) &newton)
{
    NB(nb_cuda_step_options) out = {};
    out.minimum = strcmp(run.options.ncp, "min") == 0;
    out.true_form = strcmp(run.options.newton_form, "true") == 0;
    out.method = !strcmp(run.options.linear, "pcg")            ? NB_CUDA_PCG
                 : !strcmp(run.options.linear, "jacobi")       ? NB_CUDA_JACOBI
                 : !strcmp(run.options.linear, "dense_cholesky") ? NB_CUDA_CHOLESKY
                 : !strcmp(run.options.linear, "pcr")          ? NB_CUDA_PCR
                                                               : NB_CUDA_GAUSS_SEIDEL;
    out.omega = strstr(run.options.linear, "sor") ? run.omega : 1;
    out.symmetric = !strcmp(run.options.linear, "symmetric_gauss_seidel") || !strcmp(run.options.linear, "ssor");
    out.wide = strcmp(run.options.precond, "block_jacobi") == 0;
    out.diagonal_stiffness = strstr(run.options.solver, "diagonal") != nullptr;
    out.storage = run.storage;
    out.format = run.format;
    out.linear_iterations = run.options.linear_iterations;
    out.shift = newton.shift;
    out.damping = (nb_real)run.options.damping;
    out.r_normal = newton.r_normal;
    out.r_friction = newton.r_friction;
    return out;
}

inline bool clustered(division how)
{
    return how == BY_CLUSTER || how == BY_CLUSTER_LEAN || how == BY_ISLANDS_CLUSTERS;
}

// As the kernels of step_kernels.cuh.
template <class Barrier>
void run_kernel(const step_system &s, const step_team &team, int first, int end, char *memory,
                nb_real *scratch, Barrier barrier)
{
    if (s.lower.format && s.method == NB_CUDA_CHOLESKY)
        step_iterate<step_refined<lower_direct>>(s, team, first, end, memory, scratch, barrier);
    else if (s.lower.format && s.method == NB_CUDA_PCG)
        step_iterate<step_refined<lower_krylov<pcg_method>>>(s, team, first, end, memory, scratch, barrier);
    else if (s.lower.format)
        step_iterate<step_refined<lower_krylov<pcr_method>>>(s, team, first, end, memory, scratch, barrier);
    else if (s.method == NB_CUDA_JACOBI)
        step_iterate<step_jacobi>(s, team, first, end, memory, scratch, barrier);
    else if (s.method == NB_CUDA_CHOLESKY)
        step_iterate<step_direct>(s, team, first, end, memory, scratch, barrier);
    else if (pcr_relaxes(s.method))
        s.spectra ? step_iterate<step_sweeps<true>>(s, team, first, end, memory, scratch, barrier)
                  : step_iterate<step_sweeps<false>>(s, team, first, end, memory, scratch, barrier);
    else
        step_iterate<step_krylov>(s, team, first, end, memory, scratch, barrier);
}

inline void launch(step_system &s, division how, int first, int end, order turns)
{
    if (how == BY_GRAPH) {
        step_progress progress = {first, end, first, 0};
        launch_graph(s, progress, turns);
        return;
    }
    if (clustered(how)) {
        const unsigned blocks = (unsigned)(s.parts * RANKS);
        const size_t words = s.room / sizeof(double) + 1;
        std::vector<nb_real> scratch(blocks * SCRATCH);
        std::vector<double> memory(blocks * words, (double)NAN);
        std::vector<char *> shared;
        for (unsigned k = 0; k < blocks; ++k)
            shared.push_back((char *)(memory.data() + k * words));
        emulated::launch(blocks, THREADS, turns, [&] {
            const step_team team = {(int)blockIdx.x / RANKS,
                                    (int)(blockIdx.x % RANKS * THREADS + threadIdx.x),
                                    (int)(RANKS * THREADS)};
            run_kernel(s, team, first, end, shared[blockIdx.x],
                         scratch.data() + blockIdx.x * SCRATCH, cluster_barrier());
        }, (unsigned)RANKS, shared);
        return;
    }
    const unsigned blocks = how == BY_GRID ? BLOCKS : (unsigned)s.parts;
    const size_t room = s.room;
    std::vector<nb_real> scratch(blocks * SCRATCH);
    std::vector<double> memory(blocks * (room / sizeof(double) + 1));
    emulated::launch(blocks, THREADS, turns, [&] {
        nb_real *own = scratch.data() + blockIdx.x * SCRATCH;
        if (how == BY_GRID) {
            run_kernel(s, step_grid_team(), first, end, nullptr, own, emulated::wait_for_grid);
        } else {
            const step_team team = {(int)blockIdx.x, (int)threadIdx.x, (int)THREADS};
            char *near = room ? (char *)(memory.data() + blockIdx.x * (room / sizeof(double) + 1))
                              : nullptr;
            run_kernel(s, team, first, end, near, own, __syncthreads);
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
        nb_elasticity elasticity = {};
        NB(nb_find_solver)(options.solver)->elasticity(options.solver, &elasticity);
        if (NB(nb_model_create_with)(&model, &run.problem, &elasticity, 1, &run.error) ||
            NB(nb_newton_create)(&newton, model, &options, &run.error) ||
            (!factored && (NB(nb_delassus_create)(&matrix, model, &run.error) ||
                           NB(nb_delassus_list_products)(&matrix, model, &run.error))) ||
            nb_islands_find(&islands, &run.problem, &run.error))
            fail_msg("%s", run.error.text);
        const NB(nb_delassus) *delassus = factored ? nullptr : &matrix;
        const bool apart = how >= BY_ISLANDS;
        const NB(nb_cuda_step_options) chosen = step_options(run, *newton);
        plan = step_divide(*model, delassus, apart ? &islands : nullptr);
        step_builder<host_memory> builder(memory, *model, plan);
        s = builder.build(chosen, delassus, (size_t)std::max(plan.parts * RANKS, (int)BLOCKS));
        s.linear.lone = how != BY_GRID && how != BY_GRAPH && !clustered(how);
        s.room = how == BY_ISLANDS_NEAR ? step_most_room(plan, chosen) : 0;
        if (clustered(how)) {
            const int stays = how == BY_CLUSTER_LEAN;
            clusters = step_divide_parts(plan, chosen, RANKS, stays);
            step_bring_clusters(clusters, s, [](const auto &list) { return list.data(); });
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
inline void emulate(run_of &run, division how, int iterations, int stride, order turns,
             std::vector<double> &u, std::vector<double> &lambda, nb_real stop = 0)
{
    emulated_step step(run, how);
    step.s.stop = stop;
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

// All threads learn that a velocity is no number, before any of them moves.
inline void not_finite(run_of &run, division how)
{
    for (order turns : {emulated::FORWARD, emulated::BACKWARD}) {
        emulated_step step(run, how);
        const_cast<nb_real *>(step.s.model.free_velocity)[0] = INFINITY;
        launch(step.s, how, 0, 3, turns);
        assert_int_equal(step.s.results[0].failure, STEP_NOT_FINITE);
        assert_int_equal(step.s.results[0].newton_iterations, 0);
        for (int i = 0; i < 3 * step.s.model.nodes; ++i)
            assert_true(step.s.u[i] == 0);
    }
}

#endif

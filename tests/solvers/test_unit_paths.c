/* A step in other units of mass, length and time takes the same path: with factors that are powers of two every iterate
 * is the same to the bit once it is scaled back, with powers of ten to what rounding makes of it. Loops over all
 * methods but the one that mixes the problem's units, on nonlinear steps and their linearised forms. */
#include "tests/support/method_support.h"

#include "problems/units.h"
#include "solvers/intrinsic_units.h"

enum { ITERATIONS = 25 };

/* All iterates of a run in the problem's first units, one after the other. */
struct path {
    const struct nb_problem *problem;
    struct nb_units back;
    size_t dofs, rows;
    int count;
    double *u; /* [count (dofs + rows)] */
};

static bool keep(void *context, int iteration, const double *u, const double *lambda,
                 const struct nb_linear_report *linear)
{
    struct path *path = context;
    const size_t size = path->dofs + path->rows;
    (void)iteration;
    (void)linear;
    path->u = realloc(path->u, (size_t)(path->count + 1) * size * sizeof *path->u);
    assert_non_null(path->u);
    double *to = path->u + (size_t)path->count++ * size;
    memcpy(to, u, path->dofs * sizeof *to);
    memcpy(to + path->dofs, lambda, path->rows * sizeof *to);
    nb_solution_change_units(path->problem, &path->back, to, to + path->dofs);
    return true;
}

/* Zero where the method does not take such a problem. */
static int walk(const struct nb_problem *problem, const struct nb_options *options, struct nb_units factor,
                struct path *path)
{
    struct nb_problem changed;
    struct nb_solver *solver;
    struct nb_error error;
    struct nb_run run;
    *path = (struct path){problem, nb_units_inverse(&factor), (size_t)nb_problem_dofs(problem),
                          (size_t)nb_problem_multipliers(problem), 0, NULL};
    assert_int_equal(nb_problem_copy(problem, &changed, &error), NB_OK);
    assert_true(nb_problem_change_units(&changed, factor.mass, factor.length, factor.time));
    const enum nb_status status = nb_solver_create(&solver, &changed, options, &error);
    if (status == NB_OK) {
        const struct nb_observer observer = {.context = path, .observe = keep};
        assert_int_equal(nb_solver_run(solver, options->newton_iterations, &observer, &run, &error), NB_OK);
        nb_solver_free(solver);
    } else if (status != NB_UNSUPPORTED) {
        fail_msg("%s: %s", options->solver, error.text);
    }
    nb_problem_free(&changed);
    return status == NB_OK;
}

static void assert_same_path(const struct nb_problem *problem, const char *solver, const char *precision,
                             struct nb_units factor)
{
    struct nb_options options = test_options(solver, ITERATIONS);
    struct path here, there;
    options.precision = precision;
    const int runs = walk(problem, &options, (struct nb_units){1, 1, 1}, &here);
    assert_int_equal(walk(problem, &options, factor, &there), runs);
    if (here.count != there.count)
        fail_msg("%s, %s, %s: %d iterates and %d", problem->name, solver, precision, here.count, there.count);
    for (int k = 0; k < here.count; ++k)
        if (memcmp(here.u + (size_t)k * (here.dofs + here.rows), there.u + (size_t)k * (here.dofs + here.rows),
                   (here.dofs + here.rows) * sizeof *here.u))
            fail_msg("%s, %s, %s: iterate %d of %d differs", problem->name, solver, precision, k, here.count);
    free(here.u);
    free(there.u);
}

/* Methods of the tree that need no device and no other library. */
static const char *method_at(size_t index)
{
    const struct nb_registry_row *row;
    for (size_t i = 0, seen = 0; (row = nb_registry_row("solver", i)) != NULL; ++i)
        if (strcmp(row->name, "cuda_newton") && strcmp(row->name, "siconos") && strcmp(row->name, "mujoco") &&
            seen++ == index)
            return row->name;
    return NULL;
}

static void assert_same_paths(const struct nb_problem *problem, const char *precision, struct nb_units factor)
{
    const char *method;
    for (size_t i = 0; (method = method_at(i)) != NULL; ++i)
        if (strcmp(method, "mixed_conjugate_residual")) /* it weighs N s with m/s, in the problem's units */
            assert_same_path(problem, method, precision, factor);
}

static void with_linearised(const char *scene, const char *precision, struct nb_units factor)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    test_scene(&problem, scene, NULL);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_same_paths(&problem, precision, factor);
    assert_same_paths(&linear, precision, factor);
}

TEST(powers_of_two_change_no_bit)
{
    const struct nb_units factors[] = {{0x1p20, 1, 1}, {1, 0x1p-20, 1}, {1, 1, 0x1p10}, {0x1p10, 0x1p10, 0x1p-20}};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; ++i) {
        with_linearised("two_boxes", "f64", factors[i]);
        with_linearised("hinge_limits", "f64", factors[i]);
    }
}

TEST(powers_of_two_change_no_bit_in_single)
{
    with_linearised("sliding_box", "f32", (struct nb_units){0x1p10, 0x1p-10, 0x1p10});
    with_linearised("hinge_limits", "f32", (struct nb_units){0x1p10, 0x1p10, 0x1p-10});
}

/* Settings that are numbers in the problem's units keep them: its published r = 1 is another one in other units. */
TEST(settings_in_the_problems_units_keep_them)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct path here, there;
    struct nb_options options = test_options("newton", 5);
    test_scene(&problem, "two_boxes", NULL);
    options.scaling = "identity";
    assert_true(walk(&problem, &options, (struct nb_units){1, 1, 1}, &here));
    assert_true(walk(&problem, &options, (struct nb_units){0x1p10, 1, 1}, &there));
    assert_int_equal(here.count, there.count);
    assert_true(memcmp(here.u, there.u, (size_t)here.count * (here.dofs + here.rows) * sizeof *here.u) != 0);
    free(here.u);
    free(there.u);
}

/* u at the end, relative to the largest of the way: at rest, the end is rounding. */
static double distance(const struct path *a, const struct path *b)
{
    const size_t stride = a->dofs + a->rows;
    const double *x = a->u + (size_t)(a->count - 1) * stride, *y = b->u + (size_t)(b->count - 1) * stride;
    double most = 0, size = 0;
    for (size_t i = 0; i < a->dofs; ++i)
        most = fmax(most, fabs(x[i] - y[i]));
    for (size_t k = 0; k < (size_t)a->count; ++k)
        for (size_t i = 0; i < a->dofs; ++i)
            size = fmax(size, fabs(a->u[k * stride + i]));
    return most / size;
}

/* Iterations until step_error is 1e-9: where a run with a tolerance stops. */
static int arrival(const struct path *path)
{
    const size_t stride = path->dofs + path->rows;
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics = {.step_error = INFINITY};
    int k = 0;
    assert_int_equal(nb_judge_create(&judge, path->problem, NULL), NB_OK);
    for (; k < path->count && !(metrics.step_error <= 1e-9); ++k)
        nb_judge_evaluate(judge, path->u + (size_t)k * stride, path->u + (size_t)k * stride + path->dofs, &metrics);
    nb_judge_free(judge);
    assert_true(metrics.step_error <= 1e-9);
    return k;
}

/* The default to its tolerance in as many iterations, and to its own end, which rounding decides, at the same place. */
static void assert_same_end(const struct nb_problem *problem)
{
    static const double powers[] = {1e-6, 1e-3, 1e3, 1e6};
    const struct nb_options options = test_options("proximal_newton", 1000);
    struct path here, there;
    assert_true(walk(problem, &options, (struct nb_units){1, 1, 1}, &here));
    for (size_t i = 0; i < 3 * sizeof powers / sizeof *powers; ++i) {
        const double x = powers[i / 3];
        const struct nb_units factor = {i % 3 == 0 ? x : 1, i % 3 == 1 ? x : 1, i % 3 == 2 ? x : 1};
        assert_true(walk(problem, &options, factor, &there));
        if (arrival(&here) != arrival(&there) || !(distance(&here, &there) < 1e-9))
            fail_msg("%s by %g, %g, %g: %d and %d iterates to 1e-9, velocities %g apart", problem->name, factor.mass,
                     factor.length, factor.time, arrival(&here), arrival(&there), distance(&here, &there));
        free(there.u);
    }
    free(here.u);
}

TEST(powers_of_ten_end_at_the_same_place)
{
    static const char *const scenes[] = {"box_on_plane", "sliding_box", "incline", "two_boxes", "heavy_stack"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, scenes[i], NULL);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        assert_same_end(&problem);
        assert_same_end(&linear);
    }
}

/* h, the velocity to take away and 1/W_nn become about 1; twice is once. */
TEST(intrinsic_units_make_a_step_about_one)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_particle(&problem, 1e4, 0.5, (const double[]){-3e5, 0, 0});
    const struct nb_units first = nb_intrinsic_units(&problem);
    assert_true(nb_problem_change_units(&problem, first.mass, first.length, first.time));
    const double m = problem.linear.mass.value[0], f = -problem.linear.force[0] / m;
    assert_true(problem.time_step >= 1 && problem.time_step < 2);
    assert_true(1 / m >= 1 && 1 / m < 2);
    assert_true(f >= 1 && f < 2);
    const struct nb_units again = nb_intrinsic_units(&problem);
    assert_true(again.mass == 1 && again.length == 1 && again.time == 1);
}

/* A start and a Newton system are in the problem's units, whatever the solver's. */
TEST(starts_are_in_the_problems_units)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_solver *solver;
    struct nb_run run;
    test_scene(&problem, "sliding_box", NULL);
    const struct nb_options options = test_options("proximal_newton", 100);
    const size_t dofs = (size_t)nb_problem_dofs(&problem), rows = (size_t)nb_problem_multipliers(&problem);
    double *u = calloc(2 * (dofs + rows), sizeof *u), *lambda = u + dofs, *again = lambda + rows;
    assert_ok(nb_solver_create(&solver, &problem, &options, &why));
    assert_ok(nb_solver_run(solver, 100, NULL, &run, &why));
    nb_solver_solution(solver, u, lambda);
    assert_ok(nb_solver_start(solver, u, lambda, &why));
    assert_ok(nb_solver_run(solver, 0, NULL, &run, &why));
    nb_solver_solution(solver, again, again + dofs);
    for (size_t i = 0; i < dofs; ++i)
        assert_true(fabs(again[i] - u[i]) < 1e-12);
    for (size_t i = 0; i < rows; ++i)
        assert_true(fabs(again[dofs + i] - lambda[i]) <= 1e-9 * fabs(lambda[i]) + 1e-9);
    nb_solver_free(solver);
    free(u);
}

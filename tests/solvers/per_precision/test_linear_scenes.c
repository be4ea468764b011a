/* Every registered linear solver with every preconditioner on a Newton system of every small scene: whoever says
 * that it has reached a tolerance has, and agrees with the reference as well as tolerance and condition allow. */
#include "harness/floor/floor_linear.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/linear_support.h"

/* Redundant contacts alone would make the matrix singular; with this much of the mean diagonal added every
 * method comes to its end within the iterations, but for relaxations on the larger scenes. */
enum { MOST_ROWS = 800, FEW_ROWS = 400, ITERATIONS = 20000, LESS_ITERATIONS = 2000 };
static const double shift = 0.1;

struct scene_system {
    const char *name;
    struct nb_newton_system newton;
    struct nb_exact *exact;
    double *x;         /* [rows] reference */
    double condition;
};

struct last {
    int count;
    size_t dofs, rows;
    double *u, *lambda;
};

static bool keep(void *context, int iteration, const double *u, const double *lambda,
                 const struct nb_linear_report *linear)
{
    struct last *last = context;
    (void)linear;
    memcpy(last->u, u, last->dofs * sizeof *u);
    memcpy(last->lambda, lambda, last->rows * sizeof *lambda);
    last->count = iteration;
    return true;
}

/* To a largest entry of 1: what is left of a nearly solved step may be so small that float32 cannot
 * tell the squares of its residuals. */
static void scale_right_side(struct nb_newton_system *system)
{
    double most = 0;
    for (int i = 0; i < system->schur.rows; ++i)
        most = fmax(most, fabs(system->right_side[i]));
    for (int i = 0; i < system->schur.rows && most > 0; ++i)
        system->right_side[i] /= most;
}

/* The system after three Newton iterations of the scene's first step; 0 where it has neither contacts nor
 * joints, or is large. */
static int open_system(struct scene_system *system, const char *name)
{
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_run run;
    struct nb_exact_report report = {0};
    memset(system, 0, sizeof *system);
    system->name = name;
    options.solver = "newton";
    options.linear = "cholesky";
    options.precond = "none";
    options.shift = shift;
    assert_int_equal(nb_scene_create(name, 0, NULL, &problem, NULL), NB_OK);
    assert_int_equal(nb_step_prepare(&problem, NULL), NB_OK);
    struct last last = {.dofs = (size_t)nb_problem_dofs(&problem),
                        .rows = (size_t)nb_problem_multipliers(&problem)};
    const int wanted = last.rows > 0 && last.rows <= MOST_ROWS;
    if (wanted) {
        const struct nb_observer observer = {.context = &last, .observe = keep};
        last.u = calloc(last.dofs + 1, sizeof *last.u);
        last.lambda = calloc(last.rows + 1, sizeof *last.lambda);
        assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
        assert_int_equal(nb_solver_run(solver, 3, &observer, &run, NULL), NB_OK);
        assert_int_equal(nb_solver_system(solver, last.u, last.lambda, &system->newton, NULL), NB_OK);
        scale_right_side(&system->newton);
        system->x = calloc((size_t)system->newton.schur.rows + 1, sizeof *system->x);
        assert_int_equal(nb_exact_create(&system->exact, &system->newton.schur, NULL), NB_OK);
        assert_int_equal(nb_exact_solve(system->exact, system->newton.right_side, system->x, &report,
                                        NULL), NB_OK);
        assert_int_equal(report.converged, 1);
        const double *scale = nb_exact_scale(system->exact);
        double low = INFINITY, high = 0;
        for (int i = 0; i < system->newton.schur.rows; ++i) {
            low = fmin(low, scale[i]);
            high = fmax(high, scale[i]);
        }
        system->condition = report.condition * pow(high / low, 2);
    }
    nb_solver_free(solver);
    free(last.u);
    free(last.lambda);
    return wanted;
}

static void close_system(struct scene_system *system)
{
    nb_newton_system_free(&system->newton);
    nb_exact_free(system->exact);
    free(system->x);
}

/* ||b - A x|| / ||b|| in the norm of (diag A)^-1, in double. */
static double relative_residual(const struct scene_system *system, const double *x)
{
    const struct nb_csr *a = &system->newton.schur;
    double sum = 0, scale = 0;
    for (int i = 0; i < a->rows; ++i) {
        const double d = nb_csr_diagonal(a, i);
        double r = system->newton.right_side[i];
        scale += r * r / d;
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            r -= a->value[k] * x[a->column[k]];
        sum += r * r / d;
    }
    return scale > 0 ? sqrt(sum / scale) : sqrt(sum);
}

static void check_pair(const struct scene_system *system, const char *linear, const char *precond,
                       int direct)
{
    const double tolerance = direct ? 0 : 1000 * U;
    const struct nb_csr *matrix = &system->newton.schur;
    struct nb_options options = nb_options_default();
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error = {""};
    void *bench = NULL;
    char choice[80];
    snprintf(choice, sizeof choice, "%s:tol=%.3g", linear, tolerance);
    options.linear = choice;
    options.precond = precond;
    const enum nb_status status =
        nb_bench_create(&bench, matrix, system->newton.right_side, &options, NB_FULL, &error);
    if (status == NB_UNSUPPORTED)
        return;
    if (status)
        fail_msg("%s, %s+%s: %s", system->name, linear, precond, error.text);
    double *x = calloc((size_t)matrix->rows + 1, sizeof *x);
    nb_bench_run(bench, matrix->rows > FEW_ROWS ? LESS_ITERATIONS : ITERATIONS, NULL, &report, &run, &error);
    nb_bench_solution(bench, x);
    nb_bench_free(bench);
    const struct nb_error_linear errors =
        nb_error_linear_of(matrix, system->newton.right_side, system->x, x);
    const double reached = relative_residual(system, x);
    /* The tolerance is near the least residual that rounding leaves: what comes as near may say that it stagnates. */
    const double allowed = 20 * tolerance + 1000 * U;
    const int done = report.ending == NB_LINEAR_CONVERGED ||
                     (report.ending == NB_LINEAR_STAGNATED && reached <= allowed);
    /* Without a preconditioner rows that differ by many orders are out of reach of some, and many contacts of
     * relaxations and Chebyshev's method; they must say so. */
    const int preconditioned = nb_find_linear(linear)->preconditioned;
    const int slow = !direct && (!preconditioned || strcmp(linear, "chebyshev") == 0);
    const int hard = (preconditioned && strcmp(precond, "none") == 0) || (slow && matrix->rows > FEW_ROWS);
    const int excused = hard && report.ending != NB_LINEAR_CONVERGED && isfinite(reached);
    if (!excused && (!done || !(reached <= allowed) ||
                     !(errors.forward <= fmin(allowed * system->condition, 0.1))))
        fail_msg("%s, %s+%s: ending %d (%s) after %d, residual %.1e, forward error %.1e, condition %.1e",
                 system->name, linear, precond, (int)report.ending, report.detail, report.iterations,
                 reached, errors.forward, system->condition);
    free(x);
}

/* 1 where the scene has a system for this test. */
static int try_every_pair(const char *scene)
{
    struct nb_registry_row linear, precond;
    struct scene_system system;
    const int open = open_system(&system, scene);
    for (size_t i = 0; open && nb_slot_row("linear", i, &linear); ++i)
        for (size_t j = 0; nb_slot_row("precond", j, &precond); ++j) {
            const struct nb_linear *solver = nb_find_linear(linear.name);
            if (solver->preconditioned || strcmp(precond.name, "none") == 0)
                check_pair(&system, linear.name, precond.name, solver->direct);
        }
    close_system(&system);
    return open;
}

TEST(test_every_pair_on_small_scenes)
{
    const char *const scenes[] = {"two_boxes", "hinge_limits", "heavy_stack", "arch"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s)
        assert_true(try_every_pair(scenes[s]));
}

FULL_TEST(test_every_pair_on_every_scene)
{
    const struct nb_registry_row *scene;
    int scenes = 0;
    for (size_t s = 0; (scene = nb_registry_row("scene", s)); ++s)
        scenes += try_every_pair(scene->name);
    assert_true(scenes >= 18);
}

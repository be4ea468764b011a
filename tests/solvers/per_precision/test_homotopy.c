/* The smoothed law of a contact by its definition and by differences, and the paths on a silo whose step
 * Newton's method does not solve. */
#include "tests/support/method_support.h"

#include "solvers/contact/smoothed_coulomb.h"
#include "solvers/model/model.h"
#include "solvers/outer/proximal_newton/homotopy.h"

enum { SAMPLES = 200, NEWTON = 60, STEPS = 400, ALIKE = 16 };
#define TIGHT NB_REAL(1e5 * NB_UNIT_ROUNDOFF)
#define SMALL nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)) /* step of a difference */
#define RATE NB_REAL(0.5)

static nb_real signed_random(uint32_t *seed) { return (nb_real)test_uniform(seed); }

static struct nb_smoothing place(nb_real l)
{
    const nb_real left = (nb_real)exp(-(double)(RATE * l));
    return (struct nb_smoothing){.tau = (nb_real)exp(-(double)l), .theta = 1 - left,
                                 .theta_slope = RATE * left};
}

static void evaluate(struct nb_smoothed *c, const nb_real *p, const nb_real *U, nb_real l)
{
    const struct nb_smoothing at = place(l);
    nb_smoothed_evaluate(c, p, U, nb_sqrt(at.tau) / 10, &at);
}

static struct nb_smoothed sample(uint32_t *seed, int n, nb_real *p, nb_real *U)
{
    const struct nb_smoothed c = {.mu = n % 4 ? NB_REAL(0.2) * (nb_real)(n % 4) : 0,
                                  .r = NB_REAL(0.3) + nb_abs(signed_random(seed))};
    for (int k = 0; k < 3; ++k) {
        p[k] = signed_random(seed) + (k == 0);
        U[k] = signed_random(seed);
    }
    return c;
}

/* Newton's method for p at a given U ends where x o z = tau e, inside both cones. */
TEST(test_central_points)
{
    uint32_t seed = 3;
    for (int n = 0; n < SAMPLES; ++n) {
        const nb_real l = NB_REAL(0.5);
        const struct nb_smoothing at = place(l);
        nb_real p[3], U[3], dx[3], dp[3], x[3], z[3];
        struct nb_smoothed c = sample(&seed, n, p, U);
        U[0] = 2 + nb_abs(U[0]); /* z inside its system, or there is no such p */
        p[0] = nb_sqrt(c.r * at.tau) / (c.mu > 0 ? c.mu : 1);
        p[1] = p[2] = 0;
        evaluate(&c, p, U, l);
        for (int k = 0; k < NEWTON; ++k) {
            nb_smoothed_correct(&c, dx);
            nb_smoothed_impulse(&c, dx, dp);
            for (int r = 0; r < 3; ++r)
                p[r] += dp[r];
            evaluate(&c, p, U, l);
        }
        nb_smoothed_vector(&c, c.f[0], c.f[1], x);
        for (int k = 0; k < 3; ++k)
            z[k] = (x[k] - c.v[k]) / c.r;
        assert_true(nb_abs(c.map[0]) + nb_abs(c.map[1]) + nb_abs(c.map[2]) <= TIGHT);
        assert_true(x[0] > nb_sqrt(x[1] * x[1] + x[2] * x[2]));
        if (c.mu > 0) {
            assert_true(nb_abs(x[0] * z[0] + x[1] * z[1] + x[2] * z[2] - at.tau) <= TIGHT);
            assert_true(nb_abs(x[0] * z[1] + z[0] * x[1]) <= TIGHT);
            assert_true(nb_abs(z[1] - U[1]) <= TIGHT && nb_abs(z[2] - U[2]) <= TIGHT);
            assert_true(z[0] >= U[0] / c.mu - TIGHT); /* slip opens */
        } else {
            assert_true(nb_abs(x[0] * U[0] - at.tau) <= TIGHT);
        }
    }
}

/* F stays as it is along the answers to dU and to dl. */
TEST(test_directions)
{
    const nb_real tolerance = 1000 * SMALL;
    uint32_t seed = 4;
    for (int n = 0; n < SAMPLES; ++n) {
        nb_real p[3], U[3], dU[3], dz[3], dx[3], dp[3], turned[3], moved[3];
        struct nb_smoothed c = sample(&seed, n, p, U), there, later;
        there = later = c;
        evaluate(&c, p, U, 1);
        for (int k = 0; k < 3; ++k)
            dU[k] = signed_random(&seed);
        nb_smoothed_velocity(&c, dU, dz);
        nb_smoothed_response(&c, dz, dx);
        nb_smoothed_impulse(&c, dx, dp);
        for (int k = 0; k < 3; ++k) {
            turned[k] = U[k] + SMALL * dU[k];
            moved[k] = p[k] + SMALL * dp[k];
        }
        evaluate(&there, moved, turned, 1);
        nb_smoothed_drift(&c, dx);
        nb_smoothed_impulse(&c, dx, dp);
        for (int k = 0; k < 3; ++k)
            moved[k] = p[k] + SMALL * dp[k];
        evaluate(&later, moved, U, 1 + SMALL);
        for (int k = 0; k < 3; ++k) {
            assert_true(nb_abs(there.map[k] - c.map[k]) <= SMALL * tolerance);
            assert_true(nb_abs(later.map[k] - c.map[k]) <= SMALL * tolerance);
        }
    }
}

struct silo {
    struct nb_problem problem;
    struct NB(nb_model) *model;
    struct nb_nonsmooth *system;
    struct nb_homotopy *path;
    void *room; /* of the path's arrays */
    struct nb_run run;
    nb_real first; /* the norm at p = 0                  */
    int moves;     /* whether the geometry came to move  */
};

static void close_silo(struct silo *silo)
{
    nb_homotopy_free(silo->path);
    free(silo->room);
    nb_nonsmooth_free(silo->system);
    NB(nb_model_free)(silo->model);
    nb_problem_free(&silo->problem);
}

/* The problem's system and path. Zero where this precision has none: then all is closed. */
static int open_path(struct silo *silo)
{
    assert_int_equal(NB(nb_model_create)(&silo->model, &silo->problem, 1, NULL), NB_OK);
    if (nb_nonsmooth_create(&silo->system, silo->model, NB_FACTORS_LU, NULL) || !nb_homotopy_applies(silo->system)) {
        assert_int_not_equal(sizeof(nb_real), sizeof(double));
        close_silo(silo);
        return 0;
    }
    assert_int_equal(nb_homotopy_create(&silo->path, silo->system, NULL), NB_OK);
    silo->room = nb_arena_allocate(nb_homotopy_lay_out, silo->path);
    assert_non_null(silo->room);
    silo->first = nb_nonsmooth_begin(silo->system);
    return 1;
}

static int open_silo(struct silo *silo)
{
    const char *const settings[] = {"count=40", NULL};
    *silo = (struct silo){0};
    test_scene(&silo->problem, "granular_silo", settings);
    return open_path(silo);
}

/* Along the path until little of the first norm is left, which it must come to. Counts the steps. */
static int walk(struct silo *silo)
{
    const nb_real wanted = NB_REAL(1e-5) * silo->first;
    nb_real norm = (nb_real)INFINITY;
    int steps = 0;
    for (; steps < STEPS && !(norm <= wanted); ++steps) {
        silo->moves |= nb_homotopy_update_geometry(silo->path);
        norm = nb_homotopy_step(silo->path);
        assert_true(isfinite(norm));
    }
    print_message("%d steps: norm %.2g, left %.2g\n", steps, (double)norm,
                  (double)nb_homotopy_remaining(silo->path));
    assert_true(norm <= wanted);
    return steps;
}

/* The exact law's norm falls to the barrier's end, whatever the path does on its way. */
TEST(test_silo)
{
    struct silo silo;
    if (!open_silo(&silo))
        return;
    nb_homotopy_begin(silo.path, 0.5, &silo.run, 3000);
    walk(&silo);
    assert_true(silo.moves); /* so that the norm is that of the nonlinear step: */
    assert_true(nb_nonsmooth_evaluate(silo.system, silo.system->u, silo.system->p) <= NB_REAL(1.1e-5) * silo.first);
    silo.run.newton_iterations = 0;
    nb_nonsmooth_begin(silo.system);
    nb_homotopy_begin(silo.path, 0.5, &silo.run, 5);
    assert_true(isinf(nb_homotopy_step(silo.path)));
    assert_int_equal(silo.run.newton_iterations, 5); /* the limit holds */
    close_silo(&silo);
}

/* The path from a given point ends at the law too, whether that is near a solution or no forces at all; and
 * from near a solution it is the shorter one. */
TEST(test_from_a_point)
{
    struct silo silo;
    if (!open_silo(&silo))
        return;
    nb_real *u = calloc(silo.system->dofs, sizeof *u), *p = calloc(silo.system->rows, sizeof *p);
    assert_true(u && p);
    memcpy(u, silo.system->u, silo.system->dofs * sizeof *u);
    nb_homotopy_begin_at(silo.path, u, p, 0.1, &silo.run, 3000);
    const int far = walk(&silo);
    memcpy(u, silo.system->u, silo.system->dofs * sizeof *u);
    memcpy(p, silo.system->p, silo.system->rows * sizeof *p);
    nb_nonsmooth_begin(silo.system);
    nb_homotopy_begin_at(silo.path, u, p, 0.01, &silo.run, 3000);
    assert_true(walk(&silo) < far);
    free(u);
    free(p);
    close_silo(&silo);
}

/* Along the curve of the linearised step, or from a point, step by step in both forms. */
static void walk_together(struct silo *bodies, struct silo *rows, int from_point)
{
    struct silo *const silos[] = {bodies, rows};
    for (int k = 0; k < 2; ++k) {
        struct nb_nonsmooth *system = silos[k]->system;
        nb_nonsmooth_begin(system);
        if (from_point)
            nb_homotopy_begin_at(silos[k]->path, system->u, system->p, 0.1, &silos[k]->run, 3000);
        else
            nb_homotopy_begin(silos[k]->path, 0.5, &silos[k]->run, 3000);
    }
    for (int step = 0; step < ALIKE; ++step) {
        const nb_real norm = nb_homotopy_step(bodies->path), other = nb_homotopy_step(rows->path);
        nb_real most = 0, apart = 0;
        for (size_t i = 0; i < rows->system->rows; ++i) {
            most = nb_max(most, nb_abs(bodies->system->p[i]));
            apart = nb_max(apart, nb_abs(bodies->system->p[i] - rows->system->p[i]));
        }
        assert_true(nb_abs(norm - other) <= NB_REAL(1e-3) * norm);
        assert_true(apart <= NB_REAL(1e-3) * most);
    }
    print_message("left %.2g\n", (double)nb_homotopy_remaining(rows->path));
    assert_true(nb_homotopy_remaining(rows->path) < NB_REAL(1e-6));
}

/* From the relaxation; also from a point, where that leaves more than round-off. */
static void compare_forms(const char *name, const char *const *settings, int from_point)
{
    struct silo bodies = {0}, rows = {0};
    struct nb_problem scene;
    test_scene(&scene, name, settings);
    assert_int_equal(nb_problem_linearize(&scene, &bodies.problem, NULL), NB_OK);
    nb_problem_free(&scene);
    test_condense(&bodies.problem, &rows.problem, test_dense_solve);
    if (!open_path(&bodies)) {
        assert_int_equal(open_path(&rows), 0);
        return;
    }
    assert_int_equal(open_path(&rows), 1);
    assert_ptr_equal(bodies.system->form, &nb_primal_formulation);
    assert_ptr_equal(rows.system->form, &nb_dual_formulation);
    for (int k = 0; k <= from_point; ++k)
        walk_together(&bodies, &rows, k);
    close_silo(&bodies);
    close_silo(&rows);
}

/* A step as bodies and as its Delassus operator has one curve, and both go along it alike as long as they
 * take the same counts of corrections; with joints, too. A Delassus operator that is rounded to single precision
 * is another step's. */
TEST(test_one_curve_in_both_forms)
{
    const char *const grains[] = {"count=20", NULL};
    if (sizeof(nb_matrix) == sizeof(float))
        skip();
    compare_forms("granular_silo", grains, 1);
    compare_forms("hinge_limits", NULL, 0);
}

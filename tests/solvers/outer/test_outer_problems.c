/* Nonlinear methods on linear problems: agreement with the proximal Newton method where the solution is
 * unique, between global and condensed problems, with dense second implementations of their sweeps,
 * between methods of the same convex relaxation, and on the files of ../shared/fclib. */
#include "tests/support/outer_support.h"
#include "tests/support/real_files.h"

enum { CONTACTS = 4, BILATERALS = 2, ROWS = 3 * CONTACTS + BILATERALS };

/* Bilateral rows included; a coupled mass is not block diagonal, but may fall into parts. */
TEST(test_unique_solutions)
{
    static const int couplings[] = {0, 1, 4, 7};
    const struct nb_options proximal = method("proximal_newton", 60);
    for (size_t c = 0; c < sizeof couplings / sizeof *couplings; ++c) {
        OWNS(nb_problem_free) struct nb_problem global, local;
        double exact[ROWS], found[ROWS];
        const int coupled = couplings[c];
        test_global(&global, 24, CONTACTS, BILATERALS, coupled, 21);
        test_condense(&global, &local, test_dense_solve);
        assert_true(run_method(&global, &proximal, NULL, exact, NULL).natural_map < 1e-12);
        for (int m = 0; m < COULOMB_METHODS; ++m)
            for (int form = 0; form < 2 - is_primal(coulomb_methods[m]); ++form) {
                const struct nb_options options = method(coulomb_methods[m], 3000);
                run_method(form ? &local : &global, &options, NULL, found, NULL);
                for (int i = 0; i < ROWS; ++i)
                    if (!(fabs(found[i] - exact[i]) < 1e-9))
                        fail_msg("%s, %s %s: row %d is %.12g, not %.12g", options.solver,
                                 coupled ? "coupled" : "blocks", form ? "local" : "global", i,
                                 found[i], exact[i]);
            }
    }
}

/* A dense local problem without bilateral rows. */
struct dense {
    struct nb_problem problem;
    double *w;
    const double *q, *mu;
};

static void make_dense(struct dense *dense)
{
    struct nb_problem global;
    test_global(&global, 24, CONTACTS, 0, 1, 5);
    for (int i = 0; i < CONTACTS; ++i)
        global.linear.friction[i] = 0.3;
    test_condense(&global, &dense->problem, test_dense_solve);
    nb_problem_free(&global);
    dense->w = test_dense(&dense->problem.linear.delassus);
    dense->q = dense->problem.linear.contact_velocity;
    dense->mu = dense->problem.linear.friction;
}

static void free_dense(struct dense *dense)
{
    nb_problem_free(&dense->problem);
    free(dense->w);
}

enum { N = 3 * CONTACTS };

static double velocity_of(const struct dense *dense, const double *p, int row)
{
    double sum = dense->q[row];
    for (int k = 0; k < N; ++k)
        sum += dense->w[row * N + k] * p[k];
    return sum;
}

/* One sweep of box friction, and of the disc, written out. */
static void reference_sweep(const struct dense *dense, double omega, int disc, double *p)
{
    for (int i = 0; i < N; i += 3) {
        const double *w = dense->w + i * N + i;
        p[i] = fmax(0, p[i] - omega * velocity_of(dense, p, i) / w[0]);
        const double bound = dense->mu[i / 3] * p[i];
        if (!disc) {
            for (int r = i + 1; r < i + 3; ++r)
                p[r] = fmin(bound, fmax(-bound, p[r] - omega * velocity_of(dense, p, r) /
                                                           dense->w[r * N + r]));
            continue;
        }
        const double a = w[N + 1], b = w[N + 2], c = w[2 * N + 2];
        const double most = (a + c) / 2 + sqrt((a - c) * (a - c) / 4 + b * b);
        const double u1 = velocity_of(dense, p, i + 1), u2 = velocity_of(dense, p, i + 2);
        p[i + 1] -= omega * u1 / most;
        p[i + 2] -= omega * u2 / most;
        const double length = hypot(p[i + 1], p[i + 2]);
        for (int r = i + 1; r < i + 3 && length > bound; ++r)
            p[r] *= bound / length;
    }
}

TEST(test_sweeps_as_written_out)
{
    static const char *const solvers[] = {"pgs:relaxation=1.3", "pgs:relaxation=1.3:friction=cone"};
    OWNS(free_dense) struct dense dense;
    make_dense(&dense);
    for (int disc = 0; disc < 2; ++disc) {
        double p[N] = {0}, found[N];
        for (int sweeps = 1; sweeps <= 4; ++sweeps) {
            const struct nb_options options = method(solvers[disc], sweeps);
            reference_sweep(&dense, 1.3, disc, p);
            run_method(&dense.problem, &options, NULL, found, NULL);
            for (int i = 0; i < N; ++i)
                assert_true(fabs(found[i] - p[i]) < 1e-13);
        }
    }
}

/* Algorithm 2 of Silcowitz, Niebe and Erleben 2010. */
TEST(test_conjugate_gradients_as_written_out)
{
    OWNS(free_dense) struct dense dense;
    double p[N] = {0}, direction[N] = {0}, found[N], before = -1;
    make_dense(&dense);
    for (int k = 1; k <= 12; ++k) {
        const struct nb_options options = method("nncg:friction=cone", k);
        double swept[N], now = 0;
        memcpy(swept, p, sizeof p);
        reference_sweep(&dense, 1, 1, swept);
        for (int i = 0; i < N; ++i)
            now += (p[i] - swept[i]) * (p[i] - swept[i]);
        const double beta = before < 0 ? 0 : now / before;
        for (int i = 0; i < N; ++i) {
            const double minus_gradient = swept[i] - p[i];
            if (beta > 1) {
                p[i] = swept[i];
                direction[i] = 0;
            } else {
                p[i] = swept[i] + beta * direction[i];
                direction[i] = beta * direction[i] + minus_gradient;
            }
        }
        before = now;
        run_method(&dense.problem, &options, NULL, found, NULL);
        for (int i = 0; i < N; ++i)
            assert_true(fabs(found[i] - p[i]) < 1e-11);
    }
}

/* || R - P_K(R - U) || of the convex relaxation, U without the opening. */
static double relaxed_map(const struct dense *dense, const double *p)
{
    double sum = 0;
    for (int i = 0; i < N; i += 3) {
        const double mu = dense->mu[i / 3];
        double z[3];
        for (int r = 0; r < 3; ++r)
            z[r] = p[i + r] - velocity_of(dense, p, i + r);
        const double tangent = hypot(z[1], z[2]);
        double normal = z[0], share = 1;
        if (mu * tangent <= -z[0])
            normal = share = 0;
        else if (tangent > mu * z[0]) {
            normal = (z[0] + mu * tangent) / (1 + mu * mu);
            share = mu * normal / tangent;
        }
        sum += pow(p[i] - normal, 2) + pow(p[i + 1] - share * z[1], 2) +
               pow(p[i + 2] - share * z[2], 2);
    }
    return sqrt(sum);
}

/* Every method with the associated law finds the same minimum, in which what slides opens by mu times
 * its slip: another problem than Coulomb's. */
TEST(test_convex_relaxation)
{
    static const char *const solvers[] = {
        "projected_gradient:friction=associated", "extragradient:friction=associated",
        "apgd:friction=associated", "admm:friction=associated"};
    OWNS(free_dense) struct dense dense;
    double first[N], found[N];
    int sliding = 0;
    make_dense(&dense);
    for (int m = 0; m < 4; ++m) {
        const struct nb_options options = method(solvers[m], 3000);
        const struct nb_metrics result = run_method(&dense.problem, &options, NULL, found, NULL);
        if (m == 0)
            memcpy(first, found, sizeof first);
        for (int i = 0; i < N; ++i)
            assert_true(fabs(found[i] - first[i]) < 1e-10);
        assert_true(relaxed_map(&dense, found) < 1e-10);
        assert_true(result.natural_map > 1e-4);
    }
    for (int i = 0; i < N; i += 3) {
        const double slip = hypot(velocity_of(&dense, first, i + 1),
                                  velocity_of(&dense, first, i + 2));
        if (first[i] > 1e-6 && slip > 1e-6) {
            assert_true(fabs(velocity_of(&dense, first, i) - dense.mu[i / 3] * slip) < 1e-10);
            ++sliding;
        }
    }
    assert_true(sliding > 0);
}

/* The engines' box friction solves the same problem as the Fischer-Newton method. */
TEST(test_box_friction)
{
    static const char *const solvers[] = {"pgs", "pgs:warm=3", "nncg"};
    const struct nb_options newton = method("fischer_newton", 60);
    OWNS(free_dense) struct dense dense;
    double exact[N], found[N];
    make_dense(&dense);
    assert_true(run_method(&dense.problem, &newton, NULL, exact, NULL).box_map < 1e-12);
    for (int m = 0; m < 3; ++m) {
        const struct nb_options options = method(solvers[m], 2000);
        const struct nb_metrics result = run_method(&dense.problem, &options, NULL, found, NULL);
        assert_true(result.box_map < 1e-12 && result.natural_map > 1e-4);
        for (int i = 0; i < N; ++i)
            assert_true(fabs(found[i] - exact[i]) < 1e-10);
    }
}

static void make_unsymmetric(struct nb_csr *matrix, uint32_t seed)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (matrix->column[k] > i)
                matrix->value[k] += 0.05 * test_uniform(&seed);
}

/* One contact alone is solved by one sweep, whatever its state, with an M or W that is not symmetric,
 * too; the proximal method finds the same. */
TEST(test_one_contact_takes_one_sweep)
{
    const struct nb_options once = method("nsgs", 1), proximal = method("proximal_newton", 60);
    int states[3] = {0, 0, 0};
    for (int i = 0; i < 60; ++i) {
        struct nb_problem forms[2];
        const int skew = i % 2;
        test_global(&forms[0], 9, 1, 0, i / 2 % 2, 100 + (uint32_t)i);
        forms[0].linear.friction[0] = 0.6 * (i % 5);
        test_condense(&forms[0], &forms[1], test_dense_solve);
        if (skew && i / 2 % 2) /* else M is of blocks, which are taken as symmetric */
            make_unsymmetric(&forms[0].linear.mass, (uint32_t)i);
        if (skew)
            make_unsymmetric(&forms[1].linear.delassus, (uint32_t)i);
        for (int form = 0; form < 2; ++form) {
            double exact[3], found[3];
            const struct nb_metrics result = run_method(&forms[form], &once, NULL, found, NULL);
            run_method(&forms[form], &proximal, NULL, exact, NULL);
            if (!(result.natural_map < 1e-13))
                fail_msg("problem %d, form %d: natural map %.2g", i, form, result.natural_map);
            for (int k = 0; k < 3; ++k)
                assert_true(fabs(found[k] - exact[k]) < 1e-10);
            const double force = hypot(found[1], found[2]);
            const double limit = forms[form].linear.friction[0] * found[0];
            states[!(found[0] > 0) ? 0 : force < 0.999 * limit ? 1 : 2]++;
            nb_problem_free(&forms[form]);
        }
    }
    for (int k = 0; k < 3; ++k) /* open, sticking, sliding */
        assert_true(states[k] >= 10);
}

/* Several contacts under an M, or W, that is not symmetric: the law holds with what was given. */
TEST(test_unsymmetric_sweeps)
{
    const struct nb_options options = method("nsgs", 400);
    struct nb_problem forms[2];
    test_global(&forms[0], 24, CONTACTS, BILATERALS, 1, 33);
    test_condense(&forms[0], &forms[1], test_dense_solve);
    make_unsymmetric(&forms[0].linear.mass, 3);
    make_unsymmetric(&forms[1].linear.delassus, 4);
    for (int form = 0; form < 2; ++form) {
        const struct nb_metrics result = run_method(&forms[form], &options, NULL, NULL, NULL);
        assert_true(result.natural_map < 1e-12 && result.bilateral_error < 1e-12);
        nb_problem_free(&forms[form]);
    }
}

/* The files of the elastic cubes hold the upper triangle of M, which is read as symmetric. */
TEST(test_elastic_cubes)
{
    static const struct {
        const char *file;
        int sweeps;
    } cubes[] = {{"CubeH8", 1}, {"LMGC_GlobalFrictionContactProblem00046", 20}};
    for (int i = 0; i < 2; ++i) {
        const struct nb_options options = method("nsgs", cubes[i].sweeps);
        OWNS(nb_problem_free) struct nb_problem problem;
        test_real_file(cubes[i].file, &problem);
        assert_true(run_method(&problem, &options, NULL, NULL, NULL).natural_map < 1e-12);
    }
}

/* What each method reaches in 700 iterations, with room for rounding. */
TEST(test_real_problems)
{
    static const struct {
        const char *file;
        double natural_map;
    } problems[] = {
        {"CubeH8", 1e-10},
        {"LMGC_GlobalFrictionContactProblem00046", 1e-10},
        {"Box_Stacks-i0122-82-5", 1e-7},
        {"LMGC_100_PR_PerioBox-i00361-60-03000", 1e-7},
        {"Capsules-i125-1213", 2e-5},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_real_file(problems[i].file, &problem);
        for (int m = 0; m < COULOMB_METHODS; ++m) {
            const struct nb_options options = method(coulomb_methods[m], 700);
            if (is_primal(coulomb_methods[m]) && problem.form == NB_LINEAR_LOCAL)
                continue;
            const double found = run_method(&problem, &options, NULL, NULL, NULL).natural_map;
            if (!(found < problems[i].natural_map))
                print_message("%s, %s: natural map %.2g\n", problems[i].file, options.solver,
                              found);
            assert_true(found < problems[i].natural_map);
        }
    }
}

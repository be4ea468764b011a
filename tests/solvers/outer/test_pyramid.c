/* The friction pyramid, by Lemke's pivoting and by projected Gauss-Seidel: what a force and a slip have to satisfy on
 * it, how much stronger it is along its corners, a box on an incline against the nearest point of the polygon, and
 * steps on which both methods agree. */
#include "tests/support/method_support.h"

enum { MU_PERCENT = 50 };

struct law {
    const char *solver;
    int directions, outer;
};
static const struct law laws[] = {
    {"lemke:directions=4", 4, 0},
    {"lemke", 8, 0},
    {"lemke:pyramid=outer:directions=5", 5, 1},
    {"pgs:friction=inner:directions=4", 4, 0},
    {"pgs:friction=inner", 8, 0},
    {"pgs:friction=outer:directions=5", 5, 1},
    {"nncg:friction=outer:directions=6", 6, 1},
};
enum { LAWS = sizeof laws / sizeof *laws };

/* Distance from the centre to a corner, of mu R_n = 1. */
static double corner_of(const struct law *law)
{
    return law->outer ? 1 / cos(M_PI / law->directions) : 1;
}

static void direction_of(const struct law *law, int k, double *d)
{
    d[0] = corner_of(law) * cos(2 * M_PI * k / law->directions);
    d[1] = corner_of(law) * sin(2 * M_PI * k / law->directions);
}

/* The least d_k . v: what a force of the pyramid can take from it. */
static double strongest(const struct law *law, const double *v)
{
    double least = INFINITY;
    for (int k = 0; k < law->directions; ++k) {
        double d[2];
        direction_of(law, k, d);
        least = fmin(least, d[0] * v[0] + d[1] * v[1]);
    }
    return least;
}

/* The point of the polygon of that size nearest to x, side by side. */
static void nearest(const struct law *law, double size, const double *x, double *out)
{
    double best = INFINITY;
    int inside = 1;
    for (int k = 0; k < law->directions; ++k) {
        double a[2], b[2];
        direction_of(law, k, a);
        direction_of(law, k + 1, b);
        const double side[2] = {size * (b[0] - a[0]), size * (b[1] - a[1])};
        const double from[2] = {x[0] - size * a[0], x[1] - size * a[1]};
        const double t = (from[0] * side[0] + from[1] * side[1]) / (side[0] * side[0] + side[1] * side[1]);
        const double s = fmin(1, fmax(0, t));
        const double point[2] = {size * a[0] + s * side[0], size * a[1] + s * side[1]};
        const double distance = hypot(x[0] - point[0], x[1] - point[1]);
        inside = inside && side[0] * from[1] - side[1] * from[0] >= 0;
        if (distance < best) {
            best = distance;
            out[0] = point[0];
            out[1] = point[1];
        }
    }
    if (inside)
        memcpy(out, x, 2 * sizeof *out);
}

/* A particle that is pushed in all directions: the force is in the polygon and takes as much from the slip as any
 * force of it could, where it is held and where it slides. */
TEST(test_force_takes_most_from_the_slip)
{
    const double pushes[] = {2, 5.2, 8, 1e5};
    for (int m = 0; m < LAWS; ++m)
        for (int i = 0; i < 4 * 72; ++i) {
            const double push = pushes[i % 4], angle = 2 * M_PI * (i / 4 + 0.3) / 72;
            const double force[3] = {-10, push * cos(angle), push * sin(angle)};
            OWNS(nb_problem_free) struct nb_problem problem;
            double u[3], got[3], inside[2];
            test_particle(&problem, 2, MU_PERCENT / 100.0, force);
            test_method(&problem, laws[m].solver, 200, u, got);
            nearest(&laws[m], 5, got + 1, inside);
            const double taken = got[1] * u[1] + got[2] * u[2];
            assert_true(fabs(got[0] - 10) < 1e-9);
            assert_true(hypot(inside[0] - got[1], inside[1] - got[2]) < 1e-9);
            if (fabs(taken - 5 * strongest(&laws[m], u + 1)) > 1e-9 * (10 + push))
                fail_msg("%s, direction %g: takes %.9g of %.9g", laws[m].solver, angle, taken,
                         5 * strongest(&laws[m], u + 1));
        }
}

/* What a fast slide loses along its way is 1/cos(pi/n) as much along a corner as midway between two. */
TEST(test_anisotropy)
{
    for (int m = 0; m < LAWS; ++m) {
        double least = INFINITY, most = 0;
        for (int i = 0; i < 2 * laws[m].directions; ++i) {
            const double angle = M_PI * (i + (laws[m].directions % 2)) / laws[m].directions, push = 1e6;
            const double force[3] = {-10, push * cos(angle), push * sin(angle)};
            OWNS(nb_problem_free) struct nb_problem problem;
            double got[3];
            test_particle(&problem, 2, MU_PERCENT / 100.0, force);
            test_method(&problem, laws[m].solver, 100, NULL, got);
            const double along = -(got[1] * cos(angle) + got[2] * sin(angle));
            least = fmin(least, along);
            most = fmax(most, along);
        }
        print_message("%s: %.6f to %.6f N\n", laws[m].solver, least, most);
        assert_true(fabs(most / least - 1 / cos(M_PI / laws[m].directions)) < 1e-6);
        assert_true(fabs((laws[m].outer ? least : most) - 5) < 1e-6);
    }
}

/* A box on an incline, from rest: its force is the point of the polygon nearest to what would hold it, so that it
 * sticks where that is inside; of the cone the same with a disc. */
TEST(test_incline)
{
    static const double angles[] = {15, 19, 22, 24, 26, 28, 40};
    int sticking = 0, sliding = 0;
    for (int m = 0; m < LAWS; ++m)
        for (size_t a = 0; a < sizeof angles / sizeof *angles; ++a) {
            OWNS(nb_problem_free) struct nb_problem problem;
            struct nb_error error;
            char set[40];
            snprintf(set, sizeof set, "angle=%g", angles[a]);
            const char *const sets[] = {set, "margin=0.001", NULL};
            test_scene(&problem, "incline", sets);
            OWNS(free_at) double *u = calloc(6, sizeof *u);
            test_method(&problem, laws[m].solver, 1000, u, NULL);
            const double slope = angles[a] * M_PI / 180, h = problem.time_step, down[3] = {cos(slope), 0, -sin(slope)};
            const double *frame = problem.contacts.frame;
            double pull[2], hold[2], slip[2];
            for (int t = 0; t < 2; ++t) {
                const double *tangent = frame + 3 + 3 * (size_t)t;
                pull[t] = 9.81 * h * sin(slope) * (tangent[0] * down[0] + tangent[2] * down[2]);
                slip[t] = tangent[0] * u[0] + tangent[1] * u[1] + tangent[2] * u[2];
            }
            const double needed[2] = {-pull[0], -pull[1]};
            nearest(&laws[m], 0.5 * 9.81 * h * cos(slope), needed, hold);
            const double miss = hypot(slip[0] - pull[0] - hold[0], slip[1] - pull[1] - hold[1]);
            if (!(miss < 1e-6))
                fail_msg("%s, %g degrees: slips by %g, %g instead of %g, %g m/s", laws[m].solver, angles[a], slip[0],
                         slip[1], pull[0] + hold[0], pull[1] + hold[1]);
            ++*(hypot(slip[0], slip[1]) < 1e-6 ? &sticking : &sliding);
            (void)error;
        }
    assert_true(sticking >= LAWS && sliding >= LAWS);
}

/* Two methods on one law, on steps with joints, limits and many contacts: the same motion. */
TEST(test_methods_agree)
{
    static const char *const scenes[] = {"box_pyramid", "random_pile", "humanoid_batch", "hinge_limits"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const char *const sets[] = {!strcmp(scenes[s], "box_pyramid") ? "rows=4" : NULL, NULL};
        test_scene(&problem, scenes[s], sets);
        const size_t dofs = (size_t)nb_problem_dofs(&problem);
        OWNS(free_at) double *one = calloc(dofs, sizeof *one), *two = calloc(dofs, sizeof *two);
        test_method(&problem, "lemke:directions=5", 30, one, NULL);
        test_method(&problem, "pgs:friction=inner:directions=5", 4000, two, NULL);
        double apart = 0;
        for (size_t i = 0; i < dofs; ++i)
            apart = fmax(apart, fabs(one[i] - two[i]));
        print_message("%s: %.2g m/s apart\n", scenes[s], apart);
        assert_true(apart < 1e-6);
    }
}

/* A step that is too large for the tableau is refused with the size that is not. */
TEST(test_large_steps_are_refused)
{
    const struct nb_options options = test_options("lemke:directions=64", 30);
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_solver *solver = NULL;
    test_scene(&problem, "box_pyramid", NULL);
    assert_refused(nb_solver_create(&solver, &problem, &options, &why), NB_UNSUPPORTED, "allowed: up to 2000");
}

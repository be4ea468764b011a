/* Anisotropic friction: how two structures go together, the path of a box against its differential equation integrated
 * apart, the ellipse and maximal dissipation in plain form, warm starts, and what is refused. */
#include "tests/support/folder.h"

#include "harness/simulate/warm_start.h"
#include "problems/base/vec3.h"
#include "problems/collide/matchstick.h"
#include "problems/io/problem_file.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"
#include "tests/support/refused.h"

static const double g = 9.81;

/* A shape of the world with structure at that angle about z, or none. */
static struct nb_shape surface(double along, double across, double degrees)
{
    struct nb_shape shape = {.kind = NB_SHAPE_PLANE, .body = -1, .orientation = {1, 0, 0, 0}, .friction = along};
    shape.across = across;
    shape.structure[0] = across > 0 ? cos(degrees * M_PI / 180) : 0;
    shape.structure[1] = across > 0 ? sin(degrees * M_PI / 180) : 0;
    return shape;
}

/* Coefficients along the first tangent and across it, and the angle of that tangent from x, to half a turn. */
static void combine(const struct nb_shape *a, const struct nb_shape *b, double *out)
{
    const struct nb_problem problem = {0};
    double frame[9] = {0, 0, 1};
    const double origin[3] = {0}, mu = nb_contact_friction(&problem, a, origin, b, origin, frame);
    out[0] = mu * hypot(frame[3], frame[4]);
    out[1] = mu * hypot(frame[6], frame[7]);
    out[2] = fmod(atan2(frame[4], frame[3]) * 180 / M_PI + 360, 180);
    assert_true(fabs(frame[3] * frame[6] + frame[4] * frame[7]) < 1e-15 && frame[5] == 0 && frame[8] == 0);
}

/* Equations 29 to 34: parallel structures have the ellipse, orthogonal ones the mean, others what lies between, about
 * the bisector, whichever way the directions point. */
TEST(structures_combine_as_matchsticks)
{
    const double twists[] = {0, 30, 60, 90, 120, 180};
    for (int i = 0; i < 6; ++i) {
        const struct nb_shape a = surface(0.5, 0.1, 10), b = surface(0.4, 0.05, 10 + twists[i]);
        const double between = twists[i] > 90 ? 180 - twists[i] : twists[i], d = 1 - between / 90;
        double got[3];
        combine(&a, &b, got);
        assert_true(fabs(got[0] - (0.5 * d + 0.3 * (1 - d))) < 1e-14);
        assert_true(fabs(got[1] - (0.1 * d + 0.3 * (1 - d))) < 1e-14);
        const double bisector = twists[i] > 90 ? 10 - between / 2 : 10 + between / 2;
        assert_true(i == 3 || fabs(remainder(got[2] - bisector, 180)) < 1e-9);
    }
    const struct nb_shape plain = surface(0.05, 0, 0), wood = surface(0.5, 0.1, 40);
    double got[3];
    combine(&plain, &wood, got);
    assert_true(fabs(got[0] - 0.5) < 1e-15 && fabs(got[1] - 0.1) < 1e-15 && fabs(got[2] - 40) < 1e-9);
    struct nb_shape upright = wood;
    upright.structure[0] = upright.structure[1] = 0;
    upright.structure[2] = 1;
    combine(&plain, &upright, got);
    assert_true(fabs(got[0] - 0.3) < 1e-15 && fabs(got[1] - 0.3) < 1e-15);
}

/* dv/dt and dx/dt of a point under the ellipse's force of maximal dissipation. */
static void slope(const double *mu, const double *state, double *out)
{
    const double size = hypot(mu[0] * state[2], mu[1] * state[3]);
    for (int k = 0; k < 2; ++k) {
        out[k] = state[2 + k];
        out[2 + k] = size > 1e-9 ? -g * mu[k] * mu[k] * state[2 + k] / size : 0;
    }
}

/* Runge and Kutta's method of order 4; state: x, y, v_x, v_y. */
static void integrate(const double *mu, double time, double *state)
{
    const int steps = 100000;
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
        double k[4][4], at[4];
        slope(mu, state, k[0]);
        for (int s = 1; s < 4; ++s) {
            for (int c = 0; c < 4; ++c)
                at[c] = state[c] + h * (s < 3 ? 0.5 : 1) * k[s - 1][c];
            slope(mu, at, k[s]);
        }
        for (int c = 0; c < 4; ++c)
            state[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
}

/* How far the box is from the integrated path after 0.5 s, with steps of that length. */
static double off_the_path(const char *step, double twist, double *bent)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    char turned[40];
    const struct nb_options options = nb_options_default();
    snprintf(turned, sizeof turned, "twist=%g", twist);
    test_scene(&problem, "curved_slide", (const char *const[]){step, turned, NULL});
    test_simulate(&problem, (int)lround(0.5 / problem.time_step), &options, NULL, NULL);
    const double d = 1 - twist / 90, mean = 0.3, half = twist / 2 * M_PI / 180;
    const double mu[2] = {0.5 * d + mean * (1 - d), 0.1 * d + mean * (1 - d)};
    const double speed = 3 / sqrt(2), *x = problem.bodies.position;
    const double in[2] = {speed * (cos(half) + sin(half)), speed * (cos(half) - sin(half))}; /* in t and b */
    double state[4] = {0, 0, in[0], in[1]};
    integrate(mu, 0.5, state);
    const double expected[2] = {state[0] * cos(half) - state[1] * sin(half),
                                state[0] * sin(half) + state[1] * cos(half)};
    *bent = nb_scene_find("curved_slide")->observe(&problem);
    assert_true(fabs(x[2] - 0.125) < 1e-6 && fabs(problem.bodies.velocity[5]) < 1e-6);
    return hypot(x[0] - expected[0], x[1] - expected[1]);
}

/* To first order in the step; with isotropic friction the path is straight. */
TEST(box_follows_the_curve)
{
    const double twists[] = {0, 45};
    double bent;
    for (int i = 0; i < 2; ++i) {
        const double coarse = off_the_path("time_step=0.01", twists[i], &bent);
        const double fine = off_the_path("time_step=0.0025", twists[i], &bent);
        print_message("twist %g: %.2g m and %.2g m off, %.2g m from the straight path\n", twists[i], coarse, fine,
                      bent);
        assert_true(bent > 0.05 && fine < 0.003 && fine < 0.26 * coarse);
    }
    off_the_path("time_step=0.01", 90, &bent);
    assert_true(fabs(bent) < 1e-9);
}

/* Of each contact, with unit axes taken from its frame: the force lies on the ellipse of mu_t and mu_b, and the slip is
 * opposite to the ellipse's normal there; where it sticks it is inside. */
static void check_ellipse(const struct nb_problem *problem, const double *u, const double *lambda, int slides)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        double force[2], slip[2], mu[2];
        for (int k = 0; k < 2; ++k) {
            const double *tangent = contacts->frame + 9 * i + 3 + 3 * k, length = sqrt(nb_dot3(tangent, tangent));
            double arm[3], turned[3], axis[3] = {tangent[0] / length, tangent[1] / length, tangent[2] / length};
            memcpy(arm, contacts->point + 6 * i, sizeof arm); /* the box stands as its body's frame does */
            nb_cross3(u + 3, arm, turned);
            slip[k] = nb_dot3(axis, u) + nb_dot3(axis, turned);
            force[k] = lambda[3 * i + 1 + k] * length;
            mu[k] = contacts->friction[i] * length;
        }
        const double limit = lambda[3 * i], used = hypot(force[0] / mu[0], force[1] / mu[1]);
        assert_true(limit > 0);
        if (!slides) {
            if (!(used < (1 + 1e-9) * limit && hypot(slip[0], slip[1]) < 1e-6))
                fail_msg("contact %d: %.9g of %.9g, slips by %g, %g m/s", i, used, limit, slip[0], slip[1]);
            continue;
        }
        const double normal[2] = {force[0] / (mu[0] * mu[0]), force[1] / (mu[1] * mu[1])};
        const double size = hypot(normal[0], normal[1]) * hypot(slip[0], slip[1]);
        assert_true(fabs(used - limit) < 1e-7 * limit);
        assert_true(fabs(normal[0] * slip[1] - normal[1] * slip[0]) < 1e-7 * size);
        assert_true(normal[0] * slip[0] + normal[1] * slip[1] < 0);
    }
}

TEST(force_is_on_the_ellipse_against_its_normal)
{
    static const char *const methods[] = {"proximal_newton", "nsgs", "cone_fischer_newton", "interior_point", "newton"};
    static const char *const speeds[] = {"speed=3", "speed=0.001"};
    for (int m = 0; m < 5; ++m)
        for (int s = 0; s < 2; ++s) {
            OWNS(nb_problem_free) struct nb_problem problem;
            test_scene(&problem, "curved_slide", (const char *const[]){speeds[s], "twist=20", NULL});
            OWNS(free_at) double *u = calloc(6, sizeof *u);
            OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(&problem), sizeof *lambda);
            const struct nb_metrics judged = test_method(&problem, methods[m], 2000, u, lambda);
            if (!(judged.step_error < 1e-7))
                fail_msg("%s, %s: error %.2g", methods[m], speeds[s], judged.step_error);
            check_ellipse(&problem, u, lambda, s == 0);
        }
}

/* The judge's second look at the ellipse, from the shapes alone, agrees where the step is solved. Where tangents or
 * friction are not those of the surfaces the solution is right by its step error, and found all the same. */
TEST(a_damaged_ellipse_is_found)
{
    static const char *const twists[] = {"twist=0", "twist=20", "twist=70"};
    static const char *const speeds[] = {"speed=3", "speed=0"};
    for (int k = 0; k < 6; ++k)
        for (int damage = 0; damage < (k < 3 ? 4 : 1); ++damage) {
            OWNS(nb_problem_free)
            struct nb_problem problem;
            test_scene(&problem, "curved_slide", (const char *const[]){twists[k % 3], speeds[k / 3], NULL});
            for (int i = 0; i < problem.contacts.count; ++i)
                for (int c = 0; c < 3; ++c) {
                    problem.contacts.frame[9 * i + 3 + c] *= damage == 1 ? 0.98 : 1;
                    problem.contacts.frame[9 * i + 6 + c] *= damage == 2 ? 1.02 : 1;
                    problem.contacts.friction[i] *= damage == 3 && c == 0 ? 0.98 : 1;
                }
            const struct nb_metrics judged = test_method(&problem, "proximal_newton", 200, NULL, NULL);
            assert_true(judged.step_error < 1e-9);
            if (!(damage > 0 ? judged.ellipse_error > 1e-4 : judged.ellipse_error < 1e-8))
                fail_msg("%s, %s, damage %d: %.3g", twists[k % 3], speeds[k / 3], damage, judged.ellipse_error);
        }
    OWNS(nb_problem_free)
    struct nb_problem plain;
    test_scene(&plain, "sliding_box", NULL);
    assert_true(isnan(test_method(&plain, "proximal_newton", 100, NULL, NULL).ellipse_error));
}

/* A parallel plane of other friction, ahead in the list, is not the one that is touched, if it is a millionth of the
 * box's side below: however small the box is in metres, as units do not matter. */
TEST(a_plane_close_below_is_another)
{
    for (int k = 0; k < 3; ++k) {
        static const char *const side[] = {"side=100", "side=0.5", "side=0.001"};
        OWNS(nb_problem_free)
        struct nb_problem problem;
        test_scene(&problem, "curved_slide", (const char *const[]){"twist=20", side[k], NULL});
        const double below = 1e-6 * strtod(side[k] + strlen("side="), NULL);
        const size_t count = (size_t)problem.shape_count;
        struct nb_shape *shapes = realloc(problem.shapes, (count + 1) * sizeof *shapes);
        assert_non_null(shapes);
        problem.shapes = shapes;
        memmove(shapes + 1, shapes, count * sizeof *shapes);
        ++problem.shape_count;
        assert_int_equal(shapes[0].kind, NB_SHAPE_PLANE);
        shapes[0].position[2] -= below;
        shapes[0].friction = 0.9;
        assert_true(test_method(&problem, "proximal_newton", 200, NULL, NULL).ellipse_error < 1e-8);
        shapes[0].position[2] += below;
        assert_true(test_method(&problem, "proximal_newton", 200, NULL, NULL).ellipse_error > 1e-4);
    }
}

/* Forces that are kept come back in the same frame as they were. */
TEST(warm_starts_keep_forces)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_warm_start_free) struct nb_warm_start warm = {0};
    test_scene(&problem, "curved_slide", (const char *const[]){"twist=20", NULL});
    const size_t rows = (size_t)nb_problem_multipliers(&problem);
    OWNS(free_at) double *u = calloc(6, sizeof *u), *lambda = calloc(rows, sizeof *lambda);
    OWNS(free_at) double *back = calloc(rows, sizeof *back), *motion = calloc(6, sizeof *motion);
    test_method(&problem, "proximal_newton", 100, u, lambda);
    assert_int_equal(nb_warm_start_keep(&warm, &problem, u, lambda, NULL), NB_OK);
    assert_int_equal(nb_warm_start_guess(&warm, &problem, 0.01, motion, back), problem.contacts.count);
    for (size_t i = 0; i < rows; ++i)
        assert_true(fabs(back[i] - lambda[i]) < 1e-9 * (1 + fabs(lambda[i])));
}

TEST(nonsense_is_refused_with_its_range)
{
    const struct {
        double friction, across, length, tangent;
        const char *says;
    } cases[] = {
        {0.5, 0.1, 0.5, 1, "shapes/structure: entry 0 has the length 0.5"},
        {0.5, 0.1, 0, 1, "shapes/structure: entry 0 has the length 0"},
        {0.5, 1e-5, 1, 1, "shapes/across: entry 0 is 1e-05, allowed"},
        {0, 0.1, 1, 1, "shapes/across: entry 0 is 0.1, allowed"},
        {0.5, 0.1, 1, 2000, "contacts/frame: a tangent of frame 0 has a length outside 0.001 to 1000"},
        {0.5, 0.1, 1, 0, "contacts/frame: a tangent of frame 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, "curved_slide", (const char *const[]){NULL});
        problem.shapes[0].friction = cases[i].friction;
        problem.shapes[0].across = cases[i].across;
        for (int k = 0; k < 3; ++k)
            problem.shapes[0].structure[k] = cases[i].length * (k == 0);
        for (int k = 3; k < 6; ++k)
            problem.contacts.frame[k] *= cases[i].tangent;
        assert_refused(nb_problem_validate(&problem, &why), NB_BAD_INPUT, cases[i].says);
    }
}

/* Watches nb_simulate; context: a double, which becomes the largest error of an ellipse in its steps. */
static int test_worst_ellipse(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    double *worst = context;
    *worst = fmax(*worst, test_judged(problem, u, lambda).ellipse_error);
    return 0;
}

/* Where the logs are after a second: their mean distance from the middle. */
static double logs_after(const char *steer, const char *across, double *worst)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "log_slide", (const char *const[]){"count=4", steer, across, NULL});
    *worst = 0;
    test_simulate(&problem, 120, &options, test_worst_ellipse, worst);
    return nb_scene_find("log_slide")->observe(&problem);
}

/* Structure steers logs to the middle or away from it, and by the judge's second look on their ellipse in each step;
 * where friction is the same in all directions structure changes nothing. */
TEST(logs_follow_the_structure)
{
    double worst;
    OWNS(nb_problem_free)
    struct nb_problem problem;
    test_scene(&problem, "log_slide", (const char *const[]){"count=4", NULL});
    const double first = nb_scene_find("log_slide")->observe(&problem);
    const double inwards = logs_after("steer=20", "across=0.8", &worst);
    assert_true(worst < 1e-6);
    const double outwards = logs_after("steer=-20", "across=0.8", &worst);
    assert_true(worst < 1e-6);
    print_message("logs: %.3g m from the middle, then %.3g and %.3g m\n", first, inwards, outwards);
    assert_true(inwards < 0.8 * first && outwards > 1.2 * first);
    const double plain = logs_after("steer=20", "across=0.2", &worst);
    assert_true(fabs(plain - logs_after("steer=-60", "across=0.2", &worst)) < 1e-6);
    assert_scene_refused("log_slide", "across=1e-5", "allowed: along/1000 to 1000 along");
    assert_scene_refused("log_slide", "thickness=2", "at most length = 1 m");
}

/* No log begins in the building: a way that lets the lowest row reach it is refused with the least that does not, and
 * with that the logs' lower ends are above it, whatever chance shifts them by. */
TEST(logs_begin_above_the_building)
{
    assert_scene_refused("log_slide", "way=0.59", "the lowest row would begin in the building; allowed: 0.6 to 10000");
    for (int seed = 0; seed < 50; ++seed) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        char text[20];
        double highest = -INFINITY;
        snprintf(text, sizeof text, "seed=%d", seed);
        test_scene(&problem, "log_slide", (const char *const[]){"slope=0", "way=0.6", "count=4", text, NULL});
        for (int i = 0; i < problem.bodies.count; ++i)
            highest = fmax(highest, problem.bodies.position[3 * i] + 0.5);
        assert_true(highest <= 0.6 + 1e-12);
    }
}

/* dv/dt of a point on the slope, in whose frame x is downhill: gravity, and the ellipse's force with the axes turned as
 * the pattern says, from its formula. */
static void steered_slope(int pattern, const double *state, double *out)
{
    const double steer = 40 * M_PI / 180, slope_of = 20 * M_PI / 180, mu[2] = {0.1, 0.8};
    const double across = fmax(-1, fmin(1, state[1]));
    const double angle = pattern == 2 ? steer * sin(2 * M_PI * state[0] / 4) : (pattern == 1 ? steer : -steer) * across;
    const double axis[2][2] = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}};
    double part[2], size = 0;
    for (int k = 0; k < 2; ++k) {
        part[k] = mu[k] * (axis[k][0] * state[2] + axis[k][1] * state[3]);
        size = hypot(size, part[k]);
    }
    for (int c = 0; c < 2; ++c) {
        out[c] = state[2 + c];
        out[2 + c] = c == 0 ? g * sin(slope_of) : 0;
        for (int k = 0; k < 2; ++k)
            out[2 + c] -= g * cos(slope_of) * mu[k] * part[k] / size * axis[k][c];
    }
}

/* Heun's method, from (0, y) with 2 m/s downhill. */
static void integrate_steered(int pattern, double time, double *state)
{
    const int steps = 20000;
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
        double first[4], second[4], at[4];
        steered_slope(pattern, state, first);
        for (int c = 0; c < 4; ++c)
            at[c] = state[c] + h * first[c];
        steered_slope(pattern, at, second);
        for (int c = 0; c < 4; ++c)
            state[c] += h / 2 * (first[c] + second[c]);
    }
}

/* How far small boxes are from the integrated path after 0.8 s; *left: where the leftmost is across the slope. */
static double off_the_steered_path(int pattern, const char *step, double *left, double *worst)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    char form[20];
    const struct nb_options options = nb_options_default();
    double off = 0;
    snprintf(form, sizeof form, "pattern=%d", pattern);
    test_scene(&problem, "steered_boxes",
               (const char *const[]){form, step, "count=2", "side=0.004", "spacing=0.8", NULL});
    *worst = 0;
    test_simulate(&problem, (int)lround(0.8 / problem.time_step), &options, test_worst_ellipse, worst);
    for (int i = 0; i < 2; ++i) {
        double state[4] = {0, i == 0 ? -0.4 : 0.4, 2, 0};
        integrate_steered(pattern, 0.8, state);
        const double *x = problem.bodies.position + 3 * i, slope_of = 20 * M_PI / 180;
        off = fmax(off, hypot(x[0] * cos(slope_of) - x[2] * sin(slope_of) - state[0], x[1] - state[1]));
    }
    *left = nb_scene_find("steered_boxes")->observe(&problem);
    return off;
}

/* A field of structure steers boxes as the differential equation with its formula says, to first order in the step, by
 * the judge's second look, too. */
TEST(boxes_follow_the_field)
{
    for (int pattern = 0; pattern < 3; ++pattern) {
        double left, worst;
        const double coarse = off_the_steered_path(pattern, "time_step=0.01", &left, &worst);
        const double fine = off_the_steered_path(pattern, "time_step=0.0025", &left, &worst);
        print_message("pattern %d: %.2g m and %.2g m off, ends %.3g m from the middle, ellipse %.1g\n", pattern, coarse,
                      fine, left, worst);
        assert_true(worst < 1e-6 && fine < 0.02 && fine < 0.4 * coarse);
        assert_true(pattern == 0 ? left > 0.02 && left < 0.3 : pattern == 1 ? left > 0.5
                                                                            : fabs(left - 0.4) > 0.1);
    }
    assert_scene_refused("steered_boxes", "across=1e-5", "allowed: along/1000 to 1000 along");
    assert_scene_refused("steered_boxes", "spacing=0.2", "allowed: 1.5 side = 0.3 to 1000 m");
    assert_scene_refused("steered_boxes", "reach=1e5", "allowed: wave/64 to 63.9844 wave");
}

/* A map's angles are those of its nodes, linear between them, and beyond its edge those of the edge. */
TEST(a_map_turns_structure_from_place_to_place)
{
    double angle[6] = {0, 0.2, 0.4, 0.1, 0.5, 0.9};
    const struct nb_structure_map map = {.nodes = {3, 2}, .corner = {1, 2}, .spacing = {0.5, 2}, .angle = angle};
    const double x[][3] = {{1, 2, 0}, {2, 4, 0.9}, {1.25, 2, 0.1}, {1.5, 3, 0.35}, {-9, 3, 0.05}, {99, 99, 0.9}};
    for (int i = 0; i < 6; ++i)
        assert_true(fabs(nb_structure_map_angle(&map, x[i][0], x[i][1]) - x[i][2]) < 1e-15);
    const struct {
        int nodes;
        double spacing, angle;
        const char *says;
    } cases[] = {{1, 1, 0, "shapes/map_nodes: shape 0 has 1 along axis 0, allowed: 2 to 4096"},
                 {3, 0, 0, "shapes/map_spacing: entry 0 has 0 m"},
                 {3, 1, NAN, "shapes/map_angle of shape"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        test_scene(&problem, "steered_boxes", (const char *const[]){"count=1", NULL});
        problem.shapes[0].map.nodes[0] = cases[i].nodes;
        problem.shapes[0].map.spacing[1] = cases[i].spacing;
        problem.shapes[0].map.angle[0] = cases[i].angle;
        assert_refused(nb_problem_validate(&problem, &why), NB_BAD_INPUT, cases[i].says);
    }
}

/* It is copied and comes back from its file, whose version older readers refuse. */
TEST_IN_FOLDER(a_map_is_kept)
{
    OWNS(nb_problem_free)
    struct nb_problem problem, back, copy;
    struct nb_error error;
    const char *path = test_path(&folder, "map.h5");
    test_scene(&problem, "steered_boxes", (const char *const[]){"count=1", NULL});
    assert_int_equal(nb_problem_write(path, &problem, NULL, &error), NB_OK);
    assert_int_equal(nb_problem_read(path, &back, &error), NB_OK);
    assert_int_equal(nb_problem_copy(&problem, &copy, &error), NB_OK);
    const struct nb_structure_map *map = &problem.shapes[0].map;
    const struct nb_structure_map *kept[2] = {&back.shapes[0].map, &copy.shapes[0].map};
    for (int i = 0; i < 2; ++i) {
        assert_memory_equal(kept[i], map, offsetof(struct nb_structure_map, angle));
        assert_memory_equal(kept[i]->angle, map->angle, nb_structure_map_nodes(map) * sizeof(double));
    }
    assert_null(back.shapes[1].map.angle);
}

/* What fingers do to the sheet in a step: the sum of their normal forces, and the drag along y [N]. */
struct stroke {
    double normal, drag;
};

static int watch_stroke(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct stroke *stroke = context;
    const struct nb_contacts *contacts = &problem->contacts;
    stroke->normal = stroke->drag = 0;
    for (int i = 0; i < contacts->count; ++i) {
        const double *f = lambda + nb_problem_bilaterals(problem) + 3 * i, *frame = contacts->frame + 9 * i;
        const double sign = contacts->body[2 * i] < 0 ? 1 : -1; /* of the force on the sheet */
        stroke->normal += f[0];
        for (int k = 0; k < 3; ++k)
            stroke->drag += sign * f[k] * frame[3 * k + 1];
    }
    assert_true(test_judged(problem, u, lambda).step_error < 1e-7);
    return 0;
}

/* The sheet's way, while fingers still slide along it. */
static double stroke_along(const char *structure, struct stroke *stroke)
{
    const char *settings[] = {"cells=4", "closing=0.1", "moving=0.3", structure, NULL};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "gel_stroke", settings);
    *stroke = (struct stroke){0};
    test_simulate(&problem, (int)(0.38 / problem.time_step), &options, watch_stroke, stroke);
    return nb_scene_find("gel_stroke")->observe(&problem);
}

/* Figure 9 of the thesis: across structure fingers slide off sideways, along it they take the sheet with them; in
 * between by the ellipse's larger diameter in their way. The sheet is linear: it follows as it is dragged. */
TEST(fingers_drag_a_sheet_along_structure_and_slide_across_it)
{
    struct stroke along, between, across;
    const double far = stroke_along("structure=0", &along), near = stroke_along("structure=90", &across);
    const double middle = stroke_along("structure=45", &between);
    assert_near(along.drag / along.normal, 0.8, 0.02);
    assert_near(across.drag / across.normal, 0.1, 0.01);
    assert_near(between.drag / between.normal, hypot(0.8, 0.1) / sqrt(2), 0.04);
    assert_true(along.normal > 1 && across.normal > 1 && between.normal > 1);
    assert_true(far > 5 * near && near > 0 && far > 1.2 * middle && middle > 2 * near);
    assert_scene_refused("gel_stroke", "across=1e-6", "along/1000");
    assert_scene_refused("gel_stroke", "stroke=0.1", "width/2 - tip");
    assert_scene_refused("gel_stroke", "gap=0.5", "below margin");
}

/* Gradients of a step beside formulas by hand and central differences of the whole solve, on every scene, and where
 * there is none. */
#include <float.h>
#include <limits.h>

#include "tests/support/support.h"

#include "harness/gradient/gradient_check.h"
#include "harness/simulate/simulate.h"
#include "problems/scene.h"
#include "tests/support/near.h"
#include "tests/support/steps.h"

struct solved {
    struct nb_problem problem;
    double *u, *lambda;
    struct nb_gradient *gradient;
};

static void solved_free(struct solved *s)
{
    nb_gradient_free(s->gradient);
    nb_problem_free(&s->problem);
    free(s->u);
    free(s->lambda);
}

/* Solves the problem, and creates its gradient where there is one. */
static enum nb_status begin(struct solved *s, struct nb_error *error)
{
    const struct nb_options options = nb_options_default();
    s->u = calloc((size_t)nb_problem_dofs(&s->problem) + 1, sizeof *s->u);
    s->lambda = calloc((size_t)nb_problem_multipliers(&s->problem) + 1, sizeof *s->lambda);
    s->gradient = NULL;
    assert_int_equal(nb_gradient_answer(&s->problem, &options, s->u, s->lambda, error), NB_OK);
    return nb_gradient_create(&s->gradient, &s->problem, s->u, s->lambda, error);
}

static void of_scene(struct solved *s, const char *scene, const char *const *settings)
{
    struct nb_error error;
    test_scene(&s->problem, scene, settings);
    if (begin(s, &error))
        fail_msg("%s: %s", scene, error.text);
}

/* The gradient of velocity `dof`. */
static void take(struct solved *s, int dof, enum nb_gradient_to to, double *out)
{
    OWNS(free_at) double *weight = calloc((size_t)nb_problem_dofs(&s->problem) + 1, sizeof *weight);
    weight[dof] = 1;
    assert_int_equal(nb_gradient_solve(s->gradient, weight, NULL), NB_OK);
    nb_gradient_take(s->gradient, to, out);
}

static double sum(int count, const double *x)
{
    double total = 0;
    for (int i = 0; i < count; ++i)
        total += x[i];
    return total;
}

/* u = u- - h mu g on level ground, whatever the mass; a push of f adds (f_x + mu f_z) h/m. */
TEST(a_sliding_box_answers_as_by_hand)
{
    OWNS(solved_free) struct solved s;
    double slope[12];
    test_step_of("sliding_box", 5, &s.problem);
    assert_int_equal(begin(&s, NULL), NB_OK);
    const double h = s.problem.time_step, mu = s.problem.contacts.friction[0], m = s.problem.bodies.mass[0];
    for (int i = 0; i < 4; ++i)
        assert_int_equal(nb_gradient_state(s.gradient, i), NB_CONTACT_SLIDES);
    take(&s, 0, NB_GRADIENT_friction, slope);
    assert_near(sum(4, slope) / (-h * 9.81), 1, 1e-9);
    take(&s, 0, NB_GRADIENT_force, slope);
    assert_near(slope[0] * m / h, 1, 1e-9);
    assert_near(slope[2] * m / (h * mu), 1, 1e-9);
    take(&s, 0, NB_GRADIENT_mass, slope);
    assert_near(slope[0], 0, 1e-10);
    take(&s, 0, NB_GRADIENT_velocity, slope);
    assert_near(slope[0], 1, 1e-9);
}

/* A ball that rests by one contact gives way by E m g, which is a velocity of -E m g/h. */
TEST(a_compliant_contact_gives_way)
{
    static const char *const settings[] = {"count=2", "height=0", NULL};
    OWNS(solved_free) struct solved s;
    double slope[4], weight[12] = {0, 0, 1};
    test_scene(&s.problem, "ball_drop", settings);
    assert_int_equal(s.problem.contacts.count, 2);
    assert_int_equal(begin(&s, NULL), NB_OK);
    assert_int_equal(nb_gradient_redundant(s.gradient), 0);
    assert_int_equal(nb_gradient_solve(s.gradient, weight, NULL), NB_OK);
    nb_gradient_take(s.gradient, NB_GRADIENT_compliance, slope);
    const double force = 2 * s.problem.bodies.mass[0] * 9.81, h = s.problem.time_step;
    assert_near(fmin(slope[0], slope[1]) * h / -force, 1, 1e-9); /* the lower contact bears both */
    assert_near(fmax(slope[0], slope[1]), 0, 1e-9);
}

/* Four corners share three motions: what one of them gives way alone is not told. */
TEST(redundant_contacts_have_no_compliance_of_their_own)
{
    OWNS(solved_free) struct solved s;
    double slope[12];
    of_scene(&s, "two_boxes", NULL);
    assert_int_equal(nb_gradient_redundant(s.gradient), 8);
    take(&s, 2, NB_GRADIENT_compliance, slope);
    for (int i = 0; i < 8; ++i)
        assert_true(isnan(slope[i]));
    take(&s, 2, NB_GRADIENT_force, slope);
    for (int i = 0; i < 12; ++i)
        assert_near(slope[i], 0, 1e-12);
}

/* Without gravity a box touches without a force: open or closed, nothing tells. */
TEST(a_contact_on_the_border_has_no_gradient)
{
    static const char *const settings[] = {"gravity=0", NULL};
    OWNS(solved_free) struct solved s;
    struct nb_error error = {""};
    test_scene(&s.problem, "box_on_plane", settings);
    assert_int_equal(begin(&s, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "border between two states"));
    assert_null(s.gradient);
}

TEST(a_local_step_is_refused)
{
    OWNS(nb_problem_free) struct nb_problem local;
    struct nb_gradient *gradient = NULL;
    struct nb_error error = {""};
    double u[3] = {0}, lambda[3] = {0};
    const double w[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    test_linear_step(&local, NB_LINEAR_LOCAL, "local", 0, 1, 0);
    test_sparse(&local.linear.delassus, 3, 3, w);
    assert_int_equal(nb_gradient_create(&gradient, &local, u, lambda, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "local"));
}

/* The worst difference of all kinds, for a random weight whose velocities count alike; NaN where the step does not
 * determine how they answer, as of a box whose corners slide by different laws. */
static double worst_difference(struct solved *s, uint32_t seed, int *unchecked)
{
    const struct nb_options options = nb_options_default();
    const int dofs = nb_problem_dofs(&s->problem);
    OWNS(free_at) double *weight = calloc((size_t)dofs + 1, sizeof *weight);
    struct nb_error error;
    double worst = 0;
    for (int k = 0; k < dofs; ++k)
        weight[k] = test_uniform(&seed) + 1;
    if (nb_gradient_solve(s->gradient, weight, &error)) {
        assert_non_null(strstr(error.text, "does not determine"));
        return NAN;
    }
    assert_true(nb_gradient_residual(s->gradient) <= 1e-10);
    for (int to = 0; to < NB_GRADIENT_KINDS; ++to) {
        double difference;
        if (nb_gradient_check(s->gradient, &s->problem, &options, weight, s->u, s->lambda, (enum nb_gradient_to)to,
                              &difference, &error))
            fail_msg("%s: %s", s->problem.name, error.text);
        *unchecked += isnan(difference);
        worst = isnan(difference) ? worst : fmax(worst, difference);
    }
    return worst;
}

/* A step of a scene: refused, or right, for so many random sums of its velocities. Returns 1 where it was compared. */
static int check_step(const char *scene, const char *const *settings, int steps, int sums, int *unchecked)
{
    const struct nb_options options = nb_options_default();
    OWNS(solved_free)
    struct solved s = {0};
    struct nb_error error = {""};
    const int before = *unchecked;
    double worst = 0;
    test_scene(&s.problem, scene, settings);
    test_simulate(&s.problem, steps, &options, NULL, NULL);
    assert_int_equal(nb_step_prepare(&s.problem, NULL), NB_OK);
    const int dofs = nb_problem_dofs(&s.problem);
    if (begin(&s, &error)) {
        print_message("%-26s step %d, %d velocities: none\n", scene, steps, dofs);
        assert_non_null(strstr(error.text, "border"));
        return 0;
    }
    for (int seed = 7; seed < 7 + sums && !isnan(worst); ++seed) {
        const double next = worst_difference(&s, (uint32_t)seed, unchecked);
        worst = isnan(next) ? next : fmax(worst, next);
    }
    print_message("%-26s step %d, %d velocities: %.2g, %d kinds unchecked\n", scene, steps, dofs, worst,
                  *unchecked - before);
    if (isnan(worst)) {
        assert_string_equal(scene, "steered_boxes");
        return 0;
    }
    if (!(worst <= 2e-6))
        fail_msg("%s, step %d: differences of %.3g", scene, steps, worst);
    return 1;
}

/* Every scene between `least` and `most` velocities at some of its first steps; later ones of the silo take minutes. */
static void check_scenes(int least, int most)
{
    int checked = 0, unchecked = 0;
    for (const struct nb_scene *const *scene = nb_scenes(); *scene; ++scene)
        for (int steps = 0; steps <= 4; steps += 4) {
            OWNS(nb_problem_free)
            struct nb_problem problem;
            test_scene(&problem, (*scene)->name, NULL);
            const int dofs = nb_problem_dofs(&problem);
            if (dofs >= least && dofs < most && !(steps && strcmp((*scene)->name, "granular_silo") == 0))
                checked += check_step((*scene)->name, NULL, steps, 1, &unchecked);
        }
    assert_true(checked >= 3);
    assert_true(unchecked <= checked);
}

TEST(small_scenes_agree_with_differences) { check_scenes(0, 150); }

FULL_TEST(other_scenes_agree_with_differences) { check_scenes(150, INT_MAX); }

/* Scenes of more than 2000 velocities, for three random sums of them, and one of the snake. */
FULL_TEST(large_scenes_agree_with_differences)
{
    static const char *const snake[] = {"links=4", "along=12", "across=6", "high=3", NULL};
    static const char *const humanoids[] = {"count=30", NULL}, *const net[] = {"cells=49", NULL};
    int unchecked = 0; /* of the snake its positions */
    assert_int_equal(check_step("soft_snake", snake, 4, 1, &unchecked), 1);
    assert_true(unchecked <= 1);
    assert_int_equal(check_step("humanoid_batch", humanoids, 4, 3, &unchecked), 1);
    assert_int_equal(check_step("net", net, 4, 3, &unchecked), 1);
    assert_true(unchecked <= 1);
}

/* What is linear in all but friction: FCLIB's form of a box that slides. */
TEST(a_linear_step_answers_to_force_and_friction)
{
    OWNS(solved_free) struct solved s = {0};
    OWNS(nb_problem_free) struct nb_problem step;
    int unchecked = 0;
    double slope[12];
    test_step_of("sliding_box", 5, &step);
    assert_int_equal(nb_problem_linearize(&step, &s.problem, NULL), NB_OK);
    assert_int_equal(begin(&s, NULL), NB_OK);
    assert_int_equal(nb_gradient_size(&s.problem, NB_GRADIENT_mass), 0);
    assert_true(worst_difference(&s, 7, &unchecked) <= 1e-7);
    assert_int_equal(unchecked, 0);
    take(&s, 0, NB_GRADIENT_friction, slope);
    assert_near(sum(4, slope) / (-step.time_step * 9.81), 1, 1e-9);
}

/* A box that tumbles freely: turning, inertia and torque. */
TEST(a_tumbling_body_agrees_with_differences)
{
    OWNS(solved_free) struct solved s = {0};
    int unchecked = 0;
    test_scene(&s.problem, "box_on_plane", NULL);
    const double u[6] = {1, 2, 300, 20, -30, 25}, inertia[9] = {1, 0.1, 0, 0.1, 2, 0.2, 0, 0.2, 4};
    memcpy(s.problem.bodies.velocity, u, sizeof u);
    memcpy(s.problem.bodies.inertia, inertia, sizeof inertia);
    assert_int_equal(nb_step_prepare(&s.problem, NULL), NB_OK);
    s.problem.free_velocity[4] += 3; /* a torque that keeps */
    assert_int_equal(begin(&s, NULL), NB_OK);
    const double worst = worst_difference(&s, 7, &unchecked);
    if (!(worst <= 1e-8))
        fail_msg("differences of %.3g", worst);
    assert_int_equal(unchecked, 0);
}

/* Accuracy floors: tiny systems inverted by hand, redundant contacts, and what has none. */
#include "harness/floor/floor_private.h"
#include "tests/support/numbers.h"

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not %.17g within %g relative", value, expected, relative);
}

static struct nb_options options_of(const char *ncp, const char *scaling, const char *form)
{
    const struct nb_options options = {.ncp = ncp, .scaling = scaling, .newton_form = form,
                                       .shift = 1e-6};
    return options;
}

/* Particles of the given masses, each resting on its own plane: global, J the identity with the
 * normal along z. copies repeats every contact. */
static void particles(struct nb_problem *problem, int count, int copies, const double *mass,
                      double gap_velocity)
{
    const int dofs = 3 * count, contacts = count * copies;
    OWNS(free_at) int *row = calloc((size_t)(dofs + 3 * contacts) + 1, sizeof *row);
    OWNS(free_at) int *column = calloc((size_t)(dofs + 3 * contacts) + 1, sizeof *column);
    OWNS(free_at) double *value = zeros(dofs + 3 * contacts);
    memset(problem, 0, sizeof *problem);
    problem->form = NB_LINEAR_GLOBAL;
    problem->time_step = 0.5;
    struct nb_linear_step *linear = &problem->linear;
    linear->dofs = dofs;
    linear->contacts = contacts;
    for (int i = 0; i < dofs; ++i) {
        row[i] = column[i] = i;
        value[i] = mass[i / 3];
    }
    nb_csr_from_triplets(&linear->mass, dofs, dofs, dofs, row, column, value, NULL);
    for (int i = 0; i < 3 * contacts; ++i) {
        row[i] = i;
        column[i] = 3 * (i / 3 % count) + (i % 3 + 2) % 3;
        value[i] = 1;
    }
    nb_csr_from_triplets(&linear->contact_jacobian, 3 * contacts, dofs, 3 * contacts, row, column,
                         value, NULL);
    linear->force = zeros(dofs);
    linear->contact_velocity = zeros(3 * contacts);
    linear->bilateral_velocity = zeros(0);
    linear->friction = zeros(contacts);
    for (int i = 0; i < count; ++i)
        linear->force[3 * i + 2] = gap_velocity > 0 ? 0 : -mass[i];
    for (int i = 0; i < contacts; ++i) {
        linear->contact_velocity[3 * i] = gap_velocity;
        linear->friction[i] = 0.5;
    }
}

/* lambda that holds every particle at rest, shared evenly by the copies. */
static double *resting(const struct nb_problem *problem, int copies)
{
    const struct nb_linear_step *linear = &problem->linear;
    double *lambda = zeros(3 * linear->contacts);
    for (int i = 0; i < linear->contacts; ++i)
        lambda[3 * i] = -linear->force[3 * (i % (linear->dofs / 3)) + 2] /
                        (problem->time_step * copies);
    return lambda;
}

/* Sticking, alpha = 1, C = 0: A = [m -1; 1 0] in each direction, A^-1 = [0 1; -1 m]. */
TEST(test_one_sticking_contact)
{
    static const char *const ncp[2] = {"fb", "min"}, *const form[2] = {"scaled", "true"};
    static const char *const scaling[4] = {"identity", "timestep", "mass", "effective"};
    const double mass = 4, delta = 0x1p-24;
    for (int k = 0; k < 16; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_floor_reference r;
        const struct nb_options options = options_of(ncp[k % 2], scaling[k / 4], form[k / 2 % 2]);
        particles(&problem, 1, 1, &mass, 0);
        double *lambda = resting(&problem, 1), u[3] = {0};
        assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL),
                         NB_OK);
        assert_near(r.matrix_norm, mass + 1, 1e-15);
        assert_near(r.inverse_norm, mass + 1, 1e-15);
        assert_int_equal(r.inverse_exact, 1);
        assert_near(r.solution_norm, mass, 1e-15);
        assert_true(r.residual_norm == 0);
        assert_near(r.component_all, 2 * mass, 1e-15); /* |-p| + |f| */
        assert_true(r.component_constraint == 0);
        assert_near(r.velocity_terms, 2, 1e-15); /* (|-p| + |f|)/m: J u = 0 is their difference */
        const struct nb_floor floor = nb_floor_at(&r, delta);
        assert_near(floor.residual, delta * (mass + 1) * mass, 1e-15);
        assert_near(floor.step, delta * mass, 1e-15);
        assert_near(floor.component_all, delta * 2 * mass, 1e-15);
        assert_near(floor.velocity_terms, delta * 2, 1e-15);
        assert_near(floor.step_error, delta * 2, 1e-15); /* 2 m over sqrt(m E), E = m V^2, V = 1 */
        free(lambda);
    }
}

/* Open: lambda = 0, alpha = 0, beta = 1. scaled: A = diag(m, r/h^2, 1/h, 1/h). */
TEST(test_one_open_contact)
{
    const double mass = 4, h = 0.5, u[3] = {0}, lambda[3] = {0};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference r;
    particles(&problem, 1, 1, &mass, 0.25);
    struct nb_options options = options_of("fb", "mass", "scaled"); /* r = h^2 / m: C = 1/m */
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    assert_near(r.matrix_norm, mass, 1e-15);
    assert_near(r.inverse_norm, mass, 1e-14);
    options.scaling = "identity"; /* C = 1/h^2 */
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    assert_near(r.matrix_norm, 1 / (h * h), 1e-15);
    assert_near(r.inverse_norm, h, 1e-14);
    assert_true(r.component_constraint == 0);
    options.newton_form = "true"; /* alpha floored at 1e-10 */
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    assert_near(r.matrix_norm, 1e10 / (h * h), 1e-9);
    assert_near(r.component_constraint, 0.25, 1e-15); /* w is the constant part */
}

/* On a rail along its normal, the inverse has the norm 1 + m: C = 1/m still by `mass`, but what the rail leaves
 * of it by `effective`. */
TEST(test_one_held_contact)
{
    const double mass = 4, u[3] = {0}, lambda[4] = {0}, one = 1;
    const int row = 0, column = 2;
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference r;
    particles(&problem, 1, 1, &mass, 0.25);
    problem.linear.bilaterals = 1;
    assert_int_equal(nb_csr_from_triplets(&problem.linear.bilateral_jacobian, 1, 3, 1, &row, &column, &one, NULL),
                     NB_OK);
    struct nb_options options = options_of("fb", "mass", "scaled");
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    assert_near(r.inverse_norm, 1 + mass, 1e-14);
    options.scaling = "effective";
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    assert_near(r.inverse_norm, mass * 0x1p20, 1e-3);
}

/* Sliding: Gamma = s/|lambda_f|, so C_f = s / (h |lambda_f|) in both functions. */
TEST(test_one_sliding_contact)
{
    const double mass = 4, h = 0.5, u[3] = {3, 0, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference r;
    const struct nb_options options = options_of("min", "mass", "scaled");
    particles(&problem, 1, 1, &mass, 0);
    problem.linear.force[0] = 3 * mass + 2; /* r_T = -mu m = -2 */
    const double lambda[3] = {mass / h, -2 / h, 0};
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    const double c = 1.5;
    assert_near(r.matrix_norm, mass + 1, 1e-15);
    /* [m -1; 1 c]^-1 = [c 1; -1 m] / (m c + 1) for the tangents, [0 1; -1 m] for the normal. */
    assert_near(r.inverse_norm, mass + 1, 1e-14);
    assert_true(r.residual_norm < 1e-15);
    assert_near(r.component_constraint, 3 + 2 * c, 1e-14);
    assert_near(r.velocity_terms, (3 + 2 / mass) + 2 / mass, 1e-14);
    assert_near(r.component_all, 2 * (3 * mass + 2), 1e-14);
}

/* Local, sticking: U = 2 r + q = 0. A = [1 -2; 1 0] in each direction, A^-1 = [0 1; -1/2 1/2]. */
TEST(test_one_local_contact)
{
    const int index[3] = {0, 1, 2};
    const double twos[3] = {2, 2, 2}, u[3] = {0}, r[3] = {2, 0.5, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference reference;
    const struct nb_options options = options_of("fb", "mass", "scaled");
    memset(&problem, 0, sizeof problem);
    problem.form = NB_LINEAR_LOCAL;
    problem.time_step = 1;
    problem.linear.contacts = 1;
    nb_csr_from_triplets(&problem.linear.delassus, 3, 3, 3, index, index, twos, NULL);
    problem.linear.contact_velocity = zeros(3);
    problem.linear.contact_velocity[0] = -4;
    problem.linear.contact_velocity[1] = -1;
    problem.linear.bilateral_velocity = zeros(0);
    problem.linear.friction = zeros(1);
    problem.linear.friction[0] = 0.5;
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, r, &reference, NULL),
                     NB_OK);
    assert_near(reference.matrix_norm, 3, 1e-15);
    assert_near(reference.inverse_norm, 1, 1e-14);
    assert_near(reference.solution_norm, 2, 1e-15);
    assert_true(reference.residual_norm == 0);
    assert_near(reference.component_all, 8, 1e-15); /* 2 r + |q| */
    assert_near(reference.component_constraint, 8, 1e-15);
    assert_near(reference.step_error, 8 / 4.0, 1e-15); /* over V_N = -q_N */
}

/* Every contact twice: the difference of the copies moves nothing. */
TEST(test_redundant_contacts)
{
    const double mass = 4, u[3] = {0};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference r;
    struct nb_options options = options_of("fb", "mass", "scaled");
    particles(&problem, 1, 2, &mass, 0);
    OWNS(free_at) double *lambda = resting(&problem, 2);
    options.shift = 0;
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    assert_true(isinf(r.inverse_norm));
    assert_true(isinf(nb_floor_at(&r, 0x1p-53).step));
    options.shift = 1e-6;
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL), NB_OK);
    /* p rows of the inverse: (I - e e^T/2)/shift and a small rest: two entries of 1/(2 shift). */
    assert_near(r.inverse_norm, mass / options.shift, 1e-4); /* relative to J M^-1 J^T = 1/m */
    assert_near(r.matrix_norm, mass + 2, 1e-15); /* without the shift */
}

/* 520 particles: 3120 rows take the estimate, and the blocks say what it must be. */
TEST(test_large_problem)
{
    enum { COUNT = 520 };
    static double mass[COUNT];
    double mean = 0;
    for (int i = 0; i < COUNT; ++i) {
        mass[i] = 1 + i % 17;
        mean += 1 / mass[i] / COUNT;
    }
    for (int copies = 1; copies < 3; ++copies) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_floor_reference r;
        const struct nb_options options = options_of("fb", "mass", "scaled");
        particles(&problem, COUNT, copies, mass, 0);
        OWNS(free_at) double *u = zeros(3 * COUNT), *lambda = resting(&problem, copies);
        assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, NULL),
                         NB_OK);
        assert_int_equal(r.inverse_exact, 0);
        assert_near(r.matrix_norm, 17 + copies, 1e-15);
        /* The shift is relative to the mean of 1/m, the diagonal of J M^-1 J^T. */
        assert_near(r.inverse_norm, copies == 1 ? 18 : 1e6 / mean, 1e-4);
    }
}

/* The sizes of its numbers decide: six digits of a solution are enough. */
TEST(test_nearly_solved)
{
    enum { COUNT = 7 };
    static const double mass[COUNT] = {1, 2, 3, 4, 50, 600, 7000};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference exact, near;
    const struct nb_options options = options_of("fb", "mass", "scaled");
    particles(&problem, COUNT, 2, mass, 0);
    OWNS(free_at) double *u = zeros(3 * COUNT), *lambda = resting(&problem, 2);
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &exact, NULL), NB_OK);
    for (int i = 0; i < 3 * COUNT; ++i)
        u[i] = 1e-8 * (i % 5 - 2);
    for (int i = 0; i < 6 * COUNT; ++i)
        lambda[i] *= 1 + 1e-6 * (i % 4 - 2);
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &near, NULL), NB_OK);
    assert_near(near.component_all, exact.component_all, 1e-5);
    assert_near(near.solution_norm, exact.solution_norm, 1e-5);
    assert_near(near.matrix_norm, exact.matrix_norm, 1e-5);
    assert_near(near.step_error, exact.step_error, 1e-5);
}

TEST(test_empty_problems)
{
    const double mass = 4, u[3] = {0, 0, -1};
    for (int count = 0; count < 2; ++count) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_floor_reference r;
        const struct nb_options options = options_of("fb", "mass", "scaled");
        particles(&problem, count, 0, &mass, 0);
        assert_int_equal(nb_floor_reference_compute(&problem, &options, u, u, &r, NULL), NB_OK);
        assert_true(r.matrix_norm == (count ? mass : 0));
        assert_true(r.inverse_norm == (count ? 1 / mass : 0));
        assert_true(r.component_constraint == 0);
    }
}

TEST(test_refusals)
{
    const double mass = 4;
    double u[3] = {0}, lambda[3] = {0};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference r;
    particles(&problem, 1, 1, &mass, 0);
    struct nb_options options = options_of("cone", "mass", "scaled");
    assert_refused(nb_floor_reference_compute(&problem, &options, u, lambda, &r, &why), NB_UNSUPPORTED, "cone");
    options = options_of("fb", "spectral", "scaled");
    assert_refused(nb_floor_reference_compute(&problem, &options, u, lambda, &r, &why), NB_UNSUPPORTED, "spectral");
    options = options_of("fb", "mass", "half");
    assert_int_equal(nb_floor_reference_compute(&problem, &options, u, lambda, &r, &why), NB_UNSUPPORTED);
    options.newton_form = "scaled";
    for (int k = 0; k < 6; ++k) {
        double x[6] = {0, 0, 0, 1, 0, 0};
        x[k] = NAN;
        assert_int_equal(nb_floor_reference_compute(&problem, &options, x, x + 3, &r, &why), NB_BAD_INPUT);
    }
}

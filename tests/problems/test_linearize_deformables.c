/* Attachments, distances, tetrahedra and deformable sides of contacts in the linearised step,
 * against central differences of what they measure and of the elastic energy. */
#include "tests/support/deformable_samples.h"
#include "tests/support/near.h"

#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/step.h"

enum { LINKS = 3 * DEFORMABLE_ATTACHMENTS + DEFORMABLE_DISTANCES, N = DEFORMABLE_DOFS };

static void world_point(const struct nb_problem *problem, int body, const double *local,
                        double *out)
{
    double rotation[9];
    memcpy(out, local, 3 * sizeof *out);
    if (body < 0)
        return;
    nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
    nb_rotate(rotation, local, out);
    nb_add_scaled3(out, 1, problem->bodies.position + 3 * body, out);
}

/* c of all attachments, then of all distances. */
static void link_values(const struct nb_problem *problem, double *value)
{
    const double *position = problem->particles.position;
    for (int i = 0; i < DEFORMABLE_ATTACHMENTS; ++i) {
        double point[3];
        world_point(problem, problem->attachments.body[i], problem->attachments.point + 3 * i,
                    point);
        nb_subtract3(position + 3 * problem->attachments.particle[i], point, value + 3 * i);
    }
    for (int i = 0; i < DEFORMABLE_DISTANCES; ++i) {
        const int *particle = problem->distances.particle + 2 * i;
        double between[3];
        nb_subtract3(position + 3 * particle[0], position + 3 * particle[1], between);
        value[3 * DEFORMABLE_ATTACHMENTS + i] =
            nb_norm3(between) - problem->distances.length[i];
    }
}

/* d . (a - b) of all contact rows. */
static void separations(const struct nb_problem *problem, double *value)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        double point[2][3], between[3];
        for (int s = 0; s < 2; ++s) {
            const int at = 6 * i + 3 * s;
            world_point(problem, contacts->body[2 * i + s], contacts->point + at, point[s]);
            for (int k = 0; k < 3 && contacts->particle[at + k] >= 0; ++k)
                nb_add_scaled3(point[s], contacts->weight[at + k],
                               problem->particles.position + 3 * contacts->particle[at + k],
                               point[s]);
            nb_add_scaled3(point[s], (s ? 1 : -1) * contacts->radius[2 * i + s],
                           contacts->frame + 9 * i, point[s]);
        }
        nb_subtract3(point[0], point[1], between);
        for (int k = 0; k < 3; ++k)
            value[3 * i + k] = nb_dot3(contacts->frame + 9 * i + 3 * k, between);
    }
}

static void elastic_energy(const struct nb_problem *problem, double *value)
{
    *value = 0;
    for (int i = 0; i < problem->tetrahedra.count; ++i) {
        struct nb_element element;
        nb_element_evaluate(&problem->tetrahedra, i, problem->particles.position, &element);
        *value += element.energy;
    }
}

/* The gradient of the elastic energy by the velocities. */
static void elastic_force(const struct nb_problem *problem, double *force)
{
    memset(force, 0, N * sizeof *force);
    for (int i = 0; i < problem->tetrahedra.count; ++i) {
        struct nb_element element;
        nb_element_evaluate(&problem->tetrahedra, i, problem->particles.position, &element);
        for (int k = 0; k < 12 * element.rows; ++k) {
            const int particle = problem->tetrahedra.particle[4 * i + k % 12 / 3];
            force[6 * DEFORMABLE_BODIES + 3 * particle + k % 3] +=
                element.volume * element.jacobian[k] * element.stress[k / 12];
        }
    }
}

static void linearize(const struct nb_problem *problem, struct nb_problem *linear)
{
    assert_ok(nb_problem_linearize(problem, linear, &why));
    assert_ok(nb_problem_validate(linear, &why));
}

TEST(contact_rows_are_the_derivative_of_the_separation)
{
    enum { ROWS = 3 * DEFORMABLE_CONTACTS };
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double slope[ROWS * N], value[ROWS];
    make_deformable(&problem, 0.3);
    linearize(&problem, &linear);
    test_differentiate(&problem, ROWS, separations, slope);
    separations(&problem, value);
    for (int row = 0; row < ROWS; ++row)
        for (int dof = 0; dof < N; ++dof) {
            /* the arm of a round side does not turn with its body, but its force acts at its end */
            const int i = row / 3, side = problem.contacts.body[2 * i + 1] == dof / 6;
            if (dof < 6 * DEFORMABLE_BODIES && dof % 6 >= 3 && row % 3 > 0 &&
                problem.contacts.radius[2 * i + side] > 0)
                continue;
            assert_near(test_entry(&linear.linear.contact_jacobian, row, dof), slope[row * N + dof],
                        1e-8);
        }
    for (int i = 0; i < DEFORMABLE_CONTACTS; ++i)
        assert_near(linear.linear.contact_velocity[3 * i],
                    (value[3 * i] - problem.contacts.thickness[i]) / problem.time_step, 1e-12);
}

static void make_rigid(struct nb_problem *problem)
{
    memset(problem->attachments.compliance, 0, DEFORMABLE_ATTACHMENTS * sizeof(double));
    memset(problem->distances.compliance, 0, DEFORMABLE_DISTANCES * sizeof(double));
}

TEST(rigid_links_become_bilateral_rows)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double slope[LINKS * N], value[LINKS];
    make_deformable(&problem, 0.3);
    make_rigid(&problem);
    linearize(&problem, &linear);
    assert_int_equal(linear.linear.bilaterals, LINKS);
    link_values(&problem, value);
    test_differentiate(&problem, LINKS, link_values, slope);
    for (int row = 0; row < LINKS; ++row) {
        assert_near(linear.linear.bilateral_velocity[row], value[row] / problem.time_step, 1e-12);
        for (int dof = 0; dof < N; ++dof)
            assert_near(test_entry(&linear.linear.bilateral_jacobian, row, dof), slope[row * N + dof],
                        1e-8);
    }
}

TEST(compliant_links_are_folded_into_mass_and_force)
{
    OWNS(nb_problem_free) struct nb_problem problem, rigid, soft, stiff;
    double slope[LINKS * N], value[LINKS];
    make_deformable(&problem, 0.3);
    linearize(&problem, &soft);
    assert_int_equal(soft.linear.bilaterals, 8);
    link_values(&problem, value);
    test_differentiate(&problem, LINKS, link_values, slope);
    assert_int_equal(nb_problem_copy(&problem, &rigid, NULL), NB_OK);
    make_rigid(&rigid);
    linearize(&rigid, &stiff);
    const double h = problem.time_step;
    for (int i = 0; i < N; ++i) {
        double force = 0;
        for (int k = 0; k < N; ++k) {
            double mass = 0;
            for (int row = 0; row < LINKS; ++row) {
                const int distance = row - 3 * DEFORMABLE_ATTACHMENTS;
                const double e = distance < 0 ? problem.attachments.compliance[row / 3]
                                              : problem.distances.compliance[distance];
                if (e == 0)
                    continue;
                mass += slope[row * N + i] * slope[row * N + k] * h * h / e;
                if (k == i)
                    force -= slope[row * N + i] * h * value[row] / e;
            }
            const double folded = test_entry(&soft.linear.mass, i, k) - test_entry(&stiff.linear.mass, i, k);
            assert_near(folded, mass, 1e-7);
        }
        assert_near(soft.linear.force[i] - stiff.linear.force[i], force, 1e-6);
    }
}

/* f = M u~ - h dU/dx at any strain, inverted elements and inflation included. */
TEST(elastic_impulse_is_the_slope_of_the_energy)
{
    for (double strain = 0; strain < 2.5; strain += 0.8) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        double slope[N], momentum[N];
        OWNS(nb_csr_free) struct nb_csr mass;
        make_deformable(&problem, strain);
        make_rigid(&problem);
        linearize(&problem, &linear);
        test_differentiate(&problem, 1, elastic_energy, slope);
        assert_int_equal(nb_problem_mass(&problem, &mass, NULL), NB_OK);
        nb_csr_multiply(&mass, problem.free_velocity, momentum, 0);
        for (int i = 0; i < N; ++i)
            assert_near(linear.linear.force[i], momentum[i] - problem.time_step * slope[i],
                        1e-5 * (1 + fabs(slope[i]) * problem.time_step));
    }
}

/* M + h^2 d2U/dx2, at rest and stretched, where no eigenvalue is negative. */
TEST(elastic_stiffness_is_the_curvature_of_the_energy)
{
    for (int stretched = 0; stretched < 2; ++stretched) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        OWNS(nb_csr_free) struct nb_csr mass;
        OWNS(free_at) double *slope = calloc(N * N, sizeof *slope);
        make_deformable(&problem, 0.03 * stretched);
        make_rigid(&problem);
        memset(problem.tetrahedra.inflation, 0, DEFORMABLE_TETRAHEDRA * sizeof(double));
        for (int i = 0; stretched && i < 3 * DEFORMABLE_PARTICLES; ++i)
            problem.particles.position[i] *= 1.05;
        linearize(&problem, &linear);
        assert_int_equal(nb_problem_mass(&problem, &mass, NULL), NB_OK);
        test_differentiate(&problem, N, elastic_force, slope);
        const double square = problem.time_step * problem.time_step;
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < N; ++k)
                assert_near(test_entry(&linear.linear.mass, i, k),
                            test_entry(&mass, i, k) + square * slope[i * N + k], 1e-5);
    }
}

/* The linearised step keeps the multipliers of its own rows, in order. */
TEST(multipliers_of_folded_rows_are_left_out)
{
    enum { SIZE = DEFORMABLE_ROWS + 3 * DEFORMABLE_CONTACTS };
    static const int kept[8] = {0, 1, 2, 3, 4, 5, 12, 14};
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[SIZE], out[SIZE] = {0};
    make_deformable(&problem, 0.1);
    for (int i = 0; i < SIZE; ++i)
        lambda[i] = i;
    nb_problem_linear_multipliers(&problem, lambda, out);
    for (int i = 0; i < 8; ++i)
        assert_true(out[i] == kept[i]);
    for (int i = 0; i < 3 * DEFORMABLE_CONTACTS; ++i)
        assert_true(out[8 + i] == DEFORMABLE_ROWS + i);
    assert_true(out[8 + 3 * DEFORMABLE_CONTACTS] == 0);
}

TEST(too_small_a_compliance_is_refused)
{
    struct nb_problem problem, linear;
    make_deformable(&problem, 0.1);
    problem.distances.compliance[1] = 5e-324;
    assert_refused(nb_problem_linearize(&problem, &linear, &why), NB_UNSUPPORTED,
                   "distances/compliance: row 0 of entry 1 is 4.94065646e-324; the linearised "
                   "step holds 0, which makes the row rigid, or at least ");
    nb_problem_free(&problem);
}

/* The judge of deformable steps: its rows and Jacobians against those of the linearised step and of
 * the solvers, exact solutions by hand, and what a known perturbation must add; the accuracy floor
 * of a whole system with elements. */
#include "tests/support/deformable_samples.h"
#include "tests/support/judged.h"
#include "tests/support/near.h"

#include "harness/floor/floor_private.h"
#include "problems/elements.h"
#include "problems/step.h"

OWNER(nb_judge_free)

enum { ROWS = DEFORMABLE_ROWS + 3 * DEFORMABLE_CONTACTS, FIRST_STRAIN = 15 };

static struct nb_judge *judge_of(const struct nb_problem *problem)
{
    struct nb_judge *judge;
    assert_ok(nb_judge_create(&judge, problem, &why));
    return judge;
}

static void random_step(double *u, double *lambda)
{
    uint32_t seed = 77;
    for (int i = 0; i < DEFORMABLE_DOFS; ++i)
        u[i] = test_uniform(&seed);
    for (int i = 0; i < ROWS; ++i)
        lambda[i] = test_uniform(&seed);
}

/* Without compliance every row but those of tetrahedra is a row of G, H or w; at q+ as at q-. */
TEST(rows_agree_with_the_linearised_step)
{
    OWNS(nb_problem_free) struct nb_problem problem, ahead, linear;
    double u[DEFORMABLE_DOFS], lambda[ROWS];
    make_deformable(&problem, 0.3);
    memset(problem.attachments.compliance, 0, DEFORMABLE_ATTACHMENTS * sizeof(double));
    memset(problem.attachments.drift, 0, 3 * DEFORMABLE_ATTACHMENTS * sizeof(double));
    memset(problem.distances.compliance, 0, DEFORMABLE_DISTANCES * sizeof(double));
    random_step(u, lambda);
    OWNS(nb_judge_free_at) struct nb_judge *judge = judge_of(&problem);
    nb_judge_update(judge, u, lambda);
    assert_ok(nb_problem_copy(&problem, &ahead, &why));
    nb_step_advance(&ahead, u);
    assert_ok(nb_problem_linearize(&ahead, &linear, &why));
    assert_int_equal(linear.linear.bilaterals, FIRST_STRAIN);
    for (int i = 0; i < FIRST_STRAIN; ++i)
        assert_near(judge->velocity[3 * DEFORMABLE_CONTACTS + i],
                    linear.linear.bilateral_velocity[i], 1e-12);
    for (int i = 0; i < DEFORMABLE_CONTACTS; ++i)
        assert_near(judge->gap[i], problem.time_step * linear.linear.contact_velocity[3 * i],
                    1e-14);
    for (int part = 0; part < 2; ++part) {
        const struct nb_csr *a = part ? judge->jacobian : judge->bilateral;
        const struct nb_csr *b =
            part ? &linear.linear.contact_jacobian : &linear.linear.bilateral_jacobian;
        double x[DEFORMABLE_DOFS], ours[ROWS], theirs[ROWS];
        for (int k = 0; k < DEFORMABLE_DOFS; ++k) {
            memset(x, 0, sizeof x);
            x[k] = 1;
            nb_csr_multiply(a, x, ours, 0);
            nb_csr_multiply(b, x, theirs, 0);
            for (int i = 0; i < b->rows; ++i)
                assert_near(ours[i], theirs[i], 1e-14);
        }
    }
}

/* Columns ascend in every row, also where both sides of a contact share a particle. */
TEST(patterns_are_compressed_rows)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_deformable(&problem, 0.3);
    problem.contacts.particle[18] = problem.contacts.particle[22]; /* an edge and its own face */
    OWNS(nb_judge_free_at) struct nb_judge *judge = judge_of(&problem);
    for (int part = 0; part < 2; ++part) {
        const struct nb_csr *a = part ? judge->jacobian : judge->bilateral;
        for (int i = 0; i < a->rows; ++i)
            for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k)
                assert_true(a->column[k] > a->column[k - 1]);
    }
}

/* One tetrahedron on its own with the velocities that its own forces give it: an explicit solution
 * of M (u - u~) = -h dU/dx(q+) by fixed point, for both materials. */
static void make_one_element(struct nb_problem *problem, int material)
{
    make_deformable(problem, 0.5);
    problem->contacts.count = problem->attachments.count = problem->distances.count = 0;
    problem->tetrahedra.count = 1;
    problem->tetrahedra.material[0] = material;
}

static void element_forces(const struct nb_problem *problem, const double *u, double *lambda,
                           double *out)
{
    OWNS(nb_problem_free) struct nb_problem ahead;
    struct nb_element element;
    assert_int_equal(nb_problem_copy(problem, &ahead, NULL), NB_OK);
    nb_step_advance(&ahead, u);
    nb_element_evaluate(&ahead.tetrahedra, 0, ahead.particles.position, &element);
    memcpy(out, problem->free_velocity, DEFORMABLE_DOFS * sizeof *out);
    for (int r = 0; r < element.rows; ++r) {
        lambda[r] = -element.volume * element.stress[r];
        for (int k = 0; k < 12; ++k) {
            const int particle = problem->tetrahedra.particle[k / 3];
            out[6 * DEFORMABLE_BODIES + 3 * particle + k % 3] +=
                problem->time_step * element.jacobian[12 * r + k] * lambda[r] /
                problem->particles.mass[particle];
        }
    }
}

TEST(an_exact_elastic_step_has_no_error)
{
    for (int material = 0; material < 2; ++material) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double u[DEFORMABLE_DOFS], next[DEFORMABLE_DOFS], lambda[6];
        make_one_element(&problem, material);
        problem.time_step = 1e-4; /* so that the fixed point contracts */
        memcpy(u, problem.free_velocity, sizeof u);
        for (int turn = 0; turn < 200; ++turn) {
            element_forces(&problem, u, lambda, next);
            memcpy(u, next, sizeof u);
        }
        struct nb_metrics m = test_judged(&problem, u, lambda);
        assert_true(m.strain_error < 1e-13);
        assert_true(m.momentum_error < 1e-12);
        assert_true(m.natural_map < 1e-9);
        assert_near(m.bilateral_error, 0, 0);
        /* a force too many of V mu in a normal row: the strain that would need it */
        struct nb_element element;
        nb_element_evaluate(&problem.tetrahedra, 0, problem.particles.position, &element);
        const double more = 1e-3 * element.volume * problem.tetrahedra.lame[1];
        const double length = cbrt(6 * element.volume);
        lambda[0] += more;
        m = test_judged(&problem, u, lambda);
        OWNS(nb_problem_free) struct nb_problem ahead;
        assert_int_equal(nb_problem_copy(&problem, &ahead, NULL), NB_OK);
        nb_step_advance(&ahead, u);
        nb_element_evaluate(&ahead.tetrahedra, 0, ahead.particles.position, &element);
        double worst = 0;
        for (int r = 0; r < element.rows; ++r)
            worst = fmax(worst, fabs(element.compliance[element.rows * r] * more));
        assert_near(m.strain_error, worst, 1e-12);
        assert_near(m.constraint_error, length * worst / problem.time_step, 1e-9);
    }
}

/* A particle held by the moving world, one on a body, and two apart: each violated by hand. */
TEST(violated_links_are_measured_in_metres)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[DEFORMABLE_DOFS] = {0}, lambda[ROWS] = {0};
    make_deformable(&problem, 0.1);
    problem.tetrahedra.count = problem.contacts.count = problem.distances.count = 0;
    problem.attachments.count = 1; /* the world's */
    for (int k = 0; k < 3; ++k)
        problem.attachments.point[k] = problem.particles.position[k];
    assert_near(test_judged(&problem, u, lambda).bilateral_error, 0, 0);
    u[6 * DEFORMABLE_BODIES + 1] = 2;
    assert_near(test_judged(&problem, u, lambda).bilateral_error, 2 * problem.time_step, 1e-15);
    problem.attachments.compliance[0] = 1e-3;
    lambda[1] = -2000 * problem.time_step; /* the spring's own force */
    assert_near(test_judged(&problem, u, lambda).bilateral_error, 0, 1e-15);
    assert_near(test_judged(&problem, u, lambda).strain_error, 0, 0);
    problem.attachments.count = 0;
    problem.distances.count = 1;
    memset(u, 0, sizeof u);
    memset(lambda, 0, sizeof lambda);
    double between = 0;
    for (int k = 0; k < 3; ++k)
        between += pow(problem.particles.position[k] - problem.particles.position[12 + k], 2);
    assert_near(test_judged(&problem, u, lambda).bilateral_error,
                fabs(sqrt(between) - problem.distances.length[0]), 1e-15);
}

/* Only sides without body and particles are the world: contacts 1 and 3 touch it, here with one
 * newton each. */
TEST(deformable_sides_are_not_the_world)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[DEFORMABLE_DOFS] = {0}, lambda[ROWS] = {0};
    int with_world = 0;
    make_deformable(&problem, 0.1);
    for (int i = 0; i < DEFORMABLE_CONTACTS; ++i) {
        lambda[DEFORMABLE_ROWS + 3 * i] = 1;
        int world = 0;
        for (int s = 0; s < 2; ++s)
            world |= problem.contacts.body[2 * i + s] < 0 &&
                     problem.contacts.particle[6 * i + 3 * s] < 0;
        with_world += world;
    }
    assert_int_equal(with_world, 2);
    assert_near(test_judged(&problem, u, lambda).normal_force, with_world, 1e-15);
}

/* J M^-1 J^T of a face contact with the world: sum w_k^2 / m_k in every direction. */
TEST(deformable_contacts_are_scaled_by_their_masses)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_deformable(&problem, 0.1);
    OWNS(nb_judge_free_at) struct nb_judge *judge = judge_of(&problem);
    const int i = 4;
    double expected = 0;
    for (int k = 0; k < 6; ++k)
        if (problem.contacts.particle[6 * i + k] >= 0)
            expected += pow(problem.contacts.weight[6 * i + k], 2) /
                        problem.particles.mass[problem.contacts.particle[6 * i + k]];
    for (int k = 0; k < 3; ++k)
        assert_near(judge->diagonal[3 * i + k], expected, 1e-12);
}

TEST(numbers_that_are_none_do_no_harm)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[DEFORMABLE_DOFS], lambda[ROWS];
    make_deformable(&problem, 0.1);
    random_step(u, lambda);
    u[6 * DEFORMABLE_BODIES + 4] = NAN;
    assert_false(isfinite(test_judged(&problem, u, lambda).strain_error));
    u[6 * DEFORMABLE_BODIES + 4] = INFINITY;
    assert_false(isfinite(test_judged(&problem, u, lambda).natural_map));
}

static void build_floor(struct nb_floor_system *system, const struct nb_problem *problem)
{
    struct nb_options options = nb_options_default();
    double u[DEFORMABLE_DOFS], lambda[ROWS];
    random_step(u, lambda);
    for (int i = 0; i < DEFORMABLE_CONTACTS; ++i)
        lambda[DEFORMABLE_ROWS + 3 * i] = 2;
    assert_ok(nb_floor_system_build(system, problem, &options, u, lambda, &why));
}

/* The constraint rows are the slope of their own residual by the forces: E/h^2 of an element in its
 * block, times l^2; and symmetric. */
TEST(the_floor_has_the_blocks_of_elements)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_floor_system_free) struct nb_floor_system system;
    make_deformable(&problem, 0.1);
    build_floor(&system, &problem);
    struct nb_csr *a = &system.matrix;
    OWNS(free_at) double *dense = calloc((size_t)(system.size * system.size), sizeof *dense);
    for (int i = 0; i < a->rows; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            dense[i * system.size + a->column[k]] = a->value[k];
    int row = system.dofs + FIRST_STRAIN;
    for (int i = 0; i < problem.tetrahedra.count; ++i) {
        OWNS(nb_problem_free) struct nb_problem ahead;
        struct nb_element element;
        double u[DEFORMABLE_DOFS], lambda[ROWS];
        random_step(u, lambda);
        assert_int_equal(nb_problem_copy(&problem, &ahead, NULL), NB_OK);
        nb_step_advance(&ahead, u);
        nb_element_evaluate(&ahead.tetrahedra, i, ahead.particles.position, &element);
        const double scale = pow(cbrt(6 * element.volume) / problem.time_step, 2);
        for (int r = 0; r < element.rows; ++r)
            for (int k = 0; k < element.rows; ++k)
                assert_near(dense[(row + r) * system.size + row + k],
                            scale * element.compliance[element.rows * r + k], 1e-9);
        row += element.rows;
    }
}

/* The estimate, which factorises with the blocks, is a lower bound of the exact inverse and close. */
TEST(the_floors_estimate_agrees_with_the_exact_inverse)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_floor_system_free) struct nb_floor_system system;
    double exact, estimate;
    make_deformable(&problem, 0.1);
    build_floor(&system, &problem);
    const double shift = 1e-6 * system.mean_diagonal;
    assert_ok(nb_floor_inverse_exact(&system, shift, &exact, &why));
    assert_ok(nb_floor_inverse_estimate(&system, shift, &estimate, &why));
    assert_true(isfinite(exact) && exact > 0);
    assert_true(estimate <= exact * (1 + 1e-8) && estimate >= exact / 3);
}

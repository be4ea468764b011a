/* Whole steps of elastic blocks: what the solvers return is judged by implicit Euler's equations with the
 * elements in double, by conservation, and by each other. */
#include "tests/support/support.h"

#include "tests/support/judged.h"
#include "tests/support/near.h"

#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_deform.h"
#include "problems/step.h"
#include "solvers/solve.h"

static const double h = 0.0083, cell = 0.1;
static const enum nb_material materials[] = {NB_MATERIAL_HOOKE, NB_MATERIAL_NEO_HOOKEAN};

/* A block of 2 x 1 x 1 cells in the corner of the axes, stretched along x. */
static void make_block(struct nb_problem *problem, enum nb_material material, double young,
                       double stretch)
{
    static const int cells[3] = {2, 1, 1};
    const double lower[3] = {0, 0, 0}, sides[3] = {2 * cell, cell, cell};
    const struct nb_elastic elastic = {material, young, 0.45, 1000};
    struct nb_mesh mesh = {0};
    memset(problem, 0, sizeof *problem);
    problem->time_step = h;
    assert_int_equal(nb_mesh_box(&mesh, cells, lower, sides, NULL), NB_OK);
    assert_int_equal(nb_group_allocate(problem, NB_PARTICLES, mesh.node_count, NULL), NB_OK);
    assert_int_equal(nb_group_allocate(problem, NB_TETRAHEDRA, mesh.tetra_count, NULL), NB_OK);
    nb_scene_make_mesh(problem, 0, 0, &mesh, &elastic);
    nb_mesh_free(&mesh);
    for (int i = 0; i < problem->particles.count; ++i)
        problem->particles.position[3 * i] *= stretch;
}

/* Holds the particles at x = 0. */
static void hold(struct nb_problem *problem)
{
    int held = 0, next = 0;
    for (int i = 0; i < problem->particles.count; ++i)
        held += problem->particles.position[3 * i] < 1e-9;
    assert_int_equal(nb_group_allocate(problem, NB_ATTACHMENTS, held, NULL), NB_OK);
    for (int i = 0; i < problem->particles.count; ++i)
        if (problem->particles.position[3 * i] < 1e-9)
            nb_scene_attach(problem, next++, i, -1, 0);
}

/* Contacts of the particles at z = 0 with the ground. */
static void lay_down(struct nb_problem *problem, double friction)
{
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    struct nb_contacts *contacts = &problem->contacts;
    const size_t room = (size_t)problem->particles.count;
    contacts->body = calloc(2 * room, sizeof(int));
    contacts->point = calloc(6 * room, sizeof(double));
    contacts->radius = calloc(2 * room, sizeof(double));
    contacts->particle = calloc(6 * room, sizeof(int));
    contacts->weight = calloc(6 * room, sizeof(double));
    contacts->frame = calloc(9 * room, sizeof(double));
    contacts->thickness = calloc(room, sizeof(double));
    contacts->friction = calloc(room, sizeof(double));
    for (int i = 0; i < problem->particles.count; ++i) {
        if (problem->particles.position[3 * i + 2] > 1e-9)
            continue;
        const int k = contacts->count++;
        for (int m = 0; m < 6; ++m)
            contacts->particle[6 * k + m] = m == 0 ? i : -1;
        contacts->body[2 * k] = contacts->body[2 * k + 1] = -1;
        contacts->weight[6 * k] = 1;
        memcpy(contacts->frame + 9 * k, frame, sizeof frame);
        contacts->friction[k] = friction;
    }
}

static void fall(struct nb_problem *problem, double gravity)
{
    problem->gravity[2] = -gravity;
    problem->free_velocity = calloc(3 * (size_t)problem->particles.count + 1, sizeof(double));
    for (int i = 0; i < 3 * problem->particles.count; ++i)
        problem->free_velocity[i] =
            problem->particles.velocity[i] + h * problem->gravity[i % 3];
}

struct result {
    double *u, *lambda;
};

static const char *linear = "cholesky", *operator_form = "assembled";

/* By full Newton steps where there are no contacts, so that iterations count what is measured here. */
static struct result solve(const struct nb_problem *problem, const char *solver,
                           const char *precision, int iterations)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *handle = NULL;
    struct nb_run run;
    struct nb_error error = {""};
    struct result out = {calloc((size_t)nb_problem_dofs(problem) + 1, sizeof(double)),
                         calloc((size_t)nb_problem_multipliers(problem) + 1, sizeof(double))};
    options.solver = solver;
    options.linear = linear;
    options.operator_form = operator_form;
    options.precond = "none";
    options.precision = precision;
    options.damping = nb_problem_contacts(problem) > 0 ? options.damping : 1;
    if (nb_solver_create(&handle, problem, &options, &error) ||
        nb_solver_run(handle, iterations, NULL, &run, &error))
        fail_msg("%s: %s", solver, error.text);
    assert_false(run.broke_down);
    nb_solver_solution(handle, out.u, out.lambda);
    nb_solver_free(handle);
    return out;
}

static void free_result(struct result *result)
{
    free(result->u);
    free(result->lambda);
}

/* M (u - u~) + h dU/dx at q+ [3 particles]; and the largest part of lambda that is not -V dPsi/ds. */
static double euler(const struct nb_problem *problem, const struct result *result, double *residual)
{
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    const double *lambda = result->lambda + 3 * problem->attachments.count;
    const int n = 3 * problem->particles.count;
    double *ahead = malloc(((size_t)n + 1) * sizeof *ahead), worst = 0;
    for (int i = 0; i < n; ++i) {
        ahead[i] = problem->particles.position[i] + h * result->u[i];
        residual[i] = problem->particles.mass[i / 3] * (result->u[i] - problem->free_velocity[i]);
    }
    for (int t = 0; t < tetrahedra->count; ++t) {
        struct nb_element element;
        nb_element_evaluate(tetrahedra, t, ahead, &element);
        for (int r = 0; r < element.rows; ++r, ++lambda) {
            worst = fmax(worst, fabs(*lambda + element.volume * element.stress[r]));
            for (int c = 0; c < 12; ++c)
                residual[3 * tetrahedra->particle[4 * t + c / 3] + c % 3] +=
                    h * element.volume * element.stress[r] * element.jacobian[12 * r + c];
        }
    }
    free(ahead);
    return worst;
}

/* A free block that was stretched: implicit Euler to round-off, momenta kept. */
static void check_free(enum nb_material material, const char *solver)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double residual[108], force[3] = {0}, torque[3] = {0};
    make_block(&problem, material, 1e5, 1.3);
    for (int i = 0; i < 3 * problem.particles.count; ++i)
        problem.particles.velocity[i] = 0.3 * (i % 3) - 2 * problem.particles.position[(i + 4) % 9];
    fall(&problem, 0);
    OWNS(free_result) struct result result = solve(&problem, solver, "f64", 40);
    assert_near(euler(&problem, &result, residual), 0, 1e-9);
    for (int i = 0; i < problem.particles.count; ++i) {
        double p[3], x[3], moment[3];
        for (int k = 0; k < 3; ++k) {
            const int at = 3 * i + k;
            assert_near(residual[at], 0, 1e-10);
            p[k] = problem.particles.mass[i] * (result.u[at] - problem.free_velocity[at]);
            x[k] = problem.particles.position[at] + h * result.u[at];
            force[k] += p[k];
        }
        nb_cross3(x, p, moment);
        nb_add_scaled3(torque, 1, moment, torque);
    }
    assert_near(nb_norm3(force), 0, 1e-10);
    assert_near(nb_norm3(torque), 0, 1e-10);
}

TEST(test_free_block)
{
    for (int m = 0; m < 2; ++m) {
        check_free(materials[m], "newton");
        check_free(materials[m], "proximal_newton");
        check_free(materials[m], "newton:geometric_stiffness=diagonal");
    }
}

/* A held block in gravity: the methods agree, single precision to its own digits. */
TEST(test_hanging_block)
{
    for (int m = 0; m < 2; ++m) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double residual[108];
        make_block(&problem, materials[m], 1e5, 1);
        hold(&problem);
        fall(&problem, 300);
        OWNS(free_result) struct result a = solve(&problem, "newton", "f64", 20);
        OWNS(free_result) struct result b = solve(&problem, "proximal_newton", "f64", 40);
        OWNS(free_result) struct result c = solve(&problem, "newton", "f32", 20);
        linear = "kkt", operator_form = "factored"; /* without the Schur complement */
        OWNS(free_result) struct result d = solve(&problem, "newton", "f64", 20);
        linear = "cholesky", operator_form = "assembled";
        assert_near(euler(&problem, &a, residual), 0, 1e-9);
        for (int i = 0; i < 3 * problem.particles.count; ++i) {
            const int held = problem.particles.position[3 * (i / 3)] < 1e-9;
            assert_near(held ? a.u[i] : residual[i], 0, 1e-10);
            assert_near(a.u[i], b.u[i], 1e-9);
            assert_near(a.u[i], c.u[i], 1e-4);
            assert_near(a.u[i], d.u[i], 1e-9);
        }
    }
}

/* On the ground: the whole weight, forces in the cone, no momentum lost; with and without friction. */
TEST(test_block_on_the_ground)
{
    for (int m = 0; m < 4; ++m) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double residual[108], weight = 0, carried = 0, slip = 0;
        make_block(&problem, materials[m % 2], 1e5, m < 2 ? 1 : 1.02);
        lay_down(&problem, m < 2 ? 0 : 0.4);
        fall(&problem, 9.81);
        OWNS(free_result) struct result result = solve(&problem, "proximal_newton", "f64", 60);
        euler(&problem, &result, residual);
        const double *lambda = result.lambda + nb_problem_bilaterals(&problem);
        for (int k = 0; k < problem.contacts.count; ++k, lambda += 3) {
            double *at = residual + 3 * problem.contacts.particle[6 * k];
            const double *v = result.u + 3 * problem.contacts.particle[6 * k];
            at[2] -= h * lambda[0], at[0] -= h * lambda[1], at[1] -= h * lambda[2];
            carried += lambda[0];
            slip = fmax(slip, hypot(v[0], v[1]));
            assert_true(h * v[2] >= -1e-12 && lambda[0] >= -1e-9);
            assert_near(lambda[0] * v[2], 0, 1e-9);
            assert_true(hypot(lambda[1], lambda[2]) <=
                        problem.contacts.friction[k] * lambda[0] + 1e-8);
        }
        for (int i = 0; i < 3 * problem.particles.count; ++i) {
            weight += i % 3 == 2 ? problem.particles.mass[i / 3] *
                                       (9.81 + result.u[i] / h) : 0;
            assert_near(residual[i], 0, 1e-9);
        }
        assert_near(carried, weight, 1e-6);
        assert_true(slip > 1e-6);
    }
}

static double residual_size(const struct nb_problem *problem, const char *solver, int iterations)
{
    double residual[108], size = 0;
    OWNS(free_result) struct result result = solve(problem, solver, "f64", iterations);
    euler(problem, &result, residual);
    for (int i = 0; i < 3 * problem->particles.count; ++i)
        if (problem->particles.position[3 * (i / 3)] > 1e-9)
            size = fmax(size, fabs(residual[i]));
    return size;
}

/* Principal stretches alone leave out shear: the iteration does not converge (Macklin et al. 2019,
 * figure 12); Broyden's diagonal does, and the rows of the axes do at once. */
TEST(test_geometric_stiffness)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_block(&problem, NB_MATERIAL_NEO_HOOKEAN, 1e5, 1.5);
    hold(&problem);
    fall(&problem, 9.81);
    assert_true(residual_size(&problem, "newton:geometric_stiffness=none", 60) > 1e-3);
    assert_near(residual_size(&problem, "newton:geometric_stiffness=diagonal", 60), 0, 1e-8);
    assert_near(residual_size(&problem, "newton", 14), 0, 1e-9);
    assert_true(residual_size(&problem, "newton:compliance=diagonal", 60) < 1e-2);
}

/* Turned inside out, an element comes back, and rings down to rest. */
TEST(test_inverted_elements_recover)
{
    for (int m = 0; m < 2; ++m) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_element element;
        make_block(&problem, materials[m], 1e5, 1);
        for (int i = 0; i < problem.particles.count; ++i) /* mirrored and crushed */
            problem.particles.position[3 * i] *= -0.3;
        for (int step = 0; step < 60; ++step) {
            free(problem.free_velocity);
            fall(&problem, 0);
            OWNS(free_result) struct result result = solve(&problem, "newton", "f64", 12);
            nb_step_advance(&problem, result.u);
        }
        for (int t = 0; t < problem.tetrahedra.count; ++t) {
            nb_element_evaluate(&problem.tetrahedra, t, problem.particles.position, &element);
            assert_true(element.stretch[2] > 0.7 && element.stretch[0] < 1.4);
        }
    }
}

/* The gripper's first steps, its fingers 3000 times as stiff as their particles' mass resists: few
 * iterations of the default method, since its weights are those of the fingers. */
TEST(test_stiff_fingers_take_few_iterations)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    memset(&problem, 0, sizeof problem);
    assert_int_equal(nb_scene_create("pneunet", 0, NULL, &problem, NULL), NB_OK);
    assert_int_equal(nb_step_prepare(&problem, NULL), NB_OK);
    for (int step = 0; step < 4; ++step) {
        OWNS(free_result) struct result result = solve(&problem, "proximal_newton", "f64", 16);
        const double natural_map = test_judged(&problem, result.u, result.lambda).natural_map;
        if (!(natural_map < 1e-8))
            fail_msg("step %d: natural map %g", step, natural_map);
        nb_step_advance(&problem, result.u);
        assert_int_equal(nb_step_prepare(&problem, NULL), NB_OK);
    }
}

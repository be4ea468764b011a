/* Certificates of infeasibility: found where a step's constraints contradict each other, in each form and in any
 * units, and nowhere else. */
#include "harness/judge/infeasibility.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"

static struct nb_infeasibility look(const struct nb_problem *problem)
{
    struct nb_infeasibility found;
    struct nb_error error = {""};
    if (nb_infeasibility_find(problem, NULL, &found, &error))
        fail_msg("%s: %s", problem->name, error.text);
    return found;
}

/* Bodies of three velocities, of masses 1, 2, ...; contact i acts on body i / 2 along x, forwards and backwards in
 * turns, and closes at gap[i]; all bodies move at 1 along y. */
static void make_between_walls(struct nb_problem *problem, int bodies, const double *gap)
{
    const int n = 3 * bodies, contacts = 2 * bodies;
    OWNS(free_at) double *mass = calloc((size_t)(n * n), sizeof *mass), *frames = calloc((size_t)(3 * contacts * n),
                                                                                         sizeof *frames);
    struct nb_linear_step *step = &problem->linear;
    test_linear_step(problem, NB_LINEAR_GLOBAL, "walls", n, contacts, 0);
    for (int i = 0; i < n; ++i)
        mass[i * n + i] = 1 + i / 3;
    for (int i = 0; i < contacts; ++i) {
        for (int k = 0; k < 3; ++k)
            frames[(3 * i + k) * n + 3 * (i / 2) + k] = k < 2 && i % 2 ? -1 : 1;
        step->contact_velocity[3 * i] = gap[i];
        step->friction[i] = 0.5;
        step->force[3 * (i / 2) + 1] = 1 + i / 2;
    }
    test_sparse(&step->mass, n, n, mass);
    test_sparse(&step->contact_jacobian, 3 * contacts, n, frames);
    assert_int_equal(nb_problem_validate(problem, NULL), NB_OK);
}

TEST(test_squeezed_between_walls)
{
    const double squeezed[] = {-0.3, 0.2}, near_miss[] = {-0.3, 0.3 + 1e-6}, overlapping[] = {-0.3, 0.3 - 1e-6};
    OWNS(nb_problem_free) struct nb_problem problem;
    char text[256];
    make_between_walls(&problem, 1, squeezed);
    struct nb_infeasibility found = look(&problem);
    assert_true(found.found && !found.linearized);
    assert_int_equal(found.contacts, 2);
    assert_int_equal(found.bilaterals, 0);
    assert_near(found.violation, 0.05 / (0.3 + 1), 1e-9); /* in both contacts, where the body moves at 1 */
    nb_infeasibility_describe(&found, text, sizeof text);
    assert_non_null(strstr(text, "the constraints contradict each other: contact "));
    assert_non_null(strstr(text, "(and 1 more)"));
    nb_problem_free(&problem);
    make_between_walls(&problem, 1, near_miss);
    assert_false(look(&problem).found);
    nb_problem_free(&problem);
    make_between_walls(&problem, 1, overlapping);
    assert_true(look(&problem).found);
}

/* The contradictory island is told, and its contacts. */
TEST(test_one_island_of_many)
{
    const double gap[] = {-1, 2, -0.1, 3, 0.2, -0.3, -5, 9};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_between_walls(&problem, 4, gap);
    const struct nb_infeasibility found = look(&problem);
    assert_true(found.found);
    assert_int_equal(found.contacts, 2);
    assert_true(found.contact == 4 || found.contact == 5);
}

/* Masses times m, lengths times l: velocities and gaps scale, and nothing else. */
static void change_units(struct nb_problem *problem, double m, double l)
{
    struct nb_linear_step *step = &problem->linear;
    for (int k = 0; step->mass.rows && k < step->mass.start[step->mass.rows]; ++k)
        step->mass.value[k] *= m;
    for (int k = 0; step->delassus.rows && k < step->delassus.start[step->delassus.rows]; ++k)
        step->delassus.value[k] /= m;
    for (int i = 0; i < step->dofs; ++i)
        step->force[i] *= m * l;
    for (int i = 0; i < 3 * step->contacts; ++i)
        step->contact_velocity[i] *= l;
    for (int i = 0; i < step->bilaterals; ++i)
        step->bilateral_velocity[i] *= l;
}

TEST(test_units_and_forms)
{
    const double squeezed[] = {-0.3, 0.2, -1, 1}, free[] = {-0.3, 0.3 + 1e-6, -1, 1}, units[] = {1e-6, 1, 1e6};
    for (int k = 0; k < 9; ++k)
        for (int local = 0; local < 2; ++local)
            for (int feasible = 0; feasible < 2; ++feasible) {
                OWNS(nb_problem_free) struct nb_problem global, condensed = {0};
                make_between_walls(&global, 2, feasible ? free : squeezed);
                test_condense(&global, &condensed, test_dense_solve);
                struct nb_problem *problem = local ? &condensed : &global;
                change_units(problem, units[k % 3], units[k / 3]);
                const struct nb_infeasibility found = look(problem);
                assert_int_equal(found.found, !feasible);
                if (!feasible)
                    assert_near(found.violation, 0.05 / (local ? 0.3 : 0.3 + 1), 1e-6);
            }
}

/* A contact that no velocity moves. */
TEST(test_contact_without_response)
{
    const double gap[] = {-0.5, 1, -0.1, 1};
    static const double velocity[] = {-0.5, 0.5, -1e-6, -1e-15}; /* the last is rounding beside 0.1 */
    for (int local = 0; local < 2; ++local)
        for (int k = 0; k < 4; ++k) {
            const bool open = k % 2;
            OWNS(nb_problem_free) struct nb_problem global, condensed;
            make_between_walls(&global, 2, gap);
            global.linear.contact_jacobian.value[0] = 0;
            global.linear.contact_velocity[0] = velocity[k];
            test_condense(&global, &condensed, test_dense_solve);
            const struct nb_infeasibility found = look(local ? &condensed : &global);
            assert_int_equal(found.found, !open);
            if (!open) {
                assert_int_equal(found.contact, 0);
                assert_int_equal(found.contacts, 1);
            }
        }
}

/* Rows G^T of one body of mass 1 on the x axis, with velocities b. */
static void make_on_rails(struct nb_problem *problem, int rails, const double *velocity)
{
    const double gap[] = {-0.2, 5};
    double rows[12] = {0};
    struct nb_linear_step *step = &problem->linear;
    make_between_walls(problem, 1, gap);
    step->bilaterals = rails;
    free(step->bilateral_velocity);
    nb_csr_free(&step->bilateral_jacobian);
    step->bilateral_velocity = calloc((size_t)rails + 1, sizeof *step->bilateral_velocity);
    for (int j = 0; j < rails; ++j) {
        rows[3 * j] = 1;
        step->bilateral_velocity[j] = velocity[j];
    }
    test_sparse(&step->bilateral_jacobian, rails, 3, rows);
    assert_int_equal(nb_problem_validate(problem, NULL), NB_OK);
}

TEST(test_joints)
{
    const double contradictory[] = {-1, -3}, redundant[] = {-0.4, -0.4, -0.4, -0.4}, against_wall[] = {0.3};
    const double *const velocity[] = {contradictory, redundant, against_wall};
    const int rails[] = {2, 4, 1}, bilaterals[] = {2, 0, 1}, contacts[] = {0, 0, 1};
    for (int k = 0; k < 3; ++k)
        for (int local = 0; local < 2; ++local) {
            OWNS(nb_problem_free) struct nb_problem global, condensed;
            make_on_rails(&global, rails[k], velocity[k]);
            test_condense(&global, &condensed, test_dense_solve);
            const struct nb_infeasibility found = look(local ? &condensed : &global);
            assert_int_equal(found.found, bilaterals[k] > 0);
            assert_int_equal(found.bilaterals, bilaterals[k]);
            if (found.found)
                assert_int_equal(found.contacts, contacts[k]);
        }
}

/* A row that gives way, by R, contradicts nothing. */
TEST(test_compliant_rows)
{
    const double contradictory[] = {1, -1};
    for (int compliant = 0; compliant < 2; ++compliant) {
        OWNS(nb_problem_free) struct nb_problem global, condensed;
        make_on_rails(&global, 2, contradictory);
        test_condense(&global, &condensed, test_dense_solve);
        struct nb_csr *delassus = &condensed.linear.delassus;
        for (int i = 6; i < 8; ++i)
            for (int k = delassus->start[i]; k < delassus->start[i + 1]; ++k)
                delassus->value[k] += compliant && delassus->column[k] == i ? 1e-3 : 0;
        assert_int_equal(look(&condensed).found, !compliant);
    }
}

/* A light body on the ground and a heavy one on that, whose contacts have to open at `gap`, the last one that of the
 * heavy one with a ceiling where it is not 0; free motion -0.08. */
static void make_stack(struct nb_problem *problem, double heavy, const double gap[3])
{
    const double closing[] = {gap[0], gap[1], gap[2], 0};
    double frames[72] = {0};
    make_between_walls(problem, 2, closing);
    struct nb_linear_step *step = &problem->linear;
    nb_csr_free(&step->contact_jacobian);
    for (int k = 0; k < 3; ++k) {
        frames[6 * k + k] = 1;
        frames[18 + 6 * k + k] = -1;
        frames[18 + 6 * k + 3 + k] = 1;
        frames[36 + 6 * k + k] = frames[54 + 6 * k + 3 + k] = k; /* rows that nothing closes */
        step->mass.value[k] = 1;
        step->mass.value[3 + k] = heavy;
    }
    frames[36 + 3] = gap[2] != 0 ? -1 : 0;
    test_sparse(&step->contact_jacobian, 12, 6, frames);
    step->force[0] = -0.08;
    step->force[3] = -0.08 * heavy;
    step->force[1] = step->force[4] = 0;
}

/* At rest, what has to be undone at the ground is next to nothing beside the weight above it; pushed apart by 1 m/s at
 * both contacts, the heavy body has to rise at 2 m/s. Either is done, whichever mass. A local file holds W to 16
 * digits. */
TEST(test_mass_ratios)
{
    static const double gaps[][3] = {{0, 0}, {-1, -1}, {-1e-3, -1}, {-1, -1e-6}, {-1, -1, 2.001}};
    for (int local = 0; local < 2; ++local)
        for (double heavy = local ? 1e-14 : 1e-16; heavy <= (local ? 1.1e14 : 1.1e16); heavy *= 10)
            for (int k = 0; k < 5; ++k) {
                OWNS(nb_problem_free)
                struct nb_problem global, condensed;
                make_stack(&global, heavy, gaps[k]);
                test_condense(&global, &condensed, test_dense_solve);
                assert_false(look(local ? &condensed : &global).found);
            }
}

/* Under a ceiling that leaves room for 1.9 m/s of the 2 it is not done, whichever mass. */
TEST(test_mass_ratios_that_contradict_themselves)
{
    static const double gap[3] = {-1, -1, 1.9};
    for (double heavy = 1e-16; heavy <= 1.1e16; heavy *= 100) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        make_stack(&problem, heavy, gap);
        const struct nb_infeasibility found = look(&problem);
        assert_true(found.found);
        assert_int_equal(found.contacts, 3);
        assert_near(found.violation, 0.1 / 3 / (1.08 + 0.16), 1e-6);
    }
}

/* Between walls that enclose an angle a body has to move by more than what is undone: it does so up to 1e6 times. */
TEST(test_narrow_wedges)
{
    const double gap[] = {-1, -1};
    for (int k = 0; k < 2; ++k) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        const double angle = k ? 1e-9 : 3e-6;
        const double frames[18] = {1, angle, 0, 0, 1, 0, 0, 0, 1, -1, angle, 0, 0, 1, 0, 0, 0, 1};
        make_between_walls(&problem, 1, gap);
        nb_csr_free(&problem.linear.contact_jacobian);
        test_sparse(&problem.linear.contact_jacobian, 6, 3, frames);
        assert_int_equal(look(&problem).found, k);
    }
}

/* Contacts given many times, which agree to rounding. */
TEST(test_redundant_contacts)
{
    const double gap[] = {-0.3, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3, 0.3};
    for (int trial = 0; trial < 20; ++trial) {
        OWNS(nb_problem_free) struct nb_problem problem, condensed;
        uint32_t seed = (uint32_t)trial;
        make_between_walls(&problem, 4, gap);
        for (int k = 0; k < 24; ++k) {
            problem.linear.contact_jacobian.column[k] = k % 3; /* all on the first body */
            problem.linear.contact_velocity[k] *= 1 + 1e-14 * test_uniform(&seed);
        }
        test_condense(&problem, &condensed, test_dense_solve);
        assert_false(look(&problem).found);
        assert_false(look(&condensed).found);
    }
}

/* U >= 0 is met at a known velocity, by construction: random problems, none of which is contradictory. Of each made
 * anew with the first contact given a second time, backwards and closer than that, all are. */
TEST(test_random_problems)
{
    for (uint32_t seed = 1; seed <= 60; ++seed) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const int dofs = 6 + (int)(seed % 5), contacts = 4 + (int)(seed % 17);
        uint32_t next = seed;
        test_global(&problem, dofs, contacts, 0, (int)(seed % 3), seed);
        struct nb_linear_step *step = &problem.linear;
        OWNS(free_at) double *v = calloc((size_t)dofs, sizeof *v), *u = calloc(3 * (size_t)contacts, sizeof *u);
        for (int i = 0; i < dofs; ++i)
            v[i] = test_uniform(&next);
        nb_csr_multiply(&step->contact_jacobian, v, u, 0);
        for (int i = 0; i < contacts; ++i)
            step->contact_velocity[3 * i] = -u[3 * i] + (i % 2 ? 0.2 * fabs(test_uniform(&next)) : 0);
        assert_false(look(&problem).found);
        const int from = step->contact_jacobian.start[0], to = step->contact_jacobian.start[3];
        if (step->contact_jacobian.start[4] - to == step->contact_jacobian.start[1] - from) {
            for (int k = 0; k < step->contact_jacobian.start[1] - from; ++k) {
                step->contact_jacobian.column[to + k] = step->contact_jacobian.column[from + k];
                step->contact_jacobian.value[to + k] = -step->contact_jacobian.value[from + k];
            }
            step->contact_velocity[3] = -step->contact_velocity[0] - 0.1;
            assert_true(look(&problem).found);
        }
    }
}

/* Scenes have steps that can be taken, linearised or not; a pre-check with a point that satisfies all finds none. */
TEST(test_scenes_are_not_contradictory)
{
    static const char *const names[] = {"box_on_plane", "heavy_stack", "two_boxes", "hinge_limits", "particle_chain",
                                        "double_pendulum_stiffness", "random_pile", "house_of_cards"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, names[k], NULL);
        assert_false(look(&problem).found);
    }
}

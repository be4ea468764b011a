/* Particles, attachments, distances, ties, damping and contacts with deformable sides in the model of this
 * precision: rows against formulas in double, the Jacobian against differences of the rows, forces
 * against momentum balance. */
#include "tests/support/support.h"

#include "tests/support/near.h"
#include "tests/support/particle_samples.h"

#include "solvers/model/model.h"

#define U ((double)NB_UNIT_ROUNDOFF)

enum {
    TIES = 2,
    BLOCKS = SAMPLE_ATTACHMENTS + SAMPLE_DISTANCES + TIES + SAMPLE_CONTACTS,
    ROWS = 3 * BLOCKS
};

/* A rigid tie of four particles, a compliant one of six, and damping of it and of a distance. */
static void add_ties(struct nb_problem *problem)
{
    static const int particle[NB_TIED * TIES] = {0, 3, 4, 6, -1, -1, 5, 1, 2, 3, 6, 4};
    static const double weight[NB_TIED * TIES] = {1.5, -0.4, -1.4, 0.3, 0, 0, 0.7, -0.2, -0.9, 0.1, 0.25, 0.05};
    struct nb_ties *ties = &problem->ties;
    ties->count = TIES;
    ties->particle = sample_ints(particle, NB_TIED * TIES);
    ties->weight = calloc(NB_TIED * TIES, sizeof(double));
    ties->compliance = calloc(TIES, sizeof(double));
    ties->damping = calloc(TIES, sizeof(double));
    problem->distances.damping = calloc(SAMPLE_DISTANCES, sizeof(double));
    assert_true(ties->weight && ties->compliance && ties->damping && problem->distances.damping);
    memcpy(ties->weight, weight, sizeof weight);
    ties->compliance[1] = 2e-3;
    ties->damping[0] = 3; /* of what is rigid: nothing */
    ties->damping[1] = 5;
    problem->distances.damping[2] = 4;
}

/* What damping d takes of c(q-): d E/(h + d E). */
static double taken(double damping, double compliance, double h)
{
    return damping * compliance / (h + damping * compliance);
}

static struct NB(nb_model) *model_of(struct nb_problem *problem)
{
    struct NB(nb_model) *model = NULL;
    make_particle_sample(problem);
    add_ties(problem);
    assert_ok(nb_problem_validate(problem, &why));
    assert_int_equal(NB(nb_model_create)(&model, problem, 1, NULL), NB_OK);
    assert_int_equal(model->nodes, 2 * SAMPLE_BODIES + SAMPLE_PARTICLES);
    assert_int_equal(model->blocks, BLOCKS);
    return model;
}

/* Bodies do not turn: the rows' derivative by omega is then exact. */
static void velocities(nb_real *u, double *wide)
{
    uint32_t seed = 77;
    for (int i = 0; i < SAMPLE_DOFS; ++i) {
        const int turns = i < 6 * SAMPLE_BODIES && i % 6 >= 3;
        u[i] = (nb_real)(turns ? 0 : 2 * test_uniform(&seed));
        wide[i] = (double)u[i];
    }
}

static void particle_at(const struct nb_problem *problem, int i, const double *u, double *x)
{
    nb_add_scaled3(problem->particles.position + 3 * i, problem->time_step,
                   u + 6 * SAMPLE_BODIES + 3 * i, x);
}

/* A point of a body that does not turn, or of the world. */
static void point_at(const struct nb_problem *problem, int body, const double *point,
                     const double *u, double *x)
{
    double rotation[9], arm[3];
    memcpy(x, point, 3 * sizeof *x);
    if (body < 0)
        return;
    nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
    nb_rotate(rotation, point, arm);
    nb_add_scaled3(problem->bodies.position + 3 * body, problem->time_step, u + 6 * body, x);
    nb_add_scaled3(x, 1, arm, x);
}

/* c of attachments, distances and ties, then C_n of the contacts [m]. */
static void expected_gaps(const struct nb_problem *problem, const double *u, double *gap)
{
    const struct nb_contacts *contacts = &problem->contacts;
    double x[3], y[3], d[3];
    for (int i = 0; i < SAMPLE_ATTACHMENTS; ++i, gap += 3) {
        particle_at(problem, problem->attachments.particle[i], u, x);
        point_at(problem, problem->attachments.body[i], problem->attachments.point + 3 * i, u, y);
        nb_subtract3(x, y, gap);
    }
    for (int i = 0; i < SAMPLE_DISTANCES; ++i) {
        particle_at(problem, problem->distances.particle[2 * i], u, x);
        particle_at(problem, problem->distances.particle[2 * i + 1], u, y);
        nb_subtract3(x, y, d);
        *gap = nb_norm3(d) - problem->distances.length[i];
        nb_subtract3(problem->particles.position + 3 * problem->distances.particle[2 * i],
                     problem->particles.position + 3 * problem->distances.particle[2 * i + 1], d);
        *gap++ -= taken(problem->distances.damping[i], problem->distances.compliance[i], problem->time_step) *
                  (nb_norm3(d) - problem->distances.length[i]);
    }
    for (int i = 0; i < TIES; ++i, gap += 3) {
        const double share = taken(problem->ties.damping[i], problem->ties.compliance[i], problem->time_step);
        memset(gap, 0, 3 * sizeof *gap);
        for (int k = 0; k < NB_TIED && problem->ties.particle[NB_TIED * i + k] >= 0; ++k) {
            const int p = problem->ties.particle[NB_TIED * i + k];
            particle_at(problem, p, u, x);
            const double weight = problem->ties.weight[NB_TIED * i + k];
            nb_add_scaled3(gap, weight, x, gap);
            nb_add_scaled3(gap, -share * weight, problem->particles.position + 3 * p, gap);
        }
    }
    for (int i = 0; i < SAMPLE_CONTACTS; ++i) {
        double side[2][3];
        for (int s = 0; s < 2; ++s) {
            const int *of = contacts->particle + 6 * i + 3 * s;
            memset(side[s], 0, sizeof side[s]);
            for (int k = 0; k < 3 && of[k] >= 0; ++k) {
                particle_at(problem, of[k], u, x);
                nb_add_scaled3(side[s], contacts->weight[6 * i + 3 * s + k], x, side[s]);
            }
            if (of[0] < 0)
                point_at(problem, contacts->body[2 * i + s], contacts->point + 6 * i + 3 * s, u,
                         side[s]);
            nb_add_scaled3(side[s], (s ? 1 : -1) * contacts->radius[2 * i + s],
                           contacts->frame + 9 * i, side[s]);
        }
        nb_subtract3(side[0], side[1], d);
        *gap++ = nb_dot3(contacts->frame + 9 * i, d) - contacts->thickness[i];
    }
}

TEST(test_rows)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double wide[SAMPLE_DOFS], gap[40];
    nb_real u[SAMPLE_DOFS];
    int next = 0;
    struct NB(nb_model) *model = model_of(&problem);
    velocities(u, wide);
    NB(nb_model_evaluate)(model, u);
    expected_gaps(&problem, wide, gap);
    const double h = problem.time_step, h2 = h * h;
    for (; next < model->bilaterals; ++next)
        assert_near((double)model->violation[model->bilateral_entry[next]], gap[next] / h,
                    20 * U / h);
    for (int i = 0; i < SAMPLE_CONTACTS; ++i)
        assert_near((double)model->violation[3 * (model->bilateral_blocks + i)], gap[next++] / h,
                    20 * U / h);
    assert_near((double)model->bilateral_compliance[9], problem.attachments.compliance[1] / h2,
                4 * U * 10);
    assert_near((double)model->bilateral_compliance[9 * (SAMPLE_ATTACHMENTS + 2)],
                (1 - taken(4, 3e-3, h)) * 3e-3 / h2, 4 * U * 100);
    for (int k = 0; k < 9; ++k)
        assert_near((double)model->bilateral_compliance[9 * (SAMPLE_ATTACHMENTS + SAMPLE_DISTANCES + 1) + k],
                    k % 4 ? 0 : (1 - taken(5, 2e-3, h)) * 2e-3 / h2, 4 * U * 100);
    assert_true(model->bilateral_compliance[9 * SAMPLE_ATTACHMENTS] == 0);
    assert_true(model->bilateral_compliance[9 * SAMPLE_ATTACHMENTS + 4] == 1);
    assert_true(model->bilateral_compliance[9 * SAMPLE_ATTACHMENTS + 8] == 1);
    NB(nb_model_free)(model);
}

/* J dense [ROWS x SAMPLE_DOFS] */
static void dense_jacobian(const struct NB(nb_model) *model, double *dense)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    memset(dense, 0, (size_t)(ROWS * SAMPLE_DOFS) * sizeof *dense);
    for (int i = 0; i < BLOCKS; ++i)
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            assert_true(k == jacobian->start[i] || jacobian->column[k] > jacobian->column[k - 1]);
            for (int e = 0; e < 9; ++e)
                dense[(3 * i + e / 3) * SAMPLE_DOFS + 3 * jacobian->column[k] + e % 3] =
                    (double)jacobian->value[9 * k + e];
        }
}

TEST(test_jacobian_is_the_derivative)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double wide[SAMPLE_DOFS], jacobian[ROWS * SAMPLE_DOFS];
    nb_real u[SAMPLE_DOFS], before[ROWS];
    if (sizeof(nb_real) == sizeof(float))
        skip(); /* differences of the rows are too coarse in single precision */
    struct NB(nb_model) *model = model_of(&problem);
    velocities(u, wide);
    NB(nb_model_evaluate)(model, u);
    dense_jacobian(model, jacobian);
    for (int j = 0; j < SAMPLE_DOFS; ++j) {
        const nb_real given = u[j], step = NB_REAL(1e-4);
        u[j] = given - step;
        NB(nb_model_evaluate)(model, u);
        memcpy(before, model->violation, sizeof before);
        u[j] = given + step;
        NB(nb_model_evaluate)(model, u);
        u[j] = given;
        for (int i = 0; i < ROWS; ++i)
            assert_near((double)(model->violation[i] - before[i]) / (2 * (double)step),
                        jacobian[i * SAMPLE_DOFS + j], 1e-8 + 2 * U);
    }
    NB(nb_model_free)(model);
}

/* Bilateral rows and contacts that do not hold to the world push with zero sum, and distances without
 * torque about any point. */
TEST(test_forces_balance)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double wide[SAMPLE_DOFS];
    nb_real u[SAMPLE_DOFS], impulse[ROWS], momentum[SAMPLE_DOFS];
    struct NB(nb_model) *model = model_of(&problem);
    velocities(u, wide);
    NB(nb_model_evaluate)(model, u);
    for (int block = 0; block < BLOCKS; ++block) {
        const int to_world = block == 1 || block == model->bilateral_blocks;
        const int distance = block >= SAMPLE_ATTACHMENTS && block < SAMPLE_ATTACHMENTS + SAMPLE_DISTANCES;
        double force[3] = {0}, torque[3] = {0}, x[3], turn[3], size = 0;
        memset(impulse, 0, sizeof impulse);
        for (int r = 0; r < 3; ++r)
            impulse[3 * block + r] = NB_REAL(1 + r);
        NB(nb_model_gather)(model, impulse, momentum);
        for (int i = 0; i < SAMPLE_BODIES; ++i)
            for (int k = 0; k < 3; ++k)
                force[k] += (double)momentum[6 * i + k];
        for (int i = 0; i < SAMPLE_PARTICLES; ++i) {
            double p[3];
            for (int k = 0; k < 3; ++k)
                force[k] += p[k] = (double)momentum[6 * SAMPLE_BODIES + 3 * i + k];
            particle_at(&problem, i, wide, x);
            nb_cross3(x, p, turn);
            nb_add_scaled3(torque, 1, turn, torque);
            size = fmax(size, nb_norm3(p));
        }
        if (to_world) {
            assert_true(nb_norm3(force) > 0.1);
            continue;
        }
        assert_true(size > 0 || block == BLOCKS - 1);
        assert_near(nb_norm3(force), 0, 40 * U);
        if (distance)
            assert_near(nb_norm3(torque), 0, 100 * U);
    }
    NB(nb_model_free)(model);
}

/* A particle's contact is that of a body at the same place that does not turn. */
TEST(test_particle_as_body)
{
    OWNS(nb_problem_free) struct nb_problem soft, rigid;
    struct NB(nb_model) *a = NULL, *b = NULL;
    nb_real u[6] = {NB_REAL(0.3), NB_REAL(-0.2), NB_REAL(0.7), 0, 0, 0};
    make_particle_sample(&soft);
    make_particle_sample(&rigid);
    const double *x = soft.particles.position + 3; /* contact 2: particle 1 on body 1 */
    for (int which = 0; which < 2; ++which) {
        struct nb_problem *problem = which ? &rigid : &soft;
        problem->attachments.count = problem->distances.count = 0;
        problem->contacts.count = 1;
        problem->particles.count = which ? 0 : 1;
        problem->bodies.count = which ? 1 : 0;
        memcpy(problem->contacts.frame, soft.contacts.frame + 18, 9 * sizeof(double));
        for (int k = 0; k < 6; ++k)
            problem->contacts.particle[k] = k == 0 && !which ? 0 : -1;
        problem->contacts.body[0] = which ? 0 : -1;
        problem->contacts.body[1] = -1;
        for (int k = 0; k < 3; ++k) {
            problem->contacts.point[k] = 0;
            problem->contacts.weight[k] = k == 0;
            problem->particles.position[k] = problem->bodies.position[k] = x[k];
        }
        memcpy(problem->contacts.point + 3, soft.contacts.point + 3, 3 * sizeof(double));
    }
    memcpy(rigid.bodies.position, soft.particles.position, 3 * sizeof(double));
    assert_int_equal(NB(nb_model_create)(&a, &soft, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_model_create)(&b, &rigid, 1, NULL), NB_OK);
    assert_int_equal(a->nodes, 1);
    NB(nb_model_evaluate)(a, u);
    NB(nb_model_evaluate)(b, u);
    for (int k = 0; k < 3; ++k)
        assert_near((double)a->violation[k], (double)b->violation[k], 40 * U / soft.time_step);
    for (int k = 0; k < 9; ++k)
        assert_true(a->jacobian.value[k] == b->jacobian.value[k]);
    NB(nb_model_free)(a);
    NB(nb_model_free)(b);
}

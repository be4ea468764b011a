/* The diagonal geometric stiffness in this precision against the formula by brute force in double, and
 * what it must not change: the residual. */
#include "tests/support/support.h"

#include "tests/support/deformable_samples.h"
#include "tests/support/near.h"

#include "problems/elements.h"
#include "solvers/model/geometric_stiffness.h"

#define U ((double)NB_UNIT_ROUNDOFF)

/* J^T h lambda of the model at u, in double. */
static void force_impulse(struct NB(nb_model) *model, const nb_real *u, const nb_real *lambda,
                          double *out)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    NB(nb_model_evaluate)(model, u);
    memset(out, 0, 3 * (size_t)model->nodes * sizeof *out);
    for (int i = 0; i < jacobian->rows; ++i)
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
            for (int e = 0; e < 9; ++e)
                out[3 * jacobian->column[k] + e % 3] +=
                    (double)jacobian->value[9 * k + e] * (double)model->time_step *
                    (double)lambda[3 * i + e / 3];
}

struct sample {
    struct nb_problem problem;
    struct NB(nb_model) *model;
    nb_real u[2][DEFORMABLE_DOFS], *lambda;
};

/* Two iterates; particle 5 does not move between them. */
static void make_sample(struct sample *sample)
{
    static const struct nb_elasticity paper = {.no_axis_rows = 1};
    uint32_t seed = 61;
    make_deformable(&sample->problem, 0.1);
    assert_int_equal(NB(nb_model_create_with)(&sample->model, &sample->problem, &paper, 1, NULL),
                     NB_OK);
    sample->lambda = calloc(3 * (size_t)sample->model->blocks + 1, sizeof *sample->lambda);
    for (int i = 0; i < 3 * sample->model->blocks; ++i)
        sample->lambda[i] = (nb_real)(2000 * test_uniform(&seed));
    for (int i = 0; i < DEFORMABLE_DOFS; ++i) {
        sample->u[0][i] = (nb_real)test_uniform(&seed);
        sample->u[1][i] = (nb_real)(i / 3 == 2 * DEFORMABLE_BODIES + 5
                                        ? (double)sample->u[0][i]
                                        : (double)sample->u[0][i] + 4 * test_uniform(&seed));
    }
}

static void free_sample(struct sample *sample)
{
    NB(nb_model_free)(sample->model);
    nb_problem_free(&sample->problem);
    free(sample->lambda);
}

/* Runs the update over the two iterates. */
static struct NB(nb_geometric) *updated(struct sample *sample)
{
    struct NB(nb_geometric) *geometric = NULL;
    assert_int_equal(NB(nb_geometric_create)(&geometric, sample->model, 0, NULL), NB_OK);
    NB(nb_geometric_restart)(geometric);
    for (int k = 0; k < 2; ++k) {
        NB(nb_geometric_look_back)(geometric, sample->lambda);
        NB(nb_model_evaluate)(sample->model, sample->u[k]);
        NB(nb_geometric_update)(geometric, sample->u[k]);
    }
    return geometric;
}

TEST(test_formula)
{
    struct sample s;
    double before[DEFORMABLE_DOFS], after[DEFORMABLE_DOFS], size = 0;
    int raised = 0;
    make_sample(&s);
    force_impulse(s.model, s.u[0], s.lambda, before);
    force_impulse(s.model, s.u[1], s.lambda, after);
    for (int i = 0; i < DEFORMABLE_DOFS; ++i)
        size = fmax(size, fabs(before[i]));
    struct NB(nb_geometric) *geometric = updated(&s);
    for (int i = 0; i < 3 * DEFORMABLE_PARTICLES; ++i) {
        const int dof = 6 * DEFORMABLE_BODIES + i;
        const double mass = s.problem.particles.mass[i / 3];
        const double change = (double)s.u[1][dof] - (double)s.u[0][dof];
        /* dg at equal lambda: M du - (J_new - J_old)^T h lambda */
        const double dg = mass * change - (after[dof] - before[dof]);
        const double c = change == 0 ? 0 : -(dg - mass * change) / change;
        const double expected = mass - fmin(0, c);
        const double inverse = (double)s.model->inverse_mass[9 * (dof / 3) + 4 * (dof % 3)];
        const double noise = change == 0 ? 0 : 100 * U * size / fabs(change);
        assert_near(1 / inverse, expected, noise + 10 * U * expected);
        raised += expected > 1.01 * mass;
    }
    assert_in_range(raised, 5, 3 * DEFORMABLE_PARTICLES - 5);
    NB(nb_geometric_free)(geometric);
    free_sample(&s);
}

/* H defect = g, whatever H is; and restart makes H = M again, to the bit. */
TEST(test_residual_keeps_the_mass)
{
    struct sample s;
    nb_real momentum[DEFORMABLE_DOFS], plain[DEFORMABLE_DOFS], shifted[DEFORMABLE_DOFS];
    nb_real again[DEFORMABLE_DOFS], *impulse;
    make_sample(&s);
    impulse = calloc(3 * (size_t)s.model->blocks + 1, sizeof *impulse);
    for (int i = 0; i < 3 * s.model->blocks; ++i)
        impulse[i] = s.model->time_step * s.lambda[i];
    NB(nb_model_evaluate)(s.model, s.u[1]);
    NB(nb_model_defect)(s.model, s.u[1], impulse, momentum, plain);
    struct NB(nb_geometric) *geometric = updated(&s);
    NB(nb_model_defect)(s.model, s.u[1], impulse, momentum, shifted);
    for (int i = 6 * DEFORMABLE_BODIES; i < DEFORMABLE_DOFS; ++i) {
        const double mass = s.problem.particles.mass[(i - 6 * DEFORMABLE_BODIES) / 3];
        const double inertia = 1 / (double)s.model->inverse_mass[9 * (i / 3) + 4 * (i % 3)];
        const double scale = fabs((double)momentum[i]) + mass;
        assert_near(inertia * (double)shifted[i], mass * (double)plain[i], 40 * U * scale);
    }
    NB(nb_geometric_restart)(geometric);
    NB(nb_model_defect)(s.model, s.u[1], impulse, momentum, again);
    assert_memory_equal(plain, again, sizeof plain);
    NB(nb_geometric_free)(geometric);
    free(impulse);
    free_sample(&s);
}

/* The residual of a step as a nonsmooth equation, against Alart and Curnier's map by its definition, and where
 * forces are so large that what is left of a velocity is far below their round-off. */
#include "harness/simulate/simulate.h"
#include "tests/support/method_support.h"

#include "solvers/model/model.h"
#include "solvers/outer/proximal_newton/cone.h"

enum { SAMPLES = 20, STEPS = 60 };
#define UNIT NB_REAL(NB_UNIT_ROUNDOFF)

struct step {
    struct nb_problem problem;
    struct NB(nb_model) *model;
    struct NB(nb_cone) *cone;
};

/* Joints with bending stiffness, and contacts with the walls of a slot. */
static void open_beam(struct step *step)
{
    const char *const settings[] = {NULL};
    const struct nb_options options = test_options("proximal_newton", 100);
    test_scene(&step->problem, "beam", settings);
    assert_int_equal(nb_simulate(&step->problem, STEPS, &options, NULL, NULL, NULL), NB_OK);
    assert_int_equal(NB(nb_model_create)(&step->model, &step->problem, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_cone_create)(&step->cone, step->model, NB_INNER_DIRECT, NULL), NB_OK);
    assert_true(step->model->bilateral_blocks > 0 && step->model->contacts > 0);
    NB(nb_cone_begin)(step->cone);
}

static void close_beam(struct step *step)
{
    NB(nb_cone_free)(step->cone);
    NB(nb_model_free)(step->model);
    nb_problem_free(&step->problem);
}

/* F of contact row block i in extended precision, z = p - rho U - sigma (p - a). */
static void define(const struct NB(nb_cone) *cone, size_t i, long double *f)
{
    const long double mu = cone->model->friction[i / 3 - (size_t)cone->model->bilateral_blocks];
    long double z[3];
    for (size_t r = 0; r < 3; ++r)
        z[r] = cone->p[i + r] - (long double)cone->rho[i + r] * cone->velocity[i + r] -
               (long double)cone->sigma * ((long double)cone->p[i + r] - cone->anchor[i + r]);
    const long double normal = z[0] > 0 ? z[0] : 0, slip = hypotl(z[1], z[2]);
    const long double share = slip > mu * normal ? mu * normal / slip : 1;
    f[0] = cone->p[i] - normal;
    for (size_t r = 1; r < 3; ++r)
        f[r] = cone->p[i + r] - share * z[r];
}

/* Open, sticking and sliding contacts, with a proximal term. */
TEST(test_map)
{
    struct step step = {0};
    uint32_t seed = 5;
    open_beam(&step);
    struct NB(nb_cone) *cone = step.cone;
    const size_t bilateral = 3 * (size_t)step.model->bilateral_blocks;
    cone->sigma = NB_REAL(0.3);
    for (int n = 0; n < SAMPLES; ++n) {
        for (size_t i = 0; i < cone->rows; ++i) {
            cone->p[i] = (nb_real)test_uniform(&seed);
            cone->anchor[i] = (nb_real)test_uniform(&seed);
        }
        NB(nb_cone_evaluate)(cone, cone->u, cone->p);
        for (size_t i = bilateral; i < cone->rows; i += 3) {
            long double f[3];
            define(cone, i, f);
            for (size_t r = 0; r < 3; ++r)
                assert_true(nb_abs(cone->residual[i + r] - (nb_real)f[r]) <=
                            16 * UNIT * (2 + nb_abs(cone->rho[i] * cone->velocity[i + r])));
        }
    }
    close_beam(&step);
}

/* Every row is held, and its F is rho U to its own round-off, however small beside p. */
TEST(test_large_forces)
{
    struct step step = {0};
    open_beam(&step);
    struct NB(nb_cone) *cone = step.cone;
    for (size_t i = 0; i < cone->rows; i += 3)
        cone->p[i] = NB_REAL(1e4);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    const nb_real far = NB(nb_cone_natural)(cone, cone->p);
    nb_real energy = cone->defect_energy;
    for (size_t i = 0; i < cone->rows; ++i) {
        const nb_real exact = cone->rho[i] * cone->velocity[i];
        assert_true(nb_abs(cone->residual[i] - exact) <= 2 * UNIT * nb_abs(exact));
        energy += exact * cone->velocity[i];
    }
    assert_true(nb_abs(far - nb_sqrt(energy)) <= 100 * UNIT * far);
    close_beam(&step);
}

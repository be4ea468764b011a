/* The residual of a step as a nonsmooth equation, against Alart and Curnier's map by its definition, and where
 * forces are so large that what is left of a velocity is far below their round-off. */
#include "harness/simulate/simulate.h"
#include "tests/support/method_support.h"

#include "solvers/model/model.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"

enum { SAMPLES = 20, STEPS = 60 };
#define UNIT NB_REAL(NB_UNIT_ROUNDOFF)

struct step {
    struct nb_problem problem;
    struct NB(nb_model) *model;
    struct nb_nonsmooth *system;
};

/* Joints with bending stiffness, and contacts with the walls of a slot. */
static void open_beam(struct step *step)
{
    const char *const settings[] = {NULL};
    const struct nb_options options = test_options("proximal_newton", 100);
    test_scene(&step->problem, "beam", settings);
    assert_int_equal(nb_simulate(&step->problem, STEPS, &options, NULL, NULL, NULL), NB_OK);
    assert_int_equal(NB(nb_model_create)(&step->model, &step->problem, 1, NULL), NB_OK);
    assert_int_equal(nb_nonsmooth_create(&step->system, step->model, NB_FACTORS_LU, NULL), NB_OK);
    assert_true(step->model->bilateral_blocks > 0 && step->model->contacts > 0);
    nb_nonsmooth_begin(step->system);
}

static void close_beam(struct step *step)
{
    nb_nonsmooth_free(step->system);
    NB(nb_model_free)(step->model);
    nb_problem_free(&step->problem);
}

/* F of contact row block i in extended precision, z = p - rho U - sigma (p - a). */
static void define(const struct nb_nonsmooth *system, size_t i, long double *f)
{
    const long double mu = system->model->friction[i / 3 - (size_t)system->model->bilateral_blocks];
    long double z[3];
    for (size_t r = 0; r < 3; ++r)
        z[r] = system->p[i + r] - (long double)system->rho[i + r] * system->velocity[i + r] -
               (long double)system->sigma * ((long double)system->p[i + r] - system->anchor[i + r]);
    const long double normal = z[0] > 0 ? z[0] : 0, slip = hypotl(z[1], z[2]);
    const long double share = slip > mu * normal ? mu * normal / slip : 1;
    f[0] = system->p[i] - normal;
    for (size_t r = 1; r < 3; ++r)
        f[r] = system->p[i + r] - share * z[r];
}

/* Open, sticking and sliding contacts, with a proximal term. */
TEST(test_map)
{
    struct step step = {0};
    uint32_t seed = 5;
    open_beam(&step);
    struct nb_nonsmooth *system = step.system;
    const size_t bilateral = 3 * (size_t)step.model->bilateral_blocks;
    system->sigma = NB_REAL(0.3);
    for (int n = 0; n < SAMPLES; ++n) {
        for (size_t i = 0; i < system->rows; ++i) {
            system->p[i] = (nb_real)test_uniform(&seed);
            system->anchor[i] = (nb_real)test_uniform(&seed);
        }
        nb_nonsmooth_evaluate(system, system->u, system->p);
        for (size_t i = bilateral; i < system->rows; i += 3) {
            long double f[3];
            define(system, i, f);
            for (size_t r = 0; r < 3; ++r)
                assert_true(nb_abs(system->residual[i + r] - (nb_real)f[r]) <=
                            16 * UNIT * (2 + nb_abs(system->rho[i] * system->velocity[i + r])));
        }
    }
    close_beam(&step);
}

/* Every row is held, and its F is rho U to its own round-off, however small beside p. */
TEST(test_large_forces)
{
    struct step step = {0};
    open_beam(&step);
    struct nb_nonsmooth *system = step.system;
    for (size_t i = 0; i < system->rows; i += 3)
        system->p[i] = NB_REAL(1e4);
    nb_nonsmooth_evaluate(system, system->u, system->p);
    const nb_real far = nb_nonsmooth_natural_norm(system, system->p);
    nb_real energy = system->defect_energy;
    for (size_t i = 0; i < system->rows; ++i) {
        const nb_real exact = system->rho[i] * system->velocity[i];
        assert_true(nb_abs(system->residual[i] - exact) <= 2 * UNIT * nb_abs(exact));
        energy += exact * system->velocity[i];
    }
    assert_true(nb_abs(far - nb_sqrt(energy)) <= 100 * UNIT * far);
    close_beam(&step);
}

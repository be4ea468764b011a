/* The exact derivatives of a nonlinear step against differences of its own violation and J^T p: all
 * kinds of joints and their limits, contacts between turning bodies, round ones included, and
 * particles held by bodies and by each other. */
#include "tests/support/support.h"

#include "tests/support/limit_samples.h"
#include "tests/support/particle_samples.h"

#include "solvers/model/model.h"

struct sample {
    struct NB(nb_model) *model;
    nb_real *u, *p, *slope, *pairs, *momentum[2], *violation[2];
    int *pair_start;
    size_t rows, dofs;
};

static void open_sample(struct sample *s, const struct nb_problem *problem)
{
    uint32_t seed = 77;
    assert_int_equal(NB(nb_model_create)(&s->model, problem, 1, NULL), NB_OK);
    const struct NB(nb_bsr) *jacobian = &s->model->jacobian;
    s->rows = 3 * (size_t)s->model->blocks;
    s->dofs = 3 * (size_t)s->model->nodes;
    s->pair_start = calloc((size_t)s->model->blocks + 1, sizeof *s->pair_start);
    for (int i = 0; i < s->model->blocks; ++i) {
        const int nodes = jacobian->start[i + 1] - jacobian->start[i];
        s->pair_start[i + 1] = s->pair_start[i] + nodes * nodes;
    }
    s->u = calloc(s->dofs, sizeof *s->u);
    s->p = calloc(s->rows, sizeof *s->p);
    s->slope = calloc(9 * (size_t)jacobian->start[s->model->blocks], sizeof *s->slope);
    s->pairs = calloc(9 * (size_t)s->pair_start[s->model->blocks], sizeof *s->pairs);
    for (int k = 0; k < 2; ++k) {
        s->momentum[k] = calloc(s->dofs, sizeof *s->momentum[k]);
        s->violation[k] = calloc(s->rows, sizeof *s->violation[k]);
    }
    for (size_t i = 0; i < s->dofs; ++i)
        s->u[i] = (nb_real)(20 * test_uniform(&seed));
    for (size_t i = 0; i < s->rows; ++i)
        s->p[i] = (nb_real)test_uniform(&seed);
}

static void close_sample(struct sample *s)
{
    NB(nb_model_free)(s->model);
    for (int k = 0; k < 2; ++k) {
        free(s->momentum[k]);
        free(s->violation[k]);
    }
    free(s->u);
    free(s->p);
    free(s->slope);
    free(s->pairs);
    free(s->pair_start);
}

static void evaluate_at(struct sample *s, size_t column, nb_real by, int k)
{
    const nb_real kept = s->u[column];
    s->u[column] = kept + by;
    NB(nb_model_evaluate)(s->model, s->u);
    NB(nb_model_gather)(s->model, s->p, s->momentum[k]);
    memcpy(s->violation[k], s->model->violation, s->rows * sizeof *s->violation[k]);
    s->u[column] = kept;
}

/* Column `column` of the derivatives, from their blocks. */
static void sum_column(const struct sample *s, size_t column, double *moved, double *pushed)
{
    const struct NB(nb_bsr) *jacobian = &s->model->jacobian;
    const int node = (int)column / 3, c = (int)column % 3;
    memset(moved, 0, s->rows * sizeof *moved);
    memset(pushed, 0, s->dofs * sizeof *pushed);
    for (int i = 0; i < s->model->blocks; ++i) {
        const int first = jacobian->start[i], count = jacobian->start[i + 1] - first;
        for (int k = 0; k < count; ++k) {
            if (jacobian->column[first + k] != node)
                continue;
            for (int r = 0; r < 3; ++r) {
                moved[3 * i + r] += (double)s->slope[9 * (first + k) + 3 * r + c];
                for (int j = 0; j < count; ++j)
                    pushed[3 * jacobian->column[first + j] + r] +=
                        (double)s->pairs[9 * (s->pair_start[i] + j * count + k) + 3 * r + c];
            }
        }
    }
}

static double largest(const nb_real *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs((double)x[i]));
    return most;
}

static void check_differences(const struct nb_problem *problem)
{
    struct sample s;
    open_sample(&s, problem);
    double *moved = calloc(s.rows, sizeof *moved), *pushed = calloc(s.dofs, sizeof *pushed);
    NB(nb_model_evaluate)(s.model, s.u);
    NB(nb_model_curvature)(s.model, s.u, s.p, s.pair_start, s.slope, s.pairs);
    for (int i = s.model->bilateral_blocks; i < s.model->blocks; ++i)
        NB(nb_model_contact_pairs)
    (s.model, i, s.u, s.p, s.pairs + 9 * (size_t)s.pair_start[i]);
    /* Central differences: round-off over the step against its square. */
    const double unit = (double)NB_UNIT_ROUNDOFF, step = cbrt(unit) / problem->time_step;
    for (size_t column = 0; column < s.dofs; ++column) {
        evaluate_at(&s, column, (nb_real)step, 0);
        evaluate_at(&s, column, (nb_real)-step, 1);
        sum_column(&s, column, moved, pushed);
        const double room = 40 * unit / step + 40 * pow(step * problem->time_step, 2);
        for (size_t i = 0; i < s.rows; ++i)
            assert_true(fabs((double)(s.violation[0][i] - s.violation[1][i]) / (2 * step) -
                             moved[i]) <= room * (1 + largest(s.violation[0], s.rows)));
        for (size_t i = 0; i < s.dofs; ++i)
            assert_true(fabs((double)(s.momentum[0][i] - s.momentum[1][i]) / (2 * step) -
                             pushed[i]) <= room * (1 + largest(s.momentum[0], s.dofs)));
    }
    free(moved);
    free(pushed);
    close_sample(&s);
}

TEST(test_joints)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_jointed(&problem, 0.3, 1);
    check_differences(&problem);
}

/* Turned by up to 0.6 rad out of the axes that a hinge keeps. */
TEST(test_limits)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_limited(&problem, 0.6);
    check_differences(&problem);
}

TEST(test_contacts)
{
    const char *const scenes[] = {"two_boxes", "leaning_capsule", "ball_drop", "heavy_stack"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[i], NULL);
        check_differences(&problem);
    }
}

TEST(test_particles)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_particle_sample(&problem);
    check_differences(&problem);
}

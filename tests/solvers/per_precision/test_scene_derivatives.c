/* Every scene's linearised step against the nonlinear step itself, which the model of this
 * precision evaluates: with violation(u) = (c_b, C_n)/h at q- (+) h u and the tangents' relative
 * velocity,
 *
 *     violation(0) = (b, w),   d violation / du = (G^T, H^T),
 *     momentum:  d/du [M u - J(u)^T p(u)] = M as folded,  p = -(h^2/E) c_b(u)/h of compliant rows,
 *
 * by central differences along random directions. The last one holds where joints are closed at
 * q-. */
#include "tests/support/support.h"

#include "problems/joints.h"
#include "problems/scene.h"
#include "solvers/model/model.h"

#define U ((double)NB_UNIT_ROUNDOFF)

enum { DIRECTIONS = 3 };

struct step {
    struct nb_problem problem, linear;
    struct NB(nb_model) *model;
    int dofs, multipliers, compliant; /* compliant: rows that the linear step folds into M */
    double move;                      /* of a difference: h move is a displacement [m] */
    double *direction;                /* [dofs] */
    nb_real *u;                       /* [3 nodes] */
};

static void open_step(struct step *step, const char *scene)
{
    struct nb_error error;
    test_scene(&step->problem, scene, NULL);
    if (nb_problem_linearize(&step->problem, &step->linear, &error) ||
        NB(nb_model_create)(&step->model, &step->problem, 1, &error))
        fail_msg("%s: %s", scene, error.text);
    step->dofs = nb_problem_dofs(&step->problem);
    step->multipliers = nb_problem_multipliers(&step->problem);
    step->compliant = nb_problem_bilaterals(&step->problem) - step->linear.linear.bilaterals;
    step->move = cbrt(U) / step->problem.time_step;
    step->direction = calloc((size_t)step->dofs + 1, sizeof *step->direction);
    step->u = calloc(3 * (size_t)step->model->nodes + 1, sizeof *step->u);
}

static void close_step(struct step *step)
{
    NB(nb_model_free)(step->model);
    nb_problem_free(&step->problem);
    nb_problem_free(&step->linear);
    free(step->direction);
    free(step->u);
}

/* Evaluates at u = factor direction. */
static void evaluate(struct step *step, double factor)
{
    OWNS(free_at) double *u = malloc(((size_t)step->dofs + 1) * sizeof *u);
    for (int i = 0; i < step->dofs; ++i)
        u[i] = factor * step->direction[i];
    NB(nb_model_narrow_velocity)(step->model, u, step->u);
    NB(nb_model_evaluate)(step->model, step->u);
}

/* The violations [multipliers] at u = factor direction, in the problem's order. */
static void violations(struct step *step, double factor, double *out)
{
    evaluate(step, factor);
    const int contacts = nb_problem_contacts(&step->problem);
    const int bilaterals = step->multipliers - 3 * contacts;
    for (int i = 0; i < bilaterals; ++i)
        out[i] = (double)step->model->violation[step->model->bilateral_entry[i]];
    for (int i = 0; i < 3 * contacts; ++i)
        out[bilaterals + i] = (double)step->model->violation[3 * step->model->bilateral_blocks + i];
}

/* Of the size of what is compared: lengths up to some metres, in units of h; and a short distance turns by more, which
 * differences see by its square. */
static double tolerance(const struct step *step, double slope)
{
    double reach = 1;
    for (int i = 0; i < 3 * step->problem.bodies.count; ++i)
        reach = fmax(reach, fabs(step->problem.bodies.position[i]));
    for (int i = 0; i < step->problem.distances.count; ++i)
        reach = fmax(reach, pow(0.2 / step->problem.distances.length[i], 2));
    return 100 * pow(U, 2. / 3) * reach * (1 + slope);
}

static void near(const struct step *step, const char *what, int row, double found, double wanted,
                 double within)
{
    if (!(fabs(found - wanted) <= within))
        fail_msg("%s: %s, row %d: %.9g, linearised %.9g (tolerance %.2g)", step->problem.name, what,
                 row, found, wanted, within);
}

/* A ball that is not turned: its angle is a size, which grows whichever way it turns. */
static int has_no_slope(const struct step *step, int contact_row)
{
    const struct nb_problem *problem = &step->problem;
    const int limit = contact_row / 3 - problem->contacts.count;
    if (contact_row < 0 || contact_row % 3 > 0 || limit < 0)
        return 0;
    const int joint = problem->limits.joint[limit];
    return problem->joints.kind[joint] == NB_JOINT_BALL && nb_joint_coordinate(problem, joint) < 1e-9;
}

/* Contact rows at q-, and hard bilateral rows; those that are folded have no row. */
static void check_rows(struct step *step, double *at, double *ahead, double *behind, double *kept,
                       double *slope)
{
    const struct nb_linear_step *linear = &step->linear.linear;
    const int p = linear->bilaterals, n = 3 * linear->contacts;
    violations(step, 0, at);
    violations(step, step->move, ahead);
    violations(step, -step->move, behind);
    for (int i = 0; i < step->multipliers; ++i)
        ahead[i] = (ahead[i] - behind[i]) / (2 * step->move);
    nb_problem_linear_multipliers(&step->problem, at, kept);
    nb_problem_linear_multipliers(&step->problem, ahead, behind);
    nb_csr_multiply(&linear->bilateral_jacobian, step->direction, slope, 0);
    nb_csr_multiply(&linear->contact_jacobian, step->direction, slope + p, 0);
    for (int i = 0; i < p + n; ++i) {
        const double wanted =
            i < p ? linear->bilateral_velocity[i] : linear->contact_velocity[i - p];
        near(step, "value", i, kept[i], wanted,
             100 * U * (1 + fabs(wanted)) / step->problem.time_step);
        if (!has_no_slope(step, i - p))
            near(step, "slope", i, behind[i], slope[i], tolerance(step, fabs(slope[i])));
    }
}

TEST(rows_are_those_of_the_nonlinear_step)
{
    for (const struct nb_scene *const *each = nb_scenes(); *each; ++each) {
        struct step step = {0};
        uint32_t seed = 5;
        open_step(&step, (*each)->name);
        double *room = calloc(5 * (size_t)step.multipliers + 1, sizeof *room);
        const size_t m = (size_t)step.multipliers;
        for (int d = 0; d < DIRECTIONS; ++d) {
            for (int i = 0; i < step.dofs; ++i)
                step.direction[i] = 2 * test_uniform(&seed);
            check_rows(&step, room, room + m, room + 2 * m, room + 3 * m, room + 4 * m);
        }
        free(room);
        close_step(&step);
    }
}

/* J(u)^T p(u) [dofs] of the compliant rows of joints. */
static void compliant_force(struct step *step, double factor, nb_real *impulse, nb_real *momentum,
                            double *out)
{
    const struct NB(nb_model) *model = step->model;
    evaluate(step, factor);
    for (int i = 0; i < 3 * model->blocks; ++i)
        impulse[i] = 0;
    for (int i = 0; i < 3 * model->bilateral_blocks; ++i) {
        const nb_real compliance = model->bilateral_compliance[9 * (i / 3) + 4 * (i % 3)];
        if (compliance > 0)
            impulse[i] = -model->violation[i] / compliance;
    }
    NB(nb_model_gather)(model, impulse, momentum);
    NB(nb_model_widen_velocity)(model, momentum, out);
}

static void check_fold(struct step *step)
{
    const size_t n = (size_t)step->dofs + 1;
    nb_real *impulse = calloc(3 * (size_t)step->model->blocks + 1, sizeof *impulse);
    nb_real *momentum = calloc(3 * (size_t)step->model->nodes + 1, sizeof *momentum);
    double *room = calloc(4 * n, sizeof *room), *ahead = room + n, *behind = room + 2 * n;
    double *folded = room + 3 * n, largest = 0;
    struct nb_csr mass = {0};
    assert_int_equal(nb_problem_mass(&step->problem, &mass, NULL), NB_OK);
    compliant_force(step, step->move, impulse, momentum, ahead);
    compliant_force(step, -step->move, impulse, momentum, behind);
    nb_csr_multiply(&mass, step->direction, room, 0);
    nb_csr_multiply(&step->linear.linear.mass, step->direction, folded, 0);
    for (int i = 0; i < step->dofs; ++i)
        largest = fmax(largest, fabs(folded[i]));
    for (int i = 0; i < step->dofs; ++i)
        near(step, "folded mass", i, room[i] - (ahead[i] - behind[i]) / (2 * step->move), folded[i],
             tolerance(step, largest) * largest);
    nb_csr_free(&mass);
    free(impulse);
    free(momentum);
    free(room);
}

TEST(compliance_is_folded_into_the_mass)
{
    int checked = 0;
    for (const struct nb_scene *const *each = nb_scenes(); *each; ++each) {
        struct step step = {0};
        uint32_t seed = 23;
        open_step(&step, (*each)->name);
        for (int i = 0; i < step.dofs; ++i)
            step.direction[i] = 2 * test_uniform(&seed);
        /* An element's compliance is a block, and its rows are not zero at rest of the others. */
        if (step.compliant > 0 && step.problem.tetrahedra.count == 0) {
            check_fold(&step);
            ++checked;
        }
        close_step(&step);
    }
    assert_true(checked >= 2); /* the beam and the soft pendulum */
}

/* Contacts of rigid bodies as a model evaluates them, in vectors, against the code that solvers on a CUDA
 * device share: the same rows to round-off, wherever each side's body stands in the Jacobian. */
#include "tests/support/support.h"

#include "solvers/model/rows/contact_rows.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static void compare(const nb_real *a, const nb_real *b, size_t count, double size)
{
    for (size_t i = 0; i < count; ++i)
        assert_true(fabs((double)a[i] - (double)b[i]) <= 16 * U * size);
}

static double largest(const nb_real *values, size_t count, double floor)
{
    for (size_t i = 0; i < count; ++i)
        floor = fmax(floor, fabs((double)values[i]));
    return floor;
}

static void check_problem(const struct nb_problem *problem, double speed)
{
    struct NB(nb_model) *model = NULL;
    uint32_t seed = 4;
    assert_int_equal(NB(nb_model_create)(&model, problem, 1, NULL), NB_OK);
    const size_t nodes = 3 * (size_t)model->nodes, rows = 3 * (size_t)model->blocks;
    const size_t entries = 9 * (size_t)model->jacobian.start[model->blocks];
    OWNS(free_at) nb_real *u = malloc(nodes * sizeof *u);
    OWNS(free_at) nb_real *violation = malloc(rows * sizeof *violation), *value = malloc(entries * sizeof *value);
    for (size_t i = 0; i < nodes; ++i)
        u[i] = (nb_real)(speed * test_uniform(&seed));
    NB(nb_model_evaluate)(model, u);
    for (size_t i = 0; i < entries; ++i)
        value[i] = (nb_real)model->jacobian.value[i];
    memcpy(violation, model->violation, rows * sizeof *violation);
    for (int i = 0; i < model->nonlinear->contacts.count; ++i)
        NB(nb_evaluate_contact)(model, i, u);
    OWNS(free_at) nb_real *again = malloc(entries * sizeof *again);
    for (size_t i = 0; i < entries; ++i)
        again[i] = (nb_real)model->jacobian.value[i];
    compare(value, again, entries, largest(again, entries, 1));
    const double reach = largest(model->nonlinear->bodies.position,
                                 3 * (size_t)model->nonlinear->bodies.count, 1);
    compare(violation, model->violation, rows,
            reach / problem->time_step + speed * largest(again, entries, 1));
    NB(nb_model_free)(model);
}

TEST(test_scenes)
{
    const char *scenes[] = {"arch", "heavy_stack", "balls_in_cube", "beam", "leaning_capsule",
                            "hinge_limits", "pneunet", "table_pile"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[k], NULL);
        check_problem(&problem, 0);
        check_problem(&problem, 3);
    }
}

/* Sides in either order, and one that is the world. */
TEST(test_either_side)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "arch", NULL);
    struct nb_contacts *contacts = &problem.contacts;
    for (int i = 0; i < contacts->count; i += 2) {
        const int body = contacts->body[2 * i];
        contacts->body[2 * i] = contacts->body[2 * i + 1];
        contacts->body[2 * i + 1] = body;
    }
    check_problem(&problem, 1);
}

/* Joints and limits in the model of this precision: values and Jacobian against the double
 * reference at q+, and the mapping of their multipliers through padded blocks. */
#include "tests/support/support.h"

#include "tests/support/limit_samples.h"
#include "tests/support/near.h"

#include "solvers/model/model.h"

#define U ((double)NB_UNIT_ROUNDOFF)

enum { DOFS = 6 * JOINTED_BODIES };

static void velocities(nb_real *u, double *wide)
{
    uint32_t seed = 9;
    for (int i = 0; i < DOFS; ++i) {
        u[i] = (nb_real)(4 * test_uniform(&seed));
        wide[i] = (double)u[i];
    }
}

TEST(test_values_and_jacobian)
{
    OWNS(nb_problem_free) struct nb_problem problem, ahead;
    struct NB(nb_model) *model = NULL;
    double wide[DOFS], value[JOINTED_ROWS], dense[JOINTED_ROWS * DOFS];
    nb_real u[DOFS];
    make_jointed(&problem, 0.3, 1);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    velocities(u, wide);
    NB(nb_model_evaluate)(model, u);
    jointed_ahead(&problem, wide, &ahead);
    /* What the world's frames prescribe for the next step is not part of this one. */
    memcpy(ahead.joints.point, problem.joints.point, 6 * JOINTED_JOINTS * sizeof(double));
    jointed_values(&ahead, value);
    jointed_jacobian(&ahead, dense);
    for (int i = 0; i < JOINTED_ROWS; ++i) {
        const int row = model->bilateral_entry[i], block = row / 3;
        assert_near((double)model->violation[row], value[i] / problem.time_step,
                    40 * U / problem.time_step);
        for (int k = model->jacobian.start[block]; k < model->jacobian.start[block + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                dense[i * DOFS + 3 * model->jacobian.column[k] + c] -=
                    (double)model->jacobian.value[9 * k + 3 * (row % 3) + c];
    }
    for (int i = 0; i < JOINTED_ROWS * DOFS; ++i)
        assert_near(dense[i], 0, 40 * U);
    NB(nb_model_free)(model);
}

/* The normal row at q+; the tangents stay those of q-, and their violation is J u. */
TEST(test_limits)
{
    OWNS(nb_problem_free) struct nb_problem problem, ahead;
    struct NB(nb_model) *model = NULL;
    double wide[DOFS], gap[LIMITED_LIMITS], dense[3 * LIMITED_LIMITS * DOFS];
    double at_start[3 * LIMITED_LIMITS * DOFS];
    nb_real u[DOFS];
    make_limited(&problem, 0.3);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    assert_int_equal(model->contacts, LIMITED_LIMITS);
    velocities(u, wide);
    NB(nb_model_evaluate)(model, u);
    jointed_ahead(&problem, wide, &ahead);
    limit_gaps(&ahead, gap);
    limit_jacobian(&ahead, dense);
    limit_jacobian(&problem, at_start);
    for (int i = 0; i < 3 * LIMITED_LIMITS; ++i) {
        const int block = model->bilateral_blocks + i / 3;
        double *row = dense + i * DOFS, rate = 0;
        if (i % 3 > 0)
            memcpy(row, at_start + i * DOFS, DOFS * sizeof *row);
        for (int k = 0; k < DOFS; ++k)
            rate += row[k] * wide[k];
        const double expected = i % 3 ? rate : gap[i / 3] / problem.time_step;
        assert_near((double)model->violation[3 * model->bilateral_blocks + i], expected,
                    80 * U / problem.time_step);
        for (int k = model->jacobian.start[block]; k < model->jacobian.start[block + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                row[3 * model->jacobian.column[k] + c] -=
                    (double)model->jacobian.value[9 * k + 3 * (i % 3) + c];
        assert_true(model->friction[i / 3] == 0);
    }
    for (int i = 0; i < 3 * LIMITED_LIMITS * DOFS; ++i)
        assert_near(dense[i], 0, 40 * U);
    NB(nb_model_free)(model);
}

/* Blocks belong to one joint each; padding is inert: no Jacobian, no violation, compliance 1. */
TEST(test_blocks_and_padding)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct NB(nb_model) *model = NULL;
    nb_real u[DOFS] = {0};
    int used[64] = {0};
    make_jointed(&problem, 0.3, 1);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    assert_int_equal(model->bilaterals, JOINTED_ROWS);
    assert_int_equal(model->bilateral_blocks, 10); /* 3 of two blocks, 4 balls */
    NB(nb_model_evaluate)(model, u);
    for (int joint = 0, row = 0; joint < JOINTED_JOINTS; ++joint)
        for (int k = 0; k < nb_joint_rows((enum nb_joint_kind)problem.joints.kind[joint]); ++k) {
            const int entry = model->bilateral_entry[row++];
            used[entry] = 1;
            assert_int_equal(entry % 3, k % 3);
            assert_near((double)model->bilateral_compliance[3 * entry + entry % 3],
                        problem.joints.compliance[6 * joint + k] /
                            (problem.time_step * problem.time_step),
                        2 * U * 100);
        }
    for (int i = 0; i < 3 * model->bilateral_blocks; ++i) {
        if (used[i])
            continue;
        assert_true(model->bilateral_compliance[3 * i + i % 3] == 1 && model->violation[i] == 0);
        for (int k = model->jacobian.start[i / 3]; k < model->jacobian.start[i / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                assert_true(model->jacobian.value[9 * k + 3 * (i % 3) + c] == 0);
    }
    NB(nb_model_free)(model);
}

TEST(test_multipliers_go_there_and_back)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct NB(nb_model) *model = NULL;
    double lambda[JOINTED_ROWS], back[JOINTED_ROWS];
    nb_real padded[30];
    make_jointed(&problem, 0, 0);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    for (int i = 0; i < JOINTED_ROWS; ++i)
        lambda[i] = i + 1;
    NB(nb_model_narrow_multiplier)(model, lambda, padded);
    NB(nb_model_widen_multiplier)(model, padded, back);
    assert_memory_equal(lambda, back, sizeof lambda);
    int zeros = 0;
    for (int i = 0; i < 30; ++i)
        zeros += padded[i] == 0;
    assert_int_equal(zeros, 2);
    NB(nb_model_free)(model);
}

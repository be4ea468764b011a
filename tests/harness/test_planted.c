/* Planted steps: rank and condition of W by a singular value decomposition, and the planted solution by our judge. */
#include "tests/support/method_support.h"

#include <lapacke.h>

#include "harness/judge/features.h"
#include "harness/judge/metrics.h"
#include "problems/planted.h"

static void make(const struct nb_planted *planted, struct nb_problem *problem, double **u, double **lambda)
{
    assert_ok(nb_planted_make(planted, problem, u, lambda, &why));
    assert_ok(nb_problem_validate(problem, &why));
}

/* Singular values of W, descending. */
static double *singular_values(const struct nb_problem *problem, int *rows)
{
    OWNS(nb_problem_free) struct nb_problem local = {0};
    double unused;
    if (problem->form == NB_LINEAR_GLOBAL)
        test_condense(problem, &local, test_dense_solve);
    double *matrix = test_dense(local.form ? &local.linear.delassus : &problem->linear.delassus);
    *rows = 3 * nb_problem_contacts(problem);
    double *values = calloc((size_t)*rows, sizeof *values), *work = calloc((size_t)*rows, sizeof *work);
    assert_true(values && work);
    assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', *rows, *rows, matrix, *rows, values, &unused, 1,
                                    &unused, 1, work), 0);
    free(matrix);
    free(work);
    return values;
}

static double judge(const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct nb_judge *judge;
    struct nb_metrics errors;
    assert_ok(nb_judge_create(&judge, problem, &why));
    nb_judge_evaluate(judge, u, lambda, &errors);
    nb_judge_free(judge);
    return errors.step_error;
}

static const struct nb_planted samples[] = {
    {NB_LINEAR_GLOBAL, 1, 0, 0, 1, 0.5, 0, 0, 1, 0},
    {NB_LINEAR_GLOBAL, 1, 9, 2, 1, 0.5, 0, 1, 2, 0},
    {NB_LINEAR_GLOBAL, 20, 0, 0, 100, 0.5, 0.3, 0.3, 3, 0},
    {NB_LINEAR_GLOBAL, 20, 45, 15, 1e6, 0.8, 0.3, 0.3, 4, 0},
    {NB_LINEAR_GLOBAL, 12, 90, 7, 1e8, 0, 0.5, 0.5, 5, 0},
    {NB_LINEAR_LOCAL, 20, 0, 0, 1e4, 1.5, 0.1, 0.2, 6, 0},
    {NB_LINEAR_LOCAL, 30, 0, 40, 1e6, 0.3, 0.4, 0.4, 7, 0},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

TEST(rank_and_condition_are_those_asked_for)
{
    for (int s = 0; s < SAMPLES; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_features features;
        OWNS(free_at) double *u, *lambda;
        int rows;
        make(&samples[s], &problem, &u, &lambda);
        const int rank = 3 * samples[s].contacts - samples[s].deficiency;
        OWNS(free_at) double *values = singular_values(&problem, &rows);
        assert_int_equal(rows, 3 * samples[s].contacts);
        assert_true(fabs(values[0] - 1) < 1e-12);
        if (fabs(values[0] / values[rank - 1] / samples[s].condition - 1) > 1e-14 * samples[s].condition + 1e-12)
            fail_msg("sample %d: condition %.17g, not %g", s, values[0] / values[rank - 1], samples[s].condition);
        if (rank < rows && values[rank] > 1e-13)
            fail_msg("sample %d: singular value %d is %g", s, rank, values[rank]);
        nb_features(&problem, &features);
        assert_int_equal(features.rank, rank);
    }
}

/* Up to the rounding of w and f, which are of the size of 1, beside what the smallest approach has to undo. */
TEST(the_planted_solution_is_one)
{
    for (int s = 0; s < SAMPLES; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(free_at) double *u, *lambda;
        make(&samples[s], &problem, &u, &lambda);
        const double error = judge(&problem, u, lambda);
        if (!(error < 1e-11))
            fail_msg("sample %d: step_error %g", s, error);
        for (int i = 0; i < 3 * samples[s].contacts; ++i) /* and what is none is told from it */
            lambda[i] += 0.1;
        assert_true(judge(&problem, u, lambda) > 1e-3);
    }
}

/* Shares of states, and equal seeds. */
TEST(contacts_have_the_states_asked_for)
{
    const struct nb_planted planted = {NB_LINEAR_LOCAL, 200, 0, 0, 10, 0.5, 0.25, 0.5, 8, 0};
    OWNS(nb_problem_free) struct nb_problem problem, again;
    OWNS(free_at) double *u, *lambda, *other_u, *other_lambda;
    int count[3] = {0}, status[200];
    struct nb_judge *judge;
    make(&planted, &problem, &u, &lambda);
    make(&planted, &again, &other_u, &other_lambda);
    assert_memory_equal(lambda, other_lambda, 600 * sizeof *lambda);
    assert_memory_equal(problem.linear.delassus.value, again.linear.delassus.value, sizeof(double) * 600 * 600);
    assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
    nb_judge_status(judge, u, lambda, status);
    for (int i = 0; i < 200; ++i)
        ++count[status[i]];
    assert_in_range(count[0], 30, 70);
    assert_in_range(count[1], 30, 120); /* rounding may take a sliding contact's velocity for none */
    assert_int_equal(count[0] + count[1] + count[2], 200);
    nb_judge_free(judge);
}

TEST(settings_that_contradict_each_other_are_refused)
{
    static const struct {
        struct nb_planted planted;
        const char *said;
    } wrong[] = {
        {{NB_LINEAR_GLOBAL, 2, 0, 6, 10, 0.5, 0, 0, 1, 0}, "leaves no rank"},
        {{NB_LINEAR_GLOBAL, 2, 4, 1, 10, 0.5, 0, 0, 1, 0}, "4 velocities are fewer than the rank, 5"},
        {{NB_LINEAR_GLOBAL, 2, 0, 0, 10, 0.5, 0.6, 0.6, 1, 0}, "more than 1"},
        {{NB_LINEAR_GLOBAL, 2, 0, 0, 10, 0.5, 0, 0, 1, 3}, "3 opposed contacts are more than the 2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        struct nb_problem problem;
        struct nb_error error;
        double *u, *lambda;
        assert_int_equal(nb_planted_make(&wrong[i].planted, &problem, &u, &lambda, &error), NB_BAD_INPUT);
        if (!strstr(error.text, wrong[i].said))
            fail_msg("%s", error.text);
    }
}

/* Farkas: normal impulses of 1 along the opposed pairs move nothing and do the work -1 each: no velocity meets both. */
TEST(opposed_contacts_have_a_certificate)
{
    static const struct nb_planted wrong[] = {{NB_LINEAR_GLOBAL, 20, 45, 15, 1e6, 0.8, 0.3, 0.3, 4, 3},
                                              {NB_LINEAR_LOCAL, 5, 0, 0, 10, 0.5, 0.3, 0.3, 5, 5}};
    for (int s = 0; s < 2; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double *u, *lambda;
        make(&wrong[s], &problem, &u, &lambda);
        assert_null(u);
        assert_null(lambda);
        const int contacts = wrong[s].contacts, all = contacts + wrong[s].opposed;
        const struct nb_linear_step *step = &problem.linear;
        assert_int_equal(nb_problem_multipliers(&problem), 3 * all);
        double impulse[3 * 40] = {0}, motion[3 * 40] = {0}, undone = 0;
        for (int c = contacts; c < all; ++c)
            impulse[3 * c] = impulse[3 * (c - contacts)] = 1;
        for (int i = 0; i < 3 * all; ++i)
            undone += impulse[i] * step->contact_velocity[i];
        if (problem.form == NB_LINEAR_GLOBAL)
            nb_csr_multiply_transposed(&step->contact_jacobian, impulse, motion, 0);
        else
            nb_csr_multiply(&step->delassus, impulse, motion, 0);
        for (int i = 0; i < 3 * 40; ++i)
            assert_true(fabs(motion[i]) < 1e-15);
        assert_true(fabs(undone + wrong[s].opposed) < 1e-12);
    }
}

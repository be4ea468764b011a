/* Up- and downdates of a Cholesky factor: they must solve as a new factorisation does, for as long as only few
 * diagonal entries change, and give way to one everywhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "solvers/sparse/factor.h"
#include "tests/support/numbers.h"

enum { N = 90, BAND = 7 };

struct system {
    struct nb_csr matrix;
    struct nb_factor *changed, *anew;
};

static double *entry(struct system *system, int i, int j)
{
    for (int k = system->matrix.start[i]; k < system->matrix.start[i + 1]; ++k)
        if (system->matrix.column[k] == j)
            return &system->matrix.value[k];
    fail_msg("no entry (%d, %d)", i, j);
    return NULL;
}

/* A band beside which the first rows touch far ones. */
static void open_system(struct system *system)
{
    int row[N * (2 * BAND + 3)], column[N * (2 * BAND + 3)], count = 0;
    double value[N * (2 * BAND + 3)];
    seed = 4;
    for (int i = 0; i < N; ++i)
        for (int j = i; j < N; ++j) {
            if (j - i > BAND && (i > 0 || j % 9))
                continue;
            const double x = i == j ? 20 : uniform();
            row[count] = i, column[count] = j, value[count++] = x;
            if (i != j)
                row[count] = j, column[count] = i, value[count++] = x;
        }
    assert_int_equal(nb_csr_from_triplets(&system->matrix, N, N, count, row, column, value, NULL), NB_OK);
    const struct nb_factor_plan plan = {.low_rank = 0.1}, plain = {0};
    const struct nb_csr *m = &system->matrix;
    assert_int_equal(nb_factor_create_planned(&system->changed, N, m->start, m->column, &plan, NULL), NB_OK);
    assert_int_equal(nb_factor_create_planned(&system->anew, N, m->start, m->column, &plain, NULL), NB_OK);
}

static void close_system(struct system *system)
{
    nb_factor_free(system->changed);
    nb_factor_free(system->anew);
    nb_csr_free(&system->matrix);
}

static enum nb_status update(struct nb_factor *factor, const struct nb_csr *matrix)
{
    const int *index = nb_factor_index(factor);
    double *value = nb_factor_values(factor);
    for (int k = 0; k < matrix->start[N]; ++k)
        if (index[k] >= 0)
            value[index[k]] = matrix->value[k];
    return nb_factor_update(factor, NULL);
}

/* Both factors solve alike; returns how many updates of low rank there have been. */
static long check(struct system *system)
{
    double b[N], x[N], y[N];
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    assert_int_equal(update(system->changed, &system->matrix), NB_OK);
    assert_int_equal(update(system->anew, &system->matrix), NB_OK);
    assert_int_equal(nb_factor_solve(system->changed, b, x, NULL), NB_OK);
    assert_int_equal(nb_factor_solve(system->anew, b, y, NULL), NB_OK);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(x[i] - y[i]) < 1e-12);
    return nb_factor_low_rank_updates(system->changed);
}

static void test_few_changes_are_of_low_rank(void **state)
{
    struct system system;
    (void)state;
    open_system(&system);
    assert_int_equal(check(&system), 0);
    assert_int_equal(check(&system), 1); /* nothing has changed */
    long updates = 1;
    for (int round = 0; round < 60; ++round) { /* every 21st is a factorisation */
        for (int k = 0; k < 9; ++k)
            *entry(&system, (13 * round + 10 * k) % N, (13 * round + 10 * k) % N) = 20 + 8 * uniform();
        const long now = check(&system);
        assert_true(now == updates || now == updates + 1);
        updates = now;
    }
    assert_true(updates >= 55);
    close_system(&system);
}

static void test_other_changes_are_not(void **state)
{
    struct system system;
    (void)state;
    open_system(&system);
    check(&system);
    for (int i = 0; i < 10; ++i) /* more than a tenth */
        *entry(&system, i, i) += 1;
    assert_int_equal(check(&system), 0);
    *entry(&system, 3, 5) = *entry(&system, 5, 3) = 0.7; /* beside the diagonal */
    assert_int_equal(check(&system), 0);
    *entry(&system, 3, 3) += 1;
    assert_int_equal(check(&system), 1);
    close_system(&system);
}

/* An indefinite matrix is refused as Cholesky refuses it, and leaves nothing behind. */
static void test_downdates_to_an_indefinite_matrix(void **state)
{
    struct system system;
    const double bad[] = {-3, 0, NAN};
    (void)state;
    open_system(&system);
    check(&system);
    for (int k = 0; k < 3; ++k) {
        *entry(&system, 40, 40) = bad[k];
        assert_int_equal(update(system.changed, &system.matrix), NB_BREAKDOWN);
        *entry(&system, 40, 40) = 25;
        check(&system);
    }
    assert_int_equal(nb_factor_low_rank_updates(system.changed), 0);
    *entry(&system, 40, 40) = 20;
    assert_int_equal(check(&system), 1);
    close_system(&system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_changes_are_of_low_rank),
        cmocka_unit_test(test_other_changes_are_not),
        cmocka_unit_test(test_downdates_to_an_indefinite_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The dense Delassus matrix: of a particle by hand, and global against condensed. */
#include "tests/support/method_support.h"

#include "harness/judge/delassus_dense.h"

TEST(test_particle_matrix)
{
    const double force[3] = {-1, 0, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    double *matrix, values[3];
    int rows;
    test_particle(&problem, 4, 0.5, force);
    assert_int_equal(nb_delassus_dense(&problem, &matrix, &rows, NULL), NB_OK);
    assert_int_equal(rows, 3);
    for (int i = 0; i < 9; ++i)
        assert_true(fabs(matrix[i] - (i % 4 ? 0 : 0.25)) < 1e-15);
    assert_int_equal(nb_eigenvalues(matrix, rows, values, NULL), NB_OK);
    assert_true(fabs(values[0] - 0.25) < 1e-15 && fabs(values[2] - 0.25) < 1e-15);
    free(matrix);
}

TEST(test_global_and_condensed)
{
    OWNS(nb_problem_free) struct nb_problem global, local;
    double *a, *b, values[12], trace = 0, sum = 0;
    int rows, other;
    test_global(&global, 24, 4, 2, 1, 21);
    test_condense(&global, &local, test_dense_solve);
    assert_int_equal(nb_delassus_dense(&global, &a, &rows, NULL), NB_OK);
    assert_int_equal(nb_delassus_dense(&local, &b, &other, NULL), NB_OK);
    assert_int_equal(rows, 12);
    assert_int_equal(other, 12);
    for (int i = 0; i < 144; ++i)
        assert_true(fabs(a[i] - b[i]) < 1e-13);
    for (int i = 0; i < 12; ++i)
        trace += a[13 * i];
    assert_int_equal(nb_eigenvalues(a, rows, values, NULL), NB_OK);
    for (int i = 0; i < 12; ++i)
        sum += values[i];
    assert_true(fabs(sum - trace) < 1e-12);
    free(a);
    free(b);
}

TEST(test_no_contacts)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(free_at) double *matrix;
    int rows;
    test_global(&problem, 6, 0, 2, 0, 3);
    assert_int_equal(nb_delassus_dense(&problem, &matrix, &rows, NULL), NB_OK);
    assert_int_equal(rows, 0);
    assert_int_equal(nb_eigenvalues(matrix, rows, NULL, NULL), NB_OK);
}

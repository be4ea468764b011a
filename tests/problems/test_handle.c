/* Problems by pointer: what is set is what a file would give, and what is wrong leaves the problem as it was. */
#include "tests/support/test.h"

#include "problems/handle.h"
#include "problems/io/problem_file.h"
#include "tests/support/folder.h"

/* One contact, W = diag(2, 3, 4). */
static struct nb_linear_step one_contact(double *w)
{
    static int start[] = {0, 1, 2, 3}, column[] = {0, 1, 2};
    static double q[] = {-1, 0.5, 0}, mu[] = {0.3};
    return (struct nb_linear_step){.contacts = 1, .delassus = {3, 3, start, column, w}, .contact_velocity = q,
                                   .friction = mu};
}

TEST_IN_FOLDER(a_step_from_arrays_is_the_one_that_a_file_holds)
{
    double w[] = {2, 3, 4};
    struct nb_problem read;
    const struct nb_linear_step step = one_contact(w);
    struct nb_problem *problem = nb_problem_new();
    assert_ok(nb_problem_set_linear(problem, NB_LINEAR_LOCAL, "one", &step, &why));
    w[0] = 7; /* it has copies */
    assert_int_equal(nb_problem_form(problem), NB_LINEAR_LOCAL);
    assert_true(nb_problem_time_step(problem) == 1);
    assert_true(nb_csr_diagonal(&nb_problem_linear_step(problem)->delassus, 0) == 2);

    const char *path = test_path(&folder, "one.h5");
    assert_ok(nb_problem_write(path, problem, NULL, &why));
    assert_ok(nb_problem_read(path, &read, &why));
    assert_int_equal(read.form, NB_LINEAR_LOCAL);
    assert_string_equal(read.name, "one");
    assert_true(nb_csr_diagonal(&read.linear.delassus, 2) == 4);
    assert_true(read.linear.contact_velocity[1] == 0.5 && read.linear.friction[0] == 0.3);
    nb_problem_free(&read);
    nb_problem_delete(problem);
    nb_problem_delete(NULL);
}

TEST_IN_FOLDER(what_is_wrong_leaves_the_problem_as_it_was)
{
    double w[] = {2, 3, 4}, bad[] = {2, NAN, 4};
    struct nb_problem *problem = nb_problem_new();
    const struct nb_linear_step step = one_contact(w), wrong = one_contact(bad);
    struct nb_linear_step short_one = step;
    short_one.delassus.rows = 2;
    assert_ok(nb_problem_set_linear(problem, NB_LINEAR_LOCAL, "one", &step, &why));
    assert_refused(nb_problem_set_linear(problem, NB_LINEAR_LOCAL, "two", &wrong, &why), NB_BAD_INPUT, "nan");
    assert_int_equal(nb_problem_set_linear(problem, NB_LINEAR_LOCAL, "two", &short_one, &why), NB_BAD_INPUT);
    assert_int_equal(nb_problem_set_linear(problem, NB_NONLINEAR, "two", &step, &why), NB_BAD_INPUT);
    assert_string_equal(problem->name, "one");
    assert_true(nb_csr_diagonal(&nb_problem_linear_step(problem)->delassus, 1) == 3);
    nb_problem_delete(problem);
}

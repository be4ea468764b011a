/* Problems by pointer: what is set is what a file would give, and what is wrong leaves the problem as it was. */
#include "tests/support/test.h"

#include "problems/handle.h"
#include "problems/io/problem_file.h"
#include "problems/surface.h"
#include "tests/support/folder.h"
#include "tests/support/support.h"

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

TEST_IN_FOLDER(places_that_are_given_are_kept_and_written)
{
    double w[] = {2, 3, 4}, point[] = {1, 2, 3}, frame[] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, seen[12];
    int body[] = {4, -1}, bodies[2];
    const struct nb_linear_step step = one_contact(w);
    struct nb_problem *problem = nb_problem_new(), *read = nb_problem_new();
    assert_ok(nb_problem_set_linear(problem, NB_LINEAR_LOCAL, "one", &step, &why));
    assert_int_equal(nb_problem_places(problem, bodies, seen, seen + 3), 0);
    assert_ok(nb_problem_place(problem, &(struct nb_drawing){1, body, point, frame}, &why));
    point[0] = 7; /* it has copies */
    const char *path = test_path(&folder, "placed.h5");
    assert_ok(nb_problem_write(path, problem, NULL, &why));
    assert_ok(nb_problem_read(path, read, &why));
    assert_int_equal(nb_problem_places(read, bodies, seen, seen + 3), 1);
    assert_true(bodies[0] == 4 && bodies[1] == -1 && seen[0] == 1 && seen[2] == 3 && seen[5] == 1);

    point[1] = NAN;
    assert_int_equal(nb_problem_place(problem, &(struct nb_drawing){1, body, point, frame}, &why), NB_BAD_INPUT);
    assert_non_null(strstr(why.text, "drawing/point"));
    assert_int_equal(nb_problem_place(problem, &(struct nb_drawing){2, body, point, frame}, &why), NB_BAD_INPUT);
    assert_int_equal(nb_problem_places(problem, NULL, seen, NULL), 1);
    assert_true(seen[1] == 2);
    nb_problem_delete(problem);
    nb_problem_delete(read);
}

TEST(a_nonlinear_step_knows_where_its_contacts_are)
{
    struct nb_problem problem;
    double point[3 * 64], frame[9 * 64];
    int body[2 * 64];
    test_scene(&problem, "box_pyramid", (const char *[]){"rows=2", NULL});
    const int count = nb_problem_places(&problem, NULL, NULL, NULL);
    assert_true(count == nb_problem_contacts(&problem) && count > 0 && count <= 64);
    nb_problem_places(&problem, body, point, frame);
    for (int i = 0; i < count; ++i) {
        double a[3], b[3];
        nb_contact_point(&problem, i, 0, a);
        nb_contact_point(&problem, i, 1, b);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(2 * point[3 * i + k] - a[k] - b[k]) < 1e-14);
        assert_true(body[2 * i] == problem.contacts.body[2 * i] && frame[9 * i] == problem.contacts.frame[9 * i]);
    }
    assert_int_equal(nb_problem_place(&problem, &(struct nb_drawing){0}, &why), NB_BAD_INPUT);
    nb_problem_free(&problem);
}

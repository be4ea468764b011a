/* The time of all applications from those that were timed: one that is interrupted counts for itself alone, the sum is
 * never above the time of the linear solves, and islands' times are added to it. */
#include "tests/support/test.h"
#include "tests/support/near.h"

#include <math.h>

#include "solvers/application.h"
#include "solvers/solve.h"

/* So many applications of 2 us, of which those of that number take a second; returns how many were timed. */
static int apply(struct nb_run *run, int count, int slow)
{
    int timed = 0;
    for (int i = 0; i < count; ++i)
        if (nb_application_begins(run)) {
            nb_application_took(run, i == slow ? 1 : 2e-6);
            ++timed;
        }
    return timed;
}

TEST(an_interrupted_application_is_not_multiplied)
{
    struct nb_run run = {.linear_seconds = 10};
    assert_int_equal(apply(&run, 320, 160), 20);
    assert_int_equal(run.preconditioner_applications, 320);
    assert_near(nb_run_application(&run), 320 * 2e-6, 1e-12);
}

TEST(of_many_applications_fewer_are_timed)
{
    struct nb_run run = {.linear_seconds = 10};
    const int timed = apply(&run, 1 << 17, 1 << 16);
    assert_true(timed > 64 && timed < 1024);
    assert_true(run.applications.kept > 32 && run.applications.kept <= 64);
    assert_near(nb_run_application(&run), (1 << 17) * 2e-6, 1e-9);
}

TEST(applications_are_a_part_of_the_linear_solves)
{
    struct nb_run run = {.linear_seconds = 1e-4};
    assert_true(isnan(nb_run_application(&run)));
    apply(&run, 100, -1);
    assert_true(nb_run_application(&run) == 1e-4);
}

TEST(islands_are_added_each_with_its_own_median)
{
    struct nb_run run = {.linear_seconds = 10}, island = {.linear_seconds = 10}, untimed = {.linear_seconds = 10};
    apply(&run, 32, -1);
    apply(&island, 64, 0);
    untimed.preconditioner_applications = 5;
    nb_run_add_applications(&run, &island);
    nb_run_add_applications(&run, &untimed); /* at the price of those that were timed */
    assert_int_equal(run.preconditioner_applications, 32 + 64 + 5);
    assert_near(nb_run_application(&run), (32 + 64 + 5) * 2e-6, 1e-12);
}

/* When Gauss-Seidel sweeps cease to pay: sequences of changes whose rate is known. */
#include "tests/support/support.h"

#include "solvers/outer/proximal_newton/sweep_cost.h"

/* Sweeps that pay, of at most 1000, where each leaves `rate` of the change before. */
static int sweeps(double first, double rate, double newton_cost)
{
    struct nb_sweep_cost watch = {.sweep_cost = 1, .newton_cost = newton_cost, .aim = 1e-10};
    int count = 0;
    for (double change = first; count < 1000 && nb_sweeps_are_worthwhile(&watch, change); change *= rate)
        ++count;
    return count;
}

/* ln(1e-10) / ln(1/2) = 33.2: all of them where Newton is dearer than that, none where it is cheaper. */
TEST(test_a_known_rate)
{
    assert_int_equal(sweeps(1, 0.5, 1000), 34);
    assert_int_equal(sweeps(1, 0.5, 30), 34);
    assert_int_equal(sweeps(1, 0.5, 20), NB_SWEEP_WINDOW);
    assert_int_equal(sweeps(1, 0.999, 20), NB_SWEEP_WINDOW);
}

/* Predictions are not listened to before an eighth of Newton's cost is spent. */
TEST(test_a_stake)
{
    assert_int_equal(sweeps(1, 0.999, 800), 99);
    assert_int_equal(sweeps(1, 1, 800), 99);
    assert_int_equal(sweeps(1, 1.5, 400), 49);
}

TEST(test_no_unit_plays_a_part)
{
    for (double cost = 1; cost < 200; cost *= 1.5)
        assert_int_equal(sweeps(1, 0.7, cost), sweeps(1e-200, 0.7, cost));
}

/* Halves that keep the prediction below the cost, though the aim is never reached: the sum ends it. */
TEST(test_what_has_been_spent)
{
    for (int cost = 30; cost < 300; cost += 30) {
        struct nb_sweep_cost watch = {.sweep_cost = 1, .newton_cost = cost, .aim = 1e-300};
        double change = 1;
        int count = 0;
        while (count < 1000 && nb_sweeps_are_worthwhile(&watch, change)) {
            ++count;
            change = fmax(change * 1e-60, 1e-299) * (1 - 1e-3 * count);
        }
        assert_true(count <= fmax(cost, NB_SWEEP_LIMIT));
    }
}

TEST(test_what_ends_at_once)
{
    assert_int_equal(sweeps(0, 0.5, 1000), 0);
    assert_int_equal(sweeps(NAN, 0.5, 1000), 0);
    assert_int_equal(sweeps(INFINITY, 0.5, 1000), 0);
}

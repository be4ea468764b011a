/* Endings from synthetic traces: one clear case each, and the borders between them. */
#include "tests/support/test.h"

#include "harness/case/ending.h"

#define N 31

static const double roundoff = 0x1p-53;

/* A trace for all three errors. */
static enum nb_ending ending_of(int count, const double *trace)
{
    const struct nb_ending_input input = {.count = count, .constraint_error = trace,
                                          .momentum_error = trace, .natural_map = trace,
                                          .unit_roundoff = roundoff};
    return nb_classify(&input);
}

/* rate^k from 1, never below floor; noise wobbles by factors that do not repeat. */
static void decay(double *trace, double rate, double floor, int noise)
{
    for (int k = 0; k < N; ++k)
        trace[k] = fmax(pow(rate, k), floor) * (noise ? 1.5 + 0.7 * sin(k * k) : 1);
}

TEST(test_names)
{
    static const char *const all[] = {"converged", "accuracy_floor", "stagnated", "cycling",
                                      "diverged", "breakdown", "timed_out", "out_of_memory",
                                      "unsupported", "crashed", "iteration_limit"};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        assert_string_equal(nb_ending_name((enum nb_ending)k), all[k]);
    assert_string_equal(nb_ending_name((enum nb_ending)99), "unknown");
    assert_string_equal(nb_ending_name((enum nb_ending)-1), "unknown");
}

TEST(test_converged_by_tolerance)
{
    double trace[N];
    decay(trace, 0.4, 0, 0);
    struct nb_ending_input input = {.count = N, .constraint_error = trace,
                                    .natural_map = trace, .unit_roundoff = roundoff};
    input.tolerance = trace[N - 1];
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    input.tolerance = trace[N - 1] * 0.99;
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
    input.count = 3;
    input.tolerance = 0.5;
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    /* Having been there once is not enough. */
    trace[1] = 1e-9;
    trace[2] = 1;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    /* A breakdown after convergence is still convergence. */
    trace[2] = 1e-9;
    input.broke_down = 1;
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    input.tolerance = 0;
    assert_int_equal(nb_classify(&input), NB_ENDING_BREAKDOWN);
}

TEST(test_rounding_level)
{
    double trace[N];
    decay(trace, 0.1, 3e-15, 1);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    decay(trace, 0.1, 3e-9, 1); /* the same shape, but far above rounding in f64 */
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    struct nb_ending_input input = {.count = N, .constraint_error = trace,
                                    .natural_map = trace, .unit_roundoff = 0x1p-24};
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR); /* rounding in f32 */
    decay(trace, 0.36, 0, 0); /* passes through the rounding level and still falls */
    assert_true(trace[N - 1] < 1e3 * roundoff);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ITERATION_LIMIT);
    decay(trace, 0.3, 0, 0); /* nothing left to gain, whatever the trend */
    assert_true(trace[N - 1] < 16 * roundoff);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    decay(trace, 0.1, 3e-15, 1); /* an excursion from the floor, small and large */
    trace[N - 1] = 1e-12;
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    trace[N - 1] = 1e-7;
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    memset(trace, 0, sizeof trace);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    trace[0] = 1; /* zero contacts: exact after one step */
    assert_int_equal(ending_of(2, trace), NB_ENDING_ACCURACY_FLOOR);
}

TEST(test_given_floor)
{
    double constraint[N], momentum[N];
    const struct nb_floor floor = {.component_constraint = 1e-5, .residual = 0.01};
    struct nb_ending_input input = {.count = N, .constraint_error = constraint,
                                    .momentum_error = momentum, .natural_map = constraint,
                                    .unit_roundoff = roundoff, .floor = &floor};
    decay(constraint, 0.5, 3e-5, 1);
    decay(momentum, 0.5, 3e-2, 1);
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    momentum[N - 1] = 0.2; /* the constraints alone do not make a solution */
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    decay(momentum, 0.8, 0, 0); /* within both floors, and still on its way down */
    decay(constraint, 0.5, 3e-5, 1);
    input.natural_map = momentum;
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
    input.natural_map = constraint;
    decay(momentum, 0.5, 3e-2, 1);
    decay(constraint, 0.5, 3e-4, 1);
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    /* At rest u = 0, lambda = 0 satisfies the constraints: no floor after no iterations. */
    constraint[0] = 0;
    momentum[0] = 78;
    input.natural_map = momentum;
    input.count = 1;
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
}

/* The map's own floor: that of many rows beside small forces is above 1e3 units of roundoff. */
TEST(test_floor_of_the_map)
{
    struct nb_floor floor = {.component_constraint = 1e-14, .residual = 1e-16, .natural_map = 1e-12};
    double map[N], violation[N], momentum[N];
    decay(map, 0.1, 2e-12, 1);
    decay(violation, 0.1, 2e-13, 1);
    decay(momentum, 0.1, 1e-14, 1);
    struct nb_ending_input input = {.count = N, .constraint_error = violation, .momentum_error = momentum,
                                    .natural_map = map, .unit_roundoff = roundoff, .floor = &floor};
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    floor.natural_map = 1e-14;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    floor.natural_map = NAN; /* of a record without it */
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    floor.natural_map = 1e-12;
    floor.component_constraint = 1e-16; /* the constraints stand far above theirs */
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
}

/* At rest the terms of J u are nothing, and what is left of J u is rounding of the sum that u comes from: which
 * tells a map at rounding from failure, but is no floor to be within. */
TEST(test_velocities_that_are_sums)
{
    struct nb_floor floor = {.component_constraint = 1e-29, .residual = 1e-12, .velocity_terms = 1e-15};
    double map[N], violation[N];
    decay(map, 0.1, 1e-14, 1);
    decay(violation, 0.1, 2e-15, 1);
    struct nb_ending_input input = {.count = N, .constraint_error = violation, .natural_map = map,
                                    .unit_roundoff = roundoff, .floor = &floor};
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    floor.velocity_terms = 1e-17;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    floor.velocity_terms = 1e-15;
    decay(map, 0.1, 1e-8, 1);
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
}

/* Between walls that both come nearer forces grow, and the map, which is relative to them, falls: to no end. With
 * a floor, a map at rounding is no floor where the constraints stand far above theirs. */
TEST(test_forces_that_grow)
{
    const struct nb_floor floor = {.component_constraint = 1e-16, .residual = 1e-12};
    double map[N], violation[N];
    decay(map, 0.1, 1e-17, 0);
    for (int k = 0; k < N; ++k)
        violation[k] = 0.1;
    struct nb_ending_input input = {.count = N, .constraint_error = violation, .natural_map = map,
                                    .tolerance = 1e-8, .unit_roundoff = roundoff};
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    violation[N - 1] = 0.04; /* of a problem in which forces are large, and that is getting there */
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    for (int k = 0; k < N; ++k)
        violation[k] = 1e-9; /* at rest from the beginning */
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    decay(map, 0.1, 1e-14, 0);
    input.tolerance = 0;
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    input.floor = &floor;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
}

/* Two joints that contradict each other, beside contacts that open: these take most of the violation with them. */
TEST(test_bilateral_rows_that_stay)
{
    double map[N], violation[N], bilateral[N];
    decay(map, 0.1, 1e-17, 0);
    decay(violation, 0.1, 0.101, 0);
    for (int k = 0; k < N; ++k)
        bilateral[k] = 0.1;
    struct nb_ending_input input = {.count = N, .constraint_error = violation, .natural_map = map,
                                    .tolerance = 1e-8, .unit_roundoff = roundoff};
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    input.bilateral = bilateral;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    bilateral[N - 1] = 0.04;
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
    for (int k = 0; k < N; ++k)
        bilateral[k] = 1e-4; /* little beside the contacts: it may be their rounding */
    assert_int_equal(nb_classify(&input), NB_ENDING_CONVERGED);
}

TEST(test_iteration_limit)
{
    double trace[N];
    decay(trace, 0.7, 0, 0);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ITERATION_LIMIT);
    assert_int_equal(ending_of(7, trace), NB_ENDING_ITERATION_LIMIT);
    assert_int_equal(ending_of(2, trace), NB_ENDING_ITERATION_LIMIT);
    assert_int_equal(ending_of(1, trace), NB_ENDING_ITERATION_LIMIT);
    decay(trace, 0.9, 0, 0); /* slow, yet falling */
    assert_int_equal(ending_of(N, trace), NB_ENDING_ITERATION_LIMIT);
    double constraint[N]; /* at rest the start satisfies the constraints: no fall from there */
    for (int k = 0; k < N; ++k)
        constraint[k] = k ? trace[k] : 0;
    struct nb_ending_input input = {.count = N, .constraint_error = constraint,
                                    .natural_map = trace, .unit_roundoff = roundoff};
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
    input.gave_up = 1; /* of its own accord: a higher limit would not help */
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
}

TEST(test_stagnated)
{
    double trace[N];
    decay(trace, 0.5, 5e-4, 0);
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    decay(trace, 0.5, 5e-4, 1);
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    decay(trace, 0.95, 0, 0); /* creeps: 40 % over the last third */
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    for (int k = 0; k < N; ++k)
        trace[k] = 1e-3 * k + 1e-3; /* rises, but not by orders */
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
}

TEST(test_cycling)
{
    for (int period = 2; period <= 8; ++period) {
        double trace[N];
        for (int k = 0; k < N; ++k) {
            const int phase = k % period;
            trace[k] = 1e-2 * (1 + 0.5 * phase + (phase == 1)) * (1 + pow(0.2, k + 1));
        }
        assert_int_equal(ending_of(N, trace), NB_ENDING_CYCLING);
        assert_int_equal(ending_of(3 * period - 1, trace),
                         3 * period - 1 >= 6 && period == 2 ? NB_ENDING_CYCLING
                                                            : NB_ENDING_STAGNATED);
    }
    double still[N]; /* a ripple is no cycle */
    for (int k = 0; k < N; ++k)
        still[k] = 1e-2 * (1 + 1e-3 * (k % 2));
    assert_int_equal(ending_of(N, still), NB_ENDING_STAGNATED);
}

TEST(test_diverged)
{
    static const double bad[3] = {NAN, INFINITY, -INFINITY};
    double trace[N], fine[N];
    decay(fine, 0.4, 0, 0);
    for (int which = 0; which < 9; ++which) {
        decay(trace, 0.25, 0, 0);
        trace[which % 2 ? N - 1 : N / 2] = bad[which / 3];
        const struct nb_ending_input input = {
            .count = N, .constraint_error = which % 3 == 0 ? trace : fine,
            .momentum_error = which % 3 == 1 ? trace : fine,
            .natural_map = which % 3 == 2 ? trace : fine, .unit_roundoff = roundoff};
        assert_int_equal(nb_classify(&input), NB_ENDING_DIVERGED);
    }
    decay(trace, 2, 0, 0);
    assert_int_equal(ending_of(N, trace), NB_ENDING_DIVERGED);
    /* At rest the constraints hold at the start: growth counts from iteration 1. */
    decay(trace, 0.7, 0, 0);
    trace[0] = 0;
    const struct nb_ending_input input = {.count = N, .constraint_error = trace,
                                          .natural_map = fine, .unit_roundoff = roundoff};
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
    trace[N - 1] = NAN; /* a tolerance does not hide it */
    struct nb_ending_input strict = {.count = N, .constraint_error = trace, .natural_map = trace,
                                     .tolerance = 1, .unit_roundoff = roundoff};
    assert_int_equal(nb_classify(&strict), NB_ENDING_DIVERGED);
}

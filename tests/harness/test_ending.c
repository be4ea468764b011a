/* Endings from synthetic traces: one clear case each, and the borders between them. */
#include "tests/support/test.h"

#include "harness/judge/ending.h"

#define N 31

static const double roundoff = 0x1p-53;

static struct nb_ending_input run_of(int count, const double *trace)
{
    return (struct nb_ending_input){.count = count, .error = trace, .unit_roundoff = roundoff, .floor = NAN};
}

static enum nb_ending ending_of(int count, const double *trace)
{
    const struct nb_ending_input input = run_of(count, trace);
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
                                      "unsupported", "crashed", "iteration_limit", "infeasible"};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        assert_string_equal(nb_ending_name((enum nb_ending)k), all[k]);
    assert_string_equal(nb_ending_name((enum nb_ending)99), "unknown");
    assert_string_equal(nb_ending_name((enum nb_ending)-1), "unknown");
}

TEST(test_converged_by_tolerance)
{
    double trace[N];
    decay(trace, 0.4, 0, 0);
    struct nb_ending_input input = run_of(N, trace);
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

/* No floor is known: only 16 units of roundoff are certain to be rounding. */
TEST(test_rounding_level)
{
    double trace[N];
    decay(trace, 0.1, 3e-15, 1);
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    decay(trace, 0.1, 3e-16, 1);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    decay(trace, 0.1, 3e-7, 1); /* the same shape, but far above rounding in f64 */
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    struct nb_ending_input input = run_of(N, trace);
    input.unit_roundoff = 0x1p-24;
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR); /* rounding in f32 */
    decay(trace, 0.36, 0, 0);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ITERATION_LIMIT);
    decay(trace, 0.3, 0, 0); /* nothing left to gain, whatever the trend */
    assert_true(trace[N - 1] < 16 * roundoff);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    memset(trace, 0, sizeof trace);
    assert_int_equal(ending_of(N, trace), NB_ENDING_ACCURACY_FLOOR);
    trace[0] = 1; /* zero contacts: exact after one step */
    assert_int_equal(ending_of(2, trace), NB_ENDING_ACCURACY_FLOOR);
}

/* Within ten of the step's floor, and not above, however many units of roundoff that is. */
TEST(test_given_floor)
{
    double trace[N];
    decay(trace, 0.1, 3e-12, 1);
    struct nb_ending_input input = run_of(N, trace);
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    input.floor = 1e-12;
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    input.floor = 1e-13;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    input.floor = 1e-12;
    trace[N - 1] = 9e-12; /* what a run leaves is within ten of the floor that is printed beside it, or not at it */
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    for (double factor = 11; factor < 1e8; factor *= 10) {
        trace[N - 1] = factor * input.floor;
        assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
    }
    input.floor = 1; /* within the floor from the start, and still on its way down */
    decay(trace, 0.8, 0, 0);
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
}

/* A method's pace is no rounding: errors of hundreds of units of roundoff above a floor of two, and errors within ten
 * of the floor that fall on, however slowly. The same errors that go up and down are at the floor. */
TEST(test_pace_is_no_floor)
{
    double trace[200];
    struct nb_ending_input input = {.count = 200, .error = trace, .unit_roundoff = 0x1p-24};
    for (int kind = 0; kind < 2; ++kind)
        for (double rate = 0.97; rate < 1; rate += 0.0099) {
            for (int k = 0; k < 200; ++k)
                trace[k] = 3e-5 * pow(rate, k - 199);
            input.floor = kind ? trace[199] / 2 : 0x1p-23;
            const enum nb_ending ending = nb_classify(&input);
            assert_int_equal(ending, pow(rate, 67) < 0.5 ? NB_ENDING_ITERATION_LIMIT : NB_ENDING_STAGNATED);
            input.floor = NAN;
            assert_int_equal(nb_classify(&input), ending);
        }
    for (int k = 100; k < 200; ++k)
        trace[k] = 3e-5 * (1.5 + 0.7 * sin(k * k));
    input.floor = 1e-5;
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
}

/* A method that ends by itself within ten of the floor is at it, even if each of its few iterations gained. */
TEST(test_ended_by_itself_at_the_floor)
{
    const double trace[] = {1, 1e-2, 1e-5, 1e-9, 3e-12};
    struct nb_ending_input input = run_of(5, trace);
    input.floor = 1e-12;
    assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
    input.gave_up = 1;
    assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
    input.floor = 1e-13;
    assert_int_equal(nb_classify(&input), NB_ENDING_STAGNATED);
}

/* A slow method whose last iterations alone are within ten of the floor is on its way, even if it wobbles; the same
 * method is at the floor when it has been level for longer than a halving took it. */
TEST(test_arriving_is_no_floor)
{
    double trace[4000];
    struct nb_ending_input input = {.error = trace, .unit_roundoff = roundoff, .floor = 1e-12};
    for (double rate = 0.95; rate < 0.999; rate = sqrt(rate))
        for (int wobbles = 0; wobbles < 2; ++wobbles) {
            const int arrives = (int)(log(8e-12) / log(rate)), halving = (int)(log(0.5) / log(rate));
            if (arrives + 10 * halving >= 4000)
                continue;
            for (int k = 0; k < 4000; ++k)
                trace[k] = fmax(pow(rate, k), 6e-12 * (k % 2 ? 1 : 0.9)) * (wobbles && k % 2 ? 0.9 : 1);
            input.count = arrives + 3;
            assert_int_equal(nb_classify(&input), NB_ENDING_ITERATION_LIMIT);
            input.count = arrives + 8 * halving;
            assert_int_equal(nb_classify(&input), NB_ENDING_ACCURACY_FLOOR);
        }
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
    struct nb_ending_input input = run_of(N, trace);
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
    double trace[N];
    for (int which = 0; which < 6; ++which) {
        decay(trace, 0.25, 0, 0);
        trace[which % 2 ? N - 1 : N / 2] = bad[which / 2];
        assert_int_equal(ending_of(N, trace), NB_ENDING_DIVERGED);
    }
    decay(trace, 2, 0, 0);
    assert_int_equal(ending_of(N, trace), NB_ENDING_DIVERGED);
    decay(trace, 0.7, 0, 0); /* an exact start counts for nothing: growth is from iteration 1 */
    trace[0] = 0;
    assert_int_equal(ending_of(N, trace), NB_ENDING_STAGNATED);
    trace[N - 1] = NAN; /* a tolerance does not hide it */
    struct nb_ending_input strict = run_of(N, trace);
    strict.tolerance = 1;
    assert_int_equal(nb_classify(&strict), NB_ENDING_DIVERGED);
}

/* Tells from a judged trace how its run ended. The definitions, in the order in which they are tried, and their
 * reasons stand in ending.h; the factors that they leave open are below. */
#include "harness/judge/ending.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define GROWTH 1e3            /* three orders above the start cannot be a transient of a step   */
#define FLOOR_FACTOR 10.0     /* floors are estimates of an order of magnitude                  */
#define NOTHING_LEFT 16.0      /* units of roundoff: a relative error of a sum of a few terms    */
#define FALL 0.5              /* over a third of the run: slower is creeping                    */
#define STEP_FALL 0.9         /* of one iteration: noise does not fall three times in a row     */
#define SLOW_STEPS 5          /* nor five times by however little                               */
#define LONGEST_PERIOD 8
#define REPEAT 1e-3           /* how closely a cycle must return                                */
#define SWING 1e-2            /* and how much it must change in between                         */

static const char *const names[] = {
    [NB_ENDING_CONVERGED] = "converged",
    [NB_ENDING_ACCURACY_FLOOR] = "accuracy_floor",
    [NB_ENDING_STAGNATED] = "stagnated",
    [NB_ENDING_CYCLING] = "cycling",
    [NB_ENDING_DIVERGED] = "diverged",
    [NB_ENDING_BREAKDOWN] = "breakdown",
    [NB_ENDING_TIMED_OUT] = "timed_out",
    [NB_ENDING_OUT_OF_MEMORY] = "out_of_memory",
    [NB_ENDING_UNSUPPORTED] = "unsupported",
    [NB_ENDING_CRASHED] = "crashed",
    [NB_ENDING_ITERATION_LIMIT] = "iteration_limit",
    [NB_ENDING_INFEASIBLE] = "infeasible",
};

#define NAMES ((int)(sizeof names / sizeof *names))

const char *nb_ending_name(enum nb_ending ending)
{
    return (int)ending >= 0 && (int)ending < NAMES ? names[ending] : "unknown";
}

enum nb_ending nb_ending_find(const char *name)
{
    int ending = 0;
    while (ending < NAMES && strcmp(names[ending], name))
        ++ending;
    return (enum nb_ending)ending;
}

bool nb_ending_is_usable(enum nb_ending ending)
{
    static const enum nb_ending usable[] = {NB_ENDING_CONVERGED, NB_ENDING_ACCURACY_FLOOR, NB_ENDING_STAGNATED,
                                            NB_ENDING_CYCLING, NB_ENDING_ITERATION_LIMIT};
    for (size_t i = 0; i < sizeof usable / sizeof *usable; ++i)
        if (usable[i] == ending)
            return true;
    return false;
}

static double smallest(int begin, int end, const double *x)
{
    double best = INFINITY;
    for (int k = begin; k < end; ++k)
        best = fmin(best, x[k]);
    return best;
}

static double largest(int begin, int end, const double *x)
{
    double worst = -INFINITY;
    for (int k = begin; k < end; ++k)
        worst = fmax(worst, x[k]);
    return worst;
}

static int is_finite(int count, const double *trace)
{
    for (int k = 0; k < count; ++k)
        if (!isfinite(trace[k]))
            return 0;
    return 1;
}

static int has_diverged(const struct nb_ending_input *in)
{
    if (!is_finite(in->count, in->error))
        return 1;
    return in->count > 2 && in->error[in->count - 1] > GROWTH * fmax(in->error[0], in->error[1]);
}

static int is_falling(int count, const double *trace)
{
    const int third = count / 3 > 0 ? count / 3 : 1, before = count - third;
    if (before < 1)
        return trace[0] > 0;
    return smallest(before, count, trace) <
           fmax(FALL, pow(STEP_FALL, third)) * smallest(0, before, trace);
}

/* Each of the last `steps` iterations gained, to that factor at least. */
static int gains(int count, const double *trace, int steps, double factor)
{
    for (int k = count > steps + 1 ? count - steps : 1; k < count; ++k)
        if (!(trace[k] < factor * trace[k - 1]))
            return 0;
    return 1;
}

/* Whether a trace that begins within the level of rounding still gains: what falls from iteration to iteration is the
 * method's pace, however slow, for rounding goes up and down. */
static int still_gains(int count, const double *trace)
{
    const int third = count / 3, before = count - third;
    if (third >= SLOW_STEPS && gains(count, trace, third, 1))
        return 1;
    return third >= SLOW_STEPS && smallest(before, count, trace) < FALL * smallest(0, before, trace);
}

/* Whether the best error was halved at the end in about the time that the halving before took: rounding would have made
 * it level. Of faster methods the last iterations tell. */
static int keeps_pace(int count, const double *trace)
{
    const double best = smallest(0, count, trace);
    int quarter = 0, half;
    while (!(trace[quarter] <= 4 * best))
        ++quarter;
    for (half = quarter; !(trace[half] <= 2 * best);)
        ++half;
    return half - quarter >= SLOW_STEPS && count - 1 - half <= 1.5 * (half - quarter);
}

static int at_accuracy_floor(const struct nb_ending_input *in)
{
    const double *error = in->error, last = error[in->count - 1], unit = in->unit_roundoff;
    const double level = FLOOR_FACTOR * in->floor;
    int reached = 0;
    if (last <= NOTHING_LEFT * unit)
        return 1;
    if (!(last <= level)) /* an unknown floor is NaN and does not get beyond here */
        return 0;
    if (in->gave_up)
        return 1;
    while (!(error[reached] <= level))
        ++reached;
    return !gains(in->count, error, 3, STEP_FALL) && !keeps_pace(in->count, error) &&
           !still_gains(in->count - reached, error + reached);
}

static int repeats(int count, const double *trace, int period)
{
    const int begin = count - 3 * period;
    if (begin < 0)
        return 0;
    const double top = largest(begin, count, trace);
    if (!(top - smallest(begin, count, trace) > SWING * top))
        return 0;
    for (int k = begin + period; k < count; ++k)
        if (!(fabs(trace[k] - trace[k - period]) <= REPEAT * top))
            return 0;
    return 1;
}

int nb_tolerance_reached(const struct nb_ending_input *in)
{
    return in->tolerance > 0 && in->error[in->count - 1] <= in->tolerance;
}

enum nb_ending nb_classify(const struct nb_ending_input *in)
{
    if (nb_tolerance_reached(in))
        return NB_ENDING_CONVERGED;
    if (in->broke_down)
        return NB_ENDING_BREAKDOWN;
    if (has_diverged(in))
        return NB_ENDING_DIVERGED;
    if (at_accuracy_floor(in))
        return NB_ENDING_ACCURACY_FLOOR;
    if (!in->gave_up && is_falling(in->count, in->error))
        return NB_ENDING_ITERATION_LIMIT;
    for (int period = 2; period <= LONGEST_PERIOD; ++period)
        if (repeats(in->count, in->error, period))
            return NB_ENDING_CYCLING;
    return NB_ENDING_STAGNATED;
}

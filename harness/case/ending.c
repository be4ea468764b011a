/* Tells from a judged trace how its run ended. The definitions, in the order in which they are tried, and their
 * reasons stand in ending.h; the factors that they leave open are below. */
#include "harness/case/ending.h"

#include <math.h>
#include <stddef.h>

#define GROWTH 1e3            /* three orders above the start cannot be a transient of a step   */
#define FLOOR_FACTOR 10.0     /* floors are estimates of an order of magnitude                  */
#define ROUNDING_FACTOR 1e3   /* rounding adds up over the rows of a step                       */
#define ROUNDING_FLOORS 100.0 /* in floors: a map relative to large forces forgives more        */
#define NOTHING_LEFT 16.0      /* units of roundoff: a relative error of a sum of a few terms    */
#define FALL 0.5              /* over a third of the run: slower is creeping                    */
#define STEP_FALL 0.9         /* of one iteration: noise does not fall three times in a row     */
#define NOTABLE 1e-3          /* of all rows' violation: less may be rounding of larger rows     */
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
};

#define NAMES ((int)(sizeof names / sizeof *names))

const char *nb_ending_name(enum nb_ending ending)
{
    return (int)ending >= 0 && (int)ending < NAMES ? names[ending] : "unknown";
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
    for (int k = 0; trace && k < count; ++k)
        if (!isfinite(trace[k]))
            return 0;
    return 1;
}

/* A start of zero says nothing about the scale, so growth from it is not judged. */
static int has_grown(int count, const double *trace)
{
    if (!trace || count < 3)
        return 0;
    const double start = fmax(trace[0], trace[1]);
    return start > 0 && trace[count - 1] > GROWTH * start;
}

/* A method that balances momentum exactly at its start has only rounding to grow from. */
static int momentum_has_grown(const struct nb_ending_input *in)
{
    const double *map = in->natural_map;
    return has_grown(in->count, in->momentum_error) &&
           !(map && map[in->count - 1] < FALL * map[0]);
}

static int has_diverged(const struct nb_ending_input *in)
{
    return !is_finite(in->count, in->constraint_error) ||
           !is_finite(in->count, in->momentum_error) || !is_finite(in->count, in->natural_map) ||
           has_grown(in->count, in->constraint_error) || momentum_has_grown(in);
}

static int is_falling(int count, const double *trace)
{
    const int third = count / 3 > 0 ? count / 3 : 1, before = count - third;
    if (before < 1)
        return trace[0] > 0;
    return smallest(before, count, trace) <
           fmax(FALL, pow(STEP_FALL, third)) * smallest(0, before, trace);
}

/* Each of the last three iterations gained. */
static int falls_steadily(int count, const double *trace)
{
    const int begin = count > 4 ? count - 3 : 1;
    for (int k = begin; k < count; ++k)
        if (!(trace[k] < STEP_FALL * trace[k - 1]))
            return 0;
    return 1;
}

static int has_floor(const struct nb_ending_input *in)
{
    return in->floor && isfinite(in->floor->component_constraint);
}

/* Are the last two constraint errors at most this? */
static int constraints_within(const struct nb_ending_input *in, double level)
{
    const int begin = in->count > 1 ? in->count - 2 : 0;
    return largest(begin, in->count, in->constraint_error) <= level;
}

/* What constraints of a run at rounding may be off by: so many of their floors, or the rounding of the terms
 * whose sum they are (not NaN) where u comes from the forces. */
static double constraint_rounding(const struct nb_floor *floor)
{
    return fmax(ROUNDING_FLOORS * floor->component_constraint, FLOOR_FACTOR * floor->velocity_terms);
}

static int within_floor(const struct nb_ending_input *in)
{
    const int begin = in->count > 1 ? in->count - 2 : 0;
    if (!has_floor(in) || !constraints_within(in, FLOOR_FACTOR * in->floor->component_constraint))
        return 0;
    return !in->momentum_error ||
           largest(begin, in->count, in->momentum_error) <= FLOOR_FACTOR * in->floor->residual;
}

int nb_violation_stays(const struct nb_violation *first, const struct nb_violation *last, double tolerance,
                       double unit_roundoff)
{
    const double least = fmax(tolerance, sqrt(unit_roundoff));
    return (last->all > least && last->all > FALL * first->all) ||
           (last->bilateral > least && last->bilateral > FALL * first->bilateral &&
            first->bilateral > NOTABLE * first->all);
}

static int map_is_meant(const struct nb_ending_input *in)
{
    const int first = in->count < 2 ? in->count : 2, end = in->count - 1;
    const double *bilateral = in->bilateral;
    if (!in->natural_map || in->count < 2)
        return 1;
    return !nb_violation_stays(&(struct nb_violation){largest(0, first, in->constraint_error),
                                                      bilateral ? largest(0, first, bilateral) : 0},
                               &(struct nb_violation){in->constraint_error[end], bilateral ? bilateral[end] : 0},
                               in->tolerance, in->unit_roundoff);
}

/* What rounding leaves of an error: of the natural map at least its floor, where that is known (not NaN). */
static double rounding_level(const struct nb_ending_input *in, double scale)
{
    const double map = in->natural_map && in->floor ? FLOOR_FACTOR * in->floor->natural_map : 0;
    return fmax(ROUNDING_FACTOR * in->unit_roundoff * scale, map);
}

/* Errors relative to their scale: the natural map is so by itself. */
static int at_accuracy_floor(const struct nb_ending_input *in, const double *error)
{
    const double scale = in->natural_map ? 1 : largest(0, in->count, error);
    const double last = error[in->count - 1];
    const double best = smallest(in->count - 1 - (in->count - 1) / 3, in->count, error);
    if (last <= NOTHING_LEFT * in->unit_roundoff * scale)
        return 1;
    const int rounding = best <= rounding_level(in, scale) &&
                         last <= sqrt(in->unit_roundoff) * scale &&
                         (!has_floor(in) || constraints_within(in, constraint_rounding(in->floor)));
    return (rounding || within_floor(in)) && !falls_steadily(in->count, error);
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
    return in->tolerance > 0 && in->natural_map && in->natural_map[in->count - 1] <= in->tolerance && map_is_meant(in);
}

enum nb_ending nb_classify(const struct nb_ending_input *in)
{
    const double *error = in->natural_map ? in->natural_map : in->constraint_error;
    if (nb_tolerance_reached(in))
        return NB_ENDING_CONVERGED;
    if (in->broke_down)
        return NB_ENDING_BREAKDOWN;
    if (has_diverged(in))
        return NB_ENDING_DIVERGED;
    if (map_is_meant(in) && at_accuracy_floor(in, error))
        return NB_ENDING_ACCURACY_FLOOR;
    if (!in->gave_up && is_falling(in->count, error))
        return NB_ENDING_ITERATION_LIMIT;
    for (int period = 2; period <= LONGEST_PERIOD; ++period)
        if (repeats(in->count, error, period))
            return NB_ENDING_CYCLING;
    return NB_ENDING_STAGNATED;
}

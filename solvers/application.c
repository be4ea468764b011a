/* The time of all applications of the preconditioner from those that were timed: their median times their number, as
 * one that something else interrupts would count so many times in a mean. Where there is no more room every second
 * sample is dropped, and half as many are taken from then on. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "solvers/application.h"
#include "solvers/solve.h"

enum { EVERY = 16,
       ROOM = sizeof((struct nb_application_times *)0)->sample / sizeof(double) };

bool nb_application_begins(struct nb_run *run)
{
    struct nb_application_times *times = &run->applications;
    const long number = run->preconditioner_applications++;
    times->every = times->every ? times->every : 1;
    return number % (EVERY * (long)times->every) == 0;
}

void nb_application_took(struct nb_run *run, double seconds)
{
    struct nb_application_times *times = &run->applications;
    if (times->kept == ROOM) {
        times->kept = ROOM / 2;
        times->every *= 2;
        for (int i = 0; i < times->kept; ++i)
            times->sample[i] = times->sample[2 * i];
    }
    times->sample[times->kept++] = seconds;
}

double nb_run_application(const struct nb_run *run)
{
    const struct nb_application_times *times = &run->applications;
    double sorted[ROOM], seconds = times->elsewhere_seconds;
    if (!times->kept && !times->elsewhere)
        return NAN;
    memcpy(sorted, times->sample, (size_t)times->kept * sizeof *sorted);
    nb_sort_doubles(sorted, (size_t)times->kept);
    if (times->kept)
        seconds += (sorted[(times->kept - 1) / 2] + sorted[times->kept / 2]) / 2 *
                   (double)(run->preconditioner_applications - times->elsewhere);
    return fmin(seconds, run->linear_seconds);
}

void nb_run_add_applications(struct nb_run *run, const struct nb_run *island)
{
    const double seconds = nb_run_application(island);
    run->preconditioner_applications += island->preconditioner_applications;
    if (isnan(seconds))
        return;
    run->applications.elsewhere += island->preconditioner_applications;
    run->applications.elsewhere_seconds += seconds;
}

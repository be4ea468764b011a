/* Wall-clock seconds from a monotonic clock; only differences mean anything. Limits of time go by a watch: of each wait
 * it counts no more than was planned; the time in which the program was stopped (Ctrl-Z, SIGSTOP) is nobody's. */
#ifndef NB_CLOCK_H
#define NB_CLOCK_H

#include <time.h>

static inline double nb_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct nb_watch {
    double seconds;         /* in which its owner waited, as far as it has looked */
    double looked, planned; /* when the present wait began, and how long it is to be at most */
};

/* The milliseconds of a wait that begins now, for poll: of at most so many seconds, and short. */
static inline int nb_watch_plan(struct nb_watch *watch, double seconds)
{
    const double most = 0.1;
    const int milliseconds = (int)(1000 * (seconds < most ? seconds : most)) + 1;
    watch->looked = nb_seconds();
    watch->planned = seconds > 0 ? 1e-3 * milliseconds : 0;
    return seconds > 0 ? milliseconds : 0;
}

/* Its seconds by now. */
static inline double nb_watch_look(struct nb_watch *watch)
{
    const double passed = nb_seconds() - watch->looked;
    watch->seconds += passed < watch->planned ? passed : watch->planned;
    watch->planned = 0;
    return watch->seconds;
}

#endif

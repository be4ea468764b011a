/* Wall-clock seconds from a monotonic clock; only differences mean anything. */
#ifndef NB_CLOCK_H
#define NB_CLOCK_H

#include <time.h>

static inline double nb_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif

/* A duration as people say it: "8 s", "3 min", "2 h 10 min". */
#ifndef NB_DURATION_H
#define NB_DURATION_H

#include <stdio.h>

/* Into text [size]; seconds >= 0. Returns text. */
static inline const char *nb_duration(double seconds, char *text, size_t size)
{
    if (seconds < 90)
        snprintf(text, size, "%.0f s", seconds < 1 ? 1 : seconds);
    else if (seconds < 5400)
        snprintf(text, size, "%.0f min", seconds / 60);
    else if (seconds < 360000)
        snprintf(text, size, "%.0f h %.0f min", (double)(long)(seconds / 3600), (double)((long)(seconds / 60) % 60));
    else
        snprintf(text, size, "%.0f days", seconds / 86400);
    return text;
}

#endif

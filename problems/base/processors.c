#include "problems/base/processors.h"

#include <sched.h>
#include <stdio.h>

int nb_processors(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
}

const char *nb_waiting_threads(int threads, char *text, size_t size)
{
    const int processors = nb_processors();
    if (threads <= processors)
        return NULL;
    snprintf(text, size, "%d threads wait for each other on %d processor%s", threads, processors,
             processors == 1 ? "" : "s");
    return text;
}

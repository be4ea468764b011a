/* Time by the clock, less what it is ahead of the processor time of a process that has not waited (own_time.h). */
#include "harness/case/own_time.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#include "problems/base/clock.h"

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static long count_waits(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? -1 : usage.ru_nvcsw;
}

/* The driver is loaded when a device is first used, by us or by a plugin. */
static bool may_use_device(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        dlclose(driver);
    return driver != NULL;
}

/* The clock is read last, and first at the end: within what the other two span. */
struct nb_own_time nb_own_time_begin(void)
{
    struct nb_own_time now = {.waits = count_waits()};
    now.processor = processor_seconds();
    now.clock = nb_seconds();
    return now;
}

double nb_own_time_end(const struct nb_own_time *begin, double *waited)
{
    const double seconds = nb_seconds() - begin->clock, taken = seconds - (processor_seconds() - begin->processor);
    const bool always_ready = begin->waits >= 0 && count_waits() == begin->waits;
    *waited = always_ready && taken > 0 && !may_use_device() ? taken : 0;
    return seconds - *waited;
}

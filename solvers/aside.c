/* One sum a thread (solvers/aside.h): who times a set-up reads it before and after, and takes off the difference. */
#include "solvers/aside.h"

static _Thread_local double sum;

void nb_aside_add(double seconds)
{
    sum += seconds > 0 ? seconds : 0;
}

double nb_aside_seconds(void)
{
    return sum;
}

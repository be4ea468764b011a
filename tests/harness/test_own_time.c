/* What a process took of the clock: all of it where it waited of its own accord, and without what another program took
 * where that had its processor. */
#include "tests/support/test.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/case/case_run.h"
#include "problems/base/clock.h"

static void work_until(double moment)
{
    while (nb_seconds() < moment)
        ;
}

/* On the first processor that is allowed. */
static void pin(void)
{
    cpu_set_t allowed, first;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    int core = 0;
    while (!CPU_ISSET(core, &allowed))
        ++core;
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
}

TEST(what_another_program_takes_is_not_its_own)
{
    cpu_set_t before;
    double waited, least = INFINITY;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    pin();
    const pid_t other = fork();
    if (!other) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ;
    }
    /* A page that is read in may have it wait; not each time. */
    for (int tries = 0; tries < 5 && !(least < INFINITY); ++tries) {
        const struct nb_own_time start = nb_own_time_begin();
        work_until(start.clock + 0.3);
        const double own = nb_own_time_end(&start, &waited);
        assert_true(own > 0 && waited >= 0 && own + waited >= 0.3);
        least = waited > 0 ? own : least;
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    sched_setaffinity(0, sizeof before, &before);
    assert_true(least < 0.29); /* of 0.3 s, and another program had its share */
}

TEST(who_waits_of_its_own_accord_has_the_whole_clock)
{
    double waited;
    const struct nb_own_time start = nb_own_time_begin();
    usleep(20000);
    const double own = nb_own_time_end(&start, &waited);
    assert_true(waited == 0 && own >= 0.02);
}

/* Where processor time is limited, a system may count it in ticks of its timer: by them a short run takes none. */
TEST(a_limit_of_processor_time_changes_no_measure)
{
    const pid_t child = fork();
    if (!child) {
        const struct rlimit limit = {1000, RLIM_INFINITY};
        int without_time = 0;
        double waited;
        setrlimit(RLIMIT_CPU, &limit);
        for (int k = 0; k < 100; ++k) {
            const struct nb_own_time start = nb_own_time_begin();
            work_until(start.clock + 1e-4);
            without_time += !(nb_own_time_end(&start, &waited) > 0);
        }
        _exit(without_time > 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A preconditioner that does what UNRULY names, and a linear solver that calls its time untimed, for
 * tests/harness/cli/test_cli_plugins.c, which builds them as a plugin: what a plugin must not get away with.
 * UNRULY_START: the same when it is loaded; UNRULY_FREE: when it is freed. Processes that it starts write their numbers
 * into the file UNRULY_PIDS. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "solvers/strategy.h"

#ifndef UNRULY_ONCE
#define UNRULY_ONCE
static int unruly_done; /* of all precisions */

static inline void leave_process(int own_session)
{
    if (fork())
        return;
    if (own_session)
        setsid();
    const int file = open(getenv("UNRULY_PIDS"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    dprintf(file, "%d\n", (int)getpid());
    for (;;)
        pause();
}

static inline void do_wrong(const char *what, int *done)
{
    if (!what || (*done)++)
        return;
    if (!strcmp(what, "crash"))
        abort();
    if (!strcmp(what, "exit"))
        exit(0);
    if (!strcmp(what, "leave") || !strcmp(what, "leave_and_crash")) {
        leave_process(0);
        leave_process(1);
    }
    if (!strcmp(what, "leave_and_crash")) {
        usleep(100000);
        abort();
    }
    if (!strcmp(what, "print")) {
        puts("unruly prints");
        fflush(stdout);
        printf("unruly says\n"); /* stays in the stream until the program ends */
        if (write(1, "unruly writes\n", 14) < 0 || system("echo unruly echoes"))
            abort();
    }
    if (!strcmp(what, "wander") && chdir("/"))
        abort();
    if (!strcmp(what, "hide"))
        umask(0777);
    if (!strcmp(what, "ignore"))
        signal(SIGCHLD, SIG_IGN);
    if (!strcmp(what, "copy"))
        fork();
    for (int file = 3; !strcmp(what, "take_over") && file < 64; ++file) {
        const int null = open("/dev/null", O_WRONLY);
        if (dup2(null, file) < 0)
            abort();
        if (null > file)
            close(null);
    }
    for (int file = 0; !strcmp(what, "close_all") && file < 64; ++file)
        close(file);
    if (!strcmp(what, "lower")) { /* limits that can be put back, and a signal to come */
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = 3;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_FSIZE, &limit);
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 1000}, NULL);
    }
    while (!strcmp(what, "hang"))
        pause();
    if (!strcmp(what, "stop_parent"))
        kill(getppid(), SIGSTOP);
    if (!strcmp(what, "stop"))
        raise(SIGSTOP);
    if (!strcmp(what, "forge"))
        dprintf(4, "{\"part\":\"time\",\"setup\":null,\"seconds\":1e-6,\"solves\":1,\"spent\":0}\n");
    if (!strcmp(what, "stray"))
        dprintf(4, "unruly: n = 12");
    while (!strcmp(what, "flood")) { /* a million bytes in 10 ms */
        static char wave[1 << 16];
        for (int k = 0; k < 16 && write(4, wave, sizeof wave) > 0; ++k)
            ;
        usleep(10000);
    }
}

static inline int does(const char *what)
{
    const char *named = getenv("UNRULY");
    return named && !strcmp(named, what);
}

/* As caches and pages are to a process that begins: its first applications take 0.3 ms each. */
static inline void be_cold(void)
{
    static int applied;
    if (applied >= 10)
        return;
    ++applied;
    for (const clock_t start = clock(); clock() - start < CLOCKS_PER_SEC * 3 / 10000;)
        ;
}

static __attribute__((constructor)) void start(void)
{
    int done = 0;
    do_wrong(getenv("UNRULY_START"), &done);
}
#endif

static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    (void)self;
    do_wrong(getenv("UNRULY"), &unruly_done);
    if (does("be_cold"))
        be_cold();
    const size_t n = op->size, left_out = does("skip_odd") ? n % 4 : 0;
    for (size_t i = 0; i < n - left_out; ++i)
        z[i] = r[i] / op->diagonal[i] + (does("add") ? z[i] : 0);
    for (size_t i = n / 2; i < n && does("half"); ++i)
        z[i] = 0;
    if (does("write_far"))
        z[n + n / 2] = 0;
    if (does("write_beside"))
        z[n] = 0;
    if (does("change_r"))
        ((nb_real *)r)[1] = 0;
    if (does("change_diagonal"))
        ((nb_real *)op->diagonal)[1] *= 2;
    if (does("change_matrix"))
        ((struct NB(nb_bsr) *)op->matrix)->value[4] *= 2;
}

static void release_precond(void *self)
{
    (void)self;
    do_wrong(getenv("UNRULY_FREE"), &unruly_done);
}

const struct NB(nb_precond) NB(nb_precond_unruly) = {
    .name = "unruly", .title = "does wrong", .apply = apply, .free = release_precond};

/* Jacobi's method. */
static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const char *solves = getenv("UNRULY_SOLVES");
    if (solves) {
        const int file = open(solves, O_WRONLY | O_CREAT | O_APPEND, 0666);
        dprintf(file, "solve\n");
        close(file);
        usleep(20000); /* more than a repetition aims at */
    }
    if (does("continue"))
        raise(SIGCONT);
    nb_real *y = self;
    for (; report.iterations < task->iterations; ++report.iterations) {
        nb_operator_apply(task->op, task->x, y);
        for (size_t i = 0; i < task->op->size; ++i)
            task->x[i] += NB_REAL(0.05) * (task->b[i] - y[i]) / task->op->diagonal[i];
    }
    task->run->untimed_seconds += 1000;
    return report;
}

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    (void)error;
    if (does("say_nothing"))
        return (enum nb_status)99;
    *self = calloc(op->size + 1, sizeof(nb_real));
    return *self ? NB_OK : NB_OUT_OF_MEMORY;
}

const struct nb_linear NB(nb_linear_unruly) = {
    .name = "unruly", .title = "untimes itself", .setup = setup, .solve = solve, .free = free};

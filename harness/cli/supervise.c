/* Forks, lets the child run the program, and waits for its signal of death or, while it loads, repeats a solve or has
 * said all, for the time limit. What it is loading, until when a repetition may take, whether it has said all and
 * whether it has returned is in a shared page. As a subreaper this process inherits whatever the child leaves behind,
 * and kills it. */
#include "harness/cli/supervise.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/cli/options.h"
#include "harness/records/output.h"
#include "harness/sweep/child.h"
#include "problems/base/apart.h"
#include "problems/base/clock.h"
#include "problems/io/regular_file.h"

static const double load_limit = 5; /* [s] and of the end */
enum { MOST_STOPS = 10000 };

static struct shared {
    const char *volatile loading;
    volatile bool finishing, returned, mute; /* it has said all; run has returned; what it said was not heard */
    volatile int code;                       /* once it is finishing */
    volatile double until;                   /* a repetition is to have ended, by nb_seconds; 0: none goes on */
} *shared;
static struct stat errors; /* what the child's messages go to */

void nb_supervise_loading(const char *file)
{
    if (shared)
        shared->loading = file;
}

/* A write to it fails, or it is closed, or it leads elsewhere. */
static bool is_mute(void)
{
    struct stat now;
    return ferror(stderr) || fstat(STDERR_FILENO, &now) || now.st_dev != errors.st_dev || now.st_ino != errors.st_ino;
}

void nb_supervise_finishing(int code)
{
    if (!shared || !nb_output_is_whole())
        return;
    fflush(NULL);
    shared->code = code;
    shared->finishing = true;
    kill(getppid(), SIGCHLD); /* who waits for that looks */
}

void nb_supervise_repetition(double limit)
{
    if (!shared)
        return;
    shared->until = limit > 0 ? nb_seconds() + limit : 0;
    kill(getppid(), SIGCHLD);
}

static const char *said_when_stopped;

static void tell_and_end(int number)
{
    const ssize_t written = write(STDERR_FILENO, said_when_stopped, strlen(said_when_stopped));
    (void)written;
    raise(number); /* whose action is the usual one again */
}

void nb_supervise_stop(const char *text)
{
    const struct sigaction tell = {.sa_handler = tell_and_end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    said_when_stopped = text;
    for (int i = 0; i < 2; ++i) {
        const int number = (const int[]){SIGINT, SIGTERM}[i];
        struct sigaction before;
        if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN) /* as by nohup */
            sigaction(number, &tell, NULL);
    }
}

static _Noreturn void child_process(nb_supervised_main *run, int argc, char **argv, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    nb_output_take_over();
    nb_child_adopt_orphans(); /* a sweep ends what each of its cases leaves behind */
    const int code = run(argc, argv);
    fflush(NULL);
    shared->mute = is_mute();
    shared->returned = true;
    _exit(code); /* not exit: what plugins do at the end of a program is not waited for */
}

/* Whether it has ended, with *status. One that is stopped alone, as a plugin can stop the process above it, goes on:
 * who stops the program stops this process, too. One that is stopped again and again gets nowhere, and is killed. */
static bool has_ended(pid_t pid, int *status, int *stops)
{
    if (waitpid(pid, status, WNOHANG | WUNTRACED) != pid)
        return false;
    if (!WIFSTOPPED(*status))
        return true;
    if (WSTOPSIG(*status) == SIGSTOP)
        kill(pid, ++*stops < MOST_STOPS ? SIGCONT : SIGKILL);
    return false;
}

enum { LOADS = -1,
       DOES_NOT_END = -2,
       REPEATS = -3 };

/* Why it has to be killed; 0: not yet. */
static int is_late(double deadline, bool loads, bool finishing)
{
    const double now = nb_seconds(), until = shared->until;
    if (until > 0 && now > until)
        return REPEATS;
    if (now <= deadline)
        return 0;
    return loads ? LOADS : finishing ? DOES_NOT_END
                                     : 0;
}

/* Its status, or why it was killed: for loading, or for not ending, too long; *asked is a signal that asked this
 * process to end. */
static int wait_for(pid_t pid, const sigset_t *awaited, int *asked)
{
    double deadline = nb_seconds() + load_limit;
    int status, stops = 0, late = 0;
    bool finishing = false;
    while (!has_ended(pid, &status, &stops)) {
        const struct timespec look = {.tv_nsec = 100000000};
        const bool loads = shared->loading != NULL;
        if (shared->finishing && !finishing) {
            finishing = true;
            deadline = nb_seconds() + load_limit;
        }
        const bool looks = loads || shared->until > 0 || nb_seconds() < deadline;
        const int number = looks ? sigtimedwait(awaited, NULL, &look) : sigwaitinfo(awaited, NULL);
        if (number > 0 && number != SIGCHLD)
            kill(pid, *asked = number);
        late = is_late(deadline, loads, finishing);
        if (late)
            kill(pid, SIGKILL);
    }
    return late && WIFSIGNALED(status) ? late : status;
}

/* Ends as the child has ended, for the shell to see. */
static void end_by(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static int judge(int status, int asked)
{
    char ending[64];
    const char *file = shared->loading;
    if (status == LOADS) {
        fprintf(stderr, "ncpbench: --plugin %s: loading it does not end within %g s\n", file, load_limit);
        return NB_EXIT_BAD_INPUT;
    }
    if (status == DOES_NOT_END) {
        fprintf(stderr, "note: a plugin does not end within %g s after the result, when its memory is freed\n",
                load_limit);
        return shared->code;
    }
    if (status == REPEATS) {
        fprintf(stderr, "ncpbench: a repetition does not end in time: a plugin hangs where it is not observed\n");
        return NB_EXIT_BAD_INPUT;
    }
    if (WIFEXITED(status) && shared->returned && shared->mute)
        fprintf(stderr, "ncpbench: messages are lost: a plugin has closed standard error, or it cannot be written\n");
    if (WIFEXITED(status) && shared->returned)
        return WEXITSTATUS(status);
    const int number = nb_apart_ending(status, ending, sizeof ending);
    if (number && (number == asked || number == SIGPIPE))
        end_by(number);
    if (file)
        fprintf(stderr, "ncpbench: --plugin %s: loading it ended the program: %s\n", file, ending);
    else
        fprintf(stderr, "ncpbench: the program ended with a plugin at work: %s\n", ending);
    return NB_EXIT_BAD_INPUT;
}

/* The library of AddressSanitizer that the file names, "libasan.so.8"; "": none. */
static void find_sanitizer(const char *file, char *library, size_t size)
{
    static const char name[] = "libasan.so.";
    struct nb_content content = {0};
    library[0] = '\0';
    if (nb_content_add(&content, file, NULL))
        return;
    const char *found = memmem(content.bytes, content.size, name, sizeof name - 1);
    if (found) /* the content ends with a zero */
        snprintf(library, size, "%s%.*s", name, (int)strspn(found + sizeof name - 1, "0123456789"),
                 found + sizeof name - 1);
    nb_content_free(&content);
}

void nb_supervise_sanitized(const char *file)
{
    char library[32], options[PATH_MAX + 64], *argument[4096];
    struct nb_content words = {0};
    int count = 0;
    find_sanitizer(file, library, sizeof library);
    if (!library[0] || getenv("LD_PRELOAD") || nb_content_add(&words, "/proc/self/cmdline", NULL))
        return;
    for (size_t at = 0; at < words.size && count < 4095; at += strlen(argument[count - 1]) + 1)
        argument[count++] = (char *)words.bytes + at;
    argument[count] = NULL;
    snprintf(options, sizeof options, "detect_leaks=0:log_path=%s.asan", file);
    setenv("LD_PRELOAD", library, 1);
    setenv("ASAN_OPTIONS", options, 0);
    fprintf(stderr, "ncpbench: AddressSanitizer writes what it finds to %s.asan.PROCESS\n", file);
    if (count < 4095)
        execv("/proc/self/exe", argument);
    unsetenv("LD_PRELOAD"); /* it could not: loading the plugin tells */
    nb_content_free(&words);
}

int nb_supervise(nb_supervised_main *run, int argc, char **argv)
{
    sigset_t awaited, mask;
    int asked = 0;
    void *page = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigemptyset(&awaited);
    for (size_t i = 0; i < 5; ++i)
        sigaddset(&awaited, (const int[]){SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}[i]);
    sigprocmask(SIG_BLOCK, &awaited, &mask);
    nb_child_adopt_orphans();
    const pid_t pid = page == MAP_FAILED ? -1 : nb_apart_fork(NULL);
    if (pid < 0) {
        fprintf(stderr, "ncpbench: --plugin: cannot start a process: %s\n", strerror(errno));
        return NB_EXIT_BAD_INPUT;
    }
    shared = page;
    fstat(STDERR_FILENO, &errors);
    if (pid == 0)
        child_process(run, argc, argv, &mask);
    const int status = wait_for(pid, &awaited, &asked);
    nb_child_end_orphans();
    return judge(status, asked);
}

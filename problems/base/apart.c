/* What all that starts another process has in common: a fork that does not outlive its parent and has limits of its
 * own, a program with its streams, which may outlive it, the wait that no signal ends, and the words for an end. */
#include "problems/base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

size_t nb_apart_address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void nb_apart_limit_memory(int mebibytes, size_t spare)
{
    static struct rlimit usual;
    static bool known;
    known = known || !getrlimit(RLIMIT_AS, &usual);
    const rlim_t wanted = nb_apart_address_space() - spare + ((rlim_t)mebibytes << 20);
    struct rlimit limit = usual;
    if (mebibytes > 0 && wanted < usual.rlim_cur)
        limit.rlim_cur = wanted;
    if (known)
        setrlimit(RLIMIT_AS, &limit);
}

static void set_limits(const struct nb_apart_limits *limits)
{
    const rlim_t seconds = (rlim_t)limits->seconds;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (seconds)
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    if (limits->memory >= 0)
        nb_apart_limit_memory(limits->memory, limits->spare);
}

pid_t nb_apart_fork(const struct nb_apart_limits *limits)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid)
        return pid;
    /* The parent may have died between fork and prctl. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
        _exit(127);
    if (limits)
        set_limits(limits);
    return 0;
}

int nb_apart_start(const struct nb_apart_program *program, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    if (program->folder)
        failed = posix_spawn_file_actions_addchdir_np(&actions, program->folder);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = program->output < 0
                     ? posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
                     : posix_spawn_file_actions_adddup2(&actions, program->output, STDOUT_FILENO);
    if (!failed && program->errors)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, program->errors,
                                                  O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (!failed)
        failed = posix_spawnp(pid, program->words[0], &actions, NULL, program->words,
                              program->environment ? program->environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int nb_apart_wait(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

int nb_apart_ending(int status, char *text, size_t size)
{
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *name = number ? sigabbrev_np(number) : NULL;
    if (name)
        snprintf(text, size, "killed by SIG%s", name);
    else if (number)
        snprintf(text, size, "killed by signal %d", number);
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
    return number;
}

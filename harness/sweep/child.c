/* Starts a child process by fork, with two pipes, limits of memory and cores, a process group of its own, and no
 * descriptor of the parent's but these pipes; sends it commands of one byte and takes its answers line by line. At its
 * end its whole group is killed, and so is what left the group, where this process is the subreaper. */
#include "harness/sweep/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problems/base/clock.h"
#include "solvers/external_process.h"

enum { MOST_TEXT = 1 << 30 }; /* bytes of one answer */

static struct nb_child *living;

int nb_child_cores(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
}

static void pin(int first, int count)
{
    cpu_set_t allowed, chosen;
    if (count <= 0 || sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    CPU_ZERO(&chosen);
    for (int core = 0, seen = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed)) {
            if (seen >= first && seen < first + count)
                CPU_SET(core, &chosen);
            ++seen;
        }
    if (CPU_COUNT(&chosen))
        sched_setaffinity(0, sizeof chosen, &chosen);
}

/* Pages of address space that are in use; 0 where the system does not tell. */
static size_t address_space(void)
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

static void limit_memory(int mebibytes)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (mebibytes <= 0)
        return;
    const rlim_t limit = address_space() + ((rlim_t)mebibytes << 20);
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
}

/* Standard streams go to /dev/null and every other descriptor but the two pipe ends, moved to 3 and
 * 4, is closed: results files and other children's pipes among them. */
static int detach(int commands, int answers)
{
    const int null = open("/dev/null", O_RDWR);
    /* Above 4 first, so that neither end is overwritten by the other's move. */
    const int high_commands = fcntl(commands, F_DUPFD, 10);
    const int high_answers = fcntl(answers, F_DUPFD, 10);
    if (null < 0 || high_commands < 0 || high_answers < 0)
        return -1;
    for (int stream = 0; stream <= 2; ++stream)
        if (dup2(null, stream) < 0)
            return -1;
    if (dup2(high_commands, 3) < 0 || dup2(high_answers, 4) < 0)
        return -1;
    if (close_range(5, ~0U, 0)) /* kernels before 5.9 */
        for (int descriptor = 5; descriptor < 1024; ++descriptor)
            close(descriptor);
    return 0;
}

static _Noreturn void child_process(const struct nb_child_limits *limits, pid_t parent,
                                    int commands, int answers, nb_child_main *run, void *context)
{
    /* The parent may have died between fork and prctl. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || detach(commands, answers))
        _exit(127);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_IGN);
    pin(limits->first_core, limits->core_count);
    limit_memory(limits->memory);
    /* Not exit: the parent's buffers and handlers are not the child's to flush and run. */
    _exit(run(context, 3, 4));
}

static enum nb_status open_pipes(int down[2], int up[2], struct nb_error *error)
{
    if (pipe2(down, O_CLOEXEC))
        return nb_fail(error, NB_BAD_FILE, "cannot open a pipe: %s", strerror(errno));
    if (pipe2(up, O_CLOEXEC)) {
        close(down[0]);
        close(down[1]);
        return nb_fail(error, NB_BAD_FILE, "cannot open a pipe: %s", strerror(errno));
    }
    return NB_OK;
}

enum nb_status nb_child_start(struct nb_child *child, const struct nb_child_limits *limits,
                              nb_child_main *run, void *context, struct nb_error *error)
{
    int down[2], up[2];
    memset(child, 0, sizeof *child);
    enum nb_status status = open_pipes(down, up, error);
    if (status)
        return status;
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        child_process(limits, parent, down[0], up[1], run, context);
    const int number = errno;
    close(down[0]);
    close(up[1]);
    if (pid < 0) {
        close(down[1]);
        close(up[0]);
        return nb_fail(error, NB_BAD_FILE, "cannot start a process: %s", strerror(number));
    }
    setpgid(pid, pid); /* both do it, so that neither is too early */
    *child = (struct nb_child){.pid = pid, .to = down[1], .from = up[0], .next = living};
    living = child;
    fcntl(child->from, F_SETFL, O_NONBLOCK);
    return NB_OK;
}

bool nb_child_command(struct nb_child *child, char command)
{
    return write(child->to, &command, 1) == 1;
}

/* The child stays to be reaped. */
static bool has_ended(const struct nb_child *child)
{
    siginfo_t about = {.si_pid = 0};
    return !waitid(P_PID, (id_t)child->pid, &about, WEXITED | WNOHANG | WNOWAIT) && about.si_pid == child->pid;
}

static bool make_room(struct nb_child *child)
{
    if (child->room - child->used >= 4096)
        return true;
    char *text = child->used < MOST_TEXT ? realloc(child->text, 2 * child->room + 65536) : NULL;
    if (!text)
        return false;
    child->text = text;
    child->room = 2 * child->room + 65536;
    return true;
}

/* One read a call: a child that never stops writing does not keep the caller from its clock. */
bool nb_child_receive(struct nb_child *child)
{
    const bool ended = has_ended(child); /* before reading: what it wrote is there by now */
    ssize_t count;
    if (!make_room(child))
        return false;
    while ((count = read(child->from, child->text + child->used, child->room - child->used)) < 0 && errno == EINTR)
        ;
    child->used += count > 0 ? (size_t)count : 0;
    return count > 0 || (count < 0 && errno == EAGAIN && !ended);
}

char *nb_child_take_line(struct nb_child *child)
{
    char *end = child->used > child->searched
                    ? memchr(child->text + child->searched, '\n', child->used - child->searched) : NULL;
    child->searched = child->used;
    if (!end)
        return NULL;
    const size_t length = (size_t)(end - child->text);
    child->searched = 0;
    char *line = strndup(child->text, length);
    if (!line)
        return NULL;
    child->used -= length + 1;
    memmove(child->text, end + 1, child->used);
    return line;
}

char *nb_child_await(struct nb_child *child, double limit, bool *late)
{
    const double deadline = nb_seconds() + limit;
    char *waiting = nb_child_take_line(child); /* behind the one before */
    *late = false;
    while (!waiting) {
        struct pollfd watched = {.fd = child->from, .events = POLLIN};
        const double left = deadline - nb_seconds();
        *late = left <= 0;
        if (*late)
            return NULL;
        poll(&watched, 1, left < 0.1 ? (int)(1000 * left) + 1 : 100); /* an end may not be seen at the pipe */
        const bool open = nb_child_receive(child);
        waiting = nb_child_take_line(child);
        if (!open)
            break;
    }
    return waiting;
}

static bool is_living(pid_t pid)
{
    const struct nb_child *child = living;
    while (child && child->pid != pid)
        child = child->next;
    return child != NULL;
}

static void forget(const struct nb_child *child)
{
    struct nb_child **link = &living;
    while (*link && *link != child)
        link = &(*link)->next;
    if (*link)
        *link = child->next;
}

/* A child of this process that nb_child_start did not start; 0: none, or a system that does not tell. */
static pid_t find_orphan(void)
{
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fscanf(file, "%d", &pid) == 1 && is_living(pid))
        pid = 0;
    fclose(file);
    return pid;
}

void nb_child_end_orphans(void)
{
    int reaps = 0;
    pid_t pid;
    if (prctl(PR_GET_CHILD_SUBREAPER, &reaps) || !reaps)
        return;
    while ((pid = find_orphan()) > 0 && !kill(pid, SIGKILL))
        waitpid(pid, NULL, 0);
}

int nb_child_ending(int status, char *text, size_t size)
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

int nb_child_stop(struct nb_child *child, char *text, size_t size)
{
    int status = 0;
    if (size)
        text[0] = 0;
    if (!child->pid)
        return 0;
    close(child->to);
    close(child->from);
    kill(-child->pid, SIGKILL); /* not reaped, it keeps the group's number, even when it has ended */
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    const int number = nb_child_ending(status, text, size);
    nb_external_remove_folder(child->pid);
    forget(child);
    nb_child_end_orphans();
    free(child->text);
    memset(child, 0, sizeof *child);
    return number;
}

bool nb_child_answer(int answers, const char *line)
{
    return dprintf(answers, "%s\n", line) > 0;
}

char nb_child_wait(int commands)
{
    char command = 0;
    ssize_t count;
    while ((count = read(commands, &command, 1)) < 0 && errno == EINTR)
        ;
    return count == 1 ? command : 0;
}

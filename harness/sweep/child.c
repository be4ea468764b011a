/* Starts a child process by fork, with limits of memory and cores, a process group of its own, and no descriptor of the
 * parent's but a socket for commands, which tells without a pipe's signal that nobody reads any more, and a pipe for
 * answers, taken line by line. Each command brings a nonce, with which the lines of its answer begin: what others write
 * into the pipe, or answers that nobody asked for, are no answers. At its end its whole group is killed, and what left
 * the group: a subreaper, it keeps what its own children leave behind below it until then. */
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
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/sweep/sweep_private.h"
#include "problems/base/apart.h"
#include "problems/base/clock.h"
#include "problems/io/matrix_market.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"
#include "solvers/external_process.h"

static struct nb_child *living;

/* What passes to a child: it may be more than one write or one read takes. */

bool nb_child_send(struct nb_child *child, const void *data, size_t size)
{
    const char *rest = data;
    ssize_t count = 0;
    for (; size > 0 && count >= 0; rest += count, size -= (size_t)count)
        while ((count = send(child->to, rest, size, MSG_NOSIGNAL)) < 0 && errno == EINTR)
            ;
    return count >= 0;
}

bool nb_child_read(int commands, void *data, size_t size)
{
    char *rest = data;
    ssize_t count = 1;
    for (; size > 0 && count > 0; rest += count, size -= (size_t)count)
        while ((count = read(commands, rest, size)) < 0 && errno == EINTR)
            ;
    return count > 0;
}

/* Copies of problem files in a folder of the node's own, for cluster file systems on which every case's reading would
 * cost. A copy is named by the file's hash; what a case reads is checked against that as ever. */

enum { PATH = 1024 };

enum nb_status nb_scratch_path(const char *folder, const struct nb_case *setting, char path[PATH],
                               struct nb_error *error)
{
    char companion[PATH];
    const char *name = strrchr(setting->problem_file, '/');
    const char *suffix = strrchr(name ? name : setting->problem_file, '.');
    if (nb_matrix_market_companion(setting->problem_file, companion, sizeof companion))
        suffix = ".A.mtx";
    const int length = snprintf(path, PATH, "%s/%s%s", folder, setting->problem_hash, suffix ? suffix : "");
    return length < PATH ? NB_OK : nb_fail(error, NB_BAD_INPUT, "--scratch: the folder's name is too long");
}

static enum nb_status copy_file(const char *from, const char *to, struct nb_error *error)
{
    struct nb_content content = {0};
    enum nb_status status = nb_content_add(&content, from, error);
    status = status ? status : nb_replace_file(to, content.bytes, content.size, error);
    nb_content_free(&content);
    return status;
}

/* With its right-hand side, where it has one beside it. */
static enum nb_status copy_problem(const char *folder, const struct nb_case *setting, struct nb_error *error)
{
    char path[PATH], right_side[PATH], companion[PATH];
    enum nb_status status = nb_scratch_path(folder, setting, path, error);
    if (status || !access(path, F_OK))
        return status;
    if (nb_matrix_market_companion(setting->problem_file, right_side, sizeof right_side)) {
        snprintf(companion, sizeof companion, "%.*s.b.mtx", (int)(strlen(path) - strlen(".A.mtx")), path);
        status = copy_file(right_side, companion, error);
    }
    return status ? status : copy_file(setting->problem_file, path, error);
}

enum nb_status nb_scratch_fill(const char *folder, const struct nb_plan *plan, struct nb_error *error)
{
    const struct nb_case *last = NULL;
    enum nb_status status = NB_OK;
    for (int i = 0; i < plan->count && !status; ++i) {
        const struct nb_case *setting = &plan->task[i].setting;
        if (plan->task[i].complete || (last && !strcmp(last->problem_hash, setting->problem_hash)))
            continue;
        status = copy_problem(folder, setting, error);
        last = setting;
    }
    return status;
}

/* What ended children leave behind comes to this process, where it has made itself their subreaper, and is found in the
 * system's list of its children: all but those that were started here, or by the program that this process was before
 * exec. The children of a killed one come next, until none is left. */

enum { STRANGERS_MOST = 64 };
static pid_t stranger[STRANGERS_MOST]; /* children of the program that this process was before exec */
static int strangers;

static bool is_stranger(pid_t pid)
{
    int i = 0;
    while (i < strangers && stranger[i] != pid)
        ++i;
    return i < strangers;
}

/* The list of a process's children; NULL: the system does not tell. */
static FILE *open_children(pid_t parent)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    return fopen(path, "r");
}

/* The first children of a process, into pid [most]; how many: 0 on a system that does not tell. */
static int child_find_children(pid_t parent, pid_t *pid, int most)
{
    int count = 0;
    FILE *file = open_children(parent);
    if (!file)
        return 0;
    while (count < most && fscanf(file, "%d", &pid[count]) == 1)
        ++count;
    fclose(file);
    return count;
}

void nb_child_adopt_orphans(void)
{
    int pid;
    FILE *file = open_children(getpid());
    strangers = 0;
    if (!file)
        return;
    while (strangers < STRANGERS_MOST && fscanf(file, "%d", &pid) == 1)
        stranger[strangers++] = pid;
    fclose(file);
    if (strangers < STRANGERS_MOST)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Whether nb_child_start has started it, and nb_child_stop has not stopped it. */
static bool child_is_living(pid_t pid)
{
    const struct nb_child *child = living;
    while (child && child->pid != pid)
        child = child->next;
    return child != NULL;
}

/* A child of this process that neither nb_child_start nor who was here before has started; 0: none. */
static pid_t find_orphan(void)
{
    int pid = 0;
    FILE *file = open_children(getpid());
    if (!file)
        return 0;
    while (fscanf(file, "%d", &pid) == 1 && (child_is_living(pid) || is_stranger(pid)))
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

enum { MOST_TEXT = 1 << 30 }; /* bytes of one answer */

static char given[NB_CHILD_NONCE + 1]; /* in the child: the nonce of the last command */

static void draw_nonce(char nonce[NB_CHILD_NONCE + 1])
{
    unsigned long long number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number += (unsigned long long)(1e9 * nb_seconds()); /* guards against mistakes, still */
    snprintf(nonce, NB_CHILD_NONCE + 1, "%016llx", number);
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

static void close_between(unsigned first, unsigned last)
{
    if (first <= last && close_range(first, last, 0)) /* kernels before 5.9 */
        for (unsigned descriptor = first; descriptor <= last && descriptor < 1024; ++descriptor)
            close((int)descriptor);
}

/* Standard streams go to /dev/null and every other descriptor but these two ends, moved to 3 and
 * 4, is closed: results files and other children's pipes among them. It closes first, so that few are enough. */
static int detach(int commands, int answers)
{
    const unsigned low = (unsigned)(commands < answers ? commands : answers);
    const unsigned high = (unsigned)(commands < answers ? answers : commands);
    close_between(3, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, ~0U);
    const int null = open("/dev/null", O_RDWR);
    /* Above 4 first, so that neither end is overwritten by the other's move. */
    const int high_commands = fcntl(commands, F_DUPFD, 5), high_answers = fcntl(answers, F_DUPFD, 5);
    if (null < 0 || high_commands < 0 || high_answers < 0)
        return -1;
    for (int stream = 0; stream <= 2; ++stream)
        if (dup2(null, stream) < 0)
            return -1;
    if (dup2(high_commands, 3) < 0 || dup2(high_answers, 4) < 0)
        return -1;
    close_between(5, ~0U);
    return 0;
}

/* Tells the parent, by its number, the error that kept the child from its work; 0: none did. */
static void tell_beginning(int answers, int number)
{
    const unsigned char byte = (unsigned char)number;
    while (write(answers, &byte, 1) < 0 && errno == EINTR)
        ;
}

static _Noreturn void child_process(const struct nb_child_limits *limits, int commands, int answers,
                                    nb_child_main *run, void *context)
{
    if (detach(commands, answers)) {
        tell_beginning(answers, errno);
        _exit(127);
    }
    setpgid(0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN);
    pin(limits->first_core, limits->core_count);
    tell_beginning(4, 0);
    /* Not exit: the parent's buffers and handlers are not the child's to flush and run. */
    _exit(run(context, 3, 4));
}

/* Waits for what the child tells of its beginning; one that ends before is found out when its answer is read. */
static int hear_beginning(const struct nb_child *child)
{
    unsigned char number = 0;
    while (read(child->from, &number, 1) < 0 && errno == EINTR)
        ;
    return number;
}

static enum nb_status open_ends(int down[2], int up[2], struct nb_error *error)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, down))
        return nb_fail(error, NB_BAD_FILE, "cannot open a socket: %s", strerror(errno));
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
    char ending[64];
    memset(child, 0, sizeof *child);
    enum nb_status status = open_ends(down, up, error);
    if (status)
        return status;
    draw_nonce(given);
    fflush(NULL);
    const pid_t pid = nb_apart_fork(&(struct nb_apart_limits){.memory = limits->memory});
    if (pid == 0)
        child_process(limits, down[0], up[1], run, context);
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
    memcpy(child->nonce, given, sizeof given);
    living = child;
    const int trouble = hear_beginning(child);
    fcntl(child->from, F_SETFL, O_NONBLOCK);
    if (!trouble)
        return NB_OK;
    nb_child_stop(child, ending, sizeof ending);
    return nb_fail(error, NB_BAD_FILE, "cannot start a process: it has no descriptors (ulimit -n): %s",
                   strerror(trouble));
}

bool nb_child_command(struct nb_child *child, const void *command, size_t size)
{
    char text[NB_CHILD_NONCE + NB_CHILD_COMMAND];
    if (size > NB_CHILD_COMMAND)
        return false;
    draw_nonce(child->nonce);
    memcpy(text, child->nonce, NB_CHILD_NONCE);
    memcpy(text + NB_CHILD_NONCE, command, size);
    return nb_child_send(child, text, NB_CHILD_NONCE + size);
}

/* The child stays to be reaped. */
static bool has_ended(const struct nb_child *child)
{
    siginfo_t about = {.si_pid = 0};
    return !waitid(P_PID, (id_t)child->pid, &about, WEXITED | WNOHANG | WNOWAIT) && about.si_pid == child->pid;
}

/* One that is stopped while this process is not goes on: its own code may have done it. */
static void keep_going(const struct nb_child *child)
{
    siginfo_t about = {.si_pid = 0};
    if (!waitid(P_PID, (id_t)child->pid, &about, WSTOPPED | WNOHANG) && about.si_pid == child->pid)
        kill(child->pid, SIGCONT);
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
    keep_going(child);
    if (!make_room(child))
        return false;
    while ((count = read(child->from, child->text + child->used, child->room - child->used)) < 0 && errno == EINTR)
        ;
    child->used += count > 0 ? (size_t)count : 0;
    return count > 0 || (count < 0 && errno == EAGAIN && !ended);
}

/* A copy of the line behind its nonce. */
static char *copy_line(const struct nb_child *child, const char *text, size_t length)
{
    if (length < NB_CHILD_NONCE || memcmp(text, child->nonce, NB_CHILD_NONCE) != 0)
        return strdup("a garbled answer");
    return strndup(text + NB_CHILD_NONCE, length - NB_CHILD_NONCE);
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
    char *line = copy_line(child, child->text, length);
    if (!line)
        return NULL;
    child->used -= length + 1;
    memmove(child->text, end + 1, child->used);
    return line;
}

char *nb_child_await(struct nb_child *child, double limit, bool *late)
{
    struct nb_watch watch = {0};
    char *waiting = nb_child_take_line(child); /* behind the one before */
    *late = false;
    while (!waiting) {
        struct pollfd watched = {.fd = child->from, .events = POLLIN};
        const double left = limit - nb_watch_look(&watch);
        *late = left <= 0;
        if (*late)
            return NULL;
        poll(&watched, 1, nb_watch_plan(&watch, left)); /* short: an end may not be seen at the pipe */
        const bool open = nb_child_receive(child);
        waiting = nb_child_take_line(child);
        if (!open)
            break;
    }
    return waiting;
}

static void forget(const struct nb_child *child)
{
    struct nb_child **link = &living;
    while (*link && *link != child)
        link = &(*link)->next;
    if (*link)
        *link = child->next;
}

int nb_child_stop(struct nb_child *child, char *text, size_t size)
{
    if (size)
        text[0] = 0;
    if (!child->pid)
        return 0;
    close(child->to);
    close(child->from);
    pid_t worker[2]; /* one, and perhaps what a former one left */
    const int workers = child_find_children(child->pid, worker, 2);
    kill(-child->pid, SIGKILL); /* not reaped, it keeps the group's number, even when it has ended */
    kill(child->pid, SIGKILL);
    const int status = nb_apart_wait(child->pid);
    const int number = nb_apart_ending(status, text, size);
    nb_external_remove_folder(child->pid);
    for (int i = 0; i < workers; ++i)
        nb_external_remove_folder(worker[i]);
    forget(child);
    nb_child_end_orphans();
    free(child->text);
    memset(child, 0, sizeof *child);
    return number;
}

bool nb_child_answer(int answers, const char *line)
{
    return dprintf(answers, "%s%s\n", given, line) > 0;
}

bool nb_child_wait(int commands, void *command, size_t size)
{
    char text[NB_CHILD_NONCE + NB_CHILD_COMMAND];
    ssize_t count;
    if (size > NB_CHILD_COMMAND)
        return false;
    while ((count = read(commands, text, NB_CHILD_NONCE + size)) < 0 && errno == EINTR)
        ;
    if (count != (ssize_t)(NB_CHILD_NONCE + size))
        return false;
    memcpy(given, text, NB_CHILD_NONCE);
    memcpy(command, text + NB_CHILD_NONCE, size);
    return true;
}

bool nb_child_fork(int commands, int answers, int memory, size_t spare, nb_child_work *work, void *context,
                   int *status)
{
    const pid_t pid = nb_apart_fork(&(struct nb_apart_limits){.memory = memory, .spare = spare});
    pid_t heard;
    if (pid == 0) {
        close(commands);
        _exit(work(context, answers));
    }
    if (pid < 0)
        return false;
    while ((heard = waitpid(pid, status, WUNTRACED)) < 0 ? errno == EINTR : WIFSTOPPED(*status))
        if (heard == pid) /* as above */
            kill(pid, SIGCONT);
    if (*status) /* of an answer, it may have left half a line */
        dprintf(answers, "\n");
    nb_external_remove_folder(pid);
    nb_child_end_orphans();
    return true;
}

/* The program has one end of a pair of sockets as its standard input and output; a socket, since writing to a program
 * that has ended is then an error and no signal. The program's group is ours, so that whoever kills us kills it, and it
 * is told to end where we do. Its standard error passes through us, so that a message can end with its last words. An
 * answer counts that comes when the program has taken all of the question off the socket. When it takes the first one
 * off it has started: an interpreter and its modules are loaded, which is no part of a set-up. */
#include "solvers/external_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "problems/base/apart.h"
#include "problems/base/clock.h"
#include "solvers/aside.h"

enum { ARGUMENTS = 64, WORDS = 200 };

struct nb_external_process {
    pid_t pid;                       /* 0: it has ended and was waited for    */
    int socket, errors;              /* its standard error; -1: it is closed  */
    double limit;
    double begun;                    /* when it was started; 0: it has heard us */
    char name[64];                   /* of the program, for messages          */
    size_t filled;                   /* of buffer: what came after a line     */
    char buffer[NB_EXTERNAL_LINE];
    bool line_ended;                 /* of its standard error                 */
    size_t said;
    char words[WORDS];               /* [said] its last line, cut; no blank   */
};

void nb_external_folder(pid_t process, char folder[NB_EXTERNAL_PATH])
{
    const char *set = getenv("TMPDIR");
    snprintf(folder, NB_EXTERNAL_PATH, "%s/ncpbench-step-%ld", set && *set ? set : "/tmp", (long)process);
}

static atomic_int in_use;

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void nb_external_remove_folder(pid_t process)
{
    struct stat about;
    char folder[NB_EXTERNAL_PATH];
    nb_external_folder(process ? process : getpid(), folder);
    if (!lstat(folder, &about) && about.st_uid == geteuid())
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void nb_external_leave_folder(void)
{
    nb_external_remove_folder(0);
    atomic_store(&in_use, 0);
}

enum nb_status nb_external_make_folder(char *file, size_t size, struct nb_error *error)
{
    char folder[NB_EXTERNAL_PATH];
    nb_external_folder(getpid(), folder);
    if (atomic_exchange(&in_use, 1))
        return nb_fail(error, NB_UNSUPPORTED, "external: one program at a time in a process");
    nb_external_remove_folder(0); /* of one that had our number and was killed */
    if (strlen(folder) + 20 > size || mkdir(folder, 0700))
        return nb_fail(error, NB_BAD_FILE, "external: cannot make the folder %.200s (TMPDIR): %s", folder,
                       strerror(errno));
    snprintf(file, size, "%s/step.h5", folder);
    return NB_OK;
}

/* words [ARGUMENTS + 1] into text, which is cut at its blanks; their number. */
static int split(char *text, char **words)
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t", &rest); word && count < ARGUMENTS; word = strtok_r(NULL, " \t", &rest))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static _Noreturn void become(char **words, int socket, int errors)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &plain, NULL);
    if (dup2(socket, 0) < 0 || dup2(socket, 1) < 0 || dup2(errors, 2) < 0)
        _exit(127);
    execvp(words[0], words);
    dprintf(1, "error cannot be started: %s\n", strerror(errno));
    _exit(127);
}

static void close_pair(const int *pair)
{
    close(pair[0]);
    close(pair[1]);
}

static enum nb_status start(struct nb_external_process *process, char **words, struct nb_error *error)
{
    int pair[2], errors[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return nb_fail(error, NB_BAD_FILE, "external: no socket: %s", strerror(errno));
    if (pipe2(errors, O_CLOEXEC) || fcntl(errors[0], F_SETFL, O_NONBLOCK)) {
        close_pair(pair);
        return nb_fail(error, NB_BAD_FILE, "external: no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    process->begun = nb_seconds();
    process->pid = nb_apart_fork(NULL);
    if (process->pid == 0)
        become(words, pair[1], errors[1]);
    if (process->pid < 0) {
        close_pair(pair);
        close_pair(errors);
        return nb_fail(error, NB_BAD_FILE, "external: no process: %s", strerror(errno));
    }
    close(pair[1]);
    close(errors[1]);
    process->socket = pair[0];
    process->errors = errors[0];
    return NB_OK;
}

void nb_external_name(const char *command, size_t length, char *name, size_t size)
{
    size_t used = 0;
    for (size_t i = 0, word = 0; i < length && used + 1 < size; ++i) {
        const bool folder = command[i] == '/' && i + 1 < length && command[i + 1] != ' ';
        if (command[i] == ' ')
            word = used + 1;
        if (folder)
            used = word;
        else
            name[used++] = command[i];
    }
    name[used] = '\0';
}

enum nb_status nb_external_start(struct nb_external_process **out, const char *command, double limit,
                                 struct nb_error *error)
{
    char *words[ARGUMENTS + 1], *text = strdup(command);
    struct nb_external_process *process = calloc(1, sizeof *process);
    enum nb_status status;
    if (!text || !process)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "external: no memory");
    else if (!split(text, words))
        status = nb_fail(error, NB_BAD_INPUT, "external: the command is empty");
    else
        status = start(process, words, error);
    if (!status)
        nb_external_name(command, strlen(command), process->name, sizeof process->name);
    free(text);
    if (status) {
        free(process);
        process = NULL;
    } else {
        process->limit = limit;
    }
    *out = process;
    return status;
}

/* Keeps the beginning of the last line that is not blank. */
static void remember(struct nb_external_process *process, const char *text, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '\n') {
            process->line_ended = true;
        } else if (!process->line_ended || text[i] != ' ') {
            process->said = process->line_ended ? 0 : process->said;
            process->line_ended = false;
            if (process->said < WORDS - 1)
                process->words[process->said++] = text[i] < ' ' && text[i] >= 0 ? ' ' : text[i];
        }
    }
    process->words[process->said] = '\0';
}

/* What stands in its standard error goes to ours. */
static void pass_on(struct nb_external_process *process)
{
    char text[4096];
    ssize_t got = -1;
    if (process->errors < 0)
        return;
    while ((got = read(process->errors, text, sizeof text)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) {
            remember(process, text, (size_t)got);
            if (write(STDERR_FILENO, text, (size_t)got) < 0)
                continue; /* nobody reads it */
        }
    if (got == 0) {
        close(process->errors);
        process->errors = -1;
    }
}

/* Waits a second at most, for its end; whether it came. *how: as waitpid says. */
static bool wait_for_end(struct nb_external_process *process, int *how)
{
    const struct timespec tick = {.tv_nsec = 10 * 1000 * 1000};
    for (int k = 0; k < 100 && process->pid; ++k) {
        const pid_t gone = waitpid(process->pid, how, WNOHANG);
        pass_on(process);
        if (gone)
            process->pid = 0;
        else
            nanosleep(&tick, NULL);
    }
    return !process->pid;
}

/* It ended, or closed its output: how, and its last words. */
static enum nb_status has_ended(struct nb_external_process *process, struct nb_error *error)
{
    char how[60] = "ended";
    int code = 0;
    if (!process->pid || !wait_for_end(process, &code))
        snprintf(how, sizeof how, "closed its output");
    else if (WIFSIGNALED(code))
        snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(code));
    else
        snprintf(how, sizeof how, "ended with exit code %d", WEXITSTATUS(code));
    return nb_fail(error, NB_BREAKDOWN, "external: %s %s, without an answer%s%s", process->name, how,
                   process->said ? ": " : "", process->words);
}

static enum nb_status fail_early(const struct nb_external_process *process, const char *text, size_t length,
                                 struct nb_error *error)
{
    return nb_fail(error, NB_BREAKDOWN, "external: %s has answered before it was asked: \"%.*s\"", process->name,
                   length < 60 ? (int)length : 60, text);
}

static enum nb_status fail_late(const struct nb_external_process *process, struct nb_error *error)
{
    return nb_fail(error, NB_BREAKDOWN, "external: %s has not answered within %g s", process->name, process->limit);
}

/* Whether it has read all that we have said. */
static bool has_read(const struct nb_external_process *process)
{
    int unread = 0;
    return ioctl(process->socket, SIOCOUTQ, &unread) || unread == 0;
}

/* What was said before the question is no answer to it; that the program cannot go on may be said at any time. */
static enum nb_status check_silence(struct nb_external_process *process, struct nb_error *error)
{
    if (!process->filled) {
        const ssize_t got = recv(process->socket, process->buffer, sizeof process->buffer, MSG_DONTWAIT);
        process->filled = got > 0 ? (size_t)got : 0;
    }
    const bool complains = process->filled >= 6 && !memcmp(process->buffer, "error ", 6);
    if (!process->filled || complains)
        return NB_OK;
    const char *end = memchr(process->buffer, '\n', process->filled);
    return fail_early(process, process->buffer, end ? (size_t)(end - process->buffer) : process->filled, error);
}

/* The next line into line [NB_EXTERNAL_LINE], without its end. */
static enum nb_status hear(struct nb_external_process *process, char *line, struct nb_error *error)
{
    struct nb_watch watch = {0};
    for (;;) {
        char *end = memchr(process->buffer, '\n', process->filled);
        if (end) {
            const size_t length = (size_t)(end - process->buffer);
            if (memchr(process->buffer, '\0', length))
                return nb_fail(error, NB_BREAKDOWN, "external: %s answers with a line that has a zero byte",
                               process->name);
            memcpy(line, process->buffer, length);
            line[length && line[length - 1] == '\r' ? length - 1 : length] = '\0';
            process->filled -= length + 1;
            memmove(process->buffer, end + 1, process->filled);
            return NB_OK;
        }
        if (process->filled == sizeof process->buffer)
            return nb_fail(error, NB_BREAKDOWN, "external: %s answers with a line of more than %d characters",
                           process->name, NB_EXTERNAL_LINE - 1);
        struct pollfd poller[] = {{.fd = process->socket, .events = POLLIN}, {.fd = process->errors, .events = POLLIN}};
        const double left = process->limit - nb_watch_look(&watch);
        const int ready = poll(poller, 2, nb_watch_plan(&watch, left));
        if ((ready < 0 && errno == EINTR) || (!ready && left > 0))
            continue;
        if (ready <= 0)
            return fail_late(process, error);
        if (poller[1].revents)
            pass_on(process);
        if (!poller[0].revents)
            continue;
        const ssize_t got = recv(process->socket, process->buffer + process->filled,
                                 sizeof process->buffer - process->filled, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return has_ended(process, error);
        process->filled += (size_t)got;
    }
}

static enum nb_status complain(const struct nb_external_process *process, const char *answer, struct nb_error *error)
{
    return nb_fail(error, NB_BREAKDOWN, "external: %s: %.300s", process->name, answer + 6);
}

/* Nobody hears us any more: why, if it said so before it went, else how it ended. */
static enum nb_status hear_last(struct nb_external_process *process, struct nb_error *error)
{
    char line[NB_EXTERNAL_LINE];
    const enum nb_status status = hear(process, line, error);
    if (status)
        return status;
    return strncmp(line, "error ", 6) ? has_ended(process, error) : complain(process, line, error);
}

static enum nb_status say(struct nb_external_process *process, const char *line, struct nb_error *error)
{
    char text[2 * NB_EXTERNAL_LINE];
    const int length = snprintf(text, sizeof text, "%s\n", line);
    for (int sent = 0; sent < length;) {
        const ssize_t done = send(process->socket, text + sent, (size_t)(length - sent), MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return hear_last(process, error);
        sent += (int)done;
    }
    return NB_OK;
}

/* Until it reads the first question, or says or ends something before; looked at every tenth of a millisecond. */
static enum nb_status wait_for_start(struct nb_external_process *process, struct nb_error *error)
{
    const struct timespec tick = {.tv_nsec = 100 * 1000};
    struct pollfd poller = {.fd = process->socket, .events = POLLIN};
    struct nb_watch watch = {0};
    bool late = false;
    while (!has_read(process) && !late && ppoll(&poller, 1, &tick, NULL) <= 0) {
        pass_on(process);
        late = nb_watch_look(&watch) >= process->limit;
    }
    nb_aside_add(nb_seconds() - process->begun);
    process->begun = 0;
    return late ? fail_late(process, error) : NB_OK;
}

enum nb_status nb_external_ask(struct nb_external_process *process, const char *line, const char *word, char *rest,
                               struct nb_error *error)
{
    char answer[NB_EXTERNAL_LINE];
    const size_t length = strlen(word);
    enum nb_status status = check_silence(process, error);
    if (!status)
        status = say(process, line, error);
    if (!status && process->begun > 0)
        status = wait_for_start(process, error);
    if (!status)
        status = hear(process, answer, error);
    const bool was_read = has_read(process);
    if (status)
        return status;
    if (!strncmp(answer, "error ", 6))
        return complain(process, answer, error);
    if (!was_read)
        return fail_early(process, answer, strlen(answer), error);
    if (strncmp(answer, word, length) || (answer[length] && answer[length] != ' '))
        return nb_fail(error, NB_BREAKDOWN, "external: %s answers \"%.60s\" to \"%.60s\", not \"%s\"", process->name,
                       answer, line, word);
    if (rest)
        snprintf(rest, NB_EXTERNAL_LINE, "%s", answer[length] ? answer + length + 1 : "");
    return NB_OK;
}

void nb_external_end(struct nb_external_process *process)
{
    int how;
    if (!process)
        return;
    if (process->pid) {
        say(process, "quit", NULL);
        shutdown(process->socket, SHUT_WR);
    }
    if (!wait_for_end(process, &how)) {
        kill(process->pid, SIGKILL);
        nb_apart_wait(process->pid);
    }
    pass_on(process);
    if (process->errors >= 0)
        close(process->errors);
    close(process->socket);
    free(process);
}

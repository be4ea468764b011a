/* Runs of build/ncpbench on a terminal, a pseudo-terminal of the test's own. */
#ifndef NB_TEST_TERMINAL_H
#define NB_TEST_TERMINAL_H

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/program.h"

/* All that a shell command shows there, without the carriage returns that the terminal adds; the caller frees it. */
static inline char *on_terminal(const char *command)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    size_t used = 0, room = 1 << 20;
    char *text = calloc(room, 1);
    ssize_t count;
    assert_non_null(text);
    if (master < 0 || grantpt(master) || unlockpt(master)) {
        printf("skipped: no pseudo-terminals\n");
        skip();
    }
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    const pid_t pid = fork();
    assert_true(slave >= 0 && pid >= 0);
    if (!pid) {
        dup2(slave, STDOUT_FILENO);
        dup2(slave, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(slave);
    while (used + 1 < room && (count = read(master, text + used, room - used - 1)) > 0)
        used += (size_t)count;
    close(master);
    waitpid(pid, NULL, 0);
    return text;
}

#endif

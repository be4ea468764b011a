/* A child process as sweeps use it: only what it answers to the last command is an answer, it says why it cannot begin,
 * and what it leaves behind ends with it and not before. */
#include "tests/support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/sweep/child.h"

static const struct nb_child_limits unlimited;

static char command;

static int answer_each(void *context, int commands, int answers)
{
    (void)context;
    nb_child_answer(answers, "begun");
    while (nb_child_wait(commands, &command, 1))
        nb_child_answer(answers, "done");
    return 0;
}

/* As a library would that prints into what it takes for a descriptor of its own. */
static int write_before(void *context, int commands, int answers)
{
    while (nb_child_wait(commands, &command, 1)) {
        dprintf(answers, "%s", (const char *)context);
        nb_child_answer(answers, "done");
    }
    return 0;
}

static int answer_twice(void *context, int commands, int answers)
{
    (void)context;
    while (nb_child_wait(commands, &command, 1)) {
        nb_child_answer(answers, "done");
        nb_child_answer(answers, "done again");
    }
    return 0;
}

static void expect_line(struct nb_child *child, const char *wanted)
{
    bool late = false;
    char *line = nb_child_await(child, 20, &late);
    assert_non_null(line);
    assert_string_equal(line, wanted);
    free(line);
}

static void stop(struct nb_child *child)
{
    char ending[64];
    nb_child_stop(child, ending, sizeof ending);
}

TEST(answers_come_in_order)
{
    struct nb_child child;
    assert_ok(nb_child_start(&child, &unlimited, answer_each, NULL, &why));
    expect_line(&child, "begun");
    for (int i = 0; i < 3; ++i) {
        assert_true(nb_child_command(&child, "g", 1));
        expect_line(&child, "done");
    }
    stop(&child);
}

TEST(what_was_written_without_the_nonce_is_garbled)
{
    static const char *const strays[] = {"done\n", "{\"part\":\"time\"}\n", "\n", "half a line",
                                         "0123456789abcdefdone\n"};
    for (size_t i = 0; i < sizeof strays / sizeof *strays; ++i) {
        struct nb_child child;
        assert_ok(nb_child_start(&child, &unlimited, write_before, (void *)strays[i], &why));
        assert_true(nb_child_command(&child, "g", 1));
        expect_line(&child, "a garbled answer");
        stop(&child);
    }
}

TEST(an_answer_too_many_is_no_answer_to_the_next_command)
{
    struct nb_child child;
    assert_ok(nb_child_start(&child, &unlimited, answer_twice, NULL, &why));
    assert_true(nb_child_command(&child, "g", 1));
    expect_line(&child, "done");
    assert_true(nb_child_command(&child, "g", 1));
    expect_line(&child, "a garbled answer");
    stop(&child);
}

static int end_at_once(void *context, int commands, int answers)
{
    (void)context, (void)commands, (void)answers;
    return 0;
}

/* The signal of a pipe that nobody reads would end this program. */
TEST(a_command_to_a_child_that_has_ended_is_false)
{
    struct nb_child child;
    siginfo_t about;
    static const char long_one[1 << 20] = "x";
    assert_ok(nb_child_start(&child, &unlimited, end_at_once, NULL, &why));
    assert_int_equal(waitid(P_PID, (id_t)child.pid, &about, WEXITED | WNOWAIT), 0);
    assert_false(nb_child_command(&child, "g", 1));
    assert_false(nb_child_send(&child, long_one, sizeof long_one));
    stop(&child);
}

/* Down to three descriptors, a child either begins or tells what it lacks. */
TEST(a_child_without_descriptors_says_so)
{
    struct rlimit before;
    int refused = 0;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (rlim_t most = 3; most < 24; ++most) {
        struct nb_child child;
        const struct rlimit few = {most, before.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        const enum nb_status status = nb_child_start(&child, &unlimited, answer_each, NULL, &why);
        setrlimit(RLIMIT_NOFILE, &before);
        if (status) {
            assert_non_null(strstr(why.text, "Too many open files"));
            assert_int_equal(child.pid, 0);
            ++refused;
        } else {
            expect_line(&child, "begun");
            stop(&child);
        }
    }
    assert_true(refused > 0 && refused < 21);
}

/* Leaves a process in a session of its own, and answers with its number. */
static int leave_behind(void *context, int commands, int answers)
{
    char text[32];
    int ends[2];
    pid_t left = 0;
    (void)context;
    if (pipe(ends))
        return 1;
    const pid_t between = fork();
    if (between == 0) {
        setsid();
        left = fork();
        if (left == 0)
            for (;;)
                pause();
        _exit(write(ends[1], &left, sizeof left) != sizeof left);
    }
    waitpid(between, NULL, 0);
    if (read(ends[0], &left, sizeof left) != sizeof left)
        return 1;
    snprintf(text, sizeof text, "%d", (int)left);
    nb_child_answer(answers, text);
    return nb_child_wait(commands, &command, 1);
}

static pid_t left_by(struct nb_child *child)
{
    bool late = false;
    assert_ok(nb_child_start(child, &unlimited, leave_behind, NULL, &why));
    char *line = nb_child_await(child, 20, &late);
    assert_non_null(line);
    const pid_t pid = atoi(line);
    free(line);
    assert_int_equal(kill(pid, 0), 0);
    return pid;
}

TEST(what_a_child_leaves_ends_with_it_and_not_with_another)
{
    struct nb_child first, second;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t of_first = left_by(&first), of_second = left_by(&second);
    stop(&first);
    assert_true(kill(of_first, 0) < 0 && errno == ESRCH);
    assert_int_equal(kill(of_second, 0), 0);
    stop(&second);
    assert_true(kill(of_second, 0) < 0 && errno == ESRCH);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static int stop_itself(void *context, int commands, int answers)
{
    (void)context;
    (void)commands;
    raise(SIGSTOP);
    return !nb_child_answer(answers, "went on");
}

TEST(a_child_that_stops_itself_goes_on)
{
    struct nb_child child;
    assert_ok(nb_child_start(&child, &unlimited, stop_itself, NULL, &why));
    expect_line(&child, "went on");
    stop(&child);
}

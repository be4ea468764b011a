/* A process beside this one ends as it is told of, keeps to its limits and ends with it; a program has the streams and
 * the folder that it was given. */
#include "tests/support/folder.h"
#include "tests/support/support.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problems/base/apart.h"

/* How a child ends that does the work; its status as of waitpid. */
static int status_of(const struct nb_apart_limits *limits, void (*work)(void))
{
    const pid_t pid = nb_apart_fork(limits);
    assert_true(pid >= 0);
    if (pid == 0) {
        work();
        _exit(0);
    }
    return nb_apart_wait(pid);
}

static void expect_ending(int status, int number, const char *words)
{
    char text[64];
    assert_int_equal(nb_apart_ending(status, text, sizeof text), number);
    assert_string_equal(text, words);
}

static void nothing(void) {}
static void leave(void) { _exit(3); }
static void die(void) { raise(SIGKILL); }

static void run_on(void)
{
    for (volatile unsigned k = 0;; ++k)
        ;
}

/* 64 MiB of address space; 1: there is none. */
static void take_memory(void)
{
    void *taken = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _exit(taken == MAP_FAILED);
}

TEST(an_end_is_told)
{
    expect_ending(status_of(NULL, nothing), 0, "exit status 0");
    expect_ending(status_of(NULL, leave), 0, "exit status 3");
    expect_ending(status_of(NULL, die), SIGKILL, "killed by SIGKILL");
}

TEST(a_child_keeps_to_its_limits)
{
    const struct nb_apart_limits second = {.memory = -1, .seconds = 1}, much = {.memory = 256}, usual = {0};
    expect_ending(status_of(&second, run_on), SIGKILL, "killed by SIGKILL");
#ifndef __SANITIZE_ADDRESS__ /* which has all of the address space from the start */
    expect_ending(status_of(&(struct nb_apart_limits){.memory = 16}, take_memory), 0, "exit status 1");
#endif
    expect_ending(status_of(&much, take_memory), 0, "exit status 0");
    expect_ending(status_of(&usual, take_memory), 0, "exit status 0");
    assert_true(nb_apart_address_space() > 1 << 20);
}

TEST(only_a_child_is_waited_for)
{
    assert_int_equal(nb_apart_wait(getpid()), -1);
    assert_int_equal(errno, ECHILD);
}

/* A child that starts another and dies: the pipe, of which the other has an end, closes. */
TEST(a_child_ends_with_its_parent)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = nb_apart_fork(NULL);
    if (pid == 0) {
        const pid_t other = nb_apart_fork(NULL);
        if (other == 0)
            for (;;)
                pause();
        raise(SIGKILL);
    }
    close(ends[1]);
    nb_apart_wait(pid);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

TEST(a_program_has_its_streams)
{
    char shell[] = "sh", option[] = "-c", script[] = "pwd; cat; echo complaint >&2; exit 5";
    char *words[] = {shell, option, script, NULL};
    char said[4096] = "", missing[] = "no-such-program", *nobody[] = {missing, NULL};
    int ends[2];
    pid_t pid;
    assert_int_equal(pipe(ends), 0);
    const struct nb_apart_program program = {words, NULL, folder.path, ends[1], "log"};
    for (int k = 0; k < 2; ++k) { /* the log grows */
        assert_int_equal(nb_apart_start(&program, &pid), 0);
        expect_ending(nb_apart_wait(pid), 0, "exit status 5");
    }
    close(ends[1]);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    close(ends[0]);
    test_contains(said, strrchr(folder.path, '/'));
    OWNS(free_at)
    char *log = test_slurp(test_path(&folder, "log"));
    assert_string_equal(log, "complaint\ncomplaint\n");
    assert_int_equal(nb_apart_start(&(struct nb_apart_program){.words = nobody, .output = -1}, &pid), ENOENT);
}

FIXTURE(make_folder, remove_folder)

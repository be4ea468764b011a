/* Sweeps: each case recorded exactly once and whole, whatever dies on the way. */
#include "tests/support/sweep_support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness/case/case_run.h"
#include "harness/sweep/child.h"

/* --- children that misbehave --- */

static bool chosen(const struct nb_case *setting)
{
    return !strcmp(setting->options.linear, "cholesky") &&
           !strcmp(setting->options.precision, "f32");
}

static void crash(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition < 0) {
        signal(SIGSEGV, SIG_DFL); /* not the sanitizer's report */
        raise(SIGSEGV);
    }
}

static void crash_late(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition == 3) {
        signal(SIGABRT, SIG_DFL);
        raise(SIGABRT);
    }
}

static void hang(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition < 0)
        for (;;)
            pause();
}

static void leave(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition < 0)
        _exit(7);
}

static void be_killed(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition == 1)
        raise(SIGKILL);
}

static void expect_failures(const char *name, nb_sweep_hook *hook, const char *ending,
                            const char *detail)
{
    const char *results = fresh(name);
    sweep(write_spec(eight), results, hook);
    struct audit found = audit(results, ending);
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.with_ending, 2);
    test_contains(found.detail, detail);
    /* Recorded failures are results: a rerun does not repeat them. */
    assert_int_equal(sweep(test_path(&folder, "test.sweep"), results, NULL).run, 0);
}

TEST(crash_is_recorded_and_the_sweep_goes_on)
{
    expect_failures("crash.jsonl", crash, "crashed", "killed by SIGSEGV, in the observed run");
    expect_failures("late.jsonl", crash_late, "crashed",
                    "killed by SIGABRT, in a timed repetition");
    expect_failures("leave.jsonl", leave, "crashed", "exit status 7");
    expect_failures("kill.jsonl", be_killed, "crashed", "killed by SIGKILL");
}

TEST(hang_is_timed_out)
{
    char text[1024];
    const char *results = fresh("hang.jsonl"), *spec = test_path(&folder, "hang.sweep");
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 1\n%s", eight);
    test_write(spec, text);
    sweep(spec, results, hang);
    struct audit found = audit(results, "timed_out");
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.with_ending, 2);
    test_contains(found.detail, "time limit");
}

static void hang_or_tell(const struct nb_case *setting, int repetition)
{
    if (strcmp(setting->options.linear, "cholesky") || repetition >= 0)
        return;
    const int begun = open(test_path(&folder, "begun"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(begun, "x", 1) == 1)
        close(begun);
    if (setting->tolerance != 1e-2)
        for (;;)
            pause();
}

/* Of three tolerances the first is met, the second is not in time, and the third is not tried; nor is a fourth, by a
 * sweep that finds the others done. */
TEST(smaller_tolerance_than_one_that_timed_out_is_not_tried)
{
    const char *results = fresh("hopeless.jsonl"), *spec = test_path(&folder, "hopeless.sweep");
    const char text[] = "[sweep]\nname = test\ntime_limit = 1\nfloors = no\nrepetitions = none\n"
                        "[group a]\nproblem = box.h5\nlinear = cholesky, pcr\ntol = %s\n";
    char filled[1024];
    struct stat begun;
    for (int k = 0; k < 2; ++k) {
        snprintf(filled, sizeof filled, text, k ? "1e-2, 1e-4, 1e-6, 1e-8" : "1e-2, 1e-4, 1e-6");
        test_write(spec, filled);
        sweep(spec, results, hang_or_tell);
        assert_int_equal(stat(test_path(&folder, "begun"), &begun), 0);
        assert_int_equal(begun.st_size, 2);
        const struct audit found = audit(results, "timed_out");
        assert_int_equal(found.cases, 6 + 2 * k);
        assert_int_equal(found.with_ending, 2 + k);
        test_contains(found.detail, k ? "over the time limit at tol=1e-06 already" : "at tol=0.0001 already");
    }
}

static void sleep_ms(int milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

static pid_t stopped;

/* Stops the sweep for longer than a case's limit, while its child goes on and waits with it. */
static void stop_parent(const struct nb_case *setting, int repetition)
{
    if (!chosen(setting) || repetition >= 0)
        return;
    kill(stopped, SIGSTOP);
    sleep_ms(2500);
    kill(stopped, SIGCONT);
    sleep_ms(300);
}

/* Of a limit of 2 s the sweep was away for 2.5 s. */
TEST(time_in_which_the_sweep_was_stopped_is_no_case_s)
{
    char text[1024];
    const char *results = fresh("stopped.jsonl"), *spec = test_path(&folder, "stopped.sweep");
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 2\n%s", eight);
    test_write(spec, text);
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .hook = stop_parent};
        struct nb_sweep_summary summary;
        stopped = getpid();
        _exit(nb_sweep_run(&request, &summary, NULL) != NB_OK);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(audit(results, "timed_out").with_ending, 0);
    assert_int_equal(audit(results, NULL).cases, EIGHT);
}

static void hang_in_cholesky(const struct nb_case *setting, int repetition)
{
    if (!strcmp(setting->options.linear, "cholesky") && repetition < 0)
        for (;;)
            pause();
}

/* Cases that have a second together: the first takes it, the others are left out, and nothing else is. */
TEST(cases_with_a_time_together_are_left_out_when_it_is_over)
{
    const struct nb_filter cholesky = {.name = "linear", .equal = true, .values = {1, {"cholesky"}}};
    const char *results = fresh("limited.jsonl");
    struct nb_sweep_summary summary;
    cJSON *keys = cJSON_CreateObject();
    const struct nb_sweep_request request = {.spec = write_spec(eight), .results = results, .jobs = 1,
                                             .hook = hang_in_cholesky, .limited = &cholesky, .limited_time = 1,
                                             .keys = keys};
    assert_ok(nb_sweep_run(&request, &summary, &why));
    struct audit found = audit(results, "timed_out");
    assert_int_equal(found.cases, EIGHT / 2 + 1);
    assert_int_equal(found.with_ending, 1);
    test_contains(found.detail, "over the time that all its cases have together, in the observed run");
    assert_int_equal(summary.left_out, EIGHT / 2 - 1);
    assert_int_equal(cJSON_GetArraySize(keys), EIGHT);
    cJSON_Delete(keys);
}

/* What ended as others had taken the time was not too slow itself: its smaller tolerance is tried by the next sweep. */
TEST(a_time_together_says_nothing_of_smaller_tolerances)
{
    const struct nb_filter cholesky = {.name = "linear", .equal = true, .values = {1, {"cholesky"}}};
    const char *results = fresh("together.jsonl"),
               *spec = write_spec("[group a]\nproblem = box.h5\nlinear = cholesky\ntol = 1e-2, 1e-4\n");
    struct nb_sweep_summary summary;
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .hook = hang_in_cholesky,
                                             .limited = &cholesky, .limited_time = 1};
    assert_ok(nb_sweep_run(&request, &summary, &why));
    assert_int_equal(audit(results, "timed_out").with_ending, 1);
    assert_int_equal(sweep(spec, results, NULL).run, 1);
    assert_int_equal(audit(results, "timed_out").with_ending, 1);
    assert_int_equal(audit(results, NULL).cases, 2);
}

#ifndef __SANITIZE_ADDRESS__
/* All address space: the case itself meets the end of memory. */
static void hoard(const struct nb_case *setting, int repetition)
{
    size_t size = (size_t)1 << 30;
    if (!chosen(setting) || repetition >= 0)
        return;
    signal(SIGSEGV, SIG_DFL); /* a library without memory must not run on in cmocka's handler */
    signal(SIGBUS, SIG_DFL);
    while (size >= 16) { /* what was freed before, too */
        char *block = malloc(size);
        if (!block)
            size /= 2;
        else
            block[0] = 1;
    }
}
#endif

FULL_TEST(end_of_memory_is_survived)
{
#ifdef __SANITIZE_ADDRESS__
    printf("skipped: the sanitizer's allocator does not return NULL\n");
    skip();
#else
    char text[1024];
    const char *results = fresh("memory.jsonl"), *spec = test_path(&folder, "memory.sweep");
    snprintf(text, sizeof text,
             "[sweep]\nname = test\ntime_limit = 20\nmemory_limit = 64\n%s", eight);
    test_write(spec, text);
    sweep(spec, results, hoard);
    struct audit memory = audit(results, "out_of_memory"), crashed = audit(results, "crashed");
    assert_int_equal(memory.cases, EIGHT);
    /* Where a library cannot report it, the child dies: recorded as well, never lost. */
    assert_int_equal(memory.with_ending + crashed.with_ending, 2);
#endif
}

/* OpenBLAS looks for its buffer for good where it finds no room: the program has it before memory is limited. */
TEST(a_small_memory_limit_is_no_endless_search)
{
#ifdef __SANITIZE_ADDRESS__
    printf("skipped: the sanitizer's allocator does not return NULL\n");
    skip();
#else
    char arguments[400];
    const char *results = fresh("small.jsonl"), *spec = test_path(&folder, "small.sweep");
    test_write(spec, "[sweep]\nname = test\ntime_limit = 20\nmemory_limit = 16\n[group a]\n"
                     "problem = stack.h5\nlinear = dense_cholesky, kkt\nprecond = none\nnewton_iters = 2\n");
    snprintf(arguments, sizeof arguments, "sweep %s -o %s", spec, results);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    struct test_output output = test_run(&folder, arguments);
    unsetenv("OPENBLAS_NUM_THREADS");
    assert_int_equal(output.code, 0);
    test_output_free(&output);
    assert_int_equal(audit(results, "timed_out").cases, 2);
    assert_int_equal(audit(results, "timed_out").with_ending, 0);
#endif
}

/* --- kill -9 of the sweep itself --- */

static const char longer[] = "[group a]\nproblem = stack.h5\nncp = fb, min\n"
                             "linear = pcr, cholesky\nprecond = none\nprecision = f64, f32\nnewton_iters = 60\n"
                             "linear_iters = 60\n";

/* Children of processes that are gone are handed to this one, so that none can be overlooked. */
static int living_children(void)
{
    char path[64];
    int pid, count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fscanf(file, "%d", &pid) == 1)
        if (waitpid(pid, NULL, WNOHANG) == 0)
            ++count;
    fclose(file);
    return count;
}

static void kill_after(const char *spec, const char *results, int milliseconds)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1};
        struct nb_sweep_summary summary;
        _exit(nb_sweep_run(&request, &summary, NULL) != NB_OK);
    }
    sleep_ms(milliseconds);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int wait = 0; living_children() && wait < 200; ++wait)
        sleep_ms(10);
    assert_int_equal(living_children(), 0); /* workers die with the sweep */
}

static void kill_and_resume(int milliseconds)
{
    char spec[160];
    snprintf(spec, sizeof spec, "%s", write_spec(longer)); /* test_path reuses its buffers */
    const char *results = fresh("killed.jsonl");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    kill_after(spec, results, milliseconds);
    kill_after(spec, results, milliseconds);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sweep(spec, results, NULL);
    assert_int_equal(audit(results, NULL).cases, EIGHT);
}

TEST(killed_sweep_resumes)
{
    kill_and_resume(60);
}

FULL_TEST(killed_sweep_resumes_at_any_moment)
{
    for (int milliseconds = 5; milliseconds < 500; milliseconds += milliseconds / 2 + 10)
        kill_and_resume(milliseconds);
}

/* --- parts of unfinished cases --- */

static char counter_path[160];

/* Counts observed runs over all children in a file. */
static void count_traces(const struct nb_case *setting, int repetition)
{
    (void)setting;
    if (repetition >= 0)
        return;
    const int file = open(counter_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, "\n", 1) != 1)
        _exit(9);
    close(file);
}

static pid_t sweeping;

/* Kills the sweep once: in the third round of repetitions. */
static void kill_parent(const struct nb_case *setting, int repetition)
{
    count_traces(setting, repetition);
    if (repetition == 2)
        kill(sweeping, SIGKILL);
}

/* A sweep of the eight that is killed in its third round of repetitions. */
static void break_off(const char *spec, const char *results, bool anew)
{
    snprintf(counter_path, sizeof counter_path, "%s/traces", folder.path);
    unlink(counter_path);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sweeping = getpid();
        const struct nb_sweep_request request = {.spec = spec, .results = results, .anew = anew, .jobs = 1,
                                                 .hook = kill_parent};
        struct nb_sweep_summary summary;
        _exit(nb_sweep_run(&request, &summary, NULL) != NB_OK);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(audit(results, NULL).cases, 0);
    assert_int_equal(test_lines(counter_path), EIGHT);
}

TEST(journalled_parts_are_not_repeated)
{
    const char *spec = write_spec(eight), *results = fresh("parts.jsonl");
    break_off(spec, results, false);
    sweep(spec, results, count_traces);
    assert_int_equal(audit(results, NULL).cases, EIGHT);
    assert_int_equal(test_lines(counter_path), EIGHT); /* no observed run twice */
}

/* One that measures together what takes turns, as a try does, goes on as well; where a case has come that had no turn
 * with the others, all begin again, and no record has times of both runs (audit counts them). */
TEST(a_batch_that_was_stopped_goes_on_unless_a_case_has_come)
{
    static const char ninth[] = "[group b]\nproblem = box.h5\nsolver = nsgs\nnewton_iters = 10\n";
    char results[160], spec[160], more[sizeof eight + sizeof ninth];
    snprintf(spec, sizeof spec, "%s", write_spec(eight));
    snprintf(more, sizeof more, "%s%s", eight, ninth);
    struct nb_sweep_request request = {.spec = spec, .results = results, .anew = true, .jobs = 1, .hook = count_traces};
    struct nb_sweep_summary summary;
    for (int ninth_comes = 0; ninth_comes < 2; ++ninth_comes) {
        snprintf(results, sizeof results, "%s", fresh("stopped.jsonl"));
        write_spec(eight);
        break_off(spec, results, true);
        write_spec(ninth_comes ? more : eight);
        assert_ok(nb_sweep_run(&request, &summary, &why));
        assert_int_equal(summary.run, EIGHT + ninth_comes);
        assert_int_equal(audit(results, NULL).cases, EIGHT + ninth_comes);
        assert_int_equal(test_lines(counter_path), EIGHT + ninth_comes * (EIGHT + 1));
    }
}

/* Killed from outside once, in the middle of its repetitions. */
static void be_killed_once(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition == 2 && access(counter_path, F_OK)) {
        count_traces(setting, -1);
        raise(SIGKILL);
    }
}

TEST(killed_child_is_run_again)
{
    const char *results = fresh("again.jsonl");
    snprintf(counter_path, sizeof counter_path, "%s/killed", folder.path);
    sweep(write_spec(eight), results, be_killed_once);
    struct audit found = audit(results, "crashed");
    assert_int_equal(test_lines(counter_path), 1);
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.with_ending, 0);
}

FIXTURE(set_up, remove_folder)

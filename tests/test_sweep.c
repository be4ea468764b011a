/* Sweeps: each case recorded exactly once and whole, whatever dies on the way. */
#include "tests/files.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness/case_run.h"
#include "harness/child.h"
#include "harness/json.h"
#include "harness/store.h"
#include "harness/sweep.h"
#include "problems/io/problem_file.h"
#include "problems/simulate.h"

static struct test_folder folder;

static void write_scene(const char *scene, const char *name)
{
    struct nb_problem problem = {0};
    struct nb_error error = {""};
    if (nb_scene_create(scene, 0, NULL, &problem, &error) || nb_step_prepare(&problem, &error) ||
        nb_problem_write(test_path(&folder, name), &problem, NULL, &error))
        fail_msg("%s", error.text);
    nb_problem_free(&problem);
}

static int set_up(void **state)
{
    (void)state;
    folder = test_folder_make();
    write_scene("box_on_plane", "box.h5");
    write_scene("heavy_stack", "stack.h5");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

/* A fresh results path; the old file and journal are gone. */
static const char *fresh(const char *name)
{
    char journal[160];
    const char *path = test_path(&folder, name);
    unlink(path);
    snprintf(journal, sizeof journal, "%s.journal", path);
    unlink(journal);
    return path;
}

static const char *write_spec(const char *groups)
{
    char text[2048];
    snprintf(text, sizeof text, "[sweep]\nname = test\nrepetitions = 5\ntime_limit = 20\n%s",
             groups);
    const char *path = test_path(&folder, "test.sweep");
    test_write(path, text);
    return path;
}

static const char eight[] = "[group a]\nproblem = box.h5\nncp = fb, min\nlinear = pcr, cholesky\n"
                            "precond = none\nprecision = f64, f32\nnewton_iters = 10\n"
                            "linear_iters = 10\n";
enum { EIGHT = 8 };

static struct nb_sweep_summary sweep(const char *spec, const char *results, nb_sweep_hook *hook)
{
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .hook = hook};
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    if (nb_sweep_run(&request, &summary, &error))
        fail_msg("%s", error.text);
    return summary;
}

struct audit {
    int cases, floors, repeated, incomplete;
    int with_ending;         /* cases with the ending below */
    const char *ending;
    char detail[256];        /* of the last of them         */
    char key[64][20];
};

static enum nb_status audit_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct audit *audit = context;
    (void)error;
    if (strcmp(nb_json_string(record, "kind"), "case")) {
        ++audit->floors;
        return NB_OK;
    }
    const char *key = nb_json_string(record, "key"), *ending = nb_json_string(record, "ending");
    for (int i = 0; i < audit->cases; ++i)
        audit->repeated += !strcmp(audit->key[i], key);
    snprintf(audit->key[audit->cases++], sizeof audit->key[0], "%s", key);
    const int times = cJSON_GetArraySize(nb_json_path(record, "times", "solve"));
    const double repetitions = nb_json_path(record, "settings", "repetitions")->valuedouble;
    const bool died = !strcmp(ending, "crashed") || !strcmp(ending, "timed_out") ||
                      !strcmp(ending, "out_of_memory") || !strcmp(ending, "unsupported");
    audit->incomplete += !died && times != repetitions;
    if (audit->ending && !strcmp(ending, audit->ending)) {
        ++audit->with_ending;
        snprintf(audit->detail, sizeof audit->detail, "%s", nb_json_string(record, "detail"));
    }
    return NB_OK;
}

static struct audit audit(const char *results, const char *ending)
{
    struct audit found = {.ending = ending};
    struct nb_error error = {""};
    if (nb_store_read(results, audit_record, &found, &error))
        fail_msg("%s", error.text);
    assert_int_equal(found.repeated, 0);
    assert_int_equal(found.incomplete, 0);
    return found;
}

static void every_case_is_recorded_once(void **state)
{
    (void)state;
    const char *spec = write_spec(eight), *results = fresh("once.jsonl");
    struct nb_sweep_summary summary = sweep(spec, results, NULL);
    assert_int_equal(summary.cases, EIGHT);
    assert_int_equal(summary.run, EIGHT);
    assert_true(summary.solving > 0 && summary.solving < summary.wall);
    struct audit found = audit(results, NULL);
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.floors, 2); /* one for each NCP function */
    assert_int_not_equal(access(test_path(&folder, "once.jsonl.journal"), F_OK), 0);
    const int lines = test_lines(results);
    summary = sweep(spec, results, NULL);
    assert_int_equal(summary.run, 0);
    assert_int_equal(summary.reused, EIGHT);
    assert_int_equal(test_lines(results), lines);
}

static void changed_limit_or_problem_runs_anew(void **state)
{
    (void)state;
    char spec[160], text[1024];
    const char *results = fresh("anew.jsonl");
    snprintf(spec, sizeof spec, "%s", write_spec(eight));
    sweep(spec, results, NULL);
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 21\n%s", eight);
    test_write(spec, text);
    assert_int_equal(sweep(spec, results, NULL).run, EIGHT);
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 21\n%stol = 1e-3\n", eight);
    test_write(spec, text);
    assert_int_equal(sweep(spec, results, NULL).run, EIGHT);
    /* One byte more at the end of the problem file: HDF5 does not care, the key does. */
    FILE *file = fopen(test_path(&folder, "box.h5"), "a");
    assert_non_null(file);
    fputc(0, file);
    fclose(file);
    assert_int_equal(sweep(spec, results, NULL).run, EIGHT);
    write_scene("box_on_plane", "box.h5");
}

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

static void crash_is_recorded_and_the_sweep_goes_on(void **state)
{
    (void)state;
    expect_failures("crash.jsonl", crash, "crashed", "killed by SIGSEGV, in the observed run");
    expect_failures("late.jsonl", crash_late, "crashed",
                    "killed by SIGABRT, in a timed repetition");
    expect_failures("leave.jsonl", leave, "crashed", "exit status 7");
    expect_failures("kill.jsonl", be_killed, "crashed", "killed by SIGKILL");
}

static void hang_is_timed_out(void **state)
{
    (void)state;
    char text[1024];
    const char *results = fresh("hang.jsonl"), *spec = test_path(&folder, "hang.sweep");
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 1\n%s", eight);
    test_write(spec, text);
    const double start = nb_seconds();
    sweep(spec, results, hang);
    assert_true(nb_seconds() - start < 30);
    struct audit found = audit(results, "timed_out");
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.with_ending, 2);
    test_contains(found.detail, "time limit");
}

#ifndef __SANITIZE_ADDRESS__
/* All address space but a few pages: the case itself meets the end of memory. */
static void hoard(const struct nb_case *setting, int repetition)
{
    size_t size = (size_t)1 << 30;
    if (!chosen(setting) || repetition >= 0)
        return;
    while (size >= 4096) {
        char *block = malloc(size);
        if (!block)
            size /= 2;
        else
            block[0] = 1;
    }
}
#endif

static void end_of_memory_is_survived(void **state)
{
    (void)state;
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

/* --- kill -9 of the sweep itself --- */

static const char longer[] = "[group a]\nproblem = stack.h5\nncp = fb, min\n"
                             "linear = pcr, cholesky\nprecond = none\nprecision = f64, f32\nnewton_iters = 60\n"
                             "linear_iters = 60\n";

static void sleep_ms(int milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

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

static void killed_sweep_resumes_at_any_moment(void **state)
{
    (void)state;
    char spec[160];
    snprintf(spec, sizeof spec, "%s", write_spec(longer)); /* test_path reuses its buffers */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int milliseconds = 5; milliseconds < 500; milliseconds += milliseconds / 2 + 10) {
        const char *results = fresh("killed.jsonl");
        kill_after(spec, results, milliseconds);
        kill_after(spec, results, milliseconds);
        sweep(spec, results, NULL);
        assert_int_equal(audit(results, NULL).cases, EIGHT);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
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

/* Kills the sweep, its parent, once: in the third round of repetitions. */
static void kill_parent(const struct nb_case *setting, int repetition)
{
    count_traces(setting, repetition);
    if (repetition == 2)
        kill(getppid(), SIGKILL);
}

static void journalled_parts_are_not_repeated(void **state)
{
    (void)state;
    const char *spec = write_spec(eight), *results = fresh("parts.jsonl");
    snprintf(counter_path, sizeof counter_path, "%s/traces", folder.path);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1,
                                                   .hook = kill_parent};
        struct nb_sweep_summary summary;
        _exit(nb_sweep_run(&request, &summary, NULL) != NB_OK);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(audit(results, NULL).cases, 0);
    assert_int_equal(test_lines(counter_path), EIGHT);
    sweep(spec, results, count_traces);
    assert_int_equal(audit(results, NULL).cases, EIGHT);
    assert_int_equal(test_lines(counter_path), EIGHT); /* no observed run twice */
}

/* Killed from outside once, in the middle of its repetitions. */
static void be_killed_once(const struct nb_case *setting, int repetition)
{
    if (chosen(setting) && repetition == 2 && access(counter_path, F_OK)) {
        count_traces(setting, -1);
        raise(SIGKILL);
    }
}

static void killed_child_is_run_again(void **state)
{
    (void)state;
    const char *results = fresh("again.jsonl");
    snprintf(counter_path, sizeof counter_path, "%s/killed", folder.path);
    sweep(write_spec(eight), results, be_killed_once);
    struct audit found = audit(results, "crashed");
    assert_int_equal(test_lines(counter_path), 1);
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.with_ending, 0);
}

/* --- refused before anything runs --- */

static void expect_refusal(const char *groups, const char *part)
{
    const char *spec = write_spec(groups), *results = fresh("refused.jsonl");
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1};
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    assert_int_not_equal(nb_sweep_run(&request, &summary, &error), NB_OK);
    test_contains(error.text, part);
    assert_int_not_equal(access(results, F_OK), 0);
}

static void mistakes_are_refused_before_anything_runs(void **state)
{
    (void)state;
    test_write(test_path(&folder, "broken.h5"), "not HDF5");
    expect_refusal("[group a]\nproblem = box.h5\nlinear = pcx\n", "nearest");
    expect_refusal("[group a]\nproblem = absent.h5\n", "absent.h5: No such file");
    expect_refusal("[group a]\nproblem = broken.h5\n", "broken.h5");
    expect_refusal("[group a]\nproblem = box.h5\nmode = linear_system\nsystem = 0\n",
                   "holds 0 Newton systems");
}

static void optional_problem_may_be_missing(void **state)
{
    (void)state;
    char groups[512];
    snprintf(groups, sizeof groups, "%soptional_problem = absent.h5\n", eight);
    const char *results = fresh("optional.jsonl");
    const struct nb_sweep_summary summary = sweep(write_spec(groups), results, NULL);
    assert_int_equal(summary.cases, EIGHT);
    assert_int_equal(summary.missing_problems, 1);
}

static void jobs_give_the_same_records(void **state)
{
    (void)state;
    if (nb_child_cores() < 2)
        skip();
    const char *results = fresh("jobs.jsonl");
    struct nb_sweep_request request = {.spec = write_spec(eight), .results = results, .jobs = 2};
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    if (nb_sweep_run(&request, &summary, &error))
        fail_msg("%s", error.text);
    assert_int_equal(audit(results, NULL).cases, EIGHT);
    request.jobs = nb_child_cores() + 1;
    assert_int_equal(nb_sweep_run(&request, &summary, &error), NB_BAD_INPUT);
    test_contains(error.text, "--jobs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_recorded_once),
        cmocka_unit_test(changed_limit_or_problem_runs_anew),
        cmocka_unit_test(crash_is_recorded_and_the_sweep_goes_on),
        cmocka_unit_test(hang_is_timed_out),
        cmocka_unit_test(end_of_memory_is_survived),
        cmocka_unit_test(killed_sweep_resumes_at_any_moment),
        cmocka_unit_test(journalled_parts_are_not_repeated),
        cmocka_unit_test(killed_child_is_run_again),
        cmocka_unit_test(mistakes_are_refused_before_anything_runs),
        cmocka_unit_test(optional_problem_may_be_missing),
        cmocka_unit_test(jobs_give_the_same_records),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

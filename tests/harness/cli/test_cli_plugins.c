/* A plugin that crashes, ends the program, hangs, or leaves processes behind, when it is loaded or when it works: the
 * user gets a message and exit status 2, a sweep goes on, and nothing stays behind. */
#include "tests/support/program.h"

#include <cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

static int build_plugin(void **state)
{
    char command[400];
    make_folder(state);
    snprintf(command, sizeof command, "CFLAGS=-O0 scripts/ncpbench-plugin tests/support/unruly.c -o %s >/dev/null",
             folder.path);
    assert_int_equal(system(command), 0);
    setenv("UNRULY_PIDS", test_path(&folder, "pids"), 1);
    expect_ok(run("export box_on_plane -o %s/box.h5", folder.path));
    return 0;
}

static struct test_output with_plugin(const char *variable, const char *what, const char *format)
{
    const char *f = folder.path;
    setenv(variable, what, 1);
    struct test_output output = run(format, f, f, f);
    unsetenv(variable);
    return output;
}

/* As many processes as left their numbers, none of which is there any more. */
static void expect_gone(int least)
{
    const char *path = test_path(&folder, "pids");
    FILE *file = fopen(path, "r");
    int pid, count = 0;
    assert_non_null(file);
    for (; fscanf(file, "%d", &pid) == 1; ++count)
        assert_true(kill(pid, 0) < 0 && errno == ESRCH);
    fclose(file);
    unlink(path);
    assert_true(count >= least);
}

static const char list[] = "list precond --plugin %s/unruly.so",
                  solve[] = "solve %s/box.h5 --newton-iters 5 --linear pcr --precond unruly --json --plugin "
                            "%s/unruly.so";

TEST(loading_that_fails_is_told)
{
    expect_refusal(with_plugin("UNRULY_START", "crash", list), "loading it ended the program");
    expect_refusal(with_plugin("UNRULY_START", "exit", solve), "exit status 0");
    expect_refusal(with_plugin("UNRULY_START", "hang", list), "loading it does not end within");
}

/* Eight bytes of its headers or sections are others: it loads all the same, or loading it is refused with a message. */
TEST(a_damaged_object_is_loaded_or_refused)
{
    static char bytes[1 << 18];
    OWNS(fclose_at) FILE *whole = test_open(test_path(&folder, "unruly.so"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, whole);
    int refused = 0;
    assert_true(size > 1024 && size < sizeof bytes);
    for (size_t k = 0; k < 24; ++k) {
        char *place = bytes + (k < 8 ? 16 + 6 * k : 64 + (size - 72) * (k - 8) / 16), kept[8];
        FILE *damaged = test_open(test_path(&folder, "damaged.so"), "wb");
        memcpy(kept, place, sizeof kept);
        memset(place, 0xa5, sizeof kept);
        assert_int_equal(fwrite(bytes, 1, size, damaged), size);
        assert_int_equal(fclose(damaged), 0);
        memcpy(place, kept, sizeof kept);
        struct test_output said = run("list precond --plugin %s/damaged.so", folder.path);
        assert_true(said.code == 0 || said.code == 2);
        refused += said.code == 2 && strstr(said.err, "damaged.so");
        test_output_free(&said);
    }
    print_message("%d of 24 refused\n", refused);
    assert_true(refused >= 8);
}

TEST(a_plugin_that_ends_the_program_is_told)
{
    expect_refusal(with_plugin("UNRULY", "exit", solve), "ended with a plugin at work: exit status 0");
    expect_refusal(with_plugin("UNRULY", "crash", solve), "ended with a plugin at work");
}

TEST(exit_statuses_are_those_of_the_command)
{
    const char *f = folder.path;
    expect_says(run(list, f), "unruly");
    expect_refusal(run("list nothing --plugin %s/unruly.so", f), "unknown kind");
    expect(run("solve %s/box.h5 --newton-iters 0 --tol 1e-9 --plugin %s/unruly.so", f, f), 1, "", "");
}

TEST(processes_left_behind_end_with_the_program)
{
    expect_ok(with_plugin("UNRULY_START", "leave", list));
    struct test_output output = with_plugin("UNRULY", "leave", solve);
    test_contains(output.out, "\"ending\"");
    test_output_free(&output);
    expect(with_plugin("UNRULY", "leave_and_crash", solve), 2, "", "");
    expect_gone(2);
}

TEST(a_sweep_contains_what_a_case_does)
{
    static const char *const wrong[][2] = {
        {"leave_and_crash", "SIGABRT"},
        {"exit", "exit status 0"},
        {"flood", "over the time limit"},
        {"forge", "a garbled answer"},
        {"stray", "a garbled answer"},
    };
    test_write(test_path(&folder, "s.sweep"),
               "[sweep]\nname = s\nrepetitions = 5\ntime_limit = 1\nfloors = no\n[group g]\nproblem = box.h5\n"
               "linear = pcr\nprecond = unruly, none\nnewton_iters = 3\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const char *results = test_path(&folder, "r.jsonl");
        unlink(results);
        expect_ok(with_plugin("UNRULY", wrong[i][0], "sweep %s/s.sweep -o %s/r.jsonl --plugin %s/unruly.so"));
        char *text = test_slurp(results);
        test_contains(text, wrong[i][1]);
        free(text);
        assert_int_equal(test_lines(results), 2);
    }
    expect_gone(2);
}

/* Whoever stops a process of ours without stopping all of them makes none wait for ever. */
TEST(a_process_that_a_plugin_stops_goes_on)
{
    test_write(test_path(&folder, "p.sweep"),
               "[sweep]\nname = p\nrepetitions = 5\nfloors = no\n[group g]\nproblem = box.h5\nlinear = pcr\n"
               "precond = unruly\nnewton_iters = 3\n");
    for (int self = 0; self < 2; ++self) {
        const char *results = test_path(&folder, "p.jsonl"), *what = self ? "stop" : "stop_parent";
        unlink(results);
        expect_ok(with_plugin("UNRULY", what, "sweep %s/p.sweep -o %s/p.jsonl --plugin %s/unruly.so"));
        char *text = test_slurp(results);
        assert_null(strstr(text, "timed_out"));
        assert_null(strstr(text, "crashed"));
        free(text);
        assert_int_equal(test_lines(results), 1);
    }
    struct test_output output = with_plugin("UNRULY", "stop", solve);
    test_contains(output.out, "\"ending\"");
    test_output_free(&output);
    expect_ok(with_plugin("UNRULY_START", "stop", list));
}

/* Solves of the linear system that a timed run of five repetitions makes, each of which is long enough to be one. */
static int solves_of(const char *what)
{
    const char *log = test_path(&folder, "solves");
    unlink(log);
    setenv("UNRULY_SOLVES", log, 1);
    struct test_output output = with_plugin("UNRULY", what, "linear %s/systems.h5 --system 1 --linear unruly "
                                                            "--linear-iters 2 --repetitions 5 --plugin %s/unruly.so");
    unsetenv("UNRULY_SOLVES");
    test_contains(output.out, "time ");
    test_output_free(&output);
    return test_lines(log);
}

/* How long it stood still is not known. */
TEST(a_repetition_that_was_stopped_is_made_again)
{
    expect_ok(run("export heavy_stack --set count=2 -o %s/systems.h5 --newton-systems", folder.path));
    assert_int_equal(solves_of("nothing"), 1 + 1 + 5);
    assert_true(solves_of("continue") >= 1 + 1 + 5 * 5);
}

static int solves_in_a_repetition(const char *what)
{
    const char *results = test_path(&folder, "c.jsonl");
    test_write(test_path(&folder, "c.sweep"),
               "[sweep]\nname = c\nrepetitions = 5\nfloors = no\n[group g]\nproblem = box.h5\nlinear = pcr\n"
               "precond = unruly\nnewton_iters = 3\n");
    unlink(results);
    expect_ok(with_plugin("UNRULY", what, "sweep %s/c.sweep -o %s/c.jsonl --plugin %s/unruly.so"));
    char *text = test_slurp(results);
    const char *found = strstr(text, "\"solves_per_repetition\":");
    assert_non_null(found);
    const int solves = atoi(strchr(found, ':') + 1);
    free(text);
    return solves;
}

/* How many solves make a repetition is told by warm ones: by cold ones they would be one or two. */
TEST(a_process_is_warm_when_it_is_timed)
{
    assert_true(5 * solves_in_a_repetition("be_cold") > solves_in_a_repetition("nothing"));
}

/* Of what its vectors held before, and of what is beside them, no result may depend. */
TEST(the_trial_sees_what_is_not_written_and_what_must_not_be)
{
    static const char *const wrong[][2] = {
        {"skip_odd", "is not written"},
        {"add", "z[0] of"},
        {"write_beside", "beside the"},
        {"write_far", "z[112] is written, beside the 75"},
        {"half", "not positive definite: row 37, column 37 of P^-1 is 0"},
        {"change_r", "r[1] is changed"},
        {"change_diagonal", "A's diagonal is changed in row 1"},
        {"change_matrix", "entries of A are changed"},
    };
    test_write(test_path(&folder, "v.sweep"), "[sweep]\nname = v\nrepetitions = 5\nfloors = no\n[group g]\n"
                                              "problem = box.h5\nlinear = pcr\nprecond = unruly\nnewton_iters = 1\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const char *results = test_path(&folder, "v.jsonl");
        unlink(results);
        expect(with_plugin("UNRULY", wrong[i][0], "sweep %s/v.sweep -o %s/v.jsonl --plugin %s/unruly.so"), 0, "",
               wrong[i][1]);
        char *text = test_slurp(results);
        test_contains(text, wrong[i][1]);
        free(text);
    }
}

static void expect_apart(struct test_output output, bool json)
{
    static const char *const said[] = {"unruly prints", "unruly says", "unruly writes", "unruly echoes"};
    if (output.code)
        fail_msg("exit %d: %s", output.code, output.err);
    assert_null(strstr(output.out, "unruly "));
    for (size_t i = 0; i < sizeof said / sizeof *said; ++i)
        test_contains(output.err, said[i]);
    const char *end = NULL;
    cJSON *document = cJSON_ParseWithOpts(output.out, &end, false);
    assert_true(json ? cJSON_IsObject(document) && !end[strspn(end, "\n")] : output.out[0] != '\0');
    cJSON_Delete(document);
    test_output_free(&output);
}

/* A record is for a program to read: what a plugin, its constructor and what it starts print is beside it. */
TEST(what_a_plugin_prints_is_not_in_the_record)
{
    static const char *const commands[] = {
        "list precond --json --plugin %s/unruly.so",
        "info --json %s/box.h5 --plugin %s/unruly.so",
        "index --json %s/box.h5 --plugin %s/unruly.so",
        "index --csv %s/box.h5 --plugin %s/unruly.so",
        "simulate box_on_plane --steps 1 --json --plugin %s/unruly.so",
        "judge %s/answer.h5 --json --plugin %s/unruly.so",
        "report --json --tol 1e-6 %s/w.jsonl --plugin %s/unruly.so",
        "report --csv %s/w.jsonl --plugin %s/unruly.so",
        "compare --json --a precond=none --b precond=unruly %s/w.jsonl --plugin %s/unruly.so",
        "claims --json %s/w.jsonl --plugin %s/unruly.so",
        "linear %s/systems.h5 --system 1 --linear pcr --precond unruly --linear-iters 3 --json --plugin %s/unruly.so",
    };
    const char *f = folder.path;
    test_write(test_path(&folder, "w.sweep"),
               "[sweep]\nname = w\nrepetitions = 5\nfloors = no\n[group g]\nproblem = box.h5\nlinear = pcr\n"
               "precond = unruly, none\nnewton_iters = 3\n");
    expect_ok(run("sweep %s/w.sweep -o %s/w.jsonl --plugin %s/unruly.so", f, f, f));
    expect_ok(run("export heavy_stack --set count=2 -o %s/systems.h5 --newton-systems", f));
    expect_ok(run("solve %s/box.h5 --tol 1e-6 -o %s/answer.h5", f, f));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
        expect_apart(with_plugin("UNRULY_START", "print", commands[i]), !strstr(commands[i], "--csv"));
    expect_apart(with_plugin("UNRULY", "print", solve), true);
    expect_says(with_plugin("UNRULY_START", "print", list), "unruly says");
}

/* solve with -o, in the test's folder. */
static int solve_there(const char *variable, const char *what)
{
    char command[1200], *program = realpath(test_build(), NULL);
    assert_non_null(program);
    snprintf(command, sizeof command, "cd %s && rm -f here.h5 && %s=%s %s/ncpbench solve box.h5 --newton-iters 5 "
             "--linear pcr --precond unruly --json --plugin unruly.so -o here.h5 >there.json 2>there.log",
             folder.path, variable, what, program);
    free(program);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The working folder, the rights of new files: what a plugin does to them is no matter of the command's. */
TEST(files_are_written_where_they_were_asked_for)
{
    const char *written = test_path(&folder, "here.h5");
    assert_int_equal(solve_there("UNRULY_START", "wander"), 0);
    assert_int_equal(access(written, R_OK), 0);
    assert_int_equal(solve_there("UNRULY", "wander"), 0);
    assert_int_equal(access(written, R_OK), 0);
    struct stat about;
    assert_int_equal(solve_there("UNRULY_START", "hide"), 0);
    assert_int_equal(stat(written, &about), 0);
    assert_true(about.st_mode & S_IRUSR);
}

/* What it prints with another's number, or twice, is not the record. */
TEST(a_record_comes_once_or_its_lack_is_told)
{
    assert_int_equal(solve_there("UNRULY_START", "copy"), 0);
    assert_int_equal(test_lines(test_path(&folder, "there.json")), 1);
    assert_int_equal(solve_there("UNRULY", "copy"), 0);
    assert_int_equal(test_lines(test_path(&folder, "there.json")), 1);
    assert_int_equal(solve_there("UNRULY", "take_over"), 2);
    char *text = test_slurp(test_path(&folder, "there.log"));
    test_says(text, "the output could not be written");
}

/* Ignored, the end of a child would not be told to who waits for it; so where the program is started like that. */
TEST(how_a_case_ends_is_known_whoever_ignores_it)
{
    test_write(test_path(&folder, "i.sweep"), "[sweep]\nname = i\nrepetitions = 5\nfloors = no\n[group g]\n"
                                              "problem = box.h5\nlinear = pcr\nprecond = unruly\nnewton_iters = 3\n");
    for (int inherited = 0; inherited < 2; ++inherited) {
        char command[800];
        const char *f = folder.path, *results = test_path(&folder, "i.jsonl");
        unlink(results);
        snprintf(command, sizeof command, "%s %s UNRULY=crash %s/ncpbench sweep %s/i.sweep -o %s/i.jsonl --plugin "
                 "%s/unruly.so >%s/stdout 2>&1", inherited ? "trap '' CHLD;" : "",
                 inherited ? "" : "UNRULY_START=ignore", test_build(), f, f, f, f);
        assert_int_equal(system(command), 0);
        test_says(test_slurp(results), "killed by SIGABRT, in the observed run");
    }
}

/* Who closes all files has no place for a message of its own; limits and timers are the program's again. */
TEST(what_a_constructor_does_to_the_process_is_told_or_undone)
{
    test_write(test_path(&folder, "c.sweep"), "[sweep]\nname = c\nrepetitions = 5\nfloors = no\n[group g]\n"
                                              "problem = box.h5\nlinear = pcr\nprecond = unruly\nnewton_iters = 3\n");
    static const char sweep[] = "sweep %s/c.sweep -o %s/c.jsonl --plugin %s/unruly.so";
    expect_refusal(with_plugin("UNRULY_START", "close_all", sweep), "messages are lost");
    expect_refusal(with_plugin("UNRULY_START", "close_all", "solve %s/box.h5 --plugin %s/unruly.so"),
                   "messages are lost");
    expect_ok(with_plugin("UNRULY_START", "lower", sweep));
    assert_int_equal(test_lines(test_path(&folder, "c.jsonl")), 1);
}

/* The record is whole by then, and so are its files. */
TEST(who_hangs_when_it_is_freed_hangs_no_command)
{
    static const char solve_once[] = "solve %s/box.h5 --newton-iters 3 --linear pcr --precond unruly --json "
                                     "--repetitions 0 --plugin %s/unruly.so";
    struct test_output output = with_plugin("UNRULY_FREE", "hang", solve_once);
    assert_int_equal(output.code, 0);
    test_contains(output.out, "\"ending\"");
    test_contains(output.err, "does not end within");
    test_output_free(&output);
}

/* A repetition has a minute, and begins with a set-up after the one before it is freed. */
FULL_TEST(who_hangs_in_a_repetition_hangs_no_command)
{
    struct test_output output = with_plugin("UNRULY_FREE", "hang", solve);
    assert_int_equal(output.code, 2);
    test_contains(output.err, "a repetition does not end in time");
    test_output_free(&output);
}

TEST(who_fails_without_a_word_is_named)
{
    expect_ok(run("export heavy_stack --set count=2 -o %s/systems.h5 --newton-systems", folder.path));
    static const char linear[] = "linear %s/systems.h5 --system 1 --linear unruly --plugin %s/unruly.so";
    struct test_output output = with_plugin("UNRULY", "say_nothing", linear);
    assert_int_equal(output.code, 1);
    test_contains(output.out, "unruly fails and does not say why");
    test_output_free(&output);
}

/* By a thousand seconds, which would leave a time below zero. */
TEST(a_linear_solver_takes_no_time_off_its_own)
{
    expect_ok(run("export heavy_stack -o %s/stack.h5 --newton-systems", folder.path));
    test_write(test_path(&folder, "t.sweep"),
               "[sweep]\nname = t\nrepetitions = 5\nfloors = no\n[group steps]\nproblem = box.h5\nlinear = unruly\n"
               "newton_iters = 3\nlinear_iters = 3\n[group systems]\nmode = linear_system\nproblem = stack.h5\n"
               "system = 1\nlinear = unruly\nlinear_iters = 3\n");
    unlink(test_path(&folder, "t.jsonl"));
    expect_ok(run("sweep %s/t.sweep -o %s/t.jsonl --plugin %s/unruly.so", folder.path, folder.path, folder.path));
    char *text = test_slurp(test_path(&folder, "t.jsonl"));
    assert_int_equal(test_lines(test_path(&folder, "t.jsonl")), 2);
    assert_null(strstr(text, "\"median\":-"));
    assert_null(strstr(text, "\"median\":null"));
    free(text);
}

FIXTURE(build_plugin, remove_folder)

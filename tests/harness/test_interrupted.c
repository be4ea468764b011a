/* A run that is stopped: what it had printed is there, and a sweep says how it goes on. */
#include "tests/support/program.h"

/* Of `timeout`: the code where it had to send its signal. */
enum { STOPPED = 124 };

/* Runs the program for a second; the text on stdout and stderr. */
static struct test_output stop_after_a_second(const char *signal, const char *arguments)
{
    char command[1024];
    struct test_output output;
    snprintf(command, sizeof command, "timeout -k 20 -s %s 1 %s/ncpbench %s >%s/stdout 2>%s/stderr", signal,
             test_build(), arguments, folder.path, folder.path);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    output.code = WEXITSTATUS(status);
    output.out = test_slurp(test_path(&folder, "stdout"));
    output.err = test_slurp(test_path(&folder, "stderr"));
    assert_int_equal(output.code, STOPPED);
    return output;
}

TEST(a_log_holds_what_was_printed)
{
    OWNS(test_output_free) struct test_output output = stop_after_a_second("INT", "simulate arch --time 1e4");
    test_contains(output.out, "observable: ");
    assert_int_equal(output.out[strlen(output.out) - 1], '\n');
}

TEST(a_sweep_says_how_it_goes_on)
{
    static const char *const signals[] = {"INT", "TERM"};
    char arguments[512];
    expect_ok(run("export heavy_stack -o %s/stack.h5 --step 5", folder.path));
    test_write(test_path(&folder, "long.sweep"),
               "[sweep]\nname = long\nfloors = no\nrepetitions = 10000\n[group a]\nproblem = stack.h5\n"
               "linear = pcr\nnewton_iters = 100000\ndamping = 1e-6\n");
    snprintf(arguments, sizeof arguments, "sweep %s/long.sweep -o %s/long.jsonl", folder.path, folder.path);
    for (size_t i = 0; i < 2; ++i) {
        OWNS(test_output_free) struct test_output output = stop_after_a_second(signals[i], arguments);
        test_contains(output.err, "stopped; the same command run again does what is missing\n");
    }
    test_write(test_path(&folder, "try.sweep"),
               "[sweep]\nname = try\nfloors = no\nrepetitions = 10000\n[group a]\nproblem = stack.h5\n"
               "linear = pcr\nprecond = jacobi, @\nnewton_iters = 100000\ndamping = 1e-6\n");
    snprintf(arguments, sizeof arguments, "try precond=ssor --on %s/try.sweep -o %s/try", folder.path, folder.path);
    OWNS(test_output_free) struct test_output output = stop_after_a_second("INT", arguments);
    test_contains(output.err, "try: stopped; the same command run again does what is missing\n");
}

FIXTURE(make_folder, remove_folder)

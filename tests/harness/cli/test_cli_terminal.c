/* What is shown on a terminal only: colour, unless it is not wanted or the terminal has none, and progress. */
#include "tests/support/terminal.h"

static int set_up(void **state)
{
    make_folder(state);
    expect_ok(run("export heavy_stack -o %s/stack.h5", folder.path));
    test_write(test_path(&folder, "s.sweep"), "[sweep]\nname = s\nfloors = no\n[group a]\nproblem = stack.h5\n"
                                              "solver = nsgs\ntol = 1e-6\n");
    return 0;
}

/* environment: such as "TERM=xterm NO_COLOR=". */
static char *show(const char *environment, const char *format)
{
    char arguments[600], command[1200];
    snprintf(arguments, sizeof arguments, format, folder.path, folder.path);
    snprintf(command, sizeof command, "%s %s/ncpbench %s", environment, test_build(), arguments);
    return on_terminal(command);
}

TEST(a_verdict_is_in_colour)
{
    OWNS(free_at) char *fine = show("TERM=xterm NO_COLOR=", "solve %s/stack.h5 --tol 1e-6");
    OWNS(free_at) char *bad = show("TERM=xterm NO_COLOR=", "solve %s/stack.h5 --tol 1e-6 --newton-iters 1");
    test_contains(fine, "verdict      \033[1;32mconverged to --tol 1e-06\033[0m");
    test_contains(bad, "verdict      \033[1;31mnot converged");
}

TEST(no_colour_where_it_is_not_wanted)
{
    static const char *const environments[] = {"TERM=xterm NO_COLOR=1", "TERM=dumb NO_COLOR=", "TERM= NO_COLOR="};
    for (size_t i = 0; i < sizeof environments / sizeof *environments; ++i) {
        OWNS(free_at) char *text = show(environments[i], "solve %s/stack.h5 --tol 1e-6");
        test_contains(text, "verdict      converged");
        assert_null(strchr(text, '\033'));
    }
    OWNS(free_at) char *text = show("TERM=dumb", "sweep %s/s.sweep -o %s/dumb.jsonl");
    assert_null(strchr(text, '\033'));
}

TEST(progress_is_shown_in_place_and_wiped)
{
    OWNS(free_at) char *text = show("TERM=xterm", "export heavy_stack -o %s/later.h5 --settled --step-limit 3");
    test_contains(text, "\r\033[Kheavy_stack: step 1 of at most 3, ");
    test_contains(text, " s simulated, ");
    test_contains(text, "\r\033[K");
    free(text);
    text = show("TERM=xterm", "sweep %s/s.sweep -o %s/s.jsonl");
    test_contains(text, "\r\033[K0 of 1: stack nsgs");
    test_contains(text, "s: 1 cases, 1 run now");
}

FIXTURE(set_up, remove_folder)

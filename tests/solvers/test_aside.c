/* Starting a program is set aside, what it does when it has heard the question is not; what is set aside is taken off
 * set-ups of methods of ours. Of times only what must have passed is asserted. */
#include "tests/support/test.h"

#include <sys/stat.h>

#include "harness/case/case_private.h"
#include "problems/base/clock.h"
#include "solvers/aside.h"
#include "solvers/external_process.h"
#include "tests/support/folder.h"

/* The seconds that asking "load" takes of a program that is this shell script, and of these those set aside. */
static double ask(const char *script, enum nb_status expected, double *aside)
{
    struct nb_external_process *process = NULL;
    char path[600], rest[NB_EXTERNAL_LINE];
    snprintf(path, sizeof path, "%s/program", folder.path);
    FILE *file = test_open(path, "w");
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    const double before = nb_aside_seconds(), begin = nb_seconds();
    assert_ok(nb_external_start(&process, path, 5, &why));
    assert_int_equal(nb_external_ask(process, "load x", "ready", rest, &why), expected);
    const double all = nb_seconds() - begin;
    *aside = nb_aside_seconds() - before;
    nb_external_end(process);
    return all;
}

TEST_IN_FOLDER(a_program_has_started_when_it_reads_the_first_question)
{
    double aside, all = ask("sleep 0.3; read line; echo ready", NB_OK, &aside);
    assert_true(aside >= 0.3 && aside <= all);
    all = ask("read line; sleep 0.3; echo ready", NB_OK, &aside);
    assert_true(aside > 0 && all - aside >= 0.1); /* the rest is for a busy machine, on which it is looked at late */
}

/* Whether it is told before the question or after it depends on which of the two processes runs first. */
TEST_IN_FOLDER(a_program_that_never_hears_fails)
{
    double aside, all = ask("exit 3", NB_BREAKDOWN, &aside);
    assert_true(aside >= 0 && aside <= all);
    all = ask("echo ready; exec sleep 1", NB_BREAKDOWN, &aside); /* answers before it was asked */
    assert_true(aside >= 0 && aside <= all);
}

TEST(what_is_set_aside_is_taken_off)
{
    const struct nb_case setting = nb_case_default();
    assert_true(nb_case_own_setup(&setting, 1, 0.25) == 0.75);
    assert_true(nb_case_own_setup(&setting, 1, 0) == 1);
    assert_true(nb_case_own_setup(&setting, 1, 2) == 0);
    const double before = nb_aside_seconds();
    nb_aside_add(-1);
    assert_true(nb_aside_seconds() == before);
}

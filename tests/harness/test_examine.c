/* Problem files are read in a child process before a sweep: what it answers, and when it does not in time. */
#include <sys/wait.h>

#include "harness/sweep/probe.h"
#include "tests/support/sweep_support.h"

FIXTURE(set_up, remove_folder)

static struct nb_case case_of(const char *name)
{
    struct nb_case setting = nb_case_default();
    snprintf(setting.problem_file, sizeof setting.problem_file, "%s", test_path(&folder, name));
    return setting;
}

static void expect_answer(const char *name, int count)
{
    struct nb_case setting = case_of(name), same = setting;
    int systems = 10000;
    assert_ok(nb_examine_files(&(struct nb_case *){&setting}, 1, 60, &systems, &why));
    assert_int_equal(systems, count);
    assert_true(setting.unknowns > 0);
    assert_int_equal(nb_case_hash_problem(&same, NULL), NB_OK);
    assert_string_equal(setting.problem_hash, same.problem_hash);
}

static void expect_refused(const char *name, double limit, enum nb_status expected, const char *text)
{
    struct nb_case setting = case_of(name);
    struct nb_error error = {""};
    int systems = 0;
    setting.time_limit = limit;
    assert_int_equal(nb_examine_files(&(struct nb_case *){&setting}, 1, 0, &systems, &error), expected);
    test_contains(error.text, text);
    test_contains(error.text, name);
    assert_string_equal(setting.problem_hash, "");
    assert_true(waitpid(-1, NULL, WNOHANG) < 0); /* nothing is left running */
}

TEST(answers_are_those_of_reading_here)
{
    test_write(test_path(&folder, "a.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n");
    expect_answer("box.h5", 0);
    expect_answer("a.mtx", 1);
}

TEST(what_is_wrong_is_said)
{
    test_write(test_path(&folder, "short.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n");
    test_write(test_path(&folder, "text.h5"), "no problem\n");
    expect_refused("short.mtx", 60, NB_BAD_FILE, "cut off: 1 of 2");
    expect_refused("text.h5", 60, NB_BAD_INPUT, "is not an HDF5 file");
    expect_refused("none.h5", 60, NB_BAD_FILE, "No such file");
}

TEST(reading_is_stopped_at_its_limit)
{
    expect_refused("box.h5", 0, NB_BAD_FILE, "is not read within 0 s");
    test_write(test_path(&folder, "b.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n");
    expect_refused("b.mtx", 0, NB_BAD_FILE, "is not read within 0 s");
}

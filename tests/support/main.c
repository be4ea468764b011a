/* main() of the test programs: runs the tests that the program's source lists (tests/support/test.h).
 *
 *     test_x [NAME]      only the tests of that name (* and ? as in a shell)
 *
 * NB_TESTS=quick leaves out the long ones (FULL_TEST), NB_TESTS=full all but them; else all run. */
#include "tests/support/test.h"

enum { MOST = 200 };

static struct {
    struct CMUnitTest test;
    int full, line;
} listed[MOST];
static int count;
static CMFixtureFunction before_all, after_all;

/* Constructors run in an order of the compiler's: sorted by line as they come. */
void test_list(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up, CMFixtureFunction tear_down,
               int full, int line)
{
    int k = count++;
    if (count > MOST)
        abort();
    for (; k > 0 && listed[k - 1].line > line; --k)
        listed[k] = listed[k - 1];
    listed[k].test = (struct CMUnitTest){name, test, set_up, tear_down, NULL};
    listed[k].full = full;
    listed[k].line = line;
}

void test_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    before_all = set_up;
    after_all = tear_down;
}

/* Whether the environment asks for tests of this length. */
static int is_wanted(int full)
{
    const char *asked = getenv("NB_TESTS");
    return !asked || strcmp(asked, full ? "quick" : "full");
}

int main(int arguments, char **argument)
{
    struct CMUnitTest wanted[MOST];
    size_t tests = 0;
    for (int k = 0; k < count; ++k)
        if (is_wanted(listed[k].full))
            wanted[tests++] = listed[k].test;
    if (arguments > 1)
        cmocka_set_test_filter(argument[1]);
    if (tests == 0) {
        puts("[  PASSED  ] 0 test(s).");
        return 0;
    }
    return _cmocka_run_group_tests("tests", wanted, tests, before_all, after_all);
}

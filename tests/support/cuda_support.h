/* The rows cuda_* of linear solvers for their tests, and whether anything can run them. */
#ifndef NB_TEST_CUDA_SUPPORT_H
#define NB_TEST_CUDA_SUPPORT_H

#include <signal.h>
#include <unistd.h>

#include "tests/support/linear_support.h"

static const char *const cuda_rows[] = {"cuda_pcr", "cuda_pcr:by=grid", "cuda_pcr:by=library", "cuda_pcg",
                                        "cuda_pcg:by=grid", "cuda_jacobi", "cuda_gauss_seidel"};
enum { ROWS = sizeof cuda_rows / sizeof *cuda_rows, PCR_ROWS = 3, KRYLOV_ROWS = 5 };

static inline struct outcome smallest(const char *linear)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 1, 1};
    return solve(one, b, 3, linear, "none", 1, NULL);
}

/* The reason is said once a program. */
static inline void skip_for(const char *reason)
{
    static int said;
    if (!said++)
        print_message("skipped: %s\n", reason);
    skip();
}

static inline void skip_without_cuda(void)
{
    if (!nb_registry_find("linear", cuda_rows[0]))
        skip_for("built without CUDA");
}

/* Tests that have begun, in all processes of the program: what went wrong on a card in one of them may leave a
 * process that CUDA no longer works in, and then the program begins anew. A kernel that does not end is left so,
 * too. */
static int tests_begun;
enum { TEST_SECONDS = 60 };

static inline _Noreturn void go_on_in_a_new_process(int first, const char *reason)
{
    char from[16];
    snprintf(from, sizeof from, "%d", first);
    setenv("NB_TEST_FROM", from, 1);
    print_message("%s: a new process goes on\n", reason);
    fflush(NULL);
    execl("/proc/self/exe", "test_cuda", (char *)NULL);
    _exit(1);
}

static void leave_test(int number)
{
    sigset_t none;
    (void)number;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the new process would have it blocked */
    go_on_in_a_new_process(tests_begun, "FAILED: it does not end");
}

static inline void skip_without_device(void)
{
    static int worked;
    skip_without_cuda();
    const struct outcome out = smallest(cuda_rows[0]);
    if (out.status == NB_UNSUPPORTED)
        skip_for(out.error.text);
    if (out.status != NB_OK && worked)
        go_on_in_a_new_process(tests_begun - 1, "the device is lost to this process");
    assert_int_equal(out.status, NB_OK);
    worked = 1;
}

static inline int begin_test(void **state)
{
    (void)state;
    ++tests_begun;
    signal(SIGALRM, leave_test);
    alarm(getenv("NB_TEST_SMALL") ? 0 : TEST_SECONDS); /* a tool is slow */
    return 0;
}

/* Tests of one function, each of a row of its own, so that one that fails on a card hides no other. */
enum { TESTS_MOST = 64 };
struct tests {
    struct CMUnitTest test[TESTS_MOST];
    char name[TESTS_MOST][128];
    int count;
};

static inline void add_test(struct tests *tests, const char *what, const char *row, CMUnitTestFunction function,
                            const void *state)
{
    assert_true(tests->count < TESTS_MOST);
    char *name = tests->name[tests->count];
    snprintf(name, sizeof tests->name[0], "%s%s%s", what, *row ? ": " : "", row);
    tests->test[tests->count++] =
        (struct CMUnitTest){.name = name, .test_func = function, .setup_func = begin_test,
                            .initial_state = (void *)state};
}

/* A new process is there because a test of the one before has failed, whose message has been seen. */
static inline int run_listed(const struct tests *tests)
{
    const char *from = getenv("NB_TEST_FROM"), *wanted = getenv("NB_TESTS");
    if (wanted && strcmp(wanted, "full") == 0) { /* as tests/support/main.c: none of these takes long */
        puts("[  PASSED  ] 0 test(s).");
        return 0;
    }
    tests_begun = from ? atoi(from) : 0;
    const int failed = _cmocka_run_group_tests("tests", tests->test + tests_begun,
                                               (size_t)(tests->count - tests_begun), NULL, NULL);
    return failed + (from != NULL);
}

static inline double distance(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

#endif

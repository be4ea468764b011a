/* What a test program is made of: cmocka's assertions, the C library's usual headers, and tests that list
 * themselves.
 *
 *     TEST(what_holds) { ... }                         `make check` runs it
 *     FULL_TEST(what_holds) { ... }                    one that takes long: `make check-full` runs it
 *     TEST_WITH(what_holds, set_up, tear_down) { ... } with cmocka's set_up before this test, tear_down after it
 *     FIXTURE(set_up, tear_down)                       once before and once after all tests of the program
 *
 * The tests run in the order in which they stand; `state` is cmocka's. main() is in tests/support/main.c.
 *
 *     assert_ok(call(..., &why));                      its message where it fails
 *     assert_refused(call(..., &why), status, "part of the message", "another"...);
 *
 * What a test has is given back where its scope ends, last declared first:
 *
 *     OWNS(nb_problem_free) struct nb_problem problem;
 *     OWNS(free_at) char *text = test_slurp(path);
 *     OWNER(nb_judge_free)                             at file scope: OWNS(nb_judge_free_at) struct nb_judge *judge; */
#ifndef NB_TESTS_TEST_H
#define NB_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "problems/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* full: only `make check-full` runs it; line: where it stands in the program's source. */
void test_list(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up, CMFixtureFunction tear_down,
               int full, int line);
void test_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down);

#ifdef __cplusplus
}
#endif

#define OWNS(give_back) __attribute__((cleanup(give_back)))
#define OWNER(give_back)                                                 \
    __attribute__((unused)) static void give_back##_at(void *owned)      \
    {                                                                    \
        give_back(*(void **)owned);                                      \
    }

OWNER(free)

static inline void fclose_at(FILE **file) /* of its type, as C++ asks for */
{
    fclose(*file);
}

static inline FILE *test_open(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

/* What the last call under test said. */
__attribute__((unused)) static struct nb_error why;

#define assert_ok(call)                                                                     \
    do {                                                                                    \
        why.text[0] = 0;                                                                    \
        if ((call) != NB_OK)                                                                \
            fail_msg("%s: %s", #call, why.text);                                            \
    } while (0)

#define assert_refused(call, status, ...)                                                 \
    do {                                                                                  \
        why.text[0] = 0;                                                                  \
        assert_int_equal(call, status);                                                   \
        const char *const nb_texts[] = {__VA_ARGS__};                                     \
        for (size_t nb_text = 0; nb_text < sizeof nb_texts / sizeof *nb_texts; ++nb_text) \
            if (!strstr(why.text, nb_texts[nb_text]))                                     \
                fail_msg("\"%s\" is missing in: %s", nb_texts[nb_text], why.text);        \
    } while (0)

#define TEST_LISTED(name, set_up, tear_down, full)                    \
    static void name(void **state);                                   \
    __attribute__((constructor)) static void name##_is_listed(void)   \
    {                                                                 \
        test_list(#name, name, set_up, tear_down, full, __LINE__);    \
    }                                                                 \
    static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)
#define FULL_TEST(name) FULL_TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down) TEST_LISTED(name, set_up, tear_down, 0)
#define FULL_TEST_WITH(name, set_up, tear_down) TEST_LISTED(name, set_up, tear_down, 1)

#define FIXTURE(set_up, tear_down)                                       \
    __attribute__((constructor)) static void fixture_is_listed(void)     \
    {                                                                    \
        test_fixture(set_up, tear_down);                                 \
    }

#endif

/* Runs of build/ncpbench in a temporary folder of the test program's own, for the tests of what a
 * user meets. */
#ifndef NB_TEST_PROGRAM_H
#define NB_TEST_PROGRAM_H

#include "tests/support/folder.h"

static inline struct test_output run(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* ncpbench with these arguments; %s of the format are usually paths in the folder. */
static inline struct test_output run(const char *format, ...)
{
    char arguments[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    return test_run(&folder, arguments);
}

static inline void expect_ok(struct test_output output)
{
    if (output.code)
        fail_msg("exit %d: %s", output.code, output.err);
    test_output_free(&output);
}

/* Exit 0 and these parts on stdout. */
#define expect_says(output, ...) expect_parts(output, (const char *const[]){__VA_ARGS__, NULL})

static inline void expect_parts(struct test_output output, const char *const *parts)
{
    if (output.code)
        fail_msg("exit %d: %s", output.code, output.err);
    for (; *parts; ++parts)
        test_contains(output.out, *parts);
    test_output_free(&output);
}

/* This exit code, and these parts of stdout and stderr. */
static inline void expect(struct test_output output, int code, const char *out, const char *err)
{
    if (output.code != code)
        fail_msg("exit %d instead of %d: %s", output.code, code, output.err);
    test_contains(output.out, out);
    test_contains(output.err, err);
    test_output_free(&output);
}

/* Exit 2, one line on stderr that holds the part, nothing of a crash. */
static inline void expect_refusal(struct test_output output, const char *part)
{
    if (output.code != 2)
        fail_msg("exit %d instead of 2: %s%s", output.code, output.out, output.err);
    test_contains(output.err, part);
    test_contains(output.err, "ncpbench");
    assert_ptr_equal(strchr(output.err, '\n') + 1, output.err + strlen(output.err));
    test_output_free(&output);
}

#endif

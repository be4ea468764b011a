/* Cases for the tests of comparisons, profiles and reports, as a sweep would have written them. */
#ifndef NB_TESTS_CASE_TEXT_H
#define NB_TESTS_CASE_TEXT_H

#include "harness/report/compare.h"
#include "tests/support/test.h"

/* Four iterations whose error falls from 1 by the factor each, factor 1: never; repetitions of about
 * `seconds`, one per cent apart. */
struct case_text {
    const char *problem, *hash, *solver, *linear, *precond, *precision, *ending;
    int repetitions;
    double factor, seconds;
};

static const struct case_text usual_case = {
    .problem = "p", .hash = "", .solver = "newton", .linear = "pcr", .precond = "old",
    .precision = "f64", .ending = "converged", .repetitions = 5, .factor = 0.1, .seconds = 4e-3};

/* Cases that differ have different keys, of 16 digits as real ones. */
static inline unsigned long long case_key(const struct case_text *text)
{
    const char *const parts[] = {text->problem, text->hash, text->solver, text->linear,
                                 text->precond, text->precision};
    unsigned long long key = 14695981039346656037ull;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        for (const char *c = parts[i]; *c; ++c)
            key = (key ^ (unsigned char)*c) * 1099511628211ull + i;
    return key;
}

static inline void put_case_text(FILE *file, const struct case_text *text)
{
    const double error = pow(text->factor, 4);
    fprintf(file, "{\"kind\":\"case\",\"key\":\"%016llx\",\"settings\":{\"problem\":\"%s\","
            "\"problem_file\":\"%s.h5\",\"problem_hash\":\"%s\",\"mode\":\"step\",\"solver\":\"%s\","
            "\"linear\":\"%s\",\"precond\":\"%s\",\"precision\":\"%s\"},\"ending\":\"%s\","
            "\"errors\":{\"step_error\":%.17g},\"times\":{\"median\":%.17g,\"solve\":[",
            case_key(text), text->problem, text->precond, text->hash, text->solver, text->linear,
            text->precond, text->precision, text->ending, error, text->seconds);
    for (int k = 0; k < text->repetitions; ++k)
        fprintf(file, "%s%.17g", k ? "," : "",
                text->seconds * (1 + 0.01 * (k - text->repetitions / 2)));
    fprintf(file, "]},\"trace\":{\"iteration\":[0,1,2,3,4],\"step_error\":[");
    for (int k = 0; k <= 4; ++k)
        fprintf(file, "%s%.17g", k ? "," : "", pow(text->factor, k));
    fprintf(file, "]}}\n");
}

/* What is printed, or the message; the caller frees it. */
static inline char *test_compare(const struct nb_comparison *comparison, enum nb_status expected)
{
    char *text = NULL;
    size_t size = 0;
    struct nb_error error = {""};
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(nb_compare(comparison, stream, &error), expected);
    fclose(stream);
    if (!expected)
        return text;
    free(text);
    return strdup(error.text);
}

#endif

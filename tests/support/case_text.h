/* Cases for the tests of comparisons, profiles and reports, as a sweep would have written them. */
#ifndef NB_TESTS_CASE_TEXT_H
#define NB_TESTS_CASE_TEXT_H

#include "harness/report/compare.h"
#include "tests/support/test.h"

/* Four iterations whose error falls from 1 by the factor each, factor 1: never; repetitions of about
 * `seconds`, one per cent apart. */
struct case_text {
    const char *problem, *hash, *solver, *linear, *precond, *precision, *ending;
    const char *run, *mode, *cpu;  /* run: in which the times were taken */
    int newton_iters;              /* allowed; 0: the record has no such setting */
    int linear_iters, linear_used; /* allowed in each linear solve, and taken */
    int linear_last;               /* taken in the last one; 0: as in the others */
    int repetitions;
    double factor, seconds, tol; /* tol 0: none */
};

static const struct case_text usual_case = {
    .problem = "p", .hash = "", .solver = "newton", .linear = "pcr", .precond = "old",
    .precision = "f64", .ending = "converged", .run = "0123456789abcdef",
    .mode = "step", .cpu = "cpu", .linear_iters = 40, .linear_used = 7, .repetitions = 5, .factor = 0.1,
        .seconds = 4e-3};

/* Cases that differ have different keys, of 16 digits as real ones. */
static inline unsigned long long case_key(const struct case_text *text)
{
    const char *const parts[] = {text->problem, text->hash, text->solver, text->linear,
                                 text->precond, text->precision, text->mode};
    unsigned long long key = 14695981039346656037ull + (unsigned)text->newton_iters;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        for (const char *c = parts[i]; *c; ++c)
            key = (key ^ (unsigned char)*c) * 1099511628211ull + i;
    return key;
}

static inline void put_case_text(FILE *file, const struct case_text *text)
{
    const double error = pow(text->factor, 4);
    const char *metric = strcmp(text->mode, "step") ? "residual" : "step_error";
    char tol[32] = "null", limit[40] = "";
    if (text->newton_iters)
        snprintf(limit, sizeof limit, "\"newton_iters\":%d,", text->newton_iters);
    if (text->tol > 0)
        snprintf(tol, sizeof tol, "%.17g", text->tol);
    fprintf(file, "{\"kind\":\"case\",\"key\":\"%016llx\",\"settings\":{\"problem\":\"%s\","
            "\"problem_file\":\"%s.h5\",\"problem_hash\":\"%s\",\"mode\":\"%s\",\"solver\":\"%s\","
            "\"linear\":\"%s\",\"precond\":\"%s\",\"precision\":\"%s\",%s\"linear_iters\":%d,\"tol\":"
            "%s},\"provenance\":{\"cpu\":\"%s\"},\"ending\":\"%s\","
            "\"errors\":{\"%s\":%.17g},\"times\":{\"setup\":0,\"run\":\"%s\",\"median\":%.17g,\"solve\":[",
            case_key(text), text->problem, text->precond, text->hash, text->mode, text->solver, text->linear,
            text->precond, text->precision, limit, text->linear_iters, tol, text->cpu, text->ending, metric, error,
            text->run, text->seconds);
    for (int k = 0; k < text->repetitions; ++k)
        fprintf(file, "%s%.17g", k ? "," : "",
                text->seconds * (1 + 0.01 * (k - text->repetitions / 2)));
    fprintf(file, "]},\"trace\":{\"iteration\":[0,1,2,3,4],\"linear_iterations\":[0,%d,%d,%d,%d],\"%s\":[",
            text->linear_used, text->linear_used, text->linear_used,
            text->linear_last ? text->linear_last : text->linear_used, metric);
    for (int k = 0; k <= 4; ++k)
        fprintf(file, "%s%.17g", k ? "," : "", pow(text->factor, k));
    fprintf(file, "]}}\n");
}

/* The usual case of a preconditioner on a problem: factor is how far each iteration brings the error down. */
static inline void put_precond(FILE *file, const char *problem, const char *precond, double factor, double seconds)
{
    struct case_text text = usual_case;
    text.problem = problem;
    text.precond = precond;
    text.factor = factor;
    text.seconds = seconds;
    put_case_text(file, &text);
}

/* What is printed of the records of the file, or the message; the caller frees it. */
static inline char *test_compare(const char *path, const struct nb_comparison *comparison, enum nb_status expected)
{
    char *text = NULL;
    size_t size = 0;
    struct nb_error error = {""};
    struct nb_comparison_result result;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(nb_compare_files(comparison, &path, 1, &result, &error), expected);
    if (!expected)
        nb_comparison_print(&result, stream);
    nb_comparison_free(&result);
    fclose(stream);
    if (!expected)
        return text;
    free(text);
    return strdup(error.text);
}

#endif

/* The page of the verdicts, docs/reference/paper.md: a table of verdicts by source, each source's claims as a table and
 * then in words, and the sources' systems with what has become of them. Written whole or not at all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "problems/base/numbers.h"
#include "problems/io/replace_file.h"

enum { WIDTH = 120 };

/* The work that a section is of: its source up to the first comma. */
static size_t work_length(const struct nb_claim *claim)
{
    return strcspn(claim->text[NB_CLAIM_SOURCE], ",");
}

static bool same_work(const struct nb_claim *a, const struct nb_claim *b)
{
    const size_t length = work_length(a);
    return length == work_length(b) && !strncmp(a->text[NB_CLAIM_SOURCE], b->text[NB_CLAIM_SOURCE], length);
}

/* Whether it is the first of its kind and work. */
static bool first_of_work(const struct nb_claims *claims, int index)
{
    const struct nb_claim *claim = &claims->claim[index];
    for (int i = 0; i < index; ++i)
        if (claims->claim[i].system == claim->system && same_work(&claims->claim[i], claim))
            return false;
    return true;
}

/* What follows the work in the source, "figure 18". */
static const char *place(const struct nb_claim *claim)
{
    const char *rest = claim->text[NB_CLAIM_SOURCE] + work_length(claim);
    return rest + strspn(rest, ", ");
}

/* A list item of words, wrapped. */
static void print_item(const char *text, FILE *stream)
{
    int column = fprintf(stream, "-");
    for (const char *at = text; *at;) {
        at += strspn(at, " ");
        const int length = (int)strcspn(at, " ");
        if (!length)
            break;
        if (column + 1 + length > WIDTH)
            column = fprintf(stream, "\n ") - 1;
        column += fprintf(stream, " %.*s", length, at);
        at += length;
    }
    fputc('\n', stream);
}

static void print_count(int all, const int *count, int narrow, FILE *stream)
{
    fprintf(stream, " | %d", all);
    for (int v = 0; v < NB_CLAIM_VERDICTS; ++v)
        fprintf(stream, " | %d", count[v]);
    fprintf(stream, " | %d |\n", narrow);
}

static void print_counts(const struct nb_claims *claims, const struct nb_claim_result *results, FILE *stream)
{
    int sum[NB_CLAIM_VERDICTS] = {0}, everything = 0, narrow_sum = 0;
    fprintf(stream, "| source | claims | hold | do not hold | depend | not decided | not testable | narrow |\n"
                    "|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *claim = &claims->claim[i];
        int count[NB_CLAIM_VERDICTS] = {0}, all = 0, narrow = 0;
        if (claim->system || !first_of_work(claims, i))
            continue;
        for (int j = i; j < claims->count; ++j)
            if (!claims->claim[j].system && same_work(claim, &claims->claim[j])) {
                ++count[results[j].verdict];
                ++sum[results[j].verdict];
                narrow += nb_claim_narrow(&claims->claim[j], &results[j]);
                ++all;
            }
        everything += all;
        narrow_sum += narrow;
        fprintf(stream, "| %.*s", (int)work_length(claim), claim->text[NB_CLAIM_SOURCE]);
        print_count(all, count, narrow, stream);
    }
    fprintf(stream, "| all");
    print_count(everything, sum, narrow_sum, stream);
}

static void print_row(const struct nb_claim *claim, const struct nb_claim_result *result, FILE *stream)
{
    char demand[80] = "", number[32] = "", of[32] = "", margin[32] = "";
    if (result->verdict != NB_CLAIM_UNTESTABLE)
        nb_claim_demand(claim, demand, sizeof demand);
    if (result->count)
        snprintf(number, sizeof number, "%.3g", result->number);
    if (result->count > 1)
        snprintf(of, sizeof of, "%d of %d", result->fulfil, result->count);
    if (result->values)
        snprintf(of, sizeof of, "%d of %d %ss", result->hold, result->values, claim->text[NB_CLAIM_VARIES]);
    if (isfinite(result->margin) && result->verdict < NB_CLAIM_NOT_DECIDED)
        snprintf(margin, sizeof margin, "%.2g", result->margin);
    fprintf(stream, "| `%s` | %s | %s | %s | %s | %s%s%s | %s |\n", claim->id, place(claim), demand, number, of,
            nb_claim_verdict_texts[result->verdict], nb_claim_narrow(claim, result) ? ", narrow" : "",
            claim->text[NB_CLAIM_DEPARTS] ? " †" : "", margin);
}

static void print_words(const struct nb_claim *claim, const struct nb_claim_result *result, FILE *stream)
{
    char text[2400];
    const char *printed = claim->text[NB_CLAIM_PRINTED], *note = result->note;
    const char *departs = claim->text[NB_CLAIM_DEPARTS];
    const char *why = claim->text[NB_CLAIM_NOT_TESTABLE], *figure = claim->text[NB_CLAIM_FIGURE];
    int used = snprintf(text, sizeof text, "`%s`: %s", claim->id, claim->text[NB_CLAIM_SAYS]);
    if (printed && used < (int)sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, " Printed: %s.", printed);
    if (departs && used < (int)sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, " **Departs**: %s", departs);
    if (result->verdict == NB_CLAIM_NOT_DECIDED && used < (int)sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, " Not decided: %s.", result->reason);
    if (why && used < (int)sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, " Not testable: %s", why);
    if (note && used < (int)sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, " *%s*", note);
    if (figure && used < (int)sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, " Figure `%s`.", figure);
    if (!why && used < (int)sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, " `%s`.", claim->text[NB_CLAIM_COMMAND]);
    print_item(text, stream);
}

/* All claims of the work of this one. */
static void print_work(const struct nb_claims *claims, const struct nb_claim_result *results, int index, FILE *stream)
{
    const struct nb_claim *claim = &claims->claim[index];
    fprintf(stream, "\n## %.*s\n\n| claim | where | demanded | here | of | verdict | margin |\n"
            "|---|---|---|---|---|---|---:|\n",
            (int)work_length(claim), claim->text[NB_CLAIM_SOURCE]);
    for (int i = index; i < claims->count; ++i)
        if (!claims->claim[i].system && same_work(claim, &claims->claim[i]))
            print_row(&claims->claim[i], &results[i], stream);
    fputc('\n', stream);
    for (int i = index; i < claims->count; ++i)
        if (!claims->claim[i].system && same_work(claim, &claims->claim[i]))
            print_words(&claims->claim[i], &results[i], stream);
}

static void print_systems(const struct nb_claims *claims, FILE *stream)
{
    fprintf(stream, "\n## Every system of the sources\n\n| system | source | scene | state |\n|---|---|---|---|\n");
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *system = &claims->claim[i];
        if (system->system)
            fprintf(stream, "| %s | %s | %s%s%s | %s |\n", system->text[NB_CLAIM_SAYS], system->text[NB_CLAIM_SOURCE],
                    system->text[NB_CLAIM_SCENE] ? "`" : "",
                    system->text[NB_CLAIM_SCENE] ? system->text[NB_CLAIM_SCENE] : "",
                    system->text[NB_CLAIM_SCENE] ? "`" : "", system->text[NB_CLAIM_STATE]);
    }
    fputc('\n', stream);
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *system = &claims->claim[i];
        char text[1200];
        if (!system->system || !system->text[NB_CLAIM_NOTE])
            continue;
        snprintf(text, sizeof text, "%s: %s", system->text[NB_CLAIM_SAYS], system->text[NB_CLAIM_NOTE]);
        print_item(text, stream);
    }
}

/* Which builds of the program made the records, and of how many claims. */
static void print_builds(const struct nb_claims *claims, const struct nb_claim_result *results, FILE *stream)
{
    fprintf(stream, "\n## The records\n\nOf every claim they are of one build of the program, by its commit:\n\n"
                    "| commit | claims |\n|---|---:|\n");
    for (int i = 0; i < claims->count; ++i) {
        int before = 0, count = 0;
        for (int j = 0; j < claims->count; ++j)
            if (results[j].builds && !strcmp(results[j].build, results[i].build)) {
                before += j < i;
                ++count;
            }
        if (results[i].builds && !before)
            fprintf(stream, "| %s | %d |\n", results[i].build, count);
    }
}

static const char page_head[] =
    "# What the papers claim, judged\n\n"
    "`make paper-page` writes this page from `data/claims.list` and the records in `data/records/`; nobody edits it.\n"
    "How a claim is judged: [claims](claims.md). The number under \"here\" is the one that decides, \"of\" tells how\n"
    "many of all are as demanded. What papers print in words is taken as a number, which is said with the claim.\n"
    "The margin is the factor by which that number would have to change to turn the verdict, which is narrow below\n"
    "1.1. A verdict with a † is of a set-up that is not quite the source's: the claim's text below says in what.\n\n"
    "What holds for all of them:\n\n"
    "- Misprinted formulas run in their corrected form: [errata](../theory/design.md#3-errata-of-the-sources).\n"
    "- Contacts are found between solids (polyhedra, spheres, capsules, skins), not between triangle meshes.\n"
    "- Sizes and speeds that are not printed are ours; the arch's voussoirs were chosen among those that stand.\n"
    "- Runs are on one core of a processor: times of the papers, of other machines and GPUs, are not compared.\n\n";

static void print_page(const struct nb_claims *claims, const struct nb_claim_result *results, FILE *stream)
{
    fputs(page_head, stream);
    print_counts(claims, results, stream);
    for (int i = 0; i < claims->count; ++i)
        if (!claims->claim[i].system && first_of_work(claims, i))
            print_work(claims, results, i, stream);
    print_builds(claims, results, stream);
    print_systems(claims, stream);
}

enum nb_status nb_claims_markdown(const struct nb_claims *claims, const struct nb_claim_result *results,
                                  const char *path, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream)
        print_page(claims, results, stream);
    enum nb_status status = NB_OK;
    if (!stream || fclose(stream))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for the page", path);
    if (!status)
        status = nb_replace_file(path, text, size, error);
    free(text);
    return status;
}

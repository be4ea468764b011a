/* The page of the verdicts, docs/reference/paper.md: a table of verdicts by source, each source's claims as a table and
 * then in words, and the sources' systems with what has become of them. Written whole or not at all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "problems/base/numbers.h"
#include "problems/io/replace_file.h"

/* How near a verdict is to its contrary, and whether the claim could come out otherwise at all (claims --check).
 *
 * The number that decides is that of a rank: all that are better fulfil the predicate if it does, so that the
 * verdict turns exactly where it crosses the threshold. A claim is refused where the values that its number can take
 * lie all on one side, where what it compares was made by several builds of the program, or where its control fulfils
 * the predicate, too: the records of `against`, or, of a comparison, a and b exchanged. Where these are far apart the
 * exchange tells nothing, and it needs records. A claim of `equals` misses on both sides and needs no control. So is
 * one that leaves cases out of what its sentence could be judged on, and does not say why. */

/* The threshold on the side of at_most or at_least. */
static double threshold(const struct nb_claim *claim)
{
    const double factor = claim->predicate == NB_PREDICATE_AT_MOST ? 1 + claim->tolerance : 1 - claim->tolerance;
    return factor * claim->printed;
}

static double factor_between(double x, double y)
{
    if (x == y)
        return 1;
    const double ratio = fabs(x) > fabs(y) ? x / y : y / x;
    return ratio > 0 ? ratio : INFINITY; /* of 0, or of another sign */
}

double nb_claim_margin(const struct nb_claim *claim, double x)
{
    if (isnan(x))
        return NAN;
    if (claim->predicate != NB_PREDICATE_EQUALS)
        return factor_between(x, threshold(claim));
    const double allowed = claim->tolerance * (claim->printed == 0 ? 1 : fabs(claim->printed));
    return allowed == 0 && x == claim->printed ? 1 : factor_between(fabs(x - claim->printed), allowed);
}

/* An exact count has no threshold to be near. */
bool nb_claim_narrow(const struct nb_claim *claim, const struct nb_claim_result *result)
{
    const bool exact = claim->predicate == NB_PREDICATE_EQUALS && claim->tolerance == 0;
    return !exact && result->verdict < NB_CLAIM_NOT_DECIDED && result->margin < NB_CLAIM_NARROW;
}

/* An observable's entry may have either sign. */
static bool is_signed(const struct nb_claim_value *value)
{
    const enum nb_claim_reduction reduction = value->reduction;
    return (!strcmp(value->name, "observable") || !strcmp(value->name, "mechanical_energy")) &&
           (reduction <= NB_REDUCE_LARGEST || reduction == NB_REDUCE_ENTRY);
}

/* The least and the largest that the number can be: other values are not negative, some reductions and shares are
 * bounded. */
static void find_range(const struct nb_claim *claim, double *least, double *largest)
{
    const enum nb_claim_reduction reduction = claim->value.reduction;
    const bool ratio = claim->b.count > 0, over = claim->over.name[0];
    const char *name = claim->value.name;
    *least = is_signed(&claim->value) ? -INFINITY : 0;
    *largest = INFINITY;
    if (ratio || over)
        return;
    if (reduction == NB_REDUCE_RISE || reduction == NB_REDUCE_SPREAD)
        *least = 1;
    if (!isnan(claim->floor))
        *least = fmax(*least, claim->floor);
    if (!isnan(claim->reaches))
        *largest = 1;
    else if (!strcmp(name, "first_try") || !strcmp(name, "solved"))
        *largest = 100;
}

/* Whether the number could be on either side. */
static bool can_turn(const struct nb_claim *claim)
{
    double least, largest;
    find_range(claim, &least, &largest);
    const double limit = threshold(claim);
    if (claim->predicate == NB_PREDICATE_AT_MOST)
        return least <= limit && limit < largest;
    if (claim->predicate == NB_PREDICATE_AT_LEAST)
        return least < limit && limit <= largest;
    return least <= claim->printed && claim->printed <= largest && claim->tolerance < 1;
}

/* Those of the first that the second has not, with commas between. */
static bool find_others(const struct nb_words *first, const struct nb_words *second, char *text, size_t size)
{
    struct nb_words others = {0};
    for (int i = 0; i < first->count; ++i)
        if (nb_words_find(second, first->word[i]) < 0)
            nb_words_add(&others, first->word[i]);
    nb_words_join(&others, text, size);
    return others.count > 0;
}

static enum nb_status check_left_out(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                                     struct nb_claim_result *result, struct nb_error *error)
{
    struct nb_words names = {0};
    const enum nb_status status = nb_claim_find_left_out(claim, records, &names, error);
    if (find_others(&names, &claim->explained, result->left_out, sizeof result->left_out))
        result->check = NB_CHECK_LEAVES;
    else if (complete && find_others(&claim->explained, &names, result->left_out, sizeof result->left_out))
        result->check = NB_CHECK_WHOLE;
    return status;
}

/* The control of a claim that holds. */
static enum nb_status check_control(const struct nb_claim *claim, struct nb_claim_records *records,
                                    struct nb_claim_result *result, struct nb_error *error)
{
    struct nb_claim_result control = {0};
    const bool against = claim->against.count > 0;
    if (!against && (!claim->b.count || result->margin > NB_CLAIM_WIDE)) {
        result->check = NB_CHECK_CONTROL;
        return NB_OK;
    }
    struct nb_claim asked = *claim;
    asked.needs = 1; /* fewer records will do for a control, and fewer values */
    asked.text[NB_CLAIM_VARIES] = NULL;
    const enum nb_status status = nb_claim_judge_as(&asked, records, against ? &claim->against : NULL, !against,
                                                    &control, error);
    if (control.verdict == NB_CLAIM_NOT_DECIDED && (control.lacks || control.broke_down))
        result->check = NB_CHECK_CONTROL;
    else if (control.verdict == NB_CLAIM_HOLDS)
        result->check = NB_CHECK_ALIKE;
    return status;
}

enum nb_status nb_claim_check(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                              struct nb_claim_result *result, struct nb_error *error)
{
    result->check = NB_CHECK_NONE;
    if (result->verdict >= NB_CLAIM_NOT_DECIDED)
        return result->verdict == NB_CLAIM_UNTESTABLE ? NB_OK
                                                      : check_left_out(claim, records, complete, result, error);
    result->check = !can_turn(claim) ? NB_CHECK_FIXED : result->builds > 1 ? NB_CHECK_BUILDS
                                                                           : NB_CHECK_FINE;
    if (result->check != NB_CHECK_FINE)
        return NB_OK;
    const bool needs = result->verdict == NB_CLAIM_HOLDS && claim->predicate != NB_PREDICATE_EQUALS;
    const enum nb_status status = needs ? check_control(claim, records, result, error) : NB_OK;
    return status || result->check != NB_CHECK_FINE ? status
                                                    : check_left_out(claim, records, complete, result, error);
}

int nb_claims_print_checks(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                           FILE *stream)
{
    NB_DECIMAL_POINT;
    static const char *const texts[NB_CHECKS] = {
        "", "", "; REFUSED: no change of its records can turn it",
        "; REFUSED: its control fulfils it as well", "; REFUSED: it has no control, name one with against",
        "; REFUSED: its records are of several builds", "; REFUSED: it leaves cases out, and does not say why: ",
        "; REFUSED: it says why it leaves cases out, and does not: "};
    int refused = 0, narrow = 0, decided = 0;
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *claim = &claims->claim[i];
        const struct nb_claim_result *result = &results[i];
        char demand[80];
        const bool is_decided = result->verdict < NB_CLAIM_NOT_DECIDED;
        if (!nb_claim_chosen(claim, pattern) || (!is_decided && result->check == NB_CHECK_NONE))
            continue;
        const bool is_narrow = nb_claim_narrow(claim, result);
        decided += is_decided;
        narrow += is_narrow;
        refused += result->check > NB_CHECK_FINE;
        fprintf(stream, "%-13s %s: %.4g, demanded %s; a factor of %.3g turns it%s%s%s\n",
                nb_claim_verdict_texts[result->verdict], claim->id, result->number,
                nb_claim_demand(claim, demand, sizeof demand), result->margin, is_narrow ? " (narrow)" : "",
                texts[result->check], result->left_out);
    }
    fprintf(stream, "%d claims are decided, %d of them narrowly; %d are refused\n", decided, narrow, refused);
    return refused;
}

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

/* How many claims of the work of this one there are, by verdict too, and how many are narrow: of those that match the
 * pattern and are shown. */
static int count_work(const struct nb_claims *claims, const struct nb_claim_result *results, int index,
                      const char *pattern, int *count, int *narrow)
{
    int all = 0;
    for (int i = index; i < claims->count; ++i)
        if (same_work(&claims->claim[index], &claims->claim[i]) && nb_claim_chosen(&claims->claim[i], pattern) &&
            !results[i].hidden) {
            ++count[results[i].verdict];
            *narrow += nb_claim_narrow(&claims->claim[i], &results[i]);
            ++all;
        }
    return all;
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
        int count[NB_CLAIM_VERDICTS] = {0}, narrow = 0;
        if (claim->system || !first_of_work(claims, i))
            continue;
        const int all = count_work(claims, results, i, NULL, count, &narrow);
        for (int v = 0; v < NB_CLAIM_VERDICTS; ++v)
            sum[v] += count[v];
        everything += all;
        narrow_sum += narrow;
        fprintf(stream, "| %.*s", (int)work_length(claim), claim->text[NB_CLAIM_SOURCE]);
        print_count(all, count, narrow, stream);
    }
    fprintf(stream, "| all");
    print_count(everything, sum, narrow_sum, stream);
}

void nb_claims_print_works(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                           FILE *stream)
{
    fprintf(stream, "%-28s %6s %6s %12s %7s %12s %13s\n", "source", "claims", "hold", "do not hold", "depend",
            "not decided", "not testable");
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *claim = &claims->claim[i];
        int count[NB_CLAIM_VERDICTS] = {0}, narrow = 0;
        if (claim->system || !first_of_work(claims, i))
            continue;
        const int all = count_work(claims, results, i, pattern, count, &narrow);
        if (all)
            fprintf(stream, "%-28.*s %6d %6d %12d %7d %12d %13d\n", (int)work_length(claim),
                    claim->text[NB_CLAIM_SOURCE], all, count[0], count[1], count[2], count[3], count[4]);
    }
    fputc('\n', stream);
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
        snprintf(of, sizeof of, "%d of %d: %s", result->hold, result->values, claim->text[NB_CLAIM_VARIES]);
    if (isfinite(result->margin) && result->verdict < NB_CLAIM_NOT_DECIDED)
        snprintf(margin, sizeof margin, "%.2g", result->margin);
    fprintf(stream, "| `%s` | %s | %s | %s | %s | %s%s%s | %s |\n", claim->id, place(claim), demand, number, of,
            nb_claim_verdict_texts[result->verdict], nb_claim_narrow(claim, result) ? ", narrow" : "",
            claim->text[NB_CLAIM_DEPARTS] || nb_claim_chooses(claim) ? " †" : "", margin);
}

static void print_words(const struct nb_claim *claim, const struct nb_claim_result *result, FILE *stream)
{
    char text[2400];
    const char *printed = claim->text[NB_CLAIM_PRINTED], *note = result->note;
    const char *departs = claim->text[NB_CLAIM_DEPARTS], *leaves_out = claim->text[NB_CLAIM_LEAVES_OUT];
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
    if (!leaves_out)
        return;
    snprintf(text, sizeof text, "`%s` **leaves out** by %s.", claim->id, leaves_out);
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
    "1.1. A verdict with a † is of a set-up that is not quite the source's, or of cases that we chose: the claim's\n"
    "text below says in what. By which settings a claim leaves out records, and why, stands there, too.\n\n";

static const char page_notes[] =
    "\nWhat holds for all of them:\n\n"
    "- Misprinted formulas run in their corrected form: [errata](../theory/design.md#3-errata-of-the-sources).\n"
    "- Contacts are found between solids (polyhedra, spheres, capsules, skins), not between triangle meshes.\n"
    "- Sizes and speeds that are not printed are ours; the arch's voussoirs were chosen among those that stand.\n"
    "- Runs are on one core of a processor: times of the papers, of other machines and GPUs, are not compared.\n";

static void print_page(const struct nb_claims *claims, const struct nb_claim_result *results, FILE *stream)
{
    fputs(page_head, stream);
    print_counts(claims, results, stream);
    fputs(page_notes, stream);
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
    status = status ? status : nb_replace_file(path, text, size, error);
    free(text);
    return status;
}

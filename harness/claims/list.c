/* Reads a list of claims (harness/claims/claims.h): an INI file whose keys are one table. Texts are gathered as they
 * come, over as many lines as they have, and read when the file is whole. */
#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/grow.h"
#include "harness/records/ini.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "harness/records/values.h"
#include "problems/base/numbers.h"

/* One number of one record. A trace is read with null as infinity, as what failed is written. */

/* The entries of a trace that count. */
struct entries {
    double *value;
    int count;
};

/* From the index `from` up to the first that is at most `until`, raised to `floor`; both may be NaN. */
static struct entries read_entries(const cJSON *array, int from, double until, double floor)
{
    struct entries entries = {malloc(((size_t)cJSON_GetArraySize(array) + 1) * sizeof(double)), 0};
    const cJSON *item = NULL;
    if (!entries.value)
        return entries;
    cJSON_ArrayForEach(item, array) {
        if (from-- > 0)
            continue;
        const double value = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
        entries.value[entries.count++] = fmax(value, floor);
        if (value <= until)
            break;
    }
    return entries;
}

static double rise(const struct entries *entries)
{
    double product = 1;
    for (int i = 1; i < entries->count; ++i)
        if (entries->value[i] > entries->value[i - 1])
            product *= entries->value[i] / entries->value[i - 1];
    return product;
}

/* NaN where it never falls twice in a row. */
static double order(const struct entries *entries)
{
    double steepest = 1, result = NAN;
    for (int i = 2; i < entries->count; ++i) {
        const double before = entries->value[i - 1] / entries->value[i - 2];
        const double factor = entries->value[i] / entries->value[i - 1];
        if (factor > 0 && factor < steepest && before < 1) {
            steepest = factor;
            result = log(factor) / log(before);
        }
    }
    return result;
}

static double deviation(const struct entries *entries)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < entries->count; ++i)
        mean += entries->value[i] / entries->count;
    for (int i = 0; i < entries->count; ++i)
        sum += (entries->value[i] - mean) * (entries->value[i] - mean) / entries->count;
    return sqrt(sum) / mean;
}

static double extreme(const struct entries *entries, enum nb_claim_reduction reduction)
{
    const double first = entries->value[0];
    double least = first, largest = first, change = 0;
    for (int i = 1; i < entries->count; ++i) {
        least = fmin(least, entries->value[i]);
        largest = fmax(largest, entries->value[i]);
        change = fmax(change, fabs(entries->value[i] - first));
    }
    return reduction == NB_REDUCE_LEAST     ? least
           : reduction == NB_REDUCE_LARGEST ? largest
           : reduction == NB_REDUCE_CHANGE  ? change
                                            : largest / least;
}

/* An entry that is below and followed by one above has not got there: errors of the start may be small by chance. */
static double reached(const struct nb_claim *claim, const struct entries *entries)
{
    int count = entries->count;
    while (count > 0 && entries->value[count - 1] <= claim->until)
        --count;
    return count < entries->count ? claim->from + count : INFINITY;
}

static double reduce(const struct nb_claim *claim, const struct entries *entries, const struct nb_claim_value *value)
{
    if (!entries->count)
        return INFINITY; /* of a run that failed before its first iteration */
    const int last = entries->count - 1;
    switch (value->reduction) {
    case NB_REDUCE_NONE:
    case NB_REDUCE_LAST:
        return entries->value[last];
    case NB_REDUCE_FIRST:
        return entries->value[0];
    case NB_REDUCE_GROWTH:
        return entries->value[last] / entries->value[0];
    case NB_REDUCE_RISE:
        return rise(entries);
    case NB_REDUCE_ORDER:
        return order(entries);
    case NB_REDUCE_DEVIATION:
        return deviation(entries);
    case NB_REDUCE_REACHED:
        return reached(claim, entries);
    case NB_REDUCE_ENTRY:
        return entries->value[value->index < last ? value->index : last];
    default:
        return extreme(entries, value->reduction);
    }
}

/* A number of the record itself. */
static double member_of(const cJSON *record, const char *name)
{
    const char *dot = strchr(name, '.');
    char outer[64];
    snprintf(outer, sizeof outer, "%.*s", (int)(dot ? dot - name : 0), name);
    const cJSON *member = dot ? nb_json_path(record, outer, dot + 1) : nb_json_member(record, name);
    return cJSON_IsNumber(member) ? member->valuedouble : cJSON_IsNull(member) ? INFINITY : NAN;
}

/* The cost of a run that could not, or did not, get there is infinite. */
static double cost(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value)
{
    struct nb_outcome outcome;
    double seconds[NB_OUTCOME_REPETITIONS];
    if (!nb_json_member(record, "trace"))
        return NAN;
    if (strcmp(value->name, "iterations")) {
        const int count = nb_claim_times(claim, record, value, seconds);
        return count ? nb_median_sorting(seconds, count) : INFINITY;
    }
    nb_outcome_read(record, claim->accuracy, &outcome);
    return outcome.iterations ? outcome.iterations : INFINITY;
}

/* Whether it is the cost to an accuracy: time, whole_time (that of the set-up, too) or iterations. */
static bool claim_is_cost(const struct nb_claim_value *value)
{
    return !strcmp(value->name, "time") || !strcmp(value->name, "whole_time") || !strcmp(value->name, "iterations");
}

/* The times of a run that came to no end do not count; its trace until then does, as it shows what the method did. */
static bool is_no_time(const cJSON *record, const char *name)
{
    return !strncmp(name, "times.", strlen("times.")) && nb_outcome_failed_to_run(record);
}

/* Only simulations and cases have an ending. */
static bool came_to_no_end(const cJSON *record)
{
    const char *ending = nb_json_string(record, "ending");
    if (!strcmp(nb_json_string(record, "kind"), "simulation"))
        return strcmp(ending, "completed");
    return *ending && nb_outcome_failed_to_run(record);
}

static const cJSON *array_of(const cJSON *record, const struct nb_claim_value *value)
{
    return nb_json_path(record, "trace", strcmp(value->name, "error") ? value->name : nb_outcome_metric(record));
}

/* Whether the value is known without the run. So are `steps`, how many there were before it broke down. */
static bool is_of_problem(const cJSON *record, const struct nb_claim_value *value)
{
    static const char *const of_problem[] = {"settings.", "limits.", "sizes.", "features.",
                                             "floor.", "reference.", "previous.", "provenance."};
    for (size_t i = 0; i < sizeof of_problem / sizeof *of_problem; ++i)
        if (!strncmp(value->name, of_problem[i], strlen(of_problem[i])))
            return true;
    return value->reduction == NB_REDUCE_NONE && !strcmp(value->name, "steps") && !isnan(member_of(record, "steps"));
}

bool nb_claim_broke_down(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value)
{
    const bool first = value->reduction == NB_REDUCE_FIRST, entry = value->reduction == NB_REDUCE_ENTRY;
    if (claim->breakdown_counts || !came_to_no_end(record) || is_of_problem(record, value))
        return false;
    const int index = claim->from + (entry ? value->index : 0);
    return !((first || entry) && index < cJSON_GetArraySize(array_of(record, value)));
}

double nb_claim_value_of(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value)
{
    const char *name = value->name;
    if (is_no_time(record, name))
        return INFINITY;
    if (!isnan(claim->accuracy) && claim_is_cost(value))
        return cost(claim, record, value);
    const double number = value->reduction == NB_REDUCE_NONE ? member_of(record, name) : NAN;
    if (!isnan(number) || strchr(name, '.'))
        return isnan(number) ? number : fmax(number, claim->floor);
    const cJSON *trace = nb_json_member(record, "trace");
    const cJSON *array = array_of(record, value);
    if (!cJSON_IsArray(array))
        return cJSON_IsObject(trace) && !trace->child ? INFINITY : NAN;
    const double until = value->reduction == NB_REDUCE_REACHED ? NAN : claim->until;
    const struct entries entries = read_entries(array, claim->from, until, claim->floor);
    const double result = entries.value ? reduce(claim, &entries, value) : NAN;
    free(entries.value);
    return result;
}

enum { OF_CLAIM = 1, OF_SYSTEM = 2, NEEDED = 4 };

/* A key, and the member of a claim that its value is, where it is a number or one of some choices. */
#define MEMBER(type, member) NB_OPTION_##type, offsetof(struct nb_claim, member)
static const struct {
    const char *name;
    int of;
    enum nb_option_type type;
    size_t offset; /* 0: a text */
    double minimum, maximum;
    bool above_minimum;
    const char *choices;
} keys[NB_CLAIM_KEYS] = {
    [NB_CLAIM_SOURCE] = {"source", OF_CLAIM | OF_SYSTEM | NEEDED},
    [NB_CLAIM_SAYS] = {"says", OF_CLAIM | OF_SYSTEM | NEEDED},
    [NB_CLAIM_WHERE] = {"where", OF_CLAIM},
    [NB_CLAIM_A] = {"a", OF_CLAIM},
    [NB_CLAIM_B] = {"b", OF_CLAIM},
    [NB_CLAIM_EACH] = {"each", OF_CLAIM},
    [NB_CLAIM_VALUE] = {"value", OF_CLAIM},
    [NB_CLAIM_OVER] = {"over", OF_CLAIM},
    [NB_CLAIM_FROM] = {"from", OF_CLAIM, MEMBER(INTEGER, from), 0, 1000000},
    [NB_CLAIM_UNTIL] = {"until", OF_CLAIM, MEMBER(NUMBER, until), -1e300, 1e300},
    [NB_CLAIM_FLOOR] = {"floor", OF_CLAIM, MEMBER(NUMBER, floor), 0, 1e300, true},
    [NB_CLAIM_ALONG] = {"along", OF_CLAIM},
    [NB_CLAIM_POOL] = {"pool", OF_CLAIM, MEMBER(CHOICE, medians), .choices = "pairs,medians"},
    [NB_CLAIM_ACCURACY] = {"accuracy", OF_CLAIM, MEMBER(NUMBER, accuracy), 0, 1, true},
    [NB_CLAIM_REACHES] = {"reaches", OF_CLAIM, MEMBER(NUMBER, reaches), -1e300, 1e300},
    [NB_CLAIM_CONVERGED] = {"converged", OF_CLAIM},
    [NB_CLAIM_BREAKDOWN] = {"breakdown", OF_CLAIM, MEMBER(CHOICE, breakdown_counts), .choices = "undecided,counts"},
    [NB_CLAIM_VARIES] = {"varies", OF_CLAIM},
    [NB_CLAIM_SHARE] = {"share", OF_CLAIM, MEMBER(NUMBER, share), 0, 1, true},
    [NB_CLAIM_NEEDS] = {"needs", OF_CLAIM, MEMBER(INTEGER, needs), 1, 1000000},
    [NB_CLAIM_AT_MOST] = {"at_most", OF_CLAIM, MEMBER(NUMBER, printed), -1e300, 1e300},
    [NB_CLAIM_AT_LEAST] = {"at_least", OF_CLAIM, MEMBER(NUMBER, printed), -1e300, 1e300},
    [NB_CLAIM_EQUALS] = {"equals", OF_CLAIM, MEMBER(NUMBER, printed), -1e300, 1e300},
    [NB_CLAIM_TOLERANCE] = {"tolerance", OF_CLAIM, MEMBER(NUMBER, tolerance), 0, 10},
    [NB_CLAIM_AGAINST] = {"against", OF_CLAIM},
    [NB_CLAIM_PRINTED] = {"printed", OF_CLAIM},
    [NB_CLAIM_DEPARTS] = {"departs", OF_CLAIM},
    [NB_CLAIM_LEAVES_OUT] = {"leaves_out", OF_CLAIM},
    [NB_CLAIM_EXPECTED] = {"expected", OF_CLAIM, MEMBER(CHOICE, expected),
                           .choices = "holds,does_not_hold,depends,not_decided"},
    [NB_CLAIM_FIGURE] = {"figure", OF_CLAIM},
    [NB_CLAIM_COMMAND] = {"command", OF_CLAIM},
    [NB_CLAIM_NOTE] = {"note", OF_CLAIM | OF_SYSTEM},
    [NB_CLAIM_NOT_TESTABLE] = {"not_testable", OF_CLAIM},
    [NB_CLAIM_SCENE] = {"scene", OF_SYSTEM},
    [NB_CLAIM_STATE] = {"state", OF_SYSTEM | NEEDED},
};

struct reader {
    struct nb_ini ini;
    struct nb_claims *claims;
    int room;
};

static struct nb_claim *present(const struct reader *reader)
{
    return reader->claims->count ? &reader->claims->claim[reader->claims->count - 1] : NULL;
}

static int refuse(struct reader *reader, int line, const char *text)
{
    return nb_ini_refuse(&reader->ini, line, NB_BAD_INPUT, text);
}

/* Refuses a key of a section: FILE:LINE: [claim ID] KEY: text. */
static void refuse_key(struct reader *reader, const struct nb_claim *claim, int key, const char *text)
{
    char whole[640];
    snprintf(whole, sizeof whole, "[%s %s] %s: %s", claim->system ? "system" : "claim", claim->id, keys[key].name,
             text);
    refuse(reader, claim->text_line[key] ? claim->text_line[key] : claim->line, whole);
}

static void open_section(struct nb_ini *ini, const char *title)
{
    struct reader *reader = ini->context;
    struct nb_claims *claims = reader->claims;
    const bool system = !strncmp(title, "system ", 7);
    const char *id = title + (system ? 7 : 6);
    char text[160];
    if ((!system && strncmp(title, "claim ", 6)) || !*id) {
        snprintf(text, sizeof text, "unknown section [%.60s]; known: [claim ID], [system ID]", title);
        refuse(reader, ini->line, text);
        return;
    }
    for (int i = 0; i < claims->count; ++i)
        if (claims->claim[i].system == system && !strcmp(claims->claim[i].id, id)) {
            snprintf(text, sizeof text, "a second section [%.60s]; the first is in line %d", title,
                     claims->claim[i].line);
            refuse(reader, ini->line, text);
            return;
        }
    if (!NB_GROW(claims->claim, claims->count, &reader->room)) {
        nb_ini_refuse(ini, ini->line, NB_OUT_OF_MEMORY, "no memory for a section");
        return;
    }
    struct nb_claim *claim = &claims->claim[claims->count++];
    *claim = (struct nb_claim){.system = system, .line = ini->line};
    snprintf(claim->id, sizeof claim->id, "%s", id);
}

/* A further line of a text is joined by a blank. */
static int read_key(struct nb_ini *ini, const char *key, const char *value)
{
    struct reader *reader = ini->context;
    struct nb_claim *claim = present(reader);
    const char *known[NB_CLAIM_KEYS + 1] = {NULL};
    char hint[400], text[560], *joined = NULL;
    int index = 0, count = 0;
    if (!claim)
        return refuse(reader, ini->line, "a key outside of any section");
    const int of = claim->system ? OF_SYSTEM : OF_CLAIM;
    while (index < NB_CLAIM_KEYS && (strcmp(keys[index].name, key) || !(keys[index].of & of)))
        ++index;
    if (index == NB_CLAIM_KEYS) {
        for (int i = 0; i < NB_CLAIM_KEYS; ++i)
            if (keys[i].of & of)
                known[count++] = keys[i].name;
        nb_suggest(known, key, hint, sizeof hint);
        snprintf(text, sizeof text, "unknown key \"%.50s\" in [%s %s]; %s", key, claim->system ? "system" : "claim",
                 claim->id, hint);
        return refuse(reader, ini->line, text);
    }
    char **held = &claim->text[index];
    if (!*value)
        return refuse(reader, ini->line, "the key has no value");
    if (*held && !ini->continues)
        return refuse(reader, ini->line, "the key is set twice");
    if (asprintf(&joined, "%s%s%s", *held ? *held : "", *held ? " " : "", value) < 0)
        return nb_ini_refuse(ini, ini->line, NB_OUT_OF_MEMORY, "no memory for a text");
    free(*held);
    *held = joined;
    if (!claim->text_line[index])
        claim->text_line[index] = ini->line;
    return 1;
}

/* The next word of a text, up to a blank, into word [size]; false: there is none. Too long a one is cut. */
static bool next_word(const char **text, char *word, size_t size)
{
    *text += strspn(*text, " \t");
    const size_t length = strcspn(*text, " \t");
    snprintf(word, size, "%.*s", (int)length, *text);
    *text += length;
    return length > 0;
}

static void read_filters(struct reader *reader, const struct nb_claim *claim, int key, struct nb_filters *filters)
{
    char word[4 * NB_WORD_SIZE], text[560];
    const char *wrong = claim->text[key] ? nb_filters_read(claim->text[key], filters, word, sizeof word) : NULL;
    if (!wrong)
        return;
    snprintf(text, sizeof text, "%s \"%.200s\"", wrong, word);
    refuse_key(reader, claim, key, text);
}

static void read_words(struct reader *reader, struct nb_claim *claim)
{
    char word[NB_WORD_SIZE];
    for (const char *at = claim->text[NB_CLAIM_EACH]; at && next_word(&at, word, sizeof word);)
        if (!nb_words_add(&claim->each, word))
            refuse_key(reader, claim, NB_CLAIM_EACH, "more than 32 names");
}

static void read_value(struct reader *reader, const struct nb_claim *claim, int key, struct nb_claim_value *value)
{
    const char *wrong = claim->text[key] ? nb_claim_value_read(claim->text[key], value) : NULL;
    char text[400];
    snprintf(text, sizeof text, "%s, not \"%.80s\"", wrong ? wrong : "", claim->text[key] ? claim->text[key] : "");
    if (wrong)
        refuse_key(reader, claim, key, text);
}

/* VALUE LIMIT */
static void read_converged(struct reader *reader, struct nb_claim *claim)
{
    const char *text = claim->text[NB_CLAIM_CONVERGED];
    char word[NB_WORD_SIZE], *end = NULL;
    if (!text)
        return;
    const char *wrong = next_word(&text, word, sizeof word) ? nb_claim_value_read(word, &claim->converged) : "empty";
    claim->converged_at = strtod(text, &end);
    if (!wrong && (end == text || *end || !(claim->converged_at > 0)))
        wrong = "must be VALUE LIMIT, as in \"constraint_error:least 1e-4\"";
    if (wrong)
        refuse_key(reader, claim, NB_CLAIM_CONVERGED, wrong);
}

/* FIRST LAST */
static void read_along(struct reader *reader, struct nb_claim *claim)
{
    const char *text = claim->text[NB_CLAIM_ALONG];
    char rest;
    claim->along[0] = claim->along[1] = -1;
    if (text && (sscanf(text, "%6d %6d %c", &claim->along[0], &claim->along[1], &rest) != 2 || claim->along[0] < 0 ||
                 claim->along[1] < claim->along[0]))
        refuse_key(reader, claim, NB_CLAIM_ALONG, "must be two indices of traces, FIRST LAST, as in \"5 30\"");
    if (text && claim->value.reduction != NB_REDUCE_NONE)
        refuse_key(reader, claim, NB_CLAIM_ALONG, "reads a trace entry by entry: value must be NAME alone");
}

bool nb_claim_chooses(const struct nb_claim *claim)
{
    const char *text = claim->text[NB_CLAIM_LEAVES_OUT];
    return text && strstr(text, "a choice");
}

/* A reason is a place in the source, or says that there is none. */
static bool is_reason(const char *text)
{
    static const char *const words[] = {"figure ", "table ", "section ", "a choice"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* NAME...: REASON; NAME...: REASON */
static void read_leaves_out(struct reader *reader, struct nb_claim *claim)
{
    const char *text = claim->text[NB_CLAIM_LEAVES_OUT];
    char part[512], word[NB_WORD_SIZE];
    for (size_t length; text && *text; text += length + (text[length] == ';')) {
        length = strcspn(text, ";");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        char *colon = strchr(part, ':');
        if (!colon || !is_reason(colon)) {
            refuse_key(reader, claim, NB_CLAIM_LEAVES_OUT, "must be NAME...: REASON; ..., and each reason a figure, "
                       "table or section of the source, or \"a choice\"");
            return;
        }
        *colon = '\0';
        for (const char *at = part; next_word(&at, word, sizeof word);)
            nb_words_add(&claim->explained, word);
    }
}

static void read_member(struct reader *reader, struct nb_claim *claim, int key)
{
    struct nb_error error = {""};
    char text[640];
    struct nb_option option = {.type = keys[key].type, .choices = keys[key].choices};
    option.target = (char *)claim + keys[key].offset;
    option.minimum = keys[key].minimum;
    option.maximum = keys[key].maximum;
    option.above_minimum = keys[key].above_minimum;
    if (!claim->text[key] || !nb_option_read(&option, keys[key].name, claim->text[key], &error))
        return;
    snprintf(text, sizeof text, "[claim %s] %s", claim->id, error.text);
    refuse(reader, claim->text_line[key], text);
}

static void read_members(struct reader *reader, struct nb_claim *claim)
{
    static const int predicates[] = {NB_CLAIM_AT_MOST, NB_CLAIM_AT_LEAST, NB_CLAIM_EQUALS};
    claim->until = claim->floor = claim->accuracy = claim->reaches = NAN;
    claim->share = claim->needs = 1;
    for (int key = 0; key < NB_CLAIM_KEYS; ++key)
        if (keys[key].offset)
            read_member(reader, claim, key);
    for (int i = 0; i < 3; ++i)
        if (claim->text[predicates[i]])
            claim->predicate = (enum nb_claim_predicate)i;
}

/* What a claim that can be tested must have, and what one that cannot must not. */
static void check_claim(struct reader *reader, const struct nb_claim *claim)
{
    static const int needed[] = {NB_CLAIM_WHERE, NB_CLAIM_VALUE, NB_CLAIM_EXPECTED, NB_CLAIM_COMMAND};
    static const int tests[] = {NB_CLAIM_WHERE, NB_CLAIM_VALUE, NB_CLAIM_EXPECTED};
    const int predicates = !!claim->text[NB_CLAIM_AT_MOST] + !!claim->text[NB_CLAIM_AT_LEAST] +
                           !!claim->text[NB_CLAIM_EQUALS];
    const bool untestable = claim->text[NB_CLAIM_NOT_TESTABLE];
    for (int i = 0; !untestable && i < 4; ++i)
        if (!claim->text[needed[i]])
            refuse_key(reader, claim, needed[i], "missing; or say why with not_testable");
    for (int i = 0; untestable && i < 3; ++i)
        if (claim->text[tests[i]])
            refuse_key(reader, claim, tests[i], "not beside not_testable");
    if (predicates != !untestable)
        refuse_key(reader, claim, NB_CLAIM_AT_MOST,
                   untestable ? "not beside not_testable" : "exactly one of at_most, at_least and equals is needed");
    if (!isnan(claim->accuracy) && !claim_is_cost(&claim->value))
        refuse_key(reader, claim, NB_CLAIM_ACCURACY, "only of value = time, whole_time or iterations");
    if (claim->text[NB_CLAIM_EACH] && !claim->text[NB_CLAIM_B])
        refuse_key(reader, claim, NB_CLAIM_EACH, "pairs a with b, which is missing");
    if (claim->medians && !isnan(claim->reaches))
        refuse_key(reader, claim, NB_CLAIM_POOL, "medians are not of shares: not beside reaches");
}

static void check_section(struct reader *reader, struct nb_claim *claim)
{
    const int of = claim->system ? OF_SYSTEM : OF_CLAIM;
    for (int key = 0; key < NB_CLAIM_KEYS; ++key)
        if ((keys[key].of & of) && (keys[key].of & NEEDED) && !claim->text[key])
            refuse_key(reader, claim, key, "missing");
    if (claim->system)
        return;
    read_filters(reader, claim, NB_CLAIM_WHERE, &claim->where);
    read_filters(reader, claim, NB_CLAIM_A, &claim->a);
    read_filters(reader, claim, NB_CLAIM_B, &claim->b);
    read_filters(reader, claim, NB_CLAIM_AGAINST, &claim->against);
    read_words(reader, claim);
    read_value(reader, claim, NB_CLAIM_VALUE, &claim->value);
    read_value(reader, claim, NB_CLAIM_OVER, &claim->over);
    read_converged(reader, claim);
    read_along(reader, claim);
    read_leaves_out(reader, claim);
    read_members(reader, claim);
    check_claim(reader, claim);
}

enum nb_status nb_claims_read(const char *path, struct nb_claims *claims, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct reader reader = {.ini = {.path = path, .context = &reader, .section = open_section, .key = read_key},
                            .claims = claims};
    *claims = (struct nb_claims){.path = strdup(path)};
    if (!claims->path)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", path);
    nb_ini_read(&reader.ini, error);
    for (int i = 0; i < claims->count && !reader.ini.status; ++i)
        check_section(&reader, &claims->claim[i]);
    if (!claims->count)
        refuse(&reader, 1, "no [claim ID]");
    if (reader.ini.status)
        nb_claims_free(claims);
    return reader.ini.status;
}

void nb_claims_free(struct nb_claims *claims)
{
    for (int i = 0; i < claims->count; ++i) {
        struct nb_claim *claim = &claims->claim[i];
        for (int key = 0; key < NB_CLAIM_KEYS; ++key)
            free(claim->text[key]);
        nb_filters_free(&claim->where);
        nb_filters_free(&claim->a);
        nb_filters_free(&claim->b);
        nb_filters_free(&claim->against);
    }
    free(claims->claim);
    free(claims->path);
    *claims = (struct nb_claims){0};
}

bool nb_claim_chosen(const struct nb_claim *claim, const char *pattern)
{
    return !claim->system && (!pattern || !fnmatch(pattern, claim->id, 0));
}

/* The values of a setting that a try goes through, from --vary NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNT:log or
 * NAME=VALUE,VALUE,...: of a setting of the candidate's own, which its table of settings checks, or of one of the case,
 * which the table of these does. What the setting is without --vary is one of the values, too, wherever that is one
 * value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case.h"
#include "harness/case/case_settings.h"
#include "harness/records/compact.h"
#include "harness/records/filter.h"
#include "harness/records/json.h"
#include "harness/sweep/spec.h"
#include "harness/try/try_private.h"
#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

enum { LEAST = 2,
       MOST = NB_CURVE_VALUES - 1 }; /* values, beside what the setting is otherwise */

static enum nb_status refuse(const char *text, struct nb_error *error)
{
    return nb_fail(error, NB_BAD_INPUT,
                   "--vary: \"%.80s\" is not NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNT:log or NAME=VALUE,VALUE,..., with "
                   "%d to %d values, as in omega=0.5:1.9:8",
                   text, LEAST, MOST);
}

static double number_of(const char *text)
{
    double number;
    return nb_read_decimal(text, &number) ? number : (double)NAN;
}

/* Adds a value where none is the same. */
static enum nb_status add_value(struct nb_vary *vary, const char *text, struct nb_error *error)
{
    const double number = number_of(text);
    for (int i = 0; i < vary->count; ++i)
        if (!strcmp(vary->value[i], text) || number_of(vary->value[i]) == number)
            return NB_OK;
    if (!*text || strlen(text) >= NB_CURVE_TEXT)
        return nb_fail(error, NB_BAD_INPUT, "--vary %s: a value has 1 to %d characters, not \"%.80s\"", vary->name,
                       NB_CURVE_TEXT - 1, text);
    if (vary->count == NB_CURVE_VALUES)
        return refuse(vary->text, error);
    strcpy(vary->value[vary->count++], text);
    return NB_OK;
}

static enum nb_status read_range(struct nb_vary *vary, double from, double to, int count, bool powers,
                                 struct nb_error *error)
{
    enum nb_status status = NB_OK;
    if (count < LEAST || count > MOST || !isfinite(from) || !isfinite(to) || from == to ||
        (powers && !(from > 0 && to > 0)))
        return refuse(vary->text, error);
    for (int i = 0; i < count && !status; ++i) {
        char text[40];
        const double share = (double)i / (count - 1);
        const double value = powers ? from * pow(to / from, share) : from + (to - from) * share;
        snprintf(text, sizeof text, vary->whole ? "%.0f" : "%.6g", value);
        status = add_value(vary, text, error);
    }
    return status;
}

/* What stands behind "NAME=". A list may hold what a range would be, as a method's own settings. */
static enum nb_status read_values(struct nb_vary *vary, const char *text, struct nb_error *error)
{
    double from, to;
    int count, end = 0, status = NB_OK;
    char value[NB_TRY_NAME];
    if (sscanf(text, "%lf:%lf:%d%n", &from, &to, &count, &end) == 3 && (!text[end] || !strcmp(text + end, ":log")))
        status = read_range(vary, from, to, count, text[end], error);
    else
        while (!status && nb_list_next(&text, value, sizeof value) > 0)
            status = add_value(vary, value, error);
    if (!status && vary->count < LEAST)
        return refuse(vary->text, error);
    return (enum nb_status)status;
}

/* Writes the candidate with its setting at a value. */
static void with_setting(const char *candidate, const char *name, const char *value, char *text, size_t size)
{
    const size_t length = strlen(name);
    const char *at = candidate + nb_settings_name_length(candidate);
    size_t used = (size_t)snprintf(text, size, "%.*s", (int)(at - candidate), candidate);
    while (*at == ':') {
        const size_t all = strcspn(at + 1, ":") + 1;
        if ((strncmp(at + 1, name, length) != 0 || at[1 + length] != '=') && used < size)
            used += (size_t)snprintf(text + used, size - used, "%.*s", (int)all, at);
        at += all;
    }
    if (used < size)
        snprintf(text + used, size - used, ":%s=%s", name, value);
}

static const struct nb_setting *own_setting(const struct nb_try *request, const char *name)
{
    const struct nb_setting *row = nb_registry_settings(request->kind, request->name);
    while (row && row->name && strcmp(row->name, name))
        ++row;
    return row && row->name ? row : NULL;
}

/* A setting of the case that may be varied: not what is tried, nor what it is tried on. */
static const struct nb_case_setting *case_setting(const struct nb_try *request, const char *name)
{
    static const char *const others[] = {"mode", "system", "backend", NULL};
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_axis(i)); ++i)
        if (!strcmp(row->name, name) && row->option.type != NB_OPTION_PATH && strcmp(name, request->kind) &&
            !nb_is_one_of(name, others))
            return row;
    return NULL;
}

static enum nb_status unknown(const struct nb_try *request, const char *name, struct nb_error *error)
{
    const char *known[NB_SETTINGS_MAX + NB_CASE_SETTINGS_MOST];
    char hint[400];
    const struct nb_case_setting *axis;
    size_t count = 0;
    for (const struct nb_setting *row = nb_registry_settings(request->kind, request->name);
         row && row->name && count < NB_SETTINGS_MAX; ++row)
        known[count++] = row->name;
    for (int i = 0; (axis = nb_case_axis(i)); ++i)
        if (case_setting(request, axis->name))
            known[count++] = axis->name;
    nb_suggest_name(name, known, count, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "--vary %s: neither %s nor a case has such a setting; %s", name, request->name,
                   hint);
}

/* Whether the setting takes all values; the message says which it takes. */
static enum nb_status check_values(const struct nb_try *request, const struct nb_vary *vary, struct nb_error *error)
{
    static struct nb_case scratch;
    enum nb_status status = NB_OK;
    struct nb_error why;
    for (int i = 0; i < vary->count && !status; ++i) {
        char text[NB_TRY_NAME + 2 * NB_CURVE_TEXT];
        scratch = nb_case_default();
        with_setting(request->candidate, vary->name, vary->value[i], text, sizeof text);
        status = vary->row ? nb_case_setting_read(vary->row, vary->value[i], &scratch, &why)
                           : nb_settings_read(nb_registry_settings(request->kind, request->name), text, NULL, &why);
        if (!status && strlen(text) >= NB_WORD_SIZE)
            status = nb_fail(&why, NB_BAD_INPUT, "%s: longer than %d characters", text, NB_WORD_SIZE - 1);
    }
    return status ? nb_fail(error, status, "--vary %s: %s", vary->text, why.text) : NB_OK;
}

/* What the candidate's own setting is otherwise. */
static void find_own(const struct nb_try *request, const struct nb_setting *row, char *text)
{
    nb_settings_text(request->candidate, row->name, text, NB_CURVE_TEXT);
    if (!*text)
        nb_setting_default(row, text, NB_CURVE_TEXT);
}

/* The default of a case's setting, as a spec has it; "?" of one that has none. */
static void write_default(const struct nb_case_setting *row, char *text)
{
    const struct nb_case normal = nb_case_default();
    cJSON *settings = nb_case_settings(&normal);
    const cJSON *member = nb_json_member(settings, row->name);
    if (cJSON_IsNumber(member))
        snprintf(text, NB_CURVE_TEXT, "%.15g", member->valuedouble);
    else if (cJSON_IsString(member))
        snprintf(text, NB_CURVE_TEXT, "%.60s", member->valuestring);
    else if (cJSON_IsBool(member))
        nb_choice_name(row->option.choices, cJSON_IsTrue(member), text, NB_CURVE_TEXT);
    else
        snprintf(text, NB_CURVE_TEXT, "%s", row->option.none ? row->option.none : "?");
    cJSON_Delete(settings);
}

/* What the case's setting is in all groups that try the kind; "" where it is not one value. */
static void find_usual(const struct nb_try *request, const struct nb_spec *spec, char *text)
{
    char usual[NB_CURVE_TEXT];
    write_default(request->vary.row, usual);
    *text = '\0';
    for (int g = 0; g < spec->group_count; ++g) {
        const char *list = nb_spec_values(&spec->group[g], request->vary.name, NULL);
        char value[NB_TRY_NAME];
        if (!nb_spec_values(&spec->group[g], request->kind, NULL))
            continue;
        if (!list)
            snprintf(value, sizeof value, "%s", usual);
        else if (nb_list_next(&list, value, sizeof value) <= 0 || *list || strlen(value) >= NB_CURVE_TEXT)
            snprintf(value, sizeof value, "?");
        const bool same = !*text || !strcmp(text, value) || number_of(text) == number_of(value);
        snprintf(text, NB_CURVE_TEXT, "%.*s", NB_CURVE_TEXT - 1, same ? value : "?");
    }
    if (strchr(text, '?'))
        *text = '\0';
}

static int by_number(const void *a, const void *b)
{
    const double x = number_of(a), y = number_of(b);
    return (x > y) - (x < y);
}

/* Numbers go from the least to the largest. */
static void sort_values(struct nb_vary *vary)
{
    for (int i = 0; i < vary->count; ++i)
        if (isnan(number_of(vary->value[i])))
            return;
    qsort(vary->value, (size_t)vary->count, sizeof *vary->value, by_number);
}

enum nb_status nb_vary_read(struct nb_try *request, const struct nb_spec *spec, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_vary *vary = &request->vary;
    const char *sign = vary->text ? strchr(vary->text, '=') : NULL;
    if (!vary->text)
        return NB_OK;
    if (!sign || sign == vary->text || sign - vary->text >= (long)sizeof vary->name)
        return refuse(vary->text, error);
    snprintf(vary->name, sizeof vary->name, "%.*s", (int)(sign - vary->text), vary->text);
    const struct nb_setting *own = own_setting(request, vary->name);
    vary->row = own ? NULL : case_setting(request, vary->name);
    if (!own && !vary->row)
        return unknown(request, vary->name, error);
    vary->whole = own ? own->whole : vary->row->option.type == NB_OPTION_INTEGER;
    enum nb_status status = read_values(vary, sign + 1, error);
    status = status ? status : check_values(request, vary, error);
    if (status)
        return status;
    if (own)
        find_own(request, own, vary->usual);
    else
        find_usual(request, spec, vary->usual);
    if (*vary->usual)
        status = add_value(vary, vary->usual, error);
    sort_values(vary);
    return status;
}

static bool is_usual(const struct nb_vary *vary, int index)
{
    return *vary->usual && (!strcmp(vary->value[index], vary->usual) ||
                            number_of(vary->value[index]) == number_of(vary->usual));
}

void nb_vary_candidate(const struct nb_try *request, int index, char *text, size_t size)
{
    const struct nb_vary *vary = &request->vary;
    if (vary->row || is_usual(vary, index))
        snprintf(text, size, "%s", request->candidate);
    else
        with_setting(request->candidate, vary->name, vary->value[index], text, size);
}

/* Writes a value as records hold that of a case's setting. */
static void write_recorded(const struct nb_vary *vary, int index, char *text, size_t size)
{
    const struct nb_option *option = &vary->row->option;
    const char *value = vary->value[index];
    if (option->type == NB_OPTION_FLAG)
        snprintf(text, size, "%s", nb_choice_index(option->choices, value) == 1 ? "true" : "false");
    else if (option->none && !strcmp(option->none, value))
        snprintf(text, size, "null");
    else if (option->type == NB_OPTION_INTEGER || option->type == NB_OPTION_NUMBER)
        snprintf(text, size, "%.15g", number_of(value));
    else
        snprintf(text, size, "%s", value);
}

void nb_vary_curve(const struct nb_try *request, struct nb_curve *curve)
{
    const struct nb_vary *vary = &request->vary;
    NB_DECIMAL_POINT;
    *curve = (struct nb_curve){.setting = vary->name, .of = request->name, .count = vary->count};
    curve->tolerance = request->tolerance;
    const struct nb_setting *own = own_setting(request, vary->name);
    curve->least = own ? own->minimum : vary->row->option.minimum;
    curve->most = own ? own->maximum : vary->row->option.maximum;
    for (int i = 0; i < vary->count; ++i) {
        struct nb_curve_value *value = &curve->value[i];
        char text[NB_TRY_NAME + 2 * NB_CURVE_TEXT];
        strcpy(value->text, vary->value[i]);
        value->number = number_of(vary->value[i]);
        value->usual = is_usual(vary, i);
        value->sides = vary->row ? 2 : 1;
        nb_vary_candidate(request, i, text, sizeof text);
        snprintf(value->side[0], NB_CURVE_SIDE, "%s=%.380s", request->kind, text);
        if (!vary->row)
            continue;
        write_recorded(vary, i, text, sizeof text);
        snprintf(value->side[1], NB_CURVE_SIDE, "%s=%.300s", vary->name, text);
    }
}

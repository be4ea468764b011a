/* NAME:SETTING=VALUE:... is read against a table: each setting by its name once, a word by its index in the choices, a
 * number within its range. */
#include "solvers/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "solvers/registry.h"

enum { TABLE_MAX = 32, TEXT_MAX = 512 };

size_t nb_settings_name_length(const char *text) { return strcspn(text, ":"); }

/* Choice `index` of a comma-separated list into text; 0 past its end. */
static int choice_at(const char *choices, int index, char *text, size_t size)
{
    for (; index > 0 && choices; --index) {
        choices = strchr(choices, ',');
        choices = choices ? choices + 1 : NULL;
    }
    if (!choices)
        return 0;
    snprintf(text, size, "%.*s", (int)strcspn(choices, ","), choices);
    return 1;
}

void nb_setting_range(const struct nb_setting *setting, char *text, size_t size)
{
    NB_DECIMAL_POINT;
    const char *whole = setting->whole ? "a whole number " : "";
    const char *than = setting->above_minimum ? ">" : ">=";
    if (setting->choices)
        snprintf(text, size, "%s", setting->choices);
    else if (setting->text)
        snprintf(text, size, "a text without colons");
    else if (isinf(setting->maximum))
        snprintf(text, size, "%s%s %.10g", whole, than, setting->minimum);
    else
        snprintf(text, size, "%s%s %.10g and <= %.10g", whole, than, setting->minimum,
                 setting->maximum);
}

void nb_setting_default(const struct nb_setting *setting, char *text, size_t size)
{
    NB_DECIMAL_POINT;
    if (setting->text)
        snprintf(text, size, "none");
    else if (!setting->choices || !choice_at(setting->choices, (int)setting->value, text, size))
        snprintf(text, size, "%.10g", setting->value);
}

static enum nb_status refuse(const struct nb_setting *setting, const char *given,
                             struct nb_error *error)
{
    char range[160];
    if (setting->choices)
        nb_suggest_choice(given, setting->choices, range, sizeof range);
    else
        nb_setting_range(setting, range, sizeof range);
    return nb_fail(error, NB_BAD_INPUT, "setting %s: \"%s\" is not allowed; %s%s", setting->name, given,
                   setting->choices ? "" : "allowed: ", range);
}

static enum nb_status read_value(const struct nb_setting *setting, const char *given,
                                 double *value, struct nb_error *error)
{
    char word[TEXT_MAX];
    double number;
    if (setting->text && *given)
        return NB_OK;
    for (int i = 0; setting->choices && choice_at(setting->choices, i, word, sizeof word); ++i)
        if (!strcmp(word, given)) {
            *value = i;
            return NB_OK;
        }
    if (setting->choices || !nb_read_decimal(given, &number) || number < setting->minimum ||
        number > setting->maximum ||
        (setting->above_minimum && number <= setting->minimum) ||
        (setting->whole && number != floor(number)))
        return refuse(setting, given, error);
    *value = number;
    return NB_OK;
}

static enum nb_status unknown(const struct nb_setting *table, const char *text, const char *name,
                              struct nb_error *error)
{
    const char *known[TABLE_MAX];
    char hint[320];
    size_t count = 0;
    const int length = (int)nb_settings_name_length(text);
    for (; table && table[count].name && count < TABLE_MAX; ++count)
        known[count] = table[count].name;
    if (count == 0)
        return nb_fail(error, NB_BAD_INPUT, "%.*s has no settings, but \"%s\" is given", length,
                       text, name);
    nb_suggest_name(name, known, count, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "%.*s has no setting \"%s\"; %s", length, text, name, hint);
}

/* One NAME=VALUE of `length` characters. */
static enum nb_status read_one(const struct nb_setting *table, const char *text, const char *given,
                               size_t length, double *value, struct nb_error *error)
{
    char name[TEXT_MAX];
    double number = 0;
    if (length >= sizeof name)
        return nb_fail(error, NB_BAD_INPUT, "the setting \"%.*s\" is longer than %d characters",
                       (int)length, given, TEXT_MAX - 1);
    memcpy(name, given, length);
    name[length] = '\0';
    char *equals = strchr(name, '=');
    if (!equals)
        return nb_fail(error, NB_BAD_INPUT, "\"%s\" in \"%s\": a setting reads NAME=VALUE", name,
                       text);
    *equals = '\0';
    for (size_t i = 0; table && table[i].name; ++i)
        if (!strcmp(table[i].name, name)) {
            const enum nb_status status = read_value(&table[i], equals + 1, &number, error);
            if (!status && value)
                value[i] = number;
            return status;
        }
    return unknown(table, text, name, error);
}

/* Whether an earlier setting of the text has the name that begins at `given`. */
static int given_before(const char *text, const char *given)
{
    const size_t length = strcspn(given, "=:");
    const char *at = text + nb_settings_name_length(text);
    while (*at == ':' && ++at < given) {
        if (strcspn(at, "=:") == length && memcmp(at, given, length) == 0)
            return 1;
        at += strcspn(at, ":");
    }
    return 0;
}

void nb_settings_text(const char *choice, const char *name, char *text, size_t size)
{
    const size_t length = strlen(name);
    const char *at = choice + nb_settings_name_length(choice);
    *text = '\0';
    while (*at == ':') {
        const size_t all = strcspn(++at, ":");
        if (all > length && !strncmp(at, name, length) && at[length] == '=')
            snprintf(text, size, "%.*s", (int)(all - length - 1), at + length + 1);
        at += all;
    }
}

enum nb_status nb_settings_read(const struct nb_setting *table, const char *text, double *value,
                                struct nb_error *error)
{
    NB_DECIMAL_POINT;
    for (size_t i = 0; value && table && table[i].name; ++i)
        value[i] = table[i].value;
    const char *at = text + nb_settings_name_length(text);
    while (*at == ':') {
        const size_t length = strcspn(++at, ":");
        const enum nb_status status = read_one(table, text, at, length, value, error);
        if (status)
            return status;
        if (given_before(text, at))
            return nb_fail(error, NB_BAD_INPUT, "setting %.*s is set twice in \"%.100s\"",
                           (int)strcspn(at, "="), at, text);
        at += length;
    }
    return NB_OK;
}

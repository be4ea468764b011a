/* ncpbench list prints what is compiled in, by kind and name, with the settings that follow a name. */
#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/values.h"
#include "problems/scene.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

/* What is compiled in as one JSON document: of each strategy and scene its kind, name, title, source and settings
 * (docs/reference/output.md). */

/* The default of a choice is one of the words. */
static void add_range(cJSON *object, const struct nb_setting *setting)
{
    char word[64];
    if (!setting->choices) {
        NB_JSON_ADD(object, "default", setting->value, "minimum", setting->minimum, "maximum", setting->maximum,
                    "above_minimum", (bool)setting->above_minimum, "whole", (bool)setting->whole);
        return;
    }
    cJSON_AddStringToObject(object, "default",
                            nb_choice_name(setting->choices, (int)setting->value, word, sizeof word));
    cJSON *choices = cJSON_AddArrayToObject(object, "choices");
    for (int i = 0; *nb_choice_name(setting->choices, i, word, sizeof word); ++i)
        cJSON_AddItemToArray(choices, cJSON_CreateString(word));
}

static void add_settings(cJSON *settings, const struct nb_setting *setting)
{
    for (; setting && setting->name; ++setting) {
        cJSON *object = nb_json_append(settings);
        NB_JSON_ADD(object, "name", setting->name, "meaning", setting->meaning);
        add_range(object, setting);
    }
}

/* What --set takes. */
static void add_parameters(cJSON *settings, const struct nb_scene *scene)
{
    for (const struct nb_scene_parameter *parameter = scene->parameters; parameter->name; ++parameter) {
        const struct nb_setting setting = {.value = parameter->value, .minimum = parameter->minimum,
                                           .maximum = parameter->maximum, .whole = parameter->integer};
        cJSON *object = nb_json_append(settings);
        NB_JSON_ADD(object, "name", parameter->name, "meaning", parameter->meaning);
        add_range(object, &setting);
        cJSON_AddStringToObject(object, "unit", parameter->unit);
    }
}

static void add_row(cJSON *rows, const struct nb_registry_row *row)
{
    const struct nb_scene *scene = strcmp(row->kind, "scene") ? NULL : nb_scene_find(row->name);
    char file[128];
    snprintf(file, sizeof file, "%s.%s", row->file ? row->file : "", strcmp(row->kind, "precision") ? "c" : "h");
    cJSON *object = nb_json_append(rows);
    NB_JSON_ADD(object, "kind", row->kind, "name", row->name, "title", row->title,
                "source", scene ? scene->source : row->file ? file : "plugin");
    nb_json_text(object, "hash", scene ? NULL : nb_registry_source(row->kind, row->name));
    cJSON *settings = cJSON_AddArrayToObject(object, "settings");
    if (scene)
        add_parameters(settings, scene);
    else
        add_settings(settings, nb_registry_settings(row->kind, row->name));
}

/* The document of `list --json`, to be freed by the caller; kind NULL: of all kinds. */
static cJSON *list_json(const char *kind)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "command", "list");
    cJSON *rows = cJSON_AddArrayToObject(object, "rows");
    for (const char *const *each = nb_registry_kinds(); *each; ++each) {
        const struct nb_registry_row *row;
        for (size_t i = 0; (!kind || !strcmp(kind, *each)) && (row = nb_registry_row(*each, i)); ++i)
            add_row(rows, row);
    }
    return object;
}

static const struct nb_setting *find_setting(const struct nb_setting *setting, const char *name)
{
    while (setting && setting->name && strcmp(setting->name, name))
        ++setting;
    return setting && setting->name ? setting : NULL;
}

/* Whether every strategy of the kind has this setting: those are printed once. */
static bool is_common(const char *kind, const struct nb_setting *setting)
{
    const struct nb_registry_row *row;
    size_t i = 0;
    for (; (row = nb_registry_row(kind, i)); ++i) {
        const struct nb_setting *other =
            find_setting(nb_registry_settings(kind, row->name), setting->name);
        if (!other || strcmp(other->meaning, setting->meaning))
            return false;
    }
    return i > 1;
}

static void print_settings(const char *kind, const char *name, bool common)
{
    const struct nb_setting *setting = nb_registry_settings(kind, name);
    char range[160], usual[64], text[512];
    for (; setting && setting->name; ++setting) {
        if (is_common(kind, setting) != common)
            continue;
        nb_setting_range(setting, range, sizeof range);
        nb_setting_default(setting, usual, sizeof usual);
        snprintf(text, sizeof text, "%s; %s [%s]", setting->meaning, range, usual);
        printf("    :%-20s ", setting->name);
        nb_print_wrapped(text, 26, stdout);
        printf("\n");
    }
}

static void print_kind(const char *kind)
{
    const struct nb_registry_row *row = nb_registry_row(kind, 0);
    const struct nb_setting *setting = nb_registry_settings(kind, row->name);
    printf("%s\n", kind);
    while (setting && setting->name && !is_common(kind, setting))
        ++setting;
    if (setting && setting->name) {
        printf("  settings of all of them:\n");
        print_settings(kind, row->name, true);
    }
    for (size_t i = 0; (row = nb_registry_row(kind, i)); ++i) {
        printf("  %-25s %s\n", row->name, row->title);
        print_settings(kind, row->name, false);
    }
}

static int unknown_kind(const struct nb_command *command, const char *kind)
{
    char known[300];
    nb_suggest(nb_registry_kinds(), kind, known, sizeof known);
    return nb_command_refuse(command, "unknown kind \"%s\"; %s", kind, known);
}

static int print_json(const struct nb_command *command, const char *kind)
{
    struct nb_error error;
    return nb_json_put(list_json(kind), nb_output(), &error) ? nb_command_fail(command, &error) : NB_EXIT_OK;
}

int nb_command_list(int argc, char **argv)
{
    bool json = false;
    char kinds[128] = "";
    struct nb_command command = {
        .name = "list", .arguments = "[KIND] [--json]",
        .summary = "Lists what is compiled in, by kind and name.",
        .details = "Below a name, after colons, stand its own settings: --linear "
                   "NAME:SETTING=VALUE:...",
        .example = "ncpbench list linear",
        .maximum_positionals = 1, .positional_name = {"KIND"}, .choices = kinds,
    };
    for (const char *const *each = nb_registry_kinds(); *each; ++each)
        snprintf(kinds + strlen(kinds), sizeof kinds - strlen(kinds), "%s,", *each);
    nb_command_add_flag(&command, "json", &json, "print one JSON document (docs/reference/output.md)");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *kind = command.positional[0];
    if (kind && !nb_registry_row(kind, 0))
        return unknown_kind(&command, kind);
    if (json)
        return print_json(&command, kind);
    for (const char *const *each = nb_registry_kinds(); *each; ++each)
        if (!kind)
            print_kind(*each);
    if (kind)
        print_kind(kind);
    return NB_EXIT_OK;
}

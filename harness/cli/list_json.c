/* What is compiled in as one JSON document: of each strategy and scene its kind, name, title, source and settings
 * (docs/reference/output.md). */
#include "harness/cli/list_json.h"

#include <math.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/values.h"
#include "problems/scene.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
}

static cJSON *add_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

/* The default of a choice is one of the words. */
static void add_range(cJSON *object, const struct nb_setting *setting)
{
    char word[64];
    if (!setting->choices) {
        nb_json_number(object, "default", setting->value);
        nb_json_number(object, "minimum", setting->minimum);
        nb_json_number(object, "maximum", setting->maximum);
        cJSON_AddBoolToObject(object, "above_minimum", setting->above_minimum);
        cJSON_AddBoolToObject(object, "whole", setting->whole);
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
        cJSON *object = add_object(settings);
        cJSON_AddStringToObject(object, "name", setting->name);
        cJSON_AddStringToObject(object, "meaning", setting->meaning);
        add_range(object, setting);
    }
}

/* What --set takes. */
static void add_parameters(cJSON *settings, const struct nb_scene *scene)
{
    for (const struct nb_scene_parameter *parameter = scene->parameters; parameter->name; ++parameter) {
        const struct nb_setting setting = {.value = parameter->value, .minimum = parameter->minimum,
                                           .maximum = parameter->maximum, .whole = parameter->integer};
        cJSON *object = add_object(settings);
        cJSON_AddStringToObject(object, "name", parameter->name);
        cJSON_AddStringToObject(object, "meaning", parameter->meaning);
        add_range(object, &setting);
        cJSON_AddStringToObject(object, "unit", parameter->unit);
    }
}

static void add_row(cJSON *rows, const struct nb_registry_row *row)
{
    const struct nb_scene *scene = strcmp(row->kind, "scene") ? NULL : nb_scene_find(row->name);
    char file[128];
    snprintf(file, sizeof file, "%s.%s", row->file ? row->file : "", strcmp(row->kind, "precision") ? "c" : "h");
    cJSON *object = add_object(rows);
    cJSON_AddStringToObject(object, "kind", row->kind);
    cJSON_AddStringToObject(object, "name", row->name);
    cJSON_AddStringToObject(object, "title", row->title);
    cJSON_AddStringToObject(object, "source", scene ? scene->source : row->file ? file : "plugin");
    add_text(object, "hash", scene ? NULL : nb_registry_source(row->kind, row->name));
    cJSON *settings = cJSON_AddArrayToObject(object, "settings");
    if (scene)
        add_parameters(settings, scene);
    else
        add_settings(settings, nb_registry_settings(row->kind, row->name));
}

cJSON *nb_list_json(const char *kind)
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

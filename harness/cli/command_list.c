/* ncpbench list prints what is compiled in, by kind and name, with the settings that follow a name. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/list_json.h"
#include "harness/cli/options.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

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
    struct nb_error error;
    char known[300];
    nb_suggest(nb_registry_kinds(), kind, known, sizeof known);
    nb_fail(&error, NB_BAD_INPUT, "unknown kind \"%s\"; %s", kind, known);
    return nb_command_fail(command, &error);
}

static int print_json(const struct nb_command *command, const char *kind)
{
    struct nb_error error;
    return nb_json_put(nb_list_json(kind), nb_output(), &error) ? nb_command_fail(command, &error) : NB_EXIT_OK;
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

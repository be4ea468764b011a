/* ncpbench list: what is compiled in. */
#include <string.h>

#include "harness/commands.h"
#include "harness/options.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

static void print_settings(const char *kind, const char *name)
{
    const struct nb_setting *setting = nb_registry_settings(kind, name);
    char range[160], usual[64];
    for (; setting && setting->name; ++setting) {
        nb_setting_range(setting, range, sizeof range);
        nb_setting_default(setting, usual, sizeof usual);
        printf("    :%-17s %s; %s [%s]\n", setting->name, setting->meaning, range, usual);
    }
}

static void print_kind(const char *kind)
{
    const struct nb_registry_row *row;
    printf("%s\n", kind);
    for (size_t i = 0; (row = nb_registry_row(kind, i)); ++i) {
        printf("  %-20s %s\n", row->name, row->title);
        print_settings(kind, row->name);
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

int nb_command_list(int argc, char **argv)
{
    struct nb_command command = {
        .name = "list", .arguments = "[KIND]",
        .summary = "Lists what is compiled in, by kind and name.",
        .details = "Below a name, after colons, stand its own settings: --linear "
                   "NAME:SETTING=VALUE:...",
        .example = "ncpbench list linear",
        .maximum_positionals = 1, .positional_name = {"KIND"},
    };
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *kind = command.positional[0];
    if (kind && !nb_registry_row(kind, 0))
        return unknown_kind(&command, kind);
    for (const char *const *each = nb_registry_kinds(); *each; ++each)
        if (!kind)
            print_kind(*each);
    if (kind)
        print_kind(kind);
    return NB_EXIT_OK;
}

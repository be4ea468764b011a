/* ncpbench list: what is compiled in. */
#include "harness/commands.h"
#include "harness/options.h"
#include "solvers/registry.h"

static void print_kind(const char *kind)
{
    const struct nb_registry_row *row;
    printf("%s\n", kind);
    for (size_t i = 0; (row = nb_registry_row(kind, i)); ++i)
        printf("  %-20s %s\n", row->name, row->title);
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

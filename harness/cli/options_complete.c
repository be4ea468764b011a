/* The words that may follow a command, for completion, as a branch of a shell's `case $1`, where $2 is the word before
 * the one to be completed, and $3 that word (harness/cli/command_completion.c). What an option takes that has no list
 * of values, such as a file, prints nothing: the shell completes names of files. */
#include <ctype.h>
#include <string.h>

#include "harness/cli/options.h"
#include "solvers/registry.h"

static void write_rows(const char *kind, FILE *stream)
{
    const struct nb_registry_row *row;
    for (size_t i = 0; (row = nb_registry_row(kind, i)); ++i)
        fprintf(stream, " %s", row->name);
}

/* A list with commas, as words. */
static void write_choices(const char *choices, FILE *stream)
{
    while (*choices) {
        const int length = (int)strcspn(choices, ", ");
        fprintf(stream, length ? " %.*s" : "%.*s", length, choices);
        choices += length;
        choices += strspn(choices, ", ");
    }
}

static void write_flag(const struct nb_option *option, FILE *stream)
{
    if (option->letter)
        fprintf(stream, "-%c | ", option->letter);
    fprintf(stream, "--%s", option->name);
}

/* Options that take a value, by what it may be. */
static void write_values(const struct nb_command *command, FILE *stream)
{
    for (int i = 0; i < command->option_count; ++i) {
        const struct nb_option *option = &command->option[i];
        if (!option->argument)
            continue;
        fprintf(stream, "        ");
        write_flag(option, stream);
        fprintf(stream, ")");
        if (option->kind || option->choices)
            fprintf(stream, " echo");
        if (option->kind)
            write_rows(option->kind, stream);
        else if (option->choices)
            write_choices(option->choices, stream);
        else if (!strcmp(option->name, "set"))
            fprintf(stream, " _ncpbench_parameters \"$@\"");
        fprintf(stream, " ;;\n");
    }
    fprintf(stream, "        --plugin) ;;\n");
}

static void write_options(const struct nb_command *command, FILE *stream)
{
    fprintf(stream, "        *) case $3 in\n            -*) echo");
    for (int i = 0; i < command->option_count; ++i)
        fprintf(stream, " --%s", command->option[i].name);
    fprintf(stream, " --plugin --help ;;\n");
}

bool nb_command_argument_kind(const struct nb_command *command, char *kind, size_t size)
{
    const char *name = command->positional_name[0];
    size_t length = 0;
    for (; name && name[length] && length + 1 < size; ++length)
        kind[length] = (char)tolower((unsigned char)name[length]);
    kind[length] = '\0';
    return length && nb_registry_row(kind, 0);
}

/* The first argument, where it is one of a list. */
static void write_arguments(const struct nb_command *command, FILE *stream)
{
    char kind[32];
    if (command->choices) {
        fprintf(stream, "            *) echo");
        write_choices(command->choices, stream);
        fprintf(stream, " ;;\n");
    } else if (nb_command_argument_kind(command, kind, sizeof kind)) {
        fprintf(stream, "            *) echo");
        write_rows(kind, stream);
        fprintf(stream, " ;;\n");
    }
    fprintf(stream, "            esac ;;\n");
}

void nb_command_complete(const struct nb_command *command, FILE *stream)
{
    fprintf(stream, "    %s)\n        case $2 in\n", command->name);
    write_values(command, stream);
    write_options(command, stream);
    write_arguments(command, stream);
    fprintf(stream, "        esac ;;\n");
}

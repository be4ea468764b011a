/* Calls the command that the first word names. `help` has each tell its own --help; a name that is not known is
 * answered with the nearest. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/provenance.h"
#include "problems/base/suggest.h"

const struct nb_command_row nb_commands[] = {
#define ROW(name, summary) {#name, summary, nb_command_##name},
    NB_COMMANDS(ROW)
#undef ROW
        {NULL, NULL, NULL},
};

enum { COMMANDS = sizeof nb_commands / sizeof *nb_commands - 1 };

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: ncpbench COMMAND ...\n\n"
                    "A benchmark harness for solvers of frictional contact.\n\n");
    for (int i = 0; i < COMMANDS; ++i)
        fprintf(stream, "  %-13s %s\n", nb_commands[i].name, nb_commands[i].summary);
    fprintf(stream, "\n  ncpbench COMMAND --help   options, defaults, ranges, an example\n"
                    "  ncpbench help WORD        the same, or which options have to do with a word\n"
                    "  ncpbench --version        version, commit, compiler, libraries\n"
                    "  ncpbench COMMAND ... --plugin NAME.so   with a strategy of your own "
                    "(repeatable)\n");
}

/* The names that the first word may be, [COMMANDS + 3]; their number. */
static size_t list_names(const char **names)
{
    size_t count = 0;
    for (; count < COMMANDS; ++count)
        names[count] = nb_commands[count].name;
    names[count++] = "help";
    names[count++] = "--help";
    names[count++] = "--version";
    return count;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 3];
    char known[400];
    nb_suggest_name(name, names, list_names(names), known, sizeof known);
    fprintf(stderr, "ncpbench: unknown command \"%.80s\"; %s\n", name, known);
    return NB_EXIT_BAD_INPUT;
}

static int run_command(int argc, char **argv)
{
    for (int i = 0; i < COMMANDS; ++i)
        if (!strcmp(argv[0], nb_commands[i].name))
            return nb_commands[i].run(argc, argv);
    return unknown_command(argv[0]);
}

/* What the command says to that option alone. */
static int ask_command(char *name, const char *option)
{
    char text[128];
    snprintf(text, sizeof text, "%s", option);
    return run_command(2, (char *[]){name, text, NULL});
}

/* Prints the help of a command, or how commands are told what the word may mean. */
static int help_with(char *word)
{
    const char *names[COMMANDS + 3], *nearest;
    char find[128];
    int how, code = NB_EXIT_BAD_INPUT;
    word += strspn(word, "-");
    nb_nearest_names(word, names, list_names(names), &nearest, 1, &how);
    if (how <= NB_ONE_LETTER)
        return ask_command(word, "--help");
    snprintf(find, sizeof find, "--help=find:%.100s", word);
    for (int i = 0; i < COMMANDS; ++i)
        if (nb_commands[i].run(2, (char *[]){(char *)nb_commands[i].name, find, NULL}) == NB_EXIT_OK)
            code = NB_EXIT_OK;
    return code == NB_EXIT_OK ? code : unknown_command(word);
}

int nb_dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return NB_EXIT_BAD_INPUT;
    }
    const bool help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help");
    if (help && argc > 2 && strcmp(argv[2], "help") != 0)
        return help_with(argv[2]);
    if (help) {
        print_help(stdout);
        return NB_EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        struct nb_error error;
        if (argc < 3 || strcmp(argv[2], "--json") != 0)
            nb_provenance_print(stdout);
        else if (nb_json_put(nb_provenance(), nb_output(), &error)) /* what made a record, as records say it */
            return NB_EXIT_BAD_INPUT;
        return NB_EXIT_OK;
    }
    if (argc == 3 && !strcmp(argv[2], "help")) /* a file of that name is ./help */
        return ask_command(argv[1], "--help");
    return run_command(argc - 1, argv + 1);
}

/* Calls the command that the first word names. `help` has each tell its own --help; a name that is not known is
 * answered with the nearest. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/provenance.h"
#include "problems/base/suggest.h"

const struct nb_command_row nb_commands[] = {
    {"list", "what is compiled in: scenes, solvers, NCP functions, ...", nb_command_list},
    {"scenes", "describe scenes; --table: count what they have", nb_command_scenes},
    {"export", "simulate a scene and write one step to a file", nb_command_export},
    {"import", "write a time step of a MuJoCo model to a file", nb_command_import},
    {"generate", "write a step with a known solution, rank and condition", nb_command_generate},
    {"info", "describe a problem file", nb_command_info},
    {"convert", "convert a problem to or from other programs' formats", nb_command_convert},
    {"index", "list the problems of a collection", nb_command_index},
    {"solve", "solve one step and judge every iteration", nb_command_solve},
    {"judge", "judge the solution that a file holds", nb_command_judge},
    {"linear", "solve one stored Newton system", nb_command_linear},
    {"simulate", "run a scene over time", nb_command_simulate},
    {"iterations", "count the iterations of a scene's time steps", nb_command_iterations},
    {"spectrum", "fill and eigenvalues of a step's Delassus matrix", nb_command_spectrum},
    {"conditioning", "condition numbers of primal and dual systems", nb_command_conditioning},
    {"functions", "NCP functions over their arguments", nb_command_functions},
    {"try", "is a strategy of your own better than known ones?", nb_command_try},
    {"sweep", "run all cases of a spec and record them", nb_command_sweep},
    {"merge", "join the results of a sweep's shards to one file", nb_command_merge},
    {"report", "tables from the records", nb_command_report},
    {"compare", "is B faster than A? with confidence intervals", nb_command_compare},
    {"claims", "what the papers claim, judged", nb_command_claims},
    {"profile", "performance and data profiles", nb_command_profile},
    {"plot", "figures from the records", nb_command_plot},
    {"completion", "completion of all this for bash or zsh", nb_command_completion},
    {"man", "manual pages", nb_command_man_page},
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

/* Of a command, or of how commands are told what the word may mean. */
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
        nb_provenance_print(stdout);
        return NB_EXIT_OK;
    }
    if (argc == 3 && !strcmp(argv[2], "help")) /* a file of that name is ./help */
        return ask_command(argv[1], "--help");
    return run_command(argc - 1, argv + 1);
}

/* ncpbench completion prints a script for bash or zsh, and ncpbench man a manual page, both from the tables of all
 * commands, which each command hands out to an option of its own. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "problems/scene.h"
#include "solvers/registry.h"

/* The words that may follow a command, for completion, as a branch of a shell's `case $1`, where $2 is the word before
 * the one to be completed, and $3 that word (harness/cli/command_completion.c). What an option takes that has no list
 * of values, such as a file, prints nothing: the shell completes names of files. */

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

/* What the command says to that option alone. */
static int ask(const char *name, const char *option)
{
    char text[16], word[64];
    snprintf(text, sizeof text, "%s", option);
    snprintf(word, sizeof word, "%s", name);
    return nb_dispatch(3, (char *[]){"ncpbench", word, text, NULL});
}

static void print_names(void)
{
    for (const struct nb_command_row *row = nb_commands; row->name; ++row)
        printf(" %s", row->name);
}

/* NAME= of each parameter of the scene among the words. */
static void print_parameters(void)
{
    printf("_ncpbench_parameters() {\n    for word in \"$@\"; do\n        case $word in\n");
    for (const struct nb_scene *const *scene = nb_scenes(); *scene; ++scene) {
        printf("        %s) echo", (*scene)->name);
        for (int i = 0; i < NB_SCENE_PARAMETERS && (*scene)->parameters[i].name; ++i)
            printf(" %s=", (*scene)->parameters[i].name);
        if ((*scene)->take_mesh)
            printf(" mesh=");
        printf(" ;;\n");
    }
    printf("        esac\n    done\n}\n");
}

/* _ncpbench_words COMMAND BEFORE WORD ALL...: what the word may be. */
static void print_words(void)
{
    print_parameters();
    printf("_ncpbench_words() {\n    case $1 in\n    '') echo help");
    print_names();
    printf(" --help --version ;;\n    help) echo");
    print_names();
    printf(" ;;\n");
    for (const struct nb_command_row *row = nb_commands; row->name; ++row)
        ask(row->name, "--help=words");
    printf("    esac\n}\n");
}

static void print_bash(void)
{
    printf("# ncpbench completion bash\n");
    print_words();
    printf("_ncpbench() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=\n"
           "    if [[ $word == '=' || $before == '=' ]]; then\n" /* --name=value is three words */
           "        [[ $word != '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]} || word=\n"
           "        [[ $before == --* ]] || return\n"
           "    fi\n"
           "    [[ $COMP_CWORD -lt 2 ]] || command=${COMP_WORDS[1]}\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$(_ncpbench_words \"$command\" \"$before\" \"$word\" "
           "\"${COMP_WORDS[@]}\")\" -- \"$word\")\n"
           "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
           "}\n"
           "complete -o default -F _ncpbench ncpbench\n");
}

static void print_zsh(void)
{
    printf("#compdef ncpbench\n# ncpbench completion zsh\n");
    print_words();
    printf("_ncpbench() {\n"
           "    local word=$words[CURRENT] before=$words[CURRENT-1] command=\n"
           "    local -a found\n"
           "    (( CURRENT < 3 )) || command=$words[2]\n"
           "    if [[ $word == --*=* ]]; then\n"
           "        before=${word%%%%=*}\n"
           "        word=${word#*=}\n"
           "        compset -P '*='\n"
           "    fi\n"
           "    found=(${=\"$(_ncpbench_words \"$command\" \"$before\" \"$word\" \"${words[@]}\")\"})\n"
           "    if (( ! $#found )); then\n"
           "        _files\n"
           "    elif [[ $found[1] == *= ]]; then\n"
           "        compadd -S '' -- $found\n"
           "    else\n"
           "        compadd -- $found\n"
           "    fi\n"
           "}\n"
           "if [[ $funcstack[1] == _ncpbench ]]; then\n"
           "    _ncpbench \"$@\"\n"
           "else\n"
           "    compdef _ncpbench ncpbench\n"
           "fi\n");
}

int nb_command_completion(int argc, char **argv)
{
    struct nb_command command = {
        .name = "completion", .arguments = "bash|zsh",
        .summary = "Prints a script that completes commands, options and their values in a shell.",
        .details = "make install puts it where the shells look. Otherwise: source <(ncpbench completion bash), for zsh "
                   "after compinit.",
        .example = "source <(ncpbench completion bash)",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SHELL"}, .choices = "bash,zsh",
    };
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *shell = command.positional[0];
    if (nb_choice_index(command.choices, shell) < 0)
        return nb_command_refuse(&command, "unknown shell \"%.40s\"; known: bash, zsh", shell);
    if (!strcmp(shell, "bash"))
        print_bash();
    else
        print_zsh();
    return NB_EXIT_OK;
}

static void print_overview(void)
{
    nb_man_begin("ncpbench", "a benchmark harness for solvers of frictional contact", stdout);
    nb_man_section("SYNOPSIS", "ncpbench COMMAND ...", stdout);
    printf(".SH COMMANDS\n");
    for (const struct nb_command_row *row = nb_commands; row->name; ++row)
        printf(".TP\n\\fBncpbench\\-%s\\fR(1)\n%s\n", row->name, row->summary);
    nb_man_section("EXIT STATUS", "0: fine. 1: it ran, but did not converge, or what was to hold does not. "
                   "2: bad input or usage.", stdout);
}

int nb_command_man(int argc, char **argv)
{
    char names[400] = "";
    struct nb_command command = {
        .name = "man", .arguments = "[COMMAND]",
        .summary = "Prints the manual page of a command, or of ncpbench, in roff.",
        .details = "make install puts all of them where man looks.",
        .example = "ncpbench man solve | man -l -",
        .maximum_positionals = 1, .positional_name = {"COMMAND"}, .choices = names,
    };
    for (const struct nb_command_row *row = nb_commands; row->name; ++row)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s,", row->name);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (command.positional[0])
        return ask(command.positional[0], "--help=man");
    print_overview();
    return NB_EXIT_OK;
}

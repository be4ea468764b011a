/* Prints --help from a command's table of options, and adds the options that several commands share; those of the
 * solver are rows of harness/case/case_settings.h. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/cli/options.h"
#include "harness/simulate/checkpoint.h"
#include "harness/version.h"
#include "solvers/newton_options.h"
#include "solvers/registry.h"

void nb_command_add_scene_settings(struct nb_command *command, struct nb_option_list *settings)
{
    nb_command_add_list(command, "set", settings, "KEY=VALUE", "a parameter of the scene; may be repeated");
}

void nb_command_add_checkpoint(struct nb_command *command, struct nb_checkpoint *checkpoint)
{
    checkpoint->every = 100;
    nb_command_add_file(command, "checkpoint", &checkpoint->save, "FILE.h5", "write the state to this file on the way");
    nb_command_add_count(command, "checkpoint-every", &checkpoint->every, 1, 10000000, "N",
                         "steps between checkpoints");
    nb_command_add_text(command, "resume", &checkpoint->resume, "FILE.h5",
                        "go on from a checkpoint of the same simulation");
}

static void add_row(struct nb_command *command, const struct nb_case_setting *row, void *target)
{
    struct nb_option option = row->option;
    option.of_newton = nb_is_newton_option(row->name);
    option.target = target;
    nb_command_add(command, option);
}

void nb_command_add_setting(struct nb_command *command, struct nb_case *setting, const char *name)
{
    const struct nb_case_setting *row = nb_case_setting_find(name);
    add_row(command, row, (char *)setting + row->offset);
}

void nb_command_add_solver(struct nb_command *command, struct nb_options *options, int which)
{
    const struct nb_case_setting *row, *backend = nb_case_setting_find("backend");
    if (which & NB_SOLVER_NONLINEAR)
        command->solver_options = options;
    if (which & NB_SOLVER_LINEAR)
        command->linear_options = options;
    for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
        const int part = row->of & NB_OF_STEP ? NB_SOLVER_NONLINEAR : NB_SOLVER_LINEAR;
        if (!(which & part))
            continue;
        if (row->of & NB_OF_SOLVER)
            add_row(command, row, (char *)options + (row->offset - offsetof(struct nb_case, options)));
        else if (row == backend)
            add_row(command, row, &command->on_device);
    }
}

static void print_values(const struct nb_option *option, FILE *stream)
{
    if (option->choices && option->argument)
        fprintf(stream, "; one of %s", option->choices);
    if (option->kind) {
        const struct nb_registry_row *row;
        fprintf(stream, "; one of ");
        for (size_t i = 0; (row = nb_registry_row(option->kind, i)); ++i)
            fprintf(stream, "%s%s", i ? ", " : "", row->name);
    }
    if (option->type != NB_OPTION_INTEGER && option->type != NB_OPTION_NUMBER)
        return;
    fprintf(stream, option->above_minimum ? "; > %.10g" : "; >= %.10g", option->minimum);
    if (isfinite(option->maximum) && option->maximum != INT_MAX)
        fprintf(stream, ", <= %.10g", option->maximum);
}

static void print_default(const struct nb_option *option, FILE *stream)
{
    char word[32];
    switch (option->type) {
    case NB_OPTION_TEXT:
    case NB_OPTION_OUTPUT:
    case NB_OPTION_PREFIX:
        if (*(const char **)option->target)
            fprintf(stream, " [%s]", *(const char **)option->target);
        break;
    case NB_OPTION_INTEGER:
        if (*(int *)option->target == NB_OWN_ITERATIONS && option->minimum >= 0)
            fprintf(stream, " [as the method has it]");
        else if (*(int *)option->target != INT_MIN)
            fprintf(stream, " [%d]", *(int *)option->target);
        break;
    case NB_OPTION_NUMBER:
        if (!isnan(*(double *)option->target))
            fprintf(stream, " [%g]", *(double *)option->target);
        break;
    case NB_OPTION_FLAG:
        if (option->argument)
            fprintf(stream, " [%s]", nb_choice_name(option->choices, *(bool *)option->target, word, sizeof word));
        break;
    case NB_OPTION_CHOICE:
    case NB_OPTION_PATH:
    case NB_OPTION_LIST:
        break;
    }
}

enum { HELP_WIDTH = 100, LEFT_MINIMUM = 22, LEFT_SIZE = 64 };

static int write_left(const struct nb_option *option, char left[LEFT_SIZE])
{
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(left, LEFT_SIZE, "%s--%s%s%s", letter, option->name,
                    option->argument ? " " : "", option->argument ? option->argument : "");
}

void nb_print_wrapped(const char *text, int indent, FILE *stream)
{
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > HELP_WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            ++column;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        for (text += length; *text == ' ' || *text == '\n'; ++text)
            if (*text == '\n') {
                fprintf(stream, "\n%*s", indent, "");
                column = indent;
            }
    }
}

/* The option's meaning, values and default, for the caller to free; NULL where memory is short. */
static char *option_describe(const struct nb_option *option)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%s", option->meaning);
    print_values(option, stream);
    print_default(option, stream);
    return fclose(stream) ? NULL : text;
}

static void print_option(const struct nb_option *option, int width, FILE *stream)
{
    char left[LEFT_SIZE], *text = option_describe(option);
    write_left(option, left);
    fprintf(stream, "  %-*s ", width, left);
    nb_print_wrapped(text ? text : option->meaning, width + 3, stream);
    free(text);
    fprintf(stream, "\n");
}

void nb_command_help(const struct nb_command *command, FILE *stream)
{
    int width = LEFT_MINIMUM;
    for (int i = 0; i < command->option_count; ++i) {
        char left[LEFT_SIZE];
        const int length = write_left(&command->option[i], left);
        width = length > width ? length : width;
    }
    fprintf(stream, "usage: ncpbench %s %s\n\n%s\n", command->name, command->arguments,
            command->summary);
    if (command->details) {
        fprintf(stream, "\n");
        nb_print_wrapped(command->details, 0, stream);
        fprintf(stream, "\n");
    }
    fprintf(stream, "\noptions [default]:\n");
    for (int i = 0; i < command->option_count; ++i)
        print_option(&command->option[i], width, stream);
    fprintf(stream, "  %-*s %s\n\nexample:\n  %s\n", width, "-h, --help", "this text",
            command->example);
}

/* A command's manual page in roff, from the same table as its --help; of man(7), which groff and mandoc read. */

/* As text: neither a request at the beginning of a line, nor an escape; a line ends a paragraph. */
static void write_text(const char *text, FILE *stream)
{
    bool begins = true;
    for (; *text; ++text) {
        if (begins && (*text == '.' || *text == '\''))
            fprintf(stream, "\\&");
        begins = *text == '\n';
        if (begins)
            fprintf(stream, text[1] == '\n' ? "" : "\n.PP\n");
        else if (*text == '\\')
            fprintf(stream, "\\e");
        else if (*text == '-')
            fprintf(stream, "\\-");
        else
            fputc(*text, stream);
    }
    fprintf(stream, "\n");
}

static void write_option(const struct nb_option *option, FILE *stream)
{
    char *text = option_describe(option);
    fprintf(stream, ".TP\n");
    if (option->letter)
        fprintf(stream, "\\fB\\-%c\\fR, ", option->letter);
    fprintf(stream, "\\fB\\-\\-");
    for (const char *c = option->name; *c; ++c)
        fprintf(stream, *c == '-' ? "\\-" : "%c", *c);
    fprintf(stream, option->argument ? "\\fR \\fI%s\\fR\n" : "\\fR\n", option->argument);
    write_text(text ? text : option->meaning, stream);
    free(text);
}

void nb_man_begin(const char *name, const char *summary, FILE *stream)
{
    fprintf(stream, ".TH \"");
    for (const char *c = name; *c; ++c)
        fputc(toupper((unsigned char)*c), stream);
    fprintf(stream, "\" 1 \"\" \"ncpbench " NB_VERSION "\" \"ncpbench manual\"\n.SH NAME\n%s \\- ", name);
    write_text(summary, stream);
}

void nb_man_section(const char *title, const char *text, FILE *stream)
{
    fprintf(stream, ".SH %s\n", title);
    write_text(text, stream);
}

void nb_command_write_man(const struct nb_command *command, FILE *stream)
{
    char name[64], usage[300];
    snprintf(name, sizeof name, "ncpbench-%s", command->name);
    snprintf(usage, sizeof usage, "ncpbench %s %s", command->name, command->arguments);
    nb_man_begin(name, command->summary, stream);
    nb_man_section("SYNOPSIS", usage, stream);
    nb_man_section("DESCRIPTION", command->summary, stream);
    if (command->details) {
        fprintf(stream, ".PP\n");
        write_text(command->details, stream);
    }
    fprintf(stream, ".SH OPTIONS\nDefaults stand in brackets.\n");
    for (int i = 0; i < command->option_count; ++i)
        write_option(&command->option[i], stream);
    fprintf(stream, ".TP\n\\fB\\-\\-plugin\\fR \\fINAME.so\\fR\na strategy of your own; may be repeated\n");
    fprintf(stream, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\na short description\n");
    nb_man_section("EXAMPLES", command->example, stream);
    nb_man_section("EXIT STATUS", "0: fine. 1: it ran, but did not converge, or what was to hold does not. "
                   "2: bad input or usage.", stream);
    nb_man_section("SEE ALSO", "ncpbench(1)", stream);
}

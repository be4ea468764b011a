/* A command's manual page in roff, from the same table as its --help; of man(7), which groff and mandoc read. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/options.h"
#include "harness/version.h"

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
    char *text = nb_option_describe(option);
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

/* --help, the ranges of numbers, and the solver options that commands share. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/options.h"
#include "harness/simulate/checkpoint.h"
#include "solvers/registry.h"

static void add_name(struct nb_command *command, const char *name, const char **target,
                     const char *kind, const char *choices, const char *meaning)
{
    nb_command_add(command, (struct nb_option){.name = name, .type = NB_OPTION_TEXT,
                                               .target = target, .kind = kind,
                                               .of_newton = nb_options_of_newton(name),
                                               .choices = choices, .argument = "NAME",
                                               .meaning = meaning});
}

static void add_value(struct nb_command *command, const char *name, enum nb_option_type type,
                      void *target, const char *argument, const char *meaning)
{
    const struct nb_range *range = nb_range_find(name);
    nb_command_add(command, (struct nb_option){.name = name, .type = type, .target = target,
                                               .minimum = range->minimum,
                                               .maximum = range->maximum,
                                               .of_newton = nb_options_of_newton(name),
                                               .above_minimum = range->above_minimum,
                                               .argument = argument, .meaning = meaning});
}

void nb_command_add_scene_settings(struct nb_command *command, struct nb_option_list *settings)
{
    nb_command_add(command, (struct nb_option){.name = "set", .type = NB_OPTION_LIST,
                   .target = settings, .argument = "KEY=VALUE",
                   .meaning = "a parameter of the scene; may be repeated"});
}

void nb_command_add_checkpoint(struct nb_command *command, struct nb_checkpoint *checkpoint)
{
    checkpoint->every = 100;
    nb_command_add(command, (struct nb_option){.name = "checkpoint", .type = NB_OPTION_OUTPUT,
                   .target = &checkpoint->save, .argument = "FILE.h5",
                   .meaning = "write the state to this file on the way"});
    nb_command_add(command, (struct nb_option){.name = "checkpoint-every",
                   .type = NB_OPTION_INTEGER, .target = &checkpoint->every, .minimum = 1,
                   .maximum = 10000000, .argument = "N", .meaning = "steps between checkpoints"});
    nb_command_add(command, (struct nb_option){.name = "resume", .type = NB_OPTION_TEXT,
                   .target = &checkpoint->resume, .argument = "FILE.h5",
                   .meaning = "go on from a checkpoint of the same simulation"});
}

void nb_command_add_solver(struct nb_command *command, struct nb_options *options, int which)
{
    if (which & NB_SOLVER_NONLINEAR) {
        command->solver_options = options;
        add_name(command, "solver", &options->solver, "solver", NULL,
                 "nonlinear method, NAME or NAME:SETTING=VALUE:... (ncpbench list solver); newton "
                 "where none is named, but --ncp, --scaling, --newton-form, --operator, --damping, "
                 "--linear, --precond, --linear-iters or --backend cuda");
        add_name(command, "ncp", &options->ncp, "ncp", NULL, "complementarity function");
        add_name(command, "scaling", &options->scaling, "scaling", NULL,
                 "complementarity scaling r");
        add_name(command, "newton-form", &options->newton_form, NULL, "scaled,true",
                 "force Jacobian scaled with the normal row, or true");
        add_name(command, "operator", &options->operator_form, "operator", NULL,
                 "form of the Schur operator");
        add_value(command, "newton-iters", NB_OPTION_INTEGER, &options->newton_iterations, "N",
                  "nonlinear iterations");
        add_value(command, "damping", NB_OPTION_NUMBER, &options->damping, "T",
                  "fraction of the Newton step taken; all of it in a linear step without contacts");
    }
    if (which & NB_SOLVER_LINEAR) {
        command->linear_options = options;
        add_name(command, "linear", &options->linear, "linear", NULL,
                 "linear solver, NAME or NAME:SETTING=VALUE:... (ncpbench list linear)");
        add_name(command, "precond", &options->precond, "precond", NULL,
                 "linear preconditioner, NAME or NAME:SETTING=VALUE:...; none for a linear "
                 "solver that takes none");
        command->backend = "cpu";
        add_name(command, "backend", &command->backend, NULL, "cpu,cuda",
                 "cuda: the solver, or of `linear` the linear solver, in its version for a CUDA device "
                 "(cuda_newton, cuda_pcr_persistent, ...)");
        add_name(command, "precision", &options->precision, "precision", NULL,
                 "arithmetic of the whole solve");
        add_value(command, "linear-iters", NB_OPTION_INTEGER, &options->linear_iterations, "M",
                  "linear iterations a Newton iteration; direct solvers ignore it");
        add_value(command, "shift", NB_OPTION_NUMBER, &options->shift, "EPS",
                  "times the mean diagonal of J M^-1 J^T, added to the Schur diagonal");
        add_value(command, "threads", NB_OPTION_INTEGER, &options->threads, "K",
                  "threads; the result does not depend on it");
    }
}

static void print_values(const struct nb_option *option, FILE *stream)
{
    if (option->choices)
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
    if (isfinite(option->maximum) && option->maximum < INT_MAX)
        fprintf(stream, ", <= %.10g", option->maximum);
}

static void print_default(const struct nb_option *option, FILE *stream)
{
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
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > HELP_WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            ++column;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
}

static void describe(const struct nb_option *option, FILE *stream)
{
    fprintf(stream, "%s", option->meaning);
    print_values(option, stream);
    print_default(option, stream);
}

static void print_option(const struct nb_option *option, int width, FILE *stream)
{
    char left[LEFT_SIZE], *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    write_left(option, left);
    fprintf(stream, "  %-*s ", width, left);
    if (memory) {
        describe(option, memory);
        if (!fclose(memory))
            nb_print_wrapped(text, width + 3, stream);
    } else {
        describe(option, stream);
    }
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
    if (command->details)
        fprintf(stream, "\n%s\n", command->details);
    fprintf(stream, "\noptions [default]:\n");
    for (int i = 0; i < command->option_count; ++i)
        print_option(&command->option[i], width, stream);
    fprintf(stream, "  %-*s %s\n\nexample:\n  %s\n", width, "-h, --help", "this text",
            command->example);
}

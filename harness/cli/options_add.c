/* Adds rows to a command's table of options, by the type of what they set. */
#include <assert.h>

#include "harness/cli/options.h"

struct nb_option *nb_command_add(struct nb_command *command, struct nb_option option)
{
    assert(command->option_count < NB_COMMAND_OPTIONS);
    command->option[command->option_count] = option;
    return &command->option[command->option_count++];
}

static struct nb_option *add(struct nb_command *command, enum nb_option_type type, const char *name, void *target,
                             const char *argument, const char *meaning)
{
    struct nb_option *option = nb_command_add(command, (struct nb_option){.name = name, .type = type});
    option->target = target;
    option->argument = argument;
    option->meaning = meaning;
    return option;
}

static struct nb_option *limit(struct nb_option *option, double minimum, double maximum)
{
    option->minimum = minimum;
    option->maximum = maximum;
    return option;
}

struct nb_option *nb_command_add_flag(struct nb_command *command, const char *name, bool *target, const char *meaning)
{
    return add(command, NB_OPTION_FLAG, name, target, NULL, meaning);
}

struct nb_option *nb_command_add_count(struct nb_command *command, const char *name, int *target, int minimum,
                                       int maximum, const char *argument, const char *meaning)
{
    return limit(add(command, NB_OPTION_INTEGER, name, target, argument, meaning), minimum, maximum);
}

struct nb_option *nb_command_add_number(struct nb_command *command, const char *name, double *target, double minimum,
                                        double maximum, const char *argument, const char *meaning)
{
    return limit(add(command, NB_OPTION_NUMBER, name, target, argument, meaning), minimum, maximum);
}

struct nb_option *nb_command_add_positive(struct nb_command *command, const char *name, double *target,
                                          double maximum, const char *argument, const char *meaning)
{
    struct nb_option *option = nb_command_add_number(command, name, target, 0, maximum, argument, meaning);
    option->above_minimum = true;
    return option;
}

struct nb_option *nb_command_add_text(struct nb_command *command, const char *name, const char **target,
                                      const char *argument, const char *meaning)
{
    return add(command, NB_OPTION_TEXT, name, target, argument, meaning);
}

struct nb_option *nb_command_add_list(struct nb_command *command, const char *name, struct nb_option_list *target,
                                      const char *argument, const char *meaning)
{
    return add(command, NB_OPTION_LIST, name, target, argument, meaning);
}

struct nb_option *nb_command_add_word(struct nb_command *command, const char *name, const char **target,
                                      const char *choices, const char *argument, const char *meaning)
{
    struct nb_option *option = add(command, NB_OPTION_TEXT, name, target, argument, meaning);
    option->choices = choices;
    return option;
}

struct nb_option *nb_command_add_choice(struct nb_command *command, const char *name, int *target,
                                        const char *choices, const char *argument, const char *meaning)
{
    struct nb_option *option = add(command, NB_OPTION_CHOICE, name, target, argument, meaning);
    option->choices = choices;
    return option;
}

struct nb_option *nb_command_add_file(struct nb_command *command, const char *name, const char **target,
                                      const char *argument, const char *meaning)
{
    return add(command, NB_OPTION_OUTPUT, name, target, argument, meaning);
}

struct nb_option *nb_command_add_output(struct nb_command *command, const char **target, const char *argument,
                                        const char *meaning)
{
    struct nb_option *option = nb_command_add_file(command, "output", target, argument, meaning);
    option->letter = 'o';
    return option;
}

struct nb_option *nb_command_add_folder(struct nb_command *command, const char **target, const char *argument,
                                        const char *meaning)
{
    struct nb_option *option = nb_command_add_text(command, "output", target, argument, meaning);
    option->letter = 'o';
    return option;
}

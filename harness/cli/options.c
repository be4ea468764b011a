/* Parses a command line by the command's table of options, and checks what the options of the solver say together. */
#include "harness/cli/options.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "harness/case/case.h"
#include "harness/records/output.h"
#include "solvers/registry.h"

/* Adds rows to a command's table of options, by the type of what they set. */

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

/* The option of one argv entry; *value is the text after "=" or NULL. */
static const struct nb_option *find_option(const struct nb_command *command, const char *argument,
                                           const char **value)
{
    const bool is_long = argument[1] == '-';
    const char *name = argument + (is_long ? 2 : 1);
    const size_t length = strcspn(name, "=");
    *value = name[length] ? name + length + 1 : NULL;
    for (int i = 0; i < command->option_count; ++i) {
        const struct nb_option *option = &command->option[i];
        if (is_long ? strlen(option->name) == length && !memcmp(option->name, name, length)
                    : length == 1 && option->letter == *name)
            return option;
    }
    return NULL;
}

bool nb_command_given(const struct nb_command *command, const char *name)
{
    for (int i = 0; i < command->option_count; ++i)
        if (command->given[i] && !strcmp(command->option[i].name, name))
            return true;
    return false;
}

static enum nb_status parse_option(struct nb_command *command, int argc, char **argv, int *index,
                                   struct nb_error *error)
{
    const char *argument = argv[*index], *value;
    char what[64];
    const struct nb_option *option = find_option(command, argument, &value);
    if (!option)
        return nb_command_unknown(command, argc, argv, *index, error);
    bool *given = &command->given[option - command->option];
    if (*given && option->type != NB_OPTION_LIST)
        return nb_fail(error, NB_BAD_INPUT, "--%s is given twice", option->name);
    *given = true;
    if (!option->argument && value)
        return nb_fail(error, NB_BAD_INPUT, "--%s takes no value", option->name);
    if (option->argument && !value) {
        if (*index + 1 >= argc)
            return nb_fail(error, NB_BAD_INPUT, "%s needs a value: %s", argument, option->argument);
        value = argv[++*index];
    }
    snprintf(what, sizeof what, "--%s", option->name);
    return nb_option_read(option, what, value, error);
}

static enum nb_status check_positionals(const struct nb_command *command, int count,
                                        struct nb_error *error)
{
    if (count < command->minimum_positionals)
        return nb_fail(error, NB_BAD_INPUT, "%s is missing; usage: ncpbench %s %s",
                       command->positional_name[count], command->name, command->arguments);
    return NB_OK;
}

/* An option of Newton's method means that method, and no other one would heed it. */
static enum nb_status check_method(const struct nb_command *command, struct nb_error *error)
{
    struct nb_options *options = command->solver_options;
    int first = 0;
    while (first < command->option_count &&
           !(command->given[first] && command->option[first].of_newton))
        ++first;
    if (!options || first == command->option_count)
        return NB_OK;
    if (!nb_command_given(command, "solver"))
        options->solver = "newton";
    if (nb_registry_self_contained(options->solver))
        return nb_fail(error, NB_BAD_INPUT,
                       "--%s is an option of newton, which \"%.60s\" does not read; a method's own settings "
                       "follow its name (ncpbench list solver)", command->option[first].name,
                       options->solver);
    return NB_OK;
}

/* The device has Newton's method alone, so that it is meant where no solver is named. */
static enum nb_status check_backend(const struct nb_command *command, struct nb_error *error)
{
    struct nb_options *options = command->solver_options;
    if (!command->on_device)
        return NB_OK;
    if (options && !nb_command_given(command, "solver"))
        options->solver = "newton";
    return nb_backend_cuda(options ? options : command->linear_options, !options, error);
}

/* A preconditioner that would be ignored; none is what such a linear solver has. */
static enum nb_status check_precond(const struct nb_command *command, struct nb_error *error)
{
    const struct nb_options *options = command->linear_options;
    if (!options || !nb_command_given(command, "precond") || !strcmp(options->precond, "none") ||
        nb_registry_uses_precond(options->linear))
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT,
                   "--precond: the linear solver \"%.60s\" takes no preconditioner: leave \"%.60s\" out, or "
                   "choose a --linear that does, such as pcr or pcg", options->linear, options->precond);
}

/* The exit code, -1 where the argument does not ask for help. */
static int answer_help(const struct nb_command *command, const char *argument)
{
    static const char find[] = "--help=find:";
    static const struct {
        const char *option;
        void (*print)(const struct nb_command *command, FILE *stream);
    } forms[] = {
        {"--help", nb_command_help},
        {"-h", nb_command_help},
        {"--help=man", nb_command_write_man},
        {"--help=words", nb_command_complete},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        if (!strcmp(argument, forms[i].option)) {
            forms[i].print(command, stdout);
            return NB_EXIT_OK;
        }
    if (!strncmp(argument, find, sizeof find - 1))
        return nb_command_find(command, argument + sizeof find - 1, stdout) ? NB_EXIT_OK : NB_EXIT_BAD_INPUT;
    return -1;
}

/* With a parameter of a scene, its way is shown. */
static enum nb_status unexpected(const struct nb_command *command, const char *argument, struct nb_error *error)
{
    bool has_settings = false;
    for (int i = 0; i < command->option_count; ++i)
        has_settings |= !strcmp(command->option[i].name, "set");
    if (has_settings && strchr(argument, '='))
        return nb_fail(error, NB_BAD_INPUT, "unexpected argument \"%s\"; nearest: --set %s", argument, argument);
    return nb_fail(error, NB_BAD_INPUT, "unexpected argument \"%s\"; usage: ncpbench %s %s", argument, command->name,
                   command->arguments);
}

/* *answered: the exit code where help was asked for, and nothing is left to do; else -1. */
static enum nb_status parse(struct nb_command *command, int argc, char **argv, int *answered,
                            struct nb_error *error)
{
    int count = 0;
    bool options_over = false;
    *answered = -1;
    for (int i = 1; i < argc; ++i) {
        const char *argument = argv[i];
        if (!options_over && !strcmp(argument, "--")) {
            options_over = true;
        } else if (!options_over && (*answered = answer_help(command, argument)) >= 0) {
            return NB_OK;
        } else if (!options_over && argument[0] == '-' && argument[1]) {
            const enum nb_status status = parse_option(command, argc, argv, &i, error);
            if (status)
                return status;
        } else if (count == command->maximum_positionals) {
            return unexpected(command, argument, error);
        } else {
            command->positional[count++] = argument;
        }
    }
    command->positional_count = count;
    enum nb_status status = check_method(command, error);
    status = status ? status : check_backend(command, error);
    status = status ? status : check_precond(command, error);
    return status ? status : check_positionals(command, count, error);
}

/* Where the message says that a file is not there which is called like a scene, or NULL: the scene. */
static const char *scene_meant(const struct nb_command *command, const struct nb_error *error)
{
    char name[64];
    const char *kind = command->positional_name[0];
    const int takes_scenes = kind && !strcmp(kind, "SCENE");
    for (int i = 0; i < command->positional_count && !takes_scenes; ++i) {
        const char *path = command->positional[i], *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "."), begin);
        const struct nb_registry_row *scene = nb_registry_find("scene", name);
        if (scene && !strncmp(error->text, path, strlen(path)) && strstr(error->text, strerror(ENOENT)))
            return scene->name;
    }
    return NULL;
}

int nb_command_fail(const struct nb_command *command, const struct nb_error *error)
{
    const char *scene = scene_meant(command, error);
    fflush(stdout);
    fprintf(stderr, "ncpbench %s: %s", command->name, error->text);
    if (scene)
        fprintf(stderr, "; %s is a scene, and ncpbench export %s -o %s.h5 makes a problem file of it", scene, scene,
                scene);
    fputc('\n', stderr);
    return NB_EXIT_BAD_INPUT;
}

int nb_command_refuse(const struct nb_command *command, const char *format, ...)
{
    struct nb_error error;
    char text[sizeof error.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nb_fail(&error, NB_BAD_INPUT, "%s", text);
    return nb_command_fail(command, &error);
}

int nb_command_begin(struct nb_command *command, int argc, char **argv)
{
    struct nb_error error;
    int answered;
    if (parse(command, argc, argv, &answered, &error))
        return nb_command_fail(command, &error);
    if (answered < 0 && command->by_lines) /* a log of a run that is stopped holds what had been said */
        setvbuf(nb_output(), NULL, _IOLBF, 0);
    return answered;
}

/* What an option that a command does not have, or the word behind help, was meant to be, the nearest of: its options;
 * the parameters of the scene and the settings of the strategies that the command line names, which are given by --set
 * and behind a name; values of its options. The message shows how that is written, and nothing is taken for it. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/options.h"
#include "problems/base/suggest.h"
#include "problems/scene.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

enum { CANDIDATES = 400, SHOWN = 4, ROOM = 160 };

/* One kind of meaning: names, and what comes before and behind each when it is written. */
struct candidates {
    const struct nb_command *command;
    const char *value;       /* that was given with the option, or NULL */
    size_t count;
    const char *name[CANDIDATES];
    const char *before[CANDIDATES], *strategy[CANDIDATES];
};

static void add(struct candidates *candidates, const char *name, const char *before, const char *strategy)
{
    if (candidates->count == CANDIDATES)
        return;
    candidates->before[candidates->count] = before;
    candidates->strategy[candidates->count] = strategy;
    candidates->name[candidates->count++] = name;
}

static void add_options(struct candidates *candidates)
{
    const struct nb_command *command = candidates->command;
    for (int i = 0; i < command->option_count; ++i)
        add(candidates, command->option[i].name, "", NULL);
    add(candidates, "help", "", NULL);
    add(candidates, "plugin", "", NULL);
}

/* The scene whose name is the first such word. */
static const struct nb_scene *find_scene(int argc, char **argv)
{
    const struct nb_scene *scene = NULL;
    for (int i = 1; i < argc && !scene; ++i)
        scene = nb_scene_find(argv[i]);
    return scene;
}

/* The last choice of a strategy on the command line, or the one that the option has already. */
static const char *find_choice(const struct nb_option *option, int argc, char **argv)
{
    const char *choice = *(const char **)option->target;
    const size_t length = strlen(option->name);
    for (int i = 1; i < argc; ++i) {
        const char *word = argv[i] + 2 * !strncmp(argv[i], "--", 2);
        if (word == argv[i] || strncmp(word, option->name, length))
            continue;
        if (word[length] == '=')
            choice = word + length + 1;
        else if (!word[length] && i + 1 < argc)
            choice = argv[i + 1];
    }
    return choice;
}

/* Adds a name unless it is there. */
static void add_once(struct candidates *candidates, const char *name, const char *before, const char *strategy)
{
    for (size_t i = 0; i < candidates->count; ++i)
        if (!strcmp(candidates->name[i], name))
            return;
    add(candidates, name, before, strategy);
}

static void add_settings_of(struct candidates *candidates, const struct nb_option *option, const char *choice)
{
    const struct nb_setting *setting = choice ? nb_registry_settings(option->kind, choice) : NULL;
    for (; setting && setting->name; ++setting)
        add_once(candidates, setting->name, option->name, choice);
}

static void add_parameters(struct candidates *candidates, const struct nb_scene *scene)
{
    for (int p = 0; p < NB_SCENE_PARAMETERS && scene->parameters[p].name; ++p)
        add_once(candidates, scene->parameters[p].name, "set", NULL);
}

/* Settings of the scene and the strategies that the command line names; of all if it names none. */
static void add_settings(struct candidates *candidates, int argc, char **argv)
{
    const struct nb_command *command = candidates->command;
    const struct nb_scene *scene = find_scene(argc, argv);
    const struct nb_registry_row *row;
    for (int i = 0; i < command->option_count; ++i) {
        const struct nb_option *option = &command->option[i];
        if (option->kind)
            add_settings_of(candidates, option, find_choice(option, argc, argv));
        for (size_t k = 0; !argc && option->kind && (row = nb_registry_row(option->kind, k)); ++k)
            add_settings_of(candidates, option, row->name);
        for (const struct nb_scene *const *each = nb_scenes(); *each && !strcmp(option->name, "set"); ++each)
            if (*each == scene || !argc)
                add_parameters(candidates, *each);
    }
}

/* Each of a list with commas, which is kept for good. */
static void add_choices(struct candidates *candidates, const char *choices, const char *before)
{
    char word[80];
    while (*choices) {
        const char *name;
        const int length = (int)strcspn(choices, ", ");
        snprintf(word, sizeof word, "%.*s", length, choices);
        if (length && (name = nb_intern(word)))
            add(candidates, name, before, NULL);
        choices += length;
        choices += strspn(choices, ", ");
    }
}

static void add_rows(struct candidates *candidates, const char *kind, const char *before)
{
    const struct nb_registry_row *row;
    for (size_t k = 0; (row = nb_registry_row(kind, k)); ++k)
        add(candidates, row->name, before, NULL);
}

/* Values: strategies by their names, and words of a list. */
static void add_values(struct candidates *candidates)
{
    const struct nb_command *command = candidates->command;
    for (int i = 0; i < command->option_count; ++i) {
        const struct nb_option *option = &command->option[i];
        if (option->kind)
            add_rows(candidates, option->kind, option->name);
        else if (option->choices && option->argument)
            add_choices(candidates, option->choices, option->name);
    }
}

/* What the first argument may be. */
static void add_arguments(struct candidates *candidates)
{
    char kind[32];
    if (candidates->command->choices)
        add_choices(candidates, candidates->command->choices, NULL);
    else if (nb_command_argument_kind(candidates->command, kind, sizeof kind))
        add_rows(candidates, kind, NULL);
}

static const char *argument_of(const struct nb_command *command, const char *name)
{
    for (int i = 0; i < command->option_count; ++i)
        if (!strcmp(command->option[i].name, name))
            return command->option[i].argument;
    return strcmp(name, "plugin") ? NULL : "NAME.so";
}

/* How a meaning is written: "--tol X", "--set friction=0.3", "--linear pcr:tol=1e-8", "--linear pcg", "figure18". */
static size_t show(const struct candidates *candidates, size_t i, char *text, size_t size)
{
    const char *name = candidates->name[i], *before = candidates->before[i], *strategy = candidates->strategy[i];
    const char *value = candidates->value ? candidates->value : "VALUE", *argument;
    int length;
    if (!before)
        length = snprintf(text, size, "%s", name);
    else if (!*before && (argument = argument_of(candidates->command, name)))
        length = snprintf(text, size, "--%s %s", name, argument);
    else if (!*before)
        length = snprintf(text, size, "--%s", name);
    else if (strategy)
        length = snprintf(text, size, "--%s %.80s:%s=%.40s", before, strategy, name, value);
    else if (!strcmp(before, "set"))
        length = snprintf(text, size, "--%s %s=%.40s", before, name, value);
    else
        length = snprintf(text, size, "--%s %s", before, name);
    return (size_t)length < size ? (size_t)length : size;
}

/* All that are as near as the nearest, if nearer than `least`, which it becomes. */
static void rank_candidates(const struct candidates *candidates, const char *name, int *least, char text[ROOM])
{
    const char *nearest[SHOWN];
    int nearness;
    size_t used = 0;
    const size_t found = nb_nearest_names(name, candidates->name, candidates->count, nearest, SHOWN, &nearness);
    if (!found || nearness >= *least)
        return;
    *least = nearness;
    for (size_t k = 0, i = 0; k < found && used < ROOM - 4; ++k) {
        while (candidates->name[i] != nearest[k])
            ++i;
        used += (size_t)snprintf(text + used, ROOM - used, "%s", k ? " or " : "");
        used += show(candidates, i++, text + used, ROOM - used);
    }
}

/* The text after = or the next word, unless that is an option. */
static const char *value_of(int argc, char **argv, int index)
{
    const char *equals = strchr(argv[index], '=');
    if (equals)
        return equals + 1;
    return index + 1 < argc && (argv[index + 1][0] != '-' || strpbrk(argv[index + 1], "0123456789"))
               ? argv[index + 1] : NULL;
}

/* Into text [ROOM] how the nearest meaning of the name is written, "" where none is nearer than `least`. A value
 * must be a known name, not merely similar to one. */
static void find_meaning(struct candidates *candidates, const char *name, int least, int argc, char **argv, char *text)
{
    text[0] = '\0';
    candidates->count = 0;
    add_options(candidates);
    rank_candidates(candidates, name, &least, text);
    candidates->count = 0;
    add_settings(candidates, argc, argv);
    rank_candidates(candidates, name, &least, text);
    candidates->count = 0;
    if (!argc)
        add_arguments(candidates);
    rank_candidates(candidates, name, &least, text);
    candidates->count = 0;
    add_values(candidates);
    least = least > NB_ONE_LETTER ? NB_ONE_LETTER + 1 : 0;
    rank_candidates(candidates, name, &least, text);
}

static void list_options(const struct nb_command *command, char *text, size_t size)
{
    for (int i = 0; i < command->option_count && size; ++i) {
        const int length = snprintf(text, size, "%s--%s", i ? ", " : "", command->option[i].name);
        text += (size_t)length < size ? (size_t)length : size - 1;
        size -= (size_t)length < size ? (size_t)length : size;
    }
}

enum nb_status nb_command_unknown(const struct nb_command *command, int argc, char **argv, int index,
                                  struct nb_error *error)
{
    struct candidates candidates = {.command = command, .value = value_of(argc, argv, index)};
    char name[80], text[ROOM], known[400] = "";
    const char *written = argv[index] + strspn(argv[index], "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(written, "="), written);
    find_meaning(&candidates, name, NB_NOT_NEAR, argc, argv, text);
    list_options(command, known, sizeof known);
    return nb_fail(error, NB_BAD_INPUT, "unknown option \"%.80s\"; %s%.400s", argv[index],
                   text[0] ? "nearest: " : "known: ", text[0] ? text : known);
}

bool nb_command_find(const struct nb_command *command, const char *word, FILE *stream)
{
    struct candidates candidates = {.command = command};
    char text[ROOM];
    find_meaning(&candidates, word, NB_A_PART, 0, NULL, text);
    if (text[0])
        fprintf(stream, "  ncpbench %-13s %s\n", command->name, text);
    return text[0];
}

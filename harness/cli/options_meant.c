/* What an option that a command does not have was meant to be, the nearest of: its options; the parameters of the
 * scene and the settings of the strategies that the command line names, which are given by --set and behind a name;
 * names of strategies. The message shows how that is written, and nothing is taken for it. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/options.h"
#include "problems/base/suggest.h"
#include "problems/scene.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

enum { CANDIDATES = 400, SHOWN = 4, ROOM = 160 };

/* One kind of meaning: names, and what stands before and behind each where it is written. */
struct meanings {
    const struct nb_command *command;
    const char *value;       /* that was given with the option, or NULL */
    size_t count;
    const char *name[CANDIDATES];
    const char *before[CANDIDATES], *strategy[CANDIDATES];
};

static void add(struct meanings *meanings, const char *name, const char *before, const char *strategy)
{
    if (meanings->count == CANDIDATES)
        return;
    meanings->before[meanings->count] = before;
    meanings->strategy[meanings->count] = strategy;
    meanings->name[meanings->count++] = name;
}

static void add_options(struct meanings *meanings)
{
    const struct nb_command *command = meanings->command;
    for (int i = 0; i < command->option_count; ++i)
        add(meanings, command->option[i].name, "", NULL);
    add(meanings, "help", "", NULL);
    add(meanings, "plugin", "", NULL);
}

/* Of the first word that is a scene's name. */
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

static void add_settings(struct meanings *meanings, int argc, char **argv)
{
    const struct nb_command *command = meanings->command;
    const struct nb_scene *scene = find_scene(argc, argv);
    for (int i = 0; i < command->option_count; ++i) {
        const struct nb_option *option = &command->option[i];
        if (option->kind) {
            const char *choice = find_choice(option, argc, argv);
            const struct nb_setting *setting = choice ? nb_registry_settings(option->kind, choice) : NULL;
            for (; setting && setting->name; ++setting)
                add(meanings, setting->name, option->name, choice);
        }
        if (scene && !strcmp(option->name, "set"))
            for (int p = 0; p < NB_SCENE_PARAMETERS && scene->parameters[p].name; ++p)
                add(meanings, scene->parameters[p].name, option->name, NULL);
    }
}

static void add_strategies(struct meanings *meanings)
{
    const struct nb_command *command = meanings->command;
    const struct nb_registry_row *row;
    for (int i = 0; i < command->option_count; ++i)
        for (size_t k = 0; command->option[i].kind && (row = nb_registry_row(command->option[i].kind, k)); ++k)
            add(meanings, row->name, command->option[i].name, NULL);
}

static const char *argument_of(const struct nb_command *command, const char *name)
{
    for (int i = 0; i < command->option_count; ++i)
        if (!strcmp(command->option[i].name, name))
            return command->option[i].argument;
    return strcmp(name, "plugin") ? NULL : "NAME.so";
}

/* How a meaning is written: "--tol X", "--set friction=0.3", "--linear pcr:tol=1e-8", "--linear pcg". */
static size_t show(const struct meanings *meanings, size_t i, char *text, size_t size)
{
    const char *name = meanings->name[i], *before = meanings->before[i], *strategy = meanings->strategy[i];
    const char *value = meanings->value ? meanings->value : "VALUE", *argument;
    int length;
    if (!*before && (argument = argument_of(meanings->command, name)))
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
static void consider(const struct meanings *meanings, const char *name, int *least, char text[ROOM])
{
    const char *nearest[SHOWN];
    int how;
    size_t used = 0;
    const size_t found = nb_nearest_names(name, meanings->name, meanings->count, nearest, SHOWN, &how);
    if (!found || how >= *least)
        return;
    *least = how;
    for (size_t k = 0, i = 0; k < found && used < ROOM - 4; ++k) {
        while (meanings->name[i] != nearest[k])
            ++i;
        used += (size_t)snprintf(text + used, ROOM - used, "%s", k ? " or " : "");
        used += show(meanings, i++, text + used, ROOM - used);
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

enum nb_status nb_command_unknown(const struct nb_command *command, int argc, char **argv, int index,
                                  struct nb_error *error)
{
    struct meanings meanings = {.command = command, .value = value_of(argc, argv, index)};
    char name[80], text[ROOM] = "", known[NB_COMMAND_OPTIONS * 20] = "";
    const char *written = argv[index] + strspn(argv[index], "-");
    int least = NB_NOT_NEAR;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(written, "="), written);
    add_options(&meanings);
    consider(&meanings, name, &least, text);
    for (size_t i = 0, used = 0; i < meanings.count && used < sizeof known; ++i)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s--%s", i ? ", " : "", meanings.name[i]);
    meanings.count = 0;
    add_settings(&meanings, argc, argv);
    consider(&meanings, name, &least, text);
    meanings.count = 0;
    add_strategies(&meanings);
    least = least > NB_ONE_LETTER ? NB_ONE_LETTER + 1 : 0; /* a name of a strategy, and not a word like one */
    consider(&meanings, name, &least, text);
    return nb_fail(error, NB_BAD_INPUT, "unknown option \"%.80s\"; %s%.400s", argv[index],
                   text[0] ? "nearest: " : "known: ", text[0] ? text : known);
}

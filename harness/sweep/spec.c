/* Reads a sweep's spec, an INI file, by inih, and checks every value as it is read: what is wrong is told with file,
 * line and key (harness/sweep/spec.h). */
#include "harness/sweep/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/ini.h"
#include "harness/records/values.h"
#include "problems/base/numbers.h"

struct reader {
    struct nb_ini ini;
    struct nb_spec *spec;
    bool in_sweep;
    int sweep_line;
    int given[NB_CASE_SETTINGS_MOST + 2]; /* times that each key of [sweep] is set, its name first */
    struct nb_spec_section *section; /* the present group or exclusion */
    bool in_group;
};

static int refuse(struct reader *reader, int line, enum nb_status status, const char *text)
{
    return nb_ini_refuse(&reader->ini, line, status, text);
}

static struct nb_spec_section *add_section(struct nb_spec_section **sections, int *count,
                                           const char *name, int line)
{
    struct nb_spec_section *grown = realloc(*sections, ((size_t)*count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    *sections = grown;
    struct nb_spec_section *section = &grown[(*count)++];
    memset(section, 0, sizeof *section);
    snprintf(section->name, sizeof section->name, "%s", name);
    section->line = line;
    return section;
}

static bool name_taken(const struct nb_spec_section *sections, int count, const char *name)
{
    for (int i = 0; i < count; ++i)
        if (!strcmp(sections[i].name, name))
            return true;
    return false;
}

static void open_list(struct reader *reader, const char *name, bool group)
{
    struct nb_spec *spec = reader->spec;
    struct nb_spec_section **sections = group ? &spec->group : &spec->exclude;
    int *count = group ? &spec->group_count : &spec->exclude_count;
    char text[128];
    if (name_taken(*sections, *count, name)) {
        snprintf(text, sizeof text, "a second section [%s %s]", group ? "group" : "exclude", name);
        refuse(reader, reader->ini.line, NB_BAD_INPUT, text);
        return;
    }
    reader->in_group = group;
    reader->section = add_section(sections, count, name, reader->ini.line);
    if (!reader->section)
        refuse(reader, reader->ini.line, NB_OUT_OF_MEMORY, "no memory for a section");
}

/* title: what stands between the brackets. */
static void open_section(struct nb_ini *ini, const char *title)
{
    struct reader *reader = ini->context;
    char text[160];
    reader->in_sweep = false;
    reader->section = NULL;
    if (!strcmp(title, "sweep")) {
        if (reader->sweep_line)
            refuse(reader, reader->ini.line, NB_BAD_INPUT, "a second section [sweep]");
        reader->sweep_line = reader->ini.line;
        reader->in_sweep = true;
    } else if (!strncmp(title, "group ", 6) && title[6]) {
        open_list(reader, title + 6, true);
    } else if (!strncmp(title, "exclude ", 8) && title[8]) {
        open_list(reader, title + 8, false);
    } else {
        snprintf(text, sizeof text,
                 "unknown section [%.60s]; known: [sweep], [group NAME], [exclude NAME]", title);
        refuse(reader, reader->ini.line, NB_BAD_INPUT, text);
    }
}

/* The keys of [sweep]: two of its own, and settings of all cases. names [NB_CASE_SETTINGS_MOST + 3], ended by
 * NULL. */
static void list_sweep_keys(const char **names)
{
    const struct nb_case_setting *row;
    int count = 0;
    names[count++] = "name";
    for (int i = 0; (row = nb_case_setting_at(i)); ++i)
        if (row->of & NB_OF_SWEEP)
            names[count++] = row->name;
    names[count++] = "interleave";
    names[count] = NULL;
}

static enum nb_status read_sweep_key(struct nb_spec *spec, const char *key, const char *value, struct nb_error *error)
{
    const struct nb_option interleave = {.type = NB_OPTION_FLAG, .choices = "group,problem",
                                         .target = &spec->across_groups};
    if (!strcmp(key, "interleave"))
        return nb_option_read(&interleave, key, value, error);
    if (!strcmp(key, "repetitions") && !strcmp(value, "none")) {
        spec->usual.repetitions = 0;
        return NB_OK;
    }
    if (strcmp(key, "name"))
        return nb_case_setting_read(nb_case_setting_find(key), value, &spec->usual, error);
    if (!*value || strlen(value) >= sizeof spec->name)
        return nb_fail(error, NB_BAD_INPUT, "name: 1 to 63 characters");
    strcpy(spec->name, value);
    return NB_OK;
}

static int set_sweep_key(struct reader *reader, const char *key, const char *value)
{
    const char *keys[NB_CASE_SETTINGS_MOST + 3];
    struct nb_error error = {""};
    int index = 0;
    list_sweep_keys(keys);
    while (keys[index] && strcmp(keys[index], key))
        ++index;
    if (!keys[index]) {
        char known[160], text[256];
        nb_suggest(keys, key, known, sizeof known);
        snprintf(text, sizeof text, "unknown key \"%.50s\" in [sweep]; %s", key, known);
        return refuse(reader, reader->ini.line, NB_BAD_INPUT, text);
    }
    if (reader->given[index]++)
        return refuse(reader, reader->ini.line, NB_BAD_INPUT, "the key is set twice");
    const enum nb_status status = read_sweep_key(reader->spec, key, value, &error);
    return status ? refuse(reader, reader->ini.line, status, error.text) : 1;
}

int nb_list_next(const char **list, char *value, size_t size)
{
    const char *start = *list + strspn(*list, " \t");
    if (!*start)
        return 0;
    const size_t span = strcspn(start, ",");
    size_t length = span;
    while (length && strchr(" \t", start[length - 1]))
        --length;
    *list = start + span;
    if (**list == ',') {
        ++*list;
        if (!(*list)[strspn(*list, " \t")])
            return -1; /* a comma with nothing after it */
    }
    if (!length || length >= size)
        return -1;
    memcpy(value, start, length);
    value[length] = 0;
    return 1;
}

/* Checks the values that this line brought. */
static int check_values(struct reader *reader, int axis, const char *list)
{
    char value[NB_KEY_SIZE + 1024];
    struct nb_case setting = nb_case_default();
    struct nb_error error;
    int more;
    while ((more = nb_list_next(&list, value, sizeof value)) > 0) {
        const enum nb_status status = nb_case_setting_read(nb_case_axis(axis), value, &setting, &error);
        if (status)
            return refuse(reader, reader->ini.line, status, error.text);
    }
    return more ? refuse(reader, reader->ini.line, NB_BAD_INPUT, "an empty value in the list") : 1;
}

static int add_values(struct reader *reader, int axis, const char *value)
{
    char **list = &reader->section->value[axis];
    char *joined = NULL;
    const bool comma = *list && (*list)[strlen(*list) - 1] == ',';
    if (*list && !reader->ini.continues)
        return refuse(reader, reader->ini.line, NB_BAD_INPUT, "the key is set twice");
    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list && !comma ? "," : "", value) < 0)
        return refuse(reader, reader->ini.line, NB_OUT_OF_MEMORY, "no memory for a list");
    free(*list);
    *list = joined;
    if (!reader->section->value_line[axis])
        reader->section->value_line[axis] = reader->ini.line;
    return 1;
}

int nb_axis_index(const char *name)
{
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_axis(i)); ++i)
        if (!strcmp(row->name, name))
            return i;
    return -1;
}

const char *nb_spec_values(const struct nb_spec_section *section, const char *axis, int *line)
{
    const int index = nb_axis_index(axis);
    if (line)
        *line = section->value_line[index];
    return section->value[index];
}

static int set_design(struct reader *reader, const char *value)
{
    struct nb_spec_section *section = reader->section;
    const struct nb_option design = {.type = NB_OPTION_FLAG, .choices = "product,pairs", .target = &section->pairs};
    struct nb_error error;
    if (section->has_design)
        return refuse(reader, reader->ini.line, NB_BAD_INPUT, "the key is set twice");
    section->has_design = true;
    const enum nb_status status = nb_option_read(&design, "design", value, &error);
    return status ? refuse(reader, reader->ini.line, status, error.text) : 1;
}

static int refuse_axis(struct reader *reader, const char *key)
{
    const char *names[NB_CASE_SETTINGS_MOST + 2];
    const struct nb_case_setting *row;
    char known[480], text[640];
    int count = 0;
    for (; (row = nb_case_axis(count)); ++count)
        names[count] = row->name;
    if (reader->in_group)
        names[count++] = "design";
    names[count] = NULL;
    nb_suggest(names, key, known, sizeof known);
    snprintf(text, sizeof text, "unknown key \"%.50s\"; %s", key, known);
    return refuse(reader, reader->ini.line, NB_BAD_INPUT, text);
}

static int read_key(struct nb_ini *ini, const char *key, const char *value)
{
    struct reader *reader = ini->context;
    if (reader->in_sweep)
        return set_sweep_key(reader, key, value);
    if (!reader->section)
        return refuse(reader, reader->ini.line, NB_BAD_INPUT, "a key outside of any section");
    if (reader->in_group && !strcmp(key, "design"))
        return set_design(reader, value);
    const int axis = nb_axis_index(key);
    if (axis < 0)
        return refuse_axis(reader, key);
    if (!*value)
        return refuse(reader, reader->ini.line, NB_BAD_INPUT, "the key has no value");
    if (!add_values(reader, axis, value))
        return 0;
    /* A list that goes on in the next line ends in a comma. */
    char line[NB_INI_LINE + 2];
    snprintf(line, sizeof line, "%s", value);
    const size_t length = strlen(line);
    if (length && line[length - 1] == ',')
        line[length - 1] = 0;
    return check_values(reader, axis, line);
}

/* The next line was to go on. */
static void check_lists(struct reader *reader, const struct nb_spec_section *section)
{
    for (int axis = 0; axis < NB_CASE_SETTINGS_MOST; ++axis) {
        const char *list = section->value[axis];
        if (list && list[strlen(list) - 1] == ',')
            refuse(reader, section->value_line[axis], NB_BAD_INPUT, "an empty value at the end of the list");
    }
}

static void check_whole(struct reader *reader)
{
    struct nb_spec *spec = reader->spec;
    if (!reader->sweep_line || !reader->given[0])
        refuse(reader, reader->sweep_line ? reader->sweep_line : 1, NB_BAD_INPUT,
               "[sweep] with name = ... is missing");
    if (!spec->group_count)
        refuse(reader, reader->ini.line, NB_BAD_INPUT, "no [group NAME]");
    for (int g = 0; g < spec->group_count; ++g)
        check_lists(reader, &spec->group[g]);
    for (int e = 0; e < spec->exclude_count; ++e)
        check_lists(reader, &spec->exclude[e]);
    for (int g = 0; g < spec->group_count; ++g)
        if (!nb_spec_values(&spec->group[g], "problem", NULL) &&
            !nb_spec_values(&spec->group[g], "optional_problem", NULL))
            refuse(reader, spec->group[g].line, NB_BAD_INPUT, "the group has no problem");
    for (int e = 0; e < spec->exclude_count; ++e) {
        int axis = 0;
        while (axis < NB_CASE_SETTINGS_MOST && !spec->exclude[e].value[axis])
            ++axis;
        if (axis == NB_CASE_SETTINGS_MOST)
            refuse(reader, spec->exclude[e].line, NB_BAD_INPUT,
                   "an exclusion without keys would drop everything");
    }
}

enum nb_status nb_spec_read(const char *path, struct nb_spec *spec, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct reader reader = {.ini = {.path = path, .context = &reader, .section = open_section, .key = read_key},
                            .spec = spec};
    *spec = (struct nb_spec){.usual = nb_case_default(), .path = strdup(path)};
    if (!spec->path)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", path);
    enum nb_status status = nb_ini_read(&reader.ini, error);
    if (!status) {
        check_whole(&reader);
        status = reader.ini.status;
    }
    if (status)
        nb_spec_free(spec);
    return status;
}

static void free_sections(struct nb_spec_section *sections, int count)
{
    for (int i = 0; i < count; ++i)
        for (int axis = 0; axis < NB_CASE_SETTINGS_MOST; ++axis)
            free(sections[i].value[axis]);
    free(sections);
}

void nb_spec_free(struct nb_spec *spec)
{
    if (!spec)
        return;
    free_sections(spec->group, spec->group_count);
    free_sections(spec->exclude, spec->exclude_count);
    free(spec->path);
    memset(spec, 0, sizeof *spec);
}

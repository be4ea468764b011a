/* Reads a sweep's spec line by line: "[section]", "key = value, ...", an indented line with more values of the same
 * key, or "# comment". Every value is checked as it is read, so that what is wrong is told with file, line and key. */
#include "harness/sweep/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/values.h"

struct reader {
    struct nb_spec *spec;
    struct nb_error *error;
    enum nb_status status;
    int line;
    int sweep_line;                  /* of [sweep], 0: not yet                         */
    bool in_sweep;
    bool given[NB_CASE_SETTINGS_MOST + 2]; /* keys of [sweep] that are set, its name first */
    struct nb_spec_section *section; /* the present group or exclusion, or NULL        */
    int axis;                        /* of its last key, which an indented line continues; -1: none */
};

/* The first complaint stays. */
__attribute__((format(printf, 3, 4)))
static void refuse(struct reader *reader, int line, const char *format, ...)
{
    char text[sizeof reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!reader->status)
        reader->status = nb_fail(reader->error, NB_BAD_INPUT, "%.200s:%d: %.300s", reader->spec->path, line, text);
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

static void open_list(struct reader *reader, const char *name, bool group)
{
    struct nb_spec *spec = reader->spec;
    struct nb_spec_section **sections = group ? &spec->group : &spec->exclude;
    int *count = group ? &spec->group_count : &spec->exclude_count;
    for (int i = 0; i < *count; ++i)
        if (!strcmp((*sections)[i].name, name))
            refuse(reader, reader->line, "a second section [%s %s]", group ? "group" : "exclude", name);
    reader->section = add_section(sections, count, name, reader->line);
    if (!reader->section)
        reader->status = nb_fail(reader->error, NB_OUT_OF_MEMORY, "%s: no memory for a section", spec->path);
}

/* text begins with the bracket. */
static void open_section(struct reader *reader, char *text)
{
    const size_t length = strcspn(text, "]"), longest = sizeof reader->section->name - 1;
    const char *title = text + 1;
    reader->in_sweep = false;
    reader->section = NULL;
    reader->axis = -1;
    if (!text[length] || length > longest) {
        refuse(reader, reader->line, "a section reads [NAME] with at most %zu characters", longest);
        return;
    }
    text[length] = 0;
    if (!strcmp(title, "sweep")) {
        if (reader->sweep_line)
            refuse(reader, reader->line, "a second section [sweep]");
        reader->sweep_line = reader->line;
        reader->in_sweep = true;
    } else if (!strncmp(title, "group ", 6) && title[6]) {
        open_list(reader, title + 6, true);
    } else if (!strncmp(title, "exclude ", 8) && title[8]) {
        open_list(reader, title + 8, false);
    } else {
        refuse(reader, reader->line, "unknown section [%.60s]; known: [sweep], [group NAME], [exclude NAME]", title);
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
    if (strcmp(key, "name"))
        return nb_case_setting_read(nb_case_setting_find(key), value, &spec->usual, error);
    if (!*value || strlen(value) >= sizeof spec->name)
        return nb_fail(error, NB_BAD_INPUT, "name: 1 to 63 characters");
    strcpy(spec->name, value);
    return NB_OK;
}

static void set_sweep_key(struct reader *reader, const char *key, const char *value)
{
    const char *keys[NB_CASE_SETTINGS_MOST + 3];
    struct nb_error error = {""};
    char known[160];
    int index = 0;
    list_sweep_keys(keys);
    while (keys[index] && strcmp(keys[index], key))
        ++index;
    if (!keys[index]) {
        nb_suggest(keys, key, known, sizeof known);
        refuse(reader, reader->line, "unknown key \"%.50s\" in [sweep]; %s", key, known);
    } else if (reader->given[index]) {
        refuse(reader, reader->line, "the key is set twice");
    } else if (read_sweep_key(reader->spec, key, value, &error)) {
        refuse(reader, reader->line, "%s", error.text);
    } else {
        reader->given[index] = true;
    }
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
static void check_values(struct reader *reader, const char *list)
{
    char value[1024];
    struct nb_case setting = nb_case_default();
    struct nb_error error;
    int more;
    while ((more = nb_list_next(&list, value, sizeof value)) > 0)
        if (nb_case_setting_read(nb_case_axis(reader->axis), value, &setting, &error)) {
            refuse(reader, reader->line, "%s", error.text);
            return;
        }
    if (more)
        refuse(reader, reader->line, "an empty value in the list");
}

/* To those of the present key; a list that goes on in the next line may end in a comma. */
static void add_values(struct reader *reader, char *text)
{
    char **list = &reader->section->value[reader->axis], *joined = NULL;
    const size_t length = strlen(text);
    if (length && text[length - 1] == ',')
        text[length - 1] = 0;
    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", text) < 0) {
        reader->status = nb_fail(reader->error, NB_OUT_OF_MEMORY, "%s: no memory for a list", reader->spec->path);
        return;
    }
    free(*list);
    *list = joined;
    check_values(reader, text);
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

static void refuse_axis(struct reader *reader, const char *key)
{
    const char *names[NB_CASE_SETTINGS_MOST + 1];
    const struct nb_case_setting *row;
    char known[480];
    int count = 0;
    for (; (row = nb_case_axis(count)); ++count)
        names[count] = row->name;
    names[count] = NULL;
    nb_suggest(names, key, known, sizeof known);
    refuse(reader, reader->line, "unknown key \"%.50s\"; %s", key, known);
}

static void set_key(struct reader *reader, const char *key, char *value)
{
    reader->axis = reader->section ? nb_axis_index(key) : -1;
    if (reader->in_sweep)
        set_sweep_key(reader, key, value);
    else if (!reader->section)
        refuse(reader, reader->line, "a key outside of any section");
    else if (reader->axis < 0)
        refuse_axis(reader, key);
    else if (!*value)
        refuse(reader, reader->line, "the key has no value");
    else if (reader->section->value[reader->axis])
        refuse(reader, reader->line, "the key is set twice");
    else {
        reader->section->value_line[reader->axis] = reader->line;
        add_values(reader, value);
    }
}

/* Without blanks at either end. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    return text;
}

static void read_line(struct reader *reader, char *line)
{
    char *text = trim(line), *equals = strchr(text, '=');
    const bool indented = text > line;
    if (!*text || *text == '#' || *text == ';')
        return;
    if (*text == '[' && !indented) {
        open_section(reader, text);
    } else if (*text == '[') {
        refuse(reader, reader->line, "a section starts at the beginning of a line");
    } else if (indented && reader->axis >= 0) {
        add_values(reader, text);
    } else if (!equals) {
        refuse(reader, reader->line, "neither a section nor key = value");
    } else {
        *equals = 0;
        set_key(reader, trim(text), trim(equals + 1));
    }
}

static void check_whole(struct reader *reader)
{
    struct nb_spec *spec = reader->spec;
    if (!reader->sweep_line || !reader->given[0])
        refuse(reader, reader->sweep_line ? reader->sweep_line : 1, "[sweep] with name = ... is missing");
    if (!spec->group_count)
        refuse(reader, reader->line, "no [group NAME]");
    for (int g = 0; g < spec->group_count; ++g)
        if (!nb_spec_values(&spec->group[g], "problem", NULL) &&
            !nb_spec_values(&spec->group[g], "optional_problem", NULL))
            refuse(reader, spec->group[g].line, "the group has no problem");
    for (int e = 0; e < spec->exclude_count; ++e) {
        int axis = 0;
        while (axis < NB_CASE_SETTINGS_MOST && !spec->exclude[e].value[axis])
            ++axis;
        if (axis == NB_CASE_SETTINGS_MOST)
            refuse(reader, spec->exclude[e].line, "an exclusion without keys would drop everything");
    }
}

/* The whole file, of which the caller frees *text; "" where it is empty. */
static enum nb_status read_text(const char *path, char **text, struct nb_error *error)
{
    size_t room = 0;
    enum nb_status status = NB_OK;
    FILE *file = fopen(path, "r");
    *text = NULL;
    if (!file)
        return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    const ssize_t length = getdelim(text, &room, 0, file); /* to a byte of zero or the end */
    if (ferror(file))
        status = nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    else if (length > 0 && !(*text)[length - 1])
        status = nb_fail(error, NB_BAD_INPUT, "%s: a byte of zero: this is no text", path);
    fclose(file);
    return status;
}

enum nb_status nb_spec_read(const char *path, struct nb_spec *spec, struct nb_error *error)
{
    struct reader reader = {.spec = spec, .error = error, .axis = -1};
    char *text = NULL, *line;
    *spec = (struct nb_spec){.usual = nb_case_default(), .path = strdup(path)};
    reader.status = spec->path ? read_text(path, &text, error)
                               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", path);
    for (char *rest = text; !reader.status && (line = strsep(&rest, "\n"));) {
        ++reader.line;
        read_line(&reader, line);
    }
    if (!reader.status)
        check_whole(&reader);
    free(text);
    if (reader.status)
        nb_spec_free(spec);
    return reader.status;
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

#include "harness/sweep/spec.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/values.h"

/* inih truncates longer names and lines without a word. */
enum { LONGEST_LINE = 198, LONGEST_NAME = 48 };

/* inih's Debian build tells its handler neither line numbers nor empty sections; both are known to
 * whoever hands it the lines. */
struct reader {
    FILE *file;
    struct nb_spec *spec;
    struct nb_error *error;
    enum nb_status status;
    int line;
    bool continues; /* the present line is indented */
    bool in_sweep;
    int sweep_line;
    int given[6];   /* line of each key of [sweep], 0: not given */
    struct nb_spec_section *section; /* the present group or exclusion */
};

static const char *const sweep_keys[] = {"name", "repetitions", "time_limit", "memory_limit", "floors",
                                         "interleave", NULL};

static int refuse(struct reader *reader, int line, enum nb_status status, const char *text)
{
    if (!reader->status)
        reader->status = nb_fail(reader->error, status, "%s:%d: %s", reader->spec->path, line,
                                 text);
    return 0;
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
        refuse(reader, reader->line, NB_BAD_INPUT, text);
        return;
    }
    reader->section = add_section(sections, count, name, reader->line);
    if (!reader->section)
        refuse(reader, reader->line, NB_OUT_OF_MEMORY, "no memory for a section");
}

/* title: what stands between the brackets. */
static void open_section(struct reader *reader, const char *title)
{
    char text[160];
    reader->in_sweep = false;
    reader->section = NULL;
    if (!strcmp(title, "sweep")) {
        if (reader->sweep_line)
            refuse(reader, reader->line, NB_BAD_INPUT, "a second section [sweep]");
        reader->sweep_line = reader->line;
        reader->in_sweep = true;
    } else if (!strncmp(title, "group ", 6) && title[6]) {
        open_list(reader, title + 6, true);
    } else if (!strncmp(title, "exclude ", 8) && title[8]) {
        open_list(reader, title + 8, false);
    } else {
        snprintf(text, sizeof text,
                 "unknown section [%.60s]; known: [sweep], [group NAME], [exclude NAME]", title);
        refuse(reader, reader->line, NB_BAD_INPUT, text);
    }
}

static void look_at_line(struct reader *reader, const char *line, bool whole)
{
    char title[LONGEST_NAME + 1], text[96];
    const char *start = line + strspn(line, " \t");
    reader->continues = start > line;
    if (!whole && strlen(line) <= LONGEST_LINE) {
        refuse(reader, reader->line, NB_BAD_INPUT, "a byte of zero: this is no text");
        return;
    }
    if (!whole || strlen(line) > LONGEST_LINE) {
        snprintf(text, sizeof text, "longer than %d characters; continue on an indented line",
                 LONGEST_LINE);
        refuse(reader, reader->line, NB_BAD_INPUT, text);
        return;
    }
    if (*start != '[')
        return;
    if (reader->continues) {
        refuse(reader, reader->line, NB_BAD_INPUT, "a section starts at the beginning of a line");
        return;
    }
    const size_t length = strcspn(start + 1, "]");
    if (!start[1 + length] || length > LONGEST_NAME) {
        snprintf(text, sizeof text, "a section reads [NAME] with at most %d characters",
                 LONGEST_NAME);
        refuse(reader, reader->line, NB_BAD_INPUT, text);
        return;
    }
    memcpy(title, start + 1, length);
    title[length] = 0;
    open_section(reader, title);
}

static char *next_line(char *line, int size, void *context)
{
    struct reader *reader = context;
    if (reader->status || !fgets(line, size, reader->file))
        return NULL;
    ++reader->line;
    const size_t length = strlen(line);
    look_at_line(reader, line, length && (line[length - 1] == '\n' || feof(reader->file)));
    return reader->status ? NULL : line;
}

/* One of two words; *second tells which. */
static enum nb_status parse_either(const char *key, const char *value, const char *first_word,
                                   const char *second_word, bool *second, struct nb_error *error)
{
    *second = strcmp(value, second_word) == 0;
    return *second || !strcmp(value, first_word)
               ? NB_OK
               : nb_fail(error, NB_BAD_INPUT, "%s: expected %s or %s", key, first_word, second_word);
}

static int set_sweep_key(struct reader *reader, const char *key, const char *value)
{
    struct nb_spec *spec = reader->spec;
    const struct nb_range *range = nb_range_find(key);
    struct nb_error error = {""};
    enum nb_status status = NB_OK;
    int index = 0;
    while (sweep_keys[index] && strcmp(sweep_keys[index], key))
        ++index;
    if (!sweep_keys[index]) {
        char known[160], text[256];
        nb_suggest(sweep_keys, key, known, sizeof known);
        snprintf(text, sizeof text, "unknown key \"%.50s\" in [sweep]; %s", key, known);
        return refuse(reader, reader->line, NB_BAD_INPUT, text);
    }
    if (reader->given[index]++)
        return refuse(reader, reader->line, NB_BAD_INPUT, "the key is set twice");
    if (index == 0 && (!*value || strlen(value) >= sizeof spec->name))
        return refuse(reader, reader->line, NB_BAD_INPUT, "name: 1 to 63 characters");
    if (index == 0)
        strcpy(spec->name, value);
    if (index == 1)
        status = nb_parse_integer(key, value, range->minimum, range->maximum, &spec->repetitions,
                                  &error);
    if (index == 2)
        status = nb_parse_number(key, value, range->minimum, range->maximum, range->above_minimum,
                                 &spec->time_limit, &error);
    if (index == 3)
        status = nb_parse_integer(key, value, range->minimum, range->maximum, &spec->memory_limit,
                                  &error);
    if (index == 4)
        status = parse_either(key, value, "yes", "no", &spec->without_floors, &error);
    if (index == 5)
        status = parse_either(key, value, "group", "problem", &spec->across_groups, &error);
    return status ? refuse(reader, reader->line, status, error.text) : 1;
}

/* Checks the values that this line brought. */
static int check_values(struct reader *reader, enum nb_axis axis, const char *list)
{
    char value[NB_KEY_SIZE + 1024];
    struct nb_case setting = nb_case_default();
    struct nb_error error;
    int more;
    while ((more = nb_list_next(&list, value, sizeof value)) > 0) {
        const enum nb_status status = nb_axis_set(axis, value, &setting, &error);
        if (status)
            return refuse(reader, reader->line, status, error.text);
    }
    return more ? refuse(reader, reader->line, NB_BAD_INPUT, "an empty value in the list") : 1;
}

static int add_values(struct reader *reader, enum nb_axis axis, const char *value)
{
    char **list = &reader->section->value[axis];
    char *joined = NULL;
    const bool comma = *list && (*list)[strlen(*list) - 1] == ',';
    if (*list && !reader->continues)
        return refuse(reader, reader->line, NB_BAD_INPUT, "the key is set twice");
    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list && !comma ? "," : "", value) < 0)
        return refuse(reader, reader->line, NB_OUT_OF_MEMORY, "no memory for a list");
    free(*list);
    *list = joined;
    if (!reader->section->value_line[axis])
        reader->section->value_line[axis] = reader->line;
    return 1;
}

static int handle(void *context, const char *section, const char *key, const char *value)
{
    struct reader *reader = context;
    char text[640];
    (void)section;
    if (reader->status)
        return 0;
    if (reader->in_sweep)
        return set_sweep_key(reader, key, value);
    if (!reader->section)
        return refuse(reader, reader->line, NB_BAD_INPUT, "a key outside of any section");
    const enum nb_axis axis = nb_axis_find(key);
    if (axis == NB_AXES) {
        char known[480];
        nb_suggest(nb_axis_names(), key, known, sizeof known);
        snprintf(text, sizeof text, "unknown key \"%.50s\"; %s", key, known);
        return refuse(reader, reader->line, NB_BAD_INPUT, text);
    }
    if (!*value)
        return refuse(reader, reader->line, NB_BAD_INPUT, "the key has no value");
    if (!add_values(reader, axis, value))
        return 0;
    /* A list that goes on in the next line ends in a comma. */
    char line[LONGEST_LINE + 2];
    snprintf(line, sizeof line, "%s", value);
    const size_t length = strlen(line);
    if (length && line[length - 1] == ',')
        line[length - 1] = 0;
    return check_values(reader, axis, line);
}

static void check_whole(struct reader *reader)
{
    struct nb_spec *spec = reader->spec;
    if (!reader->sweep_line || !reader->given[0])
        refuse(reader, reader->sweep_line ? reader->sweep_line : 1, NB_BAD_INPUT,
               "[sweep] with name = ... is missing");
    if (!spec->group_count)
        refuse(reader, reader->line, NB_BAD_INPUT, "no [group NAME]");
    for (int g = 0; g < spec->group_count; ++g)
        if (!spec->group[g].value[NB_AXIS_PROBLEM] &&
            !spec->group[g].value[NB_AXIS_OPTIONAL_PROBLEM])
            refuse(reader, spec->group[g].line, NB_BAD_INPUT, "the group has no problem");
    for (int e = 0; e < spec->exclude_count; ++e) {
        int axis = 0;
        while (axis < NB_AXES && !spec->exclude[e].value[axis])
            ++axis;
        if (axis == NB_AXES)
            refuse(reader, spec->exclude[e].line, NB_BAD_INPUT,
                   "an exclusion without keys would drop everything");
    }
}

enum nb_status nb_spec_read(const char *path, struct nb_spec *spec, struct nb_error *error)
{
    const struct nb_case defaults = nb_case_default();
    struct reader reader = {.spec = spec, .error = error};
    *spec = (struct nb_spec){.repetitions = defaults.repetitions,
                             .memory_limit = defaults.memory_limit,
                             .time_limit = defaults.time_limit};
    reader.file = fopen(path, "r");
    if (!reader.file)
        return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    spec->path = strdup(path);
    if (!spec->path) {
        reader.status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", path);
        goto cleanup;
    }
    const int bad_line = ini_parse_stream(next_line, &reader, handle, &reader);
    if (!reader.status && ferror(reader.file))
        reader.status = nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    if (bad_line)
        refuse(&reader, bad_line, NB_BAD_INPUT, "neither a section nor key = value");
    if (!reader.status)
        check_whole(&reader);
cleanup:
    fclose(reader.file);
    if (reader.status)
        nb_spec_free(spec);
    return reader.status;
}

void nb_spec_free(struct nb_spec *spec)
{
    if (!spec)
        return;
    for (int i = 0; i < spec->group_count; ++i)
        for (int a = 0; a < NB_AXES; ++a)
            free(spec->group[i].value[a]);
    for (int i = 0; i < spec->exclude_count; ++i)
        for (int a = 0; a < NB_AXES; ++a)
            free(spec->exclude[i].value[a]);
    free(spec->group);
    free(spec->exclude);
    free(spec->path);
    memset(spec, 0, sizeof *spec);
}

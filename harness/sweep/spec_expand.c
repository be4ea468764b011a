/* Makes the cases of a spec: depth first over the axes of each group, with patterns of problem files expanded as they
 * are met, less what an exclusion lists in full. */
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/case/case.h"
#include "harness/records/grow.h"
#include "harness/sweep/spec.h"
#include "problems/base/numbers.h"
#include "solvers/newton_options.h"

/* design = pairs: of a group's combinations, as few as it takes that any two values of two axes that meet in one of
 * them on a problem meet there in a case that is kept, or in one of an earlier group of the same mode. An axis that a
 * method does not read meets nothing. Greedy (Cohen and others 1997): always the combination that has the most pairs
 * which have not met yet, of several the first, until there are none. So the design follows from the spec alone. */

enum { UNREAD = -1 };

/* A value of an axis, as this case has it. */
struct value {
    int axis;
    const struct nb_case *holder;
};

struct design {
    const struct nb_case_setting *axis[NB_CASE_SETTINGS_MOST];
    int axes;
    struct value *value; /* of all axes, in one sequence */
    int values;
    int *number;         /* [cases][axes]: of the case's value, or UNREAD */
    bool *met;           /* [values][values], u <= v */
    bool *kept;          /* [cases] */
};

/* Those of which the group lists several values, but what tells problems apart. */
static void find_axes(struct design *design, const struct nb_spec_section *group)
{
    const struct nb_case_setting *axis;
    for (int i = 0; (axis = nb_case_axis(i)); ++i)
        if (group->value[i] && strchr(group->value[i], ',') && axis->option.type != NB_OPTION_PATH &&
            strcmp(axis->name, "mode") && strcmp(axis->name, "system"))
            design->axis[design->axes++] = axis;
}

/* The number of the case's value of an axis; UNREAD, too, of one that is not known. */
static int find_value(const struct design *design, int axis, const struct nb_case *setting)
{
    if (!nb_case_setting_has_effect(design->axis[axis], setting))
        return UNREAD;
    for (int v = 0; v < design->values; ++v)
        if (design->value[v].axis == axis &&
            nb_case_setting_equal(design->axis[axis], design->value[v].holder, setting))
            return v;
    return UNREAD;
}

/* The values that the group's cases have, and the numbers of all cases' values. */
static void number_values(struct design *design, const struct nb_case *cases, int first, int count)
{
    for (int i = first; i < count; ++i)
        for (int axis = 0; axis < design->axes; ++axis)
            if (nb_case_setting_has_effect(design->axis[axis], &cases[i]) &&
                find_value(design, axis, &cases[i]) == UNREAD)
                design->value[design->values++] = (struct value){axis, &cases[i]};
    for (int i = 0; i < count; ++i)
        for (int axis = 0; axis < design->axes; ++axis)
            design->number[i * design->axes + axis] = find_value(design, axis, &cases[i]);
}

/* How many of the pairs that a case has have not met; `meet`: now they have. A value that is alone is its own pair. */
static int pairs_to_meet(struct design *design, int index, bool meet)
{
    const int *number = &design->number[index * design->axes];
    int pairs = 0, read = 0;
    for (int a = 0; a < design->axes; ++a)
        read += number[a] != UNREAD;
    for (int a = 0; a < design->axes; ++a)
        for (int b = read > 1 ? a + 1 : a; b < design->axes; ++b) {
            if (number[a] == UNREAD || number[b] == UNREAD)
                continue;
            bool *met = &design->met[number[a] * design->values + number[b]];
            pairs += !*met;
            *met |= meet;
        }
    return pairs;
}

static bool same_problem(const struct nb_case *a, const struct nb_case *b)
{
    return a->mode == b->mode && a->system == b->system && !strcmp(a->problem_file, b->problem_file);
}

/* Chooses among the combinations from begin to end, which are those of one problem. */
static void choose(struct design *design, const struct nb_case *cases, int first, int begin, int end)
{
    memset(design->met, 0, sizeof *design->met * (size_t)design->values * (size_t)design->values);
    for (int i = 0; i < first; ++i)
        if (same_problem(&cases[i], &cases[begin]))
            pairs_to_meet(design, i, true);
    for (;;) {
        int best = begin, most = 0;
        for (int i = begin; i < end; ++i) {
            const int pairs = pairs_to_meet(design, i, false);
            if (pairs > most) {
                most = pairs;
                best = i;
            }
        }
        if (!most)
            return;
        pairs_to_meet(design, best, true);
        design->kept[best] = true;
    }
}

/* An axis has at most as many values as its list has commas, and one. */
static size_t most_values(const struct nb_spec_section *group)
{
    size_t values = 1;
    for (int i = 0; i < NB_CASE_SETTINGS_MOST; ++i)
        for (const char *c = group->value[i]; c && *c; ++c)
            values += *c == ',' || c == group->value[i];
    return values;
}

static bool allocate(struct design *design, const struct nb_spec_section *group, int count)
{
    const size_t values = most_values(group), cases = (size_t)count;
    design->value = calloc(values, sizeof *design->value);
    design->number = calloc(cases * (size_t)design->axes + 1, sizeof *design->number);
    design->met = calloc(values * values, sizeof *design->met);
    design->kept = calloc(cases, sizeof *design->kept);
    return design->value && design->number && design->met && design->kept;
}

static void free_design(struct design *design)
{
    free(design->value);
    free(design->number);
    free(design->met);
    free(design->kept);
}

/* `first` of them stay as they are. */
static int compact(const struct design *design, struct nb_case *cases, int first, int count)
{
    int kept = first;
    for (int i = first; i < count; ++i)
        if (design->kept[i])
            cases[kept++] = cases[i];
    return kept;
}

/* cases [*count]: those of earlier groups, and from first on all combinations of the group, those of a problem side by
 * side. Of the latter those stay, in their order, that the design needs. */
static enum nb_status design_pairs(const struct nb_spec_section *group, struct nb_case *cases, int first, int *count,
                                   struct nb_error *error)
{
    struct design design = {.axes = 0};
    enum nb_status status = NB_OK;
    find_axes(&design, group);
    if (*count == first || !design.axes)
        return NB_OK;
    if (!allocate(&design, group, *count))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a design of %d cases", *count - first);
    if (!status) {
        number_values(&design, cases, first, *count);
        for (int begin = first, end; begin < *count; begin = end) {
            for (end = begin + 1; end < *count && same_problem(&cases[begin], &cases[end]);)
                ++end;
            choose(&design, cases, first, begin, end);
        }
        *count = compact(&design, cases, first, *count);
    }
    free_design(&design);
    return status;
}

/* What an exclusion drops. */
struct use {
    bool drops;                                    /* a case, which another may drop as well */
    unsigned long long met[NB_CASE_SETTINGS_MOST]; /* of an axis, bit i: a case has the i-th value that it lists */
};

struct expansion {
    const struct nb_spec *spec;
    struct use *use;           /* [exclude_count] */
    const struct nb_spec_section *group; /* that is expanded */
    struct nb_case *cases;
    int count, room;
    bool dropped; /* by an exclusion */
};

static enum nb_status fail_at(const struct nb_spec *spec, int line, enum nb_status status,
                              const char *text, struct nb_error *error)
{
    return nb_fail(error, status, "%s:%d: %s", spec->path, line, text);
}

static bool is_problem(const struct nb_case_setting *axis)
{
    return axis->option.type == NB_OPTION_PATH;
}

/* The spec's folder with its slash: problem files are relative to it. */
static int folder_length(const struct nb_spec *spec, const char *path)
{
    const char *slash = strrchr(spec->path, '/');
    return path[0] == '/' || !slash ? 0 : (int)(slash - spec->path) + 1;
}

/* Relative to the spec's folder. */
static const char *full_path(const struct nb_spec *spec, const char *value, char *path, size_t size)
{
    snprintf(path, size, "%.*s%s", folder_length(spec, value), spec->path, value);
    return path;
}

static const char *without_dot(const char *path)
{
    while (!strncmp(path, "./", 2))
        path += 2;
    return path;
}

/* The name of an existing file is not a pattern. */
static bool names_problem(const struct nb_spec *spec, const char *value, const char *file)
{
    char path[1024 + 256];
    value = without_dot(value);
    file = without_dot(file);
    return !strcmp(value, file) ||
           (access(full_path(spec, value, path, sizeof path), F_OK) && !fnmatch(value, file, 0));
}

/* Whether the case has one of the listed values; notes those that it has. */
static bool listed(const struct nb_case_setting *axis, const char *list, const struct nb_case *setting,
                   unsigned long long *met)
{
    char value[1024];
    bool found = false;
    struct nb_case other = *setting;
    for (int i = 0; nb_list_next(&list, value, sizeof value) > 0; ++i)
        if (!nb_case_setting_read(axis, value, &other, NULL) && nb_case_setting_equal(axis, setting, &other)) {
            found = true;
            *met |= 1ull << (i < 63 ? i : 63);
        }
    return found;
}

/* Likewise of problems, which may be patterns, or other names of the same file; notes those that it has. */
static bool lists_problem(const struct nb_spec *spec, const char *list, const struct nb_case *setting,
                          unsigned long long *met)
{
    char value[1024];
    bool found = false;
    for (int i = 0; nb_list_next(&list, value, sizeof value) > 0; ++i)
        if (names_problem(spec, value, setting->problem_file)) {
            found = true;
            *met |= 1ull << (i < 63 ? i : 63);
        }
    return found;
}

static bool excluded(struct expansion *expansion, const struct nb_case *setting)
{
    const struct nb_spec *spec = expansion->spec;
    bool any = false;
    for (int e = 0; e < spec->exclude_count; ++e) {
        bool matches = true;
        for (int axis = 0; axis < NB_CASE_SETTINGS_MOST; ++axis) {
            const char *list = spec->exclude[e].value[axis];
            unsigned long long *met = &expansion->use[e].met[axis];
            if (list && is_problem(nb_case_axis(axis)))
                matches = lists_problem(spec, list, setting, met) && matches;
            else if (list)
                matches = listed(nb_case_axis(axis), list, setting, met) && matches;
        }
        expansion->use[e].drops |= matches;
        any |= matches;
    }
    return any;
}

/* The values of one axis of an exclusion that no case has. */
static void tell_unmet(const struct nb_spec *spec, const struct nb_spec_section *exclude, int axis,
                       unsigned long long met, FILE *notices)
{
    char value[1024];
    int line;
    const char *name = nb_case_axis(axis)->name, *list = nb_spec_values(exclude, name, &line);
    for (int i = 0; list && nb_list_next(&list, value, sizeof value) > 0; ++i)
        if (i < 63 && !(met >> i & 1))
            fprintf(notices, "%s:%d: exclude %s: no group has the %s %s\n", spec->path, line, exclude->name, name,
                    value);
}

/* A slip in an exclusion would let run what it was to drop. */
static void tell_unused(const struct expansion *expansion, FILE *notices)
{
    const struct nb_spec *spec = expansion->spec;
    for (int e = 0; e < spec->exclude_count && notices; ++e) {
        const struct nb_spec_section *exclude = &spec->exclude[e];
        for (int axis = 0; axis < NB_CASE_SETTINGS_MOST; ++axis)
            if (exclude->value[axis] && (expansion->use[e].drops || is_problem(nb_case_axis(axis))))
                tell_unmet(spec, exclude, axis, expansion->use[e].met[axis], notices);
        if (!expansion->use[e].drops)
            fprintf(notices, "%s:%d: exclude %s: drops no case\n", spec->path, exclude->line, exclude->name);
    }
}

static enum nb_status resolve(const struct nb_spec *spec, struct nb_case *setting,
                              struct nb_error *error)
{
    char path[sizeof setting->problem_file + 256];
    const int folder = folder_length(spec, setting->problem_file);
    if (folder == 0)
        return NB_OK;
    snprintf(path, sizeof path, "%.*s%s", folder, spec->path, setting->problem_file);
    return nb_case_set_problem(setting, path, error);
}

/* After the exclusions, which name strategies as the group does. */
static enum nb_status choose_backend(const struct expansion *expansion, struct nb_case *setting,
                                     struct nb_error *error)
{
    struct nb_error reason;
    enum nb_status status = NB_OK;
    int line;
    if (setting->on_device)
        status = nb_backend_cuda(&setting->options, setting->mode == NB_CASE_LINEAR_SYSTEM, &reason);
    nb_spec_values(expansion->group, "backend", &line);
    if (status)
        return fail_at(expansion->spec, line, status, reason.text, error);
    setting->on_device = false;
    return NB_OK;
}

static enum nb_status add_case(struct expansion *expansion, const struct nb_case *setting,
                               struct nb_error *error)
{
    if (excluded(expansion, setting)) {
        expansion->dropped = true;
        return NB_OK;
    }
    if (!NB_GROW(expansion->cases, expansion->count, &expansion->room))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", expansion->count + 1);
    struct nb_case *added = &expansion->cases[expansion->count];
    *added = *setting;
    enum nb_status status = resolve(expansion->spec, added, error);
    status = status ? status : choose_backend(expansion, added, error);
    if (!status)
        ++expansion->count;
    return status;
}

static enum nb_status expand(struct expansion *expansion, const struct nb_spec_section *group,
                             int axis, int skip, const struct nb_case *setting,
                             struct nb_error *error);

/* What to put behind a problem that stands for several files: "" where it is a pattern, the files in HDF5 where it is
 * a folder. NULL: it is a file. */
static const char *pattern_within(const struct nb_spec *spec, const char *value)
{
    char path[1024 + 256];
    struct stat about;
    if (!stat(full_path(spec, value, path, sizeof path), &about))
        return S_ISDIR(about.st_mode) ? "/*.{h5,hdf5}" : NULL;
    return strpbrk(value, "*?[") ? "" : NULL;
}

/* Appends text [length] to a pattern that ends at *end, as what it means to itself. */
static void append_literal(char **end, const char *text, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        if (strchr("*?[]{},\\", text[i]))
            *(*end)++ = '\\';
        *(*end)++ = text[i];
    }
    **end = '\0';
}

/* All files that a pattern, or one within a folder, has, in the order of their names. One without any is refused,
 * unless problems are optional. */
static enum nb_status expand_pattern(struct expansion *expansion,
                                     const struct nb_spec_section *group, int axis,
                                     int skip, const char *pattern,
                                     const char *within, struct nb_case *chosen, struct nb_error *error)
{
    const struct nb_spec *spec = expansion->spec;
    const struct nb_case_setting *row = nb_case_axis(axis);
    const int folder = folder_length(spec, pattern);
    char path[2 * (1024 + 4096)], *end = path;
    glob_t found = {0};
    enum nb_status status = NB_OK;
    if ((size_t)folder + strlen(pattern) + strlen(within) >= sizeof path / 2)
        return fail_at(spec, group->value_line[axis], NB_BAD_INPUT, "problem: the path is too long", error);
    append_literal(&end, spec->path, (size_t)folder);
    if (*within)
        append_literal(&end, pattern, strlen(pattern));
    strcpy(end, *within ? within : pattern);
    glob(path, *within ? GLOB_BRACE : 0, NULL, &found);
    if (found.gl_pathc == 0 && !(row->of & NB_SPEC_ONLY)) {
        char text[1024 + 64];
        snprintf(text, sizeof text, "problem: no file is named %s%s", pattern, within);
        status = fail_at(spec, group->value_line[axis], NB_BAD_FILE, text, error);
    }
    for (size_t i = 0; i < found.gl_pathc && !status; ++i) {
        status = nb_case_setting_read(row, found.gl_pathv[i] + folder, chosen, error);
        status = status ? status : expand(expansion, group, axis + 1, skip, chosen, error);
    }
    globfree(&found);
    return status;
}

/* Depth first over the axes; depth is the number of axes. A group's two lists of problems are one
 * axis in two parts, which `skip` leaves out in turn. */
static enum nb_status expand(struct expansion *expansion, const struct nb_spec_section *group,
                             int axis, int skip, const struct nb_case *setting,
                             struct nb_error *error)
{
    char value[1024];
    struct nb_case chosen = *setting;
    const struct nb_case_setting *row = nb_case_axis(axis);
    if (!row)
        return add_case(expansion, setting, error);
    const char *list = group->value[axis];
    if (!list || axis == skip)
        return expand(expansion, group, axis + 1, skip, setting, error);
    enum nb_status status = NB_OK;
    while (!status && nb_list_next(&list, value, sizeof value) > 0) {
        const char *within = is_problem(row) ? pattern_within(expansion->spec, value) : NULL;
        if (within) {
            status = expand_pattern(expansion, group, axis, skip, value, within, &chosen, error);
            continue;
        }
        status = nb_case_setting_read(row, value, &chosen, error);
        status = status ? status : expand(expansion, group, axis + 1, skip, &chosen, error);
    }
    return status;
}

/* What a stored system has already decided cannot be an axis of it. */
static enum nb_status check_mode(const struct nb_spec *spec, const struct nb_spec_section *group,
                                 struct nb_error *error)
{
    const struct nb_case_setting *row;
    int line;
    const char *mode = nb_spec_values(group, "mode", &line);
    char text[160];
    if (mode && strchr(mode, ','))
        return fail_at(spec, line, NB_BAD_INPUT, "mode: a group has one mode", error);
    const bool system = mode && !strcmp(mode, "linear_system");
    for (int i = 0; (row = nb_case_axis(i)); ++i) {
        if (!group->value[i] || !(row->of & (system ? NB_OF_STEP : NB_OF_SYSTEM)))
            continue;
        snprintf(text, sizeof text, "%s: %s", row->name,
                 system ? "decided by the stored system in mode linear_system" : "only with mode = linear_system");
        return fail_at(spec, group->value_line[i], NB_BAD_INPUT, text, error);
    }
    return NB_OK;
}

static bool lists_device(const struct nb_spec_section *group)
{
    struct nb_case setting = nb_case_default();
    const char *list = nb_spec_values(group, "backend", NULL);
    setting.on_device = true;
    return list && listed(nb_case_setting_find("backend"), list, &setting, &(unsigned long long){0});
}

/* As on the command line: a group that lists an option of Newton's method, or the device that has this method
 * alone, and no solver means it. */
static bool means_newton(const struct nb_spec_section *group)
{
    const struct nb_case_setting *row;
    if (nb_spec_values(group, "solver", NULL))
        return false;
    for (int i = 0; (row = nb_case_axis(i)); ++i)
        if (group->value[i] && nb_is_newton_option(row->name))
            return true;
    return lists_device(group);
}

static enum nb_status expand_group(struct expansion *expansion,
                                   const struct nb_spec_section *group, struct nb_error *error)
{
    const struct nb_spec *spec = expansion->spec;
    struct nb_case setting = spec->usual;
    const int before = expansion->count;
    expansion->group = group;
    snprintf(setting.group, sizeof setting.group, "%s", group->name);
    if (means_newton(group))
        setting.options.solver = "newton";
    enum nb_status status = check_mode(spec, group, error);
    if (!status && nb_spec_values(group, "problem", NULL))
        status = expand(expansion, group, 0, nb_axis_index("optional_problem"), &setting, error);
    if (!status && nb_spec_values(group, "optional_problem", NULL))
        status = expand(expansion, group, 0, nb_axis_index("problem"), &setting, error);
    if (!status && group->pairs && !spec->full)
        status = design_pairs(group, expansion->cases, before, &expansion->count, error);
    return status;
}

enum nb_status nb_spec_expand(const struct nb_spec *spec, FILE *notices, struct nb_case **cases, int *count,
                              struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct expansion expansion = {.spec = spec};
    expansion.use = calloc((size_t)spec->exclude_count + 1, sizeof *expansion.use);
    enum nb_status status = expansion.use ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a spec");
    for (int g = 0; g < spec->group_count && !status; ++g)
        status = expand_group(&expansion, &spec->group[g], error);
    if (!status && !expansion.count && expansion.dropped)
        status = nb_fail(error, NB_BAD_INPUT, "%s: the exclusions leave no case", spec->path);
    if (!status && !expansion.count) /* only patterns of optional problems may match nothing */
        status = nb_fail(error, NB_BAD_INPUT, "%s: no case: no problem file was found that "
                         "optional_problem = ... names", spec->path);
    if (!status)
        tell_unused(&expansion, notices);
    free(expansion.use);
    if (status) {
        free(expansion.cases);
        expansion.cases = NULL;
        expansion.count = 0;
    }
    *cases = expansion.cases;
    *count = expansion.count;
    return status;
}

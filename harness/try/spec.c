/* Writes the spec of a try. The source is a spec in which the candidate may stand as "@": data/try.sweep, of which the
 * groups of the candidate's kind count ([group KIND ...]), or the user's own. It is copied with the candidate's name
 * for "@" and read by the reader of specs, then written anew with absolute paths of problems, the first half of each
 * list of them if it is to be quick, and the rivals that were asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/sweep/spec.h"
#include "harness/try/try_private.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"
#include "solvers/registry.h"

enum { LINE = 1024 };

struct writing {
    struct nb_try *request;
    char base[NB_TRY_PATH]; /* what paths of problems are relative to */
    const char *problems;   /* a folder in their place, or NULL */
    char head[4096];        /* the section [sweep], as text */
    bool canonical;
};

/* Whether the section's groups are none of this try. */
static bool is_left_out(const struct writing *writing, const char *line)
{
    char kind[32];
    return writing->canonical && sscanf(line, "[group %31[a-z]", kind) == 1 &&
           strcmp(kind, writing->request->kind) != 0;
}

/* The candidate's name for each "@" that begins a value. */
static void copy_line(const struct writing *writing, const char *line, FILE *copy)
{
    char before = ' ';
    for (const char *c = line; *c; before = *c++) {
        if (*c == '@' && strchr(" \t,=", before))
            fputs(writing->request->name, copy);
        else
            fputc(*c, copy);
    }
}

static bool is_interleaving(const char *line)
{
    static const char key[] = "interleave";
    return !strncmp(line, key, strlen(key)) && line[strlen(key) + strspn(line + strlen(key), " \t")] == '=';
}

/* Keeps the numbers of lines, so that messages name the source's. What is varied stands in groups of its own, and is
 * timed in turn with the others. */
static void copy_source(struct writing *writing, FILE *source, FILE *copy)
{
    char line[LINE];
    bool left_out = false, head = false;
    const bool together = writing->request->vary.text;
    if (together)
        strcpy(writing->head, "interleave = problem\n");
    while (fgets(line, sizeof line, source)) {
        if (line[0] == '[') {
            left_out = is_left_out(writing, line);
            head = !strncmp(line, "[sweep]", 7);
        }
        if (head && line[0] != '[' && line[0] != '#' && line[0] != '\n' && !(together && is_interleaving(line)) &&
            strlen(writing->head) + strlen(line) < sizeof writing->head)
            strcat(writing->head, line);
        if (left_out)
            fputc('\n', copy);
        else
            copy_line(writing, line, copy);
    }
}

static enum nb_status read_source(struct writing *writing, const char *path, struct nb_spec *spec,
                                  struct nb_error *error)
{
    char part[NB_TRY_PATH + 8];
    FILE *source;
    struct nb_error reason;
    enum nb_status status = nb_open_regular(path, &source, error);
    if (status)
        return status;
    snprintf(part, sizeof part, "%s.part", writing->request->spec);
    FILE *copy = nb_create_file(part);
    if (copy)
        copy_source(writing, source, copy);
    fclose(source);
    if (!copy || fclose(copy)) {
        unlink(part);
        return nb_fail(error, NB_BAD_FILE, "%s: %s", part, strerror(errno));
    }
    status = nb_spec_read(part, spec, &reason);
    unlink(part);
    const char *text = reason.text;
    if (status && !strncmp(text, part, strlen(part)))
        text += strlen(part) + 1;
    if (status)
        return nb_fail(error, status, "%s:%s", path, text);
    free(spec->path); /* what is wrong in it is in the user's file */
    spec->path = strdup(path);
    if (spec->path)
        return NB_OK;
    nb_spec_free(spec);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a sweep's spec");
}

static void find_tolerance(struct nb_try *request, const struct nb_spec *spec)
{
    const double usual = spec->usual.tolerance;
    request->tolerance = usual > 0 ? usual : 1e-6;
    for (int g = 0; g < spec->group_count; ++g) {
        const char *list = nb_spec_values(&spec->group[g], "tol", NULL);
        const double tolerance = list ? atof(list) : 0;
        if (tolerance > 0) {
            request->tolerance = tolerance;
            return;
        }
    }
}

bool nb_try_is_candidate(const struct nb_try *request, const char *value)
{
    const size_t length = strlen(request->name);
    return !strncmp(value, request->name, length) && (!value[length] || value[length] == ':');
}

static enum nb_status add_rival(struct nb_try *request, const char *value, struct nb_error *error)
{
    for (int i = 0; i < request->rivals; ++i)
        if (!strcmp(request->rival[i], value))
            return NB_OK;
    if (request->rivals == NB_TRY_RIVALS || strlen(value) >= NB_TRY_NAME)
        return nb_fail(error, NB_BAD_INPUT,
                       "at most %d others can be tried against, with names of at most %d characters", NB_TRY_RIVALS,
                       NB_TRY_NAME - 1);
    strcpy(request->rival[request->rivals++], value);
    return NB_OK;
}

/* The settings that the candidate's kind is given in the spec, ":tol=1e-8", where this one takes them, too. */
static void give_settings(const char *kind, const char *name, const char *settings, char *text, size_t size)
{
    struct nb_error error;
    snprintf(text, size, "%s%s", name, strchr(name, ':') ? "" : settings);
    if (nb_registry_check("", kind, text, &error))
        snprintf(text, size, "%s", name);
}

/* The candidate with its settings, and the spec's rivals. */
static enum nb_status find_sides(struct nb_try *request, const struct nb_spec *spec, struct nb_error *error)
{
    char value[LINE];
    const char *settings = "";
    enum nb_status status = NB_OK;
    request->rivals = 0;
    request->candidate[0] = '\0';
    for (int g = 0; g < spec->group_count && !status; ++g) {
        const char *list = nb_spec_values(&spec->group[g], request->kind, NULL);
        while (list && !status && nb_list_next(&list, value, sizeof value) > 0)
            if (!nb_try_is_candidate(request, value))
                status = add_rival(request, value, error);
            else if (!request->candidate[0])
                snprintf(request->candidate, sizeof request->candidate, "%.*s", NB_TRY_NAME - 1, value);
            else if (strcmp(request->candidate, value))
                status = nb_fail(error, NB_BAD_INPUT,
                                 "%s: lists %s as %.100s and as %.100s, and one is judged: leave one, and --vary "
                                 "NAME=VALUE,VALUE tries several values of a setting",
                                 spec->path, request->name,
                                 request->candidate, value);
    }
    if (status)
        return status;
    if (request->rivals && strchr(request->rival[0], ':'))
        settings = strchr(request->rival[0], ':');
    if (!request->candidate[0])
        give_settings(request->kind, request->name, settings, request->candidate, sizeof request->candidate);
    return request->rivals || request->against.count
               ? NB_OK
               : nb_fail(error, NB_BAD_INPUT, "%s: no group lists a %s to try against; --against NAME does", spec->path,
                         request->kind);
}

static enum nb_status choose_rivals(struct nb_try *request, struct nb_error *error)
{
    char value[NB_TRY_PATH];
    const char *settings = strchr(request->candidate, ':');
    enum nb_status status = NB_OK;
    if (request->against.count)
        request->rivals = 0;
    for (int i = 0; i < request->against.count && !status; ++i) {
        status = nb_registry_check("--against: ", request->kind, request->against.item[i], error);
        if (status)
            return status;
        give_settings(request->kind, request->against.item[i], settings ? settings : "", value, sizeof value);
        status = add_rival(request, value, error);
    }
    return status;
}

static int count_values(const char *list)
{
    char value[LINE];
    int count = 0;
    while (nb_list_next(&list, value, sizeof value) > 0)
        ++count;
    return count;
}

/* The list of problems, or half of it, each with its folder. */
static void write_problems(const struct writing *writing, const char *name, const char *list, bool half, FILE *file)
{
    char value[LINE];
    const int all = count_values(list), most = half ? (all + 1) / 2 : all;
    int count = 0;
    fprintf(file, "%s =", name);
    while (count < most && nb_list_next(&list, value, sizeof value) > 0)
        fprintf(file, "%s%s%s%s", count++ ? ",\n    " : " ", value[0] == '/' ? "" : writing->base,
                value[0] == '/' ? "" : "/", value);
    fputc('\n', file);
}

/* Each value of the setting that is varied, or, of one of the candidate's own, the candidate at each. */
static void write_varied(const struct nb_try *request, const char *name, FILE *file)
{
    char value[2 * NB_TRY_NAME];
    fprintf(file, "%s =", name);
    for (int v = 0; v < request->vary.count; ++v) {
        nb_vary_candidate(request, v, value, sizeof value);
        fprintf(file, "%s %s", v ? ",\n   " : "", request->vary.row ? request->vary.value[v] : value);
    }
    fputc('\n', file);
}

static void write_sides(const struct nb_try *request, bool varied, FILE *file)
{
    if (varied && !request->vary.row) {
        write_varied(request, request->kind, file);
        return;
    }
    fprintf(file, "%s =", request->kind);
    for (int r = 0; r < request->rivals && !varied; ++r)
        fprintf(file, " %s,\n   ", request->rival[r]);
    fprintf(file, " %s\n", request->candidate);
}

/* EXCLUDED: of a group, all sides; the candidate alone, at each value of --vary. */
enum section { EXCLUDED,
               GROUP,
               VARIED };

static void write_section(const struct writing *writing, const struct nb_spec_section *section, enum section kind,
                          FILE *file)
{
    const struct nb_try *request = writing->request;
    const struct nb_case_setting *row, *setting = kind == VARIED ? request->vary.row : NULL;
    const bool group = kind != EXCLUDED;
    fprintf(file, "\n[%s %.40s%s]\n", group ? "group" : "exclude", section->name, kind == VARIED ? ", varied" : "");
    for (int i = 0; (row = nb_case_axis(i)); ++i) {
        if (setting && row == setting) {
            write_varied(request, row->name, file);
        } else if (!section->value[i]) {
            continue;
        } else if (group && !strcmp(row->name, request->kind)) {
            write_sides(request, kind == VARIED, file);
        } else if (row->option.type != NB_OPTION_PATH) {
            fprintf(file, "%s = %s\n", row->name, section->value[i]);
        } else if (group && writing->problems) {
            fprintf(file, "%s = %s\n", row->name, writing->problems);
        } else {
            write_problems(writing, row->name, section->value[i], group && request->quick, file);
        }
    }
}

/* How many groups list the kind; of them those of this try: the first where a folder takes the place of our problems,
 * half of them where it is to be quick. */
static int count_tried(const struct writing *writing, const struct nb_spec *spec)
{
    const struct nb_try *request = writing->request;
    int count = 0;
    for (int g = 0; g < spec->group_count; ++g)
        count += nb_spec_values(&spec->group[g], request->kind, NULL) != NULL;
    if (writing->problems)
        return count > 0;
    return request->quick && writing->canonical ? (count + 1) / 2 : count;
}

/* Whether two lists have a value in common; of the first its half alone. */
static bool have_common(const char *list, bool half, const char *other)
{
    char value[LINE], second[LINE];
    const int all = count_values(list), most = half ? (all + 1) / 2 : all;
    for (int i = 0; i < most && nb_list_next(&list, value, sizeof value) > 0; ++i)
        for (const char *rest = other; nb_list_next(&rest, second, sizeof second) > 0;)
            if (!strcmp(value, second))
                return true;
    return false;
}

/* Whether what is excluded is in one of the first groups, as far as both name it. */
static bool is_met(const struct writing *writing, const struct nb_spec *spec, int most,
                   const struct nb_spec_section *exclude)
{
    const struct nb_try *request = writing->request;
    for (int g = 0, groups = 0; g < spec->group_count && groups < most; ++g) {
        const struct nb_spec_section *group = &spec->group[g];
        const struct nb_case_setting *row;
        if (!nb_spec_values(group, request->kind, NULL))
            continue;
        bool met = true;
        for (int i = 0; met && (row = nb_case_axis(i)); ++i)
            met = !exclude->value[i] || !group->value[i] || !strcmp(row->name, request->kind) ||
                  have_common(group->value[i], row->option.type == NB_OPTION_PATH && request->quick, exclude->value[i]);
        if (met)
            return true;
        ++groups;
    }
    return false;
}

static enum nb_status write_spec(const struct writing *writing, const struct nb_spec *spec, struct nb_error *error)
{
    const char *path = writing->request->spec;
    const int most = count_tried(writing, spec);
    int groups = 0;
    struct nb_new_file new;
    enum nb_status status = nb_new_file_begin(&new, path, error);
    if (status)
        return status;
    FILE *file = new.stream;
    fprintf(file, "# Written by ncpbench try.\n\n[sweep]\n%s", writing->head);
    for (int g = 0; g < spec->group_count && groups < most; ++g)
        if (nb_spec_values(&spec->group[g], writing->request->kind, NULL) && ++groups) {
            write_section(writing, &spec->group[g], GROUP, file);
            if (writing->request->vary.count)
                write_section(writing, &spec->group[g], VARIED, file);
        }
    for (int e = 0; e < spec->exclude_count && !writing->problems; ++e) /* which name our problems */
        if (!writing->canonical || is_met(writing, spec, most, &spec->exclude[e]))
            write_section(writing, &spec->exclude[e], EXCLUDED, file);
    if (!groups)
        status = nb_fail(error, NB_BAD_INPUT, "%s: no group lists the axis %s, which is to hold \"%s\"", spec->path,
                         writing->request->kind, writing->request->name);
    return nb_new_file_end(&new, status, error);
}

static enum nb_status check_path(const char *path, struct nb_error *error)
{
    return strpbrk(path, ",#;\n") ? nb_fail(error, NB_BAD_INPUT,
                                            "%s: a sweep's spec cannot hold a path with one of , # ; "
                                            "or an end of line",
                                            path)
                                  : NB_OK;
}

/* Where problems are and which spec lists them, by what --on says. */
static enum nb_status find_source(struct writing *writing, char *source, size_t size, char *problems,
                                  struct nb_error *error)
{
    const char *on = writing->request->on;
    struct stat about;
    char *slash;
    const bool folder = !stat(on, &about) && S_ISDIR(about.st_mode);
    writing->canonical = folder || !strcmp(on, "canonical");
    if (writing->canonical) {
        const enum nb_status status = nb_try_data(source, size - 16, error);
        if (status)
            return status;
        strcat(source, "/try.sweep");
        if (folder && realpath(on, problems))
            writing->problems = problems;
        strcpy(writing->base, writing->request->problems);
        return NB_OK;
    }
    snprintf(source, size, "%s", on);
    if (!realpath(on, writing->base))
        return nb_fail(error, NB_BAD_FILE,
                       "--on %.200s: %s: expected canonical, a folder of problem files or a sweep's spec", on,
                       strerror(errno));
    if ((slash = strrchr(writing->base, '/')))
        *slash = '\0';
    return NB_OK;
}

enum nb_status nb_try_spec(struct nb_try *request, struct nb_error *error)
{
    static struct writing writing;
    char source[NB_TRY_PATH], problems[PATH_MAX];
    struct nb_spec spec;
    writing = (struct writing){.request = request};
    enum nb_status status = nb_try_problems(request->problems, sizeof request->problems, error);
    status = status ? status : find_source(&writing, source, sizeof source, problems, error);
    status = status ? status : check_path(writing.problems ? writing.problems : writing.base, error);
    status = status ? status : read_source(&writing, source, &spec, error);
    if (status)
        return status;
    find_tolerance(request, &spec);
    status = find_sides(request, &spec, error);
    status = status ? status : choose_rivals(request, error);
    status = status ? status : nb_vary_read(request, &spec, error);
    status = status ? status : write_spec(&writing, &spec, error);
    nb_spec_free(&spec);
    return status;
}

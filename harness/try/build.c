/* Builds the strategy: finds ncpbench-plugin beside the program, or in the source tree that it was built in, and runs
 * it; then asks the registry what came of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/records/folders.h"
#include "harness/records/installed.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "harness/sweep/probe.h"
#include "harness/sweep/spec.h"
#include "harness/try/try.h"
#include "harness/try/try_private.h"
#include "problems/base/apart.h"
#include "problems/io/regular_file.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"
#include "solvers/source.h"

/* Makes the canonical problems that a try needs: each as its line of data/problems.list says, by `ncpbench export` in a
 * process of its own, to a file that appears whole. */

enum { WORDS = 40, LINE = 600, NAME = 96, MOST = 64 };

static bool make_problems(const char *folder)
{
    char path[NB_TRY_PATH + 16];
    snprintf(path, sizeof path, "%s/problems", folder);
    return !nb_make_folders(path, NULL, NULL) && !access(path, W_OK);
}

enum nb_status nb_try_problems(char *folder, size_t size, struct nb_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const enum nb_status status = nb_try_data(folder, size, error);
    if (status || make_problems(folder))
        return status;
    if (cache && *cache)
        snprintf(folder, size, "%s/ncpbench/%s", cache, nb_source_fingerprint());
    else
        snprintf(folder, size, "%s/.cache/ncpbench/%s", home ? home : "", nb_source_fingerprint());
    return make_problems(folder) ? NB_OK
                                 : nb_fail(error, NB_BAD_FILE,
                                           "%s/problems: cannot be made, and the canonical problems have "
                                           "to be somewhere; XDG_CACHE_HOME names another place",
                                           folder);
}

/* Splits a line at blanks into words [WORDS], the last NULL, up to a comment; false: none, or too many words. */
static bool split(char *line, char **word)
{
    int count = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *next = strtok(line, " \t\n"); next && count < WORDS; next = strtok(NULL, " \t\n"))
        word[count++] = next;
    if (count == WORDS || !count)
        return false;
    word[count] = NULL;
    return true;
}

/* Runs a program, the first of the words, which end with NULL, without its standard output; its exit status, -1 if it
 * could not be started or was killed. */
static int try_run(char *const *arguments)
{
    pid_t pid;
    if (nb_apart_start(&(struct nb_apart_program){.words = arguments, .output = -1}, &pid))
        return -1;
    const int status = nb_apart_wait(pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The line of data/problems.list that begins with that name. One that is not listed is a scene at its first step. */
static enum nb_status find_line(const char *name, char *line, char **word, struct nb_error *error)
{
    char path[NB_TRY_PATH];
    FILE *file = NULL;
    enum nb_status status = nb_try_data(path, sizeof path - 32, error);
    if (!status) {
        strcat(path, "/problems.list");
        status = nb_open_regular(path, &file, error);
    }
    if (status)
        return status;
    bool found = false;
    while (!found && fgets(line, LINE, file))
        found = split(line, word) && !strcmp(word[0], name);
    fclose(file);
    if (!found) {
        snprintf(line, LINE, "%s %s", name, name);
        split(line, word);
    }
    return NB_OK;
}

/* ncpbench export SCENE -o PATH.part OPTION ..., then the name that it is to have. */
static enum nb_status export(const char *path, char *const *word, struct nb_error *error) {
    char program[] = "/proc/self/exe", command[] = "export", option[] = "-o", part[NB_TRY_PATH + NAME + 64];
    char * arguments[WORDS + 8] = {program, command, word[1], option, part};
    int count = 5;
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    for (int i = 2; word[i]; ++i) arguments[count++] = word[i];
    arguments[count] = NULL;
    const int code = try_run(arguments);
    if ((code == 0 || code == 1) && !rename(part, path)) /* 1: not at rest, and written */
    return NB_OK;
    unlink(part);
    return nb_fail(error, NB_BAD_FILE, "%s: cannot be exported; what export says is above", path);
}

/* The name of a problem that is to come from a scene of ours and is not there; NULL: it is, or is somebody else's. */
static const char *missing_name(const char *folder, const char *path)
{
    const size_t length = strlen(folder);
    const bool ours = !strncmp(path, folder, length) && !strncmp(path + length, "/problems/", sizeof "/problems/" - 1);
    const char *name = path + length + sizeof "/problems/" - 1;
    return ours && !strpbrk(name, "*?[/") && access(path, F_OK) ? name : NULL;
}

struct missing {
    char name[MOST][NAME]; /* of files, with their suffix */
    int count;
};

static bool is_noted(const struct missing *missing, const char *name)
{
    for (int i = 0; i < missing->count; ++i)
        if (!strcmp(missing->name[i], name))
            return true;
    return false;
}

static void find_missing(const struct nb_spec *spec, const char *folder, struct missing *missing)
{
    char path[NB_TRY_PATH];
    for (int g = 0; g < spec->group_count; ++g) {
        const char *list = nb_spec_values(&spec->group[g], "problem", NULL);
        while (list && nb_list_next(&list, path, sizeof path) > 0) {
            const char *name = missing_name(folder, path);
            if (name && strlen(name) < NAME && missing->count < MOST && !is_noted(missing, name))
                strcpy(missing->name[missing->count++], name);
        }
    }
}

static enum nb_status export_all(const struct missing *missing, const char *folder, FILE *progress,
                                 struct nb_error *error)
{
    char path[NB_TRY_PATH + NAME + 16], name[NAME], line[LINE], *word[WORDS + 1];
    enum nb_status status = NB_OK;
    for (int i = 0; i < missing->count && !status; ++i) {
        snprintf(path, sizeof path, "%s/problems/%s", folder, missing->name[i]);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(missing->name[i], "."), missing->name[i]);
        if (progress)
            fprintf(progress, "problem %d of %d, simulated once for all: %s\n", i + 1, missing->count, name);
        status = find_line(name, line, word, error);
        status = status ? status : export(path, word, error);
    }
    return status;
}

enum nb_status nb_try_export(const struct nb_try *request, FILE *progress, struct nb_error *error)
{
    struct missing missing = {.count = 0};
    struct nb_spec spec;
    const enum nb_status status = nb_spec_read(request->spec, &spec, error);
    if (status)
        return status;
    find_missing(&spec, request->problems, &missing);
    nb_spec_free(&spec);
    return export_all(&missing, request->problems, progress, error);
}

/* The trial of a preconditioner on the systems of the problems that it was swept on: first of those on which its case
 * did not converge, as a fault that needs more rows, other blocks or an even number of them shows there and not on the
 * small system. */

enum { SYSTEMS = 12 }; /* systems */

struct trial {
    struct nb_try *request;
    const cJSON *done[SYSTEMS]; /* records whose systems were tried */
    int count;
};

static bool is_candidates(const struct nb_try *request, const cJSON *record)
{
    char value[NB_TRY_NAME];
    nb_record_text(record, request->kind, value, sizeof value);
    return !strcmp(value, request->candidate);
}

static bool is_same(const cJSON *a, const cJSON *b, const char *setting)
{
    return cJSON_Compare(nb_json_path(a, "settings", setting), nb_json_path(b, "settings", setting), true);
}

/* One record speaks for all of one file, system and precision. */
static bool is_tried(const struct trial *trial, const cJSON *record)
{
    for (int i = 0; i < trial->count; ++i)
        if (is_same(trial->done[i], record, "problem_file") && is_same(trial->done[i], record, "system") &&
            is_same(trial->done[i], record, "precision"))
            return true;
    return false;
}

static void try_on(struct trial *trial, const cJSON *record)
{
    struct nb_try *request = trial->request;
    char precision[32], finding[sizeof request->finding - 32];
    const cJSON *file = nb_json_path(record, "settings", "problem_file");
    const bool of_system = nb_outcome_is_system(record);
    const int system = of_system ? (int)nb_json_path_number(record, "settings", "system") : -1;
    if (!cJSON_IsString(file) || trial->count == SYSTEMS || is_tried(trial, record))
        return;
    trial->done[trial->count++] = record;
    nb_record_text(record, "precision", precision, sizeof precision);
    ++request->tried;
    if (!nb_probe_system(request->candidate, precision, file->valuestring, system, finding, sizeof finding))
        return;
    snprintf(request->finding, sizeof request->finding, "%s (in %.20s)", finding, precision);
    const char *problem = nb_json_string(nb_json_member(record, "settings"), "problem");
    if (of_system)
        snprintf(request->tried_on, sizeof request->tried_on, "system %d of %.100s", system, problem);
    else
        snprintf(request->tried_on, sizeof request->tried_on, "the first system of %.100s", problem);
}

void nb_try_probe_problems(struct nb_try *request, const cJSON *records)
{
    struct trial trial = {.request = request};
    if (strcmp(request->kind, "precond") != 0 || !request->plugin[0] || request->finding[0])
        return;
    for (int others = 0; others < 2; ++others)
        for (const cJSON *record = records->child; record && !request->finding[0]; record = record->next)
            if (is_candidates(request, record) && others == !strcmp(nb_json_string(record, "ending"), "converged"))
                try_on(&trial, record);
}

extern char **environ;

enum nb_status nb_try_data(char *path, size_t size, struct nb_error *error)
{
    return nb_installed_folder("NCPBENCH_DATA", "data", "specs and of the list of problems", path, size, error);
}

/* ncpbench-plugin, beside the program or in the tree's scripts/. */
static enum nb_status find_builder(char *path, size_t size, struct nb_error *error)
{
    char program[NB_TRY_PATH];
    nb_program_folder(program, sizeof program);
    snprintf(path, size, "%s/ncpbench-plugin", program);
    if (access(path, X_OK))
        snprintf(path, size, "%s/../scripts/ncpbench-plugin", program);
    if (access(path, X_OK))
        return nb_fail(error, NB_BAD_FILE,
                       "%s: is not there; it builds the file, and stands beside ncpbench once that is "
                       "installed",
                       path);
    return NB_OK;
}

/* The file's name without folder and suffix, and the suffix. */
static enum nb_status split_name(const char *file, char *name, size_t size, const char **suffix, struct nb_error *error)
{
    const char *slash = strrchr(file, '/'), *begin = slash ? slash + 1 : file;
    const char *dot = strrchr(begin, '.');
    const size_t length = dot ? (size_t)(dot - begin) : strlen(begin);
    if (!length || length >= size)
        return nb_fail(error, NB_BAD_INPUT, "%.200s: a strategy is named after its file, in 1 to %zu characters", file,
                       size - 1);
    memcpy(name, begin, length);
    name[length] = '\0';
    *suffix = dot ? dot : "";
    return NB_OK;
}

static enum nb_status make_folder(struct nb_try *request, struct nb_error *error)
{
    struct stat about;
    if (request->output)
        snprintf(request->folder, sizeof request->folder, "%s", request->output);
    else
        snprintf(request->folder, sizeof request->folder, "try-%s", request->name);
    if (strlen(request->folder) + 64 > sizeof request->folder)
        return nb_fail(error, NB_BAD_INPUT, "-o: a path longer than %zu characters", sizeof request->folder - 64);
    const int cause = mkdir(request->folder, 0777) ? errno : 0;
    if (stat(request->folder, &about) || !S_ISDIR(about.st_mode))
        return nb_fail(error, NB_BAD_FILE, "%s: cannot be made a folder: %s", request->folder, strerror(cause));
    snprintf(request->spec, sizeof request->spec, "%.*s/try.sweep", NB_TRY_PATH - 32, request->folder);
    snprintf(request->results, sizeof request->results, "%.*s/records.jsonl", NB_TRY_PATH - 32, request->folder);
    return NB_OK;
}

static enum nb_status compile(struct nb_try *request, struct nb_error *error)
{
    char builder[NB_TRY_PATH + 32], file[NB_TRY_PATH], option[] = "-o";
    enum nb_status status = nb_check_readable(request->file, error);
    status = status ? status : find_builder(builder, sizeof builder, error);
    if (status)
        return status;
    snprintf(file, sizeof file, "%s", request->file);
    char *const arguments[] = {builder, file, option, request->folder, NULL};
    const int code = try_run(arguments);
    if (code)
        return nb_fail(error, NB_BAD_FILE, "%s: does not compile%s", request->file,
                       code < 0 ? ": the compiler could not be run" : "; what the compiler says is above");
    snprintf(request->plugin, sizeof request->plugin, "%.*s/%s.so", NB_TRY_PATH - 80, request->folder, request->name);
    return NB_OK;
}

enum nb_status nb_try_build(struct nb_try *request, struct nb_error *error)
{
    static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx"};
    const char *suffix = "";
    const char *sign = strchr(request->file, '='); /* KIND=NAME */
    if (sign && !strpbrk(request->file, "./")) {
        snprintf(request->kind, sizeof request->kind, "%.*s", (int)(sign - request->file), request->file);
        request->file = sign + 1;
    }
    enum nb_status status = split_name(request->file, request->name, sizeof request->name, &suffix, error);
    status = status ? status : make_folder(request, error);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
        if (!strcmp(suffix, sources[i]))
            return compile(request, error);
    if (!strcmp(suffix, ".so"))
        snprintf(request->plugin, sizeof request->plugin, "%s", request->file);
    else if (*suffix || strchr(request->file, '/'))
        return nb_fail(error, NB_BAD_INPUT,
                       "%.200s: expected a source NAME.c or NAME.cpp, a plugin NAME.so, or the name "
                       "of a strategy that is compiled in (ncpbench list). A program that solves is a solver of "
                       "`sweep`, external:command=... (docs/guide/external_solver.md)",
                       request->file);
    return NB_OK;
}

/* Kinds whose strategies can be tried. */
static const char *const kinds[] = {"precond", "linear", "ncp", "scaling", "operator", "solver"};
enum { KINDS = sizeof kinds / sizeof *kinds };

enum nb_status nb_try_find(struct nb_try *request, struct nb_error *error)
{
    const char *wanted = request->kind[0] ? nb_intern(request->kind) : NULL;
    int found = 0;
    for (int k = 0; k < KINDS; ++k) {
        if (wanted && strcmp(wanted, kinds[k]) != 0)
            continue;
        const bool there = request->plugin[0] ? nb_plugin_hash(kinds[k], request->name) != NULL
                                              : nb_registry_find(kinds[k], request->name) != NULL;
        if (there && !found++)
            snprintf(request->kind, sizeof request->kind, "%s", kinds[k]);
    }
    if (found > 1)
        return nb_fail(error, NB_BAD_INPUT,
                       "%s: there are strategies of %d kinds with this name: say which, as in %s=%s", request->file,
                       found, request->kind, request->name);
    return found ? NB_OK
                 : nb_fail(error, NB_BAD_INPUT,
                           "%.200s: no strategy of this name is compiled in; ncpbench list names them. "
                           "A file of your own ends in .c, .cpp or .so",
                           request->file);
}

void nb_try_probe(struct nb_try *request)
{
    if (!strcmp(request->kind, "precond") && request->plugin[0])
        nb_probe_precisions(request->name, request->finding, sizeof request->finding);
}

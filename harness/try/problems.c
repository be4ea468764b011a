/* Makes the canonical problems that a try needs: each as its line of data/problems.list says, by `ncpbench export` in a
 * process of its own, to a file that appears whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/records/folders.h"
#include "harness/sweep/spec.h"
#include "harness/try/try.h"
#include "problems/io/regular_file.h"
#include "solvers/source.h"

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
    const int code = nb_try_run(program, arguments);
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
        if (!status)
            status = export(path, word, error);
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

/* Looks at the problem files of a sweep's cases before it starts: each is read and checked once, in a child process,
 * and its hash given to all of its cases. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/sweep/examine.h"
#include "harness/sweep/sweep_private.h"

enum { MISSING = -1 }; /* in the place of a number of systems */

/* A time limit below this is meant for solvers: it is no reason to refuse a file [s]. */
static const double least_limit = 10;

/* The problem files of a sweep's cases, each once. */
struct files {
    struct nb_index index;
    struct nb_case **first; /* [count] the first case of each */
    int *systems;           /* [count] how many it holds, or MISSING */
    int *of;                /* [cases] the file of each case */
    int count;
};

/* A dry run goes on, to tell of all. */
static enum nb_status miss_file(const struct nb_case *setting, struct nb_plan *plan,
                                const struct nb_sweep_request *request, struct nb_error *error)
{
    const char *path = setting->problem_file;
    if (!setting->optional_problem && !request->dry_run)
        return nb_fail(error, NB_BAD_FILE, "%s: %s; write it with `ncpbench export`", path, strerror(errno));
    if (!setting->optional_problem) {
        ++plan->lacking_problems;
        fprintf(request->dry_run, "missing: %s, for which the sweep is refused; write it with `ncpbench export`\n",
                path);
        return NB_OK;
    }
    ++plan->missing_problems;
    return NB_OK;
}

/* Which files there are, and the first case of each. */
static enum nb_status list_files(struct nb_case *cases, int count, struct files *files, struct nb_plan *plan,
                                 const struct nb_sweep_request *request, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const char *first = NULL; /* of the optional ones that do not exist */
    for (int i = 0; i < count && !status; ++i) {
        const int file = nb_index_add(&files->index, cases[i].problem_file, files->count);
        if (file < 0)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the list of problems");
        files->of[i] = file;
        if (file < files->count)
            continue;
        files->first[files->count] = &cases[i];
        files->systems[files->count++] = 0;
        if (access(cases[i].problem_file, F_OK)) {
            files->systems[file] = MISSING;
            status = miss_file(&cases[i], plan, request, error);
            first = first || !cases[i].optional_problem ? first : cases[i].problem_file;
        }
    }
    if (first && request->progress && plan->missing_problems == 1)
        fprintf(request->progress, "skipped: %s does not exist (optional)\n", first);
    else if (first && request->progress)
        fprintf(request->progress, "skipped: %s and %d others do not exist (optional)\n", first,
                plan->missing_problems - 1);
    return status;
}

/* Of every file that is there its hash, and how many systems it holds. What is wrong with one is said before the sweep
 * starts. */
static enum nb_status examine(struct files *files, struct nb_error *error)
{
    int there = 0;
    struct nb_case **read = malloc(((size_t)files->count + 1) * sizeof *read);
    int *systems = calloc((size_t)files->count + 1, sizeof *systems);
    enum nb_status status = read && systems ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d problems",
                                                              files->count);
    for (int i = 0; i < files->count && !status; ++i)
        if (files->systems[i] != MISSING)
            read[there++] = files->first[i];
    if (!status)
        status = nb_examine_files(read, there, least_limit, systems, error);
    for (int i = files->count - 1; i >= 0 && !status; --i)
        if (files->systems[i] != MISSING)
            files->systems[i] = systems[--there];
    free(read);
    free(systems);
    return status;
}

static enum nb_status check_case(struct nb_case *setting, const struct files *files, int file,
                                 const struct nb_sweep_request *request, struct nb_error *error)
{
    const int systems = files->systems[file];
    struct nb_case *first = files->first[file];
    memmove(setting->problem_hash, first->problem_hash, sizeof setting->problem_hash);
    if (setting->start == NB_START_PREVIOUS) {
        if (!first->previous_hash[0])
            nb_case_hash_previous(first);
        memmove(setting->previous_hash, first->previous_hash, sizeof setting->previous_hash);
    }
    if (systems == MISSING)
        return setting->optional_problem || request->dry_run
                   ? NB_OK : nb_fail(error, NB_BAD_FILE, "%s: no such file", setting->problem_file);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM && setting->system >= systems)
        return nb_fail(error, NB_BAD_INPUT, "system %d: %s holds %d Newton systems (export --newton-systems)",
                       setting->system, setting->problem_file, systems);
    return NB_OK;
}

/* Fills the hashes of all cases, then drops those of missing files. */
static enum nb_status check_all(struct nb_case *cases, int *count, struct files *files, struct nb_plan *plan,
                                const struct nb_sweep_request *request, struct nb_error *error)
{
    int kept = 0;
    enum nb_status status = list_files(cases, *count, files, plan, request, error);
    if (!status)
        status = examine(files, error);
    for (int i = 0; i < *count && !status; ++i)
        status = check_case(&cases[i], files, files->of[i], request, error);
    for (int i = 0; i < *count && !status; ++i)
        if (files->systems[files->of[i]] != MISSING)
            cases[kept++] = cases[i];
    *count = kept;
    return status;
}

enum nb_status nb_plan_check_files(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                                   struct nb_plan *plan, struct nb_error *error)
{
    const size_t room = (size_t)*count + 1;
    struct files files = {.first = malloc(room * sizeof *files.first), .systems = malloc(room * sizeof *files.systems),
                          .of = malloc(room * sizeof *files.of)};
    const enum nb_status status = files.first && files.systems && files.of
                                      ? check_all(cases, count, &files, plan, request, error)
                                      : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the list of problems");
    nb_index_free(&files.index);
    free(files.first);
    free(files.systems);
    free(files.of);
    return status;
}

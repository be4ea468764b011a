/* ncpbench index lists the problems of a collection (harness/collection/table.h): sizes, difficulty, and the best that
 * is known of each. */
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/collection/table.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "problems/base/status.h"

/* Walks the tree of folders in the order of names; symbolic links are followed, a loop of them is not. */

/* Called with each file, or with a folder that cannot be read; then `reason` says why, otherwise it is NULL. */
typedef enum nb_status nb_walk_function(void *context, const char *path, const char *reason, struct nb_error *error);

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), size = strlen(end);
    return length > size && !strcmp(name + length - size, end);
}

static bool is_problem(const char *name)
{
    static const char *const kinds[] = {".h5", ".hdf5", ".dat", ".mtx"};
    static const char *const parts[] = {".b.mtx", ".H.mtx", ".G.mtx", ".f.mtx", ".w.mtx", ".mu.mtx",
                                        ".V.mtx", ".R.mtx", ".q.mtx", ".s.mtx"};
    bool problem = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        problem |= ends_in(name, kinds[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        problem &= !ends_in(name, parts[i]);
    return problem;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum nb_status visit_entry(const FTSENT *entry, nb_walk_function *visit, void *context, struct nb_error *error)
{
    switch (entry->fts_info) {
    case FTS_NS:
    case FTS_DNR:
    case FTS_ERR:
        if (entry->fts_level == FTS_ROOTLEVEL)
            return nb_fail(error, NB_BAD_FILE, "%.400s: %s", entry->fts_path, strerror(entry->fts_errno));
        return visit(context, entry->fts_path, strerror(entry->fts_errno), error);
    case FTS_F:
    case FTS_DEFAULT:
    case FTS_SLNONE:
        return entry->fts_level == FTS_ROOTLEVEL || is_problem(entry->fts_name)
                   ? visit(context, entry->fts_path, NULL, error)
                   : NB_OK;
    default:
        return NB_OK;
    }
}

/* Visits a file, whatever its name, or all problem files below a folder: *.h5, *.hdf5, *.dat, and *.mtx that is not
 * a part of another one, as NAME.b.mtx is; by name. NB_BAD_FILE where there is nothing at that path. */
static enum nb_status walk(const char *path, nb_walk_function *visit, void *context, struct nb_error *error)
{
    char *const roots[] = {(char *)path, NULL};
    const FTSENT *entry = NULL;
    enum nb_status status = NB_OK;
    FTS *tree = *path ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name) : NULL;
    if (!tree)
        return nb_fail(error, NB_BAD_FILE, "%.400s: %s", path, strerror(*path ? errno : ENOENT));
    while (!status && (errno = 0, entry = fts_read(tree)))
        status = visit_entry(entry, visit, context, error);
    if (!status && errno)
        status = nb_fail(error, NB_BAD_FILE, "%.400s: %s", path, strerror(errno));
    fts_close(tree);
    return status;
}

struct listing {
    enum nb_collection_format format;
    struct nb_best_list best;
    struct nb_reader_apart reader;
    int count, failed;
};

static enum nb_status list_file(void *context, const char *path, const char *reason, struct nb_error *error)
{
    struct listing *listing = context;
    cJSON *row = nb_collection_row(&listing->reader, path, reason, &listing->best);
    if (!row)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%.300s: no memory to describe it", path);
    listing->failed += cJSON_IsString(nb_json_member(row, "error"));
    if (!listing->count)
        nb_collection_begin(listing->format, nb_output());
    nb_collection_print(row, listing->count++, listing->format, nb_output());
    cJSON_Delete(row);
    return NB_OK;
}

static enum nb_status run(const struct nb_command *command, const struct nb_option_list *records,
                          struct listing *listing, struct nb_error *error)
{
    enum nb_status status =
        records->count ? nb_best_read(&listing->best, records->item, records->count, error) : NB_OK;
    for (int i = 0; i < command->positional_count && !status; ++i)
        status = walk(command->positional[i], list_file, listing, error);
    if (!status && !listing->count)
        status = nb_fail(error, NB_BAD_INPUT, "%.300s holds no problem: no *.h5, *.hdf5, *.dat or *.mtx",
                         command->positional[0]);
    if (!status)
        nb_collection_end(listing->format, listing->failed, nb_output());
    return status;
}

int nb_command_index(int argc, char **argv)
{
    struct nb_error error;
    struct nb_option_list records = {0};
    struct listing listing = {0};
    bool csv = false, json = false;
    struct nb_command command = {
        .name = "index", .arguments = "FOLDER... [options]",
        .summary = "Lists the problems of a collection: sizes, rank, mass ratio, the best known error of each.",
        .details = "A folder is searched for *.h5, *.hdf5, *.dat and *.mtx, folders in it too; files may be named as "
                   "well. "
                   "best_error is the smallest step error (of linear systems, residual) at the end of a run among "
                   "the records of --records, or that of the solution in the file, judged as `judge` does. A file "
                   "that cannot be read has a row that says why, and the exit code is 1.",
        .example = "ncpbench index data/problems --records results.jsonl --csv",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS, .positional_name = {"FOLDER"},
    };
    nb_command_add_list(&command, "records", &records, "FILE.jsonl",
                        "a results file to take the best known errors from");
    nb_command_add_flag(&command, "csv", &csv, "print all columns as comma-separated values");
    nb_command_add_flag(&command, "json", &json, "print one JSON document (docs/reference/output.md)");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    listing.format = json ? NB_COLLECTION_JSON : csv ? NB_COLLECTION_CSV : NB_COLLECTION_TEXT;
    enum nb_status status = csv && json ? nb_fail(&error, NB_BAD_INPUT, "--csv and --json cannot both be given")
                                        : run(&command, &records, &listing, &error);
    nb_best_free(&listing.best);
    nb_reader_apart_end(&listing.reader);
    if (status)
        return nb_command_fail(&command, &error);
    return listing.failed ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}

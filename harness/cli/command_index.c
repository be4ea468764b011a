/* ncpbench index lists the problems of a collection (harness/collection/table.h): sizes, difficulty, and the best that
 * is known of each. */
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/collection/table.h"
#include "harness/collection/walk.h"
#include "harness/records/output.h"

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
    listing->failed += cJSON_IsString(cJSON_GetObjectItemCaseSensitive(row, "error"));
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
        status = nb_walk(command->positional[i], list_file, listing, error);
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

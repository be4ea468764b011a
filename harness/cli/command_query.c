/* ncpbench query asks records in SQL, or writes them as a file of SQLite. */
#include <sys/stat.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/query/query.h"
#include "harness/records/output.h"

/* Whether both paths lead to one file. */
static bool is_same(const char *a, const char *b)
{
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static enum nb_status check(const struct nb_command *command, const char *output, int forms, struct nb_error *error)
{
    if (forms + (output != NULL) > 1)
        return nb_fail(error, NB_BAD_INPUT, "--csv, --json and --output: one form at a time");
    if (output && !command->positional_count)
        return nb_fail(error, NB_BAD_INPUT, "RESULTS.jsonl is missing: what is to be written to %s", output);
    const char *last = command->positional_count ? command->positional[command->positional_count - 1] : NULL;
    for (int i = 0; output && i < command->positional_count; ++i)
        if (is_same(output, command->positional[i]))
            return nb_fail(error, NB_BAD_INPUT, "--output %s: it is one of the results files", output);
    if (!output && (command->positional_count < 2 || is_same(last, last)))
        return nb_fail(error, NB_BAD_INPUT, "the statement is missing, behind the files, as in \"select ending from "
                       "cases\"; --schema names tables and columns");
    return NB_OK;
}

int nb_command_query(int argc, char **argv)
{
    bool csv = false, json = false, schema = false;
    const char *output = NULL;
    struct nb_query query = {.time_limit = 60};
    struct nb_error error;
    struct nb_command command = {
        .name = "query", .arguments = "RESULTS.jsonl... \"select ...\" [options]",
        .summary = "Answers a question to records in SQL, or writes them as a file of SQLite.",
        .details = "Tables are cases, traces (a row an iteration), repetitions (a row a timed run) and records (each "
                   "as JSON text); --schema prints their columns. Beside SQLite's functions there are median(x), "
                   "quantile(x, q), geomean(x), shifted_geomean(x, s), geomean_low(x, group) and geomean_high(x, "
                   "group), the ends of a 95 % interval. Statements can only read. docs/reference/query.md",
        .example = "ncpbench query runs.jsonl \"select precond, count(*), median(time_median) from cases group by 1\"",
        .maximum_positionals = NB_COMMAND_POSITIONALS, .positional_name = {"RESULTS.jsonl"},
    };
    nb_command_add_flag(&command, "csv", &csv, "comma-separated values");
    nb_command_add_flag(&command, "json", &json, "one JSON document: columns, and rows as arrays");
    nb_command_add_output(&command, &output, "OUT.sqlite", "write all tables to a file of SQLite; no statement then");
    nb_command_add_flag(&command, "schema", &schema, "print the tables and their columns");
    nb_command_add_positive(&command, "time-limit", &query.time_limit, 1e6, "S",
                            "seconds that the statement may take, the reading of records not counted");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (schema) {
        nb_query_schema(nb_output());
        return NB_EXIT_OK;
    }
    query.paths = command.positional;
    query.count = command.positional_count - !output;
    query.statement = output ? NULL : command.positional[query.count > 0 ? query.count : 0];
    query.form = csv ? NB_QUERY_CSV : json ? NB_QUERY_JSON : NB_QUERY_TABLE;
    enum nb_status status = check(&command, output, csv + json, &error);
    if (!status)
        status = output ? nb_query_export(query.paths, query.count, output, &error)
                        : nb_query_print(&query, nb_output(), &error);
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}

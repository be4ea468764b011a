/* ncpbench submit tells whether records can join the evidence, by scripts/evidence/submit.py. */
#include "harness/cli/commands.h"
#include "harness/cli/evidence_script.h"
#include "harness/cli/options.h"
#include "solvers/plugin.h"

struct request {
    const char *problems, *list, *output;
    int sample;
};

static void add_options(struct nb_command *command, struct request *request)
{
    nb_command_add_text(command, "problems", &request->problems, "FOLDER",
                        "the collection, as `make collection` makes it");
    nb_command_add_text(command, "list", &request->list, "LIST",
                        "SHA-256 and names of the problems that there are [data/collection.list]");
    nb_command_add_count(command, "sample", &request->sample, 0, 100000, "N",
                         "solved cases that are solved again and judged, evenly over the file");
    nb_command_add_output(command, &request->output, "OUT.jsonl.gz", "the submission, where all holds");
}

int nb_command_submit(int argc, char **argv)
{
    static struct nb_script script;
    struct request request = {.problems = "data/collection/full", .sample = 20};
    struct nb_error error;
    char sample[16];
    int exit_code = 0;
    struct nb_command command = {
        .name = "submit",
        .arguments = "RECORDS.jsonl [options]",
        .summary = "Whether records can join the evidence: schema, hashes, machine, and solutions judged again.",
        .details = "What is wrong is told in a line each, and ends it with 1. Solvers of plugins are solved again with "
                   "--plugin. docs/guide/submitting.md says what a submission has to hold. It runs python3.",
        .example = "ncpbench submit mine.jsonl --problems data/collection/small -o mine.jsonl.gz --plugin mine.so",
        .minimum_positionals = 1,
        .maximum_positionals = 1,
        .positional_name = {"RECORDS.jsonl"},
        .by_lines = true,
    };
    add_options(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    snprintf(sample, sizeof sample, "%d", request.sample);
    nb_script_add(&script, "submit.py");
    nb_script_add(&script, command.positional[0]);
    nb_script_add_option(&script, "--problems", request.problems);
    nb_script_add_option(&script, "--list", request.list);
    nb_script_add_option(&script, "--sample", sample);
    nb_script_add_option(&script, "--output", request.output);
    for (int i = 0; nb_plugin_file(i); ++i)
        nb_script_add_option(&script, "--plugin", nb_plugin_file(i));
    return nb_script_run(&script, &exit_code, &error) ? nb_command_fail(&command, &error) : exit_code;
}

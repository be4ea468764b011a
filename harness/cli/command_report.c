/* ncpbench report prints tables from records, or the records as comma-separated values. */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/evidence_script.h"
#include "harness/cli/options.h"
#include "harness/records/output.h"
#include "harness/report/page.h"
#include "harness/report/report.h"

/* The page in its forms, each in a file of its own. */
struct pages {
    const char *html, *markdown, *baseline, *figures, *expected, *site;
    bool summary;
};

static void add_page_options(struct nb_command *command, struct pages *pages)
{
    nb_command_add_file(command, "html", &pages->html, "OUT.html",
                        "a page with verdicts, comparisons, endings, all cases and what they ran on; it needs no "
                        "network");
    nb_command_add_file(command, "markdown", &pages->markdown, "OUT.md",
                        "the same in short, for a pull request's comment");
    nb_command_add_text(command, "baseline", &pages->baseline, "NAME=VALUE",
                        "what --html and --markdown compare with, and the setting in question [the strategy that "
                        "varies most; its value in the first case]");
    nb_command_add_text(command, "figures", &pages->figures, "FOLDER",
                        "of --html: show the SVG files in it, too, as plot --format svg writes them");
    nb_command_add_flag(command, "summary", &pages->summary,
                        "at most 20 lines: each problem's best solver, preconditioner and precision, and what "
                        "failed; with --html at the page's top, too");
    nb_command_add_text(command, "site", &pages->site, "FOLDER",
                        "one page of all submissions to the evidence, each a file or a folder of them, and a copy of "
                        "their records (docs/guide/submitting.md); by python3");
    nb_command_add_text(command, "expected", &pages->expected, "LIST",
                        "of --summary: a file with a line of filters NAME=VALUE for cases that are known to fail; "
                        "others that do, and those of them that do not, are named");
}

/* Prints the summary; *text, which the caller frees, has it once more for the page. */
static enum nb_status print_summary(const struct nb_page *page, const char *expected, char **text,
                                    struct nb_error *error)
{
    size_t size;
    FILE *stream = open_memstream(text, &size);
    if (!stream)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the summary");
    enum nb_status status = nb_report_summary(page, expected, stream, error);
    if (fclose(stream) && !status)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the summary");
    return status ? status : nb_report_summary(page, expected, stdout, error);
}

static enum nb_status write_pages(const struct pages *pages, const struct nb_command *command, double tolerance,
                                  char **argv, struct nb_error *error)
{
    char axis[64], *summary = NULL;
    struct nb_page page = {.tolerance = tolerance, .files = command->positional,
                           .file_count = command->positional_count, .figures = pages->figures, .command = argv};
    if (pages->baseline) {
        const size_t length = strcspn(pages->baseline, "=");
        if (!pages->baseline[length] || length >= sizeof axis)
            return nb_fail(error, NB_BAD_INPUT, "--baseline %s: must be NAME=VALUE, as in precond=jacobi",
                           pages->baseline);
        snprintf(axis, sizeof axis, "%.*s", (int)length, pages->baseline);
        page.axis = axis;
        page.baseline = pages->baseline + length + 1;
    }
    enum nb_status status = nb_page_records_read(page.files, page.file_count, &page.records, error);
    if (!status && pages->summary)
        status = print_summary(&page, pages->expected, &summary, error);
    page.summary = summary;
    if (!status && pages->html)
        status = nb_report_html(&page, pages->html, error);
    if (!status && pages->markdown)
        status = nb_report_markdown(&page, pages->markdown, error);
    free(summary);
    cJSON_Delete(page.records);
    return status;
}

/* The page of the evidence, by its script. */
static enum nb_status write_site(const char *site, const struct nb_command *command, int *code, struct nb_error *error)
{
    static struct nb_script script;
    nb_script_add(&script, "page.py");
    nb_script_add_option(&script, "--site", site);
    for (int i = 0; i < command->positional_count; ++i)
        nb_script_add(&script, command->positional[i]);
    return nb_script_run(&script, code, error);
}

int nb_command_report(int argc, char **argv)
{
    bool csv = false, json = false;
    double tolerance = 0;
    struct nb_error error;
    struct pages pages = {0};
    struct nb_command command = {
        .name = "report", .arguments = "RESULTS.jsonl... [--tol X | --csv | --json]",
        .summary = "Tables from records: best configurations, endings, medians, linear systems.",
        .details = "Cases that do not reach --tol are failures and masked; the fastest is the one that takes "
                   "the least time to it. Of different problems with one name, each is shown with the "
                   "beginning of its hash.",
        .example = "ncpbench report first_light.jsonl --tol 1e-6",
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS, .positional_name = {"RESULTS.jsonl"},
    };
    nb_command_add_number(&command, "tol", &tolerance, 0, 1, "X",
                          "the error to be reached by all: step error, or relative residual [that of the cases, if "
                          "all had the same]");
    nb_command_add_flag(&command, "csv", &csv, "comma-separated values, one row a case");
    nb_command_add_flag(&command, "json", &json, "the tables as one JSON document (docs/reference/output.md)");
    add_page_options(&command, &pages);
    int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const bool paged = pages.html || pages.markdown || pages.summary;
    if (csv + json + paged + (pages.site != NULL) > 1)
        return nb_command_refuse(&command, "--csv, --json, --site, and --html with --markdown and --summary: one form "
                                           "at a time");
    if ((pages.expected && !pages.summary) || (pages.figures && !pages.html))
        return nb_command_refuse(&command, pages.expected && !pages.summary ? "--expected: only with --summary"
                                                                            : "--figures: only with --html");
    if (pages.site)
        return write_site(pages.site, &command, &code, &error) ? nb_command_fail(&command, &error) : code;
    if (paged)
        return write_pages(&pages, &command, tolerance, argv, &error) ? nb_command_fail(&command, &error)
                                                                                : NB_EXIT_OK;
    const char *const *paths = command.positional;
    const int count = command.positional_count;
    const enum nb_status status =
        csv ? nb_report_csv(paths, count, nb_output(), &error)
            : nb_report_tables(paths, count, tolerance, json, json ? nb_output() : stdout, &error);
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}

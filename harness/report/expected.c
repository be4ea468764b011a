/* Reads a list of expected failures line by line and marks the cases of each line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/filter.h"
#include "harness/records/record.h"
#include "harness/report/page_private.h"
#include "problems/io/regular_file.h"

/* A line's filters, none of an empty line, and what it expects of their cases. */
static enum nb_status read_line(char *line, const struct nb_page_cases *cases, struct nb_filters *filters,
                                enum nb_expectation *expectation, struct nb_error *error)
{
    static const char either[] = "either", blanks[] = " \t\r\n";
    char word[4 * NB_WORD_SIZE];
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, blanks);
    const size_t length = strcspn(line, blanks);
    const bool both = length == strlen(either) && !strncmp(line, either, length);
    *expectation = both ? NB_EXPECT_EITHER : NB_EXPECT_FAILURE;
    const char *complaint = nb_filters_read(line + (both ? length : 0), filters, word, sizeof word);
    if (complaint)
        return nb_fail(error, NB_BAD_INPUT, "%s '%.80s'", complaint, word);
    for (int i = 0; i < filters->count; ++i)
        if (!nb_records_know(cases->page->records, filters->filter[i].name))
            return nb_fail(error, NB_BAD_INPUT, "no record has '%.80s'", filters->filter[i].name);
    if (both && !filters->count)
        return nb_fail(error, NB_BAD_INPUT, "'either' needs filters behind it, as problem=arch");
    return NB_OK;
}

enum nb_status nb_expected_read(const char *path, const struct nb_page_cases *cases, enum nb_expectation *expected,
                                struct nb_error *error)
{
    FILE *file;
    char *line = NULL;
    size_t room = 0;
    enum nb_status status = nb_open_regular(path, &file, error);
    for (int number = 1; !status && getline(&line, &room, file) >= 0; ++number) {
        struct nb_filters filters = {0};
        enum nb_expectation expectation;
        struct nb_error why;
        status = read_line(line, cases, &filters, &expectation, &why);
        if (status)
            nb_fail(error, status, "%s:%d: %s", path, number, why.text);
        for (int i = 0; i < cases->count && !status && filters.count; ++i)
            if (nb_filters_pass(&filters, NULL, cases->item[i].record))
                expected[i] = expectation;
        nb_filters_free(&filters);
    }
    if (!status && !feof(file))
        status = nb_fail(error, NB_BAD_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (file)
        fclose(file);
    free(line);
    return status;
}

/* Reads a list of expected failures line by line and marks the cases of each line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/filter.h"
#include "harness/records/record.h"
#include "harness/report/page_private.h"
#include "problems/io/regular_file.h"

enum { FILTERS = 12 };

/* A line's filters, into filter [FILTERS], and what it expects of their cases; *count is 0 of an empty line. */
static enum nb_status read_line(char *line, const struct nb_page_cases *cases, struct nb_filter *filter, int *count,
                                enum nb_expectation *expectation, struct nb_error *error)
{
    char *rest = NULL;
    *count = 0;
    *expectation = NB_EXPECT_FAILURE;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (!*count && !strcmp(word, "either")) {
            *expectation = NB_EXPECT_EITHER;
            continue;
        }
        if (*count == FILTERS)
            return nb_fail(error, NB_BAD_INPUT, "more than %d filters in a line", FILTERS);
        const char *complaint = nb_filter_read(word, &filter[*count]);
        if (complaint)
            return nb_fail(error, NB_BAD_INPUT, "%s '%.80s'", complaint, word);
        if (!nb_records_know(cases->page->records, filter[*count].name))
            return nb_fail(error, NB_BAD_INPUT, "no record has '%.80s'", filter[*count].name);
        ++*count;
    }
    if (*expectation == NB_EXPECT_EITHER && !*count)
        return nb_fail(error, NB_BAD_INPUT, "'either' needs filters behind it, as problem=arch");
    return NB_OK;
}

static bool passes_all(const struct nb_filter *filter, int count, const cJSON *record)
{
    for (int i = 0; i < count; ++i)
        if (!nb_filter_passes(&filter[i], record))
            return false;
    return count > 0;
}

enum nb_status nb_expected_read(const char *path, const struct nb_page_cases *cases, enum nb_expectation *expected,
                                struct nb_error *error)
{
    static struct nb_filter filter[FILTERS];
    FILE *file;
    char *line = NULL;
    size_t room = 0;
    enum nb_status status = nb_open_regular(path, &file, error);
    for (int number = 1; !status && getline(&line, &room, file) >= 0; ++number) {
        int count;
        enum nb_expectation expectation;
        struct nb_error why;
        status = read_line(line, cases, filter, &count, &expectation, &why);
        if (status)
            nb_fail(error, status, "%s:%d: %s", path, number, why.text);
        for (int i = 0; i < cases->count && !status; ++i)
            if (passes_all(filter, count, cases->item[i].record))
                expected[i] = expectation;
    }
    if (!status && !feof(file))
        status = nb_fail(error, NB_BAD_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (file)
        fclose(file);
    free(line);
    return status;
}

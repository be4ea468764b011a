/* A page is printed into memory first and put in place as a whole; of its records what it does not show is not read. */
#include <stdlib.h>
#include <string.h>

#include "harness/records/compact.h"
#include "harness/records/record.h"
#include "harness/report/page_private.h"
#include "problems/base/numbers.h"
#include "problems/io/replace_file.h"

/* What outcomes are made of, and all that is said of machines and builds. */
static bool wanted(void *none, const char *outer, const char *inner)
{
    return !strcmp(outer, "provenance") || nb_compact_keep(none, outer, inner);
}

enum nb_status nb_page_records_read(const char *const *paths, int count, cJSON **records, struct nb_error *error)
{
    return nb_records_read_packed(paths, count, wanted, NULL, records, error);
}

const char *nb_page_title(const struct nb_page *page)
{
    return page->title ? page->title : "Report of ncpbench";
}

enum nb_status nb_page_write(const struct nb_page *page, nb_page_print *print, const char *path, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_page_cases cases;
    char *text = NULL;
    size_t size = 0;
    enum nb_status status = nb_page_cases_read(page, &cases, error);
    if (status)
        return status;
    status = nb_page_check_values(&cases, error);
    FILE *stream = status ? NULL : open_memstream(&text, &size);
    if (stream)
        status = print(&cases, stream, error);
    if (!status && (!stream || ferror(stream)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for the report", path);
    if (stream && fclose(stream) && !status)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for the report", path);
    status = status ? status : nb_replace_file(path, text, size, error);
    free(text);
    nb_page_cases_free(&cases);
    return status;
}

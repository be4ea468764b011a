/* Goes through the lines of a results file: a record, blank, or the torn last one; anything else is refused. Of a
 * record the members that its reader does not want are left out before it is parsed. */
#include "harness/records/store_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"

const char *nb_record_excess(const char *text, size_t length)
{
    size_t values = 0;
    for (size_t i = 0; i < length; ++i)
        values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return length > NB_RECORD_BYTES    ? "more than 160 MiB"
           : values > NB_RECORD_VALUES ? "more than 6 million values"
                                       : NULL;
}

/* The object of a line [length], which ends with it; NULL if it is not one. */
static cJSON *parse_line(const char *line, size_t length)
{
    const char *end = line;
    cJSON *json = nb_record_excess(line, length) ? NULL : cJSON_ParseWithLengthOpts(line, length, &end, false);
    while (end < line + length && strchr(" \t\r\n", *end) && *end)
        ++end;
    if (cJSON_IsObject(json) && end == line + length) {
        nb_json_without_controls(json);
        return json;
    }
    cJSON_Delete(json);
    return NULL;
}

/* The same of what is wanted of the line alone. */
static cJSON *parse_wanted(struct nb_scan *scan, const char *line, size_t length)
{
    if (scan->room_size < length) {
        const size_t wanted = length + length / 4;
        char *room = realloc(scan->room, wanted);
        if (!room)
            return parse_line(line, length);
        scan->room = room;
        scan->room_size = wanted;
    }
    const size_t kept = nb_sieve(line, length, scan->reading->wanted, scan->reading->context, scan->room);
    return kept ? parse_line(scan->room, kept) : NULL;
}

static enum nb_status refuse_line(const struct nb_scan *scan, const char *line, size_t length, int number,
                                  struct nb_error *error)
{
    const char *excess = nb_record_excess(line, length);
    return nb_json_starved()
               ? nb_fail(error, NB_OUT_OF_MEMORY, "%s:%d: no memory for a record", scan->path, number)
           : excess
               ? nb_fail(error, NB_BAD_FILE, "%s:%d: a line with %s, which no record has", scan->path, number, excess)
               : nb_fail(error, NB_BAD_FILE, "%s:%d: not a JSON object, or more than one; records are what "
                         "a sweep or `solve --json` writes, one a line", scan->path, number);
}

/* A member of a record that is an array where readers go through an object's members by their names; NULL: none. */
static const char *misplaced_array(const cJSON *record)
{
    static const char *const objects[] = {"settings", "trace",      "errors",   "times", "counts",    "sizes",
                                          "features", "strategies", "provenance", "floor", "reference", "best"};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i)
        if (cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(record, objects[i])))
            return objects[i];
    return cJSON_IsArray(nb_json_path(record, "settings", "parameters")) ? "settings.parameters" : NULL;
}

/* What editors and `cat` leave between records. */
static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (!strchr(" \t\r\n", line[i]) || !line[i])
            return false;
    return true;
}

/* A torn last line begins like a record, or is zeros: what some file systems have of it after a power cut. */
static bool is_torn(const char *line, size_t length)
{
    size_t zeros = 0;
    while (zeros < length && !line[zeros])
        ++zeros;
    return line[0] == '{' || zeros == length;
}

static enum nb_status scan_line(struct nb_scan *scan, const char *line, size_t length, int number,
                                bool last, nb_store_callback *callback, void *context,
                                struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const bool ended = line[length - 1] == '\n';
    if (is_blank(line, length)) {
        scan->good_bytes += (long)length;
        scan->unended = !ended;
        return NB_OK;
    }
    cJSON *json = scan->reading->wanted ? parse_wanted(scan, line, length) : parse_line(line, length);
    scan->reading->offset = scan->good_bytes;
    scan->reading->length = length - ended;
    scan->reading->taken = false;
    const char *array = cJSON_HasObjectItem(json, "kind") ? misplaced_array(json) : NULL;
    if (array) {
        status = nb_fail(error, NB_BAD_FILE, "%s:%d: %s is an array; a record has an object there", scan->path, number,
                         array);
    } else if (json) { /* editors and scripts leave out the last end of line */
        scan->good_bytes += (long)length;
        scan->unended = !ended;
        status = callback(context, json, error);
    } else if (last && !ended && is_torn(line, length) && !nb_json_starved()) {
        scan->torn = true;
    } else { /* not ours: cutting it off could destroy somebody's file */
        status = refuse_line(scan, line, length, number, error);
    }
    if (!scan->reading->taken)
        cJSON_Delete(json);
    return status;
}

/* True where nothing follows. */
static bool at_end(FILE *file)
{
    const int next = getc(file);
    if (next == EOF)
        return true;
    ungetc(next, file);
    return false;
}

/* As getline, but not of more than a record may have and a byte more. */
static ssize_t read_line(char **line, size_t *room, FILE *file)
{
    size_t length = 0;
    for (int c; length <= NB_RECORD_BYTES && (c = getc_unlocked(file)) != EOF;) {
        if (length == *room) {
            const size_t wanted = *room ? 2 * *room : 4096;
            char *grown = realloc(*line, wanted);
            if (!grown) {
                errno = ENOMEM;
                return -1;
            }
            *line = grown;
            *room = wanted;
        }
        (*line)[length++] = (char)c;
        if (c == '\n')
            break;
    }
    return length && !ferror(file) ? (ssize_t)length : -1;
}

enum nb_status nb_scan_lines(struct nb_scan *scan, FILE *file, nb_store_callback *callback, void *context,
                             struct nb_error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    enum nb_status status = NB_OK;
    for (int number = 1; !status && (length = read_line(&line, &room, file)) > 0; ++number)
        status = scan_line(scan, line, (size_t)length, number, at_end(file), callback, context,
                           error);
    if (!status && !feof(file)) /* an error of the file, or no memory for a line */
        status = nb_fail(error, errno == ENOMEM ? NB_OUT_OF_MEMORY : NB_BAD_FILE, "%s: %s", scan->path,
                         errno == EILSEQ ? "its compressed data are damaged, or end early" : strerror(errno));
    free(line);
    free(scan->room);
    scan->room = NULL;
    return status;
}

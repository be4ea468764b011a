/* The child reads without a trial and answers each path by one line: the facts, or why there are none. It answers for
 * what it could read: where it ends, or takes long, the file is read with a trial, as if there were no child, which
 * bounds the time that HDF5 can take and says what is wrong. */
#include "harness/collection/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/collection/facts.h"
#include "harness/records/json.h"
#include "problems/io/problem_file.h"

enum { LIMIT = 10 }; /* [s] */

static const char refusal[] = "refusal"; /* a member that no facts have: a status */

/* cJSON prints what differs by a unit of roundoff as one number; here all digits pass. */
static bool keep_digits(cJSON *item)
{
    enum { DIGITS = 32 };
    bool kept = true;
    for (; item && kept; item = item->next) {
        kept = keep_digits(item->child);
        if (!cJSON_IsNumber(item))
            continue;
        item->valuestring = cJSON_malloc(DIGITS);
        kept = kept && item->valuestring && snprintf(item->valuestring, DIGITS, "%.17g", item->valuedouble) < DIGITS;
        item->type = cJSON_Raw;
    }
    return kept;
}

static bool tell(const char *path, int answers)
{
    struct nb_error error = {""};
    cJSON *facts = NULL;
    const enum nb_status status = nb_problem_facts(path, &facts, &error);
    if (status && (facts = cJSON_CreateObject())) {
        cJSON_AddNumberToObject(facts, refusal, status);
        cJSON_AddStringToObject(facts, "message", error.text);
    }
    char *text = facts && keep_digits(facts) ? nb_json_print(facts) : NULL;
    const bool told = text && nb_child_answer(answers, text);
    cJSON_free(text);
    cJSON_Delete(facts);
    return told;
}

static int answer(void *context, int commands, int answers)
{
    size_t length;
    bool told = true;
    (void)context;
    nb_problem_read_at_once();
    while (told && nb_child_wait(commands, &length, sizeof length)) {
        char *path = calloc(length + 1, 1);
        told = path && nb_child_read(commands, path, length) && tell(path, answers);
        free(path);
    }
    return !told;
}

/* Its line, to be freed by the caller; NULL: there is none. */
static char *ask(struct nb_reader_apart *reader, const char *path)
{
    const struct nb_child_limits limits = {0};
    const size_t length = strlen(path);
    struct nb_error error;
    bool late;
    if (!reader->child.pid && nb_child_start(&reader->child, &limits, answer, NULL, &error))
        return NULL;
    const bool sent = nb_child_command(&reader->child, &length, sizeof length) &&
                      nb_child_send(&reader->child, path, length);
    char *line = sent ? nb_child_await(&reader->child, LIMIT, &late) : NULL;
    if (!line)
        nb_reader_apart_end(reader);
    return line;
}

enum nb_status nb_facts_read_apart(struct nb_reader_apart *reader, const char *path, cJSON **facts,
                                   struct nb_error *error)
{
    char *line = ask(reader, path);
    cJSON *said = line ? cJSON_Parse(line) : NULL;
    const double refused = nb_json_get(said, refusal);
    free(line);
    *facts = NULL;
    if (!said)
        return nb_problem_facts(path, facts, error);
    if (refused > NB_OK) {
        nb_fail(error, (enum nb_status)refused, "%s", nb_json_string(said, "message"));
        cJSON_Delete(said);
        return (enum nb_status)refused;
    }
    *facts = said;
    return NB_OK;
}

void nb_reader_apart_end(struct nb_reader_apart *reader)
{
    char ending[64];
    nb_child_stop(&reader->child, ending, sizeof ending);
}

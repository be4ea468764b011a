/* A number of a parsed array takes 80 bytes, packed 8. Names and objects that are the same in thousands of records are
 * kept once, by their text: provenance, features, sizes, and of the settings all but the problem's, which stand before
 * the others in a list that only begins anew for each record. */
#include "harness/records/compact.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

/* Goes through an object's members, and those of its objects, without reading what they hold: a string ends at a quote
 * that no backslash precedes, an array or object where its brackets close. */

enum { NAME = 64 };

struct filtering {
    const char *in, *end;
    char *out;
    nb_json_keep *wanted;
    void *context;
};

bool nb_is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names))
        ++names;
    return *names != NULL;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void skip_space(struct filtering *filtering)
{
    while (filtering->in < filtering->end && is_space(*filtering->in))
        ++filtering->in;
}

/* Past the character, where it is the next one. */
static bool skip_char(struct filtering *filtering, char c)
{
    skip_space(filtering);
    if (filtering->in == filtering->end || *filtering->in != c)
        return false;
    ++filtering->in;
    return true;
}

static bool skip_string(struct filtering *filtering)
{
    if (!skip_char(filtering, '"'))
        return false;
    for (; filtering->in < filtering->end && *filtering->in != '"'; ++filtering->in)
        filtering->in += *filtering->in == '\\' && filtering->in + 1 < filtering->end;
    return skip_char(filtering, '"');
}

static bool skip_brackets(struct filtering *filtering)
{
    int depth = 0;
    while (filtering->in < filtering->end) {
        const char c = *filtering->in;
        if (c == '"') {
            if (!skip_string(filtering))
                return false;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        ++filtering->in;
        if (!depth)
            return true;
    }
    return false;
}

static bool skip_value(struct filtering *filtering)
{
    skip_space(filtering);
    const char *begin = filtering->in;
    if (begin == filtering->end)
        return false;
    if (*begin == '"')
        return skip_string(filtering);
    if (*begin == '{' || *begin == '[')
        return skip_brackets(filtering);
    while (filtering->in < filtering->end && !strchr(",}] \t\r\n", *filtering->in))
        ++filtering->in;
    return filtering->in > begin;
}

/* The name of a member, quotes and all from *begin on; one that is too long is cut. */
static bool take_name(struct filtering *filtering, const char **begin, char name[NAME])
{
    skip_space(filtering);
    *begin = filtering->in;
    if (!skip_string(filtering))
        return false;
    const size_t length = (size_t)(filtering->in - *begin) - 2, most = NAME - 1;
    memcpy(name, *begin + 1, length < most ? length : most);
    name[length < most ? length : most] = '\0';
    return skip_char(filtering, ':');
}

static void copy(struct filtering *filtering, const char *begin)
{
    memcpy(filtering->out, begin, (size_t)(filtering->in - begin));
    filtering->out += filtering->in - begin;
}

/* outer: the object's name; NULL: it is the record. */
static bool filter_object(struct filtering *filtering, const char *outer)
{
    bool written = false;
    if (!skip_char(filtering, '{'))
        return false;
    *filtering->out++ = '{';
    skip_space(filtering);
    while (filtering->in < filtering->end && *filtering->in != '}') {
        const char *begin;
        char name[NAME], *before = filtering->out;
        if (!take_name(filtering, &begin, name))
            return false;
        const bool wanted = filtering->wanted(filtering->context, outer ? outer : name, outer ? name : NULL);
        if (written)
            *filtering->out++ = ',';
        skip_space(filtering);
        copy(filtering, begin);
        const bool within = wanted && !outer && filtering->in < filtering->end && *filtering->in == '{';
        const char *value = filtering->in;
        if (!(within ? filter_object(filtering, name) : skip_value(filtering)))
            return false;
        if (!within)
            copy(filtering, value);
        if (!wanted)
            filtering->out = before;
        written |= wanted;
        if (!skip_char(filtering, ',') && (filtering->in == filtering->end || *filtering->in != '}'))
            return false;
        skip_space(filtering);
    }
    *filtering->out++ = '}';
    return skip_char(filtering, '}');
}

size_t nb_json_filter(const char *text, size_t length, nb_json_keep *wanted, void *context, char *room)
{
    struct filtering filtering = {text, text + length, room, wanted, context};
    if (!filter_object(&filtering, NULL))
        return 0;
    skip_space(&filtering);
    return filtering.in == filtering.end ? (size_t)(filtering.out - room) : 0;
}

bool nb_compact_keep(void *none, const char *outer, const char *inner)
{
    (void)none;
    static const char *const left_out[] = {"version", "strategies", "best", "reference", "probe", NULL};
    static const char *const of_trace[] = {"iteration", "linear_iterations", "step_error", "natural_map", "residual",
                                           "observable", "time", "mechanical_energy", NULL};
    static const char *const of_errors[] = {"step_error", "natural_map", "residual", "normal_error", "residual_max",
                                            "forward_error", NULL};
    static const char *const not_of_provenance[] = {"version", "commit", "date", "load",
                                                    "memory",  "hdf5",   "cuda", "gpu",  NULL};
    if (!inner)
        return !nb_is_one_of(outer, left_out);
    return !strcmp(outer, "trace")        ? nb_is_one_of(inner, of_trace)
           : !strcmp(outer, "errors")     ? nb_is_one_of(inner, of_errors)
           : !strcmp(outer, "provenance") ? !nb_is_one_of(inner, not_of_provenance)
                                          : true;
}

/* What records share, beside interned texts. */
static struct {
    struct nb_index index; /* of objects, by their text */
    cJSON **object;        /* [objects] */
    cJSON **own;           /* [owns] the first of what precedes shared settings: nothing else keeps it */
    int objects, object_room, owns, own_room;
} shared;

static bool share_names(cJSON *item)
{
    bool all = true;
    for (; item; item = item->next) {
        const bool own = item->string && !(item->type & cJSON_StringIsConst);
        const char *name = own ? nb_intern(item->string) : NULL;
        all = all && (name || !own);
        if (name) {
            cJSON_free(item->string);
            item->string = (char *)name;
            item->type |= cJSON_StringIsConst;
        }
        if (!(item->type & cJSON_IsReference))
            all = share_names(item->child) && all;
    }
    return all;
}

static bool share_values(cJSON *item)
{
    bool all = true;
    for (; item; item = item->next) {
        if (!cJSON_IsString(item) || (item->type & cJSON_IsReference))
            continue;
        const char *value = nb_intern(item->valuestring);
        all = all && value;
        if (!value)
            continue;
        cJSON_free(item->valuestring);
        item->valuestring = (char *)value;
        item->type |= cJSON_IsReference;
    }
    return all;
}

static bool share_object(cJSON *item)
{
    if (!cJSON_IsObject(item) || !item->child || (item->type & cJSON_IsReference))
        return true;
    char *text = cJSON_PrintUnformatted(item);
    const int number = text ? nb_index_entry(&shared.index, text, &shared.object, sizeof *shared.object,
                                             &shared.objects, &shared.object_room)
                            : -1;
    cJSON_free(text);
    if (number < 0)
        return false;
    if (!shared.object[number]) { /* the first one: the record's own stays with the others */
        shared.object[number] = cJSON_CreateObject();
        if (!shared.object[number])
            return false;
        shared.object[number]->child = item->child;
    } else {
        cJSON_Delete(item->child);
    }
    item->child = shared.object[number]->child;
    item->type |= cJSON_IsReference;
    return true;
}

/* Settings of the problem differ from record to record; the rest follows them. */
static bool share_settings(cJSON *settings)
{
    cJSON *item = settings->child, *next, *last = NULL, first = {.next = NULL};
    if (!NB_GROW(shared.own, shared.owns, &shared.own_room))
        return false;
    if (settings->type & cJSON_IsReference)
        return true;
    for (; item; item = next) {
        next = item->next;
        if (strncmp(item->string, "problem", 7))
            continue;
        cJSON_DetachItemViaPointer(settings, item);
        item->prev = last;
        *(last ? &last->next : &first.next) = item;
        last = item;
    }
    const bool all = share_object(settings);
    if (last) {
        last->next = settings->child;
        settings->child = first.next;
        first.next->prev = last; /* some last item, as of any list */
    }
    if (last && (settings->type & cJSON_IsReference))
        shared.own[shared.owns++] = first.next;
    return all;
}

static void hoist_load(cJSON *record)
{
    cJSON *load = cJSON_DetachItemFromObjectCaseSensitive(nb_json_member(record, "provenance"), "load");
    if (load)
        cJSON_AddItemToArray(record, load);
}

static bool pack(cJSON *array)
{
    const int count = cJSON_GetArraySize(array);
    if (!cJSON_IsArray(array) || !count)
        return true;
    const cJSON *item = NULL;
    double *value = cJSON_malloc((size_t)count * sizeof *value), *next = value;
    if (!value)
        return false;
    cJSON_ArrayForEach(item, array)
        *next++ = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    cJSON_Delete(array->child);
    array->child = NULL;
    array->type = cJSON_Raw | (array->type & ~0xFF);
    array->valuestring = (char *)value;
    array->valueint = count;
    return true;
}

bool nb_compact(cJSON *record)
{
    static const char *const objects[] = {"features", "sizes", "provenance"}, *const repeated[] = {"solve", "setups"};
    cJSON *column = NULL;
    bool all = true;
    if (!nb_record_is_case(record))
        return true;
    cJSON_ArrayForEach(column, nb_json_member(record, "trace"))
        all = pack(column) && all;
    cJSON *times = nb_json_member(record, "times");
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; ++i)
        all = pack(nb_json_member(times, repeated[i])) && all;
    cJSON *settings = nb_json_member(record, "settings");
    all = share_names(record->child) && share_values(settings ? settings->child : NULL) && all;
    all = (!cJSON_IsObject(settings) || share_settings(settings)) && all;
    hoist_load(record);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i)
        all = share_object(nb_json_member(record, objects[i])) && all;
    return all;
}

struct nb_values nb_values_in(const cJSON *array)
{
    if (cJSON_IsRaw(array))
        return (struct nb_values){NULL, (const double *)(const void *)array->valuestring, array->valueint};
    return (struct nb_values){array ? array->child : NULL, NULL, 0};
}

struct nb_values nb_values_of(const cJSON *record, const char *name)
{
    return nb_values_in(nb_json_path(record, "trace", name));
}

int nb_values_length(const struct nb_values *column)
{
    int length = column->left;
    for (const cJSON *item = column->item; item; item = item->next)
        ++length;
    return length;
}

bool nb_values_next(struct nb_values *column, double *number)
{
    if (column->left > 0) {
        --column->left;
        *number = *column->value++;
        return true;
    }
    if (!column->item)
        return false;
    *number = cJSON_IsNumber(column->item) ? column->item->valuedouble : NAN;
    column->item = column->item->next;
    return true;
}

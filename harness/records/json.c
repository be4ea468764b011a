/* Numbers, arrays and members of JSON objects by cJSON, and the memory that it lacked. */
#include "harness/records/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/base/numbers.h"

static bool starved;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    starved |= !memory;
    return memory;
}

void nb_json_watch_memory(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){allocate, free});
}

char *nb_json_print(cJSON *object)
{
    NB_DECIMAL_POINT;
    if (object)
        nb_json_without_controls(object);
    char *text = object && !starved ? cJSON_PrintUnformatted(object) : NULL;
    starved = false;
    return text;
}

enum nb_status nb_json_put(cJSON *object, FILE *stream, struct nb_error *error)
{
    char *text = nb_json_print(object);
    cJSON_Delete(object);
    if (!text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the JSON document");
    fprintf(stream, "%s\n", text);
    cJSON_free(text);
    return NB_OK;
}

bool nb_json_starved(void)
{
    return starved;
}

void nb_json_without_controls(cJSON *object)
{
    if (object->valuestring && !cJSON_IsRaw(object)) /* which may be packed numbers (compact.h) */
        nb_clean_text(object->valuestring);
    if (object->string)
        nb_clean_text(object->string);
    for (cJSON *child = object->child; child; child = child->next)
        nb_json_without_controls(child);
}

cJSON *nb_json_append(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

void nb_json_text(cJSON *object, const char *name, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
}

void nb_json_number(cJSON *object, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

void nb_json_numbers(cJSON *object, const char *name, const double *values, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (size_t i = 0; i < count; ++i)
        cJSON_AddItemToArray(array, isfinite(values[i]) ? cJSON_CreateNumber(values[i])
                                                        : cJSON_CreateNull());
}

cJSON *nb_json_add_members(cJSON *json, const char *name, const struct nb_json_member *members, const void *from)
{
    cJSON *object = cJSON_AddObjectToObject(json, name);
    for (; members->name; ++members) {
        double value;
        memcpy(&value, (const char *)from + members->offset, sizeof value);
        nb_json_number(object, members->name, value);
    }
    return object;
}

void nb_json_get_members(const cJSON *object, const struct nb_json_member *members, void *to)
{
    for (; members->name; ++members) {
        const double value = nb_json_get(object, members->name);
        memcpy((char *)to + members->offset, &value, sizeof value);
    }
}

double nb_json_get(const cJSON *object, const char *name)
{
    const cJSON *item = nb_json_member(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const char *nb_json_string(const cJSON *object, const char *name)
{
    const cJSON *item = nb_json_member(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

const cJSON *nb_json_path(const cJSON *object, const char *outer, const char *inner)
{
    return nb_json_member(nb_json_member(object, outer), inner);
}

double nb_json_path_number(const cJSON *object, const char *outer, const char *inner)
{
    const cJSON *item = nb_json_path(object, outer, inner);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* Small helpers around cJSON: NaN and infinities are null in the text, and null reads as NaN. */
#ifndef NB_JSON_H
#define NB_JSON_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "problems/base/status.h"

/* cJSON leaves out a member that it finds no memory for, and says nothing: a record could lack any of
 * them. The command line calls this once; from then on nb_json_print and nb_json_starved know. */
void nb_json_watch_memory(void);

/* The object as one line without its end, to be given to cJSON_free; its texts are made UTF-8 without control
 * characters first, as JSON has to be and as readers of this program see them anyway. NULL where no memory was found
 * for the text, or since the last call for a part of any object: what is incomplete is not written. */
char *nb_json_print(cJSON *object);

/* Prints the object as one line and deletes it. */
enum nb_status nb_json_put(cJSON *object, FILE *stream, struct nb_error *error);

/* Whether memory failed since the last nb_json_print: why cJSON_Parse returned NULL. */
bool nb_json_starved(void);

/* Texts of others are shown on terminals: '?' in place of every control character of the object's names and strings,
 * and of what is not UTF-8. */
void nb_json_without_controls(cJSON *object);

/* Appends an object to an array; borrowed. */
cJSON *nb_json_append(cJSON *array);

/* The text, or null where it is "" or NULL. */
void nb_json_text(cJSON *object, const char *name, const char *text);

/* The number, or null where it is not finite. */
void nb_json_number(cJSON *object, const char *name, double value);

/* Adds members in their order, at most 8: NB_JSON_ADD(object, "name", value, "name", value, ...). A value is a text, a
 * bool, an object that is taken, or a number, null where it is not finite. */
#define NB_JSON_1(object, name, value) \
    (void)_Generic((value), char *: cJSON_AddStringToObject, const char *: cJSON_AddStringToObject, \
              bool: cJSON_AddBoolToObject, cJSON *: cJSON_AddItemToObject, default: nb_json_number)(object, name, value)
#define NB_JSON_2(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_1(object, __VA_ARGS__)
#define NB_JSON_3(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_2(object, __VA_ARGS__)
#define NB_JSON_4(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_3(object, __VA_ARGS__)
#define NB_JSON_5(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_4(object, __VA_ARGS__)
#define NB_JSON_6(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_5(object, __VA_ARGS__)
#define NB_JSON_7(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_6(object, __VA_ARGS__)
#define NB_JSON_8(object, name, value, ...) NB_JSON_1(object, name, value), NB_JSON_7(object, __VA_ARGS__)
#define NB_JSON_PICK(n1, v1, n2, v2, n3, v3, n4, v4, n5, v5, n6, v6, n7, v7, n8, v8, pick, ...) pick
#define NB_JSON_ADD(object, ...) \
    NB_JSON_PICK(__VA_ARGS__, NB_JSON_8, 0, NB_JSON_7, 0, NB_JSON_6, 0, NB_JSON_5, 0, \
                 NB_JSON_4, 0, NB_JSON_3, 0, NB_JSON_2, 0, NB_JSON_1, 0) \
    (object, __VA_ARGS__)

/* An array of the numbers [count], null where not finite. */
void nb_json_numbers(cJSON *object, const char *name, const double *values, size_t count);

/* Members of a struct that are doubles, by name, ended by a NULL name: NB_JSON_MEMBER(nb_floor, step), ... */
struct nb_json_member {
    const char *name;
    size_t offset;
};
#define NB_JSON_MEMBER(type, member) {#member, offsetof(struct type, member)}

/* Adds the object `name` of them and returns it; and reads them back, NaN where missing or null. */
cJSON *nb_json_add_members(cJSON *json, const char *name, const struct nb_json_member *members, const void *from);
void nb_json_get_members(const cJSON *object, const struct nb_json_member *members, void *to);

/* The member of that name, NULL where there is none: cJSON_GetObjectItemCaseSensitive, which a look at the first letter
 * makes several times as fast; tables look up millions. */
static inline cJSON *nb_json_member(const cJSON *object, const char *name)
{
    cJSON *item = object && name ? object->child : NULL;
    while (item && item->string && (*item->string != *name || strcmp(item->string, name)))
        item = item->next;
    return item && item->string ? item : NULL;
}

/* The member's number, or NaN where it is missing or null. */
double nb_json_get(const cJSON *object, const char *name);

/* The member's text, or "" where it is missing; borrowed. */
const char *nb_json_string(const cJSON *object, const char *name);

/* The member of a member: nb_json_path(record, "settings", "linear"); NULL where missing. */
const cJSON *nb_json_path(const cJSON *object, const char *outer, const char *inner);
double nb_json_path_number(const cJSON *object, const char *outer, const char *inner); /* NaN if it is not a number */

#endif

/* Things by their texts, which an index numbers as they come. */
#include "harness/report/axis.h"

#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/compact.h"

/* The index of the value, which is added where it is new; -1 where memory is short. */
static int find_value(struct nb_axis *axis, const char *text)
{
    const int index = nb_index_add(&axis->index, text, axis->count);
    if (index != axis->count)
        return index;
    if (!NB_GROW(axis->value, axis->count, &axis->room) || !NB_GROW(axis->first, axis->count, &axis->first_room) ||
        !(axis->value[axis->count] = strdup(text)))
        return -1;
    axis->first[axis->count] = -1;
    return axis->count++;
}

/* From the last to the first, so that each thing is put before the next one. */
static void link_things(struct nb_axis *axis, int things)
{
    for (int i = things - 1; i >= 0; --i) {
        axis->next[i] = axis->of[i] < 0 ? -1 : axis->first[axis->of[i]];
        if (axis->of[i] >= 0)
            axis->first[axis->of[i]] = i;
    }
}

static enum nb_status no_memory(struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the report");
}

enum nb_status nb_axis_fill(struct nb_axis *axis, int things, nb_axis_text *text_of, const void *context,
                            struct nb_error *error)
{
    axis->of = malloc(((size_t)things + 1) * sizeof *axis->of);
    axis->next = malloc(((size_t)things + 1) * sizeof *axis->next);
    if (!axis->of || !axis->next)
        return no_memory(error);
    for (int i = 0; i < things; ++i) {
        char text[NB_AXIS_TEXT] = "";
        text_of(context, i, axis->name, text);
        axis->of[i] = *text ? find_value(axis, text) : -1;
        if (*text && axis->of[i] < 0)
            return no_memory(error);
    }
    link_things(axis, things);
    return NB_OK;
}

bool nb_axis_says_how(const char *setting)
{
    static const char *const others[] = {"problem", "optional_problem", "mode", "system", "linearized",
                                         "tol",     "backend",          NULL};
    return !nb_is_one_of(setting, others);
}

bool nb_axis_is_first(const struct nb_axis *axis, int i)
{
    return axis->first[axis->of[i]] == i;
}

void nb_axis_free(struct nb_axis *axis)
{
    for (int i = 0; i < axis->count; ++i)
        free(axis->value[i]);
    free(axis->value);
    nb_index_free(&axis->index);
    free(axis->of);
    free(axis->first);
    free(axis->next);
    *axis = (struct nb_axis){0};
}

/* Contacts of a step's end (refine.h). Two contacts are of one pair where their bodies are the same and, with skins, a
 * particle: each contact has a key of both bodies for each of its particles, or one without any; those of the end are
 * sorted, and an old contact is kept that has no key among them. */
#include "harness/simulate/refine.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "problems/collide/collide.h"
#include "problems/fields.h"
#include "problems/step.h"

struct key {
    int body[2], particle;
};

static int compare_keys(const void *first, const void *second)
{
    const struct key *a = first, *b = second;
    const int left[3] = {a->body[0], a->body[1], a->particle}, right[3] = {b->body[0], b->body[1], b->particle};
    for (int k = 0; k < 3; ++k)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

/* Of contact i: at most six. */
static int keys_of(const struct nb_contacts *contacts, int i, struct key *key)
{
    int count = 0;
    for (int k = 0; contacts->particle && k < 6; ++k)
        if (contacts->particle[6 * i + k] >= 0)
            key[count++] =
                (struct key){{contacts->body[2 * i], contacts->body[2 * i + 1]}, contacts->particle[6 * i + k]};
    if (!count)
        key[count++] = (struct key){{contacts->body[2 * i], contacts->body[2 * i + 1]}, -1};
    return count;
}

/* Entries of the old contacts without a pair among the new ones, kept [old->count]; returns how many, -1 without
 * memory. */
static int find_lost(const struct nb_contacts *old, const struct nb_contacts *found, int *kept)
{
    struct key *key = malloc((6 * (size_t)found->count + 1) * sizeof *key);
    int keys = 0, count = 0;
    if (!key)
        return -1;
    for (int i = 0; i < found->count; ++i)
        keys += keys_of(found, i, key + keys);
    nb_sort(key, keys, sizeof *key, compare_keys);
    for (int i = 0; i < old->count; ++i) {
        struct key own[6];
        const int owns = keys_of(old, i, own);
        int known = 0;
        for (int k = 0; k < owns && !known; ++k)
            known = bsearch(&own[k], key, (size_t)keys, sizeof *key, compare_keys) != NULL;
        if (!known)
            kept[count++] = i;
    }
    free(key);
    return count;
}

/* The contacts that were found, with those of the others that are kept behind them; bytes equal to the old ones' are no
 * change. Returns 0 without memory. */
static int join(struct nb_problem *problem, struct nb_problem *found, const int *kept, int count, int *changed)
{
    const int old = problem->contacts.count, first = found->contacts.count, all = first + count;
    *changed = all != old;
    for (const struct nb_field *field = nb_field_groups[NB_CONTACTS].field; field->name; ++field) {
        const size_t bytes = nb_field_bytes(field);
        char *before = nb_field_array(problem, field), *after = nb_field_array(found, field);
        if (!before && !after)
            continue;
        char *joined = realloc(after, ((size_t)all + 1) * bytes);
        if (!joined)
            return 0;
        if (!after)
            memset(joined, 0, (size_t)first * bytes);
        if (!before)
            memset(joined + (size_t)first * bytes, 0, (size_t)count * bytes);
        nb_field_set(found, field, joined);
        for (int i = 0; before && i < count; ++i)
            memcpy(joined + (size_t)(first + i) * bytes, before + (size_t)kept[i] * bytes, bytes);
        *changed |= all == old && all > 0 && (!before || memcmp(before, joined, (size_t)all * bytes) != 0);
    }
    found->contacts.count = all;
    const struct nb_contacts swap = problem->contacts;
    problem->contacts = found->contacts;
    found->contacts = swap;
    return 1;
}

enum nb_status nb_refine_contacts(struct nb_problem *problem, const double *u, int *changed, struct nb_error *error)
{
    struct nb_problem end;
    enum nb_status status = nb_problem_copy(problem, &end, error);
    if (status)
        return status;
    nb_step_advance(&end, u);
    status = nb_collide(&end, nb_step_margin(problem), error);
    int *kept = malloc(((size_t)problem->contacts.count + 1) * sizeof *kept);
    const int count = status || !kept ? -1 : find_lost(&problem->contacts, &end.contacts, kept);
    if (!status && (count < 0 || !join(problem, &end, kept, count, changed)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the contacts of a step's end");
    free(kept);
    nb_problem_free(&end);
    return status;
}

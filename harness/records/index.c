/* A balanced tree of texts: that of the C library (tsearch). An entry has its number before its text. */
#include "harness/records/index.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"

struct indexed {
    int number;
    const char *text; /* what follows the entry, or the text that is looked for */
};

static int by_text(const void *a, const void *b)
{
    const struct indexed *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static struct indexed *make_entry(const char *text, int number)
{
    const size_t length = strlen(text) + 1;
    struct indexed *entry = malloc(sizeof *entry + length);
    if (entry)
        *entry = (struct indexed){number, memcpy(entry + 1, text, length)};
    return entry;
}

int nb_index_find(const struct nb_index *index, const char *text)
{
    const struct indexed wanted = {-1, text};
    struct indexed *const *found = tfind(&wanted, &index->tree, by_text);
    return found ? (*found)->number : -1;
}

/* The entry of the text, which is added where it is new; NULL where memory is short. */
static const struct indexed *add(struct nb_index *index, const char *text, int number)
{
    struct indexed *added = make_entry(text, number);
    struct indexed *const *found = added ? tsearch(added, &index->tree, by_text) : NULL;
    if (!found || *found != added)
        free(added);
    return found ? *found : NULL;
}

int nb_index_add(struct nb_index *index, const char *text, int number)
{
    const struct indexed *entry = add(index, text, number);
    return entry ? entry->number : -1;
}

int nb_index_entry(struct nb_index *index, const char *text, void *array, size_t size, int *count, int *room)
{
    char *entries;
    if (!nb_grow(array, size, *count, room))
        return -1;
    memcpy(&entries, array, sizeof entries);
    const int number = nb_index_add(index, text, *count);
    if (number == *count)
        memset(entries + (size_t)(*count)++ * size, 0, size);
    return number;
}

const char *nb_intern(const char *text)
{
    static struct nb_index kept;
    const struct indexed *entry = add(&kept, text, 0);
    return entry ? entry->text : NULL;
}

void nb_index_free(struct nb_index *index)
{
    tdestroy(index->tree, free);
    index->tree = NULL;
}

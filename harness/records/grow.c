/* Doubles the room of an array that is full, so that adding entries one by one takes linear time. */
#include "harness/records/grow.h"

#include <stdlib.h>

void *nb_grow(void *array, size_t size, int count, int *room)
{
    if (count < *room)
        return array;
    const int larger = 2 * *room + 64;
    void *grown = realloc(array, (size_t)larger * size);
    if (grown)
        *room = larger;
    return grown;
}

/* Doubles the room of an array that is full, so that adding entries one by one takes linear time. */
#include "harness/records/grow.h"

#include <stdlib.h>
#include <string.h>

bool nb_grow(void *array, size_t size, int count, int *room)
{
    if (count < *room)
        return true;
    const int larger = 2 * *room + 64;
    void *before;
    memcpy(&before, array, sizeof before);
    void *grown = realloc(before, (size_t)larger * size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *room = larger;
    return true;
}

/* No search: the nearest corner, as where only the vertices of a mesh are tested ("Simple" in table 4 of Macklin 2020,
 * thesis). */
#include "problems/distance/closest.h"

static void search(const struct nb_element *element, int iterations, struct nb_closest *best, double *trace)
{
    (void)element;
    for (int i = 0; trace && i < iterations; ++i)
        trace[i] = best->distance;
}

const struct nb_closest_method nb_closest_corners = {
    .name = "corners", .title = "Corners alone", .number = 0, .search = search};

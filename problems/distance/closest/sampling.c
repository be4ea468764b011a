/* Points of a low-discrepancy sequence, the comparison of Macklin 2020 (thesis, 6.7.3): an iteration looks at one more.
 * On a segment it is van der Corput's in base 2, on a triangle that of Basu and Owen (2015): the digits of i in base 4
 * choose one of the four parts of the triangle, the one in the middle first, over and over; the point is the middle of
 * the last one. */
#include <string.h>

#include "problems/distance/closest.h"

static void on_segment(int i, double *w)
{
    w[1] = 0;
    for (double digit = 0.5; i > 0; i /= 2, digit /= 2)
        w[1] += i % 2 ? digit : 0;
    w[0] = 1 - w[1];
}

/* corner[k] are the weights of the part's corners. */
static void choose_part(int digit, double corner[3][3])
{
    double middle[3][3]; /* of the side that is opposite to corner k */
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c)
            middle[k][c] = (corner[(k + 1) % 3][c] + corner[(k + 2) % 3][c]) / 2;
    if (digit > 0)
        memcpy(middle[digit - 1], corner[digit - 1], sizeof middle[0]);
    memcpy(corner, middle, sizeof middle);
}

static void on_triangle(int i, double *w)
{
    double corner[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (; i > 0; i /= 4)
        choose_part(i % 4, corner);
    for (int c = 0; c < 3; ++c)
        w[c] = (corner[0][c] + corner[1][c] + corner[2][c]) / 3;
}

static void search(const struct nb_element *element, int iterations, struct nb_closest *best, double *trace)
{
    for (int i = 0; i < iterations; ++i) {
        double w[3] = {0, 0, 0};
        if (element->corners == 2)
            on_segment(i + 1, w); /* the first is a corner */
        else
            on_triangle(i, w);
        nb_closest_look(element, w, best, NULL);
        if (trace)
            trace[i] = best->distance;
    }
}

const struct nb_closest_method nb_closest_sampling = {
    .name = "sampling", .title = "Sampled points", .number = 4, .search = search};

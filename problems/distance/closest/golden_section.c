/* Golden-section search (Macklin 2020, thesis, 6.3.1): of a segment one look an iteration, without gradients.
 *
 * A triangle is searched in two: its points are w = (1 - s, s (1 - t), s t), and what is searched over s is the least
 * over t. If phi is convex both are unimodal, and the nearest point is found; an iteration then takes a whole search
 * over t. */
#include <math.h>

#include "problems/distance/closest.h"

struct line {
    const struct nb_element *element;
    struct nb_closest *best;
    int iterations;
    double s; /* of a triangle, while t is searched */
};

static double at_t(const struct line *line, double t)
{
    const double weight[3] = {1 - line->s, line->s * (1 - t), line->s * t};
    return nb_closest_look(line->element, weight, line->best, NULL);
}

/* The least over [0, 1]. */
static double search_line(const struct line *line, double (*at)(const struct line *line, double x), double *trace)
{
    static const double ratio = 0.6180339887498949;
    double low = 0, high = 1, left = 1 - ratio, right = ratio;
    double of_left = at(line, left), of_right = at(line, right);
    for (int i = 0; i < line->iterations; ++i) {
        if (of_left < of_right) {
            high = right;
            right = left;
            of_right = of_left;
            left = high - ratio * (high - low);
            of_left = at(line, left);
        } else {
            low = left;
            left = right;
            of_left = of_right;
            right = low + ratio * (high - low);
            of_right = at(line, right);
        }
        if (trace)
            trace[i] = line->best->distance;
    }
    return fmin(of_left, of_right);
}

static double at_s(const struct line *line, double s)
{
    struct line inner = *line;
    inner.s = s;
    return search_line(&inner, at_t, NULL);
}

static double on_segment(const struct line *line, double x)
{
    const double weight[3] = {1 - x, x, 0};
    return nb_closest_look(line->element, weight, line->best, NULL);
}

static void search(const struct nb_element *element, int iterations, struct nb_closest *best, double *trace)
{
    const struct line line = {element, best, iterations, 0};
    search_line(&line, element->corners == 2 ? on_segment : at_s, trace);
}

const struct nb_closest_method nb_closest_golden_section = {
    .name = "golden_section", .title = "Golden section", .number = 3, .search = search};

/* Projected gradient (Macklin 2020, thesis, 6.2.1): w <- P(w - alpha d), d_k = grad phi . p_k, with P the nearest point
 * of the simplex and a fixed step. The step is not printed. A distance grows by at most the way, so that alpha = s/l
 * with the element's longest side l moves the point by s l at most, whatever the element's size. */
#include <math.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/distance/closest.h"

/* max(w - theta, 0), theta such that the sum is 1: with the largest k entries for the largest k at which the kth stays
 * above theta. */
static void project(double *w, int count)
{
    double sorted[3] = {w[0], w[1], count > 2 ? w[2] : -INFINITY}, sum = 0, theta = 0;
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            if (sorted[j] > sorted[i]) {
                const double larger = sorted[j];
                sorted[j] = sorted[i];
                sorted[i] = larger;
            }
    for (int k = 0; k < count; ++k) {
        sum += sorted[k];
        if (sorted[k] > (sum - 1) / (k + 1))
            theta = (sum - 1) / (k + 1);
    }
    for (int k = 0; k < count; ++k)
        w[k] = fmax(w[k] - theta, 0);
}

static double longest_side(const struct nb_element *element)
{
    double longest = 0;
    for (int k = 0; k < element->corners; ++k) {
        double side[3];
        nb_subtract3(element->corner + 3 * ((k + 1) % element->corners), element->corner + 3 * k, side);
        longest = fmax(longest, nb_norm3(side));
    }
    return longest;
}

static void search(const struct nb_element *element, int iterations, struct nb_closest *best, double *trace)
{
    const double length = longest_side(element), step = element->descent > 0 ? element->descent : NB_CLOSEST_DESCENT;
    const double alpha = length > 0 ? step / length : 0;
    double w[3], gradient[3];
    memcpy(w, best->weight, sizeof w);
    nb_closest_look(element, w, best, gradient);
    for (int i = 0; i < iterations; ++i) {
        for (int k = 0; k < element->corners; ++k) {
            double arm[3]; /* from one corner: what is added to all of d changes nothing */
            nb_subtract3(element->corner + 3 * k, element->corner, arm);
            w[k] -= alpha * nb_dot3(gradient, arm);
        }
        project(w, element->corners);
        nb_closest_look(element, w, best, gradient);
        if (trace)
            trace[i] = best->distance;
    }
}

const struct nb_closest_method nb_closest_projected_gradient = {
    .name = "projected_gradient", .title = "Projected gradient", .number = 1, .search = search};

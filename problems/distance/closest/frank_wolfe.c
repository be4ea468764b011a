/* Frank and Wolfe's method (Macklin 2020, thesis, 6.2.2): towards the corner at which the linear model is least,
 *
 *     s_i = argmin_k p_k . grad phi(x_i),   x_i+1 = x_i + 2/(i + 2) (s_i - x_i),
 *
 * which needs neither a projection nor a step length. */
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/distance/closest.h"

static int least_corner(const struct nb_element *element, const double *gradient)
{
    int least = 0;
    for (int k = 1; k < element->corners; ++k)
        if (nb_dot3(gradient, element->corner + 3 * k) < nb_dot3(gradient, element->corner + 3 * least))
            least = k;
    return least;
}

static void search(const struct nb_element *element, int iterations, struct nb_closest *best, double *trace)
{
    double w[3], gradient[3];
    memcpy(w, best->weight, sizeof w);
    nb_closest_look(element, w, best, gradient);
    for (int i = 0; i < iterations; ++i) {
        const double alpha = 2. / (i + 2);
        const int corner = least_corner(element, gradient);
        for (int k = 0; k < element->corners; ++k)
            w[k] += alpha * ((k == corner) - w[k]);
        nb_closest_look(element, w, best, gradient);
        if (trace)
            trace[i] = best->distance;
    }
}

const struct nb_closest_method nb_closest_frank_wolfe = {
    .name = "frank_wolfe", .title = "Frank-Wolfe", .number = 2, .search = search};

/* The slot of closest-point methods, and what they share. */
#include "problems/distance/closest.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "rows.h"

#define DECLARE(kind, name) extern const struct nb_closest_method nb_##kind##_##name;
NB_ROWS_CLOSEST(DECLARE)
#define LIST(kind, name) &nb_##kind##_##name,
static const struct nb_closest_method *const methods[] = {NB_ROWS_CLOSEST(LIST) NULL};

static const double negligible = 1e-5;

const struct nb_closest_method *const *nb_closest_methods(void)
{
    return methods;
}

const struct nb_closest_method *nb_closest_numbered(int number)
{
    for (int i = 0; methods[i]; ++i)
        if (methods[i]->number == number)
            return methods[i];
    return NULL;
}

/* The message names those that there are, by number. */
static enum nb_status unknown_number(double search, struct nb_error *error)
{
    char known[384] = "";
    size_t used = 0;
    for (int number = -1, next; used < sizeof known; number = next) {
        next = INT_MAX;
        for (int i = 0; methods[i]; ++i)
            next = methods[i]->number > number && methods[i]->number < next ? methods[i]->number : next;
        if (next == INT_MAX)
            break;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%d %s", used ? ", " : "", next,
                                 nb_closest_numbered(next)->name);
    }
    return nb_fail(error, NB_BAD_INPUT, "search: no closest-point method has the number %g, allowed: %s", search,
                   known);
}

enum nb_status nb_closest_of(const struct nb_problem *problem, const struct nb_closest_method **method,
                             int *iterations, struct nb_error *error)
{
    const double search = nb_problem_parameter(problem, "search", NB_CLOSEST_DEFAULT);
    const double count = nb_problem_parameter(problem, "iterations", NB_CLOSEST_ITERATIONS);
    *method = search >= 0 && search <= INT_MAX && search == floor(search) ? nb_closest_numbered((int)search) : NULL;
    if (!*method)
        return unknown_number(search, error);
    if (!(count >= 1 && count <= 1000))
        return nb_fail(error, NB_BAD_INPUT, "iterations: %g, allowed: 1 to 1000", count);
    *iterations = (int)count;
    return NB_OK;
}

enum nb_status nb_closest_check(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_closest_method *method;
    int iterations;
    return nb_closest_of(problem, &method, &iterations, error);
}

void nb_element_point(const struct nb_element *element, const double *weight, double *x)
{
    memset(x, 0, 3 * sizeof *x);
    // At most three corners, told to the compiler: for some processors it warns of a fourth weight.
    for (int k = 0; k < element->corners && k < 3; ++k)
        nb_add_scaled3(x, weight[k], element->corner + 3 * k, x);
}

double nb_closest_look(const struct nb_element *element, const double *weight, struct nb_closest *best,
                       double *gradient)
{
    double x[3];
    nb_element_point(element, weight, x);
    const double distance = nb_distance_at(element->field, x, gradient);
    if (distance < best->distance) {
        best->distance = distance;
        memcpy(best->weight, weight, (size_t)element->corners * sizeof *weight);
    }
    return distance;
}

static void drop_negligible(const struct nb_element *element, struct nb_closest *best)
{
    double sum = 0;
    int dropped = 0;
    for (int k = 0; k < element->corners; ++k) {
        dropped |= best->weight[k] > 0 && best->weight[k] < negligible;
        best->weight[k] = best->weight[k] < negligible ? 0 : best->weight[k];
        sum += best->weight[k];
    }
    if (!dropped)
        return;
    for (int k = 0; k < element->corners; ++k)
        best->weight[k] /= sum;
    double x[3];
    nb_element_point(element, best->weight, x);
    best->distance = nb_distance_at(element->field, x, NULL);
}

void nb_closest_find(const struct nb_closest_method *method, const struct nb_element *element, int iterations,
                     struct nb_closest *best, double *trace)
{
    *best = (struct nb_closest){.distance = INFINITY};
    for (int k = 0; k < element->corners; ++k) {
        double weight[3] = {0, 0, 0};
        weight[k] = 1;
        nb_closest_look(element, weight, best, NULL);
    }
    method->search(element, iterations, best, trace);
    drop_negligible(element, best);
}

int nb_element_is_far(const struct nb_element *element, double reach)
{
    const double part = 1. / element->corners, weight[3] = {part, part, part};
    double middle[3], radius = 0;
    nb_element_point(element, weight, middle);
    for (int k = 0; k < element->corners; ++k) {
        double arm[3];
        nb_subtract3(element->corner + 3 * k, middle, arm);
        radius = fmax(radius, nb_norm3(arm));
    }
    return nb_distance_at(element->field, middle, NULL) > radius + reach;
}

/* Looks at the registry of float64. */
#include "solvers/precision/f64.h"

#include "harness/contact_functions.h"
#include "solvers/strategy.h"

const void *nb_ncp_in_float64(const char *name)
{
    return NB(nb_find_ncp)(name);
}

const void *nb_scaling_in_float64(const char *name)
{
    return NB(nb_find_scaling)(name);
}

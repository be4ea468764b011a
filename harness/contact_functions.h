/* The NCP functions and scalings of the registry in float64, those of plugins among them, for studies of them
 * (scripts/python/ncpbench_studies.py). */
#ifndef NB_CONTACT_FUNCTIONS_H
#define NB_CONTACT_FUNCTIONS_H

/* As struct nb_ncp and struct nb_scaling of solvers/strategy.h; NULL: there is none of that name. */
const void *nb_ncp_in_float64(const char *name);
const void *nb_scaling_in_float64(const char *name);

#endif

/* A group with `design = pairs` runs some of its combinations only (harness/sweep/spec_design.c). */
#ifndef NB_SPEC_DESIGN_H
#define NB_SPEC_DESIGN_H

#include "harness/sweep/spec.h"

/* cases [*count]: those of earlier groups, and from first on all combinations of the group, those of a problem side by
 * side. Of the latter those stay, in their order, that the design needs. */
enum nb_status nb_design_pairs(const struct nb_spec_section *group, struct nb_case *cases, int first, int *count,
                               struct nb_error *error);

#endif

/* What the rows in solvers/peers/solver/ share: each is a method of Siconos. */
#ifndef NB_PEER_OUTER_H
#define NB_PEER_OUTER_H

#include <Friction_cst.h>

#include "solvers/peers/siconos.h"
#include "solvers/strategy.h"

/* As many as our first-order methods take, where none are asked for. */
enum { NB_SICONOS_ITERATIONS = NB_FIRST_ORDER_ITERATIONS };

extern const struct nb_setting NB(nb_siconos_settings)[];
enum nb_status NB(nb_siconos_setup)(void **self, struct NB(nb_model) *model,
                                    const struct nb_options *options,
                                    const struct nb_siconos_method *method, struct nb_error *error);
enum nb_status NB(nb_siconos_run)(void *self, const struct NB(nb_method_task) *task,
                                  struct nb_error *error);
void NB(nb_siconos_release)(void *self);

#endif

/* What the MuJoCo rows in solvers/peers/solver/ share. */
#ifndef NB_PEER_MUJOCO_ROWS_H
#define NB_PEER_MUJOCO_ROWS_H

#include "solvers/peers/mujoco.h"
#include "solvers/strategy.h"

extern const struct nb_setting NB(nb_mujoco_settings)[];
enum nb_status NB(nb_mujoco_setup)(void **self, struct NB(nb_model) *model,
                                   const struct nb_options *options, enum nb_mujoco_solver solver,
                                   struct nb_error *error);
enum nb_status NB(nb_mujoco_run)(void *self, const struct NB(nb_method_task) *task,
                                 struct nb_error *error);
void NB(nb_mujoco_release)(void *self);

#endif

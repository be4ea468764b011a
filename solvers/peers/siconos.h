/* Siconos' solvers of frictional contact (Acary et al. 2019), through its C interface. Linear steps
 * without bilateral rows: local ones as they are, global ones by the global solvers, or reduced to W and
 * q by Siconos itself when the solver is created.
 *
 * Every solve starts from zero on a fresh copy of the problem, since Siconos keeps factorisations and
 * conversions in its matrices. The copy is not part of the solve. */
#ifndef NB_PEER_SICONOS_H
#define NB_PEER_SICONOS_H

#include "problems/problem.h"

enum nb_siconos_storage { NB_SICONOS_SPARSE, NB_SICONOS_BLOCKS, NB_SICONOS_DENSE };

struct nb_siconos_method {
    int local;        /* SICONOS_FRICTION_3D_..., or 0: global only                   */
    int global;       /* SICONOS_GLOBAL_FRICTION_3D_...; 0: global problems are reduced */
    int one_contact;  /* SICONOS_FRICTION_3D_ONECONTACT_... inside; 0: its default     */
};

struct nb_siconos;

/* NB_UNSUPPORTED with the reason for steps that it cannot take. tolerance: Siconos' own, relative. */
enum nb_status nb_siconos_create(struct nb_siconos **siconos, const struct nb_problem *problem,
                                 const struct nb_siconos_method *method,
                                 enum nb_siconos_storage storage, double tolerance,
                                 struct nb_error *error);

/* At most `iterations` iterations of its own; returns how many it made, and sets *untimed to the seconds
 * that the copy took. */
int nb_siconos_solve(struct nb_siconos *siconos, int iterations, double *untimed);

/* r [3 contacts] [N s] and u: U of a local problem, v of a global one. */
void nb_siconos_solution(struct nb_siconos *siconos, double *r, double *u);

void nb_siconos_free(struct nb_siconos *siconos);

#endif

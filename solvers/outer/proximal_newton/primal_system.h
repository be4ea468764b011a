/* What a Newton step of bodies (primal_system.c) keeps: the pattern of its matrix and its parts. */
#ifndef NB_PRIMAL_SYSTEM_H
#define NB_PRIMAL_SYSTEM_H

#include "solvers/outer/proximal_newton/nonsmooth_system.h"

/* In the precision at hand. */
#define nb_primal_slope NB(nb_primal_slope)
#define nb_primal_system_create NB(nb_primal_system_create)
#define nb_primal_system_free NB(nb_primal_system_free)
#define nb_primal_system NB(nb_primal_system)

struct nb_primal_system {
    struct nb_newton_matrix *matrix;
    size_t blocks, nodes, entries; /* block rows of J, its block columns, its blocks     */
    size_t bilateral_pairs;        /* of nodes of a bilateral block row                          */
    void *memory;         /* holds the arrays from pair_at on, but for mass               */
    int *pair_start;      /* [blocks + 1]                                                 */
    int *pair_at;         /* of each pair of nodes: its block's first entry in the matrix' values */
    int *stride;          /* [nodes] entries of a column of this node                     */
    int *mass_at;         /* of each block of H: its first entry in the matrix' values           */
    nb_matrix *weighted;  /* [9 Jacobian blocks] J H^-1, of sweeps                        */
    struct NB(nb_bsr) mass; /* H, or a general M as given; its pattern is symmetric      */
    nb_real *mass_diagonal; /* [dofs] of a general M, NULL otherwise                     */
    nb_real *slope;         /* [9 Jacobian blocks] S of a nonlinear step, in the place of weighted; else S is J */
    nb_real *pairs;         /* [9 pairs of bilateral rows] d(J^T p)/du, likewise            */
    int curved;             /* d(J^T p)/du is part of the matrix                            */
    nb_real *offset;      /* [rows] U - J u - (E/h^2) p during sweeps                     */
    double *solution;     /* [dofs]                                                       */
};

enum nb_status nb_primal_system_create(struct nb_nonsmooth *system, struct nb_error *error);
void nb_primal_system_free(void *data);

/* Block k of S [9], in the Jacobian's pattern. */
static inline void nb_primal_slope(const struct nb_nonsmooth *system, size_t k, nb_real *out)
{
    const struct nb_primal_system *self = system->self;
    const nb_matrix *jacobian = system->model->jacobian.value;
    for (size_t e = 9 * k; e < 9 * k + 9; ++e)
        out[e - 9 * k] = self->slope ? self->slope[e] : (nb_real)jacobian[e];
}

#endif

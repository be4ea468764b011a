/* Diagonal geometric stiffness of particles, or of bodies, too, found anew from each pair of Newton iterates (Macklin
 * et al. 2019, 8.3, with (73) corrected and taken at equal multipliers):
 *
 *     c_k = -[dg_k - (M du)_k]/du_k = h [(J_new - J_old)^T lambda_new]_k / du_k
 *     H_kk = M_kk - min(0, c_k)
 *
 * H replaces M in the Newton matrix only; residuals keep M. A component that hardly moved says nothing:
 * where the rounding of J^T lambda may outweigh M_kk |du_k|, H_kk stays as it is. */
#ifndef NB_GEOMETRIC_STIFFNESS_H
#define NB_GEOMETRIC_STIFFNESS_H

#include "solvers/model/model.h"

#define nb_geometric NB(nb_geometric)
#define nb_geometric_create NB(nb_geometric_create)
#define nb_geometric_free NB(nb_geometric_free)
#define nb_geometric_inertia NB(nb_geometric_inertia)
#define nb_geometric_look_back NB(nb_geometric_look_back)
#define nb_geometric_noise NB(nb_geometric_noise)
#define nb_geometric_restart NB(nb_geometric_restart)
#define nb_geometric_update NB(nb_geometric_update)

struct nb_geometric {
    struct nb_model *model;   /* borrowed; its H changes                             */
    int armed;                    /* there is an iterate before                          */
    void *memory;                 /* of the arrays below, each [3 nodes] but the first   */
    nb_real *impulse;             /* h lambda_new [3 blocks]                             */
    nb_real *u;                   /* of the iterate before                               */
    nb_real *before, *after;      /* J^T h lambda_new with either Jacobian               */
    size_t body_nodes;            /* whose H changes, too; 0: of particles only          */
    nb_real *mass, *inverse, *ratio, *shift; /* [9 body_nodes] M, M^-1, H^-1 M; [3 body_nodes] H - M */
    nb_real *root;                           /* [9 body_nodes] of M^-1 */
};

/* The model must outlive it. bodies: of these, too. */
enum nb_status nb_geometric_create(struct nb_geometric **geometric, struct nb_model *model, int bodies,
                                   struct nb_error *error);
void nb_geometric_free(struct nb_geometric *geometric);

/* H = M, and no iterate before. */
void nb_geometric_restart(struct nb_geometric *geometric);

/* Around the model's evaluation at a new iterate (u, lambda): the first with the Jacobian of the iterate
 * before still in place, the second with the new one. */
void nb_geometric_look_back(struct nb_geometric *geometric, const nb_real *lambda);
void nb_geometric_update(struct nb_geometric *geometric, const nb_real *u);

/* What follows, a CUDA device does with the same source (solvers/cuda/step/geometry_stages.cuh). */

/* Rounding in a difference of two J^T h lambda whose largest entries are these. */
NB_BOTH nb_real nb_geometric_noise(nb_real before, nb_real after)
{
    return 16 * NB_REAL(NB_UNIT_ROUNDOFF) * (before + after);
}

/* H_kk where u_k has changed by `moved` and (J^T h lambda)_k by `gathered`; 0 where that says nothing. */
NB_BOTH nb_real nb_geometric_inertia(nb_real mass, nb_real moved, nb_real gathered, nb_real noise)
{
    return mass * nb_abs(moved) > noise ? mass - nb_min(0, gathered / moved) : 0;
}

#endif

/* Elastic energies by principal stretches and strains, in this precision (problems/problem.h).
 * Private to problems/model. */
#ifndef NB_MODEL_MATERIAL_H
#define NB_MODEL_MATERIAL_H

#include "problems/model/stretch.h"

struct NB(nb_material) {
    nb_real lambda, mu;   /* [Pa] */
    nb_real inflation;    /* p [Pa] */
    int diagonal;         /* E is the inverse of a diagonal that bounds the Hessian */
};

/* dPsi/ds - p (1, 1, 1) [3], and (d2Psi/ds2)^-1 [9], the Hessian projected to positive definite. */
void NB(nb_neo_hookean)(const struct NB(nb_material) *material, const nb_real *s, nb_real *stress,
                        nb_real *compliance);

/* Hooke's six rows: strain e = V (diag(s) - 1) V^T in the order of problems/problem.h, its stress less
 * the pressure [6], and K^-1 of the normal rows [9]; that of a shear row is 1/mu. */
void NB(nb_hooke)(const struct NB(nb_material) *material, const struct NB(nb_stretch) *stretch,
                  nb_real *stress, nb_real *compliance);

/* Stiffness [3] against turning of the axes (j, k), i, j, k cyclic: flip (Psi_j - Psi_k)/(s_j - s_k) and
 * twist (Psi_j + Psi_k)/(s_j + s_k), maybe negative. Hooke's flip is 2 mu. */
void NB(nb_neo_hookean_axes)(const struct NB(nb_material) *material, const nb_real *s, nb_real *flip,
                             nb_real *twist);
void NB(nb_hooke_axes)(const struct NB(nb_material) *material, const nb_real *s, nb_real *twist);

#endif

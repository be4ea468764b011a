/* Elastic energies by principal stretches and strains, in this precision (problems/problem.h).
 * Private to solvers/model/rows and the CUDA solvers.
 *
 * Stable neo-Hookean and Hooke (Macklin et al. 2019, 9.2 and appendix B; Smith, De Goes and Kim 2018;
 * docs/theory/design.md, section 3):
 *
 *     Psi = C_1 (s.s - 3) + D_1 (J - alpha)^2,   C_1 = mu/2,  D_1 = (lambda + mu)/2,  alpha = 1 + C_1/D_1
 *     dPsi/ds_i = 2 C_1 (s_i - s_j s_k) + 2 D_1 (J - 1) s_j s_k
 *
 * The second form, free of the difference of two large stresses at rest, follows from
 * D_1 (J - alpha) = D_1 (J - 1) - C_1. */
#ifndef NB_MODEL_MATERIAL_H
#define NB_MODEL_MATERIAL_H

#include "solvers/model/rows/stretch.h"

struct NB(nb_material) {
    nb_real lambda, mu;   /* [Pa] */
    nb_real inflation;    /* p [Pa] */
    int diagonal;         /* E is the inverse of a diagonal that bounds the Hessian */
};

/* Least size of the projected Hessian's eigenvalues over mu; at rest the least one is 2 mu. */
#define NB_LEAST_STIFFNESS NB_REAL(0.01)

/* Least sum of two stretches in a twist's stiffness, which has no bound where the element turns inside
 * out; at rest the sum is 2. */
#define NB_LEAST_SUM NB_REAL(0.01)

/* The inverse of a diagonal that is nowhere softer than the matrix (Gershgorin): with the matrix's own
 * diagonal, Newton's method overshoots in volume where nu is large, and diverges. */
NB_BOTH void NB(nb_invert_row_sums)(const nb_real *matrix, nb_real least, nb_real *out)
{
    memset(out, 0, 9 * sizeof *out);
    for (int i = 0; i < 3; ++i) {
        nb_real sum = 0;
        for (int j = 0; j < 3; ++j)
            sum += nb_abs(matrix[3 * i + j]);
        out[4 * i] = 1 / nb_max(sum, least);
    }
}

/* Eigenvalues count by their size (Chen, Liu, Levin, Zheng and Jacobson 2024): raised to zero, a negative
 * one would let large changes of volume run away. The inverse is a sum of squares and so positive
 * definite in any rounding. */
NB_BOTH void NB(nb_invert_projected)(const nb_real *matrix, nb_real least, nb_real *out)
{
    nb_real e[3], v[9];
    NB(nb_symmetric_eigen)(matrix, e, v);
    memset(out, 0, 9 * sizeof *out);
    for (int k = 0; k < 3; ++k) {
        const nb_real inverse = 1 / nb_max(nb_abs(e[k]), least);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j)
                out[3 * i + j] += inverse * v[3 * k + i] * v[3 * k + j];
    }
    out[1] = out[3], out[2] = out[6], out[5] = out[7];
}

/* dPsi/ds - p (1, 1, 1) [3], and (d2Psi/ds2)^-1 [9], the Hessian projected to positive definite. */
NB_BOTH void NB(nb_neo_hookean)(const struct NB(nb_material) *material, const nb_real *s,
                                nb_real *stress, nb_real *compliance)
{
    const nb_real c = material->mu / 2, d = (material->lambda + material->mu) / 2;
    const nb_real growth = s[0] * s[1] * s[2] - 1; /* J - 1 */
    nb_real hessian[9];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const nb_real area = s[j] * s[k];
        stress[i] = 2 * (c * (s[i] - area) + d * growth * area) - material->inflation;
        hessian[4 * i] = 2 * (c + d * area * area);
        /* 2 J - alpha = 2 (J - 1) + 1 - C_1/D_1 */
        hessian[3 * i + j] = hessian[3 * j + i] = 2 * s[k] * (d * (2 * growth + 1) - c);
    }
    if (material->diagonal)
        NB(nb_invert_row_sums)(hessian, NB_LEAST_STIFFNESS * material->mu, compliance);
    else
        NB(nb_invert_projected)(hessian, NB_LEAST_STIFFNESS * material->mu, compliance);
}

/* Hooke's six rows: strain e = V (diag(s) - 1) V^T in the order of problems/problem.h, its stress less
 * the pressure [6], and K^-1 of the normal rows [9]; that of a shear row is 1/mu. */
NB_BOTH void NB(nb_hooke)(const struct NB(nb_material) *material,
                          const struct NB(nb_stretch) *stretch, nb_real *stress,
                          nb_real *compliance)
{
    const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const nb_real lambda = material->lambda, mu = material->mu, *v = stretch->right;
    nb_real trace = 0;
    for (int k = 0; k < 3; ++k)
        trace += stretch->value[k] - 1;
    for (int r = 0; r < 6; ++r) {
        nb_real strain = 0;
        for (int k = 0; k < 3; ++k)
            strain += (stretch->value[k] - 1) * v[3 * k + axis[r][0]] * v[3 * k + axis[r][1]];
        stress[r] = 2 * mu * strain + (r < 3 ? lambda * trace - material->inflation : 0);
    }
    for (int k = 0; k < 9; ++k) {
        const nb_real full = (k % 4 == 0 ? lambda + mu : -lambda / 2) /
                             (mu * (3 * lambda + 2 * mu));
        const nb_real own = k % 4 == 0 ? 1 / (3 * lambda + 2 * mu) : 0;
        compliance[k] = material->diagonal ? own : full;
    }
}

/* The pressure's part: it pulls at s_j + s_k. */
NB_BOTH nb_real NB(nb_pressure_twist)(const struct NB(nb_material) *material, nb_real sum)
{
    return 2 * material->inflation / nb_max(sum, NB_LEAST_SUM);
}

/* Stiffness [3] against turning of the axes (j, k), i, j, k cyclic: flip (Psi_j - Psi_k)/(s_j - s_k) and
 * twist (Psi_j + Psi_k)/(s_j + s_k), maybe negative. Hooke's flip is 2 mu. */
NB_BOTH void NB(nb_neo_hookean_axes)(const struct NB(nb_material) *material, const nb_real *s,
                                     nb_real *flip, nb_real *twist)
{
    const nb_real c = material->mu / 2, d = (material->lambda + material->mu) / 2;
    const nb_real growth = s[0] * s[1] * s[2] - 1;
    for (int i = 0; i < 3; ++i) {
        const nb_real along = s[i] * (d * growth - c);
        flip[i] = 2 * (c - along);
        twist[i] = 2 * (c + along) - NB(nb_pressure_twist)(material, s[(i + 1) % 3] + s[(i + 2) % 3]);
    }
}

NB_BOTH void NB(nb_hooke_axes)(const struct NB(nb_material) *material, const nb_real *s,
                               nb_real *twist)
{
    const nb_real trace = s[0] + s[1] + s[2] - 3;
    for (int i = 0; i < 3; ++i) {
        const nb_real sum = s[(i + 1) % 3] + s[(i + 2) % 3];
        twist[i] = 2 * (material->mu * (sum - 2) + material->lambda * trace) / nb_max(sum, NB_LEAST_SUM) -
                   NB(nb_pressure_twist)(material, sum);
    }
}

#endif

/* Linear tetrahedra in compliance form, in double: strains, stresses, stiffness and Jacobian of one
 * element (problems/problem.h has the materials). The linearised step and the judge use it; solvers
 * evaluate elements on their own, per precision. */
#ifndef NB_ELEMENTS_H
#define NB_ELEMENTS_H

#include "problems/problem.h"

struct nb_element {
    int rows;              /* 6 or 3                                                            */
    double volume;         /* V > 0 at rest [m^3]                                               */
    double energy;         /* V (Psi - p (s_1 + s_2 + s_3)) of normal strains, 0 at rest [J]    */
    double strain[6];      /* s [1]                                                             */
    double stress[6];      /* dPsi/ds with the inflation [Pa]                                   */
    double stiffness[36];  /* d2Psi/ds2 [rows x rows] [Pa], its eigenvalues by their size, at
                              least mu/100                                                  */
    double compliance[36]; /* E = (V d2Psi/ds2)^-1 [rows x rows] [1/(N m)]                      */
    double jacobian[72];   /* J [rows x 12] by the velocities of the four particles [1/m]       */
    double stretch[3];     /* principal stretches of F, descending, the last signed [1]         */
};

/* Tetrahedron `index` where all particles are at position [3 particles]. */
void nb_element_evaluate(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                         struct nb_element *element);

/* The slope of an element's forces by its particles' positions, d2(V Psi)/dx2 [12 x 12] [N/m],
 * raised to positive semidefinite in the eigensystem of Smith et al. 2019. The rows' own V J^T
 * (d2Psi/ds2) J is a part of it: it lacks the turns of the stretches' axes, and with them, where s
 * are principal stretches, all stiffness in shear. */
void nb_element_tangent(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                        double *tangent);

/* The same with the signs that it has: the derivative of the forces. */
void nb_element_hessian(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                        double *hessian);

/* Stress and strain in the world's axes, as xx, yy, zz, xy, yz, xz [6 each]: Cauchy stress with the
 * inflation [Pa] and Biot strain (V - 1 with F = V Q) [1]; with F = U diag(s) V^T and g = dPsi/ds
 *
 *     sigma = U diag(g_i s_i / J) U^T,   e = U diag(s_i - 1) U^T.
 *
 * An element as good as flat (|J| < 1e-6) has the stress of one that is not quite. */
void nb_element_tensors(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                        double *stress, double *strain);

/* det R / 6 [m^3] */
double nb_element_volume(const struct nb_tetrahedra *tetrahedra, int index);

#endif

/* Shells of triangles that bend, as ties (problems/problem.h). Across the edge i of a triangle of area A, with the
 * length l_i and the outward normal nu_i in the plane at rest, both triangles' outward conormals have a sum, which
 * times l_i is linear in the positions (Bergou, Wardetzky, Harmon, Zorin and Grinspun 2006), p_0 and p_1 being the ends
 * of the edge and q_t the opposite corners:
 *
 *     c_i = sum_t cot_1t p_0 + cot_0t p_1 - (cot_0t + cot_1t) q_t,     |c_i| = 2 l_i sin(theta_i/2),
 *
 * theta_i the angle between the triangles, as long as they do not stretch. The triangle's curvature is then
 * kappa = sum_i c_i nu_i nu_i^T/(2 A) (Grinspun, Gingold, Reisman and Zorin 2006), a vector for each entry, and its
 * energy that of a plate of rigidity D [N m] and Poisson's ratio nu,
 *
 *     D A/2 ((1 - nu) |kappa|^2 + nu |tr kappa|^2) = sum_ij G_ij c_i . c_j/2,
 *     G_ij = D/(4 A) ((1 - nu) (nu_i . nu_j)^2 + nu).
 *
 * Edges without a neighbour are free: their c_i is eliminated. G's eigenvectors make a tie of each edge that is left,
 * with its eigenvalue as the stiffness. The shell is flat at rest. On a lattice whose diagonals have one direction all
 * constant curvatures are exact; with crossing diagonals twist is twice as stiff. */
#ifndef NB_SCENE_SHELL_H
#define NB_SCENE_SHELL_H

#include "problems/problem.h"

struct nb_plate {
    double rigidity; /* D > 0 [N m]         */
    double poisson;  /* nu, -1 < nu < 1 [1] */
};

/* Ties of a triangle as it is now, from index `first` on; wing[i] is opposite to the edge from corner i to the next in
 * the triangle beside it, -1 where there is none. Returns how many: one for each wing. */
int nb_scene_bend(struct nb_problem *problem, int first, const int *corner, const int *wing,
                  const struct nb_plate *plate);

#endif

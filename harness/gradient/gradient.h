/* Gradients of a step: how a velocity after the step answers to what the step is made of, while no contact changes
 * its state (Macklin 2020, chapters 5 and 7.3; docs/guide/gradients.md). At a solution every contact is open, sticks or
 * slides, and the step is a smooth system of equations for x = (u, p), p = h lambda:
 *
 *     momentum    M (u - u~) - J(q+)^T p - h f_e(q+) = 0     f_e: forces of elements
 *     bilateral   c_b(q+)/h + E/h^2 p = 0
 *     closed      C_n(q+)/h + e/h^2 p_n = 0                  e = 0 [m/N]
 *     sticks      D^T u = 0
 *     slides      p_T + mu p_n D^T u / |D^T u| = 0
 *     open        p = 0
 *
 * or F(x, theta) = 0. For y = w . u the transposed system (dF/dx)^T z = (w, 0) is solved once, and dy/dtheta =
 * -z . dF/dtheta of all theta. Contacts keep their points and normals: it is the gradient of the step in the file, not
 * of finding contacts. With those to u- and to positions q-, where q+ = q- + h u, gradients go on from step to step:
 * for y of a state after the step that answers by y_q to q+ and by y_u to u, w is y_u + h y_q, and y_q is added to what
 * comes of positions.
 *
 * A step in which a contact is on the border between two states, such as one that touches without a force, has no
 * gradient; how far the next one is from its border is the margin. Of redundant rows only what they do together is
 * determined, and compliance of one of them has no gradient. */
#ifndef NB_GRADIENT_H
#define NB_GRADIENT_H

#include <stdbool.h>

#include "problems/problem.h"

/* What a velocity may answer to: velocities u- before the step [m/s, rad/s]; positions q- of bodies' centres and of
 * particles [m], points of contacts and joints in the world staying; masses [kg], with which inertia grows, and
 * forces other than gravity, as torques, stay; coefficients of friction; forces in generalised coordinates [N, N m],
 * constant over the step; compliances E of rows [m/N], bilateral ones, then normals of contacts; ln Y of tetrahedra. */
#define NB_GRADIENT_ROWS(FIRST, NEXT) \
    FIRST(velocity)                   \
    NEXT(position)                    \
    NEXT(mass)                        \
    NEXT(friction)                    \
    NEXT(force)                       \
    NEXT(compliance)                  \
    NEXT(modulus)
enum nb_gradient_to {
#define ROW(name) NB_GRADIENT_##name,
    NB_GRADIENT_ROWS(ROW, ROW)
#undef ROW
    NB_GRADIENT_KINDS
};
#define NB_GRADIENT_FIRST(name) #name
#define NB_GRADIENT_NEXT(name) "," #name
#define NB_GRADIENT_NAMES NB_GRADIENT_ROWS(NB_GRADIENT_FIRST, NB_GRADIENT_NEXT) /* "velocity,mass,..." */

/* The name of a kind; NULL outside 0 to NB_GRADIENT_KINDS - 1. */
const char *nb_gradient_name(int to);

/* How many numbers of a kind a step has: velocities; 3 a body, then 3 a particle; bodies, then particles; contacts;
 * velocities; bilateral rows but those of elements, then contacts with limits; tetrahedra. 0: it has none or, of a
 * linear step, does not know. */
int nb_gradient_size(const struct nb_problem *problem, enum nb_gradient_to to);

enum nb_contact_state { NB_CONTACT_OPEN, NB_CONTACT_STICKS, NB_CONTACT_SLIDES };

struct nb_gradient; /* opaque */

/* The system at a solution (u [dofs], lambda [multipliers]), factorised. The problem must outlive it. NB_UNSUPPORTED
 * with the reason where there is no gradient: the margin is below NB_GRADIENT_MARGIN, or the form is local. */
enum nb_status nb_gradient_create(struct nb_gradient **gradient, const struct nb_problem *problem, const double *u,
                                  const double *lambda, struct nb_error *error);
void nb_gradient_free(struct nb_gradient *gradient);

/* The root of the unit of roundoff: a solution itself is not known better by much */
#define NB_GRADIENT_MARGIN 0x1p-26

/* What may be left of the transposed system. Redundant contacts that slide in several directions share their forces,
 * and with them friction, in many ways: by this share of itself a velocity is then not determined. */
#define NB_GRADIENT_LEFT 0x1p-13

/* The least distance of a contact from another state: of an open one its velocity, of a closed one its w p_n, of a
 * sticking one w (mu p_n - |p_T|), of a sliding one its speed, over the largest of all of these; INFINITY without
 * contacts. contact: which one, -1 without. w is the row's of J M^-1 J^T. */
double nb_gradient_margin(const struct nb_gradient *gradient, int *contact);

enum nb_contact_state nb_gradient_state(const struct nb_gradient *gradient, int contact);

/* Solves the transposed system for weight [dofs]. NB_BREAKDOWN where w . u is not determined by the step, as when the
 * system is singular otherwise than by redundant rows. */
enum nb_status nb_gradient_solve(struct nb_gradient *gradient, const double *weight, struct nb_error *error);

/* What the last solve left of its right-hand side, relative, in the norm of the scaled rows. */
double nb_gradient_residual(const struct nb_gradient *gradient);

/* dy/dtheta [nb_gradient_size] after a solve; NaN where it is not determined. */
void nb_gradient_take(const struct nb_gradient *gradient, enum nb_gradient_to to, double *out);

/* Rows of redundant ones, normals of contacts and bilateral rows. */
int nb_gradient_redundant(const struct nb_gradient *gradient);

/* (dF/dx)^T, unsymmetric, and its right-hand side of the last solve: the velocities, then rows that are not open,
 * borrowed. The system is as it is, without scaling, and singular where rows are redundant. */
const struct nb_csr *nb_gradient_system(const struct nb_gradient *gradient, const double **right_side);

#endif

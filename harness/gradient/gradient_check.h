/* Gradients beside central differences: a velocity is found anew with what it answers to changed a little, all of a
 * kind at once and at random, by D(e) = (y(e) - y(-e))/2e and Richardson's (4 D(e/2) - D(e))/3. e falls until no
 * contact changes its state. */
#ifndef NB_GRADIENT_CHECK_H
#define NB_GRADIENT_CHECK_H

#include "harness/gradient/gradient.h"
#include "solvers/solve.h"

/* Solves the step: u [dofs], lambda [multipliers]. */
enum nb_status nb_gradient_answer(const struct nb_problem *problem, const struct nb_options *options, double *u,
                                  double *lambda, struct nb_error *error);

/* gradient has been solved for weight, at (u, lambda). *difference: |differences - gradient . change| over the sum of
 * |gradient_i change_i|, and at least 2^-8 of the velocity's own scale. NaN: contacts change their state however small
 * the change is. Rows without compliance are left out, but for normals of contacts, whose thickness changes by what
 * compliance would give way. */
enum nb_status nb_gradient_check(const struct nb_gradient *gradient, const struct nb_problem *problem,
                                 const struct nb_options *options, const double *weight, const double *u,
                                 const double *lambda, enum nb_gradient_to to, double *difference,
                                 struct nb_error *error);

#endif

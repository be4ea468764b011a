/* Linear steps side by side, as one step of independent parts: what a batch of simulations is to a solver, each with a
 * course of its own (problems/copies.h repeats one step). */
#ifndef NB_JOIN_H
#define NB_JOIN_H

#include "problems/problem.h"

/* *out: the global linear steps parts [count >= 1], with the time step and provenance of the first. Velocities and
 * bilateral rows follow each other part by part; of the contacts, first those that a part has a drawing of, then the
 * others, likewise. Shapes stand in a square pattern, x fastest, planes of the first part alone. On failure *out is
 * cleared. */
enum nb_status nb_problem_join(const struct nb_problem *parts, int count, struct nb_problem *out,
                               struct nb_error *error);

#endif

/* Problems by pointer, for languages that call C by name and do not know the layout of struct nb_problem
 * (scripts/python/ncpbench.py): the other functions take such a pointer as they take any. */
#ifndef NB_HANDLE_H
#define NB_HANDLE_H

#include "problems/problem.h"

/* A cleared problem, to be read or set; NULL without memory. */
struct nb_problem *nb_problem_new(void);

/* Frees the problem and what it owns; NULL is fine. */
void nb_problem_delete(struct nb_problem *problem);

/* Makes the problem a linear step (NB_LINEAR_GLOBAL or NB_LINEAR_LOCAL) of that name, with h = 1 s and copies of the
 * arrays, which are validated first. The step's arrays stay the caller's; matrices that the form lacks have no rows
 * and may have NULL arrays. On failure the problem is as before. */
enum nb_status nb_problem_set_linear(struct nb_problem *problem, enum nb_form form, const char *name,
                                     const struct nb_linear_step *step, struct nb_error *error);

/* *next: the step after this one, a nonlinear one that moves by u [nb_problem_dofs], prepared. On failure it is
 * cleared, and NB_UNSUPPORTED where the step is linear. */
enum nb_status nb_problem_next(const struct nb_problem *problem, const double *u, struct nb_problem *next,
                               struct nb_error *error);

enum nb_form nb_problem_form(const struct nb_problem *problem);
int nb_problem_parameters(const struct nb_problem *problem, const struct nb_parameter **first); /* their number */
double nb_problem_time_step(const struct nb_problem *problem); /* [s] */

/* The linear step, owned by the problem; NULL in a nonlinear one (nb_problem_linearize makes it one). */
const struct nb_linear_step *nb_problem_linear_step(const struct nb_problem *problem);

/* How many contacts, the first ones, have a place that is known. Unless NULL, [2] body, [3] point and [9] frame of each
 * are written, as struct nb_drawing has them; the point is the middle of both sides'. */
int nb_problem_places(const struct nb_problem *problem, int *body, double *point, double *frame);

/* Gives a linear step's first contacts their places, of which it takes copies. On failure the problem is as before. */
enum nb_status nb_problem_place(struct nb_problem *problem, const struct nb_drawing *places, struct nb_error *error);

#endif

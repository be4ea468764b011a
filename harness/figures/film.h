/* A film: figure 14 of step after step, by one camera and one scale, as an animated GIF. */
#ifndef NB_FILM_H
#define NB_FILM_H

#include "problems/problem.h"

struct nb_film;

/* Frames are kept in a hidden folder beside path until the film is made. seconds: from one frame to the next. The
 * caller ends it also after a failure. */
enum nb_status nb_film_begin(struct nb_film **film, const char *path, double seconds, struct nb_error *error);

/* The problem with its contact forces lambda [N]. */
enum nb_status nb_film_add(struct nb_film *film, const struct nb_problem *problem, const double *lambda,
                           struct nb_error *error);

/* With at least a frame, has gnuplot draw them, and puts the file in place. */
enum nb_status nb_film_finish(struct nb_film *film, struct nb_error *error);
void nb_film_end(struct nb_film *film); /* NULL is fine */

#endif

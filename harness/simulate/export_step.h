/* What `export` writes of one step: the problem file, and on request its Newton systems, as Matrix
 * Market too, and a VTKHDF file with the forces of its solution. */
#ifndef NB_EXPORT_STEP_H
#define NB_EXPORT_STEP_H

#include <stdbool.h>

#include "problems/problem.h"
#include "solvers/solve.h"

struct nb_export {
    const char *path;          /* of the problem file                      */
    const char *vtkhdf;        /* of the drawing, or NULL                  */
    const char *matrix_market; /* prefix of the files, or NULL             */
    bool newton_systems;
    int system;    /* the only Newton iteration whose system is kept; -1: the first ten */
    bool numbered; /* the step's number goes before the suffixes: arch-0042.h5 */
    struct nb_options options; /* of the solver that takes the systems and solves for the drawing */
};

/* Writes the prepared step and says so on stdout. */
enum nb_status nb_export_step(const struct nb_export *request, const struct nb_problem *problem,
                              struct nb_error *error);

#endif

/* VTKHDF, for ParaView and VTK (docs.vtk.org, VTKHDF file format): a step as one UnstructuredGrid
 * of version 1.0, which every reader of VTKHDF knows, or steps one after the other, as version 2.0 has them (VTK 9.3,
 * ParaView 5.12). Written only; what is in it says
 * docs/reference/formats.md. */
#ifndef NB_VTKHDF_H
#define NB_VTKHDF_H

#include "problems/problem.h"

/* A solution to draw: u [nb_problem_dofs], lambda [nb_problem_multipliers], and the status of each
 * contact, 0 open, 1 stick, 2 slip. Borrowed. */
struct nb_vtkhdf_solution {
    const double *u, *lambda;
    const int *status;
};

/* Writes a step at q-; solution may be NULL, then no forces are known. NB_UNSUPPORTED for a linear step without
 * shapes. */
enum nb_status nb_vtkhdf_write(const char *path, const struct nb_problem *problem,
                               const struct nb_vtkhdf_solution *solution, struct nb_error *error);

/* The steps of one file, which is written at the end: grids are kept until then. */
struct nb_vtkhdf_series;

/* Appends a step at q-; *series is NULL before the first. */
enum nb_status nb_vtkhdf_series_add(struct nb_vtkhdf_series **series, const struct nb_problem *problem,
                                    const struct nb_vtkhdf_solution *solution, struct nb_error *error);
enum nb_status nb_vtkhdf_series_write(const struct nb_vtkhdf_series *series, const char *path, struct nb_error *error);
void nb_vtkhdf_series_free(struct nb_vtkhdf_series *series); /* NULL is fine */

#endif

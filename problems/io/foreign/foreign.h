/* Linear steps in the formats of other programs: private to problems/io. Readers fill the problem's linear step, whose
 * time step is 1 where the format has none, and keep their first failure in the reader, as all of this folder. */
#ifndef NB_FOREIGN_H
#define NB_FOREIGN_H

#include "problems/io/notes.h"
#include "problems/io/parts.h"

/* Arrays at the root of an HDF5 file, as users of numpy and scipy store them: M, H, f, w, mu, or W, q, mu; with
 * bilateral rows also G, b, or V, R, s. A matrix is a dense array, or a group with data, indices, indptr and shape
 * (csr or csc), or data, row, col (coo). nb_has_arrays: whether the file has those of either form. */
int nb_has_arrays(struct nb_reader *reader);
void nb_read_arrays(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem);
enum nb_status nb_write_arrays(const char *path, const struct nb_problem *linear, struct nb_error *error);

/* Siconos' text (frictionContact_printInFile, globalFrictionContact_printInFile and their rolling variants), dense, in
 * blocks or sparse: content [size, and a zero behind them]. */
void nb_read_siconos(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem);
enum nb_status nb_write_siconos(const char *path, const struct nb_problem *linear, struct nb_error *error);

/* Matrix Market text, a file a part: NAME.M.mtx, NAME.H.mtx, NAME.f.mtx, ... beside NAME.mtx, which is not there. */
enum nb_status nb_read_market_step(const char *path, struct nb_problem *problem, struct nb_error *error);
enum nb_status nb_write_market_step(const char *path, const struct nb_problem *linear, struct nb_error *error);

/* What is said where one problem file is asked for. */
enum nb_status nb_refuse_market_step(const char *path, struct nb_error *error);

/* MuJoCo's XML of a nonlinear step of rigid bodies and joints without compliance; what it has no place for is refused
 * with the reason. */
enum nb_status nb_write_mjcf(const char *path, const struct nb_problem *problem, struct nb_error *error);

#endif

/* Problem files: ncpbench's own HDF5 format (docs/reference/formats.md) and plain FCLIB files. This folder is
 * the only user of HDF5. Files are written beside their target and renamed into place. */
#ifndef NB_PROBLEM_FILE_H
#define NB_PROBLEM_FILE_H

#include <stddef.h>

#include "problems/io/notes.h"
#include "problems/problem.h"

#define NB_FORMAT_VERSION 6 /* the newest that is read */

/* From now on this process reads files without trying first, in a child, whether HDF5 survives it: a damaged one may
 * end it. For a process that is there to read, and is watched (harness/sweep/probe.h). */
void nb_problem_read_at_once(void);

/* For a program that does not use HDF5 itself: what HDF5 says of its own stays off for good, also as the program ends,
 * when it tells what damaged files left. */
void nb_problem_hdf5_silent(void);

/* Reads and validates a problem: our format, FCLIB, arrays at the root of an HDF5 file, or Siconos' text (*.dat).
 * Messages name the file and the dataset. On failure *problem is cleared. The file is read once: problem->hash is that
 * of the very bytes that were parsed. */
enum nb_status nb_problem_read(const char *path, struct nb_problem *problem,
                               struct nb_error *error);

/* The same, and what has more than is solved here, rolling friction, without it; and a step as Matrix Market text,
 * which is several files (nb_is_market_step). Notes say what was left out. */
enum nb_status nb_problem_convert_read(const char *path, struct nb_problem *problem, struct nb_notes *notes,
                                       struct nb_error *error);

/* Whether the path is NAME.M.mtx or NAME.W.mtx, or NAME.mtx that is not there itself, and NAME.mu.mtx is there. */
int nb_is_market_step(const char *path);
/* One Newton system of the step (Macklin et al. 2019, 53 and 59): H du - J^T p = -g,
 * J du + C p = -h, and its Schur complement A p = b with p = h dlambda. Rows come in blocks of
 * three (see solvers/model/model.h), so `rows` is a multiple of 3. */
struct nb_newton_system {
    int iteration;       /* the Newton iterate at which it was taken */
    int padding;         /* last rows that Matrix Market text does not have; otherwise 0 */
    struct nb_csr mass;      /* H [dofs x dofs]; empty in a local problem, which has no M */
    struct nb_csr jacobian;  /* J [rows x dofs], scaled as the Newton form scales it; likewise */
    struct nb_csr schur;     /* A [rows x rows], the identity shift included */
    double shift;        /* what was added to its diagonal [1/kg] */
    double *compliance;  /* diag C [rows], without the shift [1/kg] */
    int coupled;         /* of the first so many rows, a multiple of 3, C has 3x3 blocks; 0: diagonal */
    double *coupling;    /* [3 coupled] these blocks, diagonal included [1/kg]; NULL: none */
    double *momentum;    /* g [dofs]       [N s]; NULL in a local problem */
    double *constraint;  /* h [rows]       [m/s]   */
    double *right_side;  /* b [rows]       [m/s]   */
    char hash[NB_HASH_SIZE]; /* SHA-256 of the bytes it was read from, as `sha256sum FILE` prints it; of Matrix
                            Market text as `cat A b | sha256sum`, where there is a b */
};
void nb_newton_system_free(struct nb_newton_system *system);

/* What a simulation recorded on its way to the step of the file: one number a step in each column. */
struct nb_simulation {
    const char *settings;    /* what its bits depend on, one line of JSON; not read with the rest */
    int columns, steps;
    const char *const *name; /* [columns] of datasets; borrowed */
    double **column;         /* [columns][steps] */
};

/* The settings alone, and the columns of the given names; the latter are for the caller to free. A
 * file without a simulation is refused. */
enum nb_status nb_simulation_read_settings(const char *path, char *settings, size_t size,
                                           struct nb_error *error);
enum nb_status nb_simulation_read(const char *path, int columns, const char *const *name,
                                  struct nb_simulation *simulation, struct nb_error *error);
void nb_simulation_free(struct nb_simulation *simulation);

/* Formats of other programs. Of a nonlinear problem they hold the linearised step, but MJCF its bodies; notes say so,
 * and what else is lost. What a format has no place for is refused. */
enum nb_exchange { NB_EXCHANGE_ARRAYS, NB_EXCHANGE_SICONOS, NB_EXCHANGE_MATRIX_MARKET, NB_EXCHANGE_MJCF };
enum nb_status nb_problem_exchange(const char *path, enum nb_exchange format, const struct nb_problem *problem,
                                   struct nb_notes *notes, struct nb_error *error);

/* What may be stored beside the step itself; NULL or zero for none. */
struct nb_problem_extras {
    const double *u, *lambda;                 /* a solution: written as FCLIB's /solution */
    int system_count;
    const struct nb_newton_system *systems;
    const char *settings;                     /* of the run that made the systems, one line */
    const struct nb_simulation *simulation;   /* makes the file a checkpoint */
    int uncompressed;                         /* a larger file that is faster to read */
};

/* Writes a nonlinear problem in our format (with its FCLIB group), a linear one as plain FCLIB
 * plus our provenance attributes. */
enum nb_status nb_problem_write(const char *path, const struct nb_problem *problem,
                                const struct nb_problem_extras *extras, struct nb_error *error);

/* The stored solution, if any (text has none): *u and *lambda are allocated for the caller (sizes as in
 * problems/problem.h) or NULL where the file has none. A file other than that the problem was read from, by its
 * hash, is refused. */
enum nb_status nb_solution_read(const char *path, const struct nb_problem *problem, double **u,
                                double **lambda, struct nb_error *error);

/* The same of one of FCLIB's guesses, from 1; 0: only their number is read, into *guesses. One that is not there is
 * refused. */
enum nb_status nb_guess_read(const char *path, const struct nb_problem *problem, int guess, int *guesses, double **u,
                             double **lambda, struct nb_error *error);

/* Number of stored Newton systems, and one of them. */
enum nb_status nb_newton_system_count(const char *path, int *count, struct nb_error *error);
enum nb_status nb_newton_system_read(const char *path, int index, struct nb_newton_system *system,
                                     struct nb_error *error);

/* A square or rectangular sparse matrix, and a vector, as Matrix Market text. */
enum nb_status nb_matrix_market_write(const char *path, const struct nb_csr *matrix,
                                      struct nb_error *error);
enum nb_status nb_matrix_market_write_vector(const char *path, const double *values, int count,
                                             struct nb_error *error);

#endif

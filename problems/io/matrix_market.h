/* Symmetric linear systems from outside, as Matrix Market text (Boisvert, Pozo and Remington 1996):
 * A coordinate or array, real or integer, symmetric or general with a_ij = a_ji; b an array of one column.
 * Entries that are given twice add up. */
#ifndef NB_MATRIX_MARKET_H
#define NB_MATRIX_MARKET_H

#include <stddef.h>

#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"

/* Whether the path ends in ".mtx". */
int nb_is_matrix_market(const char *path);

/* NAME.b.mtx beside NAME.A.mtx, the names that `export --matrix-market` gives: whether it is there. */
int nb_matrix_market_companion(const char *path, char *companion, size_t size);

/* The bytes of a problem, of either kind, read once, and their SHA-256. */
struct nb_problem_bytes {
    struct nb_content content; /* the file's; behind them those of the right-hand side, where there is one */
    size_t first;              /* bytes of the file */
    char right_side[1100];     /* its path, "" for none: the given one or the companion */
    char hash[NB_HASH_SIZE];   /* `sha256sum FILE`, or `cat FILE RIGHT_SIDE | sha256sum` */
};

/* right_side NULL: the companion, where there is one. The caller frees the content. NB_UNSUPPORTED: a step in several
 * files, named by the NAME.mtx that is not there (problem_file.h). */
enum nb_status nb_problem_bytes_read(const char *path, const char *right_side, struct nb_problem_bytes *bytes,
                                     struct nb_error *error);

/* Reads A x = b as a Newton system that has nothing but schur and right_side. right_side NULL: the
 * companion, or b = A (1, ..., 1) where there is none. Rows are padded to a multiple of three by ones
 * on the diagonal and zeros in b. The caller frees with nb_newton_system_free. */
enum nb_status nb_matrix_market_read(const char *matrix, const char *right_side,
                                     struct nb_newton_system *system, struct nb_error *error);

/* Text of a matrix or a vector [count] beside its path, whole but not yet in its place: for a step of several files,
 * which are placed together (nb_new_files_place). The path outlives the file. */
enum nb_status nb_matrix_market_begin(struct nb_new_file *file, const char *path, const struct nb_csr *matrix,
                                      struct nb_error *error);
enum nb_status nb_matrix_market_begin_vector(struct nb_new_file *file, const char *path, const double *values,
                                             int count, struct nb_error *error);

#endif

/* A linear step as the formats of other programs store it, in matrices and vectors with the names of FCLIB:
 *
 *     M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0          global
 *     u = W r + V l + q,     V^T r + R l + s = 0                     local
 *
 * with `dimension` rows a contact, normal first: 3; 2 in the plane; 5 with rolling friction, whose last two rows are
 * left out. Private to problems/io. */
#ifndef NB_STEP_PARTS_H
#define NB_STEP_PARTS_H

#include "problems/io/notes.h"
#include "problems/io/parts.h"

/* What counts the rows or columns of a part. */
enum nb_extent { NB_EXTENT_DOFS, NB_EXTENT_ROWS, NB_EXTENT_BILATERALS, NB_EXTENT_CONTACTS };

enum { NB_STEP_MATRICES = 3, NB_STEP_VECTORS = 4 };
struct nb_step_form {
    struct {
        const char *name;
        enum nb_extent rows, columns;
    } matrix[NB_STEP_MATRICES]; /* M, H, G or W, V, R */
    struct {
        const char *name;       /* NULL: the form has none */
        enum nb_extent rows;
    } vector[NB_STEP_VECTORS];  /* f, w, b, mu or NULL, q, s, mu */
};
const struct nb_step_form *nb_step_form(enum nb_form form);

/* Where in these lists the parts stand whose lengths tell the sizes, and those that only bilateral rows need. */
enum { NB_PART_MASS = 0, NB_PART_JACOBIAN = 1, NB_PART_FORCE = 0, NB_PART_VELOCITY = 1, NB_PART_BILATERAL = 2,
       NB_PART_FRICTION = 3 };
int nb_step_part_is_bilateral(enum nb_form form, int matrix);

struct nb_step_parts {
    enum nb_form form; /* NB_LINEAR_GLOBAL or NB_LINEAR_LOCAL */
    int dimension, contacts, dofs, bilaterals;
    struct nb_triplets entries[NB_STEP_MATRICES]; /* as read; within their sizes */
    struct nb_csr matrix[NB_STEP_MATRICES];       /* as taken from a step        */
    double *vector[NB_STEP_VECTORS];
};
int nb_step_extent(const struct nb_step_parts *parts, enum nb_extent extent);
void nb_step_parts_free(struct nb_step_parts *parts);

/* Sets contacts and dimension from the lengths of mu and of w or q, which `name` calls by their names. */
void nb_step_parts_measure(struct nb_reader *reader, const char *name, int friction, int velocity,
                           struct nb_step_parts *parts);

/* Where the parts lie in an HDF5 file: what stands before the names of matrices and of vectors, and how a matrix is
 * read, which must be rows x columns. */
struct nb_step_place {
    const char *matrices, *vectors;
    void (*read_matrix)(struct nb_reader *reader, const char *name, int rows, int columns,
                        struct nb_triplets *entries);
};

/* Reads the parts of parts->form, sizes from the vectors, and builds the step. parts->dimension, unless it is known, is
 * told by the length of w or q. */
void nb_step_parts_read(struct nb_reader *reader, const struct nb_step_place *place, struct nb_notes *notes,
                        struct nb_step_parts *parts, struct nb_problem *problem);

/* The step of what was read, entries and vectors; parts are freed. */
void nb_step_parts_build(struct nb_reader *reader, struct nb_step_parts *parts, struct nb_problem *problem);

/* That the rolling friction of a step, mu_r [contacts], is left out: refused where there are no notes to say it in. */
void nb_step_leave_rolling(struct nb_reader *reader, struct nb_notes *notes, const double *rolling, int contacts);

/* rows x width numbers as rows x more: of each row the first, what is lacking being 0. The caller frees. */
double *nb_step_widen(struct nb_reader *reader, const double *from, int rows, int width, int more);

/* Matrices and vectors of a linear problem; the caller frees. */
enum nb_status nb_step_parts_take(const struct nb_problem *linear, struct nb_step_parts *parts,
                                  struct nb_error *error);

#endif

/* The parts that a problem file is made of: private to problems/io. Datasets and units are listed
 * in docs/reference/formats.md. Readers and writers keep their first failure (hdf5_read.h, hdf5_write.h). */
#ifndef NB_IO_PARTS_H
#define NB_IO_PARTS_H

#include "problems/fields.h"
#include "problems/io/hdf5_read.h"
#include "problems/io/hdf5_write.h"
#include "problems/io/problem_file.h"

#define NB_FORMAT_NAME "ncpbench problem"

/* Whether it is read as text, Siconos' (*.dat that does not begin as HDF5 does) or Matrix Market's of a step: it has a
 * step then, and nothing else. */
int nb_is_problem_text(const char *path);

/* Root attributes, /time_step and /parameters. nb_is_own_file also refuses a newer version.
 * nb_read_form must come first: it says which of the other parts to read. */
int nb_is_own_file(struct nb_reader *reader);
enum nb_form nb_read_form(struct nb_reader *reader);
void nb_read_provenance(struct nb_reader *reader, struct nb_problem *problem);
void nb_write_provenance(struct nb_writer *writer, const struct nb_problem *problem);

/* A nonlinear step: gravity, the groups of problems/fields.h, shapes, islands and free velocity. */
void nb_read_nonlinear(struct nb_reader *reader, struct nb_problem *problem);
void nb_write_nonlinear(struct nb_writer *writer, const struct nb_problem *problem);

/* What a linear step has beside its matrices, where the file has it: its motion, and what it is drawn by, gravity,
 * shapes and where contacts are. */
void nb_read_beside(struct nb_reader *reader, struct nb_problem *problem);
void nb_write_beside(struct nb_writer *writer, const struct nb_problem *problem);
void nb_read_shapes(struct nb_reader *reader, struct nb_problem *problem);
void nb_write_shapes(struct nb_writer *writer, const struct nb_problem *problem);

/* One array of an owner, whose count must be known, as a dataset of that name; and all of a group, whose count is read
 * first. */
void nb_read_field(struct nb_reader *reader, void *owner, const struct nb_field *field, const char *name);
void nb_write_field(struct nb_writer *writer, const void *owner, const struct nb_field *field, const char *name);
void nb_read_group(struct nb_reader *reader, struct nb_problem *problem, enum nb_field_groups which);
void nb_write_group_fields(struct nb_writer *writer, const struct nb_problem *problem, enum nb_field_groups which);

/* The group fclib_global or fclib_local. Reading fills problem->linear and, from the group's title,
 * problem->source. rigid: the velocities are those of rigid bodies, whose rows differ in unit. */
void nb_read_fclib(struct nb_reader *reader, enum nb_form form, struct nb_problem *problem);
void nb_write_fclib(struct nb_writer *writer, const struct nb_problem *linear, int rigid);

/* The group fclib_global_rolling: five rows a contact, of which the first three are read. */
void nb_read_rolling(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem);

/* "group/member" into text, which it returns. */
enum { NB_MEMBER = 96 };
const char *nb_member(const char *group, const char *member, char text[NB_MEMBER]);

/* A sparse matrix as scipy and AnnData have it: a group of data, indices and indptr with the attribute shape and
 * format; NULL: without the latter. */
void nb_write_sparse(struct nb_writer *writer, const char *group, const struct nb_csr *matrix, const char *format,
                     const char *unit);

/* A matrix of an FCLIB group, which must be rows x columns. */
void nb_read_fclib_matrix(struct nb_reader *reader, const char *group, int rows, int columns,
                          struct nb_triplets *entries);

/* Adds entries, or their transpose, at (row0, column0). */
void nb_entries_add(struct nb_reader *reader, struct nb_triplets *to, const struct nb_triplets *from,
                    int row0, int column0, int transposed);

/* Compressed rows of the entries; repeats are added in the order of the file. */
void nb_entries_compress(struct nb_reader *reader, const struct nb_triplets *entries, int rows,
                         int columns, struct nb_csr *matrix);

/* FCLIB's /solution of the linear problem, from the unknowns of the problem it came from, and what
 * FCLIB has no place for: the impulses of all bilateral rows of a nonlinear step. */
void nb_write_solution(struct nb_writer *writer, const struct nb_problem *problem,
                       const struct nb_problem *linear, const double *u, const double *lambda);

/* The group newton_systems. */
void nb_write_newton_systems(struct nb_writer *writer, const struct nb_problem_extras *extras);

/* The group simulation. */
void nb_write_simulation(struct nb_writer *writer, const struct nb_simulation *simulation);

#endif

/* The arrays of a nonlinear step, one row each: files, validation, copies and room for scenes all go through this
 * table. A new array is a member of problem.h, a row of fields.c, and a line of docs/reference/formats.md. */
#ifndef NB_FIELDS_H
#define NB_FIELDS_H

#include <stddef.h>

#include "problems/problem.h"

/* What every number of an array must be, beside finite. */
enum nb_field_rule {
    NB_FIELD_ANY,
    NB_FIELD_POSITIVE,
    NB_FIELD_NOT_NEGATIVE,
    NB_FIELD_QUATERNION, /* four of them: of unit length          */
    NB_FIELD_BODY,       /* index of a body, or -1 for the world  */
    NB_FIELD_PARTICLE    /* index of a particle                   */
};

/* Whether the pointer may be NULL. */
enum nb_field_need {
    NB_FIELD_NEEDED,
    NB_FIELD_ZERO, /* NULL is zeros, which a file has nevertheless */
    NB_FIELD_MAYBE /* NULL is none, and none in a file             */
};

struct nb_field {
    const char *name;    /* of the dataset (docs/reference/formats.md)                                  */
    size_t array, count; /* where their owner has the pointer, and the int that counts entries */
    int more;            /* entries beyond that count                                        */
    int whole;           /* 1: int; 0: double                                                */
    int width, depth;    /* an entry is one number, width of them, or width x depth          */
    enum nb_field_rule rule;
    enum nb_field_need need;
    const char *unit, *meaning; /* attributes of the dataset, or NULL */
};

/* Arrays that are counted together: a group of the file. */
struct nb_field_group {
    const char *name, *counted; /* the dataset whose length is the count               */
    int optional;               /* the file has no such group where the count is 0     */
    const struct nb_field *field; /* ended by a NULL name; all have the same count     */
};

/* In the order of the file. */
enum nb_field_groups {
    NB_BODIES,
    NB_CONTACTS,
    NB_JOINTS,
    NB_LIMITS,
    NB_PARTICLES,
    NB_TETRAHEDRA,
    NB_ATTACHMENTS,
    NB_DISTANCES,
    NB_TIES,
    NB_DRAWING,
    NB_MOTION,
    NB_FIELD_GROUPS
};
extern const struct nb_field_group nb_field_groups[NB_FIELD_GROUPS]; /* of struct nb_problem */

/* The array of an owner, such as a struct nb_problem; how many entries it has; bytes of an entry. */
void *nb_field_array(const void *owner, const struct nb_field *field);
void nb_field_set(void *owner, const struct nb_field *field, void *array);
int nb_field_entries(const void *owner, const struct nb_field *field);
void nb_field_set_count(void *owner, const struct nb_field *field, int count);
size_t nb_field_bytes(const struct nb_field *field);

/* Room for the needed arrays of `fields`, all zero, as the owner's counts say. Returns 0 without memory. */
int nb_fields_allocate(void *owner, const struct nb_field *fields);
void nb_fields_free(void *owner, const struct nb_field *fields);

/* The arrays of one owner `copies` times into another, whose counts are set by the caller; NULL stays NULL. Returns
 * 0 without memory. */
int nb_fields_repeat(const void *from, void *to, const struct nb_field *fields, int copies);

/* The arrays of one owner, of its entries index [count] only; the other's count is set. NULL stays NULL. Returns 0
 * without memory. */
int nb_fields_pick(const void *from, void *to, const struct nb_field *fields, int count, const int *index);

/* A copy of the bytes, `copies` times; NULL of NULL. Sets *failed without memory. */
void *nb_repeat(const void *from, size_t bytes, int copies, int *failed);

/* Room for `count` entries of a group, which a message calls `what`. */
enum nb_status nb_group_allocate(struct nb_problem *problem, enum nb_field_groups group, int count,
                                 struct nb_error *error);

#endif

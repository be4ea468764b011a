/* A sweep's specification: an INI file that lists values per axis (docs/sweeps.md explains every key).
 *
 *     [sweep]           name, repetitions (>= 5), time_limit [s], memory_limit [MiB],
 *                       floors = yes | no: accuracy floors of steps, computed before their cases;
 *                       interleave = group | problem: which cases take their repetitions in turn,
 *                       those of a group on the same problem or those of all groups
 *     [group NAME]      a cross product: axis = value, value, ...
 *     [exclude NAME]    drops the cases that match all of its axis = value, value, ...
 *
 * Problem files are relative to the spec's folder and may be patterns such as beam-????.h5: all
 * files that there are when the sweep begins. Indented lines continue a list. Messages name
 * file, line and key. */
#ifndef NB_SPEC_H
#define NB_SPEC_H

#include "harness/case/case.h"

/* The axes, in the order of the cross product: what stands later varies faster, so that the cases
 * to compare closely are measured close together. */
enum nb_axis {
    NB_AXIS_PROBLEM,
    NB_AXIS_OPTIONAL_PROBLEM,
    NB_AXIS_MODE,
    NB_AXIS_SYSTEM,
    NB_AXIS_SOLVER,
    NB_AXIS_LINEARIZED,
    NB_AXIS_TOL,
    NB_AXIS_DAMPING,
    NB_AXIS_SHIFT,
    NB_AXIS_NEWTON_FORM,
    NB_AXIS_NCP,
    NB_AXIS_SCALING,
    NB_AXIS_LINEAR,
    NB_AXIS_NEWTON_ITERS,
    NB_AXIS_LINEAR_ITERS,
    NB_AXIS_PRECOND,
    NB_AXIS_OPERATOR,
    NB_AXIS_BACKEND,
    NB_AXIS_THREADS,
    NB_AXIS_PRECISION,
    NB_AXES
};

struct nb_spec_section {
    char name[64];
    int line;
    char *value[NB_AXES]; /* the list as written; NULL: not given */
    int value_line[NB_AXES];
};

struct nb_spec {
    char *path;
    char name[64];
    int repetitions, memory_limit;
    double time_limit;
    bool without_floors, across_groups;
    int group_count, exclude_count;
    struct nb_spec_section *group, *exclude;
};

/* Reads and checks every value; nothing is left unread. On failure *spec is cleared. */
enum nb_status nb_spec_read(const char *path, struct nb_spec *spec, struct nb_error *error);
void nb_spec_free(struct nb_spec *spec);

/* All cases in order, exclusions applied; problem_hash is still empty. The caller frees *cases. */
enum nb_status nb_spec_expand(const struct nb_spec *spec, struct nb_case **cases, int *count,
                              struct nb_error *error);

/* An axis by its key; NB_AXES where there is none. */
enum nb_axis nb_axis_find(const char *key);

/* The keys, ended by NULL. */
const char *const *nb_axis_names(void);

/* Sets the axis of a case from one value; the message names the key, the value and what is allowed.
 * A problem is set as written. */
enum nb_status nb_axis_set(enum nb_axis axis, const char *value, struct nb_case *setting,
                           struct nb_error *error);

/* Whether two cases agree on the axis. */
bool nb_axis_equal(enum nb_axis axis, const struct nb_case *a, const struct nb_case *b);

/* The next value of a comma-separated list, trimmed: 1 one was read, 0 the end, -1 empty or longer
 * than the room. */
int nb_list_next(const char **list, char *value, size_t size);

#endif

/* A sweep's specification: an INI file that lists values per axis (docs/guide/sweeps.md explains every key).
 *
 *     [sweep]           name, repetitions (>= 5, or none), time_limit [s], memory_limit [MiB],
 *                       floors = yes | no: accuracy floors of steps, computed before their cases;
 *                       interleave = group | problem: which cases take their repetitions in turn,
 *                       those of a group on the same problem or those of all groups
 *     [group NAME]      a cross product: axis = value, value, ...; of which design = pairs takes some
 *     [exclude NAME]    drops the cases that match all of its axis = value, value, ...
 *
 * Problem files are relative to the spec's folder and may be patterns such as beam-????.h5, unless a file of that very
 * name is there: all files that there are when the sweep begins. Indented lines continue a list. Messages name
 * file, line and key. */
#ifndef NB_SPEC_H
#define NB_SPEC_H

#include <stdio.h>

#include "harness/case/case_settings.h"

struct nb_spec_section {
    char name[64];
    int line;
    bool pairs, has_design; /* of a group: design = pairs, or product */
    /* By the axes' index in nb_case_axis (harness/case/case_settings.h). */
    char *value[NB_CASE_SETTINGS_MOST]; /* the list as written; NULL: not given */
    int value_line[NB_CASE_SETTINGS_MOST];
};

struct nb_spec {
    char *path;
    char name[64];
    struct nb_case usual; /* a case with what [sweep] says of all */
    bool across_groups;
    bool full; /* every group is its whole product, whatever its design; false as read */
    int group_count, exclude_count;
    struct nb_spec_section *group, *exclude;
};

/* Reads and checks every value; nothing is left unread. On failure *spec is cleared. */
enum nb_status nb_spec_read(const char *path, struct nb_spec *spec, struct nb_error *error);
void nb_spec_free(struct nb_spec *spec);

/* All cases in order, exclusions applied; problem_hash is still empty. Exclusions that drop nothing, and values
 * listed in them that no case has, are told of (NULL: silently). The caller frees *cases. */
enum nb_status nb_spec_expand(const struct nb_spec *spec, FILE *notices, struct nb_case **cases, int *count,
                              struct nb_error *error);

/* The index of an axis by its name; -1: no axis has it. */
int nb_axis_index(const char *name);

/* The values that a section lists of an axis, or NULL; *line, unless NULL, is where. */
const char *nb_spec_values(const struct nb_spec_section *section, const char *axis, int *line);

/* The next value of a comma-separated list, trimmed: 1 one was read, 0 the end, -1 empty or longer
 * than the room. */
int nb_list_next(const char **list, char *value, size_t size);

#endif

/* The settings of a case, one row each. Every list of settings is this table: the options of the command line, the
 * axes of a sweep and the keys of its [sweep], the members "settings" and "strategies" of records, their keys, the
 * settings of floors and simulations, and the columns of `report --csv`. A new setting is a row here and the member
 * of struct nb_case or struct nb_options that it describes. */
#ifndef NB_CASE_SETTINGS_H
#define NB_CASE_SETTINGS_H

#include <cJSON.h>

#include "harness/case/case.h"
#include "harness/records/values.h"

/* What a setting is part of. */
enum {
    NB_OF_STEP = 1,        /* a stored system has decided it: null in such a case's record, refused in its group */
    NB_OF_SYSTEM = 2,      /* of a stored system only                          */
    NB_OF_SOLVER = 4,      /* a member of struct nb_options                    */
    NB_OF_FLOOR = 8,       /* the accuracy floor of a step depends on it       */
    NB_OF_SWEEP = 16,      /* belongs to the section [sweep] of a spec         */
    NB_SPEC_ONLY = 32,     /* of specs only: it sets other settings, or is not a setting of the case */
    NB_NOT_IN_KEY = 64     /* a moved file is the same problem                 */
};

struct nb_case_setting {
    const char *name;   /* in specs and records                                 */
    size_t offset;      /* of its member in struct nb_case                      */
    unsigned of;        /* the sum of the above                                 */
    int axis;           /* its place in the cross product of a sweep, 0: no axis. What stands later varies faster */
    int column;         /* its place in tables of records, 0: none. Of equal places the row above comes first */
    struct nb_option option; /* how it is read; its name is that on the command line, the target not set */
};

enum { NB_CASE_SETTINGS_MOST = 32 };

/* The row at that index in the order of records; NULL past the end. */
const struct nb_case_setting *nb_case_setting_at(int index);
/* The axes, in the order of the cross product, and the columns; NULL past the end. */
const struct nb_case_setting *nb_case_axis(int index);
const struct nb_case_setting *nb_case_column(int index);

/* The row of that name, in which - stands for _, too; NULL where there is none. */
const struct nb_case_setting *nb_case_setting_find(const char *name);

/* Reads the text into the setting; the message names it, the text and what is allowed. A problem is set as
 * written. */
enum nb_status nb_case_setting_read(const struct nb_case_setting *row, const char *text, struct nb_case *setting,
                                    struct nb_error *error);

/* Whether two cases agree on it. */
bool nb_case_setting_equal(const struct nb_case_setting *row, const struct nb_case *a, const struct nb_case *b);

/* Whether the case's method reads it: not an option of Newton's method with another one, nor what a stored system
 * has decided. */
bool nb_case_setting_is_read(const struct nb_case_setting *row, const struct nb_case *setting);

/* And of a preconditioner, whether the linear solver takes one. */
bool nb_case_setting_has_effect(const struct nb_case_setting *row, const struct nb_case *setting);

/* Gives what the method or the linear solver does not read the value of a command that does not name it, so that
 * the record says what was used. */
void nb_case_forget_unread(struct nb_case *setting);

/* The settings as in docs/reference/records.md; members that the mode does not use are null. NULL where memory is
 * short. The caller deletes it. */
cJSON *nb_case_settings(const struct nb_case *setting);

/* Those that the accuracy floor depends on. */
cJSON *nb_floor_settings(const struct nb_case *setting);

/* What decides the bits of a simulation: the solver's options and what the scene was made with. The caller deletes
 * it. */
cJSON *nb_simulation_settings(const struct nb_options *options, const struct nb_problem *problem);

/* The hashes of the strategies that a case reads, and of those that its floor reads, by kind: a record is
 * one of this code where they agree. NULL where memory is short. The caller deletes it. */
cJSON *nb_case_strategies(const struct nb_case *setting);
cJSON *nb_floor_strategies(const struct nb_case *setting);

/* Hash of the mode, the problem's name and content, and every other setting that differs from its default, so that a
 * new setting leaves old keys alone. A default that changes needs another NB_KEY_VERSION, which is hashed, too. */
enum nb_status nb_case_key(const struct nb_case *setting, char key[NB_KEY_SIZE], struct nb_error *error);

/* The same of the settings that a floor depends on. */
enum nb_status nb_floor_key(const struct nb_case *setting, char key[NB_KEY_SIZE], struct nb_error *error);

#endif

/* Names of problems as they are shown, and by which records are grouped. Files with different content may have the same
 * name, as a scene that was exported again with other parameters: such a name is followed by the beginning of the
 * content's hash, arch#07af0b. Files with the same content are one problem, under the name that comes first. */
#ifndef NB_PROBLEM_NAME_H
#define NB_PROBLEM_NAME_H

#include <cJSON.h>
#include <stddef.h>

#include "problems/base/status.h"

/* Classes of problems, from the features that records hold (docs/reference/records.md), for profiles per class:
 *
 *     elasticity        rigid, flexible
 *     contact_density   sparse, fewer than 12 neighbours a contact; dense, 12 or more
 *     rank_deficiency   full_rank; deficient, up to half of the contact rows; strongly_deficient
 *     mass_ratio        mass_ratio_below_100, mass_ratio_from_100
 *
 * and `unknown` where the record does not tell. A box on its face has 3 neighbours a contact, a box
 * between two others 11: the bound parts piles from stacks. Where the rank was not determined, more contact
 * rows than velocities tell how many must depend on others, at least. */

struct nb_problem_class {
    const char *name;
    const char *values; /* from harmless to hard, with blanks between */
};
enum { NB_PROBLEM_CLASSES = 4 };
extern const struct nb_problem_class nb_problem_classes[NB_PROBLEM_CLASSES];

/* Adds a member for each class to the object, with its text, as the object of features, or NULL, tells. */
void nb_problem_class_add(cJSON *object, const cJSON *features);

/* Adds to every case among the records a member for each class, with its text. A case without features,
 * one that crashed, takes those of another case of the same problem. */
void nb_problem_classes_add(cJSON *records);

enum { NB_PROBLEM_NAME = 256, NB_PROBLEM_HASH = 65 };

/* Adds the member problem_label to every case among the records whose name is not enough;
 * nb_outcome_instance (harness/records/outcome.h) and reports look for it. */
enum nb_status nb_problems_tell_apart(cJSON *records, struct nb_error *error);

#endif

/* What `ncpbench info` and `index` tell of a problem file: the only list of a problem's properties. */
#ifndef NB_FACTS_H
#define NB_FACTS_H

#include <cJSON.h>

#include "problems/base/status.h"

/* The document of `info --json` (docs/reference/output.md), to be freed by the caller; of a problem file, or of a
 * linear system as Matrix Market text. */
enum nb_status nb_problem_facts(const char *path, cJSON **facts, struct nb_error *error);

#endif

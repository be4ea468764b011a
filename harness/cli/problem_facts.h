/* What `ncpbench info` tells of a problem file. */
#ifndef NB_PROBLEM_FACTS_H
#define NB_PROBLEM_FACTS_H

#include <cJSON.h>

#include "problems/base/status.h"

/* The document of `info --json` (docs/reference/output.md), to be freed by the caller. */
enum nb_status nb_problem_facts(const char *path, cJSON **facts, struct nb_error *error);

#endif

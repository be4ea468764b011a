/* The registry as JSON. */
#ifndef NB_LIST_JSON_H
#define NB_LIST_JSON_H

#include <cJSON.h>

/* The document of `list --json`, to be freed by the caller; kind NULL: of all kinds. */
cJSON *nb_list_json(const char *kind);

#endif

/* The best known accuracy of each problem among records, and by which method: the smallest step error (of linear
 * systems, residual) at the end of a run. */
#ifndef NB_BEST_H
#define NB_BEST_H

#include <stdbool.h>

#include "harness/records/index.h"
#include "problems/base/status.h"

struct nb_best {
    double error;
    char method[192];
};

/* All zero: none. */
struct nb_best_list {
    struct nb_index problems; /* by hash */
    struct nb_best *best;     /* [count] */
    int count, room;
};

/* Those of results files [count], of equal keys by the last record, as everywhere. A linearised step is another problem
 * than its file's, and is left out. */
enum nb_status nb_best_read(struct nb_best_list *list, const char *const *paths, int count,
                            struct nb_error *error);

/* That of the problem of this hash, a step or a linear system; NULL where there is none. */
const struct nb_best *nb_best_find(const struct nb_best_list *list, const char *hash, bool system);

void nb_best_free(struct nb_best_list *list);

#endif

/* The texts of --where, as sweep and merge take them. */
#ifndef NB_FILTERS_H
#define NB_FILTERS_H

#include "harness/records/filter.h"
#include "harness/records/values.h"

enum { NB_SWEEP_FILTERS = 16 };

/* filter [NB_SWEEP_FILTERS]. */
static inline enum nb_status nb_where_read(const struct nb_option_list *where, struct nb_filter *filter,
                                           struct nb_error *error)
{
    for (int i = 0; i < where->count; ++i) {
        const char *complaint = i < NB_SWEEP_FILTERS ? nb_filter_read(where->item[i], &filter[i])
                                                     : "more than 16 filters, at";
        if (complaint)
            return nb_fail(error, NB_BAD_INPUT, "--where: %s '%.80s'", complaint, where->item[i]);
    }
    return NB_OK;
}

#endif

/* Why cases came to no end, each reason once with the number of cases that share it: ten that died of one thing say so
 * in one line. A reason is a record's `detail`, where its ending is that of a case that failed to run. */
#ifndef NB_REASONS_H
#define NB_REASONS_H

#include <stdio.h>

#include "harness/records/index.h"

struct cJSON;

enum { NB_REASON = 300,
       NB_REASONS_SHOWN = 3 };

struct nb_reason {
    int cases, first; /* how many share it; how many reasons came before it */
    char text[NB_REASON];
};

/* {0}: none. */
struct nb_reasons {
    struct nb_index known;
    struct nb_reason *reason; /* [count], owned; from the one that most cases share, once sorted */
    int count, room;
    int others; /* cases of reasons for which memory was short */
};
void nb_reasons_free(struct nb_reasons *reasons);

/* Nothing of a record that has no reason. */
void nb_reasons_add(struct nb_reasons *reasons, const struct cJSON *record);

/* One case more of a reason in other words. */
void nb_reasons_count(struct nb_reasons *reasons, const char *text);

/* Those of most cases first; how many of them are shown, and *rest, of how many cases the others are. Nothing is added
 * afterwards. */
int nb_reasons_sort(struct nb_reasons *reasons, int *rest);

/* Sorts them and prints a line each: "  10 of them: No module named numpy"; nothing if there are no reasons. */
void nb_reasons_print(struct nb_reasons *reasons, FILE *stream);

#endif

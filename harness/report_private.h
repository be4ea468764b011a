/* What the tables need of a record, flattened. */
#ifndef NB_REPORT_PRIVATE_H
#define NB_REPORT_PRIVATE_H

#include <cJSON.h>

#include "harness/report.h"

enum { NB_WORD = 32 };

struct nb_row {
    char key[20], problem[64];
    bool system;             /* mode linear_system */
    bool linearized;
    bool self_contained;     /* the method brings its own linear solver, and names the row */
    char settings[4 * NB_WORD]; /* of the method, from the colon on; "" where it has none  */
    char ncp[NB_WORD], scaling[NB_WORD], newton_form[NB_WORD], linear[4 * NB_WORD],
        precond[4 * NB_WORD], operator_form[NB_WORD], precision[NB_WORD], ending[NB_WORD];
    int newton_iters, linear_iters, threads;
    double linear_count;     /* iterations of one solve */
    double natural_map, normal_error, residual, floor, time; /* time: median [s]; NaN: none */
};

struct nb_rows {
    struct nb_row *row;
    int count, room;
};

/* A result, as opposed to a failure: the arithmetic's floor or the tolerance was reached, or the
 * error was still falling at the end of the budget. */
bool nb_row_usable(const struct nb_row *row);
/* Nothing more was to be had: converged or at the accuracy floor. */
bool nb_row_finished(const struct nb_row *row);

void nb_report_best(const struct nb_rows *rows, FILE *stream);
void nb_report_endings(const struct nb_rows *rows, FILE *stream);
void nb_report_medians(const struct nb_rows *rows, FILE *stream);
void nb_report_ratios(const struct nb_rows *rows, FILE *stream);

/* Linear systems (harness/report_linear.c), from the records themselves. */
struct nb_linear_rows;
enum nb_status nb_linear_rows_add(struct nb_linear_rows **rows, const cJSON *record,
                                  struct nb_error *error);
void nb_report_linear(const struct nb_linear_rows *rows, FILE *stream);
void nb_linear_rows_free(struct nb_linear_rows *rows);

#endif

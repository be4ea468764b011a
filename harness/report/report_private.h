/* What the tables need of a record, flattened. */
#ifndef NB_REPORT_PRIVATE_H
#define NB_REPORT_PRIVATE_H

#include <cJSON.h>

#include "harness/records/problem_name.h"
#include "harness/report/report.h"

enum { NB_WORD = 32 };

struct nb_row {
    char key[20];
    char problem[NB_PROBLEM_NAME + NB_PROBLEM_HASH], hash[NB_PROBLEM_HASH];
    bool system;             /* mode linear_system */
    bool linearized;
    bool self_contained;     /* the method brings its own linear solver */
    char method[4 * NB_WORD]; /* of a step, with its settings; "" for a linear system */
    char linear[4 * NB_WORD], precond[4 * NB_WORD]; /* "" where the method does not read them */
    char ncp[NB_WORD], scaling[NB_WORD], newton_form[NB_WORD], operator_form[NB_WORD],
        precision[NB_WORD], ending[NB_WORD];
    int newton_iters, linear_iters, threads;
    double linear_count;     /* iterations of one solve */
    double natural_map, normal_error, residual, floor, time; /* time: median [s]; NaN: none */
};

struct nb_rows {
    struct nb_row *row;
    int count, room;
};

/* A result, as opposed to a failure: converged or at the accuracy floor, nothing more was to be had. */
bool nb_row_usable(const struct nb_row *row);

void nb_report_best(const struct nb_rows *rows, FILE *stream);
void nb_report_endings(const struct nb_rows *rows, FILE *stream);
enum nb_status nb_report_medians(const struct nb_rows *rows, FILE *stream, struct nb_error *error);
void nb_report_ratios(const struct nb_rows *rows, FILE *stream);

/* Linear systems (harness/report/report_linear.c), from the records themselves. */
struct nb_linear_rows;
enum nb_status nb_linear_rows_add(struct nb_linear_rows **rows, const cJSON *record,
                                  struct nb_error *error);
/* Problems get the names that nb_problem_label gives them. */
void nb_linear_rows_name(struct nb_linear_rows *rows, const struct nb_problem_names *names);
void nb_report_linear(const struct nb_linear_rows *rows, FILE *stream);
void nb_linear_rows_free(struct nb_linear_rows *rows);

#endif

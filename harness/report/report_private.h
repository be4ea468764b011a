/* What the tables need of the records of cases, flattened. */
#ifndef NB_REPORT_PRIVATE_H
#define NB_REPORT_PRIVATE_H

#include <cJSON.h>

#include "harness/records/outcome.h"
#include "harness/report/report.h"

/* Texts are the record's own; "" where it has none. */
struct nb_row {
    const cJSON *record;
    const char *problem;     /* with its hash where others have its name */
    const char *method;      /* of a step, with its settings; "" for a linear system */
    const char *linear, *precond; /* "" where the method does not read them */
    const char *ncp, *scaling, *newton_form, *operator_form, *precision, *ending;
    bool system;             /* mode linear_system */
    bool linearized;
    bool self_contained;     /* the method brings its own linear solver */
    int newton_iters, linear_iters;
    double error, normal_error; /* error: as judged (nb_outcome_metric), at the end of the run */
    double time;             /* median to the tolerance [s]; NaN: not reached, or not timed */
    struct nb_outcome outcome; /* at the tolerance */
};

struct nb_rows {
    struct nb_row *row;
    int count;
    double tolerance;
};

/* Whether it reaches the tolerance; all others are failures. */
bool nb_row_reaches(const struct nb_row *row);

enum nb_status nb_report_best(const struct nb_rows *rows, FILE *stream, struct nb_error *error);
void nb_report_endings(const struct nb_rows *rows, FILE *stream);
enum nb_status nb_report_medians(const struct nb_rows *rows, FILE *stream, struct nb_error *error);

/* Linear systems (harness/report/report_linear.c); nothing where there are none. */
enum nb_status nb_report_linear(const struct nb_rows *rows, FILE *stream, struct nb_error *error);

/* The number in a member's member; NaN where there is none. */
double nb_report_number(const cJSON *record, const char *outer, const char *inner);

#endif

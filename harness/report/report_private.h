/* What the tables need of the records of cases, flattened. */
#ifndef NB_REPORT_PRIVATE_H
#define NB_REPORT_PRIVATE_H

#include <cJSON.h>

#include "harness/case/case_settings.h"
#include "harness/judge/ending.h"
#include "harness/records/outcome.h"
#include "harness/report/axis.h"
#include "harness/report/control.h"
#include "harness/records/interval.h"
#include "harness/report/report.h"

/* In what rows belong together: of one problem; of one precision, too, and both steps or both systems; of one solver,
 * too. */
enum nb_row_set { NB_SAME_PROBLEM, NB_SAME_GROUP, NB_SAME_SOLVER, NB_ROW_SETS };

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
    int iterations;          /* to the tolerance; 0: not reached */
};

struct nb_rows {
    struct nb_row *row;
    int count;
    double tolerance;
    struct nb_control control;
    struct nb_axis set[NB_ROW_SETS]; /* which belong together */
    double *values;                  /* [2 x count], room for what medians are of */
    unsigned *varying; /* [count of NB_SAME_GROUP] a bit for each axis (nb_case_axis) in which rows of the
                        * group differ and for which tables have no place */
};

/* The row's values of the settings that vary in its group and for which tables have no place: " threads=4 shift=0"; ""
 * for none. */
void nb_row_others(const struct nb_rows *rows, const struct nb_row *row, char *text, size_t size);
/* The same as an object's member `settings`, of texts. */
void nb_row_add_others(const struct nb_rows *rows, const struct nb_row *row, cJSON *object);

/* The best cases of a problem at a precision; NULL if there is no such case. */
struct nb_best {
    const struct nb_row *accurate, *fastest, *next; /* of those that reach the tolerance; next: second fastest */
    const struct nb_row *nearest; /* where none does: that of the smallest error */
    struct nb_interval lead;      /* time of the next over the fastest; without an interval where apart is not NULL */
    const char *not_interleaved;  /* nb_outcome_not_interleaved */
};
/* i: the first row of the group. */
struct nb_best nb_rows_best(const struct nb_rows *rows, int i);

/* Over the cases of row first's solver. */
struct nb_row_medians {
    int cases, reaching;
    double error, time; /* of those that reach the tolerance; NaN: none */
};
struct nb_row_medians nb_rows_medians(const struct nb_rows *rows, int first);

/* Adds up the cases of the problem of row `first` by ending, count [NB_ENDINGS]. */
enum { NB_ENDINGS = NB_ENDING_INFEASIBLE + 1 };
void nb_rows_endings(const struct nb_rows *rows, int first, int *count);

void nb_report_best(const struct nb_rows *rows, FILE *stream);
void nb_report_endings(const struct nb_rows *rows, FILE *stream);
void nb_report_medians(const struct nb_rows *rows, FILE *stream);

/* Prints the linear systems (harness/report/report_tables.c), if there are any. */
enum nb_status nb_report_linear(const struct nb_rows *rows, FILE *stream, struct nb_error *error);

/* The rows of these tables, for cJSON_Delete; and all as members of a JSON object. */
cJSON *nb_report_list_endings(const struct nb_rows *rows);
cJSON *nb_report_list_medians(const struct nb_rows *rows);
void nb_report_add_tables(const struct nb_rows *rows, cJSON *object);
enum nb_status nb_report_add_linear(const struct nb_rows *rows, cJSON *object, struct nb_error *error);

#endif

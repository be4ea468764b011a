/* The parts of a page: its cases with the settings that vary among them and the verdicts (page_cases.c), what of them
 * the page's script draws (page_data.c), and figures (page_figures.c). */
#ifndef NB_PAGE_PRIVATE_H
#define NB_PAGE_PRIVATE_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/records/outcome.h"
#include "harness/records/reasons.h"
#include "harness/report/axis.h"
#include "harness/report/control.h"
#include "harness/records/interval.h"
#include "harness/report/compare.h"
#include "harness/report/page.h"

enum { NB_PAGE_TEXT = NB_AXIS_TEXT };
enum { NB_PAGE_VALUE = 512, NB_PAGE_AXES = 24, NB_PAGE_METHODS = 60, NB_PAGE_VALUES = 256 };

struct nb_page_case {
    const cJSON *record;
    const char *ending;
    double error;              /* at the end of the run */
    double time;               /* median to the tolerance [s]; infinite: not reached, or not timed */
    int iterations;            /* to the tolerance; 0: not reached */
    int row;                   /* among those that have one; -1: the page has none for it */
};

struct nb_page_cases {
    const struct nb_page *page;
    double tolerance;
    struct nb_control control;
    int count;
    struct nb_page_case *item; /* [count], steps before linear systems */
    struct nb_axis problem;
    int shown;    /* problems that have rows: the first ones that have NB_PAGE_ROWS cases at most, at least one */
    int axis_count; /* settings that vary, the one in question first, then `method` if there are several */
    struct nb_axis axis[NB_PAGE_AXES + 1];
};

/* All that the page's script draws (page_data.c), for cJSON_Delete in any case. */
enum nb_status nb_page_data(const struct nb_page_cases *cases, cJSON **data, struct nb_error *error);

/* Convergence and profiles, as SVG in a section of HTML. */
enum nb_status nb_page_figures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error);

/* The SVG files of the page's folder of figures, with captions. Nothing where there are none. */
enum nb_status nb_page_pictures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error);

const char *nb_page_title(const struct nb_page *page);

/* Prints the cases with `print` into memory and puts the file in place as a whole. */
typedef enum nb_status nb_page_print(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error);
enum nb_status nb_page_write(const struct nb_page *page, nb_page_print *print, const char *path,
                             struct nb_error *error);

/* Reads the cases of the page's records, and frees them. */
enum nb_status nb_page_cases_read(const struct nb_page *page, struct nb_page_cases *cases, struct nb_error *error);
void nb_page_cases_free(struct nb_page_cases *cases);

/* The axis of that setting; NULL: it does not vary. */
const struct nb_axis *nb_page_axis(const struct nb_page_cases *cases, const char *name);

/* Whether some problems, or cases, have no row of their own. */
bool nb_page_is_cut(const struct nb_page_cases *cases);

enum nb_status nb_page_check_values(const struct nb_page_cases *cases, struct nb_error *error);

/* The comparisons of the page: values of its first axis, B against A; into match [NB_PAGE_METHODS], their number. */
struct nb_page_match {
    int a, b;
};
int nb_page_matches(const struct nb_page_cases *cases, struct nb_page_match *match);

/* A comparison of the cases that have these values; to be freed in any case. */
struct nb_page_comparison {
    char a[NB_PAGE_VALUE + 64], b[NB_PAGE_VALUE + 64]; /* NAME=VALUE */
    struct nb_comparison asked;
    struct nb_comparison_result result;
    cJSON *first, *second;           /* owned: its records */
};
enum nb_status nb_page_compare(const struct nb_page_cases *cases, struct nb_page_match match,
                               struct nb_page_comparison *made, struct nb_error *error);
void nb_page_comparison_free(struct nb_page_comparison *made);

/* Adds a record that shares what it holds: what is added to one stands in both. Where memory is short, the array is
 * freed, and NULL from then on. */
void nb_page_add_record(cJSON **records, const cJSON *record);

/* What a list (nb_report_summary) expects of each case, the last line that it passes deciding; expected [cases],
 * NB_EXPECT_SUCCESS before. */
enum nb_expectation { NB_EXPECT_SUCCESS, NB_EXPECT_FAILURE, NB_EXPECT_EITHER };

/* The problem's name, with its hash where others have that name, too; into text [NB_PAGE_TEXT]. */
void nb_page_problem_name(const cJSON *record, char *text);

/* How many cases ended so, and how many of them reach the tolerance all the same. */
int nb_page_count_ending(const struct nb_page_cases *cases, const char *ending, int *reached);

/* Why cases failed to run, to be sorted and freed. */
struct nb_reasons nb_page_reasons(const struct nb_page_cases *cases);

/* The dates of the first and the last sweep, borrowed; "" where no record has one. */
void nb_page_dates(const struct nb_page_cases *cases, const char **first, const char **last);

/* What is said of a value on a problem. */
enum nb_cell_kind {
    NB_CELL_EMPTY,   /* no such case */
    NB_CELL_BEST,    /* the fastest */
    NB_CELL_SAME,    /* the interval of the ratio holds 1 */
    NB_CELL_SLOWER,  /* it does not, or there is none, as the two were timed apart */
    NB_CELL_UNLIKE,  /* no other value was tried at its other settings, or not at those of the problem's other cells */
    NB_CELL_UNTIMED, /* reaches the tolerance, but nothing was timed */
    NB_CELL_FAILED   /* no case reaches it */
};

struct nb_cell {
    enum nb_cell_kind kind;
    const struct nb_page_case *item; /* the fastest; of failures that of the smallest error; NULL: none */
    bool rival;                      /* compared with others at the same other settings; else it counts nowhere */
    struct nb_interval ratio;        /* of its time over the problem's best; low and high NaN: timed apart */
    double shown;                    /* the same of the medians, which stand beside: at least 1 */
};

struct nb_matrix {
    const struct nb_axis *axis, *problem;
    struct nb_cell *cell; /* [problem->count x axis->count], by problem; owned */
};

enum nb_status nb_matrix_make(const struct nb_page_cases *cases, const struct nb_axis *axis, struct nb_matrix *matrix,
                              struct nb_error *error);
void nb_matrix_free(struct nb_matrix *matrix);

/* A value over all problems on which it was compared with another. */
struct nb_matrix_summary {
    int tried, reached, fastest; /* problems; fastest: or not distinguishable from it */
    double slowdown;             /* median of the ratios, infinity for a failure; NaN: not tried */
};
struct nb_matrix_summary nb_matrix_summary(const struct nb_matrix *matrix, int value);

/* The value that is the fastest on most problems; of several the one of the least median. */
int nb_matrix_best(const struct nb_matrix *matrix);

/* What the cell says, as in "best", "1.34 ×", "(1.34 ×)" where the two were timed apart, "stagnated"; into text. */
void nb_cell_text(const struct nb_cell *cell, char *text, size_t size);

#endif

/* How time and iterations depend on one setting: cases that differ in it alone, one value beside the other, and which
 * value is the best.
 *
 * The best solves the most cases, and of the values that solve as many it takes the least time, in the geometric mean
 * over the problems that all of them solve; but if another is better than it by the rule of a comparison
 * (harness/report/compare.h), that one is taken, and so on. Comparisons may go round, each value better than the next:
 * then one of these is called the best, and `better` and the sentence say so. Each other value is compared with it by
 * that rule: time and interval are those of the comparison, turned around, so that they say how many times as long as
 * the best it takes. The values beside the best that cannot be told from it are its interval. Steps and linear systems
 * are judged apart. A value that solves nothing has a reason in place of numbers: a gap in the curve. */
#ifndef NB_CURVE_H
#define NB_CURVE_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/records/values.h"
#include "harness/report/compare.h"

enum { NB_CURVE_VALUES = 16,
       NB_CURVE_TEXT = 64,
       NB_CURVE_SIDE = 400,
       NB_CURVE_PROBLEMS = 12 };

struct nb_curve_value {
    char text[NB_CURVE_TEXT];    /* "1.3" */
    double number;               /* NaN: a word */
    char side[2][NB_CURVE_SIDE]; /* [sides] by which its records are known, as of --b: "precond=mine:omega=1.3" */
    int sides;
    bool usual; /* it is what the setting is otherwise */
};

/* What a value comes to. */
struct nb_curve_point {
    int cases, solved;
    struct nb_interval time;              /* over that of the best; NaN: there is none */
    double iterations, linear;            /* likewise, and linear ones, geometric means; NaN */
    enum nb_verdict verdict;              /* against the best */
    bool same;                            /* beside the best, and not to be told from it */
    char reason[160];                     /* why most of those fail that do; "" where none does */
    double of_problem[NB_CURVE_PROBLEMS]; /* time of the first problems over theirs at the best value; NaN: none */
};

/* A curve is of steps, or of linear systems. */
struct nb_curve_part {
    bool any;
    int best;                                     /* -1: nothing is solved */
    int better;                                   /* than the best, where comparisons go round; -1 */
    struct nb_curve_point point[NB_CURVE_VALUES]; /* [curve.count] */
    int problems;                                 /* that have names, at most NB_CURVE_PROBLEMS */
    char problem[NB_CURVE_PROBLEMS][NB_CURVE_TEXT];
    char *sentence; /* owned: the best with its interval */
};

struct nb_curve {
    const char *setting, *of; /* "omega", "mine"; borrowed */
    int count;
    struct nb_curve_value value[NB_CURVE_VALUES]; /* numbers from the least to the largest */
    double least, most;                           /* that the setting may be, where values are numbers */
    double tolerance;                             /* as of a comparison, and */
    const char *across;                           /* a setting in which cases need not agree; NULL */
    struct nb_curve_part part[2];                 /* steps, linear systems */
};

/* Of a curve whose parts are empty, from records [array]; to be freed in any case. */
enum nb_status nb_curve_make(struct nb_curve *curve, cJSON *records, struct nb_error *error);
void nb_curve_free(struct nb_curve *curve);

/* "whole steps", "linear systems"; and how a point stands to the best in words: "the best", "worse than it". */
const char *nb_curve_part_name(int part);
void nb_curve_verdict(const struct nb_curve_part *part, int value, char *text, size_t size);

/* A table for each part, with its sentence; and the same as a JSON object, to be freed by the caller. */
void nb_curve_print(const struct nb_curve *curve, FILE *stream);
cJSON *nb_curve_json(const struct nb_curve *curve);

/* Draws plots/over.gp into folder, NAME.pdf, NAME.png and NAME.svg; notes on it go to `notes`. NB_UNSUPPORTED: there is
 * nothing to draw, as of values that are words. */
enum nb_status nb_curve_draw(const struct nb_curve *curve, const char *folder, const char *name, FILE *notes,
                             struct nb_error *error);

#endif

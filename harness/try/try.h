/* Is a strategy of one's own better than those that are known? One file is built, tried on the canonical problems
 * beside its rivals, interleaved, and judged:
 *
 *     nb_try_build     FILE.c -> FOLDER/NAME.so, by ncpbench-plugin
 *     nb_try_find      what it defines: a preconditioner, linear solver, NCP function, scaling, operator or method
 *     nb_try_probe     of a preconditioner: whether it is finite, linear, symmetric and positive definite
 *     nb_vary_read     of --vary: which values of which setting
 *     nb_try_spec      data/try.sweep, a folder of problems or a spec of the user's -> FOLDER/try.sweep
 *     nb_try_export    the canonical problems that are not there yet
 *     nb_try_judge     the verdict against each rival
 *
 * Between the last two the sweep runs (harness/sweep/sweep.h). */
#ifndef NB_TRY_H
#define NB_TRY_H

#include <cJSON.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/records/values.h"
#include "harness/report/curve.h"
#include "problems/base/status.h"

enum { NB_TRY_NAME = 256, NB_TRY_RIVALS = 16, NB_TRY_PATH = PATH_MAX };

/* The values of a setting over which the candidate is tried, too (vary.c). */
struct nb_vary {
    const char *text; /* as the command line says; NULL: none */
    char name[NB_CURVE_TEXT];
    const struct nb_case_setting *row; /* of the case; NULL: the candidate's own */
    bool whole;                        /* a whole number */
    int count;
    char value[NB_CURVE_VALUES][NB_CURVE_TEXT];
    char usual[NB_CURVE_TEXT]; /* which it is otherwise; "": there are several */
};

struct nb_try {
    /* What the command line says. */
    const char *file;              /* FILE.c, FILE.cpp, FILE.so, or NAME or KIND=NAME of what is compiled in */
    const char *on;                /* "canonical", a folder of problem files, or a sweep's spec */
    const char *output;            /* the folder; NULL: try-NAME */
    struct nb_option_list against; /* empty: the rivals that the spec lists */
    bool quick;                    /* with the first half of our groups and of each list of problems */
    double time_limit;             /* of all runs of the strategy together [s], for each value of --vary */
    double allowed;                /* the sum */
    struct nb_vary vary;
    bool json; /* what is said is one document (docs/reference/output.md) */

    /* What was found. */
    char folder[NB_TRY_PATH], plugin[NB_TRY_PATH]; /* plugin: "" where the strategy is compiled in */
    char spec[NB_TRY_PATH], results[NB_TRY_PATH];
    char problems[NB_TRY_PATH];                    /* nb_try_problems */
    char kind[16], name[64];
    char candidate[NB_TRY_NAME];            /* its name with the settings that the spec gives it */
    char rival[NB_TRY_RIVALS][NB_TRY_NAME]; /* the first is the one to beat */
    int rivals;
    double tolerance;  /* the error to be reached: the first `tol` of the spec, 1e-6 where it has none */
    char finding[200]; /* what the probe says; "" where nothing is wrong or nothing was probed */
    char tried_on[160]; /* the problem on whose own system it says so; "": the small one */
    int tried;          /* of the problems' own systems */
    int left_out;      /* cases of the strategy that lack runs, for want of time */
};

/* Makes the output folder and in it the shared object of a source file; the compiler's messages go to stderr. */
enum nb_status nb_try_build(struct nb_try *request, struct nb_error *error);

/* With the plugin loaded: its kind and name. */
enum nb_status nb_try_find(struct nb_try *request, struct nb_error *error);
void nb_try_probe(struct nb_try *request);

/* The same on systems of problems of the candidate's records [array], first of those on which it failed. */
void nb_try_probe_problems(struct nb_try *request, const cJSON *records);

/* Writes the spec of the sweep; finds the rivals. */
enum nb_status nb_try_spec(struct nb_try *request, struct nb_error *error);

/* The folder that holds, or is to hold, the canonical problems (problems/NAME.h5 in it): that of the spec, or, where
 * it may not be written, the user's cache. Made if it is missing. */
enum nb_status nb_try_problems(char *folder, size_t size, struct nb_error *error);

/* Exports the canonical problems of the spec that are not there; progress: where to tell how far it is, or NULL. */
enum nb_status nb_try_export(const struct nb_try *request, FILE *progress, struct nb_error *error);

/* The candidate with its settings as the sweep lists it at that value of --vary, into text. */
void nb_vary_candidate(const struct nb_try *request, int index, char *text, size_t size);

/* The verdict on the terminal, at most 15 lines beside a curve, and report.html and report.md, from the records [array]
 * of the folder, of which only those of this try are left: of cases with these keys, as the sweep listed them, that
 * this build of the candidate made. argv: of the command, for the report. */
enum nb_status nb_try_judge(struct nb_try *request, cJSON *records, const cJSON *keys, char *const *argv,
                            FILE *stream, struct nb_error *error);

/* The folder of the specs and of the list of problems that come with the program. */
enum nb_status nb_try_data(char *path, size_t size, struct nb_error *error);

#endif

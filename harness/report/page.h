/* A report of records to hand on: one HTML page that needs no network, or Markdown for a pull request's comment.
 *
 * All cases are compared at one tolerance by the time to it (harness/records/outcome.h). The headline is a matrix of
 * verdicts: of each problem and each value of a setting the fastest case of those that are compared with another value
 * at all other settings equal (of all where there are none), its time over that of the problem's fastest one, with
 * what an interval of 95 % (harness/records/interval.h) says of the two; a case that does not reach the tolerance is a
 * failure and stands with its ending. Below it: each value against a baseline, figures, endings, all cases, problems
 * with their hashes, machines, builds and the report's command. Of many thousand cases the first problems' alone have
 * rows, and the page says so; sums and verdicts are over all.
 *
 * The same records give the same bytes. Texts of records are escaped, whatever they hold. */
#ifndef NB_PAGE_H
#define NB_PAGE_H

#include <stdio.h>

#include "problems/base/status.h"

struct cJSON;
struct nb_curve;

enum { NB_PAGE_ROWS = 10000 }; /* of a table of cases or pairs: so many a browser opens at once */

/* All borrowed. */
struct nb_page {
    struct cJSON *records;    /* array; problems of one name get labels (harness/records/problem_name.h) */
    double tolerance;         /* 0: the one that all cases were given         */
    const char *title;        /* NULL: "Report of ncpbench"                   */
    const char *const *lead;  /* paragraphs of plain text at the top, ended by NULL; NULL: none */
    const char *axis;         /* the setting in question, as "precond"; NULL: the strategy that varies most */
    const char *baseline;     /* its value that the others are compared with; NULL: that of the first case */
    const char *candidate;    /* the only value that is compared with it; NULL: all others */
    const char *across;       /* a setting in which compared cases need not agree, as "tol"; NULL: none */
    const struct nb_curve *curve; /* time and iterations over a setting (curve.h), at the top; NULL: none */
    const char *curve_picture;    /* of HTML: the SVG file of it; NULL: none */
    const char *const *files; /* [file_count] the records' files; may be NULL */
    int file_count;
    const char *summary;  /* of HTML: lines at the top, as nb_report_summary prints them; NULL: none */
    const char *figures;  /* of HTML: a folder, whose SVG files are shown; NULL: none */
    char *const *command; /* argv of the command that makes the report, ended by NULL; NULL: not said */
};

/* Reads the records of files [count >= 1] that a page is made of, packed (harness/records/compact.h). */
enum nb_status nb_page_records_read(const char *const *paths, int count, struct cJSON **records,
                                    struct nb_error *error);

/* Each writes the file whole or leaves what was there. NB_BAD_INPUT where there is no case, no tolerance, or no such
 * axis or value. */
enum nb_status nb_report_html(const struct nb_page *page, const char *path, struct nb_error *error);
enum nb_status nb_report_markdown(const struct nb_page *page, const char *path, struct nb_error *error);

/* At most 20 lines: of the first problems the best preconditioner and precision with its lead, and failures by kind.
 * expected: a file whose lines are filters of records (harness/records/filter.h) between blanks, "#" begins a comment;
 * a case that passes all filters of a line is expected to fail. Those that do not do as expected are named. NULL: no
 * such list. */
enum nb_status nb_report_summary(const struct nb_page *page, const char *expected, FILE *stream,
                                 struct nb_error *error);

#endif

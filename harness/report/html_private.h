/* The sections of a page (harness/report/page.h), each with its heading; nothing where there is nothing to say. */
#ifndef NB_HTML_PRIVATE_H
#define NB_HTML_PRIVATE_H

#include "harness/report/page_private.h"

/* Where some problems have no row: how many have, that sums count all, and where the rest is. */
void nb_html_note_cut(const struct nb_page_cases *cases, FILE *stream);

/* The matrices of verdicts, one for each setting that varies, of which one is shown. */
enum nb_status nb_html_verdicts(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error);

/* Each value of the setting in question against a baseline. */
enum nb_status nb_html_pairs(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error);

/* Convergence and profiles, as SVG. */
enum nb_status nb_html_figures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error);

/* How many cases ended in which way. */
void nb_html_endings(const struct nb_page_cases *cases, FILE *stream);

/* One row a case, which the page's script sorts and filters. */
void nb_html_cases(const struct nb_page_cases *cases, FILE *stream);

#endif

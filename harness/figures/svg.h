/* SVG as gnuplot writes it, made fit for a page with several of them. */
#ifndef NB_SVG_H
#define NB_SVG_H

#include "problems/base/status.h"

/* Rewrites the file: ids and references to them begin with name, so that those of several pictures in one page do not
 * clash, and fonts have fallbacks that every browser has. name: of a file, without < > &. */
enum nb_status nb_svg_finish(const char *path, const char *name, struct nb_error *error);

/* What stands behind the XML prologue of text: the element itself. */
const char *nb_svg_element(const char *text);

#endif

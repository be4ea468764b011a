/* SVG as gnuplot writes it, made fit for a page with several of them. */
#ifndef NB_SVG_H
#define NB_SVG_H

#include <dirent.h>
#include <stdio.h>

#include "problems/base/status.h"

/* Rewrites the file: ids and references to them begin with name, so that those of several pictures in one page do not
 * clash, and fonts have fallbacks that every browser has. name: of a file, without < > &. */
enum nb_status nb_svg_finish(const char *path, const char *name, struct nb_error *error);

/* A filter for scandir: whether the entry is an SVG file. */
int nb_svg_is(const struct dirent *entry);

/* Prints what stands behind the file's XML prologue: the element itself. */
enum nb_status nb_svg_print(const char *path, FILE *stream, struct nb_error *error);

#endif

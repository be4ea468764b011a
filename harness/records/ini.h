/* INI files, as sweeps' specs and the list of claims, by inih. Its Debian build tells its handler neither line
 * numbers nor empty sections, and truncates long lines and names without a word; all of this is known to whoever
 * hands it the lines, and that is done here. Messages begin with "FILE:LINE: ". */
#ifndef NB_INI_H
#define NB_INI_H

#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

/* What inih does not truncate: characters of a line, and of a section's title. */
enum { NB_INI_LINE = 198, NB_INI_TITLE = 48 };

/* One reading of one file. */
struct nb_ini {
    const char *path;
    void *context;
    void (*section)(struct nb_ini *ini, const char *title);                  /* [title] */
    int (*key)(struct nb_ini *ini, const char *key, const char *value);      /* key = value; 0 where refused */
    int line;                                                                /* the present one, from 1 */
    bool continues;                                                          /* it is indented: more of the last key */
    enum nb_status status;                                                   /* of the first refusal */
    struct nb_error *error;
    FILE *file;
};

/* Reads the file at ini->path, which calls section and key in turn and refuses what is not text, too long, or neither a
 * section nor key = value. */
enum nb_status nb_ini_read(struct nb_ini *ini, struct nb_error *error);

/* Ends the reading, where it has not ended yet, with "FILE:LINE: text"; returns 0. */
int nb_ini_refuse(struct nb_ini *ini, int line, enum nb_status status, const char *text);

#endif

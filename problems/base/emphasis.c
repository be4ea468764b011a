/* Escape sequences of ECMA-48, for a stream that is a terminal which knows them (TERM), unless the user wants none
 * (https://no-color.org). */
#include "problems/base/emphasis.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool nb_takes_escapes(FILE *stream)
{
    const char *terminal = getenv("TERM");
    const int descriptor = fileno(stream);
    return descriptor >= 0 && isatty(descriptor) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

const char *nb_emphasis(FILE *stream, enum nb_emphasis how)
{
    static const char *const sequences[] = {[NB_PLAIN] = "\033[0m", [NB_HEADING] = "\033[1m",
                                            [NB_GOOD] = "\033[1;32m", [NB_BAD] = "\033[1;31m",
                                            [NB_DOUBTFUL] = "\033[1;33m"};
    const char *wanted_none = getenv("NO_COLOR");
    return nb_takes_escapes(stream) && !(wanted_none && *wanted_none) ? sequences[how] : "";
}

void nb_print_emphasised(FILE *stream, enum nb_emphasis how, const char *words)
{
    fprintf(stream, "%s%s%s", nb_emphasis(stream, how), words, nb_emphasis(stream, NB_PLAIN));
}

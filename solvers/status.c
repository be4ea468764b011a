#include "solvers/status.h"

#include <stdarg.h>
#include <stdio.h>

enum nb_status nb_fail(struct nb_error *error, enum nb_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char *nb_status_name(enum nb_status status)
{
    switch (status) {
    case NB_OK: return "ok";
    case NB_BAD_INPUT: return "bad input";
    case NB_BAD_FILE: return "bad file";
    case NB_OUT_OF_MEMORY: return "out of memory";
    case NB_UNSUPPORTED: return "unsupported";
    case NB_BREAKDOWN: return "breakdown";
    }
    return "unknown status";
}

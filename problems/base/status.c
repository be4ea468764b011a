#include "problems/base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "problems/base/clean_text.h"
#include "problems/base/numbers.h"

enum nb_status nb_fail(struct nb_error *error, enum nb_status status, const char *format, ...)
{
    NB_DECIMAL_POINT;
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        nb_clean_text(error->text);
    }
    return status;
}

enum nb_status nb_fail_named(struct nb_error *error, enum nb_status status, const char *who)
{
    const enum nb_status known = (int)status >= NB_OK && status <= NB_BREAKDOWN ? status : NB_BREAKDOWN;
    if (known && error && !error->text[0])
        nb_fail(error, known, "%.100s fails and does not say why", who);
    return known;
}

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

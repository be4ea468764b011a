/* Numbers in text have a decimal point, whatever LC_NUMERIC a host program has set.
 *
 * NB_DECIMAL_POINT, as a function's first declaration, gives this thread the locale "C" until the function returns.
 * Every function that others call and that reads or writes numbers as text has it. */
#ifndef NB_NUMBERS_H
#define NB_NUMBERS_H

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The C library keeps this one for ever: it takes no memory and is not to be freed. */
static inline locale_t nb_use_decimal_point(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void nb_use_locale(const locale_t *before)
{
    uselocale(*before);
}

#define NB_DECIMAL_POINT \
    const locale_t nb_locale_before __attribute__((cleanup(nb_use_locale))) = nb_use_decimal_point()

/* The finite decimal number that the whole text is; false, and *value as it was, if it is none. strtod would also take
 * blanks, "nan", "inf" and hexadecimal. */
static inline bool nb_read_decimal(const char *text, double *value)
{
    NB_DECIMAL_POINT;
    char *end;
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return false;
    const double number = strtod(text, &end);
    if (*end || !isfinite(number))
        return false;
    *value = number;
    return true;
}

#endif

/* Numbers in text have a decimal point, whatever LC_NUMERIC a host program has set.
 *
 * NB_DECIMAL_POINT, as a function's first declaration, gives this thread the locale "C" until the function returns.
 * Every function that others call and that reads or writes numbers as text has it. */
#ifndef NB_NUMBERS_H
#define NB_NUMBERS_H

#include <locale.h>

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

#endif

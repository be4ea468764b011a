/* Writes text files that gnuplot reads: strings in double quotes, numbers that keep their bits, arrays. */
#include "harness/figures/plot_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum nb_status nb_text_open(const char *folder, const char *name, const char *suffix, char *path,
                            size_t size, FILE **file, struct nb_error *error)
{
    if ((size_t)snprintf(path, size, "%s/%s.%s", folder, name, suffix) >= size)
        return nb_fail(error, NB_BAD_INPUT, "the path %.200s/... is too long", folder);
    *file = fopen(path, "w");
    if (!*file)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", path, strerror(errno));
    return NB_OK;
}

enum nb_status nb_text_close(FILE *file, const char *path, struct nb_error *error)
{
    const int failed = ferror(file);
    errno = 0;
    if (fclose(file) != 0 || failed)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", path,
                       errno ? strerror(errno) : "write error");
    return NB_OK;
}

/* In double quotes: gnuplot 5.4 takes a doubled quote in single ones only after another character. All of what could
 * mean something there (", \, `, ...) is written in octal, and so are digits behind, which would count to it. */
void nb_text_quote(FILE *file, const char *text)
{
    bool octal = false;
    fputc('"', file);
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        const bool plain = c > 0x7f || isalnum(c) || strchr(" _-+.,:=/", c);
        const bool control = c < ' ' || c == 0x7f;
        octal = !control && (!plain || (octal && isdigit(c)));
        if (octal)
            fprintf(file, "\\%03o", c);
        else
            fputc(control ? ' ' : c, file);
    }
    fputc('"', file);
}

void nb_text_plain(FILE *file, const char *text)
{
    for (; *text; ++text)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
}

void nb_text_short_exponent(char *text)
{
    char *zero = strstr(text, "e-0");
    if (zero)
        memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
}

void nb_text_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.17g", value);
    else
        fputs("NaN", file);
}

void nb_text_array(FILE *file, const char *name, const double *values, int count)
{
    fprintf(file, "array %s[%d] = [", name, count);
    for (int i = 0; i < count; ++i) {
        fputs(i ? ", " : "", file);
        nb_text_number(file, values[i]);
    }
    fputs("]\n", file);
}

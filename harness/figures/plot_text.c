/* Writes text files that gnuplot reads: strings in double quotes, numbers that keep their bits, arrays. */
#include "harness/figures/plot_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/io/replace_file.h"

enum nb_status nb_text_open(const char *folder, const char *name, const char *suffix, char *path,
                            size_t size, FILE **file, struct nb_error *error)
{
    if ((size_t)snprintf(path, size, "%s/%s.%s", folder, name, suffix) >= size)
        return nb_fail(error, NB_BAD_INPUT, "the path %.200s/... is too long", folder);
    *file = nb_create_file(path);
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

/* A letter of UTF-8; of any other byte beyond ASCII '?', as no drawing could be read that holds it. */
static int put_letter(FILE *file, const char *text)
{
    const int length = nb_utf8_length(text);
    fprintf(file, "%.*s", length ? length : 1, length ? text : "?");
    return length ? length : 1;
}

/* In double quotes: gnuplot 5.4 takes a doubled quote in single ones only after another character. All of what could
 * mean something there (", \, `, ...) is written in octal, and so are digits behind, which would count to it. */
void nb_text_quote(FILE *file, const char *text)
{
    bool octal = false;
    fputc('"', file);
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const bool plain = c > 0x7f || isalnum(c) || strchr(" _-+.,:=/", c);
        const bool control = c < ' ' || c == 0x7f;
        octal = !control && (!plain || (octal && isdigit(c)));
        if (octal)
            fprintf(file, "\\%03o", c);
        else if (control)
            fputc(' ', file);
        text += octal || control ? 1 : put_letter(file, text);
    }
    fputc('"', file);
}

void nb_text_plain(FILE *file, const char *text)
{
    while (*text)
        text += (unsigned char)*text < ' ' ? put_letter(file, " ") : put_letter(file, text);
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

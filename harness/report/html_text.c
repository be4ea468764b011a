/* Escapes texts for HTML and Markdown, character by character: each is decoded as UTF-8 first, so that what stands in
 * the page is valid, and is then written as itself, as a reference, or as U+FFFD. Numbers are written with as many
 * digits as one reads. */
#include "harness/report/html_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/numbers.h"

static const char replacement[] = "\xEF\xBF\xBD";

/* Bytes of the UTF-8 character at text, 0 if it is not one; *code: its number. */
static int decode(const unsigned char *text, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int bytes = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    if (bytes < 2) {
        *code = text[0];
        return bytes;
    }
    *code = text[0] & (0x7Fu >> bytes);
    for (int i = 1; i < bytes; ++i) {
        if (text[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (text[i] & 0x3Fu);
    }
    const bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[bytes] || *code > 0x10FFFF || surrogate ? 0 : bytes;
}

/* Control characters of ASCII and Latin 1, marks of direction, and what is not a character. */
static bool is_shown(unsigned code)
{
    const bool control = (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
    const bool direction = code == 0x200E || code == 0x200F || code == 0x61C || (code >= 0x202A && code <= 0x202E) ||
                           (code >= 0x2066 && code <= 0x2069);
    return !control && !direction && (code & 0xFFFE) != 0xFFFE && !(code >= 0xFDD0 && code <= 0xFDEF);
}

/* Writes the character at text in the way of `put` where it is ASCII; the bytes taken. */
static int write_character(FILE *stream, const char *text, void (*put)(FILE *, char))
{
    unsigned code;
    const int bytes = decode((const unsigned char *)text, &code);
    if (!bytes || !is_shown(code))
        fputs(replacement, stream);
    else if (bytes == 1)
        put(stream, *text);
    else
        fwrite(text, 1, (size_t)bytes, stream);
    return bytes ? bytes : 1;
}

static void put_html(FILE *stream, char c)
{
    switch (c) {
    case '&': fputs("&amp;", stream); break;
    case '<': fputs("&lt;", stream); break;
    case '>': fputs("&gt;", stream); break;
    case '"': fputs("&quot;", stream); break;
    case '\'': fputs("&#39;", stream); break;
    default: fputc(c, stream);
    }
}

void nb_html_text(FILE *stream, const char *text)
{
    while (*text)
        text += write_character(stream, text, put_html);
}

void nb_html_print(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    for (; *format; ++format) {
        if (*format != '%')
            fputc(*format, stream);
        else if (*++format == 's')
            nb_html_text(stream, va_arg(list, const char *));
        else if (*format == 'd')
            fprintf(stream, "%d", va_arg(list, int));
        else
            fputc('%', stream);
    }
    va_end(list);
}

/* Within code: a backtick would end it, a bar the table's cell, and a line the table. */
static void put_code(FILE *stream, char c)
{
    if (c == '|')
        fputc('\\', stream);
    fputc(c == '`' ? '\'' : c == '\n' || c == '\t' ? ' ' : c, stream);
}

void nb_markdown_code(FILE *stream, const char *text)
{
    fputc('`', stream);
    while (*text)
        text += write_character(stream, text, put_code);
    fputc('`', stream);
}

/* A mention of somebody or of an issue is told after signs are taken for themselves: these two are parted from what
 * follows by a space of no width. */
static void put_markdown(FILE *stream, char c)
{
    if (strchr("\\`*_{}[]<>|&~$!", c))
        fputc('\\', stream);
    fputc(c == '\n' || c == '\t' ? ' ' : c, stream);
    if (c == '@' || c == '#')
        fputs("\xE2\x80\x8B", stream);
}

void nb_markdown_text(FILE *stream, const char *text)
{
    while (*text)
        text += write_character(stream, text, put_markdown);
}

static char *next_buffer(void)
{
    static _Thread_local char buffer[8][NB_NUMBER];
    static _Thread_local int next;
    return buffer[next++ % 8];
}

const char *nb_text_date(const char *date)
{
    char *text = next_buffer();
    int year, month, day, hour, minute;
    if (sscanf(date, "%4d-%2d-%2dT%2d:%2d", &year, &month, &day, &hour, &minute) != 5)
        return date;
    snprintf(text, NB_NUMBER, "%.10s %.5s UTC", date, date + 11);
    return text;
}

/* The text of a value that is not finite; NULL if it is. */
static const char *not_finite(double value)
{
    return isnan(value) ? "–" : isinf(value) ? "∞" : NULL;
}

/* Three digits that count, and no exponent from 1e-4 to 1e9. */
static const char *three_digits(double value)
{
    NB_DECIMAL_POINT;
    if (not_finite(value))
        return not_finite(value);
    char *text = next_buffer();
    const bool small = fabs(value) < 1e-4 && value != 0, large = fabs(value) >= 1e9;
    snprintf(text, NB_NUMBER, small || large ? "%.2e" : fabs(value) < 999.5 ? "%#.3g" : "%.0f", value);
    const size_t length = strlen(text);
    if (text[length - 1] == '.')
        text[length - 1] = '\0';
    return text;
}

const char *nb_text_milliseconds(double seconds)
{
    return three_digits(1e3 * seconds);
}

const char *nb_text_ratio(double ratio)
{
    return three_digits(ratio);
}

const char *nb_text_error(double error)
{
    NB_DECIMAL_POINT;
    if (not_finite(error))
        return not_finite(error);
    char *text = next_buffer(), digits[NB_NUMBER];
    snprintf(digits, sizeof digits, "%.1e", error);
    const size_t mantissa = strcspn(digits, "e");
    const int shown = (int)mantissa - (digits[mantissa - 1] == '0' ? 2 : 0);
    snprintf(text, NB_NUMBER, error == 0 ? "0" : "%.*se%d", shown, digits, atoi(digits + mantissa + 1));
    return text;
}

const char *nb_text_count(double count)
{
    NB_DECIMAL_POINT;
    if (not_finite(count))
        return not_finite(count);
    char *text = next_buffer();
    snprintf(text, NB_NUMBER, "%.15g", count);
    return text;
}

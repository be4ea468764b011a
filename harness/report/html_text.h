/* Texts and numbers in HTML and Markdown, whatever bytes they hold. */
#ifndef NB_HTML_TEXT_H
#define NB_HTML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes text with the five signs of HTML as references. What is no UTF-8, control characters, and marks that turn
 * the direction of writing around become U+FFFD; tab and newline stay. */
void nb_html_text(FILE *stream, const char *text);

/* printf of HTML: "%s" writes its text as nb_html_text, "%d" an int, "%%" a per cent sign; no other conversions. */
void nb_html_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same text in Markdown: as code, in which nothing is a link, a mention or a border of a table; and as prose. */
void nb_markdown_code(FILE *stream, const char *text);
void nb_markdown_text(FILE *stream, const char *text);

/* A number as text that fits in [NB_NUMBER], in a rotating buffer of eight; "–" for what is no number, "∞" for
 * infinity. Milliseconds of seconds, with at least three digits that count; an error; a ratio; a count. */
enum { NB_NUMBER = 32 };
const char *nb_text_milliseconds(double seconds);
const char *nb_text_error(double error);
const char *nb_text_ratio(double ratio);
const char *nb_text_count(double count);

/* A record's date, 2026-11-25T10:24:21Z, as "2026-11-25 10:24 UTC"; another text as it is. */
const char *nb_text_date(const char *date);

#endif

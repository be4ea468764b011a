/* Which records are meant: NAME=VALUE,VALUE or NAME!=VALUE,VALUE, on the command line and in figure files. */
#ifndef NB_FILTER_H
#define NB_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

enum { NB_WORD_SIZE = 96, NB_WORDS_MOST = 32 };

struct nb_words {
    int count;
    char word[NB_WORDS_MOST][NB_WORD_SIZE];
};

/* The place of a word among words, or -1. */
int nb_words_find(const struct nb_words *words, const char *word);

/* Adds the word where it is not there yet; false: it is too long, or there is no room. */
bool nb_words_add(struct nb_words *words, const char *word);

/* The first of the patterns (fnmatch, or the text itself) that a text has, or -1. */
int nb_words_match(const struct nb_words *patterns, const char *text);

/* Which of the patterns a text has: bit i is the i-th. */
unsigned nb_words_matched(const struct nb_words *patterns, const char *text);

/* The words with commas between them; "..." stands for those that text [size], of 8 or more, has no room for. */
void nb_words_join(const struct nb_words *words, char *text, size_t size);

/* name=a,b (of a figure's curves a is preferred to b) or name!=a,b; a value may be a pattern: beam-*. */
struct nb_filter {
    char name[NB_WORD_SIZE];
    bool equal;
    struct nb_words values;
};

/* Reads a filter; a comma behind a backslash belongs to its value. NULL, or what is wrong with the text, to be followed
 * by the text itself. */
const char *nb_filter_read(const char *text, struct nb_filter *filter);

/* Whether the record's value (harness/records/record.h) is one of the filter's, or with != none of them. */
bool nb_filter_passes(const struct nb_filter *filter, const struct cJSON *record);

/* Several, all of which are meant. */
struct nb_filters {
    int count;
    struct nb_filter *filter; /* owned */
};

/* Reads filters with blanks between, as many as there are; NULL, or what is wrong with `word` [size]. */
const char *nb_filters_read(const char *text, struct nb_filters *filters, char *word, size_t size);
void nb_filters_free(struct nb_filters *filters);

/* Whether one has that name; and whether the record passes all. */
bool nb_filters_name(const struct nb_filters *filters, const char *name);
bool nb_filters_pass(const struct nb_filters *filters, const struct cJSON *record);

#endif

/* A record passes a filter where its value matches one of the filter's patterns, or, with !=, none. */
#include "harness/records/filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/record.h"

int nb_words_find(const struct nb_words *words, const char *word)
{
    for (int i = 0; i < words->count; ++i)
        if (strcmp(words->word[i], word) == 0)
            return i;
    return -1;
}

bool nb_words_add(struct nb_words *words, const char *word)
{
    if (nb_words_find(words, word) >= 0)
        return true;
    if (words->count == NB_WORDS_MOST || strlen(word) >= NB_WORD_SIZE)
        return false;
    strcpy(words->word[words->count++], word);
    return true;
}

static bool matches(const char *pattern, const char *text)
{
    return strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0;
}

int nb_words_match(const struct nb_words *patterns, const char *text)
{
    for (int i = 0; i < patterns->count; ++i)
        if (matches(patterns->word[i], text))
            return i;
    return -1;
}

unsigned nb_words_matched(const struct nb_words *patterns, const char *text)
{
    unsigned matched = 0;
    for (int i = 0; i < patterns->count; ++i)
        matched |= (unsigned)matches(patterns->word[i], text) << i;
    return matched;
}

void nb_words_join(const struct nb_words *words, char *text, size_t size)
{
    static const char more[] = ",...";
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < words->count; ++i) {
        const size_t length = strlen(words->word[i]) + (i > 0);
        const size_t reserve = i + 1 < words->count ? sizeof more : 1;
        if (used + length + reserve > size) {
            snprintf(text + used, size - used, "%s", i ? more : more + 1);
            return;
        }
        snprintf(text + used, size - used, "%s%s", i ? "," : "", words->word[i]);
        used += length;
    }
}

/* The next value of a list: its length, up to a comma that is not behind a backslash. */
static size_t value_length(const char *list)
{
    size_t length = 0;
    while (list[length] && list[length] != ',')
        length += list[length] == '\\' && list[length + 1] ? 2 : 1;
    return length;
}

static const char *read_values(const char *list, struct nb_words *values)
{
    for (size_t length; *list; list += length + (list[length] == ',')) {
        length = value_length(list);
        if (length >= NB_WORD_SIZE)
            return "a value must have 1 to 95 characters, not";
        if (length && values->count == NB_WORDS_MOST)
            return "more than 32 values, at";
        if (length)
            snprintf(values->word[values->count++], NB_WORD_SIZE, "%.*s", (int)length, list);
    }
    return values->count ? NULL : "expected NAME=VALUE, NAME=FIRST,SECOND or NAME!=VALUE, not";
}

const char *nb_filter_read(const char *text, struct nb_filter *filter)
{
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || !sign[1])
        return "expected NAME=VALUE, NAME=FIRST,SECOND or NAME!=VALUE, not";
    memset(filter, 0, sizeof *filter);
    filter->equal = sign[-1] != '!';
    const size_t length = (size_t)(sign - text) - !filter->equal;
    if (length == 0 || length >= NB_WORD_SIZE)
        return "a name must have 1 to 95 characters, not";
    snprintf(filter->name, sizeof filter->name, "%.*s", (int)length, text);
    return read_values(sign + 1, &filter->values);
}

bool nb_filter_passes(const struct nb_filter *filter, const struct cJSON *record)
{
    char text[NB_WORD_SIZE];
    nb_record_text(record, filter->name, text, sizeof text);
    return (nb_words_match(&filter->values, text) >= 0) == filter->equal;
}

const char *nb_filters_read(const char *text, struct nb_filters *filters, char *word, size_t size)
{
    int room = filters->count;
    for (;;) {
        text += strspn(text, " \t\r\n");
        const size_t length = strcspn(text, " \t\r\n");
        if (!length)
            return NULL;
        snprintf(word, size, "%.*s", (int)length, text);
        text += length;
        if (!NB_GROW(filters->filter, filters->count, &room))
            return "no memory for the filter";
        const char *wrong = nb_filter_read(word, &filters->filter[filters->count]);
        if (wrong)
            return wrong;
        ++filters->count;
    }
}

void nb_filters_free(struct nb_filters *filters)
{
    free(filters->filter);
    *filters = (struct nb_filters){0};
}

bool nb_filters_name(const struct nb_filters *filters, const char *name)
{
    for (int i = 0; i < filters->count; ++i)
        if (!strcmp(filters->filter[i].name, name))
            return true;
    return false;
}

bool nb_filters_pass(const struct nb_filters *filters, const struct cJSON *record)
{
    for (int i = 0; i < filters->count; ++i)
        if (!nb_filter_passes(&filters->filter[i], record))
            return false;
    return true;
}

/* Goes through an object's members, and those of its objects, without reading what they hold: a string ends at a quote
 * that no backslash precedes, an array or object where its brackets close. */
#include "harness/records/sieve.h"

#include <string.h>

enum { NAME = 64 };

struct sieve {
    const char *in, *end;
    char *out;
    nb_wanted *wanted;
    void *context;
};

bool nb_is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names))
        ++names;
    return *names != NULL;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void skip_space(struct sieve *sieve)
{
    while (sieve->in < sieve->end && is_space(*sieve->in))
        ++sieve->in;
}

/* Past the character, where it is the next one. */
static bool skip_char(struct sieve *sieve, char c)
{
    skip_space(sieve);
    if (sieve->in == sieve->end || *sieve->in != c)
        return false;
    ++sieve->in;
    return true;
}

static bool skip_string(struct sieve *sieve)
{
    if (!skip_char(sieve, '"'))
        return false;
    for (; sieve->in < sieve->end && *sieve->in != '"'; ++sieve->in)
        sieve->in += *sieve->in == '\\' && sieve->in + 1 < sieve->end;
    return skip_char(sieve, '"');
}

static bool skip_brackets(struct sieve *sieve)
{
    int depth = 0;
    while (sieve->in < sieve->end) {
        const char c = *sieve->in;
        if (c == '"') {
            if (!skip_string(sieve))
                return false;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        ++sieve->in;
        if (!depth)
            return true;
    }
    return false;
}

static bool skip_value(struct sieve *sieve)
{
    skip_space(sieve);
    const char *begin = sieve->in;
    if (begin == sieve->end)
        return false;
    if (*begin == '"')
        return skip_string(sieve);
    if (*begin == '{' || *begin == '[')
        return skip_brackets(sieve);
    while (sieve->in < sieve->end && !strchr(",}] \t\r\n", *sieve->in))
        ++sieve->in;
    return sieve->in > begin;
}

/* The name of a member, quotes and all from *begin on; one that is too long is cut. */
static bool take_name(struct sieve *sieve, const char **begin, char name[NAME])
{
    skip_space(sieve);
    *begin = sieve->in;
    if (!skip_string(sieve))
        return false;
    const size_t length = (size_t)(sieve->in - *begin) - 2, most = NAME - 1;
    memcpy(name, *begin + 1, length < most ? length : most);
    name[length < most ? length : most] = '\0';
    return skip_char(sieve, ':');
}

static void copy(struct sieve *sieve, const char *begin)
{
    memcpy(sieve->out, begin, (size_t)(sieve->in - begin));
    sieve->out += sieve->in - begin;
}

/* outer: the object's name; NULL: it is the record. */
static bool sieve_object(struct sieve *sieve, const char *outer)
{
    bool written = false;
    if (!skip_char(sieve, '{'))
        return false;
    *sieve->out++ = '{';
    skip_space(sieve);
    while (sieve->in < sieve->end && *sieve->in != '}') {
        const char *begin;
        char name[NAME], *before = sieve->out;
        if (!take_name(sieve, &begin, name))
            return false;
        const bool wanted = sieve->wanted(sieve->context, outer ? outer : name, outer ? name : NULL);
        if (written)
            *sieve->out++ = ',';
        skip_space(sieve);
        copy(sieve, begin);
        const bool within = wanted && !outer && sieve->in < sieve->end && *sieve->in == '{';
        const char *value = sieve->in;
        if (!(within ? sieve_object(sieve, name) : skip_value(sieve)))
            return false;
        if (!within)
            copy(sieve, value);
        if (!wanted)
            sieve->out = before;
        written |= wanted;
        if (!skip_char(sieve, ',') && (sieve->in == sieve->end || *sieve->in != '}'))
            return false;
        skip_space(sieve);
    }
    *sieve->out++ = '}';
    return skip_char(sieve, '}');
}

size_t nb_sieve(const char *text, size_t length, nb_wanted *wanted, void *context, char *room)
{
    struct sieve sieve = {text, text + length, room, wanted, context};
    if (!sieve_object(&sieve, NULL))
        return 0;
    skip_space(&sieve);
    return sieve.in == sieve.end ? (size_t)(sieve.out - room) : 0;
}

#include "problems/base/clean_text.h"

#include <string.h>

/* RFC 3629, whose table of well-formed sequences bounds the second byte behind four of the first ones. */
int nb_utf8_length(const char *letter)
{
    const unsigned char *text = (const unsigned char *)letter;
    const unsigned char low = text[0] == 0xe0 ? 0xa0 : text[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = text[0] == 0xed ? 0x9f : text[0] == 0xf4 ? 0x8f : 0xbf;
    const int length = text[0] < 0x80                       ? 1
                       : text[0] < 0xc2                     ? 0
                       : text[0] < 0xe0                     ? 2
                       : text[0] < 0xf0                     ? 3
                       : text[0] < 0xf5                     ? 4
                                                            : 0;
    if (length > 1 && (text[1] < low || text[1] > high))
        return 0;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* U+0080 to U+009F, which terminals take for commands as they do those below U+0020. */
static int is_high_control(const unsigned char *text)
{
    return text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0;
}

void nb_clean_text(char *text)
{
    unsigned char *at = (unsigned char *)text;
    int valid = 1;
    for (const char *look = text; valid && *look; look += nb_utf8_length(look))
        valid = nb_utf8_length(look) > 0;
    for (; *at; ++at) {
        if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && !valid))
            *at = '?';
        if (is_high_control(at))
            at[0] = at[1] = '?';
    }
}

void nb_copy_text(char *to, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            --length;
    }
    memcpy(to, text, length);
    to[length] = '\0';
}

#include "problems/base/clean_text.h"

/* Length of the UTF-8 sequence at text, 0 where it is none (RFC 3629, without the fine points of
 * overlong forms: nothing is decoded here). */
static int utf8_length(const unsigned char *text)
{
    const int length = text[0] < 0x80                      ? 1
                       : (text[0] & 0xe0) == 0xc0          ? 2
                       : (text[0] & 0xf0) == 0xe0          ? 3
                       : (text[0] & 0xf8) == 0xf0          ? 4
                                                           : 0;
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
    for (const unsigned char *look = at; valid && *look; look += utf8_length(look))
        valid = utf8_length(look) > 0;
    for (; *at; ++at) {
        if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && !valid))
            *at = '?';
        if (is_high_control(at))
            at[0] = at[1] = '?';
    }
}

/* Texts of others: what is UTF-8, against a decoder of its own, and where a text is cut; and the sort of nothing. */
#include "problems/base/clean_text.h"
#include "problems/base/sorted.h"
#include "tests/support/test.h"

/* Bytes of the letter by its number: decoded, and written anew in as few bytes as it needs. */
static int decoded_length(const unsigned char *text)
{
    static const unsigned first[] = {0, 0, 0xc0, 0xe0, 0xf0}, least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0x80)
        return 1;
    for (int length = 2; length <= 4; ++length) {
        const unsigned mask = 0x7fu >> length;
        unsigned number = text[0] & mask;
        if ((text[0] & ~mask & 0xff) != first[length])
            continue;
        for (int i = 1; i < length; ++i) {
            if (text[i] >> 6 != 2)
                return 0;
            number = number << 6 | (text[i] & 0x3fu);
        }
        const int surrogate = number >= 0xd800 && number < 0xe000;
        return number >= least[length] && number <= 0x10ffff && !surrogate ? length : 0;
    }
    return 0;
}

TEST(a_letter_is_what_a_decoder_takes)
{
    static const unsigned char others[] = {0, 'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    enum { OTHERS = sizeof others };
    for (int first = 1; first < 256; ++first)
        for (int k = 0; k < OTHERS * OTHERS * OTHERS; ++k) {
            const unsigned char text[] = {(unsigned char)first, others[k % OTHERS], others[k / OTHERS % OTHERS],
                                          others[k / OTHERS / OTHERS], 0};
            assert_int_equal(nb_utf8_length((const char *)text), decoded_length(text));
        }
}

TEST(a_text_is_cut_between_letters)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xb2z"; /* of 1, 2, 3, 4 and 1 bytes */
    static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t room = 1; room <= sizeof text + 1; ++room) {
        char copy[sizeof text + 1];
        memset(copy, 'x', sizeof copy);
        nb_copy_text(copy, room, text);
        assert_int_equal(strlen(copy), whole[room - 1]);
        assert_memory_equal(copy, text, whole[room - 1]);
    }
}

TEST(what_is_no_text_is_replaced)
{
    char latin[] = "l\xf6ser", surrogate[] = "a\xed\xa0\x80", overlong[] = "\xc0\xaf", good[] = "l\xc3\xb6ser\n";
    nb_clean_text(latin);
    nb_clean_text(surrogate);
    nb_clean_text(overlong);
    nb_clean_text(good);
    assert_string_equal(latin, "l?ser");
    assert_string_equal(surrogate, "a???");
    assert_string_equal(overlong, "??");
    assert_string_equal(good, "l\xc3\xb6ser?");
}

TEST(nothing_is_sorted) /* for the sanitizer: qsort takes no NULL */
{
    nb_sort_doubles(NULL, 0);
    nb_sort_ints(NULL, 0);
    assert_int_equal(nb_sort_pairs(NULL, 0), 0);
}

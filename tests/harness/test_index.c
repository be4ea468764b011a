/* Texts are found by the number that they were added with, whatever their order and however many. */
#include "harness/records/index.h"
#include "tests/support/test.h"

TEST(every_text_keeps_its_first_number)
{
    struct nb_index index = {0};
    char text[16];
    assert_int_equal(nb_index_find(&index, "a"), -1);
    for (int i = 0; i < 5000; ++i) {
        snprintf(text, sizeof text, "%d", (i * 7919) % 5000);
        assert_int_equal(nb_index_add(&index, text, i), i);
    }
    for (int i = 0; i < 5000; ++i) {
        snprintf(text, sizeof text, "%d", (i * 7919) % 5000);
        assert_int_equal(nb_index_find(&index, text), i);
        assert_int_equal(nb_index_add(&index, text, 6000), i);
    }
    assert_int_equal(nb_index_find(&index, "5000"), -1);
    nb_index_free(&index);
    assert_int_equal(nb_index_find(&index, "0"), -1);
}


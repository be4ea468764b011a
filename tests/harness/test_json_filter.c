/* A filtered text of a record is JSON of the members that are wanted; a text that is not an object is told. */
#include "harness/records/compact.h"
#include "tests/support/test.h"

static bool wanted(void *context, const char *outer, const char *inner)
{
    assert_string_equal(context, "mine");
    return inner ? strcmp(inner, "no") != 0 : outer[0] != 'x';
}

static void expect(const char *text, const char *expected)
{
    char room[256], context[] = "mine";
    const size_t length = nb_json_filter(text, strlen(text), wanted, context, room);
    room[length] = '\0';
    assert_string_equal(room, expected);
}

TEST(members_that_are_not_wanted_are_left_out)
{
    expect("{\"a\":1,\"x\":[1,{\"b\":2}],\"c\":\"}\"}", "{\"a\":1,\"c\":\"}\"}");
    expect(" { \"x\" : \"\\\"]\" , \"a\" : { \"no\" : 1 , \"yes\" : [ 2 ] } } \n", "{\"a\" : {\"yes\" : [ 2 ]}}");
    expect("{\"x\":{\"a\":1}}", "{}");
    expect("{\"a\":{\"no\":0}}", "{\"a\":{}}");
    expect("{\"a\":{\"b\":{\"no\":0}}}", "{\"a\":{\"b\":{\"no\":0}}}");
    expect("{}", "{}");
    expect("{\"a\":-1e5}", "{\"a\":-1e5}");
}

TEST(a_text_that_is_not_an_object_is_told)
{
    static const char *const texts[] = {"", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":[1}", "{\"a\":\"b}",
                                        "{a:1}",
                                        "{\"a\":1} {}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"x\":[}", "{\"a\":}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        expect(texts[i], "");
}

/* Claims: the number of each value, reduction and predicate on records that are known. */
#include "harness/claims/claims.h"
#include "tests/support/folder.h"

/* Two methods on two problems; on q b fails before its first iteration, and one value is null. */
static const char *const records_text =
    "[{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"solver\":\"a\"},\"sizes\":{\"contacts\":4},\"zeros\":3,"
    "\"rows\":6,\"trace\":{\"error_of\":[1,0.1,1e-3,1e-7],\"height\":[2,1.5,2.25,2],\"wild\":[1,4,2,6,null]}},"
    "{\"kind\":\"case\",\"settings\":{\"problem\":\"q\",\"solver\":\"a\"},\"sizes\":{\"contacts\":8},\"zeros\":0,"
    "\"rows\":6,\"trace\":{\"error_of\":[1,1e-2],\"height\":[1,1],\"wild\":[0,0]}},"
    "{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"solver\":\"b\"},\"sizes\":{\"contacts\":4},\"zeros\":0,"
    "\"rows\":6,\"trace\":{\"error_of\":[1,1e-2],\"height\":[1,3],\"wild\":[0,0]}},"
    "{\"kind\":\"case\",\"settings\":{\"problem\":\"q\",\"solver\":\"b\"},\"sizes\":{\"contacts\":null},\"zeros\":0,"
    "\"rows\":6,\"trace\":{}}]";

/* The result of a claim with these keys, those of every claim aside. */
static struct nb_claim_result judge(const char *keys)
{
    static const char head[] = "[claim c]\nsource = s\nsays = t\ncommand = u\nexpected = holds\n";
    char *text = NULL;
    struct nb_claims claims;
    struct nb_claim_result result;
    assert_true(asprintf(&text, "%s%s\n", head, keys) > 0);
    const char *path = test_path(&folder, "claims.list");
    FILE *file = test_open(path, "w");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(text);
    assert_ok(nb_claims_read(path, &claims, &why));
    cJSON *records = cJSON_Parse(records_text);
    assert_non_null(records);
    assert_ok(nb_claim_judge(&claims.claim[0], records, false, &result, &why));
    cJSON_Delete(records);
    nb_claims_free(&claims);
    return result;
}

/* Of the one record of a on p. */
static void check_number(const char *value, double expected)
{
    char keys[400];
    snprintf(keys, sizeof keys, "where = problem=p solver=a\nat_most = 1e300\n%s", value);
    const struct nb_claim_result result = judge(keys);
    if (result.number != expected && !(fabs(result.number - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%s: %.17g, not %.17g", value, result.number, expected);
}

FIXTURE(make_folder, remove_folder)

TEST(values_are_members_of_the_record_or_of_its_trace)
{
    check_number("value = zeros", 3);
    check_number("value = sizes.contacts", 4);
    check_number("value = zeros\nover = rows", 0.5);
    check_number("value = height", 2);
}

TEST(reductions_of_a_trace)
{
    check_number("value = height:first", 2);
    check_number("value = height:last", 2);
    check_number("value = height:2", 2.25);
    check_number("value = height:9", 2);
    check_number("value = height:least", 1.5);
    check_number("value = height:largest", 2.25);
    check_number("value = height:change", 0.5);
    check_number("value = height:spread", 1.5);
    check_number("value = height:rise", 1.5);
    check_number("value = error_of:rise", 1);
    check_number("value = error_of:growth", 1e-7);
    check_number("value = error_of:order", 2);
    check_number("value = error_of:last\nuntil = 0.01", 1e-3);
    check_number("value = wild:rise\nuntil = 2\nfrom = 1", 1);
    check_number("value = wild:last\nuntil = 0", INFINITY);
}

TEST(pairs_agree_in_what_each_names)
{
    /* a over b on p is 1e-5, on q, where b failed, 0. */
    const struct nb_claim_result result =
        judge("where = kind=case\na = solver=a\nb = solver=b\neach = problem\nvalue = error_of:last\nat_most = 1e-4");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_int_equal(result.count, 2);
    assert_true(fabs(result.number - 1e-5) < 1e-15);
    assert_int_equal(judge("where = kind=case\na = solver=a\nb = solver=b\nvalue = rows\nequals = 1").count, 4);
    const struct nb_claim_result zeros =
        judge("where = problem=p,q\na = solver=b problem=p\nb = problem=q solver=a\nvalue = wild\nequals = 1");
    assert_int_equal(zeros.verdict, NB_CLAIM_HOLDS); /* 0 / 0 */
}

TEST(the_number_told_is_that_which_decides)
{
    /* Contacts are 4, 8, 4 and, where it is null, infinite. */
    struct nb_claim_result result = judge("where = kind=case\nvalue = sizes.contacts\nat_most = 8\nshare = 0.75");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_true(result.number == 8);
    assert_int_equal(result.fulfil, 3);
    result = judge("where = kind=case\nvalue = sizes.contacts\nat_most = 8");
    assert_int_equal(result.verdict, NB_CLAIM_DOES_NOT_HOLD);
    assert_true(isinf(result.number) && result.differs);
    result = judge("where = kind=case\nvalue = sizes.contacts\nat_least = 4");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_true(result.number == 4);
    result = judge("where = kind=case\nvalue = sizes.contacts\nequals = 5\ntolerance = 0.2\nshare = 0.5");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_int_equal(result.fulfil, 2);
    result = judge("where = kind=case\nvalue = sizes.contacts\nequals = 5\ntolerance = 0.19\nshare = 0.5");
    assert_int_equal(result.verdict, NB_CLAIM_DOES_NOT_HOLD);
}

TEST(shares_are_compared)
{
    /* Of a both reach 0.01, of b one of two. */
    const struct nb_claim_result result =
        judge("where = kind=case\na = solver=a\nb = solver=b\nvalue = error_of:last\nreaches = 0.01\nequals = 2");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_int_equal(result.count, 1);
}

TEST(what_lacks_records_is_not_decided)
{
    struct nb_claim_result result = judge("where = solver=c\nvalue = rows\nat_most = 9");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_false(result.differs);
    assert_string_equal(result.reason, "no record passes solver=c");
    result = judge("where = solver=a\nvalue = columns\nat_most = 9\n");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    result = judge("where = kind=case\nvalue = rows\nat_most = 9\nneeds = 5");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_string_equal(result.reason, "needs 5 numbers, and there are 4");
}

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

static char note[400]; /* of the claim judged last */

/* The result of a claim with these keys, those of every claim aside, on these records. */
static struct nb_claim_result judge_on(const char *records_of, const char *keys)
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
    cJSON *list = cJSON_Parse(records_of);
    struct nb_claim_records records;
    assert_non_null(list);
    assert_ok(nb_claim_records_open(list, &records, &why));
    assert_ok(nb_claim_judge(&claims.claim[0], &records, false, &result, &why));
    assert_ok(nb_claim_check(&claims.claim[0], &records, false, &result, &why));
    nb_claim_records_close(&records);
    snprintf(note, sizeof note, "%s", result.note ? result.note : "");
    free(result.note);
    result.note = NULL;
    cJSON_Delete(list);
    nb_claims_free(&claims);
    return result;
}

static struct nb_claim_result judge(const char *keys)
{
    return judge_on(records_text, keys);
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
    check_number("value = height:deviation", sqrt((1.0 / 256 + 49.0 / 256 + 25.0 / 256 + 1.0 / 256) / 4) / 1.9375);
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
    /* With over it is a quotient of either: 6/8 and 6/4. */
    const struct nb_claim_result quotients = judge("where = kind=case\na = problem=q solver=a\nb = problem=p solver=b\n"
                                                   "value = rows\nover = sizes.contacts\nequals = 0.5");
    assert_int_equal(quotients.verdict, NB_CLAIM_HOLDS);
}

TEST(the_number_told_is_that_which_decides)
{
    /* Contacts are 4, 8, 4 and, where it is null, infinite. */
    struct nb_claim_result result = judge("where = kind=case\nvalue = sizes.contacts\nat_most = 8\nshare = 0.75");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_true(result.number == 8);
    assert_int_equal(result.fulfil, 3);
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

TEST(a_number_that_is_not_finite_decides_nothing)
{
    /* Contacts are 4, 8, 4 and, where it is null, infinite. */
    struct nb_claim_result result = judge("where = kind=case\nvalue = sizes.contacts\nat_most = 8");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_true(result.differs);
    result = judge("where = solver=b problem=q\nvalue = sizes.contacts\nat_least = 4");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_string_equal(result.reason, "the number that decides is not finite");
}

TEST(runs_that_have_not_converged_decide_nothing)
{
    static const char keys[] = "where = solver=a\nvalue = zeros\nat_most = 9\nconverged = error_of:least ";
    char text[200];
    snprintf(text, sizeof text, "%s0.02", keys);
    assert_int_equal(judge(text).verdict, NB_CLAIM_HOLDS);
    snprintf(text, sizeof text, "%s0.001", keys);
    const struct nb_claim_result result = judge(text);
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_string_equal(result.reason, "1 of 2 runs have not converged: their error stays above 0.001");
}

/* Sinks by b's end to 1, 3 and 2 with three seeds; a sinks less each time, but breaks down with the third. */
static const char breakdown_text[] =
    "[{\"kind\":\"simulation\",\"ending\":\"completed\",\"settings\":{\"solver\":\"a\",\"seed\":1},"
    "\"trace\":{\"sunk\":[0,0.5]}},"
    "{\"kind\":\"simulation\",\"ending\":\"completed\",\"settings\":{\"solver\":\"a\",\"seed\":2},"
    "\"trace\":{\"sunk\":[0,1]}},"
    "{\"kind\":\"simulation\",\"ending\":\"breakdown\",\"settings\":{\"solver\":\"a\",\"seed\":3},\"steps\":7,"
    "\"trace\":{\"sunk\":[0,0.1]}},"
    "{\"kind\":\"simulation\",\"ending\":\"completed\",\"settings\":{\"solver\":\"b\",\"seed\":1},"
    "\"trace\":{\"sunk\":[0,1,1]}},"
    "{\"kind\":\"simulation\",\"ending\":\"completed\",\"settings\":{\"solver\":\"b\",\"seed\":2},"
    "\"trace\":{\"sunk\":[0,1,3]}},"
    "{\"kind\":\"simulation\",\"ending\":\"completed\",\"settings\":{\"solver\":\"b\",\"seed\":3},"
    "\"trace\":{\"sunk\":[0,1,2]}}]";

/* The verdict of a claim on these records with the demand, and of each reduction of a trace as a whole alike. */
static struct nb_claim_result judge_broken(const char *reduction, const char *demand)
{
    char text[300];
    snprintf(text, sizeof text, "where = kind=simulation\na = solver=a\nb = solver=b\neach = seed\nvalue = sunk%s\n%s",
             reduction, demand);
    return judge_on(breakdown_text, text);
}

TEST(a_run_that_broke_down_decides_nothing)
{
    static const char *const reductions[] = {"", ":last", ":largest", ":change", ":2"};
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; ++i) {
        struct nb_claim_result result = judge_broken(reductions[i], "at_most = 0.6");
        assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
        assert_string_equal(result.reason, "1 of 3 numbers are of runs that broke down, and could turn it");
        assert_int_equal(judge_broken(reductions[i], "at_least = 0.04").verdict, NB_CLAIM_NOT_DECIDED);
        result = judge_broken(reductions[i], "at_most = 0.6\nbreakdown = counts");
        assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    }
}

/* Whatever it would have come to: two others suffice, or one that fails. */
TEST(what_the_others_decide_is_decided)
{
    struct nb_claim_result result = judge_broken(":last", "at_most = 0.6\nshare = 0.6");
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_true(result.number == 0.5);
    result = judge_broken(":last", "at_most = 0.4");
    assert_int_equal(result.verdict, NB_CLAIM_DOES_NOT_HOLD);
    assert_true(result.number == 0.5);
    assert_int_equal(result.fulfil, 1);
    assert_int_equal(judge_broken(":last", "at_most = 0.4\nshare = 0.5").verdict, NB_CLAIM_NOT_DECIDED);
}

/* What was seen before it broke down was seen. */
TEST(entries_before_the_breakdown_count)
{
    assert_true(judge_broken(":1", "at_most = 1").number == 1);
    assert_int_equal(judge_broken(":1", "at_most = 1").verdict, NB_CLAIM_HOLDS);
    assert_int_equal(judge_broken("", "at_most = 1\nalong = 1 1").verdict, NB_CLAIM_HOLDS);
    assert_int_equal(judge_broken("", "at_most = 1\nalong = 1 2").verdict, NB_CLAIM_NOT_DECIDED);
    const struct nb_claim_result steps = judge_on(breakdown_text, "where = solver=a seed=3\nvalue = steps\nequals = 7");
    assert_int_equal(steps.verdict, NB_CLAIM_HOLDS);
}

/* Of three one has not got there: its 0.1 was on the way. It lies above the median, too, and is no control. */
TEST(what_broke_down_has_not_got_there)
{
    struct nb_claim_result result = judge_on(breakdown_text, "where = solver=a\nvalue = sunk\nreaches = 0.6\n"
                                                             "at_most = 1");
    assert_true(result.number == 1. / 3);
    result = judge_on(breakdown_text, "where = solver=a\nvalue = sunk\npool = medians\nat_most = 1");
    assert_true(result.number == 1);
    static const char keys[] = "where = solver=b\nvalue = sunk:last\nat_least = 0.9\nagainst = solver=a seed=";
    char text[200];
    snprintf(text, sizeof text, "%s1", keys);
    assert_int_equal(judge_on(breakdown_text, text).check, NB_CHECK_FINE);
    snprintf(text, sizeof text, "%s3", keys);
    assert_int_equal(judge_on(breakdown_text, text).check, NB_CHECK_CONTROL);
    snprintf(text, sizeof text, "where = solver=a\nvalue = sunk\nat_most = 9\nconverged = sunk 5");
    assert_string_equal(judge_on(breakdown_text, text).reason,
                        "1 of 3 runs have not converged: their error stays above 5");
}

/* The error of b is at 0.1 later than that of a on p, of neither on q; on r a breaks down. */
static const char pairs_text[] =
    "[{\"kind\":\"case\",\"ending\":\"iteration_limit\",\"settings\":{\"solver\":\"a\",\"problem\":\"p\"},"
    "\"trace\":{\"error_of\":[1,0.01]}},"
    "{\"kind\":\"case\",\"ending\":\"iteration_limit\",\"settings\":{\"solver\":\"b\",\"problem\":\"p\"},"
    "\"trace\":{\"error_of\":[1,1,0.01]}},"
    "{\"kind\":\"case\",\"ending\":\"iteration_limit\",\"settings\":{\"solver\":\"a\",\"problem\":\"q\"},"
    "\"trace\":{\"error_of\":[1,0.5]}},"
    "{\"kind\":\"case\",\"ending\":\"iteration_limit\",\"settings\":{\"solver\":\"b\",\"problem\":\"q\"},"
    "\"trace\":{\"error_of\":[1,0.7]}},"
    "{\"kind\":\"case\",\"ending\":\"breakdown\",\"settings\":{\"solver\":\"a\",\"problem\":\"r\"},"
    "\"sizes\":{\"contacts\":4},\"best\":{\"step_error\":0.1},\"errors\":{\"step_error\":0.1},\"peak_memory\":8,"
    "\"trace\":{\"error_of\":[1,0.5]}},"
    "{\"kind\":\"case\",\"ending\":\"iteration_limit\",\"settings\":{\"solver\":\"b\",\"problem\":\"r\"},"
    "\"trace\":{\"error_of\":[1,1,0.01]}}]";

static struct nb_claim_result judge_pairs(const char *problems, const char *more)
{
    char text[300];
    snprintf(text, sizeof text,
             "where = problem=%s\na = solver=a\nb = solver=b\neach = problem\n"
             "value = error_of:reached\nuntil = 0.1\nat_most = 0.8\n%s",
             problems, more);
    return judge_on(pairs_text, text);
}

/* That neither side gets there is not that a run broke down: it is told apart, and a control may be so. */
TEST(what_neither_reaches_did_not_break_down)
{
    struct nb_claim_result result = judge_pairs("q", "");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_false(result.broke_down);
    assert_string_equal(result.reason, "1 of 1 numbers are infinite over infinite, and could turn it");
    result = judge_pairs("r", "");
    assert_true(result.broke_down);
    assert_string_equal(result.reason, "1 of 1 numbers are of runs that broke down, and could turn it");
    result = judge_pairs("q,r", "");
    assert_true(result.broke_down);
    assert_string_equal(result.reason, "1 of 2 numbers are of runs that broke down, 1 of 2 numbers are infinite over "
                                       "infinite, and could turn it");
    assert_false(judge_pairs("q,r", "share = 0.5").broke_down); /* what neither reaches is enough */
    assert_int_equal(judge_pairs("p,q,r", "share = 0.3").verdict, NB_CLAIM_HOLDS);
    assert_int_equal(judge_pairs("p", "against = problem=q\nleaves_out = problem: figure 1").check, NB_CHECK_FINE);
    assert_int_equal(judge_pairs("p", "against = problem=r\nleaves_out = problem: figure 1").check, NB_CHECK_CONTROL);
}

/* Of a run that broke down its problem's sizes are known; the best and the last that it came to decide nothing. */
TEST(what_is_known_without_the_run_counts)
{
    static const char *const come_to[] = {"best.step_error", "errors.step_error", "peak_memory", "error_of:least"};
    char text[200];
    assert_int_equal(judge_on(pairs_text, "where = problem=r solver=a\nvalue = sizes.contacts\nequals = 4").verdict,
                     NB_CLAIM_HOLDS);
    for (size_t i = 0; i < sizeof come_to / sizeof *come_to; ++i) {
        snprintf(text, sizeof text, "where = problem=r solver=a\nvalue = %s\nat_most = 100", come_to[i]);
        const struct nb_claim_result result = judge_on(pairs_text, text);
        assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
        assert_true(result.broke_down);
    }
}

TEST(what_is_below_the_floor_is_alike)
{
    check_number("value = error_of:last\nfloor = 1e-4", 1e-4);
    check_number("value = wild:rise\nfloor = 5", 1.2 * INFINITY);
    check_number("value = zeros\nfloor = 5", 5);
    /* a over b on p is 1e-5; above 1e-3 it is 0.1. */
    const struct nb_claim_result result = judge("where = problem=p\na = solver=a\nb = solver=b\n"
                                                "value = error_of:last\nat_most = 1\nfloor = 1e-3");
    assert_true(fabs(result.number - 0.1) < 1e-15);
}

TEST(a_curve_is_read_along_its_entries)
{
    /* 0.1 and 1e-3 of 1e-2. */
    const struct nb_claim_result result = judge("where = problem=p\na = solver=a\nb = solver=b\nvalue = error_of\n"
                                                "at_most = 1\nshare = 0.5\nalong = 1 2");
    assert_int_equal(result.count, 2);
    assert_int_equal(result.fulfil, 1);
    assert_true(fabs(result.number - 0.1) < 1e-15);
    check_number("value = error_of:reached\nuntil = 0.01", 2);
    check_number("value = height:reached\nuntil = 2", 3); /* below at first, but not to stay */
    check_number("value = error_of:reached\nuntil = 1e-8\nfrom = 1", INFINITY);
}

TEST(medians_are_compared)
{
    /* Heights end at 2, 1, 3 and, where it failed, nowhere. */
    const struct nb_claim_result result = judge("where = kind=case\nvalue = height:last\npool = medians\nat_most = 2");
    assert_int_equal(result.count, 1);
    assert_true(result.number == 2.5);
    assert_true(judge("where = kind=case\na = solver=a\nb = solver=b problem=p\npool = medians\nvalue = height:last\n"
                      "at_most = 2").number == 0.5);
}

/* The same scene with four seeds. */
static const char seeds_text[] =
    "[{\"kind\":\"x\",\"settings\":{\"seed\":1},\"size\":1,\"trace\":{}},"
    "{\"kind\":\"x\",\"settings\":{\"seed\":2},\"size\":2,\"trace\":{}},"
    "{\"kind\":\"x\",\"settings\":{\"seed\":4},\"size\":4,\"trace\":{}},"
    "{\"kind\":\"x\",\"settings\":{\"seed\":3},\"size\":8,\"trace\":{}}]";

TEST(each_value_of_varies_is_judged_by_itself)
{
    static const char keys[] = "where = kind=x\nvalue = size\nvaries = seed\n";
    char text[200];
    snprintf(text, sizeof text, "%sat_most = 10", keys);
    struct nb_claim_result result = judge_on(seeds_text, text);
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_true(result.number == 8 && fabs(result.margin - 1.25) < 1e-12);
    assert_int_equal(result.values, 4);
    snprintf(text, sizeof text, "%sat_most = 4", keys);
    result = judge_on(seeds_text, text);
    assert_int_equal(result.verdict, NB_CLAIM_DEPENDS);
    assert_int_equal(result.hold, 3);
    assert_true(result.margin == 2); /* 8 to 4; the others would take 4 to 1 */
    snprintf(text, sizeof text, "%sat_most = 5\na = seed=1,3,4\nb = seed=2", keys);
    result = judge_on(seeds_text, text); /* all over that of b, which names the setting itself */
    assert_int_equal(result.verdict, NB_CLAIM_HOLDS);
    assert_true(result.number == 4);
    snprintf(text, sizeof text, "%sat_most = 0.5", keys);
    assert_int_equal(judge_on(seeds_text, text).verdict, NB_CLAIM_DOES_NOT_HOLD);
    snprintf(text, sizeof text, "%sat_most = 10\na = seed=1,2", keys);
    result = judge_on(seeds_text, text);
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_string_equal(result.reason, "needs 3 values of seed, and there are 2");
}

/* The nearest change that turns a verdict is that of the number told: 4, 8 and 4 of which two may fail. */
TEST(the_margin_is_the_factor_that_turns_the_verdict)
{
    static const char keys[] = "where = kind=x\nvalue = size\n";
    static const char sizes_text[] = "[{\"kind\":\"x\",\"size\":4},{\"kind\":\"x\",\"size\":8},"
                                     "{\"kind\":\"x\",\"size\":4}]";
    static const struct {
        const char *demand;
        double margin;
    } cases[] = {{"at_most = 10", 1.25}, {"at_most = 2", 4}, {"at_most = 10\nshare = 0.5", 2.5},
                 {"at_least = 2", 2}, {"at_least = 16", 4}, {"at_least = 16\nshare = 0.3", 2},
                 {"equals = 5\ntolerance = 0.8", 4.0 / 3}, {"equals = 5\ntolerance = 0.5", 1.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[200];
        snprintf(text, sizeof text, "%s%s", keys, cases[i].demand);
        const struct nb_claim_result result = judge_on(sizes_text, text);
        if (!(fabs(result.margin - cases[i].margin) < 1e-12))
            fail_msg("%s: %g, not %g", cases[i].demand, result.margin, cases[i].margin);
    }
}

/* Of a claim that says why it leaves out q. */
static enum nb_claim_check check(const char *keys)
{
    char text[400];
    snprintf(text, sizeof text, "%s\nleaves_out = problem: figure 1", keys);
    return judge(text).check;
}

TEST(what_nothing_could_turn_is_refused)
{
    static const char both[] = "where = problem=p\na = solver=a\nb = solver=b\nvalue = error_of:last\n";
    char text[200];
    /* a ends a hundred thousand times lower than b. */
    snprintf(text, sizeof text, "%sat_most = 5e-4", both);
    assert_int_equal(check(text), NB_CHECK_FINE);
    assert_int_equal(judge(text).check, NB_CHECK_LEAVES);
    snprintf(text, sizeof text, "%sat_most = 0.1", both); /* by more than 100 times: any method may do so */
    assert_int_equal(check(text), NB_CHECK_CONTROL);
    assert_int_equal(check("where = solver=a problem=p\nvalue = height:rise\nat_least = 1"), NB_CHECK_FIXED);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nat_least = 0"), NB_CHECK_FIXED);
    assert_int_equal(check("where = solver=a\nvalue = zeros\nreaches = 9\nat_most = 1"), NB_CHECK_FIXED);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nat_most = 9"), NB_CHECK_CONTROL);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nat_least = 1\nagainst = solver=b"),
                     NB_CHECK_FINE);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nat_most = 9\nagainst = solver=b"),
                     NB_CHECK_ALIKE);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nat_most = 9\nagainst = solver=c"),
                     NB_CHECK_CONTROL);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nat_most = 1"), NB_CHECK_FINE);
    assert_int_equal(check("where = solver=a problem=p\nvalue = zeros\nequals = 3"), NB_CHECK_FINE);
}

TEST(a_note_whose_number_no_record_has_is_refused)
{
    static const char one[] = "where = solver=a problem=p\nvalue = zeros\nequals = 3\nnote = ";
    static const struct {
        const char *query;
        enum nb_claim_check check;
    } cases[] = {{"{rows solver=b}", NB_CHECK_FINE}, {"{rows solver=c}", NB_CHECK_NOTE}, {"{colour}", NB_CHECK_NOTE},
                 {"{rows} {rows solver=c} {rows}", NB_CHECK_NOTE}, {"{rows solver}", NB_CHECK_NOTE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[200];
        snprintf(text, sizeof text, "%s%s", one, cases[i].query);
        if (check(text) != cases[i].check)
            fail_msg("%s", cases[i].query);
    }
    /* What is not decided lacks its records anyway. */
    assert_int_equal(check("where = solver=c problem=p\nvalue = zeros\nequals = 3\nnote = {rows}"), NB_CHECK_NONE);
}

TEST(a_note_has_its_numbers_from_the_records)
{
    struct nb_claim_result result = judge("where = solver=a problem=p\nvalue = zeros\nequals = 3\n"
                                          "note = It is {zeros}, of b {height:last solver=b}, of all {rows "
                                          "problem=p,q}, heights {height:last problem=*}, {rows solver=c}.");
    assert_string_equal(note, "It is 3, of b 3, of all 6, heights 1 to 2, (no record has rows).");
    assert_true(result.note_lacks);
}

/* It is in the time already. */
TEST(whole_time_counts_no_set_up_of_a_step)
{
    static const char text[] =
        "[{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"newton_iters\":2},\"ending\":\"converged\","
        "\"errors\":{\"step_error\":1e-9},\"counts\":{\"newton\":2},\"times\":{\"setup\":3,\"solve\":[2],\"median\":2},"
        "\"trace\":{\"iteration\":[0,1,2],\"step_error\":[1,0.1,1e-9]}}]";
    const double time = judge_on(text, "where = kind=case\nvalue = time\naccuracy = 1e-8\nat_most = 9").number;
    const double whole = judge_on(text, "where = kind=case\nvalue = whole_time\naccuracy = 1e-8\nat_most = 9").number;
    assert_true(time > 0 && time <= 2);
    assert_true(whole == time);
}

/* Of a linear system each repetition has a set-up of its own, which counts once. */
TEST(whole_time_counts_a_systems_set_up_once)
{
    static const char text[] =
        "[{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"mode\":\"linear_system\"},\"ending\":\"converged\","
        "\"errors\":{\"residual\":1e-9},\"counts\":{\"linear\":2},"
        "\"times\":{\"setup\":4,\"setups\":[5,3,4],\"solve\":[2,2,2],\"median\":2},"
        "\"trace\":{\"iteration\":[0,1,2],\"residual\":[1,0.1,1e-9]}}]";
    assert_true(judge_on(text, "where = kind=case\nvalue = time\naccuracy = 0.5\nat_most = 9").number == 1);
    assert_true(judge_on(text, "where = kind=case\nvalue = whole_time\naccuracy = 0.5\nat_most = 9").number == 5);
}

/* Two cases with these times. */
static struct nb_claim_result judge_times(const char *a, const char *b, const char *predicate)
{
    static const char of_both[] =
        "[{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"solver\":\"a\"},\"ending\":\"converged\","
        "\"errors\":{\"step_error\":1e-9},\"times\":{\"setup\":0,\"solve\":[%s],\"median\":2}},"
        "{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"solver\":\"b\"},\"ending\":\"converged\","
        "\"errors\":{\"step_error\":1e-9},\"times\":{\"setup\":0,\"solve\":[%s],\"median\":1}}]";
    char text[800], claim[200];
    snprintf(text, sizeof text, of_both, a, b);
    snprintf(claim, sizeof claim, "where = kind=case\na = solver=a\nb = solver=b\nvalue = times.median\n%s", predicate);
    return judge_on(text, claim);
}

/* With five and five times the ends of the interval are the third ratios from either end: 1.8 and 2.2 of these. */
TEST(times_that_scatter_beyond_the_threshold_decide_nothing)
{
    static const char twice[] = "1.8,1.9,2,2.1,2.2", once[] = "1,1,1,1,1";
    assert_int_equal(judge_times(twice, once, "at_most = 2.3").verdict, NB_CLAIM_HOLDS);
    assert_int_equal(judge_times(twice, once, "at_most = 1.7").verdict, NB_CLAIM_DOES_NOT_HOLD);
    assert_int_equal(judge_times(twice, once, "at_least = 1.7").verdict, NB_CLAIM_HOLDS);
    assert_int_equal(judge_times(twice, once, "equals = 2\ntolerance = 0.2").verdict, NB_CLAIM_HOLDS);
    assert_int_equal(judge_times(twice, once, "equals = 1\ntolerance = 0.2").verdict, NB_CLAIM_DOES_NOT_HOLD);
    static const char *const verges[] = {"at_most = 2.1", "at_most = 1.9", "at_least = 2.1",
                                         "equals = 2\ntolerance = 0.05", "equals = 1.7\ntolerance = 0.1"};
    for (size_t i = 0; i < sizeof verges / sizeof *verges; ++i) {
        const struct nb_claim_result result = judge_times(twice, once, verges[i]);
        assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
        assert_true(result.scatters && !result.differs);
        assert_non_null(strstr(result.reason, "1 of 1 numbers are of times that scatter by more"));
    }
    /* Four of one side say nothing. */
    assert_int_equal(judge_times("9,9,9,9", once, "at_most = 1").verdict, NB_CLAIM_NOT_DECIDED);
}

/* Of cases that nobody repeated: no ratio of their times is known, and that is no difference. */
TEST(times_that_nobody_took_decide_nothing)
{
    static const char text[] =
        "[{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"solver\":\"a\"},\"ending\":\"converged\","
        "\"errors\":{\"step_error\":1e-9},\"times\":{\"setup\":0,\"solve\":[],\"median\":null}},"
        "{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"solver\":\"b\"},\"ending\":\"converged\","
        "\"errors\":{\"step_error\":1e-9},\"times\":{\"setup\":0,\"solve\":[],\"median\":null}}]";
    const struct nb_claim_result result = judge_on(
        text, "where = kind=case\na = solver=a\nb = solver=b\nvalue = times.median\nequals = 1\ntolerance = 0.25");
    assert_int_equal(result.verdict, NB_CLAIM_NOT_DECIDED);
    assert_true(result.scatters && !result.differs);
}

/* A case that crashed in a repetition has the times of those before: none of them counts. */
TEST(a_run_that_came_to_no_end_has_no_time)
{
    static const char case_that_ended[] =
        "[{\"kind\":\"case\",\"settings\":{\"problem\":\"p\",\"newton_iters\":2},\"ending\":\"%s\","
        "\"errors\":{\"step_error\":1e-9},\"counts\":{\"newton\":2},\"times\":{\"setup\":3,\"solve\":[2],\"median\":2},"
        "\"trace\":{\"iteration\":[0,1,2],\"step_error\":[1,0.1,1e-9]}}]";
    static const char *const endings[] = {"crashed", "timed_out", "out_of_memory", "breakdown", "converged"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        char text[400];
        snprintf(text, sizeof text, case_that_ended, endings[i]);
        static const char *const names[] = {"times.median", "times.setup", "time\naccuracy = 1e-8"};
        for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
            char claim[120];
            snprintf(claim, sizeof claim, "where = kind=case\nvalue = %s\nat_most = 9", names[k]);
            assert_true(isfinite(judge_on(text, claim).number) == !strcmp(endings[i], "converged"));
        }
    }
}

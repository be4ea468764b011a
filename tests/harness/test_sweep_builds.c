/* Whose code a record is of, and which of other code a sweep reuses: none of an edited strategy, and of other
 * builds those that it is not asked to measure again. */
#include "tests/support/sweep_support.h"

#include "harness/case/case_settings.h"
#include "harness/records/provenance.h"
#include "solvers/registry.h"
#include "solvers/source.h"

/* Their kinds, in order; each has a hash. */
static void expect_strategies(const struct nb_case *setting, const char *kinds)
{
    char text[200] = "";
    cJSON *strategies = nb_case_strategies(setting), *member = NULL;
    cJSON_ArrayForEach(member, strategies) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s", member->string);
        assert_int_equal(strlen(member->valuestring), NB_SHORT_HASH_SIZE - 1);
    }
    assert_string_equal(text, kinds);
    cJSON_Delete(strategies);
}

TEST(strategies_are_those_that_the_case_reads)
{
    struct nb_case c = nb_case_default();
    c.options.solver = "newton";
    c.options.linear = "pcr";
    expect_strategies(&c, " precision solver ncp scaling operator linear precond");
    c.options.linear = "cholesky:order=amd";
    expect_strategies(&c, " precision solver ncp scaling operator linear");
    c.options.solver = "pgs:friction=cone";
    expect_strategies(&c, " precision solver");
    c.mode = NB_CASE_LINEAR_SYSTEM;
    c.options.linear = "pcg";
    expect_strategies(&c, " precision operator linear precond");
    cJSON *strategies = nb_case_strategies(&c);
    assert_string_equal(nb_json_string(strategies, "linear"), nb_registry_source("linear", "pcg"));
    cJSON_Delete(strategies);
}

static char first[160], other[160];

static const char *record_of_eight(void)
{
    const char *spec = write_spec(eight);
    snprintf(first, sizeof first, "%s", fresh("first.jsonl"));
    snprintf(other, sizeof other, "%s", fresh("other.jsonl"));
    assert_int_equal(sweep(spec, first, NULL).run, EIGHT);
    return spec;
}

static struct nb_sweep_summary sweep_anew(const char *spec, const char *results)
{
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .anew = true};
    struct nb_sweep_summary summary;
    assert_ok(nb_sweep_run(&request, &summary, &why));
    return summary;
}

static void set(cJSON *record, const char *outer, const char *inner, const char *text)
{
    cJSON *object = cJSON_GetObjectItemCaseSensitive(record, outer);
    assert_true(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(object, inner)));
    cJSON_ReplaceItemInObjectCaseSensitive(object, inner, cJSON_CreateString(text));
}

/* As if solvers/linear/pcr.c had been another when the records were made. */
static void edit_pcr(void *unused, cJSON *record)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    (void)unused;
    if (!strcmp(nb_json_string(settings, "linear"), "pcr"))
        set(record, "strategies", "linear", "0123456789abcdef");
}

static void edit_ncp(void *unused, cJSON *record)
{
    (void)unused;
    set(record, "strategies", "ncp", "0123456789abcdef");
}

static void edit_kernel(void *unused, cJSON *record)
{
    (void)unused;
    set(record, "provenance", "fingerprint", "0123456789abcdef");
}

/* As records were before they had either. */
static void forget_code(void *unused, cJSON *record)
{
    (void)unused;
    cJSON_DeleteItemFromObjectCaseSensitive(record, "strategies");
    cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(record, "provenance"),
                                            "fingerprint");
}

TEST(an_edited_strategy_runs_anew)
{
    const char *spec = record_of_eight();
    rewrite(first, other, edit_pcr, NULL);
    struct nb_sweep_summary summary = sweep(spec, other, NULL);
    assert_int_equal(summary.run, EIGHT / 2);
    assert_int_equal(summary.reused, EIGHT / 2);
    assert_int_equal(summary.other_builds, 0);
    assert_int_equal(sweep(spec, other, NULL).run, 0);
    /* An NCP function is read by the floors, too. */
    rewrite(first, other, edit_ncp, NULL);
    assert_int_equal(sweep(spec, other, NULL).run, EIGHT);
    assert_int_equal(test_lines(other), 2 * (EIGHT + 2));
}

/* Whoever reads the file takes the last record of a case, so it is the one that has to be of this code. */
TEST(the_last_record_of_a_case_decides)
{
    char command[400];
    const char *spec = record_of_eight();
    rewrite(first, other, edit_pcr, NULL);
    snprintf(command, sizeof command, "cat '%s' >>'%s'", other, first);
    assert_int_equal(system(command), 0);
    assert_int_equal(sweep(spec, first, NULL).run, EIGHT / 2);
}

TEST(records_of_other_builds_are_told_and_measured_on_request)
{
    const char *spec = record_of_eight();
    rewrite(first, other, edit_kernel, NULL);
    struct nb_sweep_summary summary = sweep(spec, other, NULL);
    assert_int_equal(summary.run, 0);
    assert_int_equal(summary.other_builds, EIGHT);
    assert_int_equal(sweep_anew(spec, other).run, EIGHT);
    assert_int_equal(test_lines(other), 2 * (EIGHT + 2));
    summary = sweep_anew(spec, other);
    assert_int_equal(summary.run, 0);
    assert_int_equal(summary.other_builds, 0);
}

TEST(records_without_hashes_are_of_another_build)
{
    const char *spec = record_of_eight();
    rewrite(first, other, forget_code, NULL);
    const struct nb_sweep_summary summary = sweep(spec, other, NULL);
    assert_int_equal(summary.run, 0);
    assert_int_equal(summary.reused, EIGHT);
    assert_int_equal(summary.other_builds, EIGHT);
    assert_int_equal(test_lines(other), EIGHT + 2); /* the floors are kept as well */
}

/* As if no method had found the floors' reference solution within that time [s]. */
static void fail_floor(void *limit, cJSON *record)
{
    if (strcmp(nb_json_string(record, "kind"), "floor"))
        return;
    cJSON_ReplaceItemInObjectCaseSensitive(record, "reference", cJSON_CreateNull());
    cJSON_ReplaceItemInObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(record, "limits"), "time",
                                           cJSON_CreateNumber(*(double *)limit));
}

static void fail_floor_elsewhere(void *limit, cJSON *record)
{
    fail_floor(limit, record);
    edit_kernel(NULL, record);
}

TEST(a_floor_that_failed_is_sought_again_by_other_builds_and_in_more_time)
{
    double same = 20, less = 10; /* the spec's, and shorter */
    const char *spec = record_of_eight();
    const struct { void (*edit)(void *, cJSON *); double *limit; int sought; } rows[] = {
        {fail_floor, &same, 0}, {fail_floor, &less, 2}, {fail_floor_elsewhere, &same, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        rewrite(first, other, rows[i].edit, rows[i].limit);
        assert_int_equal(sweep(spec, other, NULL).run, 0);
        assert_int_equal(test_lines(other), EIGHT + 2 + rows[i].sought);
        assert_int_equal(sweep(spec, other, NULL).run, 0);
        assert_int_equal(test_lines(other), EIGHT + 2 + rows[i].sought);
    }
}

/* The observed run of the last case, as the journal of a killed sweep holds it. Cases that run here do not end
 * in the way that it says. */
static enum nb_status write_part(void *fingerprint, const cJSON *record, struct nb_error *error)
{
    char journal[170], line[1024], machine[NB_MACHINE];
    (void)error;
    if (strcmp(nb_json_string(record, "kind"), "case"))
        return NB_OK;
    cJSON *part = cJSON_CreateObject();
    cJSON_AddStringToObject(part, "part", "trace");
    cJSON_AddStringToObject(part, "ending", "diverged");
    cJSON_AddNumberToObject(part, "iterations", 1);
    cJSON_AddStringToObject(part, "key", nb_json_string(record, "key"));
    cJSON_AddItemToObject(part, "strategies",
                          cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(record, "strategies"), true));
    cJSON_AddStringToObject(part, "fingerprint", fingerprint);
    nb_provenance_machine(cJSON_GetObjectItemCaseSensitive(record, "provenance"), machine, sizeof machine);
    cJSON_AddStringToObject(part, "machine", machine);
    char *text = cJSON_PrintUnformatted(part);
    snprintf(journal, sizeof journal, "%s.journal", other);
    snprintf(line, sizeof line, "%s\n", text);
    test_write(journal, line);
    free(text);
    cJSON_Delete(part);
    return NB_OK;
}

/* How many cases go on from that part. */
static int continued(const char *spec, const char *fingerprint)
{
    fresh("other.jsonl");
    assert_ok(nb_store_read(first, write_part, (void *)fingerprint, &why));
    sweep(spec, other, NULL);
    return audit(other, "diverged").with_ending;
}

TEST(a_record_is_not_made_of_two_builds)
{
    const char *spec = record_of_eight();
    assert_int_equal(continued(spec, nb_source_fingerprint()), 1);
    assert_int_equal(continued(spec, "0123456789abcdef"), 0);
}

FIXTURE(set_up, remove_folder)

/* A curve over a setting: which value is the best, which cannot be told from it, what fails and why. */
#include <cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "harness/records/record.h"
#include "harness/report/curve.h"
#include "tests/support/case_text.h"
#include "tests/support/folder.h"
#include "tests/support/near.h"

enum { VALUES = 5 };

/* The curve of "mine" over omega = 1, 2, ..., or ..., 2, 1, which is least at the least. */
static struct nb_curve make_from(const char *path, int count, bool backwards, double least, cJSON **records)
{
    struct nb_curve curve = {.setting = "omega", .of = "mine", .count = count, .tolerance = 2e-4,
                             .least = least, .most = INFINITY};
    for (int v = 0; v < count; ++v) {
        struct nb_curve_value *value = &curve.value[v];
        const int omega = backwards ? count - v : v + 1;
        snprintf(value->text, sizeof value->text, "%d", omega);
        snprintf(value->side[0], sizeof value->side[0], "precond=mine:omega=%d", omega);
        value->sides = 1;
        value->number = omega;
        value->usual = omega == 1;
    }
    assert_ok(nb_records_read(path, records, &why));
    assert_ok(nb_curve_make(&curve, *records, &why));
    return curve;
}

static struct nb_curve make_in_order(const char *path, int count, bool backwards, cJSON **records)
{
    return make_from(path, count, backwards, 0, records);
}

static struct nb_curve make(const char *path, int count, cJSON **records)
{
    return make_in_order(path, count, false, records);
}

static void put(FILE *file, const char *problem, int omega, double seconds, bool solved)
{
    char precond[32];
    struct case_text text = usual_case;
    snprintf(precond, sizeof precond, "mine:omega=%d", omega);
    text.problem = problem;
    text.precond = precond;
    text.seconds = seconds;
    text.factor = solved ? 0.1 : 1;
    text.ending = solved ? "converged" : "breakdown\",\"detail\":\"omega is too large";
    put_case_text(file, &text);
}

static void expect_text(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, text);
}

/* Times lie one per cent apart: half a per cent cannot be told, a factor of two can. */
TEST_IN_FOLDER(best_value_has_an_interval)
{
    char *path = strdup(test_path(&folder, "curve.jsonl"));
    FILE *file = test_open(path, "w");
    const double seconds[VALUES] = {4e-3, 2.01e-3, 2e-3, 2.01e-3, 1e-3};
    cJSON *records;
    for (int p = 0; p < 3; ++p)
        for (int v = 0; v < VALUES; ++v) {
            const char *const problems[] = {"p", "q", "r"};
            put(file, problems[p], v + 1, seconds[v] * (p + 1), v < 4);
        }
    assert_int_equal(fclose(file), 0);
    struct nb_curve curve = make(path, VALUES, &records);
    const struct nb_curve_part *part = &curve.part[0];
    assert_int_equal(part->best, 2);
    assert_true(part->point[1].same && part->point[3].same);
    assert_false(part->point[0].same || part->point[4].same);
    assert_int_equal(part->point[0].verdict, NB_VERDICT_WORSE);
    assert_near(part->point[0].time.value, 2, 0.02);
    assert_true(part->point[0].time.low > 1.9 && part->point[0].time.high < 2.1);
    assert_near(part->point[0].of_problem[1], 2, 1e-9);
    assert_near(part->point[1].iterations, 1, 1e-12);
    assert_int_equal(part->point[4].solved, 0);
    assert_int_equal(part->point[4].cases, 3);
    assert_true(isnan(part->point[4].time.value));
    assert_string_equal(part->point[4].reason, "breakdown: omega is too large");
    expect_text(part->sentence, "Of 5 values of omega, 3 is the best, not to be told from 2 and 4.");
    expect_text(part->sentence, "What it is otherwise, 1, is worse than it: it takes 2 [");
    assert_null(strstr(part->sentence, "end of what was tried"));
    assert_false(curve.part[1].any);
    nb_curve_free(&curve);
    cJSON_Delete(records);
    free(path);
}

/* Failures weigh more than time, and a value at the end of the range says so. */
TEST_IN_FOLDER(best_solves_most)
{
    char *path = strdup(test_path(&folder, "curve.jsonl"));
    FILE *file = test_open(path, "w");
    cJSON *records;
    put(file, "p", 1, 1e-3, true);
    put(file, "q", 1, 1e-3, false);
    put(file, "p", 2, 3e-3, true);
    put(file, "q", 2, 3e-3, true);
    assert_int_equal(fclose(file), 0);
    struct nb_curve curve = make(path, 2, &records);
    assert_int_equal(curve.part[0].best, 1);
    assert_int_equal(curve.part[0].point[0].solved, 1);
    assert_near(curve.part[0].point[0].time.value, 1 / 3., 0.02);
    expect_text(curve.part[0].sentence, "The best reaches the end of what was tried");
    nb_curve_free(&curve);
    cJSON_Delete(records);
    free(path);
}

/* Beyond what a setting may be no value is better. */
TEST_IN_FOLDER(what_a_setting_may_be_is_no_end)
{
    char *path = strdup(test_path(&folder, "curve.jsonl"));
    FILE *file = test_open(path, "w");
    cJSON *records;
    for (int v = 1; v <= 3; ++v)
        put(file, "p", v, v * 1e-3, true);
    assert_int_equal(fclose(file), 0);
    for (int least = 0; least < 2; ++least) {
        struct nb_curve curve = make_from(path, 3, false, least, &records);
        assert_int_equal(curve.part[0].best, 0);
        assert_int_equal(strstr(curve.part[0].sentence, "end of what was tried") == NULL, least);
        nb_curve_free(&curve);
        cJSON_Delete(records);
    }
    free(path);
}

/* Nothing is the best where nothing is solved; what no record has was not tried. */
TEST_IN_FOLDER(nothing_solved_has_no_best)
{
    char *path = strdup(test_path(&folder, "curve.jsonl")), verdict[60];
    FILE *file = test_open(path, "w");
    cJSON *records;
    put(file, "p", 1, 1e-3, false);
    put(file, "p", 2, 1e-3, false);
    assert_int_equal(fclose(file), 0);
    struct nb_curve curve = make(path, 3, &records);
    assert_int_equal(curve.part[0].best, -1);
    assert_string_equal(curve.part[0].sentence, "No value of omega solves any.");
    nb_curve_verdict(&curve.part[0], 1, verdict, sizeof verdict);
    assert_string_equal(verdict, "solves none");
    nb_curve_verdict(&curve.part[0], 2, verdict, sizeof verdict);
    assert_string_equal(verdict, "not tried");
    assert_int_equal(nb_curve_draw(&curve, folder.path, "over", stderr, &why), NB_UNSUPPORTED);
    nb_curve_free(&curve);
    cJSON_Delete(records);
    free(path);
}

/* Of the same records the same best, in whichever order the values come. */
TEST_IN_FOLDER(steps_and_systems_are_apart)
{
    char *path = strdup(test_path(&folder, "curve.jsonl"));
    FILE *file = test_open(path, "w");
    cJSON *records;
    struct case_text text = usual_case;
    for (int mode = 0; mode < 2; ++mode)
        for (int v = 1; v <= 2; ++v) {
            char precond[32];
            snprintf(precond, sizeof precond, "mine:omega=%d", v);
            text.mode = mode ? "linear_system" : "step";
            text.precond = precond;
            text.seconds = (mode == 0) == (v == 1) ? 1e-3 : 2e-3;
            put_case_text(file, &text);
        }
    assert_int_equal(fclose(file), 0);
    for (int backwards = 0; backwards < 2; ++backwards) {
        struct nb_curve curve = make_in_order(path, 2, backwards, &records);
        assert_string_equal(curve.value[curve.part[0].best].text, "1");
        assert_string_equal(curve.value[curve.part[1].best].text, "2");
        assert_true(curve.part[0].better < 0 && curve.part[1].better < 0);
        nb_curve_free(&curve);
        cJSON_Delete(records);
    }
    free(path);
}

/* Each value was tried on two thirds of the problems, and is better than the next where both were: none is the best,
 * and that is said. */
TEST_IN_FOLDER(comparisons_that_go_round_say_so)
{
    char *path = strdup(test_path(&folder, "curve.jsonl")), said[100];
    FILE *file = test_open(path, "w");
    cJSON *records;
    for (int set = 0; set < 3; ++set)
        for (int p = 0; p < 4; ++p) {
            char problem[8];
            snprintf(problem, sizeof problem, "%c%d", "abc"[set], p);
            put(file, problem, set + 1, 1e-3, true);
            put(file, problem, (set + 1) % 3 + 1, 2e-3, true);
        }
    assert_int_equal(fclose(file), 0);
    for (int backwards = 0; backwards < 2; ++backwards) {
        struct nb_curve curve = make_in_order(path, 3, backwards, &records);
        const struct nb_curve_part *part = &curve.part[0];
        assert_true(part->better >= 0);
        assert_int_equal(part->point[part->better].verdict, NB_VERDICT_BETTER);
        assert_int_equal(atoi(curve.value[part->best].text), atoi(curve.value[part->better].text) % 3 + 1);
        snprintf(said, sizeof said, "But %s is better than it", curve.value[part->better].text);
        expect_text(part->sentence, said);
        nb_curve_free(&curve);
        cJSON_Delete(records);
    }
    free(path);
}

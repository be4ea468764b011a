/* Comparisons and profiles from records whose answers are known. */
#include <cJSON.h>

#include "harness/cli/commands.h"
#include "harness/figures/profile.h"
#include "harness/records/outcome.h"
#include "harness/records/problem_name.h"
#include "harness/report/compare.h"
#include "problems/base/sorted.h"
#include "tests/support/case_text.h"
#include "tests/support/plot_support.h"

static const char *write_cases(void)
{
    const char *path = path_of("cases.jsonl");
    OWNS(fclose_at) FILE *file = test_open(path, "w");
    put_precond(file, "p", "new", 0.001, 1e-6); /* measured anew below */
    put_precond(file, "p", "old", 0.1, 4e-3);  /* 1e-2 after 2 of 4 iterations: 2 ms */
    put_precond(file, "p", "new", 0.01, 4e-3); /* after 1: 1 ms                      */
    put_precond(file, "q", "old", 0.1, 8e-3);  /* 4 ms                               */
    put_precond(file, "q", "new", 0.1, 2e-3);  /* 1 ms                               */
    put_precond(file, "r", "old", 0.1, 1e-3);
    put_precond(file, "r", "new", 1, 1e-3);    /* never                              */
    return path;
}

/* At the error 1e-2 the new one takes half and a quarter of the time, and half and all of the
 * iterations; once it fails. */
TEST_IN_FOLDER(compares_at_equal_accuracy)
{
    const char *path = write_cases();
    const struct nb_comparison comparison = {
        .a = {1, {"precond=old"}}, .b = {1, {"precond=new"}},
        .tolerance = 1.0001e-2};
    char *text = test_compare(path, &comparison, NB_OK);
    test_contains(text, "geometric mean of 2: 2.828");
    test_contains(text, "iterations A/B, geometric mean of 2: 1.414");
    test_contains(text, "worse: B fails");
    test_contains(text, "verdict: B is faster, but fails more often");
    test_contains(text, "note: in 2 of 2 pairs a run went on beyond the error");
    assert_null(strstr(text, "run apart"));
    free(text);
    struct nb_comparison unknown = comparison;
    unknown.across = (struct nb_option_list){1, {"percond"}};
    test_says(test_compare(path, &unknown, NB_BAD_INPUT), "--across percond: no record has a setting percond");
}

static cJSON *usual_record(const char *ending)
{
    OWNS(free_at) char *record = NULL;
    size_t size = 0;
    struct case_text text = usual_case;
    FILE *file = open_memstream(&record, &size);
    text.ending = ending;
    put_case_text(file, &text);
    fclose(file);
    return cJSON_Parse(record);
}

/* What came to no end in its third repetition reached nothing, though it was observed and timed twice; nor does what
 * ended in a way that nobody knows. */
TEST(what_comes_to_no_end_reaches_nothing)
{
    struct nb_outcome outcome;
    static const char *const endings[] = {"converged", "crashed", "timed_out", "out_of_memory", "breakdown",
                                          "exploded", "", "Converged"};
    for (size_t crashed = 0; crashed < sizeof endings / sizeof *endings; ++crashed) {
        cJSON *json = usual_record(endings[crashed]);
        nb_outcome_read(json, 1.001e-3, &outcome);
        assert_int_equal(outcome.iterations, crashed ? 0 : 3);
        assert_int_equal(outcome.repetitions, crashed ? 0 : usual_case.repetitions);
        assert_true(isfinite(nb_outcome_time(&outcome)) == !crashed);
        assert_true(nb_outcome_is_solved(json) == !crashed);
        cJSON_Delete(json);
    }
}

/* A member of a solved record, what stands there instead, and whether it still reached the tolerance and has times. */
TEST(what_contradicts_itself_reaches_nothing)
{
    static const struct {
        const char *outer, *inner, *value;
        bool reached, timed;
    } edits[] = {
        {"errors", "step_error", "null", false, false},
        {"errors", "step_error", "-1", false, false},
        {"errors", "step_error", "\"0\"", false, false},
        {"errors", "step_error", "1e999", false, false},
        {"errors", "step_error", "0.5", false, false}, /* above the record's own tolerance */
        {"errors", "step_error", "1e-4", true, true},
        {"trace", "step_error", "[null,null,null,null,null]", false, false},
        {"trace", "step_error", "[-1,-1,-1,-1,-1]", false, false},
        {"trace", "iteration", "[0,-5,1e300,1e300,1e999]", true, true},
        {"times", "solve", "[1e999,-1,0,null,\"1e-9\"]", true, false},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i) {
        struct nb_outcome outcome;
        cJSON *json = usual_record("converged");
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(json, "settings"), "tol", cJSON_CreateNumber(1e-3));
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(json, edits[i].outer), edits[i].inner,
                                  cJSON_Parse(edits[i].value));
        nb_outcome_read(json, 1.001e-3, &outcome);
        assert_true((outcome.iterations > 0) == edits[i].reached);
        assert_true(isfinite(nb_outcome_time(&outcome)) == edits[i].timed);
        cJSON_Delete(json);
    }
}

TEST_IN_FOLDER(does_not_distinguish_equals)
{
    char *path = strdup(write_cases());
    const struct nb_comparison comparison = {
        .a = {2, {"precond=old", "problem=r"}},
        .b = {2, {"precond=old", "problem=p"}}, .tolerance = 0.5};
    char *text = test_compare(path, &comparison, NB_OK); /* 0.25 ms against 1 ms */
    test_contains(text, "verdict: B is worse");
    free(text);
    FILE *file = fopen(path, "a");
    put_precond(file, "r", "same", 0.1, 1e-3);
    fclose(file);
    const struct nb_comparison same = {.a = {1, {"precond=old"}}, .b = {1, {"precond=same"}}};
    test_says(test_compare(path, &same, NB_OK), "verdict: B is not distinguishable");
    free(path);
}

/* A program outside is named by its whole command, and found without. */
TEST_IN_FOLDER(an_external_program_is_found_by_external)
{
    const char *path = test_path(&folder, "outside.jsonl");
    FILE *file = test_open(path, "w");
    struct case_text text = usual_case;
    put_case_text(file, &text);
    text.solver = "external:command=python3 mine.py";
    put_case_text(file, &text);
    fclose(file);
    struct nb_comparison comparison = {.a = {1, {"solver=newton"}}, .b = {1, {"solver=external"}}, .tolerance = 0.5};
    test_says(test_compare(path, &comparison, NB_OK), "verdict: B is not distinguishable");
    comparison.b = (struct nb_option_list){1, {"solver=extern"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "no record has this value");
}

TEST_IN_FOLDER(says_why_nothing_pairs)
{
    const char *path = write_cases();
    struct nb_comparison comparison = {.a = {1, {"solver=newton"}}, .b = {1, {"problem=q"}}};
    char *text = test_compare(path, &comparison, NB_OK); /* problem may differ where --b names it */
    free(text);
    comparison.b = (struct nb_option_list){1, {"solver=other"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT),
              "--b solver=other: no record has this value; values of solver: newton");
    comparison.b = (struct nb_option_list){2, {"problem=p", "problem=q"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "6 cases in A, 0 in B");
    comparison.b = (struct nb_option_list){1, {"solvr=newton"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "--b solvr=newton: no record has a setting solvr");
    comparison.a = (struct nb_option_list){1, {"problem=p"}};
    comparison.b = (struct nb_option_list){1, {"problem=nonsense"}};
    text = test_compare(path, &comparison, NB_BAD_INPUT);
    free(text);
    comparison.b = (struct nb_option_list){1, {"problem"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "NAME=VALUE");
}

static void select_profile(const struct nb_figure *figure, struct nb_plot_data *data, int *drawn)
{
    cJSON *records = NULL;
    assert_ok(nb_records_read(write_cases(), &records, &why));
    assert_ok(nb_plot_select(figure, records, "", data, drawn, &why));
    for (int c = 0; c < data->curves.count; ++c)
        data->series[c].record = NULL;
    cJSON_Delete(records);
}

/* Costs at 1e-2 [ms]: p 2, 1; q 4, 1; r 0.5, never. */
TEST_IN_FOLDER(profiles_mask_failures_first)
{
    OWNS(nb_plot_data_free) struct nb_plot_data data;
    int drawn = 0;
    struct nb_figure figure = {.input = NB_FIGURE_PROFILE, .tolerance = 1.0001e-2, .column_count = 3,
                               .panels = {.name = "precision"},
                               .curves = {.name = "precond", .first = {2, {"old", "new"}}}};
    select_profile(&figure, &data, &drawn);
    assert_int_equal(drawn, 2);
    const double *old = data.series[0].value, *new = data.series[1].value;
    assert_int_equal(data.series[0].points, 5);
    assert_int_equal(data.series[1].points, 4);
    const double over_best[] = {1, 1, 2, 4, 4}, cost[] = {0.5e-3, 0.5e-3, 2e-3, 4e-3, 4e-3};
    for (int k = 0; k < 5; ++k) {
        assert_true(fabs(old[3 * k] - (k < 3 ? k : 3) / 3.) < 1e-12);
        assert_true(fabs(old[3 * k + 1] - over_best[k]) < 1e-9);
        assert_true(fabs(old[3 * k + 2] - cost[k]) < 1e-9);
    }
    assert_true(fabs(new[3 * 2] - 2 / 3.) < 1e-12 && fabs(new[3 * 3] - 2 / 3.) < 1e-12);
    assert_true(new[3 * 2 + 1] == 1 && fabs(new[3 * 3 + 1] - 4) < 1e-9);
    test_contains(data.series[1].note, "2 of 3");
    nb_plot_data_free(&data);
    strcpy(figure.cost, "iterations");
    select_profile(&figure, &data, &drawn);
    assert_true(data.series[0].value[3 * 1 + 2] == 2);
    assert_true(data.series[1].value[3 * 1 + 2] == 1);
}

/* p and q are rigid, r is flexible: the profile of each class counts its own problems alone. */
TEST_IN_FOLDER(profiles_by_class)
{
    struct nb_plot_data data;
    int drawn = 0;
    cJSON *records = NULL, *record = NULL;
    const struct nb_figure figure = {
        .input = NB_FIGURE_PROFILE, .tolerance = 1.0001e-2, .column_count = 3,
        .panels = {.name = "elasticity", .first = {2, {"rigid", "flexible"}}},
        .curves = {.name = "precond", .first = {2, {"old", "new"}}}};
    assert_ok(nb_records_read(write_cases(), &records, &why));
    cJSON_ArrayForEach(record, records) {
        const cJSON *settings = cJSON_GetObjectItem(record, "settings");
        cJSON_AddBoolToObject(cJSON_AddObjectToObject(record, "features"), "elastic",
                              !strcmp(cJSON_GetObjectItem(settings, "problem")->valuestring, "r"));
    }
    nb_problem_classes_add(records);
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    cJSON_Delete(records);
    assert_int_equal(drawn, 3); /* nothing for new on r */
    assert_int_equal(data.panels.count, 2);
    const double *old = data.series[0].value, *new = data.series[1].value;
    assert_true(fabs(old[3 * 1 + 1] - 2) < 1e-9 && fabs(old[3 * 2 + 1] - 4) < 1e-9);
    assert_true(fabs(old[3 * 1] - 0.5) < 1e-12 && fabs(new[3 * 2] - 1) < 1e-12);
    assert_true(new[3 * 1 + 1] == 1 && new[3 * 2 + 1] == 1);
    assert_true(data.series[2].value[3 * 1] == 1 && data.series[2].value[3 * 1 + 1] == 1);
    assert_int_equal(data.series[3].points, 0);
    test_contains(data.series[3].note, "0 of 1");
    nb_plot_data_free(&data);
}

PLOT_TEST(commands_refuse_nonsense)
{
    char *path = (char *)write_cases();
    char *compare_bad[] = {"compare", path, "--tol", "-1", NULL};
    char *profile_bad[] = {"profile", path, "--cost", "money", NULL};
    char *profile_class[] = {"profile", path, "--class", "colour", NULL};
    char *profile_where[] = {"profile", path, "--where", "precond", "-o", (char *)path_of("o"), NULL};
    assert_int_equal(nb_command_compare(4, compare_bad), 2);
    assert_int_equal(nb_command_profile(4, profile_bad), 2);
    assert_int_equal(nb_command_profile(4, profile_class), 2);
    assert_int_equal(nb_command_profile(6, profile_where), 2);
    char *curves[] = {"curves solvr"};
    assert_refused(plot_file("profile", curves, 1, path, path_of("o"), stdout, &why), NB_BAD_INPUT,
                   "no record has a setting solvr");
    char *missing[] = {"compare", "no_such_file.jsonl", NULL};
    assert_int_equal(nb_command_compare(2, missing), 2);
}

/* Which cases a profile counts, and as what. */
#include <cJSON.h>

#include "harness/figures/plot.h"
#include "harness/figures/profile.h"
#include "tests/support/case_text.h"
#include "tests/support/plot_support.h"

/* What a profile with these changes says on its way. */
static char *profile(const char *path, char *const *changes, int count, enum nb_status expected,
                     struct nb_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(plot_file("profile", changes, count, path, path_of("o"), stream, error),
                     expected);
    fclose(stream);
    return text;
}

/* Newton's method with two linear solvers, one of which takes no preconditioner, and nsgs, whose records
 * hold the defaults of what it does not read. */
static const char *write_methods(void)
{
    const char *path = path_of("methods.jsonl");
    OWNS(fclose_at) FILE *file = test_open(path, "w");
    struct case_text text = usual_case;
    text.precond = "jacobi";
    put_case_text(file, &text);
    text.solver = "nsgs";
    text.problem = "q";
    put_case_text(file, &text);
    text.solver = "newton";
    text.factor = 1;
    put_case_text(file, &text);
    text.linear = "cholesky";
    text.precond = "none";
    text.factor = 0.1;
    put_case_text(file, &text);
    return path;
}

PLOT_TEST(methods_stay_out_of_what_they_do_not_read)
{
    struct nb_error error = {""};
    const char *path = write_methods();
    char *linear[] = {"curves linear", "tolerance 2e-4"};
    char *precond[] = {"curves precond", "tolerance 2e-4"};
    char *alone[] = {"curves linear", "where solver=nsgs"};
    test_says(profile(path, linear, 2, NB_OK, &error),
              "note: profile: 1 case left out, its method does not read linear: nsgs\n",
              "pcr: reaches the tolerance on 1 of 2; shifted geometric mean ",
              "cholesky: reaches the tolerance on 1 of 2; shifted geometric mean 13.32 ms (shift 1 ms, failures 10 "
              "times the dearest of the problem); no record on 1");
    char *text = profile(path, precond, 2, NB_OK, &error);
    test_contains(text, "note: profile: 2 cases left out, their methods do not read "
                        "precond: nsgs,cholesky\n");
    assert_null(strstr(text, "none:"));
    free(text);
    free(profile(path, alone, 2, NB_BAD_INPUT, &error));
    test_contains(error.text, "none is of a method that reads linear");
    char *strict[] = {"curves linear", "tolerance 1e-9"};
    free(profile(path, strict, 2, NB_BAD_INPUT, &error));
    test_contains(error.text, "none that was timed reaches an error of 1e-09");
}

/* Another arch with the same name is another problem, on which pcg has no record. */
PLOT_TEST(problems_of_one_name_are_two)
{
    const char *path = path_of("arches.jsonl");
    char *changes[] = {"curves linear", "tolerance 2e-4"};
    FILE *file = test_open(path, "w");
    struct case_text text = usual_case;
    text.problem = "arch";
    text.hash = "07af0bbd5e47b046";
    put_case_text(file, &text);
    text.hash = "aab4a813b9b199cb";
    put_case_text(file, &text);
    text.linear = "pcg";
    put_case_text(file, &text);
    fclose(file);
    test_says(profile(path, changes, 2, NB_OK, &why), "pcr: reaches the tolerance on 2 of 2; shifted geometric mean ",
              "pcg: reaches the tolerance on 1 of 2; shifted geometric mean 13.32 ms (shift 1 ms, failures 10 times "
              "the dearest of the problem); no record on 1");
}

/* Two problems in f64; pcg solves one, pcr none. Costs of 0.31 and 0.35 ms. */
static void write_figure(void)
{
    struct nb_plot_data data;
    cJSON *records = NULL;
    int drawn = 0;
    const char *path = path_of("figure.jsonl");
    FILE *file = test_open(path, "w");
    struct case_text text = usual_case;
    for (int i = 0; i < 6; ++i) {
        static const char *const linear[] = {"pcr", "pcg", "cholesky"};
        text.problem = i & 1 ? "p" : "q";
        text.linear = linear[i / 2];
        text.factor = i < 2 || i == 2 ? 1 : 0.1;
        text.seconds = i & 1 ? 0.31e-3 : 0.35e-3;
        put_case_text(file, &text);
    }
    fclose(file);
    const struct nb_figure figure = {.input = NB_FIGURE_PROFILE, .tolerance = 2e-4, .column_count = 3,
                                     .size = {174, 115}, .panels = {.name = "precision"},
                                     .curves = {.name = "linear"}};
    assert_ok(nb_records_read(path, &records, &why));
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    assert_int_equal(drawn, 2);
    assert_ok(nb_plot_write(&figure, &data, "", folder.path, "f", &why));
    nb_plot_data_free(&data);
    cJSON_Delete(records);
}

PLOT_TEST(the_key_names_who_solves_nothing)
{
    write_figure();
    test_says(test_slurp(path_of("f.gp")), "array curve[3] = [\"Cholesky\", \"PCG\", \"PCR: none\"]\n",
              "array problems[1] = [2]\n");
}

/* What solves nothing has no mean: it would be one of others' costs. */
PLOT_TEST(who_solves_nothing_has_no_mean)
{
    struct nb_error error = {""};
    char *changes[] = {"curves linear", "tolerance 2e-4"};
    write_figure();
    char *text = profile(path_of("figure.jsonl"), changes, 2, NB_OK, &error);
    test_contains(text, "pcr: reaches the tolerance on 0 of 2\n");
    test_contains(text, "pcg: reaches the tolerance on 1 of 2; shifted geometric mean ");
    free(text);
    changes[1] = "tolerance 1e-30";
    text = profile(path_of("figure.jsonl"), changes, 2, NB_BAD_INPUT, &error);
    test_contains(text, "not drawn, no record reaches an error of 1e-30 (--tol)\n");
    free(text);
}

/* After four iterations both are at 1e-4: enough for f32 where 1e-8 is asked, which it cannot reach. */
PLOT_TEST(precisions_are_asked_for_what_they_have)
{
    struct nb_plot_data data;
    cJSON *records = NULL;
    int drawn = 0;
    const char *path = path_of("precisions.jsonl");
    FILE *file = test_open(path, "w");
    struct case_text text = usual_case;
    text.factor = 0.0999;
    put_case_text(file, &text);
    text.precision = "f32";
    put_case_text(file, &text);
    fclose(file);
    struct nb_figure figure = {.input = NB_FIGURE_PROFILE, .tolerance = 1e-8, .column_count = 3,
                               .panels = {.name = "precision", .first = {2, {"f64", "f32"}}},
                               .curves = {.name = "linear"}};
    assert_ok(nb_records_read(path, &records, &why));
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    assert_int_equal(drawn, 1);
    assert_int_equal(data.series[0].points, 0);
    assert_int_equal(data.series[1].points, 3);
    assert_true(data.tolerance[0] == 1e-8 && fabs(data.tolerance[1] - 1e-4) < 1e-12);
    nb_plot_data_free(&data);
    figure.panels = (struct nb_grouping){.name = "problem"}; /* methods of one panel are asked for the same */
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    assert_int_equal(drawn, 0);
    nb_plot_data_free(&data);
    cJSON_Delete(records);
}

/* The axis goes from 3e-4 to 4e-4, where there is no power of ten. */
PLOT_TEST(short_axes_have_labels)
{
    char command[2400], here[512];
    assert_non_null(getcwd(here, sizeof here));
    write_figure();
    snprintf(command, sizeof command,
             "cd %s && gnuplot -e \"format = 'png'; output = 'f.png'; plots = '%s/plots/'\" f.gp "
             "%s/plots/style.gp %s/plots/profile.gp "
             "-e 'print cost_axis, labels(densest), count(1)' 2> said",
             folder.path, here, here, here);
    assert_int_equal(system(command), 0);
    OWNS(free_at) char *said = test_slurp(path_of("said"));
    test_contains(said, "('3·10^{−4}' 0.0003");
    test_contains(said, "('4·10^{−4}' 0.0004");
    test_contains(said, " 2 2 problems\n"); /* two labels, and the panel's title */
}

/* Names with blanks, commas and what patterns are made of. */
PLOT_TEST(filters_hold_any_name)
{
    static const char *const problems[] = {"mu 0.5", "a,b", "c[1]"};
    static const char *const filters[] = {"where problem=mu 0.5", "where problem=a\\,b", "where problem=c[1]",
                                          "where problem=c\\[*"};
    const char *path = path_of("names.jsonl");
    FILE *file = fopen(path, "w");
    struct nb_error error = {""};
    assert_non_null(file);
    struct case_text text = usual_case;
    for (int i = 0; i < 3; ++i) {
        text.problem = problems[i];
        put_case_text(file, &text);
    }
    fclose(file);
    for (int i = 0; i < 4; ++i) {
        char *changes[] = {(char *)filters[i], "curves linear", "tolerance 2e-4"};
        test_says(profile(path, changes, 3, NB_OK, &error), "pcr: reaches the tolerance on 1 of 1");
    }
    char *wrong[] = {"where problem"};
    free(profile(path, wrong, 1, NB_BAD_INPUT, &error));
    test_contains(error.text, "--where: expected NAME=VALUE");
}

/* On p both methods on one machine, on q each on a machine of its own; iterations are the same anywhere. */
PLOT_TEST(times_are_compared_on_one_kind_of_machine)
{
    const char *path = path_of("machines.jsonl");
    char *times[] = {"curves linear", "tolerance 2e-4"}, *iterations[] = {"curves linear", "tolerance 2e-4",
                                                                          "cost iterations"};
    FILE *file = fopen(path, "w");
    struct case_text text = usual_case;
    assert_non_null(file);
    for (int i = 0; i < 4; ++i) {
        text.problem = i < 2 ? "p" : "q";
        text.linear = i % 2 ? "pcg" : "pcr";
        text.cpu = i < 3 ? "cpu" : "another";
        put_case_text(file, &text);
    }
    fclose(file);
    OWNS(free_at) char *said = profile(path, times, 2, NB_OK, &why);
    test_contains(said, "pcr: reaches the tolerance on 2 of 3");
    test_contains(said, "pcg: reaches the tolerance on 2 of 3");
    free(said);
    said = profile(path, iterations, 3, NB_OK, &why);
    test_contains(said, "pcr: reaches the tolerance on 2 of 2");
}

/* Figures: directives, the choice of records, the numbers written. */
#include <cJSON.h>

#include "harness/figures/plot.h"
#include "problems/scene.h"
#include "tests/support/near.h"
#include "tests/support/plot_support.h"

#define HEAD "#: size 84 x 60\n#: panels problem: b a\n#: curves linear: pcr pcg\n" \
             "#: x iteration\n#: y constraint_error step_size\n"

#define FIFTY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

PLOT_TEST(test_directives)
{
    struct nb_figure figure;
    const char *path = write_file("figure1.gp", HEAD "#:title  Two  words \n"
                                  "#: where kind=case precond=jacobi,none\n#: where linear!=lu\n"
                                  "#: floors yes\n#: each precision\nplot x #: y z\n");
    assert_ok(nb_figure_read(path, NULL, 0, &figure, &why));
    assert_string_equal(figure.name, "figure1");
    assert_string_equal(figure.title, "Two  words");
    assert_float_equal(figure.size[0], 84, 0);
    assert_string_equal(figure.panels.name, "problem");
    assert_int_equal(figure.panels.first.count, 2);
    assert_string_equal(figure.panels.first.word[1], "a");
    assert_string_equal(figure.each.name, "precision");
    assert_int_equal(figure.filter_count, 3);
    assert_string_equal(figure.filters[1].values.word[1], "none");
    assert_false(figure.filters[2].equal);
    assert_string_equal(figure.filters[2].name, "linear");
    assert_int_equal(figure.column_count, 3);
    assert_true(figure.floors);
}

PLOT_TEST(test_directive_errors)
{
    static const struct {
        const char *text, *names;
    } CASES[] = {
        {HEAD "#: colour red\n", ":6:"},
        {HEAD "#: where\n", "where"},
        {HEAD "#: where linear\n", "linear"},
        {HEAD "#: where =pcr\n", "=pcr"},
        {HEAD "#: where linear=\n", "linear="},
        {HEAD "#: size 84\n", "84"},
        {HEAD "#: size 0 x 60\n", "0 x 60"},
        {HEAD "#: size nan x 60\n", "nan"},
        {HEAD "#: floors mass identity\n", "mass identity"},
        {HEAD "#: from start\n", "start"},
        {HEAD "#: input table\n", "table"},
        {HEAD "#: x a b\n", "a b"},
        {HEAD "#: y a:rise\n", ":rise"},
        {HEAD "#: y a b c d e\n", "rows"},
        {HEAD "#: each a b\n", "a b"},
        {HEAD "#: view 3\n", "3"},
        {HEAD "#: view 3 -4\n", "3 -4"},
        {HEAD "#: each " FIFTY FIFTY "\n", "95"},
        {"#: size 84 x 60\n#: panels p\n#: curves c\n#: x i\n", "'#: y'"},
        {"#: size 84 x 60\n#: panels p\n#: x i\n#: y e\n", "'#: curves'"},
        {"#: panels p\n#: curves c\n#: x i\n#: y e\n", "'#: size'"},
        {"plot x\n", "'#: size'"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
        struct nb_figure figure;
        const char *path = write_file("bad.gp", CASES[i].text);
        assert_refused(nb_figure_read(path, NULL, 0, &figure, &why), NB_BAD_INPUT, "bad.gp", CASES[i].names);
    }
}

PLOT_TEST(test_too_many_values)
{
    char text[2048] = HEAD "#: each a:";
    struct nb_figure figure;
    for (int i = 0; i < 33; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text), " v%d", i);
    assert_refused(nb_figure_read(write_file("bad.gp", text), NULL, 0, &figure, &why), NB_BAD_INPUT, "v32");
    strcpy(text, HEAD "#: where");
    for (int i = 0; i < 17; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text), " v%d=1", i);
    assert_refused(nb_figure_read(write_file("bad.gp", text), NULL, 0, &figure, &why), NB_BAD_INPUT, "v16=1");
}

PLOT_TEST(test_shipped_figures)
{
    DIR *stream = opendir("plots");
    int count = 0;
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".gp") != 0 || strcmp(entry->d_name, "style.gp") == 0)
            continue;
        char path[512];
        struct nb_figure figure;
        snprintf(path, sizeof path, "plots/%s", entry->d_name);
        assert_ok(nb_figure_read(path, NULL, 0, &figure, &why));
        ++count;
    }
    closedir(stream);
    assert_true(count >= 5);
}

#define CHOICE "#: where kind=case precond=jacobi,none linear!=lu\n#: floors yes\n"

struct selection {
    struct nb_figure figure;
    cJSON *records;
    struct nb_plot_data data;
    int drawn;
};

static void select_from(struct selection *s, const char *directives, const char *results)
{
    assert_ok(nb_figure_read(write_file("figure1.gp", directives), NULL, 0, &s->figure, &why));
    assert_ok(nb_records_read(results, &s->records, &why));
    assert_ok(nb_plot_select(&s->figure, s->records, "", &s->data, &s->drawn, &why));
}

static void select_all(struct selection *s, const char *directives)
{
    select_from(s, directives, write_records());
}

static void free_selection(struct selection *s)
{
    nb_plot_data_free(&s->data);
    cJSON_Delete(s->records);
}

static void assert_key(const struct nb_series *series, const char *key)
{
    char text[32];
    assert_non_null(series->record);
    assert_string_equal(nb_record_text(series->record, "key", text, sizeof text), key);
}

/* Listed values first, unlisted ones after them; the preferred preconditioner, then the last. */
PLOT_TEST(test_selection)
{
    OWNS(free_selection) struct selection s;
    select_all(&s, HEAD CHOICE);
    assert_int_equal(s.data.panels.count, 2);
    assert_string_equal(s.data.panels.word[0], "b");
    assert_int_equal(s.data.curves.count, 3);
    assert_string_equal(s.data.curves.word[0], "pcr");
    assert_string_equal(s.data.curves.word[1], "pcg");
    assert_string_equal(s.data.curves.word[2], "richardson");
    assert_int_equal(s.data.slot[2], 3);
    assert_int_equal(s.drawn, 3);
    assert_key(&s.data.series[0], "07");
    assert_null(s.data.series[1].record);
    test_contains(s.data.series[1].note, "unsupported, no such thing");
    assert_int_equal(s.data.series[2].points, 0);
    assert_key(&s.data.series[3], "03");
    test_contains(s.data.series[3].note, "newton_iters");
    assert_key(&s.data.series[5], "06");
    assert_true(isnan(s.data.series[3].value[2]));
    assert_float_equal(s.data.series[3].value[1], 0.3, 0);
    assert_float_equal(s.data.series[3].floor[NB_FLOOR_STEP], 2e-3, 0);
}

/* Of errors 1, 1/4, 1/16 sums so far; null, as of the first step size, counts as nothing. */
PLOT_TEST(test_sums)
{
    OWNS(free_selection)
    struct selection s;
    select_all(&s, "#: size 84 x 70\n#: panels problem\n#: curves linear\n#: x step_size:sum\n"
                   "#: y constraint_error:sum constraint_error\n#: where kind=case\n");
    const struct nb_series *series = &s.data.series[0];
    const double *value = series->value, scale = value[2];
    assert_int_equal(series->points, 3);
    const double expected[] = {0, scale, scale / 3, 1.25 * scale, scale / 3, 1.3125 * scale};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k)
            assert_near(value[3 * i + k], expected[2 * i + k], 1e-12 * scale);
}

/* A value that the list names keeps its look where those before it are absent; :drop and from. */
PLOT_TEST(test_looks)
{
    OWNS(free_selection) struct selection s;
    select_all(&s, "#: size 84 x 60\n#: panels problem\n#: curves linear: minres pcr\n"
                   "#: x iteration\n#: y constraint_error:drop\n#: where kind=case linear=pcr,lu\n"
                   "#: from 1\n");
    assert_int_equal(s.data.curves.count, 2);
    assert_string_equal(s.data.curves.word[0], "pcr");
    assert_int_equal(s.data.slot[0], 2);
    assert_int_equal(s.data.slot[1], 3);
    assert_int_equal(s.data.series[0].points, 2);
    assert_float_equal(s.data.series[0].value[0 * 2], 1, 0);
    assert_float_equal(s.data.series[0].value[1 * 2 + 1], 0.4 - 0.4 / 16, 0);
    assert_true(isnan(s.data.series[0].floor[NB_FLOOR_RESIDUAL]));
}

/* Seconds share the median repetition out among the iterations; without times there is no curve. */
PLOT_TEST(test_seconds)
{
    static const char *const line =
        "{\"kind\":\"case\",\"settings\":{\"problem\":\"%s\",\"linear\":\"pcr\"},\"times\":{\"median\":%s},"
        "\"trace\":{\"iteration\":[0,1,2,4],\"natural_map\":[1,0.1,0.01,0.001]}}\n";
    char text[1024];
    OWNS(free_selection) struct selection s;
    const int used = snprintf(text, sizeof text, line, "a", "0.02");
    snprintf(text + used, sizeof text - (size_t)used, line, "b", "null");
    select_from(&s, "#: size 84 x 60\n#: panels problem\n#: curves linear\n#: x seconds\n#: y natural_map\n",
                write_file("timed.jsonl", text));
    assert_int_equal(s.drawn, 1);
    assert_int_equal(s.data.series[0].points, 4);
    for (int i = 0; i < 4; ++i)
        assert_float_equal(s.data.series[0].value[2 * i], 0.005 * (i < 3 ? i : 4), 1e-12);
    assert_float_equal(s.data.series[0].value[7], 0.001, 0);
    assert_null(s.data.series[1].record);
}

/* Whole seconds begin where the set-up ends; where it is not known there is no curve. */
PLOT_TEST(test_whole_seconds)
{
    static const char *const line =
        "{\"kind\":\"case\",\"settings\":{\"problem\":\"%s\",\"linear\":\"pcr\"},\"times\":{\"median\":0.02%s},"
        "\"trace\":{\"iteration\":[0,1,2,4],\"natural_map\":[1,0.1,0.01,0.001]}}\n";
    char text[1024];
    OWNS(free_selection) struct selection s;
    const int used = snprintf(text, sizeof text, line, "a", ",\"setup\":0.5");
    snprintf(text + used, sizeof text - (size_t)used, line, "b", "");
    select_from(&s, "#: size 84 x 60\n#: panels problem\n#: curves linear\n#: x whole_seconds\n#: y natural_map\n",
                write_file("timed.jsonl", text));
    assert_int_equal(s.drawn, 1);
    for (int i = 0; i < 4; ++i)
        assert_float_equal(s.data.series[0].value[2 * i], 0.5 + 0.005 * (i < 3 ? i : 4), 1e-12);
    assert_null(s.data.series[1].record);
}

/* .NAME is a number of the record itself, as those of culling. */
PLOT_TEST(test_numbers_of_the_record)
{
    static const char *const text =
        "{\"kind\":\"culling\",\"settings\":{\"scene\":\"net\",\"method\":\"corners\"},\"near\":8,\"contacts\":3}\n"
        "{\"kind\":\"culling\",\"settings\":{\"scene\":\"net\",\"method\":\"sampling\"},\"near\":8}\n";
    OWNS(free_selection) struct selection s;
    select_from(&s, "#: size 84 x 60\n#: panels scene\n#: curves method\n#: x .near\n#: y .contacts\n",
                write_file("culling.jsonl", text));
    assert_int_equal(s.drawn, 1);
    assert_int_equal(s.data.series[0].points, 1);
    assert_float_equal(s.data.series[0].value[0], 8, 0);
    assert_float_equal(s.data.series[0].value[1], 3, 0);
    assert_null(s.data.series[1].record);
}

/* OUTER.INNER is a number of the record; the arithmetic is precision and `in` together. */
PLOT_TEST(test_single_numbers)
{
    static const char *const line =
        "{\"kind\":\"case\",\"settings\":{\"problem\":\"a\",\"linear\":\"%s\",\"precision\":\"f64\"},"
        "\"errors\":{\"residual_max\":%s},\"floor\":{\"forward\":0.5},\"trace\":{\"iteration\":[0,1]}}\n";
    char text[2048];
    OWNS(free_selection) struct selection s;
    int used = snprintf(text, sizeof text, line, "pcr:tol=1e-3:in=f16:start=last", "0.25");
    used += snprintf(text + used, sizeof text - (size_t)used, line, "pcr:in=same", "0.125");
    snprintf(text + used, sizeof text - (size_t)used, line, "pcr:in=bf16", "null");
    select_from(&s, "#: size 84 x 60\n#: panels problem\n#: curves arithmetic\n#: x floor.forward\n"
                    "#: y errors.residual_max\n", write_file("single.jsonl", text));
    assert_int_equal(s.drawn, 2);
    assert_int_equal(s.data.curves.count, 3);
    assert_string_equal(s.data.curves.word[0], "f64");
    assert_string_equal(s.data.curves.word[1], "f64:in=bf16");
    assert_string_equal(s.data.curves.word[2], "f64:in=f16");
    assert_int_equal(s.data.series[2].points, 1);
    assert_float_equal(s.data.series[2].value[0], 0.5, 0);
    assert_float_equal(s.data.series[2].value[1], 0.25, 0);
    assert_null(s.data.series[1].record);
}

PLOT_TEST(test_empty_selection)
{
    struct nb_figure figure;
    struct nb_words variants;
    cJSON *records = NULL;
    const char *path = write_file("figure1.gp", HEAD "#: where kind=case linear=lu precond=ilu\n");
    assert_ok(nb_figure_read(path, NULL, 0, &figure, &why));
    assert_ok(nb_records_read(write_records(), &records, &why));
    assert_refused(nb_plot_variants(&figure, records, &variants, &why), NB_BAD_INPUT, "no record has precond=ilu",
                   "values among the 1 that pass the filters before it: none");
    cJSON_Delete(records);
}

PLOT_TEST(test_damaged_records)
{
    static const struct {
        const char *text, *names;
    } CASES[] = {
        {"{\"kind\":\"case\"}\n{\"kind\":\n{}\n", ":2:"},
        {"{}\n[1]\n", ":2:"},
        {"", "no record"},
        {"{\"kind\":\"case", "no record"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
        struct nb_error error = {""};
        cJSON *records = NULL;
        const char *path = write_file("damaged.jsonl", CASES[i].text);
        assert_int_not_equal(nb_records_read(path, &records, &error), NB_OK);
        assert_null(records);
        test_contains(error.text, CASES[i].names);
    }
    struct nb_error error = {""};
    cJSON *records = NULL;
    assert_int_equal(nb_records_read(folder.path, &records, &error), NB_BAD_FILE);
    assert_int_equal(nb_records_read(path_of("absent"), &records, &error), NB_BAD_FILE);
}

/* Odd types in place of a trace: such a record is not complete, and nothing crashes. */
PLOT_TEST(test_odd_traces)
{
    static const char *const TRACES[] = {
        "null", "3", "[]", "{}", "{\"iteration\":3,\"constraint_error\":[1],\"step_size\":[1]}",
        "{\"iteration\":[0,1],\"constraint_error\":[1],\"step_size\":[1]}",
        "{\"iteration\":[],\"constraint_error\":[],\"step_size\":[]}"};
    for (size_t i = 0; i < sizeof TRACES / sizeof *TRACES; ++i) {
        OWNS(free_selection) struct selection s;
        char text[512];
        snprintf(text, sizeof text, "{\"settings\":{\"problem\":\"a\",\"linear\":\"pcr\"},"
                 "\"floor\":[],\"trace\":%s}\n", TRACES[i]);
        select_from(&s, HEAD, write_file("odd.jsonl", text));
        assert_int_equal(s.drawn, 0);
    }
}

/* The .dat file, read back number by number, is the record's trace. */
PLOT_TEST(test_numbers)
{
    OWNS(free_selection) struct selection s;
    select_all(&s, HEAD CHOICE);
    assert_ok(nb_plot_write(&s.figure, &s.data, "", folder.path, "out", &why));
    FILE *file = test_open(path_of("out.dat"), "r");
    static const double SCALE[6] = {1. / 3, NAN, NAN, 0.3, NAN, 0.6};
    char line[512];
    int block = 0, row = 0, blank = 0;
    while (fgets(line, sizeof line, file)) {
        double x = 0, error_here = 0, step = 0;
        blank = line[0] == '\n' ? blank + 1 : 0;
        if (blank == 2) {
            assert_int_equal(row, isnan(SCALE[block]) ? 1 : 3);
            ++block;
            row = 0;
        }
        if (line[0] == '\n' || line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%lf %lf %lf", &x, &error_here, &step), 3);
        if (isnan(SCALE[block])) {
            assert_true(isnan(x) && isnan(error_here) && isnan(step));
        } else {
            assert_true(x == row && error_here == SCALE[block] / pow(4, row));
            assert_true(row == 0 ? isnan(step) : step == (row == 1 ? SCALE[block] / 3 : 0));
        }
        ++row;
    }
    fclose(file);
    assert_int_equal(block, 6);
}

/* The variables of a figure of one panel: those of curves that nothing is drawn of are not in the key, and a norm-wise
 * floor below which a curve goes is none. */
PLOT_TEST(only_what_is_drawn_is_named)
{
    OWNS(free_selection) struct selection s;
    const char *path = path_of("floors.jsonl");
    FILE *file = test_open(path, "w");
    put_record(file, "01", "a", "pcr", "none", 1e-2, 1); /* ends at 6e-4, below the norm-wise floor of 1e-3 */
    put_record(file, "02", "a", "pcg", "none", 1, 0);
    put_record(file, "03", "b", "pcr", "none", 1, 1);
    fclose(file);
    select_from(&s, HEAD "#: floors yes\n", path);
    assert_ok(nb_plot_write(&s.figure, &s.data, "", folder.path, "out", &why));
    OWNS(free_at) char *text = test_slurp(path_of("out.gp"));
    test_contains(text, "array curve[2] = [\"PCR\", \"\"]");
    test_contains(text, "array name[2] = [\"pcr\", \"pcg\"]");
    test_contains(text, "array floor_norm[8] = [0.001, NaN, NaN, NaN, "); /* of b, of a; then the step size's */
    test_contains(text, "array floor_component[8] = [0.00029999999999999997, NaN, 0.00029999999999999997, NaN, ");
    test_contains(text, "array label[2] = [\"constraint error \\133m/s\\135\", \"step size \\133m/s or N s\\135\"]");
    test_contains(text, "\"float64\"");
}

/* A record of a problem called as a scene is; scene: what its features tell, NULL: nothing, as records from before. */
static void put_named(FILE *file, const char *problem, const char *linear, const char *scene)
{
    fprintf(file, "{\"kind\":\"case\",\"key\":\"%s%s\",\"settings\":{\"problem\":\"%s\",\"linear\":\"%s\"},"
                  "\"features\":{\"elastic\":false%s%s%s},\"floor\":null,"
                  "\"trace\":{\"iteration\":[0,1],\"constraint_error\":[2,1],\"step_size\":[2,1]}}\n",
            problem, linear, problem, linear, scene ? ",\"scene\":\"" : "", scene ? scene : "", scene ? "\"" : "");
}

/* A scene's title stands above a problem of that scene and above records that do not tell; a model of the user's keeps
 * its name, as panel and as curve. */
PLOT_TEST(a_model_called_as_a_scene_has_not_its_title)
{
    static const char *const directives[] = {HEAD, "#: size 90 x 60\n#: panels linear\n#: curves problem\n"
                                                   "#: x iteration\n#: y constraint_error\n"};
    const char *path = path_of("named.jsonl");
    FILE *file = test_open(path, "w");
    put_named(file, "arch_first", "pcr", "arch");
    put_named(file, "beam", "pcr", NULL);
    put_named(file, "grasp", "pcr", "");
    put_named(file, "heavy_stack", "pcr", "arch");
    fclose(file);
    for (int i = 0; i < 2; ++i) {
        OWNS(free_selection) struct selection s;
        select_from(&s, directives[i], path);
        assert_ok(nb_plot_write(&s.figure, &s.data, "", folder.path, "out", &why));
        OWNS(free_at) char *text = test_slurp(path_of("out.gp"));
        char expected[300];
        snprintf(expected, sizeof expected, "array %s[4] = [\"%s, first step\", \"%s\", \"grasp\", \"heavy_stack\"]\n",
                 i ? "curve" : "panel", nb_scene_find("arch")->title, nb_scene_find("beam")->title);
        test_contains(text, expected);
    }
}

/* Figures of any records, by a request: what is drawn, what is refused, and SVG that a page can hold. */
#include "harness/figures/figure.h"
#include "harness/cli/commands.h"
#include "harness/figures/bars.h"
#include "tests/support/case_text.h"
#include "tests/support/plot_support.h"

#include <cJSON.h>

OWNER(cJSON_Delete)

/* Two problems, of which `old` solves both, with errors of 1e-4 at the end, `mine` one, and `none` none. */
static cJSON *read_cases(void)
{
    static const char *const preconds[] = {"jacobi", "mine", "none"};
    cJSON *records = NULL;
    const char *path = path_of("cases.jsonl");
    FILE *file = test_open(path, "w");
    for (int i = 0; i < 6; ++i) {
        struct case_text text = usual_case;
        text.precond = preconds[i % 3];
        text.problem = i < 3 ? "p" : "q & <r>";
        text.factor = i % 3 == 0 || i == 1 ? 0.1 : 1;
        text.ending = text.factor < 1 ? "converged" : "iteration_limit";
        text.seconds = (1 + i) * 1e-3;
        put_case_text(file, &text);
    }
    fclose(file);
    assert_ok(nb_records_read(path, &records, &why));
    return records;
}

static char *draw_svg(const struct nb_figure_request *request, cJSON *records)
{
    char *svg = NULL;
    OWNS(fclose_at) FILE *notes = fopen("/dev/null", "w");
    assert_ok(nb_figure_svg(request, records, "the records", notes, &svg, &why));
    return svg;
}

/* A parser of XML takes the text, with whatever name a problem has. */
static void is_well_formed(const char *svg)
{
    char command[700];
    test_write(path_of("picture.svg"), svg);
    const char *path = path_of("picture.svg");
    snprintf(command, sizeof command, "xmllint --noout '%s' 2>/dev/null || python3 -c 'import sys, "
             "xml.etree.ElementTree as t; t.parse(sys.argv[1])' '%s'", path, path);
    assert_int_equal(system(command), 0);
}

/* Every id and every reference to one begins with the name, and there are no others. */
static void refers_to_itself(const char *svg, const char *prefix)
{
    static const char *const starts[] = {" id='", " id=\"", "href='", "href=\"", "url("};
    int found = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
        for (const char *at = svg; (at = strstr(at, starts[i]));) {
            at += strlen(starts[i]);
            at += *at == '#';
            if (strncmp(at, prefix, strlen(prefix)))
                fail_msg("%.60s", at);
            ++found;
        }
    assert_true(found > 20);
    assert_null(strstr(svg, "<script"));
    assert_null(strstr(svg, "<image"));
}

/* Of cases that crashed in a repetition no number has a bar, though their observed runs have come to an error. */
PLOT_TEST(a_run_that_came_to_no_end_has_no_bar)
{
    static const char *const endings[] = {"converged", "crashed"};
    static const char *const costs[] = {"step_error", "time", "setup"};
    if (!test_has_gnuplot())
        skip();
    for (int crashed = 0; crashed < 2; ++crashed)
        for (size_t k = 0; k < sizeof costs / sizeof *costs; ++k) {
            const struct nb_figure_request request = {
                .kind = "bars", .curves = "precond", .y = costs[k], .tolerance = 1e-3};
            OWNS(fclose_at)
            FILE *file = test_open(path_of("ended.jsonl"), "w");
            for (int i = 0; i < 2; ++i) {
                struct case_text text = usual_case;
                text.precond = i ? "mine" : "jacobi";
                text.ending = i ? endings[crashed] : "converged";
                put_case_text(file, &text);
            }
            fflush(file);
            OWNS(cJSON_Delete_at)
            cJSON *records = NULL;
            assert_ok(nb_records_read(path_of("ended.jsonl"), &records, &why));
            char *svg = draw_svg(&request, records);
            assert_true((strstr(svg, "crashed") != NULL) == crashed);
            free(svg);
        }
}

PLOT_TEST(svg_can_stand_in_a_page)
{
    static const char *const kinds[] = {"convergence", "bars", "profile"};
    if (!test_has_gnuplot())
        skip();
    OWNS(cJSON_Delete_at) cJSON *records = read_cases();
    for (int i = 0; i < 3; ++i) {
        char prefix[64];
        const struct nb_figure_request request = {.kind = kinds[i], .curves = "precond", .tolerance = i ? 1e-3 : 0,
                                                  .name = i == 1 ? "my bars" : kinds[i], .each = "none"};
        OWNS(free_at) char *svg = draw_svg(&request, records);
        assert_int_equal(strncmp(svg, "<svg", 4), 0);
        is_well_formed(svg);
        snprintf(prefix, sizeof prefix, "nb-%s-", i == 1 ? "my_bars" : kinds[i]);
        refers_to_itself(svg, prefix);
        assert_non_null(strstr(svg, ">Jacobi"));
        assert_non_null(strstr(svg, "mine"));
    }
}

/* Only the curves that were asked for, in that order, and what they share below. */
PLOT_TEST(a_request_chooses)
{
    const char *const where[] = {"problem=p"};
    const struct nb_figure_request request = {.kind = "convergence", .curves = "precond=none,jacobi", .x = "time",
                                              .y = "step_error", .where = where, .where_count = 1, .name = "chosen"};
    if (!test_has_gnuplot())
        skip();
    OWNS(cJSON_Delete_at) cJSON *records = read_cases();
    OWNS(free_at) char *svg = draw_svg(&request, records);
    const char *none = strstr(svg, "no preconditioner"), *jacobi = strstr(svg, ">Jacobi");
    assert_true(none && jacobi && none < jacobi);
    assert_null(strstr(svg, "mine"));
    assert_non_null(strstr(svg, "time [s]"));
    assert_non_null(strstr(svg, "step error"));
    assert_non_null(strstr(svg, "Newton \302\267 PCR \302\267 float64"));
}

static void forget_times(cJSON *records)
{
    cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
    {
        cJSON *times = cJSON_GetObjectItemCaseSensitive(record, "times");
        cJSON_ReplaceItemInObjectCaseSensitive(times, "solve", cJSON_CreateArray());
        cJSON_ReplaceItemInObjectCaseSensitive(times, "median", cJSON_CreateNull());
    }
}

/* One that got there and has no times, as where a try had none left, has not failed. */
PLOT_TEST(what_was_not_timed_has_no_bar_and_says_so)
{
    struct nb_figure figure = {.input = NB_FIGURE_BARS, .tolerance = 1.0001e-3, .cost = "time", .column_count = 4,
                               .panels = {.name = "problem"}, .curves = {.name = "precond"}};
    OWNS(nb_plot_data_free) struct nb_plot_data data;
    int drawn = 0, told = 0;
    OWNS(cJSON_Delete_at) cJSON *records = read_cases();
    forget_times(records);
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    for (int i = 0; i < data.panels.count * data.curves.count; ++i) {
        told += !strcmp(data.series[i].summary, "not timed");
        assert_string_not_equal(data.series[i].summary, "converged");
    }
    assert_true(told > 0);
}

/* Writes records whose traces have a constraint error, too: the step error's numbers. */
static void write_constraint_errors(const char *path)
{
    OWNS(cJSON_Delete_at) cJSON *records = read_cases();
    OWNS(fclose_at) FILE *file = test_open(path, "w");
    cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
    {
        cJSON *trace = cJSON_GetObjectItemCaseSensitive(record, "trace");
        cJSON *error = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(trace, "step_error"), true);
        cJSON_AddItemToObject(trace, "constraint_error", error);
        OWNS(free_at) char *text = cJSON_PrintUnformatted(record);
        fprintf(file, "%s\n", text);
    }
}

/* The constraint error of rest is round-off where contacts touch without a gap: a curve of it begins behind that. */
PLOT_TEST(an_error_that_rest_has_not_is_drawn_from_the_first_iteration)
{
    static const char *const columns[] = {"constraint_error", "step_error"};
    for (int k = 0; k < 2; ++k) {
        const struct nb_figure_request request = {.kind = "convergence", .curves = "precond", .panels = "problem=p",
                                                  .y = columns[k], .formats = "svg", .folder = path_of("begins")};
        if (!test_has_gnuplot())
            skip();
        OWNS(free_at) char *path = strdup(path_of("constraints.jsonl"));
        OWNS(fclose_at) FILE *report = test_open("/dev/null", "w");
        write_constraint_errors(path);
        assert_ok(nb_figure_draw(&request, (const char *const[]){path}, 1, report, &why));
        OWNS(free_at) char *drawn = test_slurp(path_of("begins/convergence_step.dat"));
        assert_int_equal(strstr(drawn, "\n0 ") != NULL, k);
    }
}

/* What an option asks for in vain is told by that option alone. */
PLOT_TEST(a_value_in_vain_is_told_once)
{
    const struct nb_figure_request request = {.kind = "convergence", .curves = "precond=none,ilu", .panels = "problem",
                                              .formats = "svg", .folder = path_of("vain")};
    char *told = NULL;
    size_t size;
    if (!test_has_gnuplot())
        skip();
    cJSON_Delete(read_cases());
    OWNS(free_at) char *path = strdup(path_of("cases.jsonl"));
    FILE *report = open_memstream(&told, &size);
    assert_ok(nb_figure_draw(&request, (const char *const[]){path}, 1, report, &why));
    fclose(report);
    assert_non_null(strstr(told, "note: --curves: no record that is drawn has precond=ilu\n"));
    assert_null(strstr(told, "--where"));
    free(told);
}

PLOT_TEST(a_request_is_refused)
{
    const char *const where[] = {"precnd=old"}, *const absent[] = {"precond=ilu"};
    const struct {
        struct nb_figure_request request;
        const char *names[2];
    } CASES[] = {
        {{.kind = "convergence", .curves = "precon"}, {"no record has a setting precon; nearest: precond", ""}},
        {{.kind = "bars", .panels = "zzzz"}, {"no record has a setting zzzz; known: problem", "linear_method"}},
        {{.kind = "profile", .where = where, .where_count = 1},
         {"no record has a setting precnd; nearest: precond", "cases.jsonl"}},
        {{.kind = "convergence", .curves = "precond", .y = "step_eror"},
         {"no record has a trace step_eror; nearest: step_error", ""}},
        {{.kind = "bars", .curves = "precond", .y = "peak_memry"},
         {"no record has a number peak_memry; nearest: peak_memory", ""}},
        {{.kind = "bars", .curves = "precond", .y = "zzzz"},
         {"no record has a number zzzz; known: time", "step_error"}},
        {{.kind = "bars", .curves = "precond", .y = "peak_memory"}, {"no record has a number peak_memory", ""}},
        {{.kind = "bars", .curves = "precond", .tolerance = 1e-9},
         {"no bar has half of them that reach an error of 1e-09", "--tol"}},
        {{.kind = "profile", .y = "money"}, {"time or iterations, not 'money'", "profile"}},
        {{.kind = "profile", .x = "time"}, {"--x: the figure profile does not read it", ""}},
        {{.kind = "convergence", .tolerance = 0.1}, {"--tol: the figure convergence does not read it", ""}},
        {{.kind = "convergence", .curves = "precond=ilu"}, {"no record has precond=ilu", "jacobi,mine,none"}},
        {{.kind = "convergence", .where = absent, .where_count = 1}, {"no record has precond=ilu", "mine"}},
        {{.kind = "figure14"}, {"figure14 draws a problem file", ""}},
        {{.kind = "converge"}, {"no figure 'converge'; nearest: convergence", ""}},
        {{.kind = "bars", .formats = "pdf,jpg"}, {"no format 'jpg'", "svg"}},
    };
    cJSON_Delete(read_cases()); /* writes the file */
    OWNS(free_at) char *path = strdup(path_of("cases.jsonl"));
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
        struct nb_figure_request request = CASES[i].request;
        request.folder = path_of("refused");
        assert_refused(nb_figure_draw(&request, (const char *const[]){path}, 1, stderr, &why), NB_BAD_INPUT,
                       CASES[i].names[0], CASES[i].names[1]);
        assert_int_not_equal(access(path_of("refused"), F_OK), 0);
    }
}

/* Of one record the quartiles of its repetitions; of several those of the records, failures infinite. */
PLOT_TEST(bars_have_quartiles_and_endings)
{
    struct nb_figure figure = {.input = NB_FIGURE_BARS, .tolerance = 1.0001e-3, .cost = "time", .column_count = 4,
                               .panels = {.name = "problem"}, .curves = {.name = "precond"}};
    OWNS(nb_plot_data_free) struct nb_plot_data data;
    int drawn = 0;
    OWNS(cJSON_Delete_at) cJSON *records = read_cases();
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    assert_int_equal(drawn, 3);
    const double share = 0.75e-3; /* of p's 1 ms: three of its four iterations */
    assert_true(fabs(data.series[0].value[1] - share) < 1e-12);
    assert_true(fabs(data.series[0].value[2] - 0.99 * share) < 1e-12);
    assert_true(fabs(data.series[0].value[3] - 1.01 * share) < 1e-12);
    assert_string_equal(data.series[2].summary, "iteration limit");
    assert_true(isnan(data.series[2].value[1]));
    nb_plot_data_free(&data);
    figure.panels = (struct nb_grouping){.name = "precision"};
    strcpy(figure.cost, "iterations");
    assert_ok(nb_plot_select(&figure, records, "", &data, &drawn, &why));
    assert_float_equal(data.series[0].value[0], 2, 0);
    assert_float_equal(data.series[0].value[1], 3, 0);
    assert_string_equal(data.series[1].summary, "1 of 2 fail"); /* the median of 3 and infinity is none */
    assert_true(isnan(data.series[1].value[1]));
    assert_string_equal(data.series[2].summary, "iteration limit");
}

/* A size that is asked for is the picture's, whatever it shows and says below; the line below can be left out. */
PLOT_TEST(a_size_of_ones_own_is_kept)
{
    if (!test_has_gnuplot())
        skip();
    OWNS(cJSON_Delete_at)
    cJSON *records = read_cases();
    static const char *const kinds[] = {"convergence", "bars", "profile"};
    for (int i = 0; i < 6; ++i) {
        struct nb_figure_request request = {.kind = kinds[i / 2], .curves = "precond", .without_foot = i % 2};
        request.tolerance = i < 2 ? 0 : 1e-3;
        OWNS(free_at)
        char *usual = draw_svg(&request, records);
        request.size = "84x60";
        OWNS(free_at)
        char *own = draw_svg(&request, records);
        assert_null(strstr(usual, "0 0 317 226"));
        test_contains(own, "0 0 317 226"); /* of 96 a inch */
        assert_true(!strstr(own, "Newton") == (i % 2 == 1));
    }
}

/* In the key and above a panel; what names neither, or no text, is refused. */
PLOT_TEST(labels_stand_for_names)
{
    if (!test_has_gnuplot())
        skip();
    OWNS(cJSON_Delete_at)
    cJSON *records = read_cases();
    struct nb_figure_request request = {.kind = "convergence", .curves = "precond", .panels = "problem"};
    request.labels = "jacobi=The diagonal\\, inverted,precond=Mine,p=A problem";
    OWNS(free_at)
    char *svg = draw_svg(&request, records);
    test_contains(svg, "The diagonal, inverted");
    test_contains(svg, "Mine");
    test_contains(svg, "A problem");
    static const char *const wrong[] = {"nosuch=Mine", "linear=Mine", "jacobi", "jacobi=", "=Mine", "jacobi=a,,p=b"};
    for (int i = 0; i < 6; ++i) {
        OWNS(fclose_at)
        FILE *notes = fopen("/dev/null", "w");
        char *none = NULL;
        request.labels = wrong[i];
        assert_int_equal(nb_figure_svg(&request, records, "the records", notes, &none, &why), NB_BAD_INPUT);
        test_contains(why.text, "labels");
        assert_null(none);
    }
}

/* The command line: several files, formats, a name of one's own. */
PLOT_TEST(the_command_takes_files_and_options)
{
    cJSON_Delete(read_cases());
    char cases[512], folder_of_figures[512];
    strcpy(cases, path_of("cases.jsonl"));
    strcpy(folder_of_figures, path_of("drawn"));
    char *plot[] = {"plot", "convergence", cases, cases, "--curves", "precond", "--panels", "problem=p", "--format",
                    "svg,png", "--name", "mine", "-o", folder_of_figures, "--no-foot", "--size", "84x60"};
    if (!test_has_gnuplot())
        skip();
    assert_int_equal(nb_command_plot(17, plot), 0);
    assert_int_equal(count_files(folder_of_figures), 3);
    assert_int_equal(access(path_of("drawn/mine_step.svg"), F_OK), 0);
    assert_int_equal(access(path_of("drawn/mine_step.png"), F_OK), 0);
    plot[16] = "84";
    assert_int_equal(nb_command_plot(17, plot), 2);
    plot[5] = "precnd";
    assert_int_equal(nb_command_plot(14, plot), 2);
}

/* Figures as files: what gnuplot draws, hostile names, failures that leave nothing behind. */
#include "harness/cli/commands.h"
#include "harness/figures/plot.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/plot_support.h"

#include <signal.h>
#include <sys/resource.h>

/* The names of a small figure of its own, so that drawing takes a moment. */
static void use_small_figure(void)
{
    char command[256];
    snprintf(command, sizeof command, "mkdir '%s' && cp plots/style.gp '%s'", path_of("plots"),
             path_of("plots"));
    assert_int_equal(system(command), 0);
    write_file("plots/small.gp", "#: size 40 x 40\n#: panels problem\n#: curves linear: pcr\n"
               "#: x iteration\n#: y constraint_error\n#: each precision\n"
               "plot for [c=1:curves] data index block(1, c) with lines ls look[c] lw 9 title "
               "curve[c]\n");
    write_file("plots/broken.gp", "#: size 40 x 40\n#: panels problem\n#: curves linear: pcr\n"
               "#: x iteration\n#: y constraint_error\nplot no_such_variable\n");
    setenv("NCPBENCH_PLOTS", path_of("plots"), 1);
}

static enum nb_status plot(const char *figure, const char *input, struct nb_error *error)
{
    OWNS(fclose_at) FILE *report = fopen("/dev/null", "w");
    const enum nb_status status = plot_file(figure, NULL, 0, input, path_of("out/deep"), report, error);
    return status;
}

static long size_of(const char *name, const char *start)
{
    char head[8] = "";
    FILE *file = fopen(path_of(name), "rb");
    if (!file)
        return -1;
    const size_t length = fread(head, 1, strlen(start), file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    return length == strlen(start) && memcmp(head, start, length) == 0 ? size : -1;
}

/* Points of that colour among every third of the PNG's both ways, read by gnuplot itself. */
static int count_colour(const char *png, const int *wanted)
{
    char command[1024];
    snprintf(command, sizeof command, "gnuplot -d -e \"set table '%s'; plot '%s' binary "
             "filetype=png every 3:3 using 1:2:3 with rgbimage\" 2>/dev/null", path_of("table"),
             png);
    assert_int_equal(system(command), 0);
    OWNS(fclose_at) FILE *file = test_open(path_of("table"), "r");
    char line[256];
    int count = 0, x, y, colour[3];
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%d %d %d %d %d", &x, &y, &colour[0], &colour[1], &colour[2]) == 5)
            count += memcmp(colour, wanted, sizeof colour) == 0;
    return count;
}

PLOT_TEST(test_drawing)
{
    static const int PCR[3] = {0xCC, 0x79, 0xA7}, OWN[3] = {0, 0, 0};
    struct nb_error error = {""};
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    const enum nb_status status = plot("small", write_records(), &error);
    if (status)
        fail_msg("%s", error.text);
    assert_true(size_of("out/deep/small_f64.pdf", "%PDF-1.") > 1000);
    assert_true(size_of("out/deep/small_f64.png", "\211PNG\r\n") > 1000);
    assert_true(size_of("out/deep/small_f64.dat", "# small") > 100);
    assert_int_equal(count_files(path_of("out/deep")), 3);
    char png[512];
    strcpy(png, path_of("out/deep/small_f64.png"));
    assert_true(count_colour(png, PCR) > 20);
    assert_true(count_colour(png, OWN) > 20);
}

/* A value that is asked for and that no record has is told of: it may be a slip. What a figure's file lists is not. */
PLOT_TEST(a_value_that_no_record_has_is_told)
{
    static const char *const told[] = {"note: --curves: no record that is drawn has linear=nosuch",
                                       "note: --each: no record that is drawn has precision=f31",
                                       "note: --where: no record has linear=nosuch,nono\n"};
    char *asked[] = {"curves linear: pcr nosuch", "each precision: f64 f31", "where linear=nosuch,pcr,nono"};
    struct nb_error error = {""};
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    write_file("plots/listed.gp", "#: size 40 x 40\n#: panels problem\n#: curves linear: pcr nosuch\n"
                                  "#: each precision: f64 f31\n#: where linear=pcr,nosuch,nono\n"
                                  "#: x iteration\n#: y constraint_error\nplot x\n");
    for (int i = 0; i <= 3; ++i) {
        OWNS(free_at) char *text = NULL;
        size_t length;
        FILE *report = open_memstream(&text, &length);
        char records[512];
        snprintf(records, sizeof records, "%s", write_records());
        assert_ok(plot_file("listed", asked + i % 3, i < 3, records, path_of("out"), report, &error));
        fclose(report);
        for (int k = 0; k < 3; ++k)
            assert_int_equal(strstr(text, told[k]) != NULL, k == i);
    }
}

/* What a figure of its own says of its axis and floors, for one curve that ends at scale / 16: floors are at 1e-3 and
 * 3e-4. */
static char *axis_of(const char *floors, double scale, double *low)
{
    char text[1024];
    FILE *file = test_open(path_of("floors.jsonl"), "w");
    put_record(file, "01", "a", "pcr", "none", scale, 1);
    fclose(file);
    snprintf(text, sizeof text, "#: size 40 x 40\n#: panels problem\n#: curves linear: pcr\n#: x iteration\n"
                                "#: y constraint_error\n#: floors %s\nset print '%s'\n"
                                "print low(1), ' ', name_floors(1, 1, 1)\n"
                                "plot data index block(1, 1) with lines\n",
             floors, path_of("said"));
    write_file("plots/floors.gp", text);
    assert_ok(plot("floors", path_of("floors.jsonl"), &why));
    char *said = test_slurp(path_of("said"));
    assert_int_equal(sscanf(said, "%lf", low), 1);
    return said;
}

/* A floor within a factor of 30 of the curves has its place on the axis. One far below them does not stretch it, and
 * its value is told. */
PLOT_TEST(test_far_floors)
{
    double low = 0;
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    OWNS(free_at)
    char *near = axis_of("yes", 0.1, &low);
    assert_true(low <= -5 && low >= -7);
    assert_null(strstr(near, "floor: "));
    test_contains(near, "'component-wise floor'");
    OWNS(free_at)
    char *far = axis_of("yes", 1600, &low);
    assert_true(low >= 1 && low <= 2);
    test_contains(far, "floor: 3e-04'");
    test_contains(far, "'norm-wise floor: 1e-03'");
    double lower = 0, upper = 0; /* one name above the other */
    sscanf(strstr(far, "'norm-wise floor: 1e-03'"), "'norm-wise floor: 1e-03' at graph 0.015, graph %lf", &lower);
    sscanf(strstr(far, "floor: 3e-04'"), "floor: 3e-04' at graph 0.015, graph %lf", &upper);
    assert_true(lower > 0 && upper > 2 * lower);
    /* There is room for both below the curve. */
    assert_true(low <= 2 - 0.17 * 1.2);
}

/* Whose floor it is, where only one curve's are shown, the colour says: a name from a file is no title. */
PLOT_TEST(the_floor_of_one_curve_has_its_colour)
{
    double low = 0;
    char colour[32];
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    snprintf(colour, sizeof colour, "tc rgb %d", 0xCC79A7);
    for (int far = 0; far < 2; ++far) {
        OWNS(free_at) char *said = axis_of("pcr", far ? 1600 : 0.1, &low);
        test_contains(said, "'norm-wise floor");
        test_contains(said, colour);
        assert_null(strstr(said, "pcr"));
    }
    OWNS(free_at) char *all = axis_of("yes", 0.1, &low);
    assert_null(strstr(all, colour));
}

/* Names come from files: whatever they hold is text, and stays in the output folder. */
PLOT_TEST(test_hostile_names)
{
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    char text[1024];
    snprintf(text, sizeof text, "{\"key\":\"k'; x\\ny\",\"settings\":{\"problem\":\"a\",\"linear\":"
             "\"it's `touch %s/bad`\\n'.system('touch %s/bad').'\",\"precision\":\"../'f\"},"
             "\"trace\":{\"iteration\":[0,1],\"constraint_error\":[1,2]}}\n", folder.path, folder.path);
    assert_ok(plot("small", write_file("hostile.jsonl", text), &why));
    assert_int_equal(count_files(path_of("out/deep")), 3);
    assert_true(size_of("out/deep/small_..__f-e6368c7b.pdf", "%PDF") > 1000);
    assert_int_not_equal(access(path_of("bad"), F_OK), 0);
}

/* One gnuplot string each, of the same text: what gnuplot prints is what was written. */
PLOT_TEST(test_quoted_text)
{
    static const char *const texts[] = {"'", "''", "'a''b'", "\"", "\\", "\\\"", "`touch bad`", "@a $b #c", "%s %d",
                                        "a_{b}^c & ~d", "IC(0), (123)4", "Kn\303\266tchen", " ends with a blank ",
                                            "n\\n[1]*?"};
    if (!test_has_gnuplot())
        skip();
    char path[512], command[1200];
    strcpy(path, path_of("quoted.gp"));
    FILE *file = test_open(path, "w");
    fprintf(file, "set print '%s'\n", path_of("printed"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        fputs("array word[2] = [", file);
        nb_text_quote(file, texts[i]);
        fputs(", 'x']\nprint word[1]\n", file);
    }
    fclose(file);
    snprintf(command, sizeof command, "gnuplot -d '%s'", path);
    assert_int_equal(system(command), 0);
    char *printed = test_slurp(path_of("printed")), *at = printed;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char line[128];
        snprintf(line, sizeof line, "%s\n", texts[i]);
        if (strncmp(at, line, strlen(line)) != 0)
            fail_msg("%s was read as %.60s", texts[i], at);
        at += strlen(line);
    }
    free(printed);
}

/* Values that make the same file name, and a shell that sets gnuplot's own variables. */
PLOT_TEST(test_each_has_its_file)
{
    struct nb_error error = {""};
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    char text[2048] = "";
    static const char *const values[] = {"a b", "a_b", "a:b", "a/b"};
    for (int i = 0; i < 4; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text), "{\"key\":\"%d\",\"settings\":{\"problem\":\"a\","
                 "\"linear\":\"pcr\",\"precision\":\"%s\"},"
                 "\"trace\":{\"iteration\":[0,1],\"constraint_error\":[1,2]}}\n",
                 i, values[i]);
    setenv("GNUTERM", "no_such_terminal", 1);
    setenv("GNUPLOT_LIB", "/nowhere", 1);
    const enum nb_status status = plot("small", write_file("alike.jsonl", text), &error);
    unsetenv("GNUTERM");
    unsetenv("GNUPLOT_LIB");
    if (status)
        fail_msg("%s", error.text);
    assert_int_equal(count_files(path_of("out/deep")), 3 * 4);
}

/* Files that may not grow to the size of the larger picture: an error, and no figure at all. */
PLOT_TEST(test_full_disk)
{
    struct nb_error error = {""};
    struct rlimit before, tight;
    if (!test_has_gnuplot())
        skip();
    use_small_figure();
    const char *records = write_records();
    assert_int_equal(plot("small", records, &error), NB_OK);
    const long pdf = size_of("out/deep/small_f64.pdf", "%PDF"), png = size_of("out/deep/small_f64.png", "\211PNG");
    const long most = pdf > png ? pdf : png;
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", path_of("out"));
    assert_int_equal(system(command), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){(rlim_t)most - 1, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const enum nb_status status = plot("small", records, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, NB_BAD_FILE);
    test_contains(error.text, "cannot be written");
    assert_int_not_equal(access(path_of("out"), F_OK), 0);
}

/* Nothing is left behind, neither results nor the hidden folder. */
PLOT_TEST(test_failures_leave_nothing)
{
    struct nb_error error = {""};
    char *path = strdup(getenv("PATH"));
    use_small_figure();
    if (test_has_gnuplot()) {
        setenv("LC_ALL", "C", 1); /* where gnuplot warns of characters before it fails */
        assert_int_equal(plot("broken", write_records(), &error), NB_BAD_INPUT);
        unsetenv("LC_ALL");
        test_contains(error.text, "no_such_variable");
        assert_int_not_equal(access(path_of("out"), F_OK), 0);
    }
    write_file("gnuplot", "#!/bin/sh\nexit 1\n"); /* as one that cannot write */
    assert_int_equal(chmod(path_of("gnuplot"), 0700), 0);
    setenv("PATH", folder.path, 1);
    assert_int_equal(plot("small", write_records(), &error), NB_BAD_INPUT);
    test_contains(error.text, "gnuplot could not draw small_f64.pdf: it does not say why");
    assert_int_equal(unlink(path_of("gnuplot")), 0);
    setenv("PATH", folder.path, 1);
    const enum nb_status status = plot("small", write_records(), &error);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(status, NB_UNSUPPORTED);
    test_contains(error.text, "gnuplot");
    assert_int_not_equal(access(path_of("out"), F_OK), 0);
    assert_int_equal(plot("smal", write_records(), &error), NB_BAD_INPUT);
    test_contains(error.text, "nearest: small; all: ncpbench plot --help");
    assert_int_equal(plot("style", write_records(), &error), NB_BAD_INPUT);
    assert_int_equal(plot("../plots/small", write_records(), &error), NB_BAD_INPUT);
    assert_int_equal(plot("small", path_of("absent"), &error), NB_BAD_FILE);
    assert_int_equal(plot("small", folder.path, &error), NB_BAD_FILE);
    write_file("file", "");
    assert_int_equal(plot_file("small", NULL, 0, write_records(), path_of("file/x"), stdout, &error),
                     NB_BAD_FILE);
    setenv("NCPBENCH_PLOTS", path_of("absent"), 1);
    assert_int_equal(plot("small", write_records(), &error), NB_BAD_FILE);
}

/* A strip of ground with a map of structure shows directions in the place of a grid; a rope is drawn in its width. */
PLOT_TEST(test_picture_of_structure_and_ropes)
{
    static const char *const scenes[] = {"steered_boxes", "spool_rope"};
    static const char *const asked[] = {"test $(grep -c '^# directions of structure' *.dat) = 1 && "
                                        "test $(grep -c ' 10467488$' *.dat) -ge 100",
                                        "test $(awk 'NF == 4 && $4 == \"0\"' *.dat | wc -l) = 160"};
    if (!test_has_gnuplot())
        skip();
    for (int i = 0; i < 2; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        char file[512], command[1024];
        assert_ok(nb_scene_create(scenes[i], 0, NULL, &problem, &why));
        assert_ok(nb_step_prepare(&problem, &why));
        strcpy(file, path_of("scene.h5"));
        assert_ok(nb_problem_write(file, &problem, NULL, &why));
        assert_ok(plot("figure14", file, &why));
        snprintf(command, sizeof command, "cd '%s/out/deep' && %s && rm *", folder.path, asked[i]);
        assert_int_equal(system(command), 0);
    }
}

/* The heavy stack: faces from the stored file, farthest first; forces that carry the weight. */
PLOT_TEST(test_picture)
{
    static const int TOP[3] = {0xFF, 0xFF, 0xFF};
    struct nb_problem problem = {0};
    const char *const settings[] = {"count=3"};
    if (!test_has_gnuplot())
        skip();
    assert_ok(nb_scene_create("heavy_stack", 1, settings, &problem, &why));
    assert_ok(nb_step_prepare(&problem, &why));
    char file[512];
    strcpy(file, path_of("stack.h5"));
    double *u = calloc((size_t)nb_problem_dofs(&problem), sizeof *u);
    double *lambda = calloc((size_t)nb_problem_multipliers(&problem), sizeof *lambda);
    for (int i = 0; i < problem.contacts.count; ++i)
        lambda[3 * i] = 100;
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
    assert_ok(nb_problem_write(file, &problem, &extras, &why));
    assert_ok(plot("figure14", file, &why));
    char command[512];
    snprintf(command, sizeof command, "cd '%s/out/deep' && test $(ls | wc -l) = 3 && "
             "test $(grep -c '^# body' *.dat) = 9 && test $(grep -c '100$' *.dat) = 12", folder.path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "mv '%s'/out/deep/*.png '%s'", folder.path, path_of("p.png"));
    assert_int_equal(system(command), 0);
    char png[512];
    strcpy(png, path_of("p.png"));
    assert_true(count_colour(png, TOP) > 100);
    free(u);
    free(lambda);
    nb_problem_free(&problem);
    assert_refused(plot("figure14", write_records(), &why), NB_BAD_INPUT, "figure14 draws a problem file");
    assert_refused(plot("figure18", file, &why), NB_BAD_INPUT, "figure18 draws records");
    assert_refused(plot_file("figure17", NULL, 0, write_records(), "x.pdf", stderr, &why), NB_BAD_INPUT,
                   "x.pdf: names a folder, in which figures have names of their own: --format pdf -o FOLDER");
}

PLOT_TEST(test_command)
{
    char *const wrong[][5] = {{"plot"}, {"plot", "figure17"}, {"plot", "--colour", "x", "y"},
                              {"plot", "figure17", "x", "-o"}, {"plot", "figure17", "x", "y"},
                              {"plot", "figure17", "/dev/null/x"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        int count = 0;
        while (count < 5 && wrong[i][count])
            ++count;
        assert_int_equal(nb_command_plot(count, (char **)wrong[i]), 2);
    }
    char *help[] = {"plot", "--help"};
    assert_int_equal(nb_command_plot(2, help), 0);
}

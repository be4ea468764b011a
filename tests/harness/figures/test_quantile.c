/* Quantiles over records: nearest rank, worked out by hand; repeated keys, short traces and
 * numbers that are none. */
#include <cJSON.h>

#include "harness/figures/bars.h"
#include "tests/support/plot_support.h"

#define HEAD "#: input quantiles\n#: size 84 x 60\n#: panels scaling: b a\n" \
             "#: curves quantile: 0 0.25 0.5 0.75 1\n#: where problem=beam-??\n#: x i\n#: y e\n"

static void put(FILE *file, const char *key, const char *problem, const char *scaling,
                const char *values)
{
    int count = 1;
    for (const char *c = values; *c; ++c)
        count += *c == ',';
    fprintf(file, "{\"kind\":\"case\",\"key\":\"%s\",\"settings\":{\"problem\":\"%s\",\"scaling\":"
            "\"%s\"},\"trace\":{\"i\":[0", key, problem, scaling);
    for (int i = 1; i < count; ++i)
        fprintf(file, ",%d", i);
    fprintf(file, "],\"e\":[%s]}}\n", values);
}

static enum nb_status select_from(const char *head, struct nb_plot_data *data, int *drawn,
                                  struct nb_error *error)
{
    struct nb_figure figure;
    cJSON *records;
    const char *path = path_of("results.jsonl");
    FILE *file = test_open(path, "w");
    put(file, "1", "beam-01", "a", "1,9,9");
    put(file, "2", "beam-02", "a", "2,0.5"); /* ends early */
    put(file, "3", "beam-03", "a", "3,null,0.1");
    put(file, "4", "beam-04", "a", "4,4,4");
    put(file, "1", "beam-01", "a", "1,1,1"); /* the later one counts */
    put(file, "5", "beam-05", "b", "7,8,9");
    put(file, "6", "arch", "a", "100,100,100");
    fclose(file);
    assert_int_equal(nb_figure_read(write_file("q.gp", head), NULL, 0, &figure, error), NB_OK);
    assert_int_equal(nb_records_read(path, &records, error), NB_OK);
    const enum nb_status status = nb_plot_select(&figure, records, "", data, drawn, error);
    cJSON_Delete(records);
    return status;
}

/* Of (1, 2, 3, 4) the quantiles 0 and 1/4 are the first, 1/2 the second, 3/4 the third, 1 the
 * last. */
TEST_IN_FOLDER(nearest_rank)
{
    static const double expected[5][3] = {
        {1, 0.5, 0.1}, {1, 0.5, 0.1}, {2, 1, 0.5}, {3, 4, 1}, {4, INFINITY, 4}};
    OWNS(nb_plot_data_free) struct nb_plot_data data;
    int drawn;
    assert_ok(select_from(HEAD, &data, &drawn, &why));
    assert_int_equal(drawn, 10);
    assert_int_equal(data.panels.count, 2);
    assert_string_equal(data.panels.word[0], "b");
    assert_int_equal(data.curves.count, 5);
    for (int c = 0; c < 5; ++c) {
        const struct nb_series *one = &data.series[c], *four = &data.series[5 + c];
        assert_int_equal(one->points, 3);
        assert_int_equal(four->points, 3);
        for (int i = 0; i < 3; ++i) {
            assert_true(one->value[2 * i + 1] == 7 + i); /* of one record all are that record's */
            assert_true(four->value[2 * i] == i);
            assert_true(four->value[2 * i + 1] == expected[c][i]);
        }
    }
    test_contains(data.series[5].note, "4 records");
}

TEST_IN_FOLDER(early_points_are_left_out)
{
    OWNS(nb_plot_data_free) struct nb_plot_data data;
    int drawn;
    assert_ok(select_from(HEAD "#: from 1\n#: where scaling=a\n", &data, &drawn, &why));
    assert_int_equal(data.panels.count, 1);
    assert_int_equal(data.series[2].points, 2);
    assert_true(data.series[2].value[0] == 1 && data.series[2].value[1] == 1);
}

TEST_IN_FOLDER(mistakes_are_named)
{
    struct nb_plot_data data;
    int drawn;
    assert_refused(select_from("#: input quantiles\n#: size 84 x 60\n#: panels scaling\n"
                               "#: curves linear: pcr\n#: x i\n#: y e\n",
                               &data, &drawn, &why), NB_BAD_INPUT, "curves quantile");
    assert_refused(select_from("#: input quantiles\n#: size 84 x 60\n#: panels scaling\n"
                               "#: curves quantile: 0.5 1.5\n#: x i\n#: y e\n",
                               &data, &drawn, &why), NB_BAD_INPUT, "1.5");
}

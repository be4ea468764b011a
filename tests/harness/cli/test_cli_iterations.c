/* ncpbench iterations and ncpbench spectrum as a user meets them. Runs build/ncpbench. */
#include "tests/support/program.h"

#include <cJSON.h>

/* The ball drop takes one iteration a step (Todorov 2010, figure 6). */
TEST(counts_one_iteration_a_step)
{
    double contacts, iterations, first_tries, solved;
    OWNS(test_output_free) struct test_output output = run("iterations ball_drop --steps 60 --linearized "
                                                           "--solver implicit_complementarity");
    assert_int_equal(output.code, 0);
    const char *last = strstr(output.out, "     all");
    assert_non_null(last);
    assert_int_equal(sscanf(last, " all %lf %lf %lf %lf", &contacts, &iterations, &first_tries,
                            &solved), 4);
    assert_true(contacts >= 4 && contacts <= 5);
    assert_true(iterations <= 1);
    assert_true(solved == 100);
}

TEST(runs_differ_by_seed)
{
    expect_says(run("iterations balls_in_cube --runs 2 --steps 20 --linearized --solver implicit_complementarity"),
                "\n       1  ", "\n       2  ", "\n     all  ");
    expect_refusal(run("iterations ball_drop --runs 2"), "has no parameter \"seed\"");
    expect_refusal(run("iterations no_scene"), "unknown scene");
    expect_refusal(run("iterations ball_drop --steps 0"), "allowed");
}

/* One box on four corners: 12 rows of rank 6. */
TEST(counts_zero_eigenvalues)
{
    char path[256];
    int zeros = -1, rows = -1, records = 0;
    expect_ok(run("export box_on_plane -o %s/box.h5", folder.path));
    expect_says(run("spectrum %s/box.h5 -o %s/spectra.jsonl", folder.path, folder.path), "12 rows",
                "6 eigenvalues are zero (50.0 %)");
    snprintf(path, sizeof path, "%s/spectra.jsonl", folder.path);
    FILE *file = test_open(path, "r");
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        cJSON *json = cJSON_Parse(line);
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(json, "kind");
        assert_true(cJSON_IsString(kind));
        if (!strcmp(kind->valuestring, "spectrum")) {
            zeros = cJSON_GetObjectItemCaseSensitive(json, "zeros")->valueint;
            rows = cJSON_GetObjectItemCaseSensitive(json, "rows")->valueint;
        }
        ++records;
        cJSON_Delete(json);
    }
    free(line);
    fclose(file);
    assert_int_equal(records, 2);
    assert_int_equal(zeros, 6);
    assert_int_equal(rows, 12);
    expect_refusal(run("spectrum no_file.h5"), "no_file.h5");
}

TEST(prints_condition_numbers)
{
    expect_says(run("conditioning particle_chain --set compliance=1e-8 --axis z --points 2 -o %s/conditioning.jsonl",
                    folder.path),
                "430.808           430.808");
    expect_ok(run("plot conditioning %s/conditioning.jsonl -o %s", folder.path, folder.path));
    expect_refusal(run("conditioning particle_chain"), "row 0 is rigid");
    expect_refusal(run("conditioning particle_chain"), "--set compliance=");
    expect_refusal(run("conditioning arch"), "--vary: arch has no parameter \"ratio\"; known: count");
    expect_refusal(run("conditioning particle_chain --vary raito"), "nearest: ratio");
    expect_refusal(run("conditioning no_scene"), "no_scene");
}

/* By the effective mass the minimum map is a line: one iteration from any start (Macklin et al. 2019, figure 9). */
TEST(draws_ncp_functions)
{
    expect_says(run("functions -o %s/functions.jsonl", folder.path),
                "min               mass                    0.25           1           0",
                "min               identity                   1           2           0");
    const char *const figures[] = {"figure6", "figure9"};
    for (int k = 0; k < 2; ++k) {
        expect_ok(run("plot %s %s/functions.jsonl -o %s", figures[k], folder.path, folder.path));
    }
    expect_refusal(run("functions extra"), "extra");
}

FIXTURE(make_folder, remove_folder)

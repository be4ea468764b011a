/* ncpbench gradient as a user meets it. Runs build/ncpbench. */
#include "tests/support/program.h"

#include <cJSON.h>

static void export_box(void)
{
    expect_ok(run("export sliding_box --step 5 -o %s/box.h5", folder.path));
}

TEST(tells_how_a_box_answers)
{
    export_box();
    expect_says(run("gradient %s/box.h5 --of b0.vx --to force --to friction --check", folder.path), "4 slide",
                "b0.vx 0.00083", "; differences: ");
    OWNS(test_output_free) struct test_output output = run("gradient %s/box.h5 --of u0 --of b0.wy --json", folder.path);
    assert_int_equal(output.code, 0);
    cJSON *json = cJSON_Parse(output.out);
    const cJSON *gradients = cJSON_GetObjectItemCaseSensitive(json, "gradients");
    assert_int_equal(cJSON_GetArraySize(gradients), 2);
    const cJSON *to = cJSON_GetObjectItemCaseSensitive(gradients->child, "to");
    assert_int_equal(cJSON_GetArraySize(to), 6); /* it has no tetrahedra */
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(to->child, "gradient")), 6);
    cJSON_Delete(json);
}

TEST(writes_the_transposed_system)
{
    export_box();
    expect_ok(run("gradient %s/box.h5 --of b0.vx --system %s/adjoint", folder.path, folder.path));
    char path[300];
    snprintf(path, sizeof path, "%s/adjoint.A.mtx", folder.path);
    FILE *file = test_open(path, "r");
    char line[200];
    int rows = 0, columns = 0;
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(line, "general"));
    while (fgets(line, sizeof line, file) && line[0] == '%')
        ;
    assert_int_equal(sscanf(line, "%d %d", &rows, &columns), 2);
    fclose(file);
    assert_int_equal(rows, 18); /* six velocities, four contacts that slide */
    assert_int_equal(columns, 18);
}

TEST(refuses_what_has_no_gradient)
{
    export_box();
    expect_refusal(run("gradient %s/box.h5", folder.path), "--of is missing");
    expect_refusal(run("gradient %s/box.h5 --of b1.vx", folder.path), "names no velocity");
    expect_refusal(run("gradient %s/box.h5 --of b0.vx2", folder.path), "names no velocity");
    expect_refusal(run("gradient %s/box.h5 --of u6", folder.path), "N below 6");
    expect_refusal(run("gradient %s/box.h5 --of b0.vx --to colour", folder.path), "velocity,position,mass");
    expect_refusal(run("gradient %s/box.h5 --of b0.vx --stored", folder.path), "no solution");
    expect_ok(run("export box_on_plane --set gravity=0 -o %s/border.h5", folder.path));
    OWNS(test_output_free) struct test_output output = run("gradient %s/border.h5 --of b0.vx", folder.path);
    assert_int_equal(output.code, 1);
    assert_non_null(strstr(output.err, "border between two states"));
}

/* A simulation that goes on from a checkpoint ends with the bits of one that was never stopped,
 * and no other simulation goes on from it. Runs build/ncpbench. */
#include "tests/support/program.h"

#include <cJSON.h>
#include <hdf5.h>

static int set_up(void **state)
{
    make_folder(state);
    expect_ok(run("simulate heavy_stack --steps 6 --checkpoint %s/stack.h5 --checkpoint-every 5",
                  folder.path));
    return 0;
}

static void same_files(const char *one, const char *other)
{
    OWNS(fclose_at) FILE *a = test_open(test_path(&folder, one), "r"), *b = fopen(test_path(&folder, other), "r");
    assert_non_null(b);
    int x, y;
    do {
        x = getc(a);
        y = getc(b);
        assert_int_equal(x, y);
    } while (x != EOF);
}

/* The file of a late step, byte for byte: bodies in contact, joints whose world frames move, balls,
 * and a sheet that is stretched as a function of time. */
TEST(exports_go_on_with_the_same_bits)
{
    static const char *const scenes[] = {"arch", "beam", "ball_drop", "table_pile",
                                         "sheet"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        const char *at = folder.path, *scene = scenes[i];
        expect_ok(run("export %s --step 9 -o %s/whole.h5 --newton-iters 4", scene, at));
        expect_ok(run("export %s --step 8 -o %s/unused.h5 --newton-iters 4 --checkpoint %s/c.h5 "
                      "--checkpoint-every 3", scene, at, at));
        expect_ok(run("export %s --step 9 -o %s/resumed.h5 --newton-iters 4 --resume %s/c.h5 "
                      "--checkpoint %s/c.h5 --checkpoint-every 3", scene, at, at, at));
        same_files("whole.h5", "resumed.h5");
    }
}

/* The record's trace, from the first step on. */
TEST(simulations_go_on_with_the_same_record)
{
    OWNS(test_output_free) struct test_output whole = run("simulate heavy_stack --steps 12 --json");
    OWNS(test_output_free) struct test_output resumed =
        run("simulate heavy_stack --steps 12 --json --threads 2 --resume %s/stack.h5", folder.path);
    assert_int_equal(whole.code, 0);
    assert_int_equal(resumed.code, 0);
    cJSON *a = cJSON_Parse(whole.out), *b = cJSON_Parse(resumed.out);
    const cJSON *trace = cJSON_GetObjectItem(a, "trace");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(trace, "time")), 12);
    assert_true(cJSON_Compare(trace, cJSON_GetObjectItem(b, "trace"), 1));
    cJSON_Delete(a);
    cJSON_Delete(b);
}

/* Rest is counted over the steps before the checkpoint, too. */
TEST(settling_goes_on)
{
    expect_ok(run("export box_on_plane --settled -o %s/whole.h5", folder.path));
    expect_ok(run("export box_on_plane --step 11 -o %s/unused.h5 --checkpoint %s/c.h5 "
                  "--checkpoint-every 10", folder.path, folder.path));
    expect_ok(run("export box_on_plane --settled -o %s/resumed.h5 --resume %s/c.h5", folder.path,
                  folder.path));
    same_files("whole.h5", "resumed.h5");
}

/* A checkpoint is a problem file as any other. */
TEST(checkpoints_are_problem_files)
{
    expect_says(run("solve %s/stack.h5", folder.path), "30 dofs, 20 contacts");
}

TEST(others_are_refused)
{
    static const char *const arguments[][2] = {
        {"simulate arch", "another simulation"},
        {"simulate heavy_stack --newton-iters 31", "its newton_iters is 5000, not 31"},
        {"simulate heavy_stack --linear cholesky", "its solver is proximal_newton, not newton"},
        {"simulate heavy_stack --set friction=0.4", "its friction is 0.5, not 0.4"},
        {"simulate heavy_stack --refine 2", "its refine is nothing, not 2"},
        {"export heavy_stack --step 9 -o unwritten.h5", "its command is simulate, not export"},
        {"simulate heavy_stack --steps 4", "is at step 5, beyond the 4 steps asked for"},
        {"simulate heavy_stack --steps 5", "is at step 5, and the 5 steps asked for leave none to do"},
    };
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; ++i)
        expect_refusal(run("%s --resume %s/stack.h5", arguments[i][0], folder.path),
                       arguments[i][1]);
    expect_ok(run("simulate box_on_plane --refine 2 --steps 2 --checkpoint %s/refined.h5 --checkpoint-every 1",
                  folder.path));
    expect_refusal(run("simulate box_on_plane --steps 4 --resume %s/refined.h5", folder.path),
                   "its refine is 2, not nothing");
    expect_ok(run("export heavy_stack -o %s/plain.h5", folder.path));
    expect_refusal(run("simulate heavy_stack --resume %s/plain.h5", folder.path), "no checkpoint");
    expect_refusal(run("simulate heavy_stack --resume %s/missing.h5", folder.path), "missing.h5");
    expect_refusal(run("simulate heavy_stack --checkpoint %s/none/c.h5 --checkpoint-every 1",
                       folder.path), "c.h5");
}

/* Of a copy of the checkpoint: a column lost, a column of another length, settings that are no
 * JSON. */
TEST(damaged_checkpoints_are_refused)
{
    const hsize_t three = 3;
    for (int damage = 0; damage < 3; ++damage) {
        const char *path = test_path(&folder, "damaged.h5");
        char command[256];
        snprintf(command, sizeof command, "cp %s %s", test_path(&folder, "stack.h5"), path);
        assert_int_equal(system(command), 0);
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        if (damage < 2)
            assert_true(H5Ldelete(file, "simulation/penetration", H5P_DEFAULT) >= 0);
        if (damage == 1) {
            const hid_t space = H5Screate_simple(1, &three, NULL);
            H5Dclose(H5Dcreate2(file, "simulation/penetration", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                H5P_DEFAULT, H5P_DEFAULT));
            H5Sclose(space);
        }
        if (damage == 2) {
            const hid_t group = H5Gopen2(file, "simulation", H5P_DEFAULT);
            const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
            assert_true(H5Adelete(group, "settings") >= 0);
            const hid_t text =
                H5Acreate2(group, "settings", type, space, H5P_DEFAULT, H5P_DEFAULT);
            assert_true(H5Awrite(text, type, "{") >= 0);
            H5Aclose(text);
            H5Tclose(type);
            H5Sclose(space);
            H5Gclose(group);
        }
        H5Fclose(file);
        expect_refusal(run("simulate heavy_stack --resume %s/damaged.h5", folder.path),
                       damage < 2 ? "simulation/penetration" : "settings");
    }
}

FIXTURE(set_up, remove_folder)

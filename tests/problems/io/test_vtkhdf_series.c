/* Steps in one VTKHDF file, read back with HDF5 alone as the format says: each is the file of that step alone. */
#include "tests/support/folder.h"
#include "tests/problems/io/vtkhdf_files.h"

/* Entries first to first + count - 1 of a dataset [width]. */
static void expect_slice(hid_t series, hid_t single, const char *name, int width, int first)
{
    double *all = read_doubles(series, name, width), *one = read_doubles(single, name, width);
    const int count = (int)length(single, name);
    assert_true((hsize_t)(first + count) <= length(series, name));
    for (int i = 0; i < count * width; ++i)
        if (all[first * width + i] != one[i])
            fail_msg("%s: entry %d is %g, of the single step %g", name, i, all[first * width + i], one[i]);
    free(all);
    free(one);
}

/* As a reader of version 2 takes a step out, it is the file of that step alone. */
static void expect_step(hid_t series, const char *path, int step)
{
    static const char *const of_points[] = {"gap", "status", "velocity", "force"};
    static const char *const of_cells[] = {"kind", "body", "against", "island"};
    const hid_t single = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int *points = read_ints(series, "VTKHDF/Steps/PointOffsets");
    int *cells = read_ints(series, "VTKHDF/Steps/CellOffsets");
    int *corners = read_ints(series, "VTKHDF/Steps/ConnectivityIdOffsets");
    int *part = read_ints(series, "VTKHDF/Steps/PartOffsets"), *parts = read_ints(series, "VTKHDF/Steps/NumberOfParts");
    char name[96];
    assert_int_equal(part[step], step);
    assert_int_equal(parts[step], 1);
    expect_slice(series, single, "VTKHDF/NumberOfPoints", 1, part[step]);
    expect_slice(series, single, "VTKHDF/NumberOfCells", 1, part[step]);
    expect_slice(series, single, "VTKHDF/NumberOfConnectivityIds", 1, part[step]);
    expect_slice(series, single, "VTKHDF/Points", 3, points[step]);
    expect_slice(series, single, "VTKHDF/Types", 1, cells[step]);
    expect_slice(series, single, "VTKHDF/Offsets", 1, cells[step] + part[step]);
    expect_slice(series, single, "VTKHDF/Connectivity", 1, corners[step]);
    for (int i = 0; i < 4; ++i) {
        snprintf(name, sizeof name, "VTKHDF/Steps/PointDataOffsets/%s", of_points[i]);
        int *data = read_ints(series, name);
        snprintf(name, sizeof name, "VTKHDF/PointData/%s", of_points[i]);
        expect_slice(series, single, name, i < 2 ? 1 : 3, data[step]);
        free(data);
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", of_cells[i]);
        data = read_ints(series, name);
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", of_cells[i]);
        expect_slice(series, single, name, 1, data[step]);
        free(data);
    }
    int *lists[] = {points, cells, corners, part, parts};
    for (int i = 0; i < 5; ++i)
        free(lists[i]);
    H5Fclose(single);
}

/* Steps of unlike sizes, of which one has tetrahedra, in one file. */
TEST(a_series_holds_each_step)
{
    static const char *const scenes[] = {"box_on_plane", "material_extension", "two_boxes"};
    static const int order[] = {0, 1, 2, 0};
    struct nb_vtkhdf_series *series = NULL;
    struct solved solved[3] = {0};
    char single[3][256];
    int version[2], count;
    for (int i = 0; i < 3; ++i) {
        solve_scene(&solved[i], scenes[i]);
        const struct nb_vtkhdf_solution solution = {solved[i].u, solved[i].lambda, solved[i].status};
        snprintf(single[i], sizeof single[i], "%s/%s.vtkhdf", folder.path, scenes[i]);
        assert_ok(nb_vtkhdf_write(single[i], &solved[i].problem, &solution, &why));
    }
    for (int i = 0; i < 4; ++i) {
        const struct solved *of = &solved[order[i]];
        const struct nb_vtkhdf_solution solution = {of->u, of->lambda, of->status};
        assert_ok(nb_vtkhdf_series_add(&series, &of->problem, &solution, &why));
    }
    const char *path = test_path(&folder, "series.vtkhdf");
    assert_ok(nb_vtkhdf_series_write(series, path, &why));
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t numbers = H5Aopen_by_name(file, "VTKHDF", "Version", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t steps = H5Aopen_by_name(file, "VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
    H5Aread(numbers, H5T_NATIVE_INT, version);
    H5Aread(steps, H5T_NATIVE_INT, &count);
    assert_int_equal(version[0], 2);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; ++i)
        expect_step(file, single[order[i]], i);
    assert_int_equal(length(file, "VTKHDF/CellData/stress"), length(file, "VTKHDF/Types"));
    assert_int_equal(length(file, "VTKHDF/Steps/CellDataOffsets/strain"), 4);
    H5Aclose(numbers);
    H5Aclose(steps);
    H5Fclose(file);
    for (int i = 0; i < 3; ++i)
        free_solved(&solved[i]);

    struct nb_problem flat = {.form = NB_LINEAR_LOCAL, .name = "flat"};
    assert_int_equal(nb_vtkhdf_series_add(&series, &flat, NULL, &why), NB_UNSUPPORTED);
    nb_vtkhdf_series_free(series);
    nb_vtkhdf_series_free(NULL);
}

/* simulate's file has the steps that export writes one by one. */
TEST(a_simulation_is_a_series)
{
    char arguments[512], single[256];
    double times[2];
    snprintf(arguments, sizeof arguments, "simulate two_boxes --steps 4 --every 2 --vtkhdf %s/run.vtkhdf", folder.path);
    struct test_output output = test_run(&folder, arguments);
    assert_int_equal(output.code, 0);
    test_output_free(&output);
    snprintf(arguments, sizeof arguments, "export two_boxes --steps 0:3 -o %s/two.h5 --vtkhdf %s/two.vtkhdf",
             folder.path, folder.path);
    output = test_run(&folder, arguments);
    assert_int_equal(output.code, 0);
    test_output_free(&output);
    const hid_t file = H5Fopen(test_path(&folder, "run.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(length(file, "VTKHDF/Steps/Values"), 2);
    read_as(file, "VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, times);
    assert_true(times[0] == 0 && times[1] > 0);
    for (int i = 0; i < 2; ++i) {
        snprintf(single, sizeof single, "%s/two-%04d.vtkhdf", folder.path, 2 * i);
        expect_step(file, single, i);
    }
    H5Fclose(file);
    output = test_run(&folder, "simulate two_boxes --steps 4 --every 2");
    assert_int_equal(output.code, 2);
    assert_non_null(strstr(output.err, "--every goes with --vtkhdf or --film, of which none is given"));
    test_output_free(&output);
}

FIXTURE(make_folder, remove_folder)

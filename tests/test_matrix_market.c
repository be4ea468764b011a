/* Matrix Market text, read back by a reader of a few lines. */
#include "tests/io_samples.h"

static FILE *open_after_header(const char *path, const char *header)
{
    char line[128] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, header);
    return file;
}

static void assert_at_end(FILE *file)
{
    char rest;
    assert_int_equal(fscanf(file, " %c", &rest), EOF);
    fclose(file);
}

static void test_matrix(void **state)
{
    static const int sizes[][2] = {{7, 4}, {5, 5}, {0, 3}, {3, 0}};
    for (int i = 0; i < 4; ++i) {
        struct nb_csr matrix;
        struct nb_error error;
        uint64_t random = 41;
        int rows, columns, entries, row, column;
        double value;
        sample_matrix(&matrix, sizes[i][0], sizes[i][1], &random);
        if (nb_matrix_market_write(in_folder(state, "a.mtx"), &matrix, &error))
            fail_msg("%s", error.text);
        FILE *file = open_after_header(in_folder(state, "a.mtx"),
                                       "%%MatrixMarket matrix coordinate real general\n");
        assert_int_equal(fscanf(file, "%d %d %d", &rows, &columns, &entries), 3);
        assert_int_equal(rows, matrix.rows);
        assert_int_equal(columns, matrix.columns);
        assert_int_equal(entries, matrix.start[matrix.rows]);
        for (int r = 0; r < rows; ++r)
            for (int k = matrix.start[r]; k < matrix.start[r + 1]; ++k) {
                assert_int_equal(fscanf(file, "%d %d %lf", &row, &column, &value), 3);
                assert_int_equal(row, r + 1);
                assert_int_equal(column, matrix.column[k] + 1);
                assert_memory_equal(&value, &matrix.value[k], sizeof value);
            }
        assert_at_end(file);
        nb_csr_free(&matrix);
    }
}

static void test_vector(void **state)
{
    const double values[] = {1.0 / 3, -0.0, 4.9406564584124654e-324, -1.7976931348623157e308, 2};
    int rows, columns;
    assert_int_equal(nb_matrix_market_write_vector(in_folder(state, "b.mtx"), values, 5, NULL),
                     NB_OK);
    FILE *file = open_after_header(in_folder(state, "b.mtx"),
                                   "%%MatrixMarket matrix array real general\n");
    assert_int_equal(fscanf(file, "%d %d", &rows, &columns), 2);
    assert_int_equal(rows, 5);
    assert_int_equal(columns, 1);
    for (int i = 0; i < 5; ++i) {
        char text[64];
        assert_int_equal(fscanf(file, "%63s", text), 1);
        const double value = strtod(text, NULL);
        assert_memory_equal(&value, &values[i], sizeof value);
    }
    assert_at_end(file);
}

static void test_refusals(void **state)
{
    const double values[] = {1, INFINITY};
    struct nb_error error;
    struct stat about;
    assert_int_equal(nb_matrix_market_write_vector(in_folder(state, "c.mtx"), values, 2, &error),
                     NB_BAD_INPUT);
    assert_non_null(strstr(error.text, "c.mtx: not written: entry 1 is inf"));
    assert_int_equal(stat(in_folder(state, "c.mtx"), &about), -1);
    assert_int_equal(nb_matrix_market_write_vector((const char *)*state, values, 1, &error),
                     NB_BAD_FILE);
    assert_non_null(strstr(error.text, "is a directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_matrix, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_vector, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_refusals, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

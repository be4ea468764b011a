/* Matrix Market text, read back by a reader of a few lines. */
#include "tests/support/io_files.h"
#include "tests/support/io_samples.h"
#include "tests/support/same_problem.h"

#include "problems/io/matrix_market.h"

static FILE *open_after_header(const char *path, const char *header)
{
    char line[128] = "";
    FILE *file = test_open(path, "r");
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

TEST_IN_FOLDER(test_matrix)
{
    static const int sizes[][2] = {{7, 4}, {5, 5}, {0, 3}, {3, 0}};
    for (int i = 0; i < 4; ++i) {
        OWNS(nb_csr_free) struct nb_csr matrix;
        uint64_t random = 41;
        int rows, columns, entries, row, column;
        double value;
        sample_matrix(&matrix, sizes[i][0], sizes[i][1], &random);
        assert_ok(nb_matrix_market_write(in_folder(state, "a.mtx"), &matrix, &why));
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
    }
}

TEST_IN_FOLDER(test_vector)
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

TEST_IN_FOLDER(test_refusals)
{
    const double values[] = {1, INFINITY};
    struct stat about;
    assert_refused(nb_matrix_market_write_vector(in_folder(state, "c.mtx"), values, 2, &why), NB_BAD_INPUT,
                   "c.mtx: not written: entry 1 is inf");
    assert_int_equal(stat(in_folder(state, "c.mtx"), &about), -1);
    assert_refused(nb_matrix_market_write_vector((const char *)*state, values, 1, &why), NB_BAD_FILE,
                   "is a directory");
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* Four rows become six; both triangles of a file with one; the diagonal without gaps. */
TEST_IN_FOLDER(test_reads_symmetric)
{
    char comment[1600]; /* longer than the lines that CHOLMOD reads, which took its end for the sizes */
    snprintf(comment, sizeof comment, "%%%%MatrixMarket matrix coordinate real symmetric\n%%%01100d 3 3 3\n"
             "4 4 6\n4 4 5\n4 3 2\n1 1 4\n4 4 2\n2 2 5\n2 1 -1\n", 0);
    const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n4 4 5\n1 1 4\n2 1 -1\n2 2 5\n4 3 2\n4 4 7\n",
        "%%MatrixMarket matrix coordinate real general\n4 4 7\n1 1 4\n2 1 -1\n1 2 -1\n2 2 5\n4 3 2\n"
        "3 4 2\n4 4 7\n",
        "%%MatrixMarket matrix array real symmetric\n4 4\n4\n-1\n0\n0\n5\n0\n0\n0\n2\n7\n",
        "%%matrixmarket MATRIX Array Integer General\r\n% by columns\n4 4\r\n4\n-1\n0\n0\n-1\n5\n0\n0\n"
        "0\n0\n0\n2\n\n0\n0\n2\n7\n",
        "%%MatrixMarket matrix coordinate real symmetric\n4 4 5\n4 4 7\n3 4 2\n2 2 5\n1 2 -1\n1 1 4\n",
        comment};
    static const double dense[6][6] = {{4, -1, 0, 0, 0, 0}, {-1, 5, 0, 0, 0, 0}, {0, 0, 0, 2, 0, 0},
                                       {0, 0, 2, 7, 0, 0},  {0, 0, 0, 0, 1, 0},  {0, 0, 0, 0, 0, 1}};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        OWNS(nb_newton_system_free) struct nb_newton_system system;
        write_text(in_folder(state, "s.mtx"), texts[t]);
        assert_ok(nb_matrix_market_read(in_folder(state, "s.mtx"), NULL, &system, &why));
        assert_int_equal(system.schur.rows, 6);
        for (int i = 0; i < 6; ++i) {
            double row[6] = {0}, sum = 0;
            int diagonal = 0;
            for (int k = system.schur.start[i]; k < system.schur.start[i + 1]; ++k) {
                row[system.schur.column[k]] = system.schur.value[k];
                diagonal |= system.schur.column[k] == i;
            }
            assert_memory_equal(row, dense[i], sizeof row);
            assert_true(diagonal);
            for (int j = 0; j < 4 && i < 4; ++j)
                sum += row[j];
            assert_true(system.right_side[i] == sum);
        }
    }
}

/* What `export --matrix-market` writes is read back bit by bit, with its right-hand side. */
TEST_IN_FOLDER(test_round_trip)
{
    OWNS(nb_csr_free) struct nb_csr matrix;
    OWNS(nb_newton_system_free) struct nb_newton_system system;
    const double b[6] = {1, -2, 1. / 3, 4, 5e-300, 6};
    const int row[] = {0, 1, 2, 3, 4, 5, 0, 5}, column[] = {0, 1, 2, 3, 4, 5, 5, 0};
    const double value[] = {1. / 3, 2. / 3, 3, 4, 5, 6, -1. / 7, -1. / 7};
    assert_ok(nb_csr_from_triplets(&matrix, 6, 6, 8, row, column, value, &why));
    assert_ok(nb_matrix_market_write(in_folder(state, "x.A.mtx"), &matrix, &why));
    assert_ok(nb_matrix_market_write_vector(in_folder(state, "x.b.mtx"), b, 6, &why));
    assert_ok(nb_matrix_market_read(in_folder(state, "x.A.mtx"), NULL, &system, &why));
    same_csr("matrix", &matrix, &system.schur);
    assert_memory_equal(b, system.right_side, sizeof b);
}

/* 4<0>75 is no 4. */
TEST_IN_FOLDER(a_byte_of_zero_is_no_text)
{
    static const char text[] = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\00075\n2 2 3\n";
    struct nb_newton_system system;
    write_bytes(in_folder(state, "z.mtx"), text, sizeof text - 1);
    assert_refused(nb_matrix_market_read(in_folder(state, "z.mtx"), NULL, &system, &why), NB_BAD_FILE,
                   "z.mtx:3: a byte of zero");
}

/* What an assembly leaves beside entries of 1e11 is rounding, in any unit of either unknown; but 3 and 5 beside
 * nothing larger differ, whatever other rows hold. */
TEST_IN_FOLDER(symmetric_up_to_rounding)
{
    static const char rounded[] = "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 1e11\n2 2 3e11\n"
                                  "1 2 3e-6\n2 1 5e-6\n3 3 1e-9\n3 1 1e-9\n1 3 1.0000000000001e-9\n";
    static const char scaled[] = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1e-289\n2 2 3e211\n"
                                 "1 2 3e-206\n2 1 0\n";
    static const char different[] = "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n2 2 6\n"
                                    "1 2 3\n2 1 5\n3 3 1e20\n";
    const char *path = in_folder(state, "s.mtx");
    struct nb_newton_system system;
    write_text(path, rounded);
    assert_ok(nb_matrix_market_read(path, NULL, &system, &why));
    nb_newton_system_free(&system);
    write_text(path, scaled);
    assert_ok(nb_matrix_market_read(path, NULL, &system, &why));
    nb_newton_system_free(&system);
    write_text(path, different);
    assert_refused(nb_matrix_market_read(path, NULL, &system, &why), NB_BAD_FILE, "not symmetric: entries");
}

TEST_IN_FOLDER(test_refuses_damage)
{
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"", "does not begin with %%MatrixMarket"},
        {"hello\n", "d.mtx:1: does not begin with %%MatrixMarket"},
        {"1 1 1\n1 1 4\n", "does not begin with %%MatrixMarket"},
        {"%%MatrixMarket matrix coordinate real symmetric\n", "ends before the line of sizes"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3\n", "expected ROWS COLUMNS ENTRIES"},
        {"%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n", "out of range"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3000000000 3000000000 1\n1 1 1\n",
         "out of range"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2000000000 2000000000 1\n1 1 1\n",
         "most rows have no entry"},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n", "no values"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "skew-symmetric"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n0 0 1\n1 1 1\n", "d.mtx:3: an index"},
        {"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4.0D0\n", "ROW COLUMN VALUE"},
        {"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 one\n", "ROW COLUMN VALUE"},
        {"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n\n1 1 1\n",
         "d.mtx:5: more entries"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", "both sides"},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n", "cut off: 2 of 3"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 9\n1 1 1\n", "cut off: 1 of 9"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n4 1 1\n", "count from 1"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "real"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n", "square"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "square"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n2 1 1\n",
         "not symmetric"},
        {"%%matrixmarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n2 1 1\n",
         "not symmetric"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 1\n",
         "d.mtx:3: the value is not a finite number"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e400\n", "not a finite number"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n",
         "at (1, 1) add up to inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nb_newton_system system;
        struct nb_error error;
        write_text(in_folder(state, "d.mtx"), cases[i].text);
        assert_int_equal(nb_matrix_market_read(in_folder(state, "d.mtx"), NULL, &system, &error),
                         NB_BAD_FILE);
        assert_non_null(strstr(error.text, "d.mtx"));
        if (!strstr(error.text, cases[i].complaint))
            fail_msg("case %zu: %s", i, error.text);
        assert_null(system.right_side);
    }
    struct nb_newton_system system;
    struct nb_error error;
    write_text(in_folder(state, "ok.mtx"),
               "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n");
    write_text(in_folder(state, "long.mtx"), "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
    assert_int_equal(nb_matrix_market_read(in_folder(state, "ok.mtx"), in_folder(state, "long.mtx"),
                                           &system, &error), NB_BAD_FILE);
    assert_non_null(strstr(error.text, "a vector of 1"));
    write_text(in_folder(state, "long.mtx"), "%%MatrixMarket matrix array real symmetric\n1 1\n1\n");
    assert_int_equal(nb_matrix_market_read(in_folder(state, "ok.mtx"), in_folder(state, "long.mtx"),
                                           &system, &error), NB_BAD_FILE);
    assert_non_null(strstr(error.text, "long.mtx:1: a right-hand side is an array, general"));
    assert_int_equal(nb_matrix_market_read(in_folder(state, "none.mtx"), NULL, &system, &error),
                     NB_BAD_FILE);
}

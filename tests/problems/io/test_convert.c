/* Linear steps in the formats of other programs: there and back with every bit, texts as Siconos prints them, and texts
 * that are damaged. Arrays as h5py stores them are in tests/scripts/test_convert.sh. */
#include "tests/support/io_cases.h"

#include "problems/io/matrix_market.h"

/* Explicit zeros, which blocks do not tell from what is not stored, are no entries. */
static void drop_zeros(struct nb_csr *matrix)
{
    int out = 0;
    for (int i = 0, k = 0; i < matrix->rows; ++i) {
        for (; k < matrix->start[i + 1]; ++k)
            if (matrix->value[k] != 0) {
                matrix->column[out] = matrix->column[k];
                matrix->value[out++] = matrix->value[k];
            }
        matrix->start[i + 1] = out;
    }
}

static void read_back(const char *path, struct nb_problem *problem)
{
    struct nb_notes notes = {0};
    assert_ok(nb_problem_convert_read(path, problem, &notes, &why));
    assert_int_equal(notes.count, 0);
}

static void write_as(const char *path, enum nb_exchange format, const struct nb_problem *problem)
{
    assert_ok(nb_problem_exchange(path, format, problem, NULL, &why));
}

TEST_IN_FOLDER(steps_come_back_with_every_bit)
{
    static const char *const ends[] = {"h5", "dat", "mtx"};
    for (int c = 0; c < 4; ++c)
        for (int f = NB_EXCHANGE_ARRAYS; f <= NB_EXCHANGE_MATRIX_MARKET; ++f) {
            struct nb_problem problem, back;
            char name[32];
            snprintf(name, sizeof name, "%d.%s", c, ends[f]);
            const char *path = in_folder(state, name);
            if (c < 2)
                sample_local(&problem, 4, c == 0 ? 5 : 0);
            else
                sample_global(&problem, 14, 3, c == 2 ? 4 : 0);
            if (f == NB_EXCHANGE_SICONOS)
                drop_zeros(&problem.linear.delassus);
            if (f != NB_EXCHANGE_SICONOS || problem.linear.bilaterals == 0) {
                write_as(path, (enum nb_exchange)f, &problem);
                read_back(path, &back);
                assert_int_equal(back.form, problem.form);
                same_linear(&problem.linear, &back.linear);
                assert_true(back.time_step == (f == NB_EXCHANGE_ARRAYS ? problem.time_step : 1));
                nb_problem_free(&back);
            }
            nb_problem_free(&problem);
        }
}

/* The linearised step, as FCLIB's group has it. */
TEST_IN_FOLDER(nonlinear_steps_are_linearised_and_notes_say_so)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear, back;
    struct nb_notes notes = {0};
    sample_nonlinear(&problem, 3, 5);
    const char *path = in_folder(state, "a.dat");
    assert_ok(nb_problem_exchange(path, NB_EXCHANGE_SICONOS, &problem, &notes, &why));
    assert_int_equal(notes.count, 2);
    test_contains(notes.text[0], "linearised");
    test_contains(notes.text[1], "time step");
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    read_back(path, &back);
    same_linear(&linear.linear, &back.linear);
}

static void expect_refused(const char *path, enum nb_exchange format, const struct nb_problem *problem,
                           const char *part)
{
    struct nb_error error = {""};
    assert_true(nb_problem_exchange(path, format, problem, NULL, &error) != NB_OK);
    test_contains(error.text, part);
}

TEST_IN_FOLDER(what_a_format_cannot_hold_is_refused)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    sample_local(&problem, 4, 5);
    expect_refused(in_folder(state, "a.dat"), NB_EXCHANGE_SICONOS, &problem, "5 bilateral rows");
    assert_int_equal(access(in_folder(state, "a.dat"), F_OK), -1);
    nb_problem_free(&problem);
    sample_global(&problem, 6, 0, 0);
    expect_refused(in_folder(state, "a.mtx"), NB_EXCHANGE_MATRIX_MARKET, &problem, "no empty matrix");
    nb_problem_free(&problem);
    sample_global(&problem, 6, 2, 0);
    write_as(in_folder(state, "a.mtx"), NB_EXCHANGE_MATRIX_MARKET, &problem);
    nb_problem_free(&problem);
    sample_local(&problem, 2, 0);
    expect_refused(in_folder(state, "a.mtx"), NB_EXCHANGE_MATRIX_MARKET, &problem, "a.M.mtx");
}

static void read_text(void **state, const char *text, struct nb_problem *problem, struct nb_notes *notes)
{
    const char *path = in_folder(state, "text.dat");
    write_bytes(path, text, strlen(text));
    assert_ok(nb_problem_convert_read(path, problem, notes, &why));
}

/* Dense storage goes down the columns; old versions wrote a number behind mu. */
TEST_IN_FOLDER(dense_text_goes_down_the_columns)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    read_text(state, "3\n1\n\n0\n3\n3\n\n3\t3\n\n15\n-1\n-2\n\n-3\n14\n1\n\n 0\n1\n16\n\n-1\n2\n3\n\n0.1\n0\n",
              &problem, NULL);
    const struct nb_linear_step *step = &problem.linear;
    assert_int_equal(problem.form, NB_LINEAR_LOCAL);
    assert_int_equal(step->delassus.start[3], 8);
    assert_true(nb_csr_entry(&step->delassus, 1, 0) == -1 && nb_csr_entry(&step->delassus, 0, 1) == -3);
    assert_true(step->contact_velocity[2] == 3 && step->friction[0] == 0.1);
}

#define SPARSE_GLOBAL                                                                                               \
    "3\n1\n2\n3\n3\n1\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n"          \
    "triplet: 3-by-3, nzmax: 4 nnz: 4\n    0 0 : 2\n    1 1 : 3\n    2 2 : 4\n    0 0 : 0.5\n"                      \
    "2\n3\n3\n2\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n"                \
    "3-by-3, nzmax: 3 nnz: 3, 1-norm: 7\n    col 0 : locations 0 to 1\n      0 : 1\n      2 : -7\n"                 \
    "    col 1 : locations 2 to 2\n      1 : 5\n    col 2 : locations 3 to 2\n"                                     \
    "1 2 3 \n4 5 6 \n0.25 \n"

/* Triplets, which add up, and compressed columns. */
TEST_IN_FOLDER(sparse_text_is_read_as_csparse_prints_it)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    read_text(state, SPARSE_GLOBAL, &problem, NULL);
    const struct nb_linear_step *step = &problem.linear;
    assert_int_equal(problem.form, NB_LINEAR_GLOBAL);
    assert_true(nb_csr_entry(&step->mass, 0, 0) == 2.5 && nb_csr_entry(&step->mass, 2, 2) == 4);
    assert_int_equal(step->contact_jacobian.start[3], 3);
    assert_true(nb_csr_entry(&step->contact_jacobian, 0, 2) == -7 && nb_csr_entry(&step->contact_jacobian, 1, 1) == 5);
    assert_true(step->force[2] == 3 && step->contact_velocity[0] == 4 && step->friction[0] == 0.25);
}

/* A contact of the plane is one in space, with a tangent along which nothing moves. */
TEST_IN_FOLDER(text_of_the_plane_is_read_in_space)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    read_text(state, "2 1 0 2 2 2 2  4 1 1 3  -1 2  0.5\n", &problem, NULL);
    const struct nb_linear_step *step = &problem.linear;
    assert_int_equal(step->delassus.rows, 3);
    assert_true(nb_csr_entry(&step->delassus, 0, 1) == 1 && nb_csr_entry(&step->delassus, 2, 2) == 3);
    assert_true(step->contact_velocity[1] == 2 && step->contact_velocity[2] == 0);
}

#define ROLLING                                                                     \
    "5 1 0 5 5 5 5  1 0 0 0 0  0 2 0 0 -0.1  0 0 3 0.1 0  0 0 0.1 4 0  0 -0.1 0 0 5 " \
    "-8 0.1 0.2 7 -1  0.6 "

/* Three rows of five; where mu_r is 0 nothing is lost. */
TEST_IN_FOLDER(rolling_friction_is_left_out_and_a_note_says_so)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_notes notes = {0};
    read_text(state, ROLLING "0.5\n", &problem, &notes);
    const struct nb_linear_step *step = &problem.linear;
    assert_int_equal(notes.count, 1);
    test_contains(notes.text[0], "mu_r up to 0.5");
    assert_int_equal(step->delassus.start[3], 3);
    assert_true(nb_csr_entry(&step->delassus, 2, 2) == 3 && step->contact_velocity[2] == 0.2);
    nb_problem_free(&problem);
    assert_refused(nb_problem_read(in_folder(state, "text.dat"), &problem, &why), NB_UNSUPPORTED,
                   "ncpbench convert");
    read_text(state, ROLLING "0\n", &problem, NULL);
}

/* Wherever a text is cut, it is refused by line, or what is left is a whole text. */
TEST_IN_FOLDER(a_text_that_is_cut_is_refused)
{
    static const char text[] = SPARSE_GLOBAL;
    const char *path = in_folder(state, "cut.dat");
    for (size_t length = 0; length < sizeof text - 1; ++length) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_error error;
        write_bytes(path, text, length);
        const enum nb_status status = nb_problem_read(path, &problem, &error);
        if (!status) /* cut within mu, or where H's first four numbers are q and mu of a local step */
            assert_true(length >= sizeof text - 6 || problem.form == NB_LINEAR_LOCAL);
        else
            test_contains(error.text, "cut.dat: line ");
    }
}

TEST_IN_FOLDER(damaged_text_is_refused)
{
    static const struct {
        const char *text, *said;
    } damaged[] = {
        {"hello\n", "line 1: the dimension"},
        {"4 1 0 4 4 4 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "must be square, and the dimension"},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 nan 1 2 3 0.1", "an entry of the matrix, a finite number,"},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 3 inf", "a friction coefficient, a finite number"},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 3 -0.5", "mu: entry 0 is -0.5"},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 3 0.5 2", "the end of the text"},
        {"3 1 0 3 3 3 2 1 0 0 0 1 0 0 0 1 1 2 3 0.1", "the number of columns again"},
        {"3 1 0 2 2 2 2 1 0 0 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 1 2 3 0.1", "H: is 3 x 3, must be 2 x 3"},
        {"3 400000000 0 3 3 3 3 1", "the number of contacts"},
        {"3 1 0 30000000 30000000 30000000 30000000 1 2", "an entry of the matrix"},
        {"3 1 1 3 3 1 1 1 3 3 2 1 0 1 7 0 1 2 3", "the column of a block"},
        {"3 1 1 3 3 1 1 1 2 3 2 1 0 1 0 0 1 2 3", "the row at which a block ends"},
        {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n 3 0 : 1\n1 2 3 0.1", "a row of the matrix"},
        {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-4, nzmax: 1 nnz: 1\n 0 0 : 1\n1 2 3 0.1", "the number of columns again"},
        {"3 1 2 3 3 1\nCSparse\n3-by-3, nzmax: 9 nnz: 9, 1-norm: 1\n col 0 : locations 0 to 900000\n 0 : 1\n", "ends"},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 3 1 2 3 0.1 7 7", "the end of the text"},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; ++i) {
        struct nb_problem problem;
        struct nb_error error = {""};
        const char *path = in_folder(state, "damaged.dat");
        write_bytes(path, damaged[i].text, strlen(damaged[i].text));
        if (!nb_problem_read(path, &problem, &error))
            fail_msg("\"%s\" was read", damaged[i].text);
        test_contains(error.text, damaged[i].said);
    }
}

/* HDF5 by its content, whatever its name; and a step of Matrix Market files that lacks one, or has one of another
 * size. */
TEST_IN_FOLDER(content_and_parts_decide)
{
    struct nb_problem problem, back;
    struct nb_error error;
    struct nb_notes notes = {0};
    sample_global(&problem, 6, 2, 0);
    write_ok(in_folder(state, "hdf5.dat"), &problem, NULL);
    read_back(in_folder(state, "hdf5.dat"), &back);
    nb_problem_free(&back);
    const char *path = in_folder(state, "p.mtx");
    write_as(path, NB_EXCHANGE_MATRIX_MARKET, &problem);
    assert_true(nb_is_market_step(path) && nb_is_market_step(in_folder(state, "p.M.mtx")));
    assert_false(nb_is_market_step(in_folder(state, "p.W.mtx")) || nb_is_market_step(in_folder(state, "p.f.mtx")));
    const char *stray = in_folder(state, "p.G.mtx");
    assert_int_equal(nb_matrix_market_write(stray, &problem.linear.mass, &error), NB_OK);
    assert_true(nb_problem_convert_read(path, &back, &notes, &error) != NB_OK);
    test_contains(error.text, "b: missing, though there is a G");
    assert_int_equal(unlink(stray), 0);
    assert_int_equal(nb_problem_read(path, &back, &error), NB_UNSUPPORTED);
    test_contains(error.text, "ncpbench convert");
    struct nb_problem_bytes bytes;
    assert_int_equal(nb_problem_bytes_read(path, NULL, &bytes, &error), NB_UNSUPPORTED);
    test_contains(error.text, "ncpbench convert");
    const char *force = in_folder(state, "p.f.mtx");
    assert_int_equal(nb_matrix_market_write_vector(force, problem.linear.force, 5, &error), NB_OK);
    assert_true(nb_problem_convert_read(path, &back, &notes, &error) != NB_OK);
    test_contains(error.text, "must be 5 x 5 to fit the vectors");
    assert_int_equal(unlink(in_folder(state, "p.H.mtx")), 0);
    assert_int_equal(nb_matrix_market_write_vector(force, problem.linear.force, 6, &error), NB_OK);
    assert_true(nb_problem_convert_read(path, &back, &notes, &error) != NB_OK);
    test_contains(error.text, "p.H.mtx");
    assert_int_equal(unlink(in_folder(state, "p.mu.mtx")), 0);
    assert_int_equal(nb_problem_convert_read(path, &back, &notes, &error), NB_BAD_FILE);
    test_contains(error.text, "is no step in Matrix Market text");
    stray = in_folder(state, "q.b.mtx");
    assert_int_equal(nb_matrix_market_write_vector(stray, problem.linear.force, 2, &error), NB_OK);
    assert_int_equal(nb_problem_exchange(in_folder(state, "q.mtx"), NB_EXCHANGE_MATRIX_MARKET, &problem, NULL, &error),
                     NB_BAD_FILE);
    test_contains(error.text, "q.b.mtx: is there");
    nb_problem_free(&problem);
}

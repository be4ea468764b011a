/* scripts/check_solution.py shares nothing with the judge but the definition: on files written with
 * a solution both must find the same error. Skipped where python3 or h5py is missing. */
#include "tests/support/folder.h"
#include "tests/support/judged.h"
#include "tests/support/numbers.h"

#include "problems/io/problem_file.h"

static double *random_vector(int count)
{
    double *array = zeros(count);
    for (int i = 0; i < count; ++i)
        array[i] = uniform();
    return array;
}

/* A sparse matrix with about four entries a row; diagonal added to the leading square. */
static void random_matrix(struct nb_csr *matrix, int rows, int columns, double diagonal,
                          int symmetric)
{
    int *row = calloc((size_t)(10 * rows) + 1, sizeof *row), count = 0;
    OWNS(free_at) int *column = calloc((size_t)(10 * rows) + 1, sizeof *column);
    OWNS(free_at) double *value = calloc((size_t)(10 * rows) + 1, sizeof *value);
    for (int i = 0; i < rows; ++i) {
        for (int k = 1; k < 5; ++k) {
            row[count] = i;
            column[count] = (i + 3 * k) % columns;
            value[count++] = uniform();
            if (symmetric) {
                row[count] = column[count - 1];
                column[count] = i;
                value[count] = value[count - 1];
                count++;
            }
        }
        row[count] = i;
        column[count] = i % columns;
        value[count++] = diagonal;
    }
    assert_int_equal(nb_csr_from_triplets(matrix, rows, columns, count, row, column, value, NULL),
                     NB_OK);
    free(row);
}

static void linear_problem(struct nb_problem *problem, enum nb_form form, int contacts,
                           int bilaterals)
{
    const int dofs = 20, rows = 3 * contacts;
    memset(problem, 0, sizeof *problem);
    problem->form = form;
    problem->time_step = 1;
    strcpy(problem->name, "random");
    struct nb_linear_step *linear = &problem->linear;
    linear->contacts = contacts;
    linear->bilaterals = bilaterals;
    if (form == NB_LINEAR_GLOBAL) {
        linear->dofs = dofs;
        random_matrix(&linear->mass, dofs, dofs, 12, 1);
        random_matrix(&linear->contact_jacobian, rows, dofs, 0, 0);
        if (bilaterals)
            random_matrix(&linear->bilateral_jacobian, bilaterals, dofs, 0, 0);
        linear->force = random_vector(dofs);
    } else {
        random_matrix(&linear->delassus, rows + bilaterals, rows + bilaterals, 12, 1);
        linear->force = random_vector(0);
    }
    linear->contact_velocity = random_vector(rows);
    linear->bilateral_velocity = random_vector(bilaterals);
    linear->friction = random_vector(contacts);
    for (int i = 0; i < contacts; ++i)
        linear->friction[i] = fabs(linear->friction[i]);
}

/* One cube over a plane, turned a little, with its four lower corners in contact. */
static void nonlinear_problem(struct nb_problem *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->form = NB_NONLINEAR;
    problem->time_step = 0.0083;
    strcpy(problem->name, "cube");
    problem->bodies.count = 1;
    problem->bodies.position = random_vector(3);
    problem->bodies.orientation = random_vector(4);
    problem->bodies.velocity = random_vector(6);
    problem->bodies.mass = random_vector(1);
    problem->bodies.inertia = calloc(9, sizeof(double));
    problem->free_velocity = random_vector(6);
    problem->bodies.mass[0] = 2;
    const double tilt[4] = {cos(0.05), sin(0.05), 0, 0};
    memcpy(problem->bodies.orientation, tilt, sizeof tilt);
    for (int k = 0; k < 3; ++k)
        problem->bodies.inertia[4 * k] = 0.3 + 0.1 * k;
    struct nb_contacts *c = &problem->contacts;
    c->count = 4;
    c->body = calloc(8, sizeof *c->body);
    c->point = random_vector(24);
    c->frame = calloc(36, sizeof *c->frame);
    c->thickness = calloc(4, sizeof *c->thickness);
    c->friction = calloc(4, sizeof *c->friction);
    for (int i = 0; i < 4; ++i) {
        c->body[2 * i + 1] = -1;
        c->frame[9 * i + 2] = c->frame[9 * i + 3] = c->frame[9 * i + 7] = 1;
        c->friction[i] = 0.5;
    }
}

static int available;

static int set_up(void **state)
{
    make_folder(state);
    available = system("/usr/bin/python3 -c 'import h5py, numpy' >/dev/null 2>&1") == 0;
    if (!available)
        print_message("skipped: /usr/bin/python3 with h5py and numpy is not there\n");
    return 0;
}

/* Runs the script on a path; *value is the number after the word. Returns the exit status, and the
 * number of lines printed in *lines. */
static int run_script(const char *path, const char *word, double *value, int *lines)
{
    char command[512], line[512];
    snprintf(command, sizeof command, "/usr/bin/python3 scripts/check_solution.py '%s' 2>&1", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    *lines = 0;
    *value = NAN;
    while (fgets(line, sizeof line, pipe)) {
        const size_t length = strlen(word);
        if (strncmp(line, word, length) == 0 && line[length] == ' ')
            *value = strtod(line + length, NULL);
        ++*lines;
    }
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_problem(const char *path, const struct nb_problem *problem, const double *u,
                          const double *lambda)
{
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
    assert_ok(nb_problem_write(path, problem, &extras, &why));
}

static void compare(const struct nb_problem *problem)
{
    const char *path = test_path(&folder, "problem.h5");
    double *u = random_vector(nb_problem_dofs(problem)), value;
    OWNS(free_at) double *lambda = random_vector(nb_problem_multipliers(problem));
    int lines;
    write_problem(path, problem, u, lambda);
    const struct nb_metrics metrics = test_judged(problem, u, lambda);
    assert_int_equal(run_script(path, "natural_map", &value, &lines), 0);
    if (!(fabs(value - metrics.natural_map_linearized) <= 1e-13 * value))
        fail_msg("script %.17g, judge %.17g", value, metrics.natural_map_linearized);
    assert_int_equal(lines, 4);
    if (problem->form != NB_NONLINEAR) {
        assert_int_equal(run_script(path, "absolute", &value, &lines), 0);
        assert_true(fabs(value - metrics.natural_map_absolute) <= 1e-13 * value);
    }
    free(u);
}

TEST(test_linear_problems)
{
    if (!available)
        skip();
    seed = 31;
    for (int trial = 0; trial < 4; ++trial) {
        OWNS(nb_problem_free) struct nb_problem problem;
        linear_problem(&problem, trial % 2 ? NB_LINEAR_GLOBAL : NB_LINEAR_LOCAL, 9,
                       trial / 2 * 2);
        compare(&problem);
    }
}

TEST(test_nonlinear_problem)
{
    if (!available)
        skip();
    seed = 32;
    OWNS(nb_problem_free) struct nb_problem problem;
    nonlinear_problem(&problem);
    compare(&problem);
}

TEST(test_damaged_files)
{
    if (!available)
        skip();
    const char *path = test_path(&folder, "damaged.h5");
    OWNS(nb_problem_free) struct nb_problem problem;
    double value;
    int lines;
    seed = 33;
    linear_problem(&problem, NB_LINEAR_GLOBAL, 3, 0);
    OWNS(free_at) double *u = random_vector(20), *lambda = random_vector(9);
    write_problem(path, &problem, NULL, NULL); /* no solution */
    assert_int_equal(run_script(path, "natural_map", &value, &lines), 2);
    assert_int_equal(lines, 1);
    write_problem(path, &problem, u, lambda);
    assert_int_equal(truncate(path, 3000), 0);
    assert_int_equal(run_script(path, "natural_map", &value, &lines), 2);
    assert_int_equal(lines, 1);
    unlink(path);
    assert_int_equal(run_script(path, "natural_map", &value, &lines), 2); /* absent */
    assert_int_equal(run_script(folder.path, "natural_map", &value, &lines), 2);
    assert_int_equal(lines, 1);
}

FIXTURE(set_up, remove_folder)

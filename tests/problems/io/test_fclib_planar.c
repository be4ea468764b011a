/* Problems in the plane (spacedim 2), written by libfclib and read as problems in space. */
#include "tests/support/files.h"
#include "tests/support/method_support.h"

#include <fclib.h>
#include <hdf5.h>

#include "problems/io/problem_file.h"

/* A block on the ground at h = 1 s: v = (v_x, v_y, omega), contacts at (-a, -b) and (a, -b), normal
 * along y, tangent along x: u_n = v_y -+ a omega, u_t = v_x + b omega. */
enum { dofs = 3, contacts = 2, rows = 4 };
static const double a = 0.5, b = 0.25, mass[dofs] = {2, 2, 0.3};

static void near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error))
        fail_msg("%.17g, must be %.17g", value, expected);
}

struct block {
    double mu[contacts], momentum[dofs], w[rows], free[rows];
    double h[dofs * rows], delassus[rows * rows];
    int row[rows * rows], column[rows * rows], mass_index[dofs];
    int h_row[dofs * rows], h_column[dofs * rows];
    double mass[dofs];
};

/* impulse: of gravity and of the first velocity [N s]. */
static void make_block(struct block *block, double mu, double v_x, double weight)
{
    const double jacobian[rows][dofs] = {{0, 1, -a}, {1, 0, b}, {0, 1, a}, {1, 0, b}};
    memset(block, 0, sizeof *block);
    block->mu[0] = block->mu[1] = mu;
    block->momentum[0] = mass[0] * v_x;
    block->momentum[1] = -weight;
    for (int d = 0; d < dofs; ++d) {
        block->mass_index[d] = d;
        block->mass[d] = mass[d];
    }
    for (int i = 0; i < rows; ++i)
        for (int d = 0; d < dofs; ++d) {
            block->free[i] += jacobian[i][d] * block->momentum[d] / mass[d];
            block->h[i * dofs + d] = jacobian[i][d];
            block->h_row[i * dofs + d] = d;
            block->h_column[i * dofs + d] = i;
            for (int j = 0; j < rows; ++j)
                block->delassus[i * rows + j] += jacobian[i][d] * jacobian[j][d] / mass[d];
        }
    for (int k = 0; k < rows * rows; ++k) {
        block->row[k] = k / rows;
        block->column[k] = k % rows;
    }
}

static void write_block(struct block *block, const char *global, const char *local, int dimension)
{
    struct fclib_matrix m = {dofs, dofs, dofs, block->mass_index, block->mass_index, block->mass,
                             dofs, NULL};
    struct fclib_matrix h = {dofs * rows, dofs, rows, block->h_column, block->h_row, block->h,
                             dofs * rows, NULL};
    struct fclib_matrix w = {rows * rows, rows, rows, block->column, block->row, block->delassus,
                             rows * rows, NULL};
    struct fclib_global of_bodies = {.M = &m, .H = &h, .mu = block->mu, .f = block->momentum,
                                     .w = block->w, .spacedim = dimension};
    struct fclib_local of_contacts = {.W = &w, .mu = block->mu, .q = block->free,
                                      .spacedim = dimension};
    assert_int_equal(fclib_write_global(&of_bodies, global), 1);
    assert_int_equal(fclib_write_local(&of_contacts, local), 1);
}

struct paths {
    struct test_folder folder;
    char global[96], local[96];
};

static struct paths make_paths(void)
{
    struct paths paths = {.folder = test_folder_make()};
    snprintf(paths.global, sizeof paths.global, "%s/global.hdf5", paths.folder.path);
    snprintf(paths.local, sizeof paths.local, "%s/local.hdf5", paths.folder.path);
    return paths;
}

static void read_problem(const char *path, struct nb_problem *problem)
{
    assert_ok(nb_problem_read(path, problem, &why));
}

/* The normal impulses carry the weight and the friction torque, those of friction are r_t each. */
static void check_forces(const double *r, double weight, double friction)
{
    const double tip = b * 2 * friction / (2 * a);
    for (int c = 0; c < contacts; ++c) {
        near(r[3 * c], weight / 2 + (c ? -tip : tip), 1e-10);
        near(r[3 * c + 2], 0, 1e-14);
    }
    near(r[1] + r[4], 2 * friction, 1e-10);
}

/* Sliding: friction is mu r_n at either contact, mu m g h together. Sticking: it stops the block. */
static void check_block(double mu, double v_x, double weight, const char *solver, double tolerance)
{
    const double most = mu * weight, needed = mass[0] * v_x;
    const double friction = -(needed < most ? needed : most);
    struct paths paths = make_paths();
    struct block block;
    struct nb_problem global, local;
    double u[dofs + contacts], slip[3 * contacts], r[3 * contacts];
    make_block(&block, mu, v_x, weight);
    write_block(&block, paths.global, paths.local, 2);
    read_problem(paths.global, &global);
    read_problem(paths.local, &local);
    assert_int_equal(nb_problem_dofs(&global), dofs + contacts);
    assert_true(test_method(&global, solver, 2000, u, r).natural_map <= tolerance);
    check_forces(r, weight, friction / 2);
    near(u[0], v_x + friction / mass[0], 1e-10);
    near(u[1], 0, 1e-10);
    near(u[2], 0, 1e-10);
    assert_true(test_method(&local, solver, 2000, slip, r).natural_map <= tolerance);
    check_forces(r, weight, friction / 2);
    near(slip[1], v_x + friction / mass[0], 1e-10);
    near(slip[2], 0, 1e-14);
    nb_problem_free(&global);
    nb_problem_free(&local);
    test_folder_remove(&paths.folder);
}

TEST(test_sliding_and_sticking)
{
    static const char *const solvers[] = {"proximal_newton", "nsgs", "admm", "cone_fischer_newton"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        check_block(0.5, 10, 9.81, solvers[k], 1e-11);
        check_block(0.5, 1, 9.81, solvers[k], 1e-11);
    }
}

/* V and s: the joint that holds v_x at -s, with a W of the block's, whose friction stays below its
 * limit. In space the tangents have no row of V. */
TEST(test_bilateral_rows)
{
    struct paths paths = make_paths();
    struct block block;
    struct nb_problem problem;
    double u[3 * contacts + 1], r[3 * contacts + 1], s[1] = {-0.25}, one[1] = {1 / mass[0]};
    double v[2] = {1 / mass[0], 1 / mass[0]};
    int v_row[2] = {1, 3}, zero[2] = {0, 0};
    make_block(&block, 0, 0, 9.81);
    struct fclib_matrix w = {rows * rows, rows, rows, block.column, block.row, block.delassus,
                             rows * rows, NULL};
    struct fclib_matrix v_matrix = {2, rows, 1, zero, v_row, v, 2, NULL};
    struct fclib_matrix r_matrix = {1, 1, 1, zero, zero, one, 1, NULL};
    struct fclib_local theirs = {.W = &w, .V = &v_matrix, .R = &r_matrix, .mu = block.mu,
                                 .q = block.free, .s = s, .spacedim = 2};
    assert_int_equal(fclib_write_local(&theirs, paths.local), 1);
    read_problem(paths.local, &problem);
    assert_int_equal(nb_problem_bilaterals(&problem), 1);
    assert_true(test_method(&problem, "proximal_newton", 200, u, r).natural_map < 1e-12);
    near(r[0], 0.25 * mass[0], 1e-12);
    near(u[1], 0.25, 1e-12);
    near(u[4], 0.25, 1e-12);
    near(r[1] + r[4], 9.81, 1e-11);
    nb_problem_free(&problem);
    test_folder_remove(&paths.folder);
}

/* The contacts' own masses have the effective mass of the other tangent. */
TEST(test_second_tangent_is_scaled_as_the_first)
{
    struct paths paths = make_paths();
    struct block block;
    struct nb_problem global, local;
    make_block(&block, 0.3, 1, 9.81);
    write_block(&block, paths.global, paths.local, 2);
    read_problem(paths.global, &global);
    read_problem(paths.local, &local);
    const double tangent = 1 / mass[0] + b * b / mass[2];
    const struct nb_csr *m = &global.linear.mass, *w = &local.linear.delassus;
    for (int c = 0; c < contacts; ++c) {
        near(m->value[m->start[dofs + c]], 1 / tangent, 1e-15);
        const int last = w->start[3 * c + 3] - 1;
        assert_int_equal(w->start[3 * c + 3] - w->start[3 * c + 2], 1);
        assert_int_equal(w->column[last], 3 * c + 2);
        near(w->value[last], tangent, 1e-15);
    }
    nb_problem_free(&global);
    nb_problem_free(&local);
    test_folder_remove(&paths.folder);
}

/* A solution in a file of the plane is that of the plane. */
TEST(test_stored_solution)
{
    struct paths paths = make_paths();
    struct block block;
    double v[dofs] = {1, 2, 3}, slip[rows] = {4, 5, 6, 7}, r[rows] = {8, 9, 10, 11};
    struct fclib_solution theirs = {.v = v, .u = slip, .r = r};
    const double velocity[] = {1, 2, 3, 0, 0}, in_space[] = {4, 5, 0, 6, 7, 0};
    const double impulse[] = {8, 9, 0, 10, 11, 0};
    make_block(&block, 0.3, 1, 9.81);
    write_block(&block, paths.global, paths.local, 2);
    const char *const files[] = {paths.global, paths.local};
    for (int k = 0; k < 2; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(free_at) double *u, *lambda;
        assert_int_equal(fclib_write_solution(&theirs, files[k]), 1);
        read_problem(files[k], &problem);
        assert_ok(nb_solution_read(files[k], &problem, &u, &lambda, &why));
        assert_memory_equal(lambda, impulse, sizeof impulse);
        if (k == 0)
            assert_memory_equal(u, velocity, sizeof velocity);
        else
            assert_memory_equal(u, in_space, sizeof in_space);
    }
    test_folder_remove(&paths.folder);
}

static void set_dimension(const char *path, const char *name, int dimension)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &dimension) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

TEST(test_other_dimensions_and_lengths_are_refused)
{
    struct paths paths = make_paths();
    struct block block;
    struct nb_problem problem;
    make_block(&block, 0.3, 1, 9.81);
    write_block(&block, paths.global, paths.local, 2);
    set_dimension(paths.global, "fclib_global/spacedim", 4);
    set_dimension(paths.local, "fclib_local/spacedim", 4);
    assert_refused(nb_problem_read(paths.global, &problem, &why), NB_BAD_INPUT,
                   "global.hdf5: fclib_global/spacedim: is 4, must be 2 or 3");
    assert_refused(nb_problem_read(paths.local, &problem, &why), NB_BAD_INPUT,
                   "local.hdf5: fclib_local/spacedim: is 4, must be 2 or 3");
    set_dimension(paths.global, "fclib_global/spacedim", 3);
    set_dimension(paths.local, "fclib_local/spacedim", 3);
    assert_int_equal(nb_problem_read(paths.global, &problem, &why), NB_BAD_INPUT);
    assert_int_equal(nb_problem_read(paths.local, &problem, &why), NB_BAD_INPUT);
    test_folder_remove(&paths.folder);
}

/* VTKHDF files, read back with HDF5 alone: closed surfaces of the right volume, forces that carry
 * the weight, deformable bodies through the same arrays. */
#include "tests/support/folder.h"

#include <hdf5.h>

#include "problems/base/vec3.h"
#include "problems/surface.h"
#include "tests/support/near.h"
#include "tests/problems/io/vtkhdf_files.h"

/* The grid as a reader of the format sees it. */
struct grid {
    int points, cells;
    double *point, *force, *gap;
    int *offset, *corner, *type, *kind, *body, *status;
};

/* What every reader asks for: types and sizes as the format says. */
static void check_layout(hid_t file)
{
    char type[17] = {0};
    int version[2] = {0};
    const hid_t text = H5Aopen_by_name(file, "VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t kind = H5Aget_type(text);
    assert_int_equal(H5Tget_class(kind), H5T_STRING);
    assert_int_equal(H5Tget_cset(kind), H5T_CSET_ASCII);
    assert_int_equal(H5Tget_size(kind), 16);
    H5Aread(text, kind, type);
    assert_string_equal(type, "UnstructuredGrid");
    H5Tclose(kind);
    H5Aclose(text);
    const hid_t numbers = H5Aopen_by_name(file, "VTKHDF", "Version", H5P_DEFAULT, H5P_DEFAULT);
    H5Aread(numbers, H5T_NATIVE_INT, version);
    assert_int_equal(version[0], 1);
    H5Aclose(numbers);
    const hid_t types = H5Dopen2(file, "VTKHDF/Types", H5P_DEFAULT), byte = H5Dget_type(types);
    assert_true(H5Tequal(byte, H5T_STD_U8LE) > 0);
    H5Tclose(byte);
    H5Dclose(types);
}

static void read_grid(const char *path, struct grid *grid, int forces)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int corners;
    assert_true(file >= 0);
    check_layout(file);
    read_as(file, "VTKHDF/NumberOfPoints", H5T_NATIVE_INT, &grid->points);
    read_as(file, "VTKHDF/NumberOfCells", H5T_NATIVE_INT, &grid->cells);
    read_as(file, "VTKHDF/NumberOfConnectivityIds", H5T_NATIVE_INT, &corners);
    assert_int_equal(length(file, "VTKHDF/Points"), grid->points);
    assert_int_equal(length(file, "VTKHDF/Offsets"), grid->cells + 1);
    assert_int_equal(length(file, "VTKHDF/Types"), grid->cells);
    assert_int_equal(length(file, "VTKHDF/Connectivity"), corners);
    assert_int_equal(length(file, "VTKHDF/PointData/gap"), grid->points);
    assert_int_equal(length(file, "VTKHDF/CellData/body"), grid->cells);
    grid->point = read_doubles(file, "VTKHDF/Points", 3);
    grid->force = forces ? read_doubles(file, "VTKHDF/PointData/force", 3) : NULL;
    grid->gap = read_doubles(file, "VTKHDF/PointData/gap", 1);
    grid->offset = read_ints(file, "VTKHDF/Offsets");
    grid->corner = read_ints(file, "VTKHDF/Connectivity");
    grid->type = read_ints(file, "VTKHDF/Types");
    grid->kind = read_ints(file, "VTKHDF/CellData/kind");
    grid->body = read_ints(file, "VTKHDF/CellData/body");
    grid->status = read_ints(file, "VTKHDF/PointData/status");
    assert_int_equal(grid->offset[0], 0);
    assert_int_equal(grid->offset[grid->cells], corners);
    for (int i = 0; i < corners; ++i)
        assert_in_range(grid->corner[i], 0, grid->points - 1);
    H5Fclose(file);
}

static void free_grid(struct grid *grid)
{
    free(grid->point);
    free(grid->force);
    free(grid->gap);
    free(grid->offset);
    free(grid->corner);
    free(grid->type);
    free(grid->kind);
    free(grid->body);
    free(grid->status);
}

/* Divergence theorem over the polygons of one body: 6 V = sum of a . (b x c) over fans. Negative
 * where corners turn the wrong way, and wrong where a face is missing. */
static double volume(const struct grid *grid, int body)
{
    double sum = 0;
    for (int i = 0; i < grid->cells; ++i) {
        if (grid->type[i] != 7 || grid->body[i] != body)
            continue;
        const int *corner = grid->corner + grid->offset[i];
        for (int k = 1; k + 1 < grid->offset[i + 1] - grid->offset[i]; ++k) {
            double across[3];
            nb_cross3(grid->point + 3 * corner[k], grid->point + 3 * corner[k + 1], across);
            sum += nb_dot3(grid->point + 3 * corner[0], across) / 6;
        }
    }
    return sum;
}

static void write_solved(const struct solved *solved, struct grid *grid)
{
    const struct nb_vtkhdf_solution solution = {solved->u, solved->lambda, solved->status};
    const char *path = test_path(&folder, "step.vtkhdf");
    assert_ok(nb_vtkhdf_write(path, &solved->problem, &solution, &why));
    read_grid(path, grid, 1);
}

/* Density 1000: the volume of a body of one box is its mass / 1000. The ground carries all. */
TEST(heavy_stack)
{
    struct solved solved;
    struct grid grid;
    double up = 0, mass = 0;
    int contacts = 0;
    solve_scene(&solved, "heavy_stack");
    write_solved(&solved, &grid);
    for (int i = 0; i < solved.problem.bodies.count; ++i) {
        mass += solved.problem.bodies.mass[i];
        assert_near(volume(&grid, i) * 1000, solved.problem.bodies.mass[i],
                           1e-12 * solved.problem.bodies.mass[i]);
    }
    for (int i = 0; i < grid.cells; ++i) {
        if (grid.kind[i] != 2)
            continue;
        const int contact = contacts++, at = grid.corner[grid.offset[i]];
        const int *sides = solved.problem.contacts.body + 2 * contact;
        assert_int_equal(grid.type[i], 1);
        assert_int_equal(grid.body[i], sides[0]);
        assert_int_equal(grid.status[at], contact % 3);
        assert_near(grid.gap[at], 0, 1e-12);
        if (sides[0] < 0 || sides[1] < 0) /* the force is that on side a */
            up += (sides[1] < 0 ? 1 : -1) * grid.force[3 * at + 2];
    }
    assert_int_equal(contacts, solved.problem.contacts.count);
    assert_near(up, 9.81 * mass, 1e-6 * mass);
    free_grid(&grid);
    free_solved(&solved);
}

/* Balls and capsules are closed and oriented; inscribed polyhedra of 16 meridians have some 94 % of
 * the volume, and less only if a facet is missing. */
TEST(round_bodies)
{
    static const char *const scenes[] = {"ball_drop", "leaning_capsule"};
    for (size_t s = 0; s < 2; ++s) {
        struct solved solved;
        struct grid grid;
        solve_scene(&solved, scenes[s]);
        write_solved(&solved, &grid);
        for (int i = 0; i < solved.problem.shape_count; ++i) {
            const struct nb_shape *shape = &solved.problem.shapes[i];
            if (shape->body < 0)
                continue;
            const double r = shape->radius;
            const double exact = M_PI * r * r * (4 * r / 3 + 2 * shape->half_length);
            const double part = volume(&grid, shape->body) / exact;
            assert_true(part > 0.93 && part < 1);
        }
        free_grid(&grid);
        free_solved(&solved);
    }
}

/* A tetrahedron of four particles whose skin touches the world at the middle of a face. */
TEST(deformable_bodies)
{
    double position[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, velocity[12];
    double mass[4] = {1, 1, 1, 1};
    double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, lame[2] = {1, 1}, inflation = 0;
    int nodes[4] = {0, 1, 2, 3}, material = 0, face_start[5] = {0, 3, 6, 9, 12};
    int corners[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    int body[2] = {-1, -1}, particle[6] = {0, 1, 2, -1, -1, -1};
    double weight[6] = {0.25, 0.25, 0.5, 0, 0, 0}, point[6] = {0, 0, 0, 0.25, 0.5, -0.125};
    double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, thickness = 0.0625, friction = 0.5;
    struct nb_shape skin = {.kind = NB_SHAPE_SURFACE, .body = -1, .orientation = {1, 0, 0, 0},
                            .face_count = 4, .face_start = face_start, .face_vertex = corners};
    const struct nb_problem problem = {
        .form = NB_NONLINEAR, .time_step = 0.01, .shape_count = 1, .shapes = &skin,
        .particles = {.count = 4, .position = position, .velocity = velocity, .mass = mass},
        .tetrahedra = {.count = 1, .particle = nodes, .rest = rest, .material = &material,
                       .lame = lame, .inflation = &inflation},
        .contacts = {.count = 1, .body = body, .point = point, .particle = particle,
                     .weight = weight, .frame = frame, .thickness = &thickness,
                     .friction = &friction}};
    OWNS(free_grid) struct grid grid;
    for (int i = 0; i < 12; ++i)
        velocity[i] = i;
    assert_ok(nb_vtkhdf_write(test_path(&folder, "soft.vtkhdf"), &problem, NULL, &why));
    read_grid(test_path(&folder, "soft.vtkhdf"), &grid, 0);
    assert_int_equal(grid.points, 5);
    assert_int_equal(grid.cells, 6);
    assert_int_equal(grid.type[4], 10);
    assert_near(volume(&grid, -1), 1. / 6, 1e-15);
    assert_near(grid.point[12], 0.25, 0);
    assert_near(grid.point[13], 0.5, 0);
    assert_near(grid.gap[4], 0.125 - 0.0625, 0);
}

/* A block stretched by (1.1, 1, 0.95) and turned by 90 degrees about z, so that x becomes y.
 * Hooke by hand: g_i = lambda tr e + 2 mu e_i, sigma_i = g_i s_i / J. */
TEST(stress_of_a_turned_block)
{
    double position[12] = {0, 0, 0, 0, 1.1, 0, -1, 0, 0, 0, 0, 0.95}, velocity[12] = {0};
    double mass[4] = {1, 1, 1, 1}, rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, lame[2] = {3, 2};
    double inflation = 0;
    int nodes[4] = {0, 1, 2, 3}, material = NB_MATERIAL_HOOKE;
    const struct nb_problem problem = {
        .form = NB_NONLINEAR, .time_step = 0.01,
        .particles = {.count = 4, .position = position, .velocity = velocity, .mass = mass},
        .tetrahedra = {.count = 1, .particle = nodes, .rest = rest, .material = &material,
                       .lame = lame, .inflation = &inflation}};
    const double s[3] = {1, 1.1, 0.95}, trace = s[0] + s[1] + s[2] - 3, ratio = s[0] * s[1] * s[2];
    const char *path = test_path(&folder, "turned.vtkhdf");
    assert_ok(nb_vtkhdf_write(path, &problem, NULL, &why));
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    OWNS(free_at) double *stress = read_doubles(file, "VTKHDF/CellData/stress", 6);
    OWNS(free_at) double *strain = read_doubles(file, "VTKHDF/CellData/strain", 6);
    H5Fclose(file);
    for (int i = 0; i < 3; ++i) {
        assert_near(strain[i], s[i] - 1, 1e-14);
        assert_near(stress[i], (3 * trace + 4 * (s[i] - 1)) * s[i] / ratio, 1e-14);
        assert_near(strain[3 + i], 0, 1e-14);
        assert_near(stress[3 + i], 0, 1e-14);
    }
}

TEST(linear_steps_are_refused)
{
    struct nb_problem problem = {.form = NB_LINEAR_LOCAL, .name = "flat"};
    const char *path = test_path(&folder, "linear.vtkhdf");
    assert_int_equal(nb_vtkhdf_write(path, &problem, NULL, &why), NB_UNSUPPORTED);
    assert_int_equal(access(path, F_OK), -1);
}

/* The commands: a plane beneath the bodies is drawn, and a file of several steps has numbers. */
TEST(commands)
{
    char arguments[512];
    OWNS(free_grid) struct grid grid;
    snprintf(arguments, sizeof arguments,
             "export box_on_plane --steps 2:3 -o %s/box.h5 --vtkhdf %s/box.vtkhdf", folder.path,
             folder.path);
    struct test_output output = test_run(&folder, arguments);
    assert_int_equal(output.code, 0);
    test_output_free(&output);
    read_grid(test_path(&folder, "box-0002.vtkhdf"), &grid, 1);
    assert_int_equal(grid.points, 8 + 4 + 4);
    free_grid(&grid);
    snprintf(arguments, sizeof arguments, "solve %s/box-0003.h5 --vtkhdf %s/solved.vtkhdf",
             folder.path, folder.path);
    output = test_run(&folder, arguments);
    assert_int_equal(output.code, 0);
    test_output_free(&output);
    read_grid(test_path(&folder, "solved.vtkhdf"), &grid, 1);
    for (int i = 12; i < 16; ++i)
        assert_int_equal(grid.status[i], 1); /* it sticks */
}

FIXTURE(make_folder, remove_folder)

/* A step as VTKHDF's UnstructuredGrid (vtkhdf.h): polygons of the surfaces, tetrahedra, and a
 * vertex at each contact's point, which carries the force. */
#include "problems/io/vtkhdf.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/io/vtkhdf_grid.h"

/* Cell types of vtkCellType.h. */
enum { VTK_VERTEX = 1, VTK_POLYGON = 7, VTK_TETRA = 10 };

enum kind { SURFACE, TETRAHEDRON, CONTACT };

void nb_vtkhdf_lay_out(void *data, struct nb_arena *arena)
{
    struct nb_vtkhdf_grid *grid = data;
    NB_ARRAY(arena, grid->point, 3 * (size_t)grid->points);
    NB_ARRAY(arena, grid->velocity, 3 * (size_t)grid->points);
    NB_ARRAY(arena, grid->force, 3 * (size_t)grid->points);
    NB_ARRAY(arena, grid->gap, grid->points);
    NB_ARRAY(arena, grid->status, grid->points);
    NB_ARRAY(arena, grid->offset, (size_t)grid->cells + (size_t)grid->steps);
    NB_ARRAY(arena, grid->corner, grid->corners);
    int **of_cells[] = {&grid->type, &grid->kind, &grid->body, &grid->against, &grid->island};
    for (int i = 0; i < 5; ++i)
        NB_ARRAY(arena, *of_cells[i], grid->cells);
    NB_ARRAY(arena, grid->stress, grid->tensors ? 6 * (size_t)grid->cells : 0);
    NB_ARRAY(arena, grid->strain, grid->tensors ? 6 * (size_t)grid->cells : 0);
}

void nb_vtkhdf_free_grid(struct nb_vtkhdf_grid *grid)
{
    nb_surface_free(&grid->surface);
    nb_islands_free(&grid->islands);
    free(grid->memory);
}

/* Velocity of a point x fixed in a body: v + omega x (x - centre of mass); u+ where it is known. */
static void body_velocity(const struct nb_vtkhdf_grid *grid, int body, const double *x, double *velocity)
{
    const struct nb_bodies *bodies = &grid->problem->bodies;
    const double *u = (grid->solution ? grid->solution->u : bodies->velocity) + 6 * body;
    double arm[3], turning[3];
    nb_subtract3(x, bodies->position + 3 * body, arm);
    nb_cross3(u + 3, arm, turning);
    nb_add_scaled3(u, 1, turning, velocity);
}

static void particle_velocity(const struct nb_vtkhdf_grid *grid, int particle, double *velocity)
{
    const double *u = grid->solution ? grid->solution->u + 6 * grid->problem->bodies.count
                                     : grid->problem->particles.velocity;
    memcpy(velocity, u + 3 * particle, 3 * sizeof *velocity);
}

static void fill_surface_points(struct nb_vtkhdf_grid *grid)
{
    const struct nb_surface *surface = &grid->surface;
    memcpy(grid->point, surface->point, 3 * (size_t)surface->points * sizeof *grid->point);
    for (int i = 0; i < surface->points; ++i) {
        grid->status[i] = -1;
        if (i < grid->problem->particles.count)
            particle_velocity(grid, i, grid->velocity + 3 * i);
        else if (surface->body[i] >= 0)
            body_velocity(grid, surface->body[i], grid->point + 3 * i, grid->velocity + 3 * i);
    }
}

/* The velocity of side a's point. */
static void fill_contact_velocity(struct nb_vtkhdf_grid *grid, int contact, int at)
{
    const struct nb_contacts *contacts = &grid->problem->contacts;
    const double *a = grid->point + 3 * at;
    if (contacts->body[2 * contact] >= 0)
        body_velocity(grid, contacts->body[2 * contact], a, grid->velocity + 3 * at);
    for (int k = 0; contacts->particle && k < 3; ++k) {
        double velocity[3];
        if (contacts->particle[6 * contact + k] < 0)
            break;
        particle_velocity(grid, contacts->particle[6 * contact + k], velocity);
        nb_add_scaled3(grid->velocity + 3 * at, contacts->weight[6 * contact + k], velocity,
                       grid->velocity + 3 * at);
    }
}

/* The point, velocity and force of side a; the force on side b is its opposite. Of a linear step no body's velocity is
 * known. */
static void fill_contact_point(struct nb_vtkhdf_grid *grid, int contact, int at)
{
    const struct nb_problem *problem = grid->problem;
    const double *frame = nb_contact_axes(problem, contact);
    nb_contact_point(problem, contact, 0, grid->point + 3 * at);
    if (problem->form == NB_NONLINEAR) {
        grid->gap[at] = nb_contact_gap(problem, contact);
        fill_contact_velocity(grid, contact, at);
    } else {
        grid->gap[at] = problem->time_step * problem->linear.contact_velocity[3 * contact];
    }
    grid->status[at] = grid->solution ? grid->solution->status[contact] : -1;
    if (!grid->solution)
        return;
    const double *lambda = grid->solution->lambda + nb_problem_bilaterals(problem) + 3 * contact;
    for (int k = 0; k < 3; ++k)
        nb_add_scaled3(grid->force + 3 * at, lambda[k], frame + 3 * k, grid->force + 3 * at);
}

static void add_cell(struct nb_vtkhdf_grid *grid, int type, enum kind kind, int body, int against, int island)
{
    const int cell = grid->cells++;
    grid->type[cell] = type;
    grid->kind[cell] = (int)kind;
    grid->body[cell] = body;
    grid->against[cell] = against;
    grid->island[cell] = island;
    grid->offset[cell + 1] = grid->corners;
}

static void fill_polygons(struct nb_vtkhdf_grid *grid)
{
    const struct nb_surface *surface = &grid->surface;
    for (int i = 0; i < surface->polygons; ++i) {
        const int body = grid->problem->shapes[surface->shape[i]].body;
        for (int k = surface->start[i]; k < surface->start[i + 1]; ++k)
            grid->corner[grid->corners++] = surface->corner[k];
        add_cell(grid, VTK_POLYGON, SURFACE, body, -1, body < 0 ? -1 : grid->islands.body[body]);
    }
}

static void fill(struct nb_vtkhdf_grid *grid)
{
    const struct nb_tetrahedra *tetrahedra = &grid->problem->tetrahedra;
    const struct nb_problem *problem = grid->problem;
    const int linear = problem->drawing.count > 0, *body = linear ? problem->drawing.body : problem->contacts.body;
    grid->cells = grid->corners = 0;
    fill_surface_points(grid);
    fill_polygons(grid);
    for (int i = 0; i < tetrahedra->count; ++i) {
        for (int k = 0; k < 4; ++k)
            grid->corner[grid->corners++] = tetrahedra->particle[4 * i + k];
        add_cell(grid, VTK_TETRA, TETRAHEDRON, -1, -1, -1);
        const int cell = 6 * (grid->cells - 1);
        nb_element_tensors(tetrahedra, i, problem->particles.position, grid->stress + cell, grid->strain + cell);
    }
    for (int i = 0; i < nb_contacts_placed(problem); ++i) {
        const int at = grid->surface.points + i;
        fill_contact_point(grid, i, at);
        grid->corner[grid->corners++] = at;
        add_cell(grid, VTK_VERTEX, CONTACT, body[2 * i], body[2 * i + 1], linear ? -1 : grid->islands.contact[i]);
    }
}

enum nb_status nb_vtkhdf_make_grid(struct nb_vtkhdf_grid *grid, struct nb_error *error)
{
    const struct nb_problem *problem = grid->problem;
    if (problem->form != NB_NONLINEAR && problem->shape_count == 0)
        return nb_fail(error, NB_UNSUPPORTED, "%s is a linear step, which has no shapes to draw", problem->name);
    enum nb_status status = nb_surface_create(&grid->surface, problem, error);
    if (!status)
        status = nb_islands_find(&grid->islands, problem, error);
    if (status)
        return status;
    const int tetrahedra = problem->tetrahedra.count, contacts = nb_contacts_placed(problem);
    grid->steps = 1;
    grid->tensors = tetrahedra > 0;
    grid->solved = grid->solution != NULL;
    grid->time = problem->step * problem->time_step;
    grid->points = grid->surface.points + contacts;
    grid->cells = grid->surface.polygons + tetrahedra + contacts;
    grid->corners = grid->surface.corners + 4 * tetrahedra + contacts;
    grid->memory = nb_arena_allocate(nb_vtkhdf_lay_out, grid);
    if (!grid->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a grid of %d points", grid->points);
    fill(grid);
    return NB_OK;
}

static void write_data(struct nb_writer *writer, const struct nb_vtkhdf_grid *grid)
{
    nb_write_group(writer, "VTKHDF/PointData");
    nb_write_doubles(writer, "VTKHDF/PointData/velocity", grid->points, 3, 0, grid->velocity, "m/s",
                     grid->solved ? "u+ of the step" : "u-");
    if (grid->solved)
        nb_write_doubles(writer, "VTKHDF/PointData/force", grid->points, 3, 0, grid->force, "N",
                         "of a contact on its side a; 0 at other points");
    nb_write_doubles(writer, "VTKHDF/PointData/gap", grid->points, 0, 0, grid->gap, "m",
                     "C_n(q-) of a contact; 0 at other points");
    nb_write_ints(writer, "VTKHDF/PointData/status", grid->points, 0, grid->status,
                  "0 open, 1 stick, 2 slip; -1: no contact, or no solution");
    nb_write_group(writer, "VTKHDF/CellData");
    nb_write_ints(writer, "VTKHDF/CellData/kind", grid->cells, 0, grid->kind,
                  "0 surface, 1 tetrahedron, 2 contact");
    nb_write_ints(writer, "VTKHDF/CellData/body", grid->cells, 0, grid->body,
                  "index into bodies, -1 for none; of a contact: side a");
    nb_write_ints(writer, "VTKHDF/CellData/against", grid->cells, 0, grid->against,
                  "of a contact: side b; -1 elsewhere");
    nb_write_ints(writer, "VTKHDF/CellData/island", grid->cells, 0, grid->island, NULL);
    if (grid->tensors) {
        nb_write_doubles(writer, "VTKHDF/CellData/stress", grid->cells, 6, 0, grid->stress, "Pa",
                         "Cauchy stress of a tetrahedron: xx, yy, zz, xy, yz, xz");
        nb_write_doubles(writer, "VTKHDF/CellData/strain", grid->cells, 6, 0, grid->strain, "1",
                         "Biot strain of a tetrahedron, in the same order");
    }
}

void nb_vtkhdf_write_grid(struct nb_writer *writer, const struct nb_vtkhdf_grid *grid, int version,
                          const int *points, const int *cells, const int *corners)
{
    const int versions[2] = {version, 0};
    nb_write_group(writer, "VTKHDF");
    nb_write_int_attribute(writer, "VTKHDF", "Version", 2, versions);
    nb_write_ascii_attribute(writer, "VTKHDF", "Type", "UnstructuredGrid");
    nb_write_ints_as(writer, "VTKHDF/NumberOfPoints", grid->steps, points, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/NumberOfCells", grid->steps, cells, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/NumberOfConnectivityIds", grid->steps, corners, H5T_STD_I64LE);
    nb_write_doubles(writer, "VTKHDF/Points", grid->points, 3, 0, grid->point, "m", NULL);
    nb_write_ints_as(writer, "VTKHDF/Connectivity", grid->corners, grid->corner, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/Offsets", grid->cells + grid->steps, grid->offset, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/Types", grid->cells, grid->type, H5T_STD_U8LE);
    write_data(writer, grid);
}

enum nb_status nb_vtkhdf_write(const char *path, const struct nb_problem *problem,
                               const struct nb_vtkhdf_solution *solution, struct nb_error *error)
{
    struct nb_writer writer;
    struct nb_error reason;
    struct nb_vtkhdf_grid grid = {.problem = problem, .solution = solution};
    enum nb_status status = nb_vtkhdf_make_grid(&grid, &reason);
    if (status) {
        nb_fail(error, status, "%s: not written: %s", path, reason.text);
    } else {
        nb_writer_open(&writer, path, error);
        nb_vtkhdf_write_grid(&writer, &grid, 1, &grid.points, &grid.cells, &grid.corners);
        nb_write_group(&writer, "VTKHDF/FieldData");
        nb_write_doubles(&writer, "VTKHDF/FieldData/time", 1, 0, 0, &grid.time, "s", "start of the step");
        status = nb_writer_commit(&writer);
    }
    nb_vtkhdf_free_grid(&grid);
    return status;
}

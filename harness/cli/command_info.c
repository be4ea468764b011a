/* ncpbench info describes what a problem file holds: where it is from, its sizes and ranges of values, islands, the
 * symmetry of its matrices, and what is stored beside the step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "problems/base/clean_text.h"
#include "problems/io/problem_file.h"
#include "problems/islands.h"

static void print_provenance(const char *path, const struct nb_problem *problem)
{
    static const char *const forms[] = {
        [NB_NONLINEAR] = "nonlinear step",
        [NB_LINEAR_GLOBAL] = "linear step, global (FCLIB)",
        [NB_LINEAR_LOCAL] = "linear step, local (FCLIB)",
    };
    char file[1024];
    snprintf(file, sizeof file, "%s", path);
    nb_clean_text(file);
    printf("file         %s\nname         %s\nform         %s\nsource       %s\ngenerator    %s\n",
           file, problem->name, forms[problem->form], problem->source, problem->generator);
    printf("step         %d\ntime step h  %.10g s\n", problem->step, problem->time_step);
    for (int i = 0; i < problem->parameter_count; ++i)
        printf("%-12s %.10g  (parameter of the scene)\n", problem->parameters[i].name,
               problem->parameters[i].value);
}

static void print_range(const char *name, const double *values, int count, int stride,
                        const char *unit)
{
    double smallest = INFINITY, largest = -INFINITY;
    for (int i = 0; i < count; ++i) {
        smallest = fmin(smallest, values[(size_t)i * (size_t)stride]);
        largest = fmax(largest, values[(size_t)i * (size_t)stride]);
    }
    if (count)
        printf("%-12s %.10g to %.10g%s\n", name, smallest, largest, unit);
}

/* Islands, and of them the one with the most contacts. */
static enum nb_status print_islands(const struct nb_problem *problem, struct nb_error *error)
{
    struct nb_islands islands;
    const enum nb_status status = nb_islands_find(&islands, problem, error);
    const int largest = status ? -1 : nb_islands_largest(&islands);
    if (largest >= 0)
        printf("islands      %d, the largest with %d contacts, %d bodies, %d particles\n",
               islands.count, islands.contacts[largest], islands.bodies[largest],
               islands.particles[largest]);
    nb_islands_free(&islands);
    return status;
}

/* Nothing of a step without particles. */
static void print_deformables(const struct nb_problem *problem)
{
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    int neo_hookean = 0;
    if (problem->particles.count == 0)
        return;
    for (int i = 0; i < tetrahedra->count; ++i)
        neo_hookean += tetrahedra->material[i] == NB_MATERIAL_NEO_HOOKEAN;
    printf("deformable   %d particles, %d attachments, %d distances\n", problem->particles.count,
           problem->attachments.count, problem->distances.count);
    printf("tetrahedra   %d co-rotational Hooke, %d neo-Hookean\n", tetrahedra->count - neo_hookean,
           neo_hookean);
    print_range("masses", problem->particles.mass, problem->particles.count, 1, " kg");
    print_range("lambda", tetrahedra->lame, tetrahedra->count, 2, " Pa");
    if (tetrahedra->count > 0)
        print_range("mu", tetrahedra->lame + 1, tetrahedra->count, 2, " Pa");
    print_range("inflation", tetrahedra->inflation, tetrahedra->count, 1, " Pa");
}

static enum nb_status print_nonlinear(const struct nb_problem *problem, struct nb_error *error)
{
    const double *gravity = problem->gravity;
    /* Scenes have -g downwards, which without gravity is -0; plus 0 it is 0. */
    printf("gravity      %g %g %g m/s^2\nbodies       %d rigid, %d shapes\n", gravity[0] + 0, gravity[1] + 0,
           gravity[2] + 0, problem->bodies.count, problem->shape_count);
    print_range("masses", problem->bodies.mass, problem->bodies.count, 1, " kg");
    if (problem->limits.count > 0)
        printf("limits       %d of joints, counted as contacts\n", problem->limits.count);
    print_deformables(problem);
    print_range("friction", problem->contacts.friction, problem->contacts.count, 1, "");
    return print_islands(problem, error);
}

static void print_symmetry(const char *name, const struct nb_csr *matrix)
{
    int row, column;
    const double asymmetry = nb_csr_asymmetry(matrix, &row, &column);
    printf("%-12s %d x %d, %d entries, ", name, matrix->rows, matrix->columns,
           matrix->start[matrix->rows]);
    if (asymmetry == 0)
        printf("symmetric\n");
    else
        printf("%s (entries (%d, %d) differ by %.2g of their rows' largest)\n",
               asymmetry <= NB_SYMMETRIC_WITHIN ? "symmetric to rounding" : "NOT symmetric", row, column, asymmetry);
}

static void print_linear(const struct nb_problem *problem)
{
    const struct nb_linear_step *linear = &problem->linear;
    if (problem->form == NB_LINEAR_LOCAL) {
        print_symmetry("W", &linear->delassus);
    } else {
        print_symmetry("M", &linear->mass);
        printf("%-12s %d x %d, %d entries\n", "H^T", linear->contact_jacobian.rows,
               linear->contact_jacobian.columns,
               linear->contact_jacobian.start[linear->contact_jacobian.rows]);
    }
    print_range("friction", linear->friction, linear->contacts, 1, "");
}

static enum nb_status print_stored(const char *path, const struct nb_problem *problem,
                                   struct nb_error *error)
{
    double *u = NULL, *lambda = NULL;
    int systems;
    enum nb_status status = nb_newton_system_count(path, &systems, error);
    if (!status)
        status = nb_solution_read(path, problem, &u, &lambda, error);
    if (!status)
        printf("stored       %d Newton systems, %s\n", systems,
               u ? "a solution" : "no solution");
    free(u);
    free(lambda);
    return status;
}

static enum nb_status print_info(const char *path, struct nb_error *error)
{
    struct nb_problem problem;
    enum nb_status status = nb_problem_read(path, &problem, error);
    if (status)
        return status;
    print_provenance(path, &problem);
    printf("sizes        %d dofs, %d contacts, %d bilateral rows, %d multipliers\n",
           nb_problem_dofs(&problem), nb_problem_contacts(&problem),
           nb_problem_bilaterals(&problem), nb_problem_multipliers(&problem));
    if (problem.form == NB_NONLINEAR)
        status = print_nonlinear(&problem, error);
    else
        print_linear(&problem);
    if (!status)
        status = print_stored(path, &problem, error);
    nb_problem_free(&problem);
    return status;
}

int nb_command_info(int argc, char **argv)
{
    struct nb_error error;
    struct nb_command command = {
        .name = "info", .arguments = "FILE.h5",
        .summary = "Describes a problem file: sizes, provenance, units, what is stored.",
        .details = "Reads ncpbench's own files (docs/reference/formats.md) and plain FCLIB files. SI units.",
        .example = "ncpbench info data/problems/arch.h5",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE.h5"},
    };
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    return print_info(command.positional[0], &error) ? nb_command_fail(&command, &error)
                                                     : NB_EXIT_OK;
}

/* ncpbench info describes what a problem file holds (harness/collection/table.h), in words or as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/collection/table.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/problem_name.h"

static const cJSON *member(const cJSON *object, const char *name)
{
    return nb_json_member(object, name);
}

static int count_of(const cJSON *object, const char *name)
{
    return (int)nb_json_get(object, name);
}

static void print_origin(const cJSON *facts)
{
    const char *form = nb_json_string(facts, "form");
    const bool system = !strcmp(form, "linear_system");
    printf("file         %s\nSHA-256      %s\nname         %s\nform         %s\n", nb_json_string(facts, "file"),
           nb_json_string(facts, "problem_hash"), nb_json_string(facts, "name"),
           !strcmp(form, "nonlinear") ? "nonlinear step" : !strcmp(form, "linear_global")
               ? "linear step, global (FCLIB)" : system ? "linear system A x = b (Matrix Market)"
               : "linear step, local (FCLIB)");
    if (system)
        return;
    printf("source       %s\ngenerator    %s\n", nb_json_string(facts, "source"), nb_json_string(facts, "generator"));
    printf("step         %d\ntime step h  %.10g s\n", count_of(facts, "step"), nb_json_get(facts, "time_step"));
    const cJSON *parameter = NULL;
    cJSON_ArrayForEach(parameter, member(facts, "parameters"))
        printf("%-12s %s = %.10g\n", parameter->prev->next ? "" : "parameters", parameter->string,
               parameter->valuedouble);
}

static void print_sizes(const cJSON *facts)
{
    const cJSON *sizes = member(facts, "sizes");
    printf("sizes        %d dofs, %d contacts, %d bilateral rows, %d multipliers\n", count_of(sizes, "dofs"),
           count_of(sizes, "contacts"), count_of(sizes, "bilaterals"), count_of(sizes, "multipliers"));
}

static void print_range(const cJSON *object, const char *name, const char *unit)
{
    const cJSON *range = member(object, name);
    if (cJSON_IsArray(range))
        printf("%-12s %.10g to %.10g%s\n", name, range->child->valuedouble, range->child->next->valuedouble, unit);
}

/* Nothing of a step without particles. */
static void print_deformables(const cJSON *deformable)
{
    if (!cJSON_IsObject(deformable))
        return;
    printf("deformable   %d particles, %d attachments, %d distances, %d ties\n", count_of(deformable, "particles"),
           count_of(deformable, "attachments"), count_of(deformable, "distances"), count_of(deformable, "ties"));
    printf("tetrahedra   %d co-rotational Hooke, %d neo-Hookean\n", count_of(deformable, "tetrahedra_hooke"),
           count_of(deformable, "tetrahedra_neo_hookean"));
    print_range(deformable, "masses", " kg");
    print_range(deformable, "lambda", " Pa");
    print_range(deformable, "mu", " Pa");
    print_range(deformable, "inflation", " Pa");
}

static void print_nonlinear(const cJSON *facts)
{
    const cJSON *gravity = member(facts, "gravity"), *largest = nb_json_path(facts, "islands", "largest");
    printf("gravity      %g %g %g m/s^2\nbodies       %d rigid, %d shapes\n", gravity->child->valuedouble,
           gravity->child->next->valuedouble, gravity->child->next->next->valuedouble, count_of(facts, "bodies"),
           count_of(facts, "shapes"));
    print_range(facts, "masses", " kg");
    if (count_of(facts, "limits") > 0)
        printf("limits       %d of joints, counted as contacts\n", count_of(facts, "limits"));
    print_deformables(member(facts, "deformable"));
    print_range(facts, "friction", "");
    if (cJSON_IsObject(largest))
        printf("islands      %d, the largest with %d contacts, %d bodies, %d particles\n",
               count_of(member(facts, "islands"), "count"), count_of(largest, "contacts"),
               count_of(largest, "bodies"), count_of(largest, "particles"));
}

/* Rank and mass ratio, as far as they are known, and the classes that follow from these and others. */
static void print_features(const cJSON *facts)
{
    const cJSON *features = member(facts, "features"), *classes = member(facts, "classes");
    const double rank = nb_json_get(features, "rank"), ratio = nb_json_get(features, "mass_ratio");
    if (!isnan(rank))
        printf("rank         %.0f of %d contact rows\n", rank, 3 * count_of(member(facts, "sizes"), "contacts"));
    if (!isnan(ratio))
        printf("mass ratio   %.4g\n", ratio);
    printf("classes     ");
    for (int i = 0; i < NB_PROBLEM_CLASSES; ++i) {
        const char *value = nb_json_string(classes, nb_problem_classes[i].name);
        if (strcmp(value, "unknown") != 0)
            printf(" %s", value);
    }
    printf("\n");
}

static void print_matrix(const cJSON *matrix)
{
    const char *symmetry = nb_json_string(matrix, "symmetry");
    const cJSON *at = member(matrix, "at");
    printf("%-12s %d x %d, %d entries%s", matrix->string, count_of(matrix, "rows"), count_of(matrix, "columns"),
           count_of(matrix, "entries"), !*symmetry ? "" : !strcmp(symmetry, "exact") ? ", symmetric"
           : !strcmp(symmetry, "none") ? ", NOT symmetric" : ", symmetric to rounding");
    if (cJSON_IsArray(at))
        printf(" (entries (%d, %d) differ by %.2g of their rows' largest)", at->child->valueint,
               at->child->next->valueint, nb_json_get(matrix, "asymmetry"));
    printf("\n");
}

static void print_stored(const cJSON *stored)
{
    printf("stored       %d Newton systems, ", count_of(stored, "newton_systems"));
    if (cJSON_IsTrue(member(stored, "solution")))
        printf("a solution with step_error %.3g\n", nb_json_get(stored, "step_error"));
    else
        printf("no solution\n");
}

static void print_facts(const cJSON *facts)
{
    const cJSON *matrices = member(facts, "matrices"), *matrix = NULL;
    const bool step = member(facts, "features");
    print_origin(facts);
    if (step)
        print_sizes(facts);
    cJSON_ArrayForEach(matrix, matrices)
        print_matrix(matrix);
    if (!step)
        return;
    if (matrices) {
        print_range(facts, "friction", "");
        printf("islands      %d, the largest with %d contacts\n", count_of(member(facts, "islands"), "count"),
               (int)fmax(0, nb_json_path_number(member(facts, "islands"), "largest", "contacts")));
    } else {
        print_nonlinear(facts);
    }
    print_features(facts);
    print_stored(member(facts, "stored"));
}

int nb_command_info(int argc, char **argv)
{
    struct nb_error error;
    bool json = false;
    cJSON *facts = NULL;
    struct nb_command command = {
        .name = "info", .arguments = "FILE [--json]",
        .summary = "Describes a problem file: sizes, provenance, units, what is stored.",
        .details = "Reads ncpbench's own files (docs/reference/formats.md), plain FCLIB files and linear systems "
                   "as Matrix Market text (*.mtx). SI units.",
        .example = "ncpbench info data/problems/arch.h5",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE"},
    };
    nb_command_add_flag(&command, "json", &json, "print one JSON document (docs/reference/output.md)");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    enum nb_status status = nb_problem_facts(command.positional[0], &facts, &error);
    if (!status && json) {
        status = nb_json_put(facts, nb_output(), &error);
    } else if (!status) {
        nb_json_without_controls(facts);
        print_facts(facts);
        cJSON_Delete(facts);
    }
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}

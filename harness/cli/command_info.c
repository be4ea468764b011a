/* ncpbench info describes what a problem file holds (harness/cli/problem_facts.h), in words or as JSON. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/cli/problem_facts.h"
#include "harness/records/json.h"

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int count_of(const cJSON *object, const char *name)
{
    return (int)nb_json_get(object, name);
}

static void print_origin(const cJSON *facts)
{
    const char *form = nb_json_string(facts, "form");
    printf("file         %s\nname         %s\nform         %s\nsource       %s\ngenerator    %s\n",
           nb_json_string(facts, "file"), nb_json_string(facts, "name"),
           !strcmp(form, "nonlinear") ? "nonlinear step" : !strcmp(form, "linear_global")
               ? "linear step, global (FCLIB)" : "linear step, local (FCLIB)",
           nb_json_string(facts, "source"), nb_json_string(facts, "generator"));
    printf("step         %d\ntime step h  %.10g s\n", count_of(facts, "step"), nb_json_get(facts, "time_step"));
    const cJSON *parameter = NULL;
    cJSON_ArrayForEach(parameter, member(facts, "parameters"))
        printf("%-12s %.10g  (parameter of the scene)\n", parameter->string, parameter->valuedouble);
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
    printf("deformable   %d particles, %d attachments, %d distances\n", count_of(deformable, "particles"),
           count_of(deformable, "attachments"), count_of(deformable, "distances"));
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

static void print_facts(const cJSON *facts)
{
    const cJSON *matrices = member(facts, "matrices"), *matrix = NULL, *stored = member(facts, "stored");
    print_origin(facts);
    print_sizes(facts);
    if (matrices) {
        cJSON_ArrayForEach(matrix, matrices)
            print_matrix(matrix);
        print_range(facts, "friction", "");
    } else {
        print_nonlinear(facts);
    }
    printf("stored       %d Newton systems, %s\n", count_of(stored, "newton_systems"),
           cJSON_IsTrue(member(stored, "solution")) ? "a solution" : "no solution");
}

int nb_command_info(int argc, char **argv)
{
    struct nb_error error;
    bool json = false;
    cJSON *facts = NULL;
    struct nb_command command = {
        .name = "info", .arguments = "FILE.h5 [--json]",
        .summary = "Describes a problem file: sizes, provenance, units, what is stored.",
        .details = "Reads ncpbench's own files (docs/reference/formats.md) and plain FCLIB files. SI units.",
        .example = "ncpbench info data/problems/arch.h5",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE.h5"},
    };
    nb_command_add(&command, (struct nb_option){.name = "json", .type = NB_OPTION_FLAG, .target = &json,
                   .meaning = "print one JSON document (docs/reference/output.md)"});
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    enum nb_status status = nb_problem_facts(command.positional[0], &facts, &error);
    if (!status && json) {
        status = nb_json_put(facts, stdout, &error);
    } else if (!status) {
        nb_json_without_controls(facts);
        print_facts(facts);
        cJSON_Delete(facts);
    }
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}

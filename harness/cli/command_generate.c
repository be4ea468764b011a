/* ncpbench generate writes a linear step whose solution, rank and condition are known (problems/planted.h). */
#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/provenance.h"
#include "problems/io/problem_file.h"
#include "problems/planted.h"

struct request {
    const char *path;
    int local; /* the index in the choices of --form */
    struct nb_planted planted;
};

static void add_options(struct nb_command *command, struct request *request)
{
    struct nb_planted *planted = &request->planted;
    nb_command_add_output(command, &request->path, "FILE.h5", "the file to write");
    nb_command_add_choice(command, "form", &request->local, "global,local", "FORM", "M and H, or W alone");
    nb_command_add_count(command, "contacts", &planted->contacts, 1, NB_PLANTED_CONTACTS, "N",
                         "contacts, of 3 rows each");
    nb_command_add_count(command, "dofs", &planted->dofs, 0, 6 * NB_PLANTED_CONTACTS, "n",
                         "velocities, at least the rank; 0: as many as rows");
    nb_command_add_count(command, "deficiency", &planted->deficiency, 0, 3 * NB_PLANTED_CONTACTS - 1, "K",
                         "rows that W lacks in rank");
    nb_command_add_number(command, "condition", &planted->condition, 1, NB_PLANTED_CONDITION, "C",
                          "largest over smallest eigenvalue of W, those that are 0 left out");
    nb_command_add_number(command, "friction", &planted->friction, 0, 10, "MU", "friction coefficient of all contacts");
    nb_command_add_number(command, "open", &planted->open, 0, 1, "SHARE", "share of contacts that are open");
    nb_command_add_number(command, "sliding", &planted->sliding, 0, 1, "SHARE",
                          "share of contacts that slide; the rest sticks");
    nb_command_add_count(command, "opposed", &planted->opposed, 0, NB_PLANTED_CONTACTS, "K",
                         "contacts more, each the opposite of another and closed before it can be: no solution");
    nb_command_add_count(command, "seed", &planted->seed, 0, 1000000000, "S", "of the random numbers");
}

static enum nb_status generate(const struct request *request, struct nb_error *error)
{
    struct nb_problem problem;
    double *u, *lambda;
    enum nb_status status = nb_planted_make(&request->planted, &problem, &u, &lambda, error);
    if (status)
        return status;
    snprintf(problem.generator, sizeof problem.generator, "%s", nb_provenance_generator());
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
    status = nb_problem_write(request->path, &problem, &extras, error);
    if (!status)
        printf("%s: %d contacts, W of rank %d and condition %g, %s\n", request->path,
               request->planted.contacts + request->planted.opposed,
               3 * request->planted.contacts - request->planted.deficiency, request->planted.condition,
               request->planted.opposed > 0 ? "without a solution" : "with its solution");
    nb_problem_free(&problem);
    free(u);
    free(lambda);
    return status;
}

int nb_command_generate(int argc, char **argv)
{
    struct nb_error error;
    struct request request = {.planted = {.contacts = 20, .condition = 100, .friction = 0.5, .open = 1. / 3,
                                          .sliding = 1. / 3, .seed = 1}};
    struct nb_command command = {
        .name = "generate", .arguments = "-o FILE.h5 [options]",
        .summary = "Writes a linear step whose solution, rank and condition number are known.",
        .details = "H^T = X S Y^T with random orthogonal X and Y, M = 1, W = H^T M^-1 H; contacts are open, slide or "
                   "stick by chance, and f, w or q follow from their velocities and impulses, which are the file's "
                   "/solution: `judge` tells its error, `solve --tol` whether a method finds it or another one. With "
                   "--opposed no velocity meets all contacts, and W's condition is of the others.",
        .example = "ncpbench generate -o hard.h5 --contacts 50 --deficiency 30 --condition 1e8",
    };
    add_options(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.planted.form = request.local ? NB_LINEAR_LOCAL : NB_LINEAR_GLOBAL;
    const enum nb_status status =
        !request.path ? nb_fail(&error, NB_BAD_INPUT, "-o FILE.h5 is missing") : generate(&request, &error);
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}

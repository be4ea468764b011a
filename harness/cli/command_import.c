/* ncpbench import writes a time step of a MuJoCo model as a problem file (problems/import/import.h). A child process
 * does it: what other people's files do to other people's readers ends the child, and the user gets a line. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/provenance.h"
#include "harness/sweep/child.h"
#include "problems/import/import.h"
#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"

enum { MOST_STEPS = 10000000, MOST_COPIES = 100000, MOST_SEED = 2000000000 };

struct request {
    struct nb_import import;
    const char *path;
    int controls;
};

static void say(int count, const char *text)
{
    if (count > 0)
        printf("  %s: %d\n", text, count);
}

static void print_report(const struct request *request, const struct nb_problem *problem,
                         const struct nb_import_report *report)
{
    printf("%s: %s, step %d: %d dofs, %d contacts, %d limits, %d equality rows; %d bodies, %d joints\n", request->path,
           problem->name, problem->step, problem->linear.dofs, report->contacts, report->limits,
           report->equality_rows, report->bodies, report->joints);
    printf("  %d island%s of at most %d contacts; deepest penetration %.2g m\n", report->islands,
           report->islands == 1 ? "" : "s", report->largest_island, report->deepest);
    if (request->import.random && report->actuators == 0)
        printf("  it has no actuators, so that random controls are none%s\n",
               request->import.copies > 1 ? " and all copies are equal" : "");
    say(report->torsional_dropped, "contacts that lose torsional friction (condim 4, 6)");
    say(report->rolling_dropped, "contacts that lose rolling friction (condim 6)");
    say(report->anisotropic, "contacts with two coefficients of friction, in scaled second tangents");
    say(report->dry_friction_dropped, "joints and tendons that lose dry friction (frictionloss)");
    say(report->empty_rows_dropped, "rows of equality constraints left out, as no velocity changes them");
    say(report->shapes_dropped, "geoms not in the picture (height fields, meshes without a hull)");
    if (report->warning[0])
        fprintf(stderr, "ncpbench import: MuJoCo: %s\n", report->warning);
}

static int run(const struct nb_command *command, const struct request *request)
{
    struct nb_error error;
    struct nb_problem problem;
    struct nb_import_report report;
    enum nb_status status = nb_import_model(&request->import, &problem, &report, &error);
    if (!status) {
        snprintf(problem.generator, sizeof problem.generator, "%s", nb_provenance_generator());
        status = nb_problem_write(request->path, &problem, NULL, &error);
    }
    if (!status)
        print_report(request, &problem, &report);
    nb_problem_free(&problem);
    return status ? nb_command_fail(command, &error) : NB_EXIT_OK;
}

/* The child has no core, and ends with its parent. */
static int run_apart(const struct nb_command *command, const struct request *request)
{
    const struct rlimit none = {0, 0};
    char ending[64];
    int status;
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setrlimit(RLIMIT_CORE, &none);
        const int code = run(command, request);
        fflush(NULL);
        _exit(code);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        return run(command, request);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    nb_child_ending(status, ending, sizeof ending);
    fprintf(stderr, "ncpbench import: %s: MuJoCo crashes on it: %s\n", request->import.model, ending);
    return NB_EXIT_BAD_INPUT;
}

static void add_options(struct nb_command *command, struct request *request)
{
    nb_command_add_output(command, &request->path, "FILE.h5", "the file to write");
    nb_command_add_count(command, "step", &request->import.step, 0, MOST_STEPS, "N",
                         "steps that MuJoCo simulates before");
    nb_command_add_choice(command, "controls", &request->controls, "zero,random", "WHICH",
                          "the actuators' controls: all zero, or in each step random in their ranges");
    nb_command_add_count(command, "seed", &request->import.seed, 0, MOST_SEED, "S", "of random controls");
    nb_command_add_count(command, "copies", &request->import.copies, 1, MOST_COPIES, "N",
                         "so many side by side, as one step, with seeds S, S + 1, ...");
}

int nb_command_import(int argc, char **argv)
{
    struct request request = {.import = {.copies = 1}};
    struct nb_error error;
    struct nb_command command = {
        .name = "import", .arguments = "MODEL -o FILE.h5 [options]",
        .summary = "Writes a time step of an MJCF or URDF model as a problem file, by MuJoCo.",
        .details = "MuJoCo simulates the model up to step N. That step is written as it stands before MuJoCo solves "
                   "it: mass matrix, contacts, limits, equality constraints and forces, in generalised velocities, "
                   "with hard constraints for MuJoCo's soft ones (docs/guide/import.md).",
        .example = "ncpbench import humanoid.xml --step 150 --controls random -o humanoid.h5",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"MODEL"},
    };
    add_options(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.import.model = command.positional[0];
    request.import.random = request.controls == 1;
    if (!request.path)
        nb_fail(&error, NB_BAD_INPUT, "-o FILE.h5 is missing");
    else if (nb_command_given(&command, "seed") && !request.import.random)
        nb_fail(&error, NB_BAD_INPUT, "--seed goes with --controls random, which is not given");
    else if (!nb_check_apart(request.import.model, request.path, &error))
        return run_apart(&command, &request);
    return nb_command_fail(&command, &error);
}

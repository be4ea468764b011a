/* ncpbench import writes a time step of a MuJoCo model as a problem file (problems/import/import.h). A child process
 * does it: what other people's files do to other people's readers ends the child, and the user gets a line. While it
 * reads, it is limited in time and memory: a pipe never ends, and a short file can ask for all that there is. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/judge/hopeless.h"
#include "harness/records/provenance.h"
#include "problems/base/apart.h"
#include "problems/base/clock.h"
#include "problems/import/import.h"
#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"

enum { MOST_STEPS = 10000000, MOST_COPIES = 100000, MOST_SEED = 2000000000 };

struct request {
    struct nb_import import;
    const char *path;
    int controls;
    bool drop_hopeless;
    struct nb_hopeless hopeless; /* of the step before any is dropped */
    char *text;                  /* what is said of them              */
    size_t size;                 /* of it */
    double time_limit;           /* until MuJoCo has read the model [s] */
    int memory_limit;            /* until then, beyond the program's own [MiB] */
    int reading;                 /* the child's end of a pipe, open until then */
    int said;                    /* standard error, which is the C++ library's no more until then; -1: it is back */
};

enum { MOST_NAMED = 10 };

static void say(int count, const char *text)
{
    if (count > 0)
        printf("  %s: %d\n", text, count);
}

/* Contacts of limits have no geoms. */
static void name_contact(FILE *to, const struct nb_import_report *report, int contact, double gap)
{
    if (contact < report->contacts)
        fprintf(to, "%s, %.2g m %s", report->pair[contact].name, fabs(gap), gap < 0 ? "deep" : "apart");
    else
        fprintf(to, "limit %d, exceeded by %.2g", contact - report->contacts, -gap);
}

/* They are named while the problem still has them all. */
static void print_hopeless(FILE *to, const struct request *request, const struct nb_problem *problem,
                           const struct nb_import_report *report)
{
    const struct nb_hopeless *found = &request->hopeless;
    for (int k = 0; k < found->count && k < MOST_NAMED; ++k) {
        const struct nb_hopeless_contact *one = &found->contact[k];
        fprintf(to, "  contact %d can never be met: ", one->contact);
        name_contact(to, report, one->contact, problem->time_step * problem->linear.contact_velocity[3 * one->contact]);
        if (one->contacts + one->bilaterals > 0)
            fprintf(to, "; it contradicts %d other contacts and %d equality rows", one->contacts, one->bilaterals);
        fprintf(to, "\n");
    }
    if (found->count > MOST_NAMED)
        fprintf(to, "  and %d more can never be met\n", found->count - MOST_NAMED);
    if (found->count > 0 && !request->drop_hopeless)
        fprintf(to, "  so the step has no solution; --drop-hopeless leaves %s out\n", found->count > 1 ? "them" : "it");
}

/* Pairs, counts and the deepest penetration become those of what is kept. */
static void drop(struct nb_problem *problem, struct nb_import_report *report, const char *dropped)
{
    const int placed = report->contacts, all = problem->linear.contacts;
    report->contacts = report->limits = 0;
    report->deepest = 0;
    for (int i = 0; i < all; ++i) {
        if (dropped[i])
            continue;
        if (i >= placed) {
            ++report->limits;
            continue;
        }
        report->pair[report->contacts++] = report->pair[i];
        report->deepest = fmax(report->deepest, -problem->time_step * problem->linear.contact_velocity[3 * i]);
    }
    report->hopeless_dropped = all - report->contacts - report->limits;
    nb_drop_contacts(problem, dropped);
}

static enum nb_status check(void *context, struct nb_problem *problem, struct nb_import_report *report,
                            struct nb_error *error)
{
    struct request *request = context;
    char *dropped = calloc((size_t)problem->linear.contacts + 1, 1);
    enum nb_status status = dropped ? nb_hopeless_find(problem, &request->hopeless, error)
                                    : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for hopeless contacts");
    if (!status) {
        FILE *to = open_memstream(&request->text, &request->size);
        if (to) {
            print_hopeless(to, request, problem, report);
            fclose(to);
        }
        for (int k = 0; k < request->hopeless.count; ++k)
            dropped[request->hopeless.contact[k].contact] = 1;
        if (request->drop_hopeless && request->hopeless.count > 0)
            drop(problem, report, dropped);
    }
    free(dropped);
    return status;
}

static void print_overlaps(const struct nb_import_report *report)
{
    const int named = report->overlaps < NB_IMPORT_OVERLAPS ? report->overlaps : NB_IMPORT_OVERLAPS;
    for (int k = 0; k < named; ++k)
        printf("  in the rest pose %s overlap by %.2g m\n", report->overlap[k].name, report->overlap[k].depth);
    if (report->overlaps > named)
        printf("  and %d more pairs do\n", report->overlaps - named);
}

static void print_report(const struct request *request, const struct nb_problem *problem,
                         const struct nb_import_report *report)
{
    printf("%s: %s, step %d: %d dofs, %d contacts, %d limits, %d equality rows; %d bodies, %d joints\n", request->path,
           problem->name, problem->step, problem->linear.dofs, report->contacts, report->limits,
           report->equality_rows, report->bodies, report->joints);
    printf("  %d island%s of at most %d contacts; deepest penetration %.2g m\n", report->islands,
           report->islands == 1 ? "" : "s", report->largest_island, report->deepest);
    if (report->key[0])
        printf("  it begins at the model's key frame %s\n", report->key);
    else if (report->keys[0])
        printf("  key frames that it does not begin at (--key NAME): %s\n", report->keys);
    if (request->import.random && report->actuators == 0)
        printf("  it has no actuators, so that random controls are none%s\n",
               request->import.copies > 1 ? " and all copies are equal" : "");
    say(report->torsional_dropped, "contacts that lose torsional friction (condim 4, 6)");
    say(report->rolling_dropped, "contacts that lose rolling friction (condim 6)");
    say(report->anisotropic, "contacts with two coefficients of friction, in scaled second tangents");
    say(report->dry_friction_dropped, "joints and tendons that lose dry friction (frictionloss)");
    say(report->empty_rows_dropped, "rows of equality constraints left out, as no velocity changes them");
    say(report->still_dropped, "contacts left out, as no velocity changes their gap, which is none or open");
    say(report->hopeless_dropped, "contacts left out, as they can never be met (--drop-hopeless)");
    say(report->shapes_dropped, "geoms not in the picture (height fields, meshes without a hull)");
    print_overlaps(report);
    if (request->text)
        fputs(request->text, stdout);
}

/* In the line of the error where there is one, unless that has it already. */
static void tell_warning(const char *warning, struct nb_error *error)
{
    if (!error) {
        fprintf(stderr, "ncpbench import: MuJoCo %s: %s\n", nb_import_version(), warning);
        return;
    }
    const size_t used = strlen(error->text);
    if (!strstr(error->text, warning))
        snprintf(error->text + used, sizeof error->text - used, " (MuJoCo %s: %s)", nb_import_version(), warning);
}

/* When C++ ends a program, it says so in lines of its own: the user gets ours. */
static void hush(struct request *request)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    request->said = null < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (request->said >= 0)
        dup2(null, STDERR_FILENO);
    if (null >= 0)
        close(null);
}

static void unhush(struct request *request)
{
    if (request->said < 0)
        return;
    dup2(request->said, STDERR_FILENO);
    close(request->said);
    request->said = -1;
}

static int run(const struct nb_command *command, struct request *request)
{
    struct nb_error error;
    struct nb_problem problem;
    struct nb_import_report report;
    request->import.check = check;
    request->import.context = request;
    hush(request);
    enum nb_status status = nb_import_model(&request->import, &problem, &report, &error);
    unhush(request);
    if (!status) {
        snprintf(problem.generator, sizeof problem.generator, "%s", nb_provenance_generator());
        status = nb_problem_write(request->path, &problem, NULL, &error);
    }
    if (!status)
        print_report(request, &problem, &report);
    if (report.warning[0])
        tell_warning(report.warning, status ? &error : NULL);
    nb_hopeless_free(&request->hopeless);
    free(request->text);
    nb_import_report_free(&report);
    nb_problem_free(&problem);
    return status ? nb_command_fail(command, &error) : NB_EXIT_OK;
}

/* In the child: what follows takes the time and the memory of what was asked for. */
static void has_opened(void *context)
{
    struct request *request = context;
    unhush(request);
    close(request->reading);
    nb_apart_limit_memory(0, 0);
}

/* It is limited in memory while it reads. */
static _Noreturn void child_process(const struct nb_command *command, struct request *request)
{
    request->import.opened = has_opened;
    const int code = run(command, request);
    fflush(NULL);
    _exit(code);
}

/* Whether the child has read the model in time, or ended: its end of the pipe is closed then. */
static bool await_reading(int from, double limit)
{
    struct nb_watch watch = {0};
    double left = limit;
    int ready = 0;
    while (ready <= 0 && left > 0) {
        ready = poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, nb_watch_plan(&watch, left));
        left = limit - nb_watch_look(&watch);
    }
    return ready > 0;
}

static int tell_crash(const struct request *request, int status)
{
    char ending[64];
    nb_apart_ending(status, ending, sizeof ending);
    fprintf(stderr, "ncpbench import: %s: MuJoCo crashes on it: %s (it has %d MiB to read it in: --memory-limit gives "
                    "more)\n",
            request->import.model, ending, request->memory_limit);
    return NB_EXIT_BAD_INPUT;
}

static int run_apart(const struct nb_command *command, struct request *request)
{
    int pipe_ends[2];
    const struct nb_apart_limits limits = {.memory = request->memory_limit};
    const pid_t child = pipe2(pipe_ends, O_CLOEXEC) ? -1 : nb_apart_fork(&limits);
    if (child < 0) {
        fprintf(stderr, "ncpbench import: cannot start a process: %s\n", strerror(errno));
        return NB_EXIT_BAD_INPUT;
    }
    request->reading = pipe_ends[1];
    if (child == 0)
        child_process(command, request);
    close(pipe_ends[1]);
    const bool in_time = await_reading(pipe_ends[0], request->time_limit);
    if (!in_time)
        kill(child, SIGKILL);
    const int status = nb_apart_wait(child);
    close(pipe_ends[0]);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (in_time)
        return tell_crash(request, status);
    fprintf(stderr, "ncpbench import: %s: it is not read within %g s: --time-limit gives more\n",
            request->import.model, request->time_limit);
    return NB_EXIT_BAD_INPUT;
}

static void add_options(struct nb_command *command, struct request *request)
{
    nb_command_add_output(command, &request->path, "FILE.h5", "the file to write");
    nb_command_add_count(command, "step", &request->import.step, 0, MOST_STEPS, "N",
                         "steps that MuJoCo simulates before");
    nb_command_add_text(command, "key", &request->import.key, "NAME",
                        "the model's key frame to begin at, by its name or its number, from 0");
    nb_command_add_choice(command, "controls", &request->controls, "zero,random", "WHICH",
                          "the actuators' controls: all zero, or those of the key frame, or in each step random in "
                          "their ranges");
    nb_command_add_count(command, "seed", &request->import.seed, 0, MOST_SEED, "S", "of random controls");
    nb_command_add_count(command, "copies", &request->import.copies, 1, MOST_COPIES, "N",
                         "so many side by side, as one step, with seeds S, S + 1, ...");
    nb_command_add_flag(command, "drop-hopeless", &request->drop_hopeless,
                        "leave out the contacts that can never be met");
    nb_command_add_positive(command, "time-limit", &request->time_limit, 1000000, "S",
                            "for MuJoCo to read the model [s]");
    nb_command_add_count(command, "memory-limit", &request->memory_limit, 1, 1 << 24, "MIB",
                         "for MuJoCo to read the model, in MiB");
}

int nb_command_import(int argc, char **argv)
{
    struct request request = {.import = {.copies = 1}, .time_limit = 10, .memory_limit = 2048};
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

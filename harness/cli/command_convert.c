/* ncpbench convert reads a problem in one format and writes it in another: the work is problems/io's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/provenance.h"
#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"

static const char formats[] = "fclib,arrays,siconos,matrix_market,mjcf";
enum { FORMAT_FCLIB }; /* those after it are enum nb_exchange, plus one */

struct request {
    const char *in, *out;
    int format, guess;
    struct nb_notes notes;
};

/* The format that the file's name tells; -1: none. */
static int format_of(const char *path)
{
    static const struct {
        const char *end, *format;
    } ends[] = {{".h5", "fclib"}, {".hdf5", "fclib"}, {".dat", "siconos"}, {".mtx", "matrix_market"},
              {".xml", "mjcf"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; ++i)
        if (!strcmp(dot, ends[i].end))
            return nb_choice_index(formats, ends[i].format);
    return -1;
}

/* What Python's side of it reads and writes. */
static int is_of_python(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".npz") || !strcmp(dot, ".mat"));
}

/* A solution of the file, or a guess as one; only HDF5 files have any. */
static enum nb_status read_solution(struct request *request, const struct nb_problem *problem, double **u,
                                    double **lambda, struct nb_error *error)
{
    int guesses = 0, systems = 0;
    *u = *lambda = NULL;
    if (request->notes.count) /* with rolling friction it has five rows a contact */
        return request->guess ? nb_fail(error, NB_BAD_INPUT, "%.300s: --guess: no guess can be read of it", request->in)
                              : NB_OK;
    enum nb_status status = nb_guess_read(request->in, problem, request->guess, &guesses, u, lambda, error);
    if (!status && !request->guess)
        status = nb_solution_read(request->in, problem, u, lambda, error);
    status = status ? status : nb_newton_system_count(request->in, &systems, error);
    if (!status && guesses > 0 && !request->guess)
        nb_note(&request->notes, "%d guesses are left out; --guess K makes one the solution", guesses);
    if (!status && systems > 0)
        nb_note(&request->notes, "%d Newton systems are left out", systems);
    return status;
}

static enum nb_status write_problem(struct request *request, struct nb_problem *problem, const double *u,
                                    const double *lambda, struct nb_error *error)
{
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
    snprintf(problem->generator, sizeof problem->generator, "%s", nb_provenance_generator());
    if (request->format == FORMAT_FCLIB)
        return nb_problem_write(request->out, problem, &extras, error);
    if (u)
        nb_note(&request->notes, "the stored solution is left out");
    return nb_problem_exchange(request->out, (enum nb_exchange)(request->format - 1), problem, &request->notes, error);
}

static enum nb_status convert(struct request *request, struct nb_error *error)
{
    struct nb_problem problem;
    double *u = NULL, *lambda = NULL;
    enum nb_status status = nb_problem_convert_read(request->in, &problem, &request->notes, error);
    if (status)
        return status;
    status = read_solution(request, &problem, &u, &lambda, error);
    status = status ? status : write_problem(request, &problem, u, lambda, error);
    for (int i = 0; i < request->notes.count && !status; ++i)
        fprintf(stderr, "ncpbench convert: %s\n", request->notes.text[i]);
    if (!status) {
        char format[32];
        printf("%s: %s, %s: %d dofs, %d contacts, %d bilateral rows\n", request->out, problem.name,
               nb_choice_name(formats, request->format, format, sizeof format), nb_problem_dofs(&problem),
               nb_problem_contacts(&problem), nb_problem_bilaterals(&problem));
    }
    free(u);
    free(lambda);
    nb_problem_free(&problem);
    return status;
}

static enum nb_status check_names(const struct request *request, struct nb_error *error)
{
    if (is_of_python(request->in) || is_of_python(request->out))
        return nb_fail(error, NB_BAD_INPUT,
                       "*.npz and *.mat are converted by python3 -m ncpbench_convert %.200s %.200s", request->in,
                       request->out);
    if (format_of(request->in) == nb_choice_index(formats, "mjcf"))
        return nb_fail(error, NB_BAD_INPUT, "%.300s: of a model `ncpbench import` makes problems", request->in);
    if (request->format < 0)
        return nb_fail(error, NB_BAD_INPUT,
                       "%.300s: its name tells no format: *.h5, *.hdf5, *.dat, *.mtx or *.xml, or --format",
                       request->out);
    return NB_OK;
}

int nb_command_convert(int argc, char **argv)
{
    struct nb_error error;
    struct request request = {0};
    struct nb_command command = {
        .name = "convert", .arguments = "IN OUT [options]",
        .summary = "Converts a problem: FCLIB, arrays in HDF5, Siconos' text, Matrix Market, to MJCF.",
        .details = "IN may be any of these, told by its content, or by its name: *.dat is Siconos' text, and NAME.mtx "
                   "stands for NAME.M.mtx, NAME.H.mtx, NAME.f.mtx, NAME.w.mtx, NAME.mu.mtx, or NAME.W.mtx, NAME.q.mtx, "
                   "NAME.mu.mtx. The name of OUT tells its format, too: *.h5 and *.hdf5 are FCLIB's, of bodies our own "
                   "with it; *.xml is MJCF, of rigid bodies, for MuJoCo. What is lost is said; "
                   "docs/reference/formats.md has all formats.",
        .example = "ncpbench convert FrictionContactProblem00031.dat problem.h5",
        .minimum_positionals = 2, .maximum_positionals = 2, .positional_name = {"IN", "OUT"},
    };
    nb_command_add_choice(&command, "format", &request.format, formats, "F", "of OUT, where its name does not tell it");
    nb_command_add_count(&command, "guess", &request.guess, 0, 1000000, "K",
                         "take guess K of FCLIB's /guesses, from 1, as the solution; 0: none");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.in = command.positional[0];
    request.out = command.positional[1];
    if (!nb_command_given(&command, "format"))
        request.format = format_of(request.out);
    enum nb_status status = check_names(&request, &error);
    status = status ? status : nb_check_apart(request.in, request.out, &error);
    status = status ? status : convert(&request, &error);
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}

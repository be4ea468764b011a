/* FCLIB's /solution of a step with forces lambda [N] and time step h:
 *
 *     r = h lambda of the contacts, l = h lambda of the bilateral rows                  [N s]
 *     v = the velocities and u = H^T v + w        global, or the step linearised at q-  [m/s]
 *     u = W r + V l + q, no v                     local                                 [m/s]
 *
 * v has the linear step's velocities: behind the problem's own those that stand for soft contacts, h E lambda/h^2.
 * Compliant rows of a nonlinear step are in the linear step's mass and so not in l: h lambda of all
 * bilateral rows is kept beside it. Reading inverts this: lambda = (l, r)/h, and the velocities are
 * v, or (u, V^T r + R l + s). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/fclib_planar.h"

static const char bilateral_impulse[] = "solution/bilateral_impulse";

/* h lambda, contacts first as FCLIB orders them, and the relative velocities of all these rows. */
struct rows {
    double *impulse, *velocity;
};

static int allocate_rows(struct rows *rows, int count)
{
    rows->impulse = calloc((size_t)count + 1, sizeof *rows->impulse);
    rows->velocity = calloc((size_t)count + 1, sizeof *rows->velocity);
    return rows->impulse && rows->velocity;
}

static void free_rows(struct rows *rows)
{
    free(rows->impulse);
    free(rows->velocity);
}

/* In the linear step's numbering first, then contacts before bilateral rows. */
static int fill_impulse(const struct nb_problem *problem, const struct nb_problem *linear,
                        const double *lambda, double *impulse)
{
    const int p = linear->linear.bilaterals, n = 3 * linear->linear.contacts;
    double *kept = calloc((size_t)(n + p) + 1, sizeof *kept);
    if (!kept)
        return 0;
    nb_problem_linear_multipliers(problem, lambda, kept);
    for (int i = 0; i < n; ++i)
        impulse[i] = linear->time_step * kept[p + i];
    for (int i = 0; i < p; ++i)
        impulse[n + i] = linear->time_step * kept[i];
    free(kept);
    return 1;
}

static void write_bilateral_impulse(struct nb_writer *writer, const struct nb_problem *problem,
                                    const double *lambda)
{
    const int rows = nb_problem_bilaterals(problem);
    double *impulse = calloc((size_t)rows + 1, sizeof *impulse);
    if (!impulse)
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, bilateral_impulse, "no memory");
    for (int i = 0; impulse && i < rows; ++i)
        impulse[i] = problem->time_step * lambda[i];
    if (impulse)
        nb_write_doubles(writer, bilateral_impulse, rows, 0, 0, impulse, "N s",
                         "h lambda of all rows of joints, attachments, distances and tetrahedra "
                         "in their order (N m s in rotations and strains)");
    free(impulse);
}

/* u, and in a local problem behind it the velocity of the bilateral rows. */
static void fill_velocity(const struct nb_problem *linear, const double *v, const double *impulse,
                          double *velocity)
{
    const struct nb_linear_step *step = &linear->linear;
    const int n = 3 * step->contacts;
    for (int i = 0; i < n; ++i)
        velocity[i] = step->contact_velocity[i];
    if (linear->form == NB_LINEAR_GLOBAL) {
        nb_csr_multiply(&step->contact_jacobian, v, velocity, 1);
        return;
    }
    for (int i = 0; i < step->bilaterals; ++i)
        velocity[n + i] = step->bilateral_velocity[i];
    nb_csr_multiply(&step->delassus, impulse, velocity, 1);
}

static void check_finite(struct nb_writer *writer, const char *name, const double *values,
                         int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            nb_writer_fail(writer, NB_BAD_INPUT, "solution",
                           "entry %d of %s is %g, and files hold finite numbers only", i, name,
                           values[i]);
}

void nb_write_solution(struct nb_writer *writer, const struct nb_problem *problem,
                       const struct nb_problem *linear, const double *u, const double *lambda)
{
    const int p = linear->linear.bilaterals, n = 3 * linear->linear.contacts;
    const int dofs = linear->form == NB_LINEAR_GLOBAL ? linear->linear.dofs : 0;
    struct rows rows = {0};
    double *v = calloc((size_t)dofs + 1, sizeof *v);
    check_finite(writer, "lambda", lambda, nb_problem_multipliers(problem));
    check_finite(writer, "u", u, nb_problem_dofs(problem));
    if (!writer->status && (!v || !allocate_rows(&rows, n + p) ||
                            !fill_impulse(problem, linear, lambda, rows.impulse)))
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, "solution", "no memory");
    if (!writer->status) {
        if (dofs > 0)
            nb_problem_linear_velocities(problem, u, lambda, v);
        fill_velocity(linear, v, rows.impulse, rows.velocity);
        nb_write_group(writer, "solution");
        if (linear->form == NB_LINEAR_GLOBAL)
            nb_write_doubles(writer, "solution/v", dofs, 0, 0, v, "m/s", "velocities u+");
        if (p > 0)
            nb_write_doubles(writer, "solution/l", p, 0, 0, rows.impulse + n, "N s",
                             "h lambda of the bilateral rows");
        nb_write_doubles(writer, "solution/u", n, 0, 0, rows.velocity, "m/s",
                         "relative velocities of the linear step");
        nb_write_doubles(writer, "solution/r", n, 0, 0, rows.impulse, "N s",
                         "h lambda of the contacts");
        if (problem->form == NB_NONLINEAR && nb_problem_bilaterals(problem) > 0)
            write_bilateral_impulse(writer, problem, lambda);
    }
    free(v);
    free_rows(&rows);
}

/* The stored impulses, contacts first, of the group `solution` or one of FCLIB's guesses. joint_impulse is what files
 * had when joints were all the bilateral rows. */
static void read_impulse(struct nb_reader *reader, const struct nb_problem *problem, const char *group,
                         int dimension, int contacts, int p, double *impulse)
{
    char text[NB_MEMBER];
    const int old = nb_reader_has(reader, nb_member(group, "joint_impulse", text));
    const char *all = old ? "joint_impulse" : "bilateral_impulse";
    double *r = nb_read_contact_rows(reader, nb_member(group, "r", text), dimension, contacts);
    nb_member(group, problem->form == NB_NONLINEAR ? all : "l", text);
    double *l = p > 0 ? nb_read_doubles(reader, text, p, 0, 0) : NULL;
    if (r)
        memcpy(impulse, r, 3 * (size_t)contacts * sizeof *r);
    if (l)
        memcpy(impulse + 3 * contacts, l, (size_t)p * sizeof *l);
    free(r);
    free(l);
}

/* The solver's velocities: v as stored, or the rows of a local problem. */
static void read_velocity(struct nb_reader *reader, const struct nb_problem *problem, const char *group,
                          int dimension, struct rows *rows, double **u)
{
    char text[NB_MEMBER];
    const int contacts = nb_problem_contacts(problem);
    int dofs = nb_problem_linear_dofs(problem); /* a solver of bodies may leave out those of soft contacts */
    if (problem->form == NB_NONLINEAR && nb_reader_has(reader, nb_member(group, "v", text)) &&
        nb_read_length(reader, text) == nb_problem_dofs(problem))
        dofs = nb_problem_dofs(problem);
    if (problem->form != NB_LINEAR_LOCAL) {
        *u = nb_read_velocities(reader, nb_member(group, "v", text), dimension, dofs, contacts);
        return;
    }
    double *stored = nb_read_contact_rows(reader, nb_member(group, "u", text), dimension, contacts);
    if (stored) {
        fill_velocity(problem, NULL, rows->impulse, rows->velocity);
        memcpy(rows->velocity, stored, 3 * (size_t)contacts * sizeof *stored);
        *u = rows->velocity;
        rows->velocity = NULL;
    }
    free(stored);
}

/* Whether both say the same but for rounding, in f32 too: of the largest entry, so that small sums may cancel. */
static bool agree(int count, const double *a, const double *b, double size)
{
    double difference = 0;
    for (int i = 0; i < count; ++i) {
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        difference = fmax(difference, fabs(a[i] - b[i]));
    }
    return difference <= 1e-5 * size;
}

static void check_twice(struct nb_reader *reader, const char *group, const char *member, const double *stored,
                        const double *follows, int count, double size, const char *from)
{
    char text[NB_MEMBER];
    if (stored && follows && !agree(count, stored, follows, size))
        nb_reader_fail(reader, NB_BAD_INPUT, nb_member(group, member, text), "contradicts %s", from);
}

/* l of the linear step beside the impulses of all rows, [rows] of them all in the linear step's numbering. */
static void check_bilaterals(struct nb_reader *reader, const struct nb_problem *linear, const char *group,
                             const double *rows)
{
    char text[NB_MEMBER];
    const int p = linear->linear.bilaterals;
    if (p == 0 || reader->status || !nb_reader_has(reader, nb_member(group, "l", text)))
        return;
    double *l = nb_read_doubles(reader, text, p, 0, 0);
    check_twice(reader, group, "l", l, rows, p, 0, "bilateral_impulse");
    free(l);
}

/* Every array of a solution that is there is of numbers, whether it is read or not, and u is as long as r. Other
 * programs store a u that is not H^T v + w, and a v beside the rows of a local problem, so these are compared with
 * nothing. */
static void check_numbers(struct nb_reader *reader, const char *group, int dimension, int contacts)
{
    static const char *const members[] = {"v", "l", "bilateral_impulse", "joint_impulse"};
    char text[NB_MEMBER];
    if (nb_reader_has(reader, nb_member(group, "u", text)))
        free(nb_read_contact_rows(reader, text, dimension, contacts));
    for (size_t m = 0; m < sizeof members / sizeof *members && !reader->status; ++m)
        if (nb_reader_has(reader, nb_member(group, members[m], text))) {
            const int length = nb_read_length(reader, text);
            free(reader->status ? NULL : nb_read_doubles(reader, text, length, 0, 0));
        }
}

/* Both names of the impulses of all bilateral rows, where a file has both: stored [p] is what was read. */
static void check_names(struct nb_reader *reader, const char *group, const double *stored, int p)
{
    char text[NB_MEMBER];
    if (p == 0 || reader->status || !nb_reader_has(reader, nb_member(group, "joint_impulse", text)) ||
        !nb_reader_has(reader, nb_member(group, "bilateral_impulse", text)))
        return;
    double *other = nb_read_doubles(reader, text, p, 0, 0);
    check_twice(reader, group, "bilateral_impulse", other, stored, p, 0, "joint_impulse");
    free(other);
}

/* What a solution has beside the arrays that are read. impulse: of the bilateral rows, as read. */
static void check_others(struct nb_reader *reader, const struct nb_problem *problem, const char *group,
                         int dimension, const double *impulse, const double *lambda)
{
    struct nb_problem linear = {0};
    const int rows = nb_problem_multipliers(problem);
    check_numbers(reader, group, dimension, nb_problem_contacts(problem));
    if (reader->status || problem->form != NB_NONLINEAR)
        return;
    check_names(reader, group, impulse, nb_problem_bilaterals(problem));
    const enum nb_status status = nb_problem_linearize(problem, &linear, reader->error);
    if (status == NB_UNSUPPORTED) /* such a file has no linear step that these arrays could belong to */
        return;
    double *of_rows = calloc((size_t)rows + 1, sizeof *of_rows), *scaled = calloc((size_t)rows + 1, sizeof *scaled);
    if (status || !of_rows || !scaled)
        nb_reader_fail(reader, status ? status : NB_OUT_OF_MEMORY, group, "no linear step to compare with");
    for (int i = 0; i < rows && !reader->status; ++i)
        scaled[i] = problem->time_step * lambda[i];
    if (!reader->status)
        nb_problem_linear_multipliers(problem, scaled, of_rows);
    check_bilaterals(reader, &linear, group, of_rows);
    free(of_rows);
    free(scaled);
    nb_problem_free(&linear);
}

static void read_solution(struct nb_reader *reader, const struct nb_problem *problem, const char *group, double **u,
                          double **lambda)
{
    const int contacts = nb_problem_contacts(problem), p = nb_problem_bilaterals(problem);
    const int count = 3 * contacts + p;
    struct rows rows = {0};
    if (!allocate_rows(&rows, count)) {
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, group, "no memory");
        free_rows(&rows);
        return;
    }
    const int dimension = nb_read_dimension(reader, problem->form);
    read_impulse(reader, problem, group, dimension, contacts, p, rows.impulse);
    read_velocity(reader, problem, group, dimension, &rows, u);
    double *forces = reader->status ? NULL : calloc((size_t)count + 1, sizeof *forces);
    if (!forces)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, group, "no memory");
    for (int i = 0; forces && i < p; ++i)
        forces[i] = rows.impulse[3 * contacts + i] / problem->time_step;
    for (int i = 0; forces && i < 3 * contacts; ++i)
        forces[p + i] = rows.impulse[i] / problem->time_step;
    *lambda = forces;
    check_others(reader, problem, group, dimension, rows.impulse + 3 * contacts, forces);
    free_rows(&rows);
}

/* guess: 0, the solution; from 1, one of the guesses, whose number becomes *guesses. */
struct stored_solution {
    const struct nb_problem *problem;
    double **u, **lambda;
    int guess, *guesses;
};

static void read_stored(struct nb_reader *reader, void *context)
{
    static const char number[] = "guesses/number_of_guesses";
    const struct stored_solution *stored = context;
    char group[32] = "solution";
    if (stored->problem->hash[0] && strcmp(stored->problem->hash, reader->hash) != 0)
        nb_reader_fail(reader, NB_BAD_FILE, NULL, "was changed while it was read");
    if (stored->guesses)
        *stored->guesses = nb_reader_has(reader, number) ? nb_read_int(reader, number) : 0;
    if (stored->guess)
        snprintf(group, sizeof group, "guesses/%d", stored->guess);
    if ((stored->guess || !stored->guesses) && nb_reader_has(reader, group))
        read_solution(reader, stored->problem, group, stored->u, stored->lambda);
}

static enum nb_status read_or_free(const char *path, struct stored_solution *stored, struct nb_error *error)
{
    *stored->u = *stored->lambda = NULL;
    const enum nb_status status =
        nb_is_problem_text(path) ? NB_OK : nb_read_file(path, read_stored, stored, NULL, error);
    if (status) {
        free(*stored->u);
        free(*stored->lambda);
        *stored->u = *stored->lambda = NULL;
    }
    return status;
}

enum nb_status nb_solution_read(const char *path, const struct nb_problem *problem, double **u,
                                double **lambda, struct nb_error *error)
{
    struct stored_solution stored = {problem, u, lambda, 0, NULL};
    return read_or_free(path, &stored, error);
}

enum nb_status nb_guess_read(const char *path, const struct nb_problem *problem, int guess, int *guesses, double **u,
                             double **lambda, struct nb_error *error)
{
    struct stored_solution stored = {problem, u, lambda, guess, guesses};
    *guesses = 0;
    const enum nb_status status = read_or_free(path, &stored, error);
    if (!status && guess && !*u)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: has %d guesses, and none of number %d", path, *guesses, guess);
    return status;
}

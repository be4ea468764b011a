/* The features of a step. Contact rows are linearised at q-; J's rank is that of R in a QR factorisation
 * with column pivoting of D^-1/2 J^T, D the diagonal of M and columns of length one, so that it does not
 * depend on units; M is positive definite, so that it is the rank of W = J M^-1 J^T. Where only W is
 * given, a Cholesky factorisation with complete pivoting of its symmetric part, scaled to a unit
 * diagonal, tells (Higham 1990, Analysis of the Cholesky decomposition of a semi-definite matrix).
 * Pivots count above 2^-52 to the power 2/3 (4e-11): redundant contacts agree to round-off only; and above
 * W's own asymmetry. */
#include "harness/judge/features.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"
#include "problems/scene.h"

struct nb_features nb_features_unknown(void)
{
    return (struct nb_features){.elastic = -1, .rank = -1, .contacts_per_body = NAN,
                                .neighbours = NAN, .redundancy = NAN, .rank_deficiency = NAN,
                                .mass_ratio = NAN};
}

static double negligible(void)
{
    return pow(DBL_EPSILON, 2. / 3);
}

/* group[i]: a number of the set of velocities to which velocity i belongs: those that M couples, and of
 * the first `bodies` bodies all six, unless M couples more than six; *largest: of the sets coupled by M.
 * Where these are known to be rigid bodies, what M has beyond their own six is compliance folded in, of
 * joints and attachments, which makes two bodies no less two. */
static void couple_velocities(const struct nb_csr *mass, int bodies, bool rigid, int *group, int *largest)
{
    const int apart = rigid ? 6 * bodies : 0;
    for (int i = 0; i < mass->rows; ++i)
        group[i] = i;
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            if (mass->value[k] != 0 && i >= apart && mass->column[k] >= apart)
                group[nb_set_root(group, i)] = nb_set_root(group, mass->column[k]);
    int *size = calloc((size_t)mass->rows + 1, sizeof *size);
    *largest = 0;
    for (int i = 0; size && i < mass->rows; ++i)
        if (++size[nb_set_root(group, i)] > *largest)
            *largest = size[nb_set_root(group, i)];
    free(size);
    for (int i = 0; (rigid || *largest <= 6) && i < 6 * bodies && i < mass->rows; ++i)
        group[nb_set_root(group, i)] = nb_set_root(group, i - i % 6);
    for (int i = 0; i < mass->rows; ++i)
        group[i] = nb_set_root(group, i);
}

/* Contact c's groups, each once, into found; mark[g] = c + 1 where g was found. Returns their number. */
static int groups_of(const struct nb_csr *jacobian, const int *group, int c, int *mark, int *found)
{
    int count = 0;
    for (int k = jacobian->start[3 * c]; k < jacobian->start[3 * c + 3]; ++k) {
        const int g = group[jacobian->column[k]];
        if (mark[g] != c + 1) {
            mark[g] = c + 1;
            found[count++] = g;
        }
    }
    return count;
}

/* The contacts of each group: those of group g are member[start[g] .. start[g + 1]]. */
struct membership {
    const struct nb_csr *jacobian;
    int contacts;
    int *start, *mark, *member, *found; /* mark, found: of groups_of  */
    int *met;                           /* [contacts] c + 1 of contact c that met it last */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct membership *groups = data;
    const int columns = groups->jacobian->columns;
    NB_ARRAY(arena, groups->start, columns + 2);
    NB_ARRAY(arena, groups->mark, columns);
    NB_ARRAY(arena, groups->member, groups->jacobian->start[groups->jacobian->rows]);
    NB_ARRAY(arena, groups->found, columns);
    NB_ARRAY(arena, groups->met, groups->contacts);
}

static void list_members(const struct membership *groups, const int *group)
{
    const int columns = groups->jacobian->columns;
    const size_t marks = (size_t)columns * sizeof *groups->mark;
    for (int c = 0; c < groups->contacts; ++c)
        for (int k = groups_of(groups->jacobian, group, c, groups->mark, groups->found); k-- > 0;)
            groups->start[groups->found[k] + 2]++;
    for (int g = 0; g < columns; ++g)
        groups->start[g + 1] += groups->start[g];
    memset(groups->mark, 0, marks);
    for (int c = 0; c < groups->contacts; ++c)
        for (int k = groups_of(groups->jacobian, group, c, groups->mark, groups->found); k-- > 0;)
            groups->member[groups->start[groups->found[k] + 1]++] = c;
    memset(groups->mark, 0, marks);
}

/* Mean number of other contacts with which a contact shares a group. */
static double count_neighbours(const struct nb_csr *jacobian, const int *group, int contacts)
{
    struct membership groups = {.jacobian = jacobian, .contacts = contacts};
    void *memory = nb_arena_allocate(lay_out, &groups);
    double total = 0;
    if (!memory)
        return NAN;
    list_members(&groups, group);
    for (int c = 0; c < contacts; ++c)
        for (int k = groups_of(jacobian, group, c, groups.mark, groups.found); k-- > 0;)
            for (int m = groups.start[groups.found[k]]; m < groups.start[groups.found[k] + 1]; ++m) {
                const int other = groups.member[m];
                total += other != c && groups.met[other] != c + 1;
                groups.met[other] = c + 1;
            }
    free(memory);
    return contacts > 0 ? total / contacts : 0;
}

/* Columns of D^-1/2 J^T, scaled to length one; out [columns of J x rows of J], column-major. */
static void scaled_transpose(const struct nb_linear_step *step, double *out)
{
    const struct nb_csr *jacobian = &step->contact_jacobian, *mass = &step->mass;
    for (int row = 0; row < jacobian->rows; ++row) {
        double *column = out + (size_t)row * (size_t)jacobian->columns, length = 0;
        for (int k = jacobian->start[row]; k < jacobian->start[row + 1]; ++k) {
            const int i = jacobian->column[k];
            double diagonal = 1;
            for (int m = mass->start[i]; m < mass->start[i + 1]; ++m)
                diagonal = mass->column[m] == i ? mass->value[m] : diagonal;
            column[i] = jacobian->value[k] / sqrt(diagonal);
            length = hypot(length, column[i]);
        }
        for (int i = 0; length > 0 && i < jacobian->columns; ++i)
            column[i] /= length;
    }
}

static bool fits(double rows, double columns)
{
    return rows * columns * fmin(rows, columns) <= NB_FEATURES_WORK;
}

static int jacobian_rank(const struct nb_linear_step *step)
{
    const int n = step->dofs, rows = step->contact_jacobian.rows;
    const int pivots = n < rows ? n : rows;
    int rank = -1;
    if (!fits(rows, n))
        return -1;
    double *a = calloc((size_t)n * (size_t)rows + 1, sizeof *a);
    double *tau = malloc(((size_t)pivots + 1) * sizeof *tau);
    lapack_int *order = calloc((size_t)rows + 1, sizeof *order);
    if (a && tau && order) {
        scaled_transpose(step, a);
        if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, rows, a, n, order, tau) == 0)
            for (rank = 0; rank < pivots; ++rank)
                if (!(fabs(a[(size_t)rank * ((size_t)n + 1)]) > negligible() * fabs(a[0])))
                    break;
    }
    free(a);
    free(tau);
    free(order);
    return rank;
}

/* The symmetric part of W's contact rows with a unit diagonal, and its largest asymmetry. Rows with a
 * diagonal that is not positive stay zero. */
static double unit_delassus(const struct nb_csr *delassus, int rows, double *out)
{
    const size_t n = (size_t)rows;
    double asymmetry = 0;
    for (size_t i = 0; i < n; ++i)
        for (int k = delassus->start[i]; k < delassus->start[i + 1]; ++k)
            if (delassus->column[k] < rows)
                out[i * n + (size_t)delassus->column[k]] = delassus->value[k];
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const double scale = sqrt(out[i * n + i]) * sqrt(out[j * n + j]);
            const double a = out[i * n + j], b = out[j * n + i];
            out[i * n + j] = out[j * n + i] = scale > 0 ? (a + b) / 2 / scale : 0;
            asymmetry = scale > 0 ? fmax(asymmetry, fabs(a - b) / scale) : asymmetry;
        }
    for (size_t i = 0; i < n; ++i)
        out[i * n + i] = out[i * n + i] > 0;
    return asymmetry;
}

static int delassus_rank(const struct nb_linear_step *step)
{
    const int rows = 3 * step->contacts;
    lapack_int rank = -1;
    if (rows == 0 || !fits(rows, rows / 3.)) /* a Cholesky factor costs less than a QR */
        return rows == 0 ? 0 : -1;
    double *a = calloc((size_t)rows * (size_t)rows, sizeof *a);
    lapack_int *order = calloc((size_t)rows, sizeof *order);
    if (a && order) {
        const double asymmetry = unit_delassus(&step->delassus, rows, a);
        if (LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', rows, a, rows, order, &rank,
                           fmax(negligible(), asymmetry)) < 0)
            rank = -1;
    }
    free(a);
    free(order);
    return (int)rank;
}

static void widen_range(double value, double *least, double *most)
{
    *least = fmin(*least, value);
    *most = fmax(*most, value);
}

/* Largest over smallest j M^-1 j of the normal rows, by a dense factor of M. */
static double inertia_ratio(const struct nb_linear_step *step)
{
    const int n = step->dofs;
    const size_t size = (size_t)n;
    double least = INFINITY, most = 0;
    double *mass = fits(n, n) ? calloc(size * size + 1, sizeof *mass) : NULL;
    double *row = malloc((size + 1) * sizeof *row);
    if (mass && row) {
        for (int i = 0; i < n; ++i)
            for (int k = step->mass.start[i]; k < step->mass.start[i + 1]; ++k)
                mass[(size_t)i * size + (size_t)step->mass.column[k]] = step->mass.value[k];
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, mass, n) != 0)
            least = NAN;
        for (int c = 0; c < step->contacts; ++c) {
            const struct nb_csr *jacobian = &step->contact_jacobian;
            double sum = 0;
            memset(row, 0, size * sizeof *row);
            for (int k = jacobian->start[3 * c]; k < jacobian->start[3 * c + 1]; ++k)
                row[jacobian->column[k]] = jacobian->value[k];
            LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, 1, mass, n, row, n);
            for (int i = 0; i < n; ++i)
                sum += row[i] * row[i];
            widen_range(sum, &least, &most);
        }
    }
    free(mass);
    free(row);
    return least > 0 && most > 0 ? most / least : NAN;
}

static void local_features(const struct nb_linear_step *step, struct nb_features *features)
{
    double least = INFINITY, most = 0, blocks = 0;
    const struct nb_csr *delassus = &step->delassus;
    int *mark = calloc((size_t)step->contacts + 1, sizeof *mark);
    for (int c = 0; c < step->contacts; ++c)
        widen_range(nb_csr_diagonal(delassus, 3 * c), &least, &most);
    for (int row = 0; mark && row < 3 * step->contacts; ++row)
        for (int k = delassus->start[row]; k < delassus->start[row + 1]; ++k) {
            const int other = delassus->column[k] / 3;
            if (other < step->contacts && other != row / 3 && mark[other] != row / 3 + 1) {
                mark[other] = row / 3 + 1;
                ++blocks;
            }
        }
    if (mark)
        features->neighbours = step->contacts > 0 ? blocks / step->contacts : 0;
    free(mark);
    features->mass_ratio = least > 0 && most > 0 ? most / least : NAN;
    features->rank = delassus_rank(step);
}

static void global_features(const struct nb_linear_step *step, int bodies, bool rigid,
                            struct nb_features *features)
{
    int largest = 0, *group = malloc(((size_t)step->dofs + 1) * sizeof *group);
    if (group) {
        couple_velocities(&step->mass, bodies, rigid, group, &largest);
        features->neighbours = count_neighbours(&step->contact_jacobian, group, step->contacts);
        features->elastic = largest > 6;
    }
    if (features->elastic == 0 && step->dofs > 0)
        features->contacts_per_body = 6. * step->contacts / step->dofs;
    if (step->dofs > 0)
        features->redundancy = 3. * step->contacts / step->dofs;
    features->rank = step->contacts > 0 ? jacobian_rank(step) : 0;
    free(group);
}

/* What bodies and particles tell that the linearised step does not. */
static void body_features(const struct nb_problem *problem, struct nb_features *features)
{
    double least = INFINITY, most = 0;
    int bodies = problem->bodies.count, skins = 0;
    for (int i = 0; i < problem->bodies.count; ++i)
        widen_range(problem->bodies.mass[i], &least, &most);
    for (int i = 0; i < problem->particles.count; ++i)
        widen_range(problem->particles.mass[i], &least, &most);
    for (int i = 0; i < problem->shape_count; ++i)
        skins += problem->shapes[i].kind == NB_SHAPE_SURFACE;
    bodies += skins > 0 ? skins : problem->particles.count > 0;
    features->elastic = problem->tetrahedra.count > 0;
    features->contacts_per_body =
        bodies > 0 ? (double)nb_problem_contacts(problem) / bodies : (double)NAN;
    features->mass_ratio = most > 0 ? most / least : (double)NAN;
}

void nb_features(const struct nb_problem *problem, struct nb_features *features)
{
    const bool nonlinear = problem->form == NB_NONLINEAR;
    struct nb_problem linear;
    const struct nb_scene *scene = nb_scene_of(problem);
    *features = nb_features_unknown();
    features->scene = scene ? scene->name : "";
    if (nb_problem_linearize(problem, &linear, NULL))
        return;
    if (linear.form == NB_LINEAR_LOCAL)
        local_features(&linear.linear, features);
    else
        global_features(&linear.linear, nonlinear ? problem->bodies.count : linear.linear.dofs / 6,
                        nonlinear, features);
    if (nonlinear)
        body_features(problem, features);
    else if (problem->form == NB_LINEAR_GLOBAL && problem->linear.contacts > 0)
        features->mass_ratio = inertia_ratio(&problem->linear);
    const int rows = 3 * nb_problem_contacts(problem);
    if (features->rank >= 0)
        features->rank_deficiency = rows > 0 ? 1 - (double)features->rank / rows : 0;
    nb_problem_free(&linear);
}

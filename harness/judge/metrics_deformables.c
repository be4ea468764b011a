/* Attachments, distances, ties and tetrahedra for the judge: their rows c + E lambda, c being E V dPsi/ds
 * of a tetrahedron, and their Jacobians. Attachments, distances and ties are written apart from solvers/
 * and problems/; elements are those of problems/elements.h, which solvers do not share. */
#include <math.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/elements.h"

static int tetrahedron_rows(const struct nb_problem *problem, int i)
{
    return nb_tetrahedron_rows((enum nb_material)problem->tetrahedra.material[i]);
}

/* First velocity of a particle. */
static int column_of(const struct nb_problem *problem, int particle)
{
    return 6 * problem->bodies.count + 3 * particle;
}

/* Ends row `row` with the entry before *at. */
static void add_columns(struct nb_csr *jacobian, int row, int *at, int first, int count)
{
    for (int k = 0; k < count; ++k)
        jacobian->column[(*at)++] = first + k;
    jacobian->start[row + 1] = *at;
}

/* The first `count` corners in ascending order. */
static void sort_corners(const int *particle, int count, int *order)
{
    for (int i = 0; i < count; ++i) {
        int k = i;
        for (; k > 0 && particle[order[k - 1]] > particle[i]; --k)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

static int tied(const int *particle)
{
    int count = 0;
    while (count < NB_TIED && particle[count] >= 0)
        ++count;
    return count;
}

void nb_deformables_pattern(const struct nb_problem *problem, int row, struct nb_csr *jacobian)
{
    const struct nb_attachments *attachments = &problem->attachments;
    int at = jacobian->start[row];
    for (int i = 0; i < 3 * attachments->count; ++i, ++row) {
        const int body = attachments->body[i / 3];
        if (body >= 0)
            add_columns(jacobian, row, &at, 6 * body, 6);
        add_columns(jacobian, row, &at, column_of(problem, attachments->particle[i / 3]), 3);
    }
    for (int i = 0; i < problem->distances.count; ++i, ++row) {
        const int *particle = problem->distances.particle + 2 * i;
        const int first = particle[1] < particle[0];
        for (int k = 0; k < 2; ++k)
            add_columns(jacobian, row, &at, column_of(problem, particle[(first + k) % 2]), 3);
    }
    for (int i = 0; i < problem->ties.count; ++i) {
        const int *particle = problem->ties.particle + NB_TIED * i, count = tied(particle);
        int order[NB_TIED];
        sort_corners(particle, count, order);
        for (int k = 0; k < 3; ++k, ++row, jacobian->start[row] = at)
            for (int p = 0; p < count; ++p)
                jacobian->column[at++] = column_of(problem, particle[order[p]]) + k;
    }
    for (int i = 0; i < problem->tetrahedra.count; ++i) {
        const int *particle = problem->tetrahedra.particle + 4 * i;
        int order[4];
        sort_corners(particle, 4, order);
        for (int end = row + tetrahedron_rows(problem, i); row < end; ++row)
            for (int k = 0; k < 4; ++k)
                add_columns(jacobian, row, &at, column_of(problem, particle[order[k]]), 3);
    }
}

/* What damping d leaves of a compliance e, h/(h + d e). */
static double left_of(double compliance, const double *damping, int i, double time_step)
{
    return damping ? time_step / (time_step + damping[i] * compliance) : 1;
}

void nb_deformables_constants(const struct nb_problem *problem, int row, double *compliance,
                              double *length)
{
    const double square = problem->time_step * problem->time_step;
    for (int i = 0; i < 3 * problem->attachments.count; ++i, ++row)
        compliance[row] = problem->attachments.compliance[i / 3] / square;
    for (int i = 0; i < problem->distances.count; ++i, ++row)
        compliance[row] = left_of(problem->distances.compliance[i], problem->distances.damping, i, problem->time_step) *
                          problem->distances.compliance[i] / square;
    for (int i = 0; i < 3 * problem->ties.count; ++i, ++row)
        compliance[row] = left_of(problem->ties.compliance[i / 3], problem->ties.damping, i / 3, problem->time_step) *
                          problem->ties.compliance[i / 3] / square;
    for (int i = 0; i < problem->tetrahedra.count; ++i)
        for (int end = row + tetrahedron_rows(problem, i); row < end; ++row)
            length[row] = cbrt(6 * nb_element_volume(&problem->tetrahedra, i));
}

static void rotate(const double *q, const double *x, double out[3])
{
    double t[3];
    for (int k = 0; k < 3; ++k) /* t = 2 v x p, R p = p + w t + v x t */
        t[k] = 2 * (q[1 + (k + 1) % 3] * x[(k + 2) % 3] - q[1 + (k + 2) % 3] * x[(k + 1) % 3]);
    for (int k = 0; k < 3; ++k)
        out[k] = x[k] + q[0] * t[k] + q[1 + (k + 1) % 3] * t[(k + 2) % 3] -
                 q[1 + (k + 2) % 3] * t[(k + 1) % 3];
}

/* x - (x_B + arm) and, per row, (-1, arm x) on the body and 1 on the particle. */
static void evaluate_attachment(const struct nb_problem *problem, int i,
                                const struct nb_configuration *at, int row, double *value,
                                struct nb_csr *jacobian)
{
    const struct nb_attachments *attachments = &problem->attachments;
    const int body = attachments->body[i];
    const double *point = attachments->point + 3 * i;
    const double *x = at->particle + 3 * attachments->particle[i];
    double arm[3];
    memcpy(arm, point, sizeof arm);
    if (body >= 0)
        rotate(at->orientation + 4 * body, point, arm);
    for (int k = 0; k < 3; ++k) {
        double *entry = jacobian->value + jacobian->start[row + k];
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        value[row + k] = x[k] - arm[k] - (body < 0 ? 0 : at->position[3 * body + k]);
        memset(entry, 0, (body < 0 ? 3 : 9) * sizeof *entry);
        entry[(body < 0 ? 0 : 6) + k] = 1;
        if (body < 0)
            continue;
        entry[k] = -1; /* d(arm_k) = omega_a arm_b - omega_b arm_a */
        entry[3 + a] = -arm[b];
        entry[3 + b] = arm[a];
    }
}

static void evaluate_distance(const struct nb_problem *problem, int i,
                              const struct nb_configuration *at, int row, double *value,
                              struct nb_csr *jacobian)
{
    const int *particle = problem->distances.particle + 2 * i;
    const double *a = at->particle + 3 * particle[0], *b = at->particle + 3 * particle[1];
    const double between = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    const double *c = problem->particles.position + 3 * particle[0], *d = problem->particles.position + 3 * particle[1];
    const struct nb_distances *distances = &problem->distances;
    const double slow = 1 - left_of(distances->compliance[i], distances->damping, i, problem->time_step);
    double *entry = jacobian->value + jacobian->start[row];
    const int first = particle[1] < particle[0];
    value[row] = between - problem->distances.length[i];
    if (slow > 0)
        value[row] -= slow * (hypot(hypot(c[0] - d[0], c[1] - d[1]), c[2] - d[2]) - problem->distances.length[i]);
    for (int k = 0; k < 3; ++k) {
        const double direction = between > 0 ? (a[k] - b[k]) / between : k == 0;
        entry[(first ? 3 : 0) + k] = direction;
        entry[(first ? 0 : 3) + k] = -direction;
    }
}

static void evaluate_tie(const struct nb_problem *problem, int i, const struct nb_configuration *at, int row,
                         double *value, struct nb_csr *jacobian)
{
    const struct nb_ties *ties = &problem->ties;
    const int *particle = ties->particle + NB_TIED * i, count = tied(particle);
    const double slow = 1 - left_of(ties->compliance[i], ties->damping, i, problem->time_step);
    int order[NB_TIED];
    sort_corners(particle, count, order);
    for (int k = 0; k < 3; ++k) {
        double *entry = jacobian->value + jacobian->start[row + k];
        value[row + k] = 0;
        for (int p = 0; p < count; ++p) {
            const double w = ties->weight[NB_TIED * i + order[p]];
            const int of = 3 * particle[order[p]] + k;
            value[row + k] += w * (at->particle[of] - slow * problem->particles.position[of]);
            entry[p] = w;
        }
    }
}

/* c = E V dPsi/ds, E/h^2 [rows x rows] and J. */
static void evaluate_tetrahedron(const struct nb_problem *problem, int i,
                                 const struct nb_configuration *at, int row, double *value,
                                 double *compliance, struct nb_csr *jacobian)
{
    const double square = problem->time_step * problem->time_step;
    struct nb_element element;
    int order[4];
    nb_element_evaluate(&problem->tetrahedra, i, at->particle, &element);
    sort_corners(problem->tetrahedra.particle + 4 * i, 4, order);
    for (int r = 0; r < element.rows; ++r) {
        double *entry = jacobian->value + jacobian->start[row + r];
        value[row + r] = 0;
        for (int k = 0; k < element.rows; ++k) {
            const double e = element.compliance[element.rows * r + k];
            value[row + r] += e * element.volume * element.stress[k];
            compliance[element.rows * r + k] = e / square;
        }
        for (int k = 0; k < 12; ++k)
            entry[k] = element.jacobian[12 * r + 3 * order[k / 3] + k % 3];
    }
}

void nb_deformables_evaluate(const struct nb_problem *problem, const struct nb_configuration *at,
                             int row, double *value, double *compliance, struct nb_csr *jacobian)
{
    for (int i = 0; i < problem->attachments.count; ++i, row += 3)
        evaluate_attachment(problem, i, at, row, value, jacobian);
    for (int i = 0; i < problem->distances.count; ++i, ++row)
        evaluate_distance(problem, i, at, row, value, jacobian);
    for (int i = 0; i < problem->ties.count; ++i, row += 3)
        evaluate_tie(problem, i, at, row, value, jacobian);
    for (int i = 0; i < problem->tetrahedra.count; ++i) {
        evaluate_tetrahedron(problem, i, at, row, value, compliance + 36 * i, jacobian);
        row += tetrahedron_rows(problem, i);
    }
}

static int link_rows(const struct nb_problem *problem)
{
    return 3 * problem->attachments.count + problem->distances.count + 3 * problem->ties.count;
}

void nb_deformables_add_diagonal(const struct nb_problem *problem, int row, const double *compliance, double *diagonal)
{
    row += link_rows(problem);
    for (int i = 0; i < problem->tetrahedra.count; ++i) {
        const int rows = tetrahedron_rows(problem, i);
        for (int k = 0; k < rows; ++k)
            diagonal[row + k] += compliance[36 * i + (rows + 1) * k];
        row += rows;
    }
}

void nb_deformables_add_compliance(const struct nb_problem *problem, int row,
                                   const double *compliance, const double *impulse,
                                   double *velocity)
{
    row += link_rows(problem);
    for (int i = 0; i < problem->tetrahedra.count; ++i) {
        const int rows = tetrahedron_rows(problem, i);
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < rows; ++k)
                velocity[row + r] += compliance[36 * i + rows * r + k] * impulse[row + k];
        row += rows;
    }
}

static double length3(const double *x)
{
    return hypot(hypot(x[0], x[1]), x[2]);
}

/* Where positions are subtracted, their magnitudes; of strains, those of J x, and 1 for the strain
 * of rest that is subtracted. */
void nb_deformables_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                          int row, const struct nb_csr *jacobian, double *terms)
{
    const struct nb_attachments *attachments = &problem->attachments;
    for (int i = 0; i < 3 * attachments->count; ++i, ++row) {
        const int body = attachments->body[i / 3];
        terms[row] = length3(at->particle + 3 * attachments->particle[i / 3]) +
                     length3(attachments->point + 3 * (i / 3)) +
                     (body < 0 ? 0 : length3(at->position + 3 * body));
    }
    for (int i = 0; i < problem->distances.count; ++i, ++row)
        terms[row] = length3(at->particle + 3 * problem->distances.particle[2 * i]) +
                     length3(at->particle + 3 * problem->distances.particle[2 * i + 1]) +
                     problem->distances.length[i];
    for (int i = 0; i < 3 * problem->ties.count; ++i, ++row) {
        const int *particle = problem->ties.particle + NB_TIED * (i / 3);
        terms[row] = 0;
        for (int k = 0; k < tied(particle); ++k)
            terms[row] += fabs(problem->ties.weight[NB_TIED * (i / 3) + k]) * length3(at->particle + 3 * particle[k]);
    }
    for (; row < jacobian->rows; ++row) {
        terms[row] = 1;
        for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e)
            terms[row] += fabs(jacobian->value[e] *
                               at->particle[jacobian->column[e] - 6 * problem->bodies.count]);
    }
}

/* Attachments, distances, ties and tetrahedra of the step linearised at q- (linearize_bilaterals.c). Of a row with
 * damping, (1 - s) c(q-) and the compliance (1 - s) E are left.
 *
 * A tetrahedron's rows always have compliance, so that only its force -V J^T dPsi/ds is left. It is
 * folded in with its whole slope K = d2(V Psi)/dx2, raised to positive semidefinite, as M + h^2 K
 * and f - h V J^T dPsi/ds. */
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/deformables.h"
#include "problems/elements.h"
#include "problems/linearize/linearize_rows.h"

static void add_attachments(const struct nb_problem *problem, struct nb_bilaterals *bilaterals)
{
    const struct nb_attachments *attachments = &problem->attachments;
    const int particles = 6 * problem->bodies.count;
    for (int i = 0; i < attachments->count; ++i) {
        const int body = attachments->body[i];
        double value[3], arm[3];
        nb_attachment_evaluate(problem, i, value, arm);
        for (int k = 0; k < 3; ++k) {
            struct nb_sparse_row row = {0};
            const double axis[3] = {k == 0, k == 1, k == 2};
            const double back[3] = {-axis[0], -axis[1], -axis[2]};
            double moment[3];
            nb_cross3(arm, back, moment);
            if (body >= 0) {
                nb_row_add(&row, 6 * body, 3, back);
                nb_row_add(&row, 6 * body + 3, 3, moment);
            }
            nb_row_add(&row, particles + 3 * attachments->particle[i], 3, axis);
            nb_bilaterals_add(bilaterals, &row, value[k], attachments->compliance[i],
                              "attachments/compliance", i, k);
        }
    }
}

static void add_distances(const struct nb_problem *problem, struct nb_bilaterals *bilaterals)
{
    const struct nb_distances *distances = &problem->distances;
    const int particles = 6 * problem->bodies.count;
    for (int i = 0; i < distances->count; ++i) {
        struct nb_sparse_row row = {0};
        double direction[3];
        const double value = nb_distance_evaluate(problem, i, direction);
        const double back[3] = {-direction[0], -direction[1], -direction[2]};
        nb_row_add(&row, particles + 3 * distances->particle[2 * i], 3, direction);
        nb_row_add(&row, particles + 3 * distances->particle[2 * i + 1], 3, back);
        const double part = 1 - nb_damped_share(distances->damping, i, distances->compliance[i], problem->time_step);
        nb_bilaterals_add(bilaterals, &row, part * value, part * distances->compliance[i],
                          "distances/compliance", i, 0);
    }
}

static void add_ties(const struct nb_problem *problem, struct nb_bilaterals *bilaterals)
{
    const struct nb_ties *ties = &problem->ties;
    const int particles = 6 * problem->bodies.count;
    for (int i = 0; i < ties->count; ++i) {
        const int *particle = ties->particle + NB_TIED * i;
        const double part = 1 - nb_damped_share(ties->damping, i, ties->compliance[i], problem->time_step);
        double value[3];
        nb_tie_evaluate(problem, i, value);
        for (int k = 0; k < 3; ++k) {
            struct nb_sparse_row row = {0};
            for (int p = 0; p < NB_TIED && particle[p] >= 0; ++p) {
                double axis[3] = {0, 0, 0};
                axis[k] = ties->weight[NB_TIED * i + p];
                nb_row_add(&row, particles + 3 * particle[p], 3, axis);
            }
            nb_bilaterals_add(bilaterals, &row, part * value[k], part * ties->compliance[i], "ties/compliance", i, k);
        }
    }
}

/* V J^T dPsi/ds [12] */
static void elastic_force(const struct nb_element *element, double *force)
{
    memset(force, 0, 12 * sizeof *force);
    for (int k = 0; k < 12 * element->rows; ++k)
        force[k % 12] += element->volume * element->jacobian[k] * element->stress[k / 12];
}

static void add_tetrahedra(const struct nb_problem *problem, struct nb_bilaterals *bilaterals)
{
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    const int particles = 6 * problem->bodies.count;
    for (int i = 0; i < tetrahedra->count; ++i) {
        struct nb_element element;
        double stiffness[144], force[12];
        int index[12];
        for (int k = 0; k < 12; ++k)
            index[k] = particles + 3 * tetrahedra->particle[4 * i + k / 3] + k % 3;
        nb_element_evaluate(tetrahedra, i, problem->particles.position, &element);
        nb_element_tangent(tetrahedra, i, problem->particles.position, stiffness);
        elastic_force(&element, force);
        nb_bilaterals_fold(bilaterals, 12, index, stiffness, force);
    }
}

void nb_linearize_deformables(const struct nb_problem *problem, struct nb_bilaterals *bilaterals)
{
    if (bilaterals->status)
        return;
    add_attachments(problem, bilaterals);
    add_distances(problem, bilaterals);
    add_ties(problem, bilaterals);
    add_tetrahedra(problem, bilaterals);
}

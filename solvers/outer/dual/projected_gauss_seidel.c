/* Projected Gauss-Seidel, block row by block row: the velocity of a block from the newest impulses, then its rows
 * one after the other, each feeling what the ones before it in the block have changed (Jean 1999). */
#include "solvers/outer/dual/projected_gauss_seidel.h"

#include "solvers/block/block3.h"
#include "solvers/contact/coulomb.h"

const nb_matrix *nb_block_row_velocity(const struct nb_dual *dual, int i, nb_real *velocity)
{
    const struct nb_bsr *matrix = nb_dual_matrix(dual);
    const nb_matrix *own = NULL;
    nb_real sum[3] = {dual->q[3 * i], dual->q[3 * i + 1], dual->q[3 * i + 2]};
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
        const nb_matrix *block = matrix->value + 9 * (size_t)k;
        nb_block_apply_add(block, dual->p + 3 * (size_t)matrix->column[k], sum);
        if (matrix->column[k] == i)
            own = block;
    }
    for (int r = 0; r < 3; ++r)
        velocity[r] = sum[r];
    return own;
}

/* p_r = target; the later rows of the block feel it. */
static void set_impulse(const nb_matrix *own, int r, nb_real target, nb_real *p, nb_real *velocity)
{
    const nb_real change = target - p[r];
    p[r] = target;
    for (int later = r + 1; later < 3; ++later)
        velocity[later] += (nb_real)own[3 * later + r] * change;
}

static nb_real relaxed(const nb_matrix *own, int r, nb_real omega, const nb_real *p,
                       const nb_real *velocity)
{
    const nb_real diagonal = (nb_real)own[4 * r];
    return diagonal > 0 ? p[r] - omega * velocity[r] / diagonal : p[r];
}

static void relax_tangents(const struct nb_dual *dual, const nb_matrix *own, nb_real omega, nb_real radius,
                           enum nb_friction_bounds bounds, nb_real *p, nb_real *velocity)
{
    if (bounds == NB_FRICTION_BOX) {
        for (int r = 1; r < 3; ++r)
            set_impulse(own, r, nb_clamp(relaxed(own, r, omega, p, velocity), radius), p, velocity);
        return;
    }
    const nb_real largest = nb_largest_eigenvalue2((nb_real)own[4], (nb_real)own[5],
                                                   (nb_real)own[8]);
    if (bounds == NB_FRICTION_NONE || !(largest > 0)) {
        p[1] = p[2] = 0;
        return;
    }
    for (int r = 1; r < 3; ++r)
        p[r] -= omega * velocity[r] / largest;
    if (bounds == NB_FRICTION_PYRAMID)
        nb_project_pyramid(p + 1, &dual->pyramid, dual->pyramid.bound * radius);
    else
        nb_project_disc(p + 1, radius);
}

void nb_projected_gauss_seidel(struct nb_dual *dual, enum nb_friction_bounds bounds)
{
    const struct nb_model *model = dual->step.model;
    const nb_real omega = (nb_real)dual->value[NB_PGS_RELAXATION];
    for (int i = 0; i < model->blocks; ++i) {
        nb_real velocity[3], *p = dual->p + 3 * (size_t)i;
        const nb_matrix *own = nb_block_row_velocity(dual, i, velocity);
        if (!own)
            continue;
        if (i < model->bilateral_blocks) {
            for (int r = 0; r < 3; ++r)
                set_impulse(own, r, relaxed(own, r, omega, p, velocity), p, velocity);
            continue;
        }
        set_impulse(own, 0, nb_max(0, relaxed(own, 0, omega, p, velocity)), p, velocity);
        relax_tangents(dual, own, omega, model->friction[i - model->bilateral_blocks] * p[0], bounds, p,
                       velocity);
    }
}

/* Nonsmooth Gauss-Seidel: contact by contact, the exact solution of the local problem with the newest
 * impulses of all others (solvers/contact/local_contact.h),
 *
 *     R_i <- solution of  U_i = W_ii R_i + (q_i + sum_{j != i} W_ij R_j),  U_i and R_i by Coulomb's law;
 *
 * three bilateral rows at once likewise, U_i = 0. Its fixed points are the solutions of Signorini's
 * condition with Coulomb's law, without any convexification; one contact alone takes one sweep. W is
 * that of the step as given, symmetric or not (solvers/delassus/delassus_unsymmetric.h). relaxation = omega takes
 * (1 - omega) R_old + omega R_new, and order=symmetric follows each sweep by one backwards.
 *
 * Jourdan, Alart and Jean 1998; Siconos' NSGS (Acary and Brogliato 2008, section 13.7). */
#include "solvers/block/block3.h"
#include "solvers/contact/local_contact.h"
#include "solvers/outer/dual/projected_gauss_seidel.h"

enum { ORDER, RELAXATION, SETTINGS };

static const struct nb_setting settings[] = {
    [ORDER] = {.name = "order", .value = 0, .choices = "forward,symmetric",
               .meaning = "sweeps of an iteration"},
    [RELAXATION] = {.name = "relaxation", .value = 1, .minimum = 0, .maximum = 2,
                    .above_minimum = 1, .meaning = "factor omega"},
    [SETTINGS] = {.name = NULL},
};

/* R -= W_ii^-1 U, or a row after the other where the block is singular. W_ii need not be symmetric: its
 * lower triangle stands for it, and U = 0 is where that ends. */
static void solve_bilateral(const nb_real *w, const nb_real *velocity, nb_real *r)
{
    nb_real inverse_factor[9], half[3], change[3];
    if (nb_block_invert_factor(w, inverse_factor)) {
        nb_block_lower_apply(inverse_factor, velocity, half);
        nb_block_lower_apply_transposed(inverse_factor, half, change);
        for (int k = 0; k < 3; ++k)
            r[k] -= change[k];
        return;
    }
    nb_real before[3] = {r[0], r[1], r[2]};
    for (int k = 0; k < 3; ++k) {
        nb_real rest = velocity[k];
        for (int c = 0; c < k; ++c)
            rest += w[3 * k + c] * (r[c] - before[c]);
        r[k] = w[4 * k] > 0 ? r[k] - rest / w[4 * k] : 0;
    }
}

/* alpha >= 0 in U_T = -alpha R_T, about */
static nb_real opposition(const nb_real *velocity, const nb_real *r)
{
    const nb_real square = r[1] * r[1] + r[2] * r[2];
    return square > 0 ? -(velocity[1] * r[1] + velocity[2] * r[2]) / square : 0;
}

/* The local problem of block row i with the newest impulses of all others. */
static void solve_block(struct nb_dual *dual, int i)
{
    const struct nb_model *model = dual->step.model;
    const nb_real omega = (nb_real)dual->value[RELAXATION];
    nb_real w[9], velocity[3], q[3], *p = dual->p + 3 * (size_t)i;
    nb_real r[3] = {p[0], p[1], p[2]};
    const nb_matrix *own = nb_block_row_velocity(dual, i, velocity);
    if (!own)
        return;
    for (int k = 0; k < 9; ++k)
        w[k] = (nb_real)own[k];
    for (int k = 0; k < 3; ++k)
        q[k] = velocity[k] - (w[3 * k] * p[0] + w[3 * k + 1] * p[1] + w[3 * k + 2] * p[2]);
    if (i < model->bilateral_blocks)
        solve_bilateral(w, velocity, r);
    else
        nb_local_contact(w, q, model->friction[i - model->bilateral_blocks],
                         opposition(velocity, p), r);
    for (int k = 0; k < 3; ++k)
        p[k] += omega * (r[k] - p[k]);
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    const int blocks = dual->step.model->blocks;
    for (int i = 0; i < blocks; ++i)
        solve_block(dual, i);
    for (int i = blocks - 1; i >= 0 && dual->value[ORDER] > 0; --i)
        solve_block(dual, i);
    run->linear_iterations++;
    return NULL;
}

static const struct nb_dual_method method = {
    .settings = settings, .sweeps = 1, .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_nsgs) = {
    .name = "nsgs",
    .title = "nonsmooth Gauss-Seidel, exact local solves",
    .source = "Jourdan, Alart and Jean 1998",
    .self_contained = 1,
    .warm = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};

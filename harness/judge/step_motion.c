/* How a step moves without contact forces, for step_scale.c: with M u = f alone, and with the bilateral rows met,
 *
 *     M u - G^T l = f,    G u + C l = -b        (local form: R l = -s),
 *
 * M whole, with what it has of a skew part. Rows may be redundant and masses far apart, so that C gets a share of each
 * row's diagonal of W, which rounds take off again (Rockafellar 1976): (C + D) l = D l_before - G u - b. KLU keeps to
 * the diagonal's pivots, which M and C + D allow (Vanderbei 1995); a refinement goes with each solve. */
#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/disjoint_sets.h"

/* ---- islands: what nonzero entries of M, the rows of contacts and bilateral rows connect (local form: W) ---- */

/* Nodes: contacts, then bilateral rows, then velocities. */
static void join_rows(int *parent, const struct nb_csr *matrix, int rows_of_node, int first, int columns_from)
{
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            if (matrix->value[k] != 0)
                nb_set_join(parent, first + row / rows_of_node, columns_from + matrix->column[k]);
}

/* A body moves as one, whichever axes it is written down in: its velocities belong together, and so do a particle's. A
 * linear step does not tell which these are. */
static void join_bodies(const struct nb_judge *judge, int *parent, int first)
{
    const int of_bodies = 6 * judge->problem->bodies.count;
    for (int k = 0; judge->problem->form == NB_NONLINEAR && k < judge->dofs; ++k)
        nb_set_join(parent, first + k, first + (k < of_bodies ? k / 6 * 6 : of_bodies + (k - of_bodies) / 3 * 3));
}

static int local_node(const struct nb_judge *judge, int row)
{
    return row < 3 * judge->contacts ? row / 3 : row - 2 * judge->contacts;
}

void nb_judge_find_islands(struct nb_judge *judge)
{
    const int rows = judge->contacts + judge->bilaterals, nodes = rows + judge->dofs;
    int *parent = judge->scale.island;
    for (int i = 0; i < nodes; ++i)
        parent[i] = i;
    if (judge->problem->form == NB_LINEAR_LOCAL) {
        const struct nb_csr *delassus = &judge->problem->linear.delassus;
        for (int row = 0; row < delassus->rows; ++row)
            for (int k = delassus->start[row]; k < delassus->start[row + 1]; ++k)
                if (delassus->value[k] != 0)
                    nb_set_join(parent, local_node(judge, row), local_node(judge, delassus->column[k]));
    } else {
        join_bodies(judge, parent, rows);
        join_rows(parent, judge->mass, 1, rows, rows);
        join_rows(parent, judge->jacobian, 3, 0, rows);
        if (judge->bilateral)
            join_rows(parent, judge->bilateral, 1, judge->contacts, rows);
    }
    for (int i = 0; i < nodes; ++i)
        parent[i] = nb_set_root(parent, i);
}

#define SHARE 0x1p-30   /* D over the diagonal of W                                  */
#define ROUNDS 6        /* each leaves SHARE / (SHARE + lambda), lambda of W so scaled */
#define OWN_PIVOT 1e-12 /* a diagonal entry of that part of its column is the pivot  */

struct system {
    int dofs, bilaterals, rows;
    struct nb_csr matrix;
    double *given, *right, *residual; /* [rows] right sides without and with D l, and what a solve leaves */
    double *shift;                    /* [bilaterals] D */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static void add_matrix(struct nb_triplets *triplets, const struct nb_csr *matrix, int first, double sign, bool across)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int row = across ? matrix->column[k] : first + i, column = across ? first + i : matrix->column[k];
            if (matrix->value[k] != 0)
                nb_triplets_add(triplets, row, column, sign * matrix->value[k]);
        }
}

/* C of a nonlinear step: a diagonal, and the blocks of tetrahedra. */
static void add_compliance(struct nb_triplets *triplets, const struct nb_judge *judge, int first)
{
    for (int i = 0; judge->bilateral_compliance && i < judge->bilaterals; ++i)
        nb_triplets_add(triplets, first + i, first + i, judge->bilateral_compliance[i]);
    const struct nb_tetrahedra *tetrahedra = &judge->problem->tetrahedra;
    int row = first + judge->first_strain;
    for (int i = 0; judge->bilateral_compliance && i < tetrahedra->count; ++i) {
        const int rows = nb_tetrahedron_rows((enum nb_material)tetrahedra->material[i]);
        for (int k = 0; k < rows * rows; ++k)
            nb_triplets_add(triplets, row + k / rows, row + k % rows, judge->element_compliance[36 * i + k]);
        row += rows;
    }
}

/* R of the local form. */
static void add_local(struct nb_triplets *triplets, const struct nb_judge *judge)
{
    const struct nb_csr *delassus = &judge->problem->linear.delassus;
    const int first = 3 * judge->contacts;
    for (int row = first; row < delassus->rows; ++row)
        for (int k = delassus->start[row]; k < delassus->start[row + 1]; ++k)
            if (delassus->column[k] >= first)
                nb_triplets_add(triplets, row - first, delassus->column[k] - first, delassus->value[k]);
}

static enum nb_status assemble(struct system *system, const struct nb_judge *judge, struct nb_error *error)
{
    struct nb_triplets triplets = {0};
    if (judge->mass)
        add_matrix(&triplets, judge->mass, 0, 1, false);
    else
        add_local(&triplets, judge);
    if (judge->mass && system->bilaterals) {
        add_matrix(&triplets, judge->bilateral, system->dofs, 1, false);
        add_matrix(&triplets, judge->bilateral, system->dofs, -1, true);
        add_compliance(&triplets, judge, system->dofs);
    }
    for (int i = 0; i < system->bilaterals; ++i) {
        const double w = judge->scale.inverse_mass[judge->contacts + i];
        system->shift[i] = SHARE * (w > 0 ? w : 1);
        nb_triplets_add(&triplets, system->dofs + i, system->dofs + i, system->shift[i]);
        system->given[system->dofs + i] = -judge->bilateral_constant[i];
    }
    if (judge->mass)
        memcpy(system->given, judge->force, (size_t)system->dofs * sizeof *system->given);
    return nb_csr_take_triplets(&system->matrix, system->rows, system->rows, &triplets, error);
}

/* The rows of the matrix are the columns of its transposed one. false: not to be factorised. */
static bool factorise(struct system *system)
{
    struct nb_csr *matrix = &system->matrix;
    klu_defaults(&system->common);
    system->common.btf = 0;
    system->common.scale = 0;
    system->common.tol = OWN_PIVOT;
    system->symbolic = klu_analyze(system->rows, matrix->start, matrix->column, &system->common);
    if (system->symbolic)
        system->numeric = klu_factor(matrix->start, matrix->column, matrix->value, system->symbolic, &system->common);
    return system->numeric && system->common.status == KLU_OK;
}

static void solve(struct system *system, double *x)
{
    klu_tsolve(system->symbolic, system->numeric, system->rows, 1, x, &system->common);
}

/* x [rows] of the right sides as they are. */
static void solve_refined(struct system *system, double *x)
{
    memcpy(x, system->right, (size_t)system->rows * sizeof *x);
    solve(system, x);
    nb_csr_multiply(&system->matrix, x, system->residual, 0);
    for (int i = 0; i < system->rows; ++i)
        system->residual[i] = system->right[i] - system->residual[i];
    solve(system, system->residual);
    for (int i = 0; i < system->rows; ++i)
        x[i] += system->residual[i];
}

/* Zero where that is not to be found, as where numbers overflow. */
static void find_motion(struct system *system, double *x)
{
    if (!factorise(system))
        return;
    memcpy(system->right, system->given, (size_t)system->rows * sizeof *system->right);
    for (int round = 0; round < (system->bilaterals ? ROUNDS : 1); ++round) {
        for (int i = 0; i < system->bilaterals; ++i)
            system->right[system->dofs + i] =
                system->given[system->dofs + i] + system->shift[i] * x[system->dofs + i];
        solve_refined(system, x);
    }
    for (int i = 0; i < system->rows; ++i)
        if (!isfinite(x[i])) {
            memset(x, 0, (size_t)system->rows * sizeof *x);
            return;
        }
}

enum nb_status nb_judge_find_motion(const struct nb_judge *judge, bool with_bilaterals, double *motion,
                                    struct nb_error *error)
{
    struct system system = {.dofs = judge->mass ? judge->dofs : 0,
                            .bilaterals = with_bilaterals ? judge->bilaterals : 0};
    system.rows = system.dofs + system.bilaterals;
    if (system.rows == 0)
        return NB_OK;
    double *room = calloc(4 * (size_t)system.rows, sizeof *room);
    if (!room)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the motion of %d velocities", system.rows);
    system.given = room;
    system.right = room + system.rows;
    system.residual = room + 2 * (size_t)system.rows;
    system.shift = room + 3 * (size_t)system.rows;
    const enum nb_status status = assemble(&system, judge, error);
    if (!status)
        find_motion(&system, motion);
    klu_free_numeric(&system.numeric, &system.common);
    klu_free_symbolic(&system.symbolic, &system.common);
    nb_csr_free(&system.matrix);
    free(room);
    return status;
}

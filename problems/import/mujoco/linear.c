/* MuJoCo's M, rows of constraints and contacts as a linear step:
 *
 *   M    from qM, whose entry (i, j) is there where j is i or moves the body of i, too;
 *   f    = M qvel + h qfrc_smooth: passive, actuators', applied forces less the bias;
 *   H^T  of a contact: its frame times the velocity of geom 2's body less that of geom 1's, both at the contact's
 *        point (what efc_J holds, in pyramids n +- mu t); w = dist/h. With two coefficients of friction mu_1, mu_2
 *        tangent k is multiplied by mu_k/mu, mu the larger one: then the round cone is the elliptic one;
 *   H^T  of a limit: its row of efc_J, w = efc_pos/h, two empty rows, mu = 0;
 *   G^T  rows of efc_J of equality constraints, b = efc_pos/h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/fields.h"
#include "problems/import/mujoco/mujoco.h"

/* A step while it is made. */
struct maker {
    const struct nb_simulator *simulator;
    const mjModel *model;
    const mjData *data;
    struct nb_linear_step *step;
    struct nb_drawing *drawing;
    struct nb_import_report *report;
    struct nb_triplets mass, contact, bilateral;
    double *velocity[2]; /* [3 nv] of the contact's point in both bodies */
    double *row;         /* [3 nv] of the contact, or [nv] of a constraint */
    int failed;          /* no memory, or too many entries                */
};

static void add_row(struct maker *maker, struct nb_triplets *to, int at, const double *row, double factor)
{
    for (int i = 0; i < maker->model->nv; ++i)
        if (row[i] != 0)
            maker->failed |= !nb_triplets_add(to, at, i, factor * row[i]);
}

static void add_mass(struct maker *maker)
{
    const mjModel *model = maker->model;
    for (int i = 0; i < model->nv; ++i) {
        const mjtNum *entry = maker->data->qM + model->dof_Madr[i];
        for (int j = i; j >= 0; j = model->dof_parentid[j], ++entry) {
            if (*entry == 0)
                continue;
            maker->failed |= !nb_triplets_add(&maker->mass, i, j, *entry);
            if (i != j)
                maker->failed |= !nb_triplets_add(&maker->mass, j, i, *entry);
        }
    }
}

/* f, where M stands, and what it is made of. */
static void fill_force(struct maker *maker, struct nb_free_motion *motion)
{
    struct nb_linear_step *step = maker->step;
    const size_t bytes = (size_t)step->dofs * sizeof *motion->velocity;
    memcpy(motion->velocity, maker->data->qvel, bytes);
    memcpy(motion->force, maker->data->qfrc_smooth, bytes);
    nb_csr_multiply(&step->mass, motion->velocity, step->force, 0);
    for (int i = 0; i < step->dofs; ++i)
        step->force[i] += maker->model->opt.timestep * motion->force[i];
}

/* A row of efc_J, which may be stored compressed. */
static const double *constraint_row(const struct maker *maker, int row)
{
    const mjModel *model = maker->model;
    const mjData *data = maker->data;
    if (!mj_isSparse(model))
        return data->efc_J + (size_t)row * (size_t)model->nv;
    memset(maker->row, 0, (size_t)model->nv * sizeof *maker->row);
    for (int k = data->efc_J_rowadr[row]; k < data->efc_J_rowadr[row] + data->efc_J_rownnz[row]; ++k)
        maker->row[data->efc_J_colind[k]] = data->efc_J[k];
    return maker->row;
}

static int is_limit(const mjData *data, int row)
{
    return data->efc_type[row] == mjCNSTR_LIMIT_JOINT || data->efc_type[row] == mjCNSTR_LIMIT_TENDON;
}

static void add_limit(struct maker *maker, int row)
{
    const int limit = maker->step->contacts++;
    add_row(maker, &maker->contact, 3 * limit, constraint_row(maker, row), 1);
    maker->step->contact_velocity[3 * limit] = maker->data->efc_pos[row] / maker->model->opt.timestep;
    maker->report->limits++;
}

static double largest_entry(const double *row, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, fabs(row[i]));
    return most;
}

/* Rows first to last - 1 are one equality constraint's. What a flat mechanism cannot do, to leave its plane, has a row
 * of rounding, which would be a contradiction. */
static void add_equality(struct maker *maker, int first, int last)
{
    const int nv = maker->model->nv;
    double scale = 0;
    for (int row = first; row < last; ++row)
        scale = fmax(scale, largest_entry(constraint_row(maker, row), nv));
    for (int row = first; row < last; ++row) {
        const double *entries = constraint_row(maker, row);
        if (largest_entry(entries, nv) <= nv * DBL_EPSILON * scale) {
            maker->report->empty_rows_dropped++;
            continue;
        }
        const int at = maker->step->bilaterals++;
        add_row(maker, &maker->bilateral, at, entries, 1);
        maker->step->bilateral_velocity[at] = maker->data->efc_pos[row] / maker->model->opt.timestep;
        maker->report->equality_rows++;
    }
}

static void add_constraints(struct maker *maker)
{
    const mjData *data = maker->data;
    for (int row = 0, last; row < data->ne; row = last) {
        for (last = row + 1; last < data->ne && data->efc_id[last] == data->efc_id[row]; ++last)
            ;
        add_equality(maker, row, last);
    }
    for (int row = 0; row < data->nefc; ++row)
        if (is_limit(data, row))
            add_limit(maker, row);
    maker->report->dry_friction_dropped += data->nf;
}

/* Contacts that an equality constraint has taken, or that no joint can change, are left out. */
static int counts(const mjContact *contact) { return contact->exclude <= 1; }

static void report_contact(const mjContact *contact, struct nb_import_report *report)
{
    const mjtNum *friction = contact->friction;
    report->contacts++;
    report->torsional_dropped += contact->dim > 3 && friction[2] > mjMINMU;
    report->rolling_dropped += contact->dim > 4 && (friction[3] > mjMINMU || friction[4] > mjMINMU);
    report->anisotropic += contact->dim > 1 && friction[0] != friction[1];
    report->deepest = fmax(report->deepest, -contact->dist);
}

/* The velocity of geom 2's body less that of geom 1's at the contact's point, along its three axes: maker->row. */
static void find_rows(struct maker *maker, const mjContact *contact)
{
    const int geom[2] = {contact->geom2, contact->geom1}, nv = maker->model->nv;
    for (int side = 0; side < 2; ++side)
        mj_jac(maker->model, maker->data, maker->velocity[side], NULL, contact->pos,
               maker->model->geom_bodyid[geom[side]]);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < nv; ++i) {
            double *entry = &maker->row[k * nv + i];
            *entry = 0;
            for (int c = 0; c < 3; ++c)
                *entry += contact->frame[3 * k + c] * (maker->velocity[0][c * nv + i] - maker->velocity[1][c * nv + i]);
        }
}

/* What rounding leaves of a distance: the geoms' places and sizes are known to so much. */
static double rounding_of(const struct maker *maker, const mjContact *contact)
{
    const int geom[2] = {contact->geom1, contact->geom2};
    double most = largest_entry(contact->pos, 3);
    for (int side = 0; side < 2; ++side)
        most = fmax(most, fmax(largest_entry(maker->data->geom_xpos + 3 * geom[side], 3),
                               largest_entry(maker->model->geom_size + 3 * geom[side], 3)));
    return 64 * DBL_EPSILON * most;
}

/* A contact whose gap no velocity changes, its normal row being zero or rounding of what the bodies do. */
static bool is_still(const struct maker *maker)
{
    const int nv = maker->model->nv;
    const double most = fmax(largest_entry(maker->velocity[0], 3 * nv), largest_entry(maker->velocity[1], 3 * nv));
    return largest_entry(maker->row, nv) <= nv * DBL_EPSILON * most;
}

static void add_contact(struct maker *maker, const mjContact *contact)
{
    struct nb_linear_step *step = maker->step;
    const int geom[2] = {contact->geom2, contact->geom1}, at = step->contacts++, nv = maker->model->nv;
    const double friction = contact->dim > 1 ? fmax(contact->friction[0], contact->friction[1]) : 0;
    for (int side = 0; side < 2; ++side) /* MuJoCo's body 0 is the world */
        maker->drawing->body[2 * at + side] = maker->model->geom_bodyid[geom[side]] - 1;
    for (int k = 0; k < 3; ++k)
        add_row(maker, &maker->contact, 3 * at + k, maker->row + k * nv,
                k > 0 && friction > 0 ? contact->friction[k - 1] / friction : 1);
    step->contact_velocity[3 * at] = contact->dist / maker->model->opt.timestep;
    step->friction[at] = friction;
    memcpy(maker->drawing->point + 3 * at, contact->pos, sizeof contact->pos);
    memcpy(maker->drawing->frame + 9 * at, contact->frame, sizeof contact->frame);
    maker->failed |= !nb_mujoco_name_contact(maker->model, contact, maker->report);
    report_contact(contact, maker->report);
}

static void take_contact(struct maker *maker, const mjContact *contact)
{
    find_rows(maker, contact);
    if (is_still(maker) && contact->dist >= -rounding_of(maker, contact))
        maker->report->still_dropped++;
    else
        add_contact(maker, contact);
}

/* Room for vectors, of as many contacts and bilateral rows as there can be. */
static enum nb_status make_room(struct maker *maker, struct nb_problem *problem, struct nb_error *error)
{
    const mjData *data = maker->data;
    struct nb_linear_step *step = maker->step;
    const size_t nv = (size_t)maker->model->nv;
    int placed = 0;
    for (int i = 0; i < data->ncon; ++i)
        placed += counts(&data->contact[i]);
    const enum nb_status status = nb_group_allocate(problem, NB_DRAWING, placed, error);
    maker->failed = !nb_linear_vectors_allocate(step, maker->model->nv, data->ncon + data->nefc, data->nefc);
    step->contacts = step->bilaterals = 0; /* they are counted as they come */
    maker->row = calloc(3 * nv + 1, sizeof *maker->row);
    for (int side = 0; side < 2; ++side)
        maker->velocity[side] = calloc(3 * nv + 1, sizeof *maker->velocity[side]);
    maker->failed |= !maker->row || !maker->velocity[0] || !maker->velocity[1];
    return status;
}

static enum nb_status compress(const struct nb_triplets *from, int rows, int columns, struct nb_csr *matrix,
                               struct nb_error *error)
{
    return nb_csr_from_triplets(matrix, rows, columns, from->count, from->row, from->column, from->value, error);
}

static enum nb_status make(struct maker *maker, struct nb_problem *problem, struct nb_error *error)
{
    struct nb_linear_step *step = maker->step;
    enum nb_status status = make_room(maker, problem, error);
    if (!status && !maker->failed) {
        add_mass(maker);
        for (int i = 0; i < maker->data->ncon; ++i)
            if (counts(&maker->data->contact[i]))
                take_contact(maker, &maker->data->contact[i]);
        maker->drawing->count = step->contacts;
        add_constraints(maker);
    }
    if (!status && maker->failed)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its matrices", maker->simulator->path);
    if (!status)
        status = compress(&maker->mass, step->dofs, step->dofs, &step->mass, error);
    if (!status)
        status = compress(&maker->contact, 3 * step->contacts, step->dofs, &step->contact_jacobian, error);
    if (!status)
        status = compress(&maker->bilateral, step->bilaterals, step->dofs, &step->bilateral_jacobian, error);
    if (!status)
        status = nb_csr_allocate(&step->delassus, 0, 0, 0, error);
    if (!status)
        status = nb_group_allocate(problem, NB_MOTION, step->dofs, error);
    if (!status)
        fill_force(maker, &problem->motion);
    return status;
}

enum nb_status nb_mujoco_linear(const struct nb_simulator *simulator, struct nb_problem *problem,
                                struct nb_import_report *report, struct nb_error *error)
{
    struct maker maker = {.simulator = simulator, .model = simulator->model, .data = simulator->data,
                          .step = &problem->linear, .drawing = &problem->drawing, .report = report};
    problem->form = NB_LINEAR_GLOBAL;
    problem->time_step = simulator->model->opt.timestep;
    problem->step = simulator->step;
    memcpy(problem->gravity, simulator->model->opt.gravity, sizeof problem->gravity);
    const enum nb_status status = make(&maker, problem, error);
    nb_triplets_free(&maker.mass);
    nb_triplets_free(&maker.contact);
    nb_triplets_free(&maker.bilateral);
    free(maker.row);
    free(maker.velocity[0]);
    free(maker.velocity[1]);
    return status;
}

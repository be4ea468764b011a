/* The islands of a linear step (nb_linear_label) as steps of their own. */
#include <stdlib.h>
#include <string.h>

#include "problems/islands.h"
#include "problems/split_private.h"

struct lists {
    struct nb_split_list dof, contact, bilateral;
};

/* Fills label [nodes] with roots, and worth [nodes] of these: with a contact or a bilateral row, and of a global step
 * a velocity. */
static void find_islands(const struct nb_problem *problem, int nodes, int *label, int *worth)
{
    const int global = problem->form == NB_LINEAR_GLOBAL, first = nb_linear_velocities(problem);
    enum { HAS_ROW = 1,
           HAS_VELOCITY = 2 };
    nb_linear_label(problem, label);
    memset(worth, 0, (size_t)nodes * sizeof *worth);
    for (int i = 0; i < nodes; ++i)
        worth[label[i]] |= i < first ? HAS_VELOCITY : global ? HAS_ROW
                                                             : HAS_ROW | HAS_VELOCITY;
    for (int i = 0; i < nodes; ++i)
        worth[i] = worth[i] == (HAS_ROW | HAS_VELOCITY);
}

/* Rows and columns of a part; entries between two parts are zeros. */
static enum nb_status pick(const struct nb_csr *from, int rows, const int *row, const int *column_part,
                           const int *column_local, int part, int columns, struct nb_csr *to, struct nb_error *error)
{
    int entries = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const enum nb_status status = pass ? nb_csr_allocate(to, rows, columns, entries, error) : NB_OK;
        if (status)
            return status;
        entries = 0;
        for (int r = 0; r < rows; ++r) {
            for (int k = from->start[row[r]]; k < from->start[row[r] + 1]; ++k) {
                if (column_part[from->column[k]] != part)
                    continue;
                if (pass) {
                    to->column[entries] = column_local[from->column[k]];
                    to->value[entries] = from->value[k];
                }
                ++entries;
            }
            if (pass)
                to->start[r + 1] = entries;
        }
    }
    return NB_OK;
}

/* Rows of H^T, or of W, of a part: three a contact, then of W its bilateral rows. */
static void list_rows(const struct lists *lists, int k, int contacts, int *row)
{
    for (int i = 0; i < 3 * nb_split_things(&lists->contact, k); ++i)
        *row++ = 3 * nb_split_members(&lists->contact, k)[i / 3] + i % 3;
    for (int i = 0; i < nb_split_things(&lists->bilateral, k); ++i)
        *row++ = 3 * contacts + nb_split_members(&lists->bilateral, k)[i];
}

/* Columns of W: part and place of each. */
struct columns {
    int *part, *local;
};

static void list_columns(const struct nb_problem *problem, const struct lists *lists, struct columns *columns)
{
    const int contacts = problem->linear.contacts;
    for (int i = 0; i < 3 * contacts; ++i) {
        columns->part[i] = lists->contact.part[i / 3];
        columns->local[i] = 3 * lists->contact.local[i / 3] + i % 3;
    }
    for (int i = 0; i < problem->linear.bilaterals; ++i) {
        const int part = lists->bilateral.part[i];
        columns->part[3 * contacts + i] = part;
        columns->local[3 * contacts + i] = 3 * nb_split_things(&lists->contact, part) + lists->bilateral.local[i];
    }
}

static enum nb_status pick_matrices(const struct nb_problem *whole, const struct lists *lists,
                                    const struct columns *columns, int k, const int *row, struct nb_linear_step *step,
                                    struct nb_error *error)
{
    const struct nb_linear_step *from = &whole->linear;
    const struct nb_split_list *dof = &lists->dof;
    const int rows = 3 * step->contacts + step->bilaterals, local = whole->form == NB_LINEAR_LOCAL;
    const int dofs = local ? 0 : step->dofs;
    enum nb_status status = nb_csr_allocate(&step->delassus, 0, 0, 0, error);
    if (!status && local) {
        nb_csr_free(&step->delassus);
        status = pick(&from->delassus, rows, row, columns->part, columns->local, k, rows, &step->delassus, error);
    }
    if (local) {
        for (int m = 0; m < 3 && !status; ++m)
            status = nb_csr_allocate(m == 0   ? &step->mass
                                     : m == 1 ? &step->contact_jacobian
                                              : &step->bilateral_jacobian,
                                     0, 0, 0, error);
        return status;
    }
    if (!status)
        status = pick(&from->mass, dofs, nb_split_members(dof, k), dof->part, dof->local, k, dofs, &step->mass, error);
    if (!status)
        status = pick(&from->contact_jacobian, 3 * step->contacts, row, dof->part, dof->local, k, dofs,
                      &step->contact_jacobian, error);
    if (!status)
        status = pick(&from->bilateral_jacobian, step->bilaterals, nb_split_members(&lists->bilateral, k), dof->part,
                      dof->local, k, dofs, &step->bilateral_jacobian, error);
    return status;
}

static void pick_vectors(const struct nb_problem *whole, const struct lists *lists, int k, struct nb_linear_step *step)
{
    const struct nb_linear_step *from = &whole->linear;
    const int *dof = nb_split_members(&lists->dof, k), *contact = nb_split_members(&lists->contact, k);
    for (int i = 0; i < step->dofs; ++i)
        step->force[i] = from->force[dof[i]];
    for (int i = 0; i < step->contacts; ++i) {
        memcpy(step->contact_velocity + 3 * i, from->contact_velocity + 3 * contact[i], 3 * sizeof(double));
        step->friction[i] = from->friction[contact[i]];
    }
    for (int i = 0; i < step->bilaterals; ++i)
        step->bilateral_velocity[i] = from->bilateral_velocity[nb_split_members(&lists->bilateral, k)[i]];
}

static int pick_motion(const struct nb_problem *whole, const int *dof, struct nb_problem *part)
{
    struct nb_free_motion *to = &part->motion;
    if (whole->motion.count == 0)
        return 1;
    to->count = part->linear.dofs;
    to->velocity = malloc(((size_t)to->count + 1) * sizeof *to->velocity);
    to->force = malloc(((size_t)to->count + 1) * sizeof *to->force);
    for (int i = 0; to->velocity && to->force && i < to->count; ++i) {
        to->velocity[i] = whole->motion.velocity[dof[i]];
        to->force[i] = whole->motion.force[dof[i]];
    }
    return to->velocity && to->force;
}

/* The maps: multipliers are bilateral rows, then contacts; a local step's velocities are its rows. */
static void make_maps(const struct nb_problem *whole, const struct lists *lists, int k, const int *row,
                      struct nb_split_part *part)
{
    const int contacts = 3 * part->problem.linear.contacts, bilaterals = part->problem.linear.bilaterals;
    for (int i = 0; i < bilaterals; ++i)
        part->multiplier[i] = nb_split_members(&lists->bilateral, k)[i];
    for (int i = 0; i < contacts; ++i)
        part->multiplier[bilaterals + i] = whole->linear.bilaterals + row[i];
    memcpy(part->dof, whole->form == NB_LINEAR_LOCAL ? row : nb_split_members(&lists->dof, k),
           (size_t)part->dofs * sizeof *part->dof);
}

/* row [rows of the whole] is scratch. */
static enum nb_status make_part(const struct nb_problem *whole, const struct lists *lists,
                                const struct columns *columns, int k, int *row, struct nb_split_part *part,
                                struct nb_error *error)
{
    struct nb_problem *problem = &part->problem;
    const int local = whole->form == NB_LINEAR_LOCAL, dofs = local ? 0 : nb_split_things(&lists->dof, k);
    problem->form = whole->form;
    memcpy(problem->gravity, whole->gravity, sizeof problem->gravity);
    list_rows(lists, k, whole->linear.contacts, row);
    if (!nb_problem_keep_provenance(whole, problem) ||
        !nb_linear_vectors_allocate(&problem->linear, dofs, nb_split_things(&lists->contact, k),
                                    nb_split_things(&lists->bilateral, k)) ||
        !pick_motion(whole, local ? NULL : nb_split_members(&lists->dof, k), problem))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for island %d of %s", k, whole->name);
    enum nb_status status = pick_matrices(whole, lists, columns, k, row, &problem->linear, error);
    if (!status)
        status = nb_split_allocate_maps(part, nb_problem_dofs(problem), nb_problem_multipliers(problem), error);
    if (status)
        return status;
    pick_vectors(whole, lists, k, &problem->linear);
    make_maps(whole, lists, k, row, part);
    return NB_OK;
}

static enum nb_status make_parts(const struct nb_problem *problem, const int *label, int count, struct nb_split *split,
                                 struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    const int first = nb_linear_velocities(problem), rows = 3 * step->contacts + step->bilaterals;
    struct lists lists = {0};
    int *scratch = malloc((3 * (size_t)rows + 1) * sizeof *scratch);
    struct columns columns = {scratch + rows, scratch + 2 * (size_t)rows};
    enum nb_status status = NB_OK;
    if (!scratch || !nb_split_sort(&lists.dof, count, first, label) ||
        !nb_split_sort(&lists.contact, count, step->contacts, label + first) ||
        !nb_split_sort(&lists.bilateral, count, step->bilaterals, label + first + step->contacts))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", count);
    if (!status)
        status = nb_split_allocate(split, count, error);
    if (!status)
        list_columns(problem, &lists, &columns);
    for (int k = 0; k < count && !status; ++k)
        status = make_part(problem, &lists, &columns, k, scratch, &split->part[k], error);
    nb_split_list_free(&lists.dof);
    nb_split_list_free(&lists.contact);
    nb_split_list_free(&lists.bilateral);
    free(scratch);
    return status;
}

enum nb_status nb_split_linear(const struct nb_problem *problem, struct nb_split *split, struct nb_error *error)
{
    const int nodes = nb_linear_velocities(problem) + problem->linear.contacts + problem->linear.bilaterals;
    int *label = malloc((3 * (size_t)nodes + 1) * sizeof *label), *worth = label + nodes;
    if (!label)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %s", problem->name);
    find_islands(problem, nodes, label, worth);
    const int count = nb_split_number(nodes, label, worth, worth + nodes);
    const enum nb_status status = count > 1 ? make_parts(problem, label, count, split, error) : NB_OK;
    free(label);
    return status;
}

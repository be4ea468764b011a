/* Block diagonal matrices: the rows of each part follow each other, with the columns behind those of the parts before
 * (problems/join.h). */
#include "problems/join.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/copies.h"
#include "problems/fields.h"

/* Rows first to last - 1 of a part's matrix behind those that are there; *row and *entry say where. */
static void append_rows(const struct nb_csr *from, int first, int last, int column, struct nb_csr *to, int *row,
                        int *entry)
{
    for (int r = first; r < last; ++r) {
        for (int k = from->start[r]; k < from->start[r + 1]; ++k, ++*entry) {
            to->column[*entry] = column + from->column[k];
            to->value[*entry] = from->value[k];
        }
        to->start[++*row] = *entry;
    }
}

/* All that is added up over the parts, in numbers that cannot overflow. */
struct sums {
    long long dofs, contacts, bilaterals, placed, moved, shapes, bodies, mass, jacobian, bilateral;
};

/* Of those that are numbered from 0. */
static int bodies_of(const struct nb_drawing *drawing)
{
    int most = 0;
    for (int i = 0; i < 2 * drawing->count; ++i)
        most = drawing->body[i] >= most ? drawing->body[i] + 1 : most;
    return most;
}

static struct sums add_up(const struct nb_problem *parts, int count)
{
    struct sums sums = {0};
    for (int k = 0; k < count; ++k) {
        const struct nb_linear_step *step = &parts[k].linear;
        sums.dofs += step->dofs;
        sums.contacts += step->contacts;
        sums.bilaterals += step->bilaterals;
        sums.placed += parts[k].drawing.count;
        sums.moved += parts[k].motion.count;
        sums.shapes += parts[k].shape_count;
        sums.bodies += bodies_of(&parts[k].drawing);
        sums.mass += step->mass.start[step->dofs];
        sums.jacobian += step->contact_jacobian.start[3 * step->contacts];
        sums.bilateral += step->bilaterals ? step->bilateral_jacobian.start[step->bilaterals] : 0;
    }
    return sums;
}

static int too_many(const struct sums *sums)
{
    const long long each[] = {sums->dofs, sums->contacts, sums->bilaterals, sums->shapes, sums->bodies, sums->mass,
                              sums->jacobian, sums->bilateral};
    long long most = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i)
        most = each[i] > most ? each[i] : most;
    return most > INT_MAX / 64;
}

static enum nb_status allocate(const struct sums *sums, struct nb_problem *out, struct nb_error *error)
{
    struct nb_linear_step *step = &out->linear;
    const int dofs = (int)sums->dofs, contacts = (int)sums->contacts, bilaterals = (int)sums->bilaterals;
    enum nb_status status = nb_csr_allocate(&step->mass, dofs, dofs, (int)sums->mass, error);
    if (!status)
        status = nb_csr_allocate(&step->contact_jacobian, 3 * contacts, dofs, (int)sums->jacobian, error);
    if (!status)
        status = nb_csr_allocate(&step->bilateral_jacobian, bilaterals, dofs, (int)sums->bilateral, error);
    if (!status)
        status = nb_csr_allocate(&step->delassus, 0, 0, 0, error);
    if (!status)
        status = nb_group_allocate(out, NB_DRAWING, (int)sums->placed, error);
    if (!status && sums->moved == sums->dofs) /* of all parts or of none */
        status = nb_group_allocate(out, NB_MOTION, dofs, error);
    if (status)
        return status;
    out->shapes = calloc((size_t)sums->shapes + 1, sizeof *out->shapes);
    return nb_linear_vectors_allocate(step, dofs, contacts, bilaterals) && out->shapes
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to join steps of %d velocities", dofs);
}

/* Of each part the contacts that it has a drawing of, or the others. */
static void append_contacts(const struct nb_problem *parts, int count, int placed, struct nb_linear_step *to,
                            int *contact, int *entry)
{
    for (int k = 0, column = 0; k < count; column += parts[k++].linear.dofs) {
        const struct nb_linear_step *from = &parts[k].linear;
        const int known = parts[k].drawing.count, first = placed ? 0 : known, last = placed ? known : from->contacts;
        int row = 3 * *contact;
        append_rows(&from->contact_jacobian, 3 * first, 3 * last, column, &to->contact_jacobian, &row, entry);
        for (int i = first; i < last; ++i, ++*contact) {
            to->friction[*contact] = from->friction[i];
            memcpy(to->contact_velocity + 3 * *contact, from->contact_velocity + 3 * i,
                   3 * sizeof *to->contact_velocity);
        }
    }
}

static void append_steps(const struct nb_problem *parts, int count, struct nb_linear_step *to)
{
    int column = 0, mass_row = 0, mass_entry = 0, row = 0, entry = 0, contact = 0, contact_entry = 0;
    for (int k = 0; k < count; ++k) {
        const struct nb_linear_step *from = &parts[k].linear;
        memcpy(to->force + column, from->force, (size_t)from->dofs * sizeof *to->force);
        if (from->bilaterals > 0)
            memcpy(to->bilateral_velocity + row, from->bilateral_velocity,
                   (size_t)from->bilaterals * sizeof *to->bilateral_velocity);
        append_rows(&from->mass, 0, from->dofs, column, &to->mass, &mass_row, &mass_entry);
        append_rows(&from->bilateral_jacobian, 0, from->bilaterals, column, &to->bilateral_jacobian, &row, &entry);
        column += from->dofs;
    }
    append_contacts(parts, count, 1, to, &contact, &contact_entry);
    append_contacts(parts, count, 0, to, &contact, &contact_entry);
}

static void append_motions(const struct nb_problem *parts, int count, struct nb_free_motion *to)
{
    for (int k = 0, first = 0; k < count && to->count > 0; first += parts[k++].linear.dofs) {
        const size_t bytes = (size_t)parts[k].linear.dofs * sizeof *to->velocity;
        memcpy(to->velocity + first, parts[k].motion.velocity, bytes);
        memcpy(to->force + first, parts[k].motion.force, bytes);
    }
}

/* Between two parts: a tenth more than the widest of them, planes apart. */
static double pitch_of(const struct nb_problem *parts, int count)
{
    double pitch = 0;
    for (int k = 0; k < count; ++k)
        for (int axis = 0; axis < 2; ++axis) {
            double low = DBL_MAX, high = -DBL_MAX;
            for (int i = 0; i < parts[k].shape_count; ++i) {
                const struct nb_shape *shape = &parts[k].shapes[i];
                if (shape->kind == NB_SHAPE_PLANE)
                    continue;
                low = fmin(low, shape->position[axis] - nb_shape_reach(shape));
                high = fmax(high, shape->position[axis] + nb_shape_reach(shape));
            }
            pitch = fmax(pitch, 1.1 * (high - low));
        }
    return pitch;
}

static int append_shapes(const struct nb_problem *part, int planes, const double *shift, struct nb_problem *to)
{
    for (int i = 0; i < part->shape_count; ++i) {
        if (part->shapes[i].kind == NB_SHAPE_PLANE && !planes)
            continue;
        struct nb_shape *shape = &to->shapes[to->shape_count++];
        if (!nb_shape_copy(&part->shapes[i], shape))
            return 0;
        shape->position[0] += shift[0];
        shape->position[1] += shift[1];
    }
    return 1;
}

static void append_places(const struct nb_drawing *from, const double *shift, int bodies, struct nb_drawing *to,
                          int first)
{
    for (int i = 0; i < 2 * from->count; ++i)
        to->body[2 * first + i] = from->body[i] < 0 ? from->body[i] : from->body[i] + bodies;
    for (int i = 0; i < 3 * from->count; ++i)
        to->point[3 * first + i] = from->point[i] + (i % 3 < 2 ? shift[i % 3] : 0);
    if (from->count > 0)
        memcpy(to->frame + 9 * first, from->frame, 9 * (size_t)from->count * sizeof *to->frame);
}

static int append_drawings(const struct nb_problem *parts, int count, struct nb_problem *out)
{
    const int side = (int)ceil(sqrt((double)count));
    const double pitch = pitch_of(parts, count);
    int done = 1, first = 0, bodies = 0;
    for (int k = 0; k < count && done; ++k) {
        const double shift[2] = {pitch * (k % side), pitch * (k / side)};
        append_places(&parts[k].drawing, shift, bodies, &out->drawing, first);
        done = append_shapes(&parts[k], k == 0, shift, out);
        first += parts[k].drawing.count;
        bodies += bodies_of(&parts[k].drawing);
    }
    return done;
}

enum nb_status nb_problem_join(const struct nb_problem *parts, int count, struct nb_problem *out,
                               struct nb_error *error)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; k < count; ++k)
        if (parts[k].form != NB_LINEAR_GLOBAL)
            return nb_fail(error, NB_UNSUPPORTED, "%s: only global linear steps can be joined", parts[k].name);
    const struct sums sums = add_up(parts, count);
    if (too_many(&sums))
        return nb_fail(error, NB_UNSUPPORTED, "%s: %d of these steps are more than one step can hold", parts[0].name,
                       count);
    out->form = NB_LINEAR_GLOBAL;
    memcpy(out->gravity, parts[0].gravity, sizeof out->gravity);
    enum nb_status status = allocate(&sums, out, error);
    if (!status && !nb_problem_keep_provenance(&parts[0], out))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to join %d steps", count);
    if (!status) {
        append_steps(parts, count, &out->linear);
        append_motions(parts, count, &out->motion);
    }
    if (!status && !append_drawings(parts, count, out))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to join the shapes of %d steps", count);
    if (status)
        nb_problem_free(out);
    return status;
}

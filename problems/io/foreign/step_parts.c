/* A step's parts are put together as in FCLIB files (problems/io/fclib_read.c): entries, moved to three rows a contact,
 * become compressed rows, of H and G transposed, of W, V and R one matrix. Taking apart cuts these blocks out again. */
#include "problems/io/foreign/step_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/fclib_planar.h"

void nb_note(struct nb_notes *notes, const char *format, ...)
{
    if (!notes || notes->count >= NB_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes->text[notes->count++], NB_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

const struct nb_step_form *nb_step_form(enum nb_form form)
{
    static const struct nb_step_form global = {
        {{"M", NB_EXTENT_DOFS, NB_EXTENT_DOFS},
         {"H", NB_EXTENT_DOFS, NB_EXTENT_ROWS},
         {"G", NB_EXTENT_DOFS, NB_EXTENT_BILATERALS}},
        {{"f", NB_EXTENT_DOFS}, {"w", NB_EXTENT_ROWS}, {"b", NB_EXTENT_BILATERALS}, {"mu", NB_EXTENT_CONTACTS}}};
    static const struct nb_step_form local = {
        {{"W", NB_EXTENT_ROWS, NB_EXTENT_ROWS},
         {"V", NB_EXTENT_ROWS, NB_EXTENT_BILATERALS},
         {"R", NB_EXTENT_BILATERALS, NB_EXTENT_BILATERALS}},
        {{NULL, NB_EXTENT_DOFS}, {"q", NB_EXTENT_ROWS}, {"s", NB_EXTENT_BILATERALS}, {"mu", NB_EXTENT_CONTACTS}}};
    return form == NB_LINEAR_LOCAL ? &local : &global;
}

int nb_step_part_is_bilateral(enum nb_form form, int matrix)
{
    return nb_step_form(form)->matrix[matrix].columns == NB_EXTENT_BILATERALS;
}

int nb_step_extent(const struct nb_step_parts *parts, enum nb_extent extent)
{
    return extent == NB_EXTENT_DOFS         ? parts->dofs
           : extent == NB_EXTENT_ROWS       ? parts->dimension * parts->contacts
           : extent == NB_EXTENT_BILATERALS ? parts->bilaterals
                                            : parts->contacts;
}

void nb_step_parts_free(struct nb_step_parts *parts)
{
    for (int i = 0; i < NB_STEP_MATRICES; ++i) {
        nb_triplets_free(&parts->entries[i]);
        nb_csr_free(&parts->matrix[i]);
    }
    for (int i = 0; i < NB_STEP_VECTORS; ++i)
        free(parts->vector[i]);
    memset(parts, 0, sizeof *parts);
}

void nb_step_parts_measure(struct nb_reader *reader, const char *name, int friction, int velocity,
                           struct nb_step_parts *parts)
{
    parts->contacts = friction;
    parts->dimension = friction > 0 ? velocity / friction : 3;
    const int known = parts->dimension == 2 || parts->dimension == 3 || parts->dimension == 5;
    if (!reader->status && (!known || velocity != parts->dimension * friction))
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has %d entries for %d contacts, must have 3 a contact, normal "
                       "first (2 in the plane, 5 with rolling friction)", velocity, friction);
}

void nb_step_leave_rolling(struct nb_reader *reader, struct nb_notes *notes, const double *rolling, int contacts)
{
    double largest = 0;
    for (int i = 0; i < contacts && rolling; ++i)
        largest = fmax(largest, rolling[i]);
    if (reader->status || largest == 0)
        return;
    if (!notes)
        nb_reader_fail(reader, NB_UNSUPPORTED, NULL, "has rolling friction, mu_r up to %g, which is not solved here; "
                       "`ncpbench convert` leaves it out", largest);
    nb_note(notes, "rolling friction, mu_r up to %g, is left out, and with it the stored solutions", largest);
}

/* Without the rows of rolling friction: those that are kept are the first three of five. */
static void leave_rolling_rows(struct nb_triplets *entries, int *index)
{
    int kept = 0;
    for (int k = 0; k < entries->count; ++k) {
        if (index[k] % 5 >= 3)
            continue;
        index[k] = 3 * (index[k] / 5) + index[k] % 5;
        int *other = index == entries->row ? entries->column : entries->row;
        index[kept] = index[k];
        other[kept] = other[k];
        entries->value[kept++] = entries->value[k];
    }
    entries->count = kept;
}

/* Rows, or columns, of contacts as those of contacts in space. */
static void move_to_space(int dimension, struct nb_triplets *entries, int *index)
{
    if (dimension == 2)
        nb_planar_move(entries->count, index);
    else if (dimension == 5)
        leave_rolling_rows(entries, index);
}

double *nb_step_widen(struct nb_reader *reader, const double *from, int rows, int width, int more)
{
    double *to = calloc((size_t)rows * (size_t)more + 1, sizeof *to);
    if (!to)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory for %d numbers", rows * more);
    for (int i = 0; to && from && i < rows * more; ++i)
        if (i % more < width)
            to[i] = from[i / more * width + i % more];
    return to;
}

static void build_global(struct nb_reader *reader, struct nb_step_parts *parts, struct nb_linear_step *step)
{
    struct nb_triplets *mass = &parts->entries[NB_PART_MASS], *h = &parts->entries[NB_PART_JACOBIAN];
    struct nb_triplets *g = &parts->entries[2];
    const int contacts = parts->contacts;
    move_to_space(parts->dimension, h, h->column);
    if (parts->dimension == 2)
        nb_planar_add_masses(reader, mass, h, parts->dofs, contacts);
    step->dofs = parts->dofs + (parts->dimension == 2 ? contacts : 0);
    const struct nb_triplets transposed[] = {{h->count, h->room, h->column, h->row, h->value},
                                             {g->count, g->room, g->column, g->row, g->value}};
    nb_entries_compress(reader, mass, step->dofs, step->dofs, &step->mass);
    nb_entries_compress(reader, &transposed[0], 3 * contacts, step->dofs, &step->contact_jacobian);
    nb_entries_compress(reader, &transposed[1], parts->bilaterals, step->dofs, &step->bilateral_jacobian);
    nb_entries_compress(reader, &(struct nb_triplets){0}, 0, 0, &step->delassus);
}

static void build_local(struct nb_reader *reader, struct nb_step_parts *parts, struct nb_linear_step *step)
{
    struct nb_triplets *w = &parts->entries[0], *v = &parts->entries[1];
    const int n = 3 * parts->contacts, p = parts->bilaterals;
    move_to_space(parts->dimension, w, w->row);
    move_to_space(parts->dimension, w, w->column);
    move_to_space(parts->dimension, v, v->row);
    if (parts->dimension == 2)
        nb_planar_add_delassus(reader, w, parts->contacts);
    nb_entries_add(reader, w, v, 0, n, 0);
    nb_entries_add(reader, w, v, n, 0, 1);
    nb_entries_add(reader, w, &parts->entries[2], n, n, 0);
    nb_entries_compress(reader, w, n + p, n + p, &step->delassus);
    nb_entries_compress(reader, &(struct nb_triplets){0}, 0, 0, &step->mass);
    nb_entries_compress(reader, &(struct nb_triplets){0}, 0, 0, &step->contact_jacobian);
    nb_entries_compress(reader, &(struct nb_triplets){0}, 0, 0, &step->bilateral_jacobian);
}

/* M, W and R that have entries on one side of the diagonal alone are triangles of symmetric matrices, as LMGC90 stores
 * M in FCLIB's own collection: the other half is added. */
static void complete(struct nb_reader *reader, struct nb_triplets *entries)
{
    int above = 0, below = 0;
    for (int k = 0; k < entries->count; ++k) {
        above |= entries->value[k] != 0 && entries->column[k] > entries->row[k];
        below |= entries->value[k] != 0 && entries->column[k] < entries->row[k];
    }
    for (int k = 0, count = entries->count; above != below && k < count; ++k)
        if (entries->row[k] != entries->column[k] &&
            !nb_triplets_add(entries, entries->column[k], entries->row[k], entries->value[k]))
            nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory for more than %d matrix entries", entries->count);
}

void nb_step_parts_build(struct nb_reader *reader, struct nb_step_parts *parts, struct nb_problem *problem)
{
    struct nb_linear_step *step = &problem->linear;
    const int contacts = parts->contacts;
    if (!reader->status) {
        problem->form = parts->form;
        step->contacts = contacts;
        step->bilaterals = parts->bilaterals;
        complete(reader, &parts->entries[0]); /* M or W */
        if (parts->form == NB_LINEAR_LOCAL)
            complete(reader, &parts->entries[2]);
        (parts->form == NB_LINEAR_LOCAL ? build_local : build_global)(reader, parts, step);
        step->force = nb_step_widen(reader, parts->vector[NB_PART_FORCE], 1, parts->dofs, step->dofs);
        step->contact_velocity = nb_step_widen(reader, parts->vector[NB_PART_VELOCITY], contacts, parts->dimension, 3);
        step->bilateral_velocity = nb_step_widen(reader, parts->vector[NB_PART_BILATERAL], parts->bilaterals, 1, 1);
        step->friction = nb_step_widen(reader, parts->vector[NB_PART_FRICTION], contacts, 1, 1);
    }
    nb_step_parts_free(parts);
}

/* Rows and columns of a matrix, from row0 and column0 on, as a matrix of its own, or its transpose. */
static enum nb_status cut(const struct nb_csr *from, int row0, int rows, int column0, int columns, int transposed,
                          struct nb_csr *to, struct nb_error *error)
{
    struct nb_triplets entries = {0};
    int fits = 1;
    for (int r = row0; r < row0 + rows; ++r)
        for (int k = from->start[r]; k < from->start[r + 1]; ++k) {
            const int row = r - row0, column = from->column[k] - column0;
            if (column >= 0 && column < columns)
                fits &= nb_triplets_add(&entries, transposed ? column : row, transposed ? row : column, from->value[k]);
        }
    const enum nb_status status =
        fits ? nb_csr_from_triplets(to, transposed ? columns : rows, transposed ? rows : columns, entries.count,
                                    entries.row, entries.column, entries.value, error)
             : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a matrix of %d rows", rows);
    nb_triplets_free(&entries);
    return status;
}

static int same_matrix(const struct nb_csr *a, const struct nb_csr *b)
{
    const size_t entries = (size_t)a->start[a->rows];
    return !memcmp(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start) &&
           !memcmp(a->column, b->column, entries * sizeof *a->column) &&
           !memcmp(a->value, b->value, entries * sizeof *a->value);
}

/* V is stored once: the lower left block must be its transpose. */
static enum nb_status take_local(const struct nb_linear_step *step, struct nb_step_parts *parts, struct nb_error *error)
{
    const int n = 3 * step->contacts, p = step->bilaterals;
    struct nb_csr mirrored = {0};
    enum nb_status status = cut(&step->delassus, 0, n, 0, n, 0, &parts->matrix[0], error);
    if (!status)
        status = cut(&step->delassus, 0, n, n, p, 0, &parts->matrix[1], error);
    if (!status)
        status = cut(&step->delassus, n, p, n, p, 0, &parts->matrix[2], error);
    if (!status)
        status = cut(&step->delassus, n, p, 0, n, 1, &mirrored, error);
    if (!status && !same_matrix(&mirrored, &parts->matrix[1]))
        status = nb_fail(error, NB_UNSUPPORTED, "V: the block of the bilateral rows is not its transpose");
    nb_csr_free(&mirrored);
    return status;
}

static enum nb_status take_global(const struct nb_linear_step *step, struct nb_step_parts *parts,
                                  struct nb_error *error)
{
    const int n = step->dofs;
    enum nb_status status = cut(&step->mass, 0, n, 0, n, 0, &parts->matrix[0], error);
    if (!status)
        status = cut(&step->contact_jacobian, 0, 3 * step->contacts, 0, n, 1, &parts->matrix[1], error);
    if (!status)
        status = cut(&step->bilateral_jacobian, 0, step->bilaterals, 0, n, 1, &parts->matrix[2], error);
    return status;
}

enum nb_status nb_step_parts_take(const struct nb_problem *linear, struct nb_step_parts *parts, struct nb_error *error)
{
    const struct nb_linear_step *step = &linear->linear;
    const double *const vectors[] = {step->force, step->contact_velocity, step->bilateral_velocity, step->friction};
    *parts = (struct nb_step_parts){.form = linear->form, .dimension = 3, .contacts = step->contacts,
                                    .dofs = step->dofs, .bilaterals = step->bilaterals};
    enum nb_status status =
        linear->form == NB_LINEAR_LOCAL ? take_local(step, parts, error) : take_global(step, parts, error);
    for (int i = 0; i < NB_STEP_VECTORS && !status; ++i) {
        const int count = nb_step_extent(parts, nb_step_form(linear->form)->vector[i].rows);
        parts->vector[i] = malloc(((size_t)count + 1) * sizeof(double));
        if (!parts->vector[i])
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d numbers", count);
        else if (count)
            memcpy(parts->vector[i], vectors[i], (size_t)count * sizeof(double));
    }
    if (status)
        nb_step_parts_free(parts);
    return status;
}

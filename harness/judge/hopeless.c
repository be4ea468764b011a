/* A contact is set aside by a gap that no motion closes, so that nothing else of the problem changes while the next
 * certificate is looked for. */
#include "harness/judge/hopeless.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/unmoved.h"

static bool add(struct nb_hopeless *found, const struct nb_infeasibility *proof)
{
    struct nb_hopeless_contact *grown =
        realloc(found->contact, ((size_t)found->count + 1) * sizeof *found->contact);
    if (!grown)
        return false;
    found->contact = grown;
    grown[found->count++] =
        (struct nb_hopeless_contact){proof->contact, proof->contacts - 1, proof->bilaterals};
    return true;
}

enum nb_status nb_hopeless_find(struct nb_problem *problem, struct nb_hopeless *found, struct nb_error *error)
{
    const size_t bytes = 3 * (size_t)problem->linear.contacts * sizeof(double);
    double *kept = malloc(bytes + 1), *velocity = problem->linear.contact_velocity;
    struct nb_infeasibility proof = {.contact = 0};
    enum nb_status status = NB_OK;
    *found = (struct nb_hopeless){0};
    if (!kept)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d contacts", problem->linear.contacts);
    memcpy(kept, velocity, bytes);
    while (!status && proof.contact >= 0) {
        status = nb_infeasibility_find(problem, NULL, &proof, error);
        if (status || !proof.found || proof.contact < 0)
            break;
        velocity[3 * proof.contact] = NB_SET_ASIDE;
        if (!add(found, &proof))
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d hopeless contacts", found->count);
    }
    memcpy(velocity, kept, bytes);
    free(kept);
    return status;
}

void nb_hopeless_free(struct nb_hopeless *found)
{
    free(found->contact);
    *found = (struct nb_hopeless){0};
}

/* Three rows of a contact move up to their new place. */
static void move_rows(struct nb_csr *rows, int from, int to)
{
    for (int k = 0; k < 3; ++k) {
        const int begin = rows->start[3 * from + k], count = rows->start[3 * from + k + 1] - begin;
        const int at = rows->start[3 * to + k];
        memmove(rows->column + at, rows->column + begin, (size_t)count * sizeof *rows->column);
        memmove(rows->value + at, rows->value + begin, (size_t)count * sizeof *rows->value);
        rows->start[3 * to + k + 1] = at + count;
    }
}

static void move_drawing(struct nb_drawing *drawing, int from, int to)
{
    memmove(drawing->body + 2 * to, drawing->body + 2 * from, 2 * sizeof *drawing->body);
    memmove(drawing->point + 3 * to, drawing->point + 3 * from, 3 * sizeof *drawing->point);
    memmove(drawing->frame + 9 * to, drawing->frame + 9 * from, 9 * sizeof *drawing->frame);
}

void nb_drop_contacts(struct nb_problem *problem, const char *dropped)
{
    struct nb_linear_step *step = &problem->linear;
    const int placed = problem->drawing.count;
    int to = 0, drawn = 0;
    for (int from = 0; from < step->contacts; ++from) {
        if (dropped[from])
            continue;
        if (to < from) { /* the rows before `from` are moved already: only later ones are read */
            move_rows(&step->contact_jacobian, from, to);
            memmove(step->contact_velocity + 3 * to, step->contact_velocity + 3 * from, 3 * sizeof(double));
            step->friction[to] = step->friction[from];
        }
        if (from < placed)
            move_drawing(&problem->drawing, from, drawn++);
        ++to;
    }
    problem->drawing.count = drawn;
    step->contacts = to;
    step->contact_jacobian.rows = 3 * to;
}

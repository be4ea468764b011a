/* Problems by pointer: see handle.h. */
#include "problems/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/step.h"
#include "problems/surface.h"

struct nb_problem *nb_problem_new(void)
{
    return calloc(1, sizeof(struct nb_problem));
}

void nb_problem_delete(struct nb_problem *problem)
{
    nb_problem_free(problem);
    free(problem);
}

enum nb_status nb_problem_next(const struct nb_problem *problem, const double *u, struct nb_problem *next,
                               struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "%s: no step follows a linear one, which knows no bodies", problem->name);
    enum nb_status status = nb_problem_copy(problem, next, error);
    if (status)
        return status;
    next->hash[0] = '\0';
    nb_step_advance(next, u);
    if ((status = nb_step_prepare(next, error)))
        nb_problem_free(next);
    return status;
}

/* What is empty is there all the same, as in a step that was read. */
static void fill_gaps(struct nb_linear_step *step)
{
    static int start[1], no_column[1];
    static double no_value[1];
    struct nb_csr *const matrices[] = {&step->mass, &step->contact_jacobian, &step->bilateral_jacobian,
                                       &step->delassus};
    double **const vectors[] = {&step->force, &step->contact_velocity, &step->bilateral_velocity, &step->friction};
    const int sizes[] = {step->dofs, step->contacts, step->bilaterals, step->contacts};
    for (int i = 0; i < 4; ++i) {
        if (matrices[i]->rows == 0)
            *matrices[i] = (struct nb_csr){0, matrices[i]->columns, start, no_column, no_value};
        if (sizes[i] == 0)
            *vectors[i] = no_value;
    }
}

/* The problem becomes a copy of what is given, whose arrays may be its own, if that is valid. */
static enum nb_status replace(struct nb_problem *problem, const struct nb_problem *given, struct nb_error *error)
{
    struct nb_problem copy;
    enum nb_status status = nb_problem_validate(given, error);
    if (!status)
        status = nb_problem_copy(given, &copy, error);
    if (status)
        return status;
    nb_problem_free(problem);
    *problem = copy;
    return NB_OK;
}

enum nb_status nb_problem_set_linear(struct nb_problem *problem, enum nb_form form, const char *name,
                                     const struct nb_linear_step *step, struct nb_error *error)
{
    struct nb_problem given = {.form = form, .time_step = 1, .linear = *step};
    if (form != NB_LINEAR_GLOBAL && form != NB_LINEAR_LOCAL)
        return nb_fail(error, NB_BAD_INPUT, "%s: form %d is no linear one", name, (int)form);
    snprintf(given.name, sizeof given.name, "%s", name);
    fill_gaps(&given.linear);
    return replace(problem, &given, error);
}

enum nb_form nb_problem_form(const struct nb_problem *problem)
{
    return problem->form;
}

int nb_problem_parameters(const struct nb_problem *problem, const struct nb_parameter **first)
{
    *first = problem->parameters;
    return problem->parameter_count;
}

double nb_problem_time_step(const struct nb_problem *problem)
{
    return problem->time_step;
}

const struct nb_linear_step *nb_problem_linear_step(const struct nb_problem *problem)
{
    return problem->form == NB_NONLINEAR ? NULL : &problem->linear;
}

int nb_problem_places(const struct nb_problem *problem, int *body, double *point, double *frame)
{
    const int count = nb_contacts_placed(problem);
    const int *bodies = problem->drawing.count > 0 ? problem->drawing.body : problem->contacts.body;
    for (int i = 0; i < count && body; ++i)
        memcpy(body + 2 * i, bodies + 2 * i, 2 * sizeof *body);
    for (int i = 0; i < count && frame; ++i)
        memcpy(frame + 9 * i, nb_contact_axes(problem, i), 9 * sizeof *frame);
    for (int i = 0; i < count && point; ++i) {
        double side[2][3];
        nb_contact_point(problem, i, 0, side[0]);
        nb_contact_point(problem, i, 1, side[1]);
        for (int k = 0; k < 3; ++k)
            point[3 * i + k] = (side[0][k] + side[1][k]) / 2;
    }
    return count;
}

enum nb_status nb_problem_place(struct nb_problem *problem, const struct nb_drawing *places, struct nb_error *error)
{
    struct nb_problem given = *problem; /* borrows all arrays */
    if (problem->form == NB_NONLINEAR)
        return nb_fail(error, NB_BAD_INPUT, "%s: the contacts of a nonlinear step have their places", problem->name);
    given.drawing = *places;
    return replace(problem, &given, error);
}

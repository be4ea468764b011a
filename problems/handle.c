/* Problems by pointer: see handle.h. */
#include "problems/handle.h"

#include <stdio.h>
#include <stdlib.h>

struct nb_problem *nb_problem_new(void)
{
    return calloc(1, sizeof(struct nb_problem));
}

void nb_problem_delete(struct nb_problem *problem)
{
    nb_problem_free(problem);
    free(problem);
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

enum nb_status nb_problem_set_linear(struct nb_problem *problem, enum nb_form form, const char *name,
                                     const struct nb_linear_step *step, struct nb_error *error)
{
    struct nb_problem given = {.form = form, .time_step = 1, .linear = *step}, copy;
    if (form != NB_LINEAR_GLOBAL && form != NB_LINEAR_LOCAL)
        return nb_fail(error, NB_BAD_INPUT, "%s: form %d is no linear one", name, (int)form);
    snprintf(given.name, sizeof given.name, "%s", name);
    fill_gaps(&given.linear);
    enum nb_status status = nb_problem_validate(&given, error);
    if (!status)
        status = nb_problem_copy(&given, &copy, error);
    if (status)
        return status;
    nb_problem_free(problem);
    *problem = copy;
    return NB_OK;
}

enum nb_form nb_problem_form(const struct nb_problem *problem)
{
    return problem->form;
}

double nb_problem_time_step(const struct nb_problem *problem)
{
    return problem->time_step;
}

const struct nb_linear_step *nb_problem_linear_step(const struct nb_problem *problem)
{
    return problem->form == NB_NONLINEAR ? NULL : &problem->linear;
}

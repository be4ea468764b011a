/* The shapes are moved to q+ and met again there without a margin: of every contact that this gives, -C_n is how deep
 * it is. */
#include "harness/judge/overlap.h"

#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"
#include "problems/step.h"

/* The point of a contact's side on its surface. */
static void find_point(const struct nb_problem *problem, int contact, int side, double *point)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int place = 2 * contact + side, body = contacts->body[place];
    const double *local = contacts->point + 3 * place;
    double rotation[9];
    memcpy(point, local, 3 * sizeof *point);
    if (body >= 0) {
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
        nb_rotate(rotation, local, point);
        nb_add_scaled3(point, 1, problem->bodies.position + 3 * body, point);
    }
    for (int k = 0; contacts->particle && k < 3; ++k)
        if (contacts->particle[3 * place + k] >= 0)
            nb_add_scaled3(point, contacts->weight[3 * place + k],
                           problem->particles.position + 3 * contacts->particle[3 * place + k], point);
    nb_add_scaled3(point, (side ? 1 : -1) * contacts->radius[place], contacts->frame + 9 * contact, point);
}

static double depth_of(const struct nb_problem *problem, int contact)
{
    double a[3], b[3];
    find_point(problem, contact, 0, a);
    find_point(problem, contact, 1, b);
    nb_subtract3(b, a, a);
    return nb_dot3(problem->contacts.frame + 9 * contact, a);
}

enum nb_status nb_overlap_add(const struct nb_problem *problem, const double *u, double *penetration,
                              struct nb_error *error)
{
    struct nb_problem end;
    if (problem->form != NB_NONLINEAR || problem->shape_count == 0)
        return NB_OK;
    for (int i = 0; i < nb_problem_dofs(problem); ++i)
        if (!isfinite(u[i]))
            return NB_OK;
    enum nb_status status = nb_problem_copy(problem, &end, error);
    if (status)
        return status;
    nb_step_advance(&end, u);
    status = nb_collide(&end, 0, error);
    for (int i = 0; !status && i < end.contacts.count; ++i)
        *penetration = fmax(*penetration, depth_of(&end, i));
    nb_problem_free(&end);
    return status;
}

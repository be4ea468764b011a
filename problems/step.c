/* From one step to the next (problems/step.h):
 *
 *     u~ = u- + h M^-1 f,   q+ = q- (+) h u+          (Macklin et al. 2019, 45 to 50)
 *
 * with contacts found along the free motion from q-. */
#include "problems/step.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/gyration.h"
#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"
#include "problems/scene.h"

/* Where a problem's parameters do not say `margin` [m] (docs/theory/design.md, section 5). */
static const double default_margin = 0.01;

double nb_step_margin(const struct nb_problem *problem)
{
    return nb_problem_parameter(problem, "margin", default_margin);
}

/* u~ of one body: v + h g, and omega such that its angular momentum would stay (problems/base/gyration.h). */
enum nb_status nb_step_free_velocity(const struct nb_problem *problem, int body, double *out, struct nb_error *error)
{
    const struct nb_bodies *bodies = &problem->bodies;
    const double *u = bodies->velocity + 6 * body;
    double rotation[9];
    nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
    if (nb_gyrate(rotation, bodies->inertia + 9 * body, problem->time_step, u + 3, out + 3))
        return nb_fail(error, NB_BAD_INPUT, "bodies/inertia: tensor %d is not positive definite",
                       body);
    nb_add_scaled3(u, problem->time_step, problem->gravity, out);
    return NB_OK;
}

enum nb_status nb_step_prepare(struct nb_problem *problem, struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_BAD_INPUT, "%s is a linear step: it has no bodies to move",
                       problem->name);
    enum nb_status status = NB_OK;
    const int bodies = problem->bodies.count;
    const size_t room = (size_t)nb_problem_dofs(problem) + 1;
    double *u = realloc(problem->free_velocity, room * sizeof *u);
    if (!u)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu velocities", room - 1);
    problem->free_velocity = u;
    for (int i = 0; !status && i < bodies; ++i)
        status = nb_step_free_velocity(problem, i, u + 6 * i, error);
    for (int i = 0; i < problem->particles.count; ++i)
        nb_add_scaled3(problem->particles.velocity + 3 * i, problem->time_step, problem->gravity,
                       u + 6 * bodies + 3 * i);
    if (!status)
        nb_scene_drive(problem, u);
    return status ? status : nb_collide_moving(problem, nb_step_margin(problem), u, error);
}

void nb_step_advance(struct nb_problem *problem, const double *u)
{
    struct nb_bodies *bodies = &problem->bodies;
    struct nb_particles *particles = &problem->particles;
    const double h = problem->time_step, *v = u + 6 * bodies->count;
    for (int i = 0; i < bodies->count; ++i) {
        nb_add_scaled3(bodies->position + 3 * i, h, u + 6 * i, bodies->position + 3 * i);
        nb_quaternion_advance(bodies->orientation + 4 * i, h, u + 6 * i + 3);
    }
    for (int i = 0; i < particles->count; ++i)
        nb_add_scaled3(particles->position + 3 * i, h, v + 3 * i, particles->position + 3 * i);
    if (bodies->count > 0)
        memcpy(bodies->velocity, u, 6 * (size_t)bodies->count * sizeof *u);
    if (particles->count > 0)
        memcpy(particles->velocity, v, 3 * (size_t)particles->count * sizeof *v);
    problem->step++;
    nb_scene_move_on(problem);
}

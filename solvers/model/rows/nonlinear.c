/* A nonlinear step of bodies, particles, joints, elements and contacts: the order of set-up and
 * evaluation. */
#include "solvers/model/rows/nonlinear.h"

#include <stdlib.h>

#include "problems/base/arena.h"

void nb_nonlinear_free(struct nb_nonlinear *step)
{
    if (step)
        free(step->memory);
    free(step);
}

/* Counts, and what the parts borrow from the problem. */
static void borrow(struct nb_nonlinear *step, const struct nb_problem *problem)
{
    step->bodies.count = problem->bodies.count;
    step->particles.count = problem->particles.count;
    step->particles.first_node = 2 * problem->bodies.count;
    step->joints.count = problem->joints.count;
    step->joints.kind = problem->joints.kind;
    step->joints.body = problem->joints.body;
    step->links.attachments = problem->attachments.count;
    step->links.particle = problem->attachments.particle;
    step->links.body = problem->attachments.body;
    step->links.distances = problem->distances.count;
    step->links.pair = problem->distances.particle;
    step->links.ties = problem->ties.count;
    step->links.tied = problem->ties.particle;
    step->tetrahedra.count = problem->tetrahedra.count;
    step->tetrahedra.material = problem->tetrahedra.material;
    step->tetrahedra.particle = problem->tetrahedra.particle;
    step->contacts.count = problem->contacts.count;
    step->contacts.soft = nb_problem_soft_contacts(problem);
    step->contacts.body = problem->contacts.body;
    step->contacts.particle = problem->contacts.particle;
    step->limits.count = problem->limits.count;
    step->limits.joint = problem->limits.joint;
    step->limits.side = problem->limits.side;
}

static void lay_out_bodies(struct nb_nonlinear *step, struct nb_arena *arena)
{
    struct nb_body_state *bodies = &step->bodies;
    struct nb_particle_state *particles = &step->particles;
    const size_t n = (size_t)bodies->count, points = (size_t)particles->count;
    NB_ARRAY(arena, bodies->start_position, 3 * n);
    NB_ARRAY(arena, bodies->start_orientation, 4 * n);
    NB_ARRAY(arena, bodies->position, 3 * n);
    NB_ARRAY(arena, bodies->orientation, 4 * n);
    NB_ARRAY(arena, bodies->rotation, 9 * n);
    NB_ARRAY(arena, particles->start_position, 3 * points);
    NB_ARRAY(arena, particles->position, 3 * points);
}

static void lay_out_bilaterals(struct nb_nonlinear *step, struct nb_arena *arena)
{
    struct nb_joint_frames *joints = &step->joints;
    struct nb_links *links = &step->links;
    struct NB(nb_tetrahedron_rows) *elements = &step->tetrahedra;
    const size_t n = (size_t)elements->count;
    NB_ARRAY(arena, joints->first_block, joints->count);
    NB_ARRAY(arena, joints->point, 6 * (size_t)joints->count);
    NB_ARRAY(arena, joints->orientation, 8 * (size_t)joints->count);
    NB_ARRAY(arena, joints->sign, joints->count);
    NB_ARRAY(arena, links->point, 3 * (size_t)links->attachments);
    NB_ARRAY(arena, links->offset, 3 * (size_t)links->attachments);
    NB_ARRAY(arena, links->length, links->distances);
    NB_ARRAY(arena, links->between, 3 * (size_t)links->distances);
    NB_ARRAY(arena, links->weight, NB_TIED * (size_t)links->ties);
    NB_ARRAY(arena, links->start, 3 * (size_t)links->ties);
    NB_ARRAY(arena, elements->block, n);
    NB_ARRAY(arena, elements->gradient, 9 * n);
    NB_ARRAY(arena, elements->start, 9 * n);
    NB_ARRAY(arena, elements->lame, 2 * n);
    NB_ARRAY(arena, elements->inflation, n);
    NB_ARRAY(arena, elements->volume, n);
    NB_ARRAY(arena, elements->length, n);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_nonlinear *step = data;
    struct nb_contact_points *contacts = &step->contacts;
    struct nb_limit_rows *limits = &step->limits;
    const size_t n = (size_t)contacts->count;
    lay_out_bodies(step, arena);
    lay_out_bilaterals(step, arena);
    NB_ARRAY(arena, contacts->point, 6 * n);
    NB_ARRAY(arena, contacts->radius, 2 * n);
    if (contacts->particle)
        NB_ARRAY(arena, contacts->weight, 6 * n);
    NB_ARRAY(arena, contacts->frame, 9 * n);
    NB_ARRAY(arena, contacts->thickness, n);
    NB_ARRAY(arena, contacts->place, 2 * n);
    if (contacts->soft) {
        NB_ARRAY(arena, contacts->pad, n);
        NB_ARRAY(arena, contacts->pad_slope, 2 * n);
    }
    NB_ARRAY(arena, limits->bound, limits->count);
    NB_ARRAY(arena, limits->tangent, 6 * (size_t)limits->count);
}

enum nb_status nb_nonlinear_create(struct nb_model *model, struct nb_error *error)
{
    static void (*const start[])(struct nb_model *) = {
        NB(nb_bodies_start), NB(nb_particles_start),  NB(nb_joints_start), NB(nb_links_start),
        NB(nb_tetrahedra_start), NB(nb_contacts_start), NB(nb_limits_start)};
    enum nb_status status = NB(nb_rows_create)(model, error);
    if (status)
        return status;
    model->nonlinear = calloc(1, sizeof *model->nonlinear);
    if (model->nonlinear) {
        borrow(model->nonlinear, model->problem);
        model->nonlinear->memory = nb_arena_allocate(lay_out, model->nonlinear);
    }
    if (!model->nonlinear || !model->nonlinear->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a nonlinear step");
    status = NB(nb_pads_start)(model, error);
    for (size_t i = 0; i < sizeof start / sizeof *start; ++i)
        start[i](model);
    return status;
}

void nb_nonlinear_evaluate(struct nb_model *model, const nb_real *u)
{
    NB(nb_bodies_evaluate)(model, u);
    NB(nb_particles_evaluate)(model, u);
    NB(nb_joints_evaluate)(model);
    NB(nb_links_evaluate)(model, u);
    NB(nb_tetrahedra_evaluate)(model, u);
    NB(nb_contacts_evaluate)(model, u);
    NB(nb_pads_evaluate)(model, u);
    NB(nb_limits_evaluate)(model, u);
}

/* The diagonal approximation of the geometric stiffness by the last step (Macklin et al. 2019, 73 as corrected in
 * docs/theory/design.md, 74): before an evaluation the momentum defect of the old multiplier is kept at the old u,
 * after it compared with that at the new u, and their quotient becomes the diagonal of H. */
#include "solvers/model/geometric_stiffness.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/model/model_mass.h"

/* The model is as it was before, for the next set-up. */
void nb_geometric_free(struct nb_geometric *geometric)
{
    if (geometric && geometric->memory) {
        struct nb_model *model = geometric->model;
        memcpy(model->inverse_mass, geometric->inverse, 9 * geometric->body_nodes * sizeof *geometric->inverse);
        memcpy(model->inverse_root, geometric->root, 9 * geometric->body_nodes * sizeof *geometric->root);
        model->body_ratio = NULL;
        nb_model_reset_inertia(model);
        free(geometric->memory);
    }
    free(geometric);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_geometric *geometric = data;
    const size_t nodes = 3 * (size_t)geometric->model->nodes;
    NB_ARRAY(arena, geometric->impulse, 3 * (size_t)geometric->model->blocks);
    NB_ARRAY(arena, geometric->u, nodes);
    NB_ARRAY(arena, geometric->before, nodes);
    NB_ARRAY(arena, geometric->after, nodes);
    NB_ARRAY(arena, geometric->mass, 9 * geometric->body_nodes);
    NB_ARRAY(arena, geometric->inverse, 9 * geometric->body_nodes);
    NB_ARRAY(arena, geometric->root, 9 * geometric->body_nodes);
    NB_ARRAY(arena, geometric->ratio, 9 * geometric->body_nodes);
    NB_ARRAY(arena, geometric->shift, 3 * geometric->body_nodes);
}

enum nb_status nb_geometric_create(struct nb_geometric **out, struct nb_model *model, int bodies,
                                   struct nb_error *error)
{
    struct nb_geometric *geometric = *out = calloc(1, sizeof *geometric);
    if (geometric) {
        geometric->model = model;
        geometric->body_nodes = bodies ? (size_t)(model->nodes - model->particles) : 0;
        geometric->memory = nb_arena_allocate(lay_out, geometric);
    }
    if (geometric && geometric->memory) {
        memcpy(geometric->inverse, model->inverse_mass, 9 * geometric->body_nodes * sizeof *geometric->inverse);
        memcpy(geometric->root, model->inverse_root, 9 * geometric->body_nodes * sizeof *geometric->root);
        for (size_t node = 0; node < geometric->body_nodes; ++node)
            nb_mass_invert(geometric->inverse + 9 * node, geometric->mass + 9 * node);
    }
    return geometric && geometric->memory
               ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the geometric stiffness");
}

void nb_geometric_restart(struct nb_geometric *geometric)
{
    struct nb_model *model = geometric->model;
    geometric->armed = 0;
    nb_model_reset_inertia(model);
    memset(geometric->shift, 0, 3 * geometric->body_nodes * sizeof *geometric->shift);
    for (size_t k = 0; k < 9 * geometric->body_nodes; ++k)
        geometric->ratio[k] = k % 9 % 4 == 0;
    for (size_t node = 0; node < geometric->body_nodes; ++node)
        nb_model_set_block(model, node, geometric->mass + 9 * node, geometric->shift + 3 * node,
                           geometric->ratio + 9 * node);
    model->body_ratio = geometric->body_nodes ? geometric->ratio : NULL;
}

void nb_geometric_look_back(struct nb_geometric *geometric, const nb_real *lambda)
{
    const struct nb_model *model = geometric->model;
    if (!geometric->armed)
        return;
    for (size_t i = 0; i < 3 * (size_t)model->blocks; ++i)
        geometric->impulse[i] = model->time_step * lambda[i];
    nb_model_gather(model, geometric->impulse, geometric->before);
}

static nb_real largest(const nb_real *values, size_t count)
{
    nb_real most = 0;
    for (size_t i = 0; i < count; ++i)
        most = nb_max(most, nb_abs(values[i]));
    return most;
}

static void update_particles(struct nb_geometric *geometric, const nb_real *u)
{
    struct nb_model *model = geometric->model;
    const size_t end = 3 * (size_t)model->nodes, first = end - 3 * (size_t)model->particles;
    const nb_real noise = nb_geometric_noise(largest(geometric->before, end), largest(geometric->after, end));
    for (size_t i = first; i < end; ++i) {
        const nb_real inertia =
            nb_geometric_inertia(model->particle_mass[(i - first) / 3], u[i] - geometric->u[i],
                                 geometric->after[i] - geometric->before[i], noise);
        if (inertia > 0)
            nb_model_set_inertia(model, i, inertia);
    }
}

static void update_bodies(struct nb_geometric *geometric, const nb_real *u)
{
    const size_t end = 3 * (size_t)geometric->model->nodes;
    const nb_real noise = nb_geometric_noise(largest(geometric->before, end), largest(geometric->after, end));
    for (size_t i = 0; i < 3 * geometric->body_nodes; ++i) {
        const nb_real mass = geometric->mass[9 * (i / 3) + 4 * (i % 3)];
        const nb_real inertia = nb_geometric_inertia(mass, u[i] - geometric->u[i],
                                                     geometric->after[i] - geometric->before[i], noise);
        if (inertia > 0)
            geometric->shift[i] = inertia - mass;
    }
    for (size_t node = 0; node < geometric->body_nodes; ++node)
        nb_model_set_block(geometric->model, node, geometric->mass + 9 * node, geometric->shift + 3 * node,
                           geometric->ratio + 9 * node);
}

void nb_geometric_update(struct nb_geometric *geometric, const nb_real *u)
{
    if (geometric->armed) {
        nb_model_gather(geometric->model, geometric->impulse, geometric->after);
        update_particles(geometric, u);
        update_bodies(geometric, u);
    }
    memcpy(geometric->u, u, 3 * (size_t)geometric->model->nodes * sizeof *u);
    geometric->armed = 1;
}

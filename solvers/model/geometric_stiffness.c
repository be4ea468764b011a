/* The diagonal approximation of the geometric stiffness by the last step (Macklin et al. 2019, 73 as corrected in
 * docs/theory/design.md, 74): before an evaluation the momentum defect of the old multiplier is kept at the old u,
 * after it compared with that at the new u, and their quotient becomes the diagonal of H. */
#include "solvers/model/geometric_stiffness.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
void nb_geometric_free(struct nb_geometric *geometric)
{
    if (geometric)
        free(geometric->memory);
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
}

enum nb_status nb_geometric_create(struct nb_geometric **out, struct nb_model *model, struct nb_error *error)
{
    struct nb_geometric *geometric = *out = calloc(1, sizeof *geometric);
    if (geometric) {
        geometric->model = model;
        geometric->memory = nb_arena_allocate(lay_out, geometric);
    }
    return geometric && geometric->memory
               ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the geometric stiffness");
}

void nb_geometric_restart(struct nb_geometric *geometric)
{
    geometric->armed = 0;
    nb_model_reset_inertia(geometric->model);
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

void nb_geometric_update(struct nb_geometric *geometric, const nb_real *u)
{
    if (geometric->armed) {
        nb_model_gather(geometric->model, geometric->impulse, geometric->after);
        update_particles(geometric, u);
    }
    memcpy(geometric->u, u, 3 * (size_t)geometric->model->nodes * sizeof *u);
    geometric->armed = 1;
}

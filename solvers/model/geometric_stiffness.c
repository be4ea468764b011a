#include "solvers/model/geometric_stiffness.h"

#include <stdlib.h>
#include <string.h>

void nb_geometric_free(struct nb_geometric *geometric)
{
    if (geometric)
        free(geometric->storage);
    free(geometric);
}

enum nb_status nb_geometric_create(struct nb_geometric **out, struct nb_model *model, struct nb_error *error)
{
    const size_t nodes = 3 * (size_t)model->nodes, rows = 3 * (size_t)model->blocks;
    *out = NULL;
    struct nb_geometric *geometric = calloc(1, sizeof *geometric);
    if (geometric)
        geometric->storage = calloc(rows + 3 * nodes + 1, sizeof *geometric->storage);
    if (!geometric || !geometric->storage) {
        free(geometric);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the geometric stiffness");
    }
    geometric->model = model;
    geometric->impulse = geometric->storage;
    geometric->u = geometric->impulse + rows;
    geometric->before = geometric->u + nodes;
    geometric->after = geometric->before + nodes;
    *out = geometric;
    return NB_OK;
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

/* A straight chain of particles with a large mass at its end (Macklin 2020, section 5.3, figure 28),
 * of which the seed plots the condition number of the dual system J M^-1 J^T + E/h^2 against the mass
 * ratio, and of the primal one against the stiffness ratio.
 *
 * The particles are small spheres on rods. Hanging straight, the rows along the chain couple no
 * rotation, and they are the 1D chain's own system: 1/m_0 first, 1/m_(i-1) + 1/m_i after it,
 * -1/m_i beside the diagonal. With the first link softer than the others by the ratio by which the last
 * mass is larger, the primal system of the one is the dual of the other, in reverse order. The rows across
 * the chain, which a 1D chain has not, are apart. */
#include <stdlib.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_chain.h"

enum { COUNT, RATIO, STIFFNESS_RATIO, COMPLIANCE, MASS, LENGTH, RADIUS, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status check(const double *values, struct nb_error *error)
{
    /* A sphere and the rod of the link after the next. */
    const double least = values[RADIUS] * (1 + 1.0 / NB_CHAIN_RADIUS_OVER_ROD) + values[MARGIN];
    if (values[LENGTH] > least)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT,
                   "particle_chain: length = %g m must be above %g m (1.2 radius + margin), or "
                   "particles touch", values[LENGTH], least);
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    enum nb_status status = check(values, error);
    if (status)
        return status;
    struct nb_chain_link *links = malloc((size_t)count * sizeof *links);
    if (!links)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d particles", count);
    for (int i = 0; i < count; ++i)
        links[i] = (struct nb_chain_link){
            .mass = values[MASS] * (i == count - 1 ? values[RATIO] : 1),
            .compliance = values[COMPLIANCE] * (i == 0 ? values[STIFFNESS_RATIO] : 1)};
    status = nb_scene_hang_chain(problem, count, links, values[LENGTH], values[RADIUS], 0, error);
    free(links);
    return status;
}

const struct nb_scene nb_scene_particle_chain = {
    .name = "particle_chain",
    .title = "Particle chain",
    .source = "Macklin 2020 (thesis), section 5.3, figure 28; particles are small spheres on rods, "
              "with rows across the chain that a 1D chain has not",
    .observable = "stretch",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 16, 1, 10000, 1, "1", "particles, the last one heavy"},
            [RATIO] = {"ratio", 1e4, 1e-6, 1e8, 0, "1", "mass of the last particle over the others"},
            [STIFFNESS_RATIO] = {"stiffness_ratio", 1, 1e-8, 1e8, 0, "1",
                                 "stiffness of the other links over the first"},
            [COMPLIANCE] = {"compliance", 0, 0, 1, 0, "m/N", "of every link; 0: rigid"},
            [MASS] = {"mass", 1, 1e-3, 1e6, 0, "kg", "mass of a particle"},
            [LENGTH] = {"length", 0.2, 1e-3, 100, 0, "m", "distance of neighbours"},
            [RADIUS] = {"radius", 0.02, 1e-4, 10, 0, "m", "radius of the particles"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_chain_stretch,
};

/* r_n = h^2, r_f = h: the units of a gap per force without the mass (Macklin et al. 2019,
 * section 10.2). */
#include "solvers/strategy.h"

static void compute(const struct nb_scaling_input *input, nb_real *r_normal,
                    nb_real *r_friction)
{
    const nb_real h = input->time_step;
    for (size_t i = 0; i < input->contacts; ++i) {
        r_normal[i] = h * h;
        r_friction[i] = h;
    }
}

const struct nb_scaling NB(nb_scaling_timestep) = {
    .name = "timestep",
    .title = "r = h^2 (normal), h (friction)",
    .source = "Macklin et al. 2019, section 10.2",
    .own_units = 1,
    .compute = compute,
};

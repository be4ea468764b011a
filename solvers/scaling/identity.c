/* r = 1: no scaling (Macklin et al. 2019, section 10.2). */
#include "solvers/strategy.h"

static void compute(const struct nb_scaling_input *input, nb_real *r_normal,
                    nb_real *r_friction)
{
    for (size_t i = 0; i < input->contacts; ++i)
        r_normal[i] = r_friction[i] = 1;
}

const struct nb_scaling NB(nb_scaling_identity) = {
    .name = "identity",
    .title = "r = 1",
    .source = "Macklin et al. 2019, section 10.2",
    .own_units = 1,
    .compute = compute,
};

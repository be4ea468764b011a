/* Effective mass: r_n,i = h^2 [J M^-1 J^T]_ii, r_f,i = h times the larger of the two tangent
 * diagonals (Macklin et al. 2019, 66). Both arguments of phi then have the same slope. */
#include "solvers/strategy.h"

static void compute(const struct nb_scaling_input *input, nb_real *r_normal,
                    nb_real *r_friction)
{
    const nb_real h = input->time_step;
    for (size_t i = 0; i < input->contacts; ++i) {
        const nb_real *d = input->diagonal + 3 * i;
        const nb_real tangent = nb_max(d[1], d[2]);
        /* A contact that nothing can move has no effective mass: any r > 0 will do. */
        r_normal[i] = h * h * (d[0] > 0 ? d[0] : 1);
        r_friction[i] = h * (tangent > 0 ? tangent : 1);
    }
}

const struct nb_scaling NB(nb_scaling_mass) = {
    .name = "mass",
    .title = "r = effective mass",
    .source = "Macklin et al. 2019, equation 66",
    .compute = compute,
};

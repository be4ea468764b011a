/* The minimum map of one contact and its friction compliance (solvers/ncp/min_map.c). */
#ifndef NB_MINIMUM_CONTACT_H
#define NB_MINIMUM_CONTACT_H

#include "solvers/precision.h"

#define nb_minimum_friction NB(nb_minimum_friction)
#define nb_minimum_normal NB(nb_minimum_normal)

NB_BOTH void nb_minimum_normal(nb_real a, nb_real b, nb_real *phi, nb_real *dphi_da,
                               nb_real *dphi_db)
{
    const int active = a <= b;
    *phi = active ? a : b;
    *dphi_da = (nb_real)active;
    *dphi_db = (nb_real)!active;
}

NB_BOTH nb_real nb_minimum_friction(nb_real slip, nb_real force, nb_real limit, nb_real r)
{
    const nb_real rho = r * (limit - force);
    return slip <= rho ? 0 : (slip - rho) / limit;
}

#endif

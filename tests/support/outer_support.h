/* The nonlinear methods that solve Coulomb's law. */
#ifndef NB_TEST_OUTER_SUPPORT_H
#define NB_TEST_OUTER_SUPPORT_H

#include "tests/support/method_support.h"

/* Settings with which each method's fixed points are the solutions of Coulomb's law. */
static const char *const coulomb_methods[] = {
    "pgs:friction=cone",
    "pgs:friction=cone:relaxation=1.3:warm=5",
    "nsgs",
    "nsgs:order=symmetric:relaxation=0.9",
    "nncg:friction=cone",
    "projected_gradient",
    "projected_gradient:metric=uniform:step=1.5",
    "extragradient",
    "apgd",
    "apgd:metric=uniform:update=1",
    "admm",
    "admm:balance=no:rho=1:relaxation=1",
    "dual_ascent",
    "dual_ascent:momentum=nesterov",
    "dual_ascent:momentum=chebyshev:radius=0.9",
    "primal_descent:update=10",
    "primal_descent:precond=block:update=20:momentum=nesterov",
    "cone_fischer_newton",
};
enum { COULOMB_METHODS = sizeof coulomb_methods / sizeof *coulomb_methods };

/* The methods above and those that solve another problem. */
static const char *const other_methods[] = {
    "pgs", "nncg", "pgs:friction=inner", "nncg:friction=outer:directions=5", "lemke:directions=4",
    "projected_gradient:friction=associated", "extragradient:friction=associated",
    "apgd:friction=associated", "admm:friction=associated", "primal_descent",
    "primal_descent:exponent=3:k_n=1e6:k_f=1e5", "dual_ascent:k_n=1e6"};
enum { ALL_METHODS = COULOMB_METHODS + sizeof other_methods / sizeof *other_methods };

static inline const char *any_method(int index)
{
    return index < COULOMB_METHODS ? coulomb_methods[index]
                                   : other_methods[index - COULOMB_METHODS];
}

/* It has no mass matrix to work with in local problems. */
static inline int is_primal(const char *solver) { return !strncmp(solver, "primal", 6); }

/* At most so many iterations; Newton's are dearer and fewer do. */
static inline struct nb_options method(const char *solver, int iterations)
{
    const int few = !strncmp(solver, "cone_fischer", 12) && iterations > 100;
    return test_options(solver, few ? 100 : iterations);
}

#endif

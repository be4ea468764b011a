/* Defaults and checks of a solve's options. */
#include <math.h>
#include <string.h>

#include "solvers/driver/driver.h"
#include "solvers/newton_options.h"
#include "solvers/registry.h"
#include "solvers/solve.h"

struct nb_options nb_options_default(void)
{
    return (struct nb_options){
        .solver = "proximal_newton",
        .ncp = "fb",
        .scaling = "mass",
        .newton_form = "scaled",
        .linear = "pcr",
        .precond = "jacobi",
        .operator_form = "assembled",
        .precision = "f64",
        .newton_iterations = NB_OWN_ITERATIONS,
        .linear_iterations = 40,
        .damping = 0.75,
        .shift = 1e-8,
        .threads = 1,
    };
}

bool nb_is_newton_option(const char *name)
{
    static const char *const names[] = {"ncp",    "scaling", "newton_form", "operator",
                                        "damping", "linear",  "precond",     "linear_iters"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

int nb_options_iterations(const struct nb_options *options)
{
    if (options->newton_iterations != NB_OWN_ITERATIONS)
        return options->newton_iterations;
    return nb_driver_at(0)->solver_iterations(options->solver);
}

enum nb_islands_choice nb_options_islands(const struct nb_options *options)
{
    if (options->islands != NB_ISLANDS_OWN)
        return options->islands;
    return nb_driver_at(0)->solver_together(options->solver) ? NB_ISLANDS_TOGETHER : NB_ISLANDS_APART;
}

static enum nb_status check_name(const char *kind, const char *name, struct nb_error *error)
{
    return nb_registry_check("", kind, name ? name : "", error);
}

static enum nb_status check_numbers(const struct nb_options *options, struct nb_error *error)
{
    if (options->newton_iterations < 0 && options->newton_iterations != NB_OWN_ITERATIONS)
        return nb_fail(error, NB_BAD_INPUT, "newton-iters is %d; it must be 0 or more",
                       options->newton_iterations);
    if (options->linear_iterations < 0)
        return nb_fail(error, NB_BAD_INPUT, "linear-iters is %d; it must be 0 or more",
                       options->linear_iterations);
    if (!(options->damping > 0 && options->damping <= 1))
        return nb_fail(error, NB_BAD_INPUT, "damping is %g; it must be in (0, 1]", options->damping);
    if (!(options->shift >= 0 && isfinite(options->shift)))
        return nb_fail(error, NB_BAD_INPUT, "shift is %g; it must be 0 or more and finite",
                       options->shift);
    if (options->threads < 1 || options->threads > 1024)
        return nb_fail(error, NB_BAD_INPUT, "threads is %d; it must be 1 to 1024",
                       options->threads);
    return NB_OK;
}

enum nb_status nb_options_validate(const struct nb_options *options, struct nb_error *error)
{
    const struct {
        const char *kind, *name;
    } names[] = {
        {"solver", options->solver},       {"ncp", options->ncp},
        {"scaling", options->scaling},     {"linear", options->linear},
        {"precond", options->precond},     {"operator", options->operator_form},
        {"precision", options->precision},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const enum nb_status status = check_name(names[i].kind, names[i].name, error);
        if (status)
            return status;
    }
    const char *form = options->newton_form ? options->newton_form : "";
    if (strcmp(form, "scaled") != 0 && strcmp(form, "true") != 0)
        return nb_fail(error, NB_BAD_INPUT, "unknown newton-form '%s'; known: scaled, true", form);
    return check_numbers(options, error);
}

/* The verdict on a run in words: whether it converged to the tolerance, or how it ended, with its error, the part of
 * it that is largest, and the contact that is worst. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/case_print.h"
#include "problems/base/emphasis.h"

/* What an ending means: of a step, besides its name. */
static const struct {
    const char *name, *of_step;
} words[NB_ENDING_COUNT + 1] = {
    [NB_ENDING_CONVERGED] = {"converged", ""},
    [NB_ENDING_ACCURACY_FLOOR] = {"accuracy floor", ", its arithmetic allows no less"},
    [NB_ENDING_STAGNATED] = {"stagnated", ", more iterations would not help"},
    [NB_ENDING_CYCLING] = {"cycling", ", it comes back to the same iterates"},
    [NB_ENDING_ITERATION_LIMIT] = {"iteration limit", ", more iterations would help"},
    [NB_ENDING_DIVERGED] = {"diverged", ""},
    [NB_ENDING_BREAKDOWN] = {"breakdown", ""},
    [NB_ENDING_INFEASIBLE] = {"infeasible", ", the constraints of the step contradict each other"},
};

static enum nb_ending ending_of(const struct nb_case_result *result)
{
    return result->ending ? nb_ending_find(result->ending) : NB_ENDING_CRASHED;
}

static const char *largest_part(const struct nb_metrics *errors)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {{"penetration rate", errors->step_penetration}, {"complementarity", errors->step_complementarity},
                 {"cone", errors->step_cone}, {"direction of sliding", errors->step_sliding},
                 {"bilateral rows", errors->step_bilateral}, {"momentum", errors->step_momentum}};
    size_t largest = 0;
    for (size_t i = 1; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i].value > parts[largest].value)
            largest = i;
    return parts[largest].name;
}

/* Below 0: none was asked for. */
static double tolerance_of(const struct nb_case *setting)
{
    const double linear = setting->mode == NB_CASE_LINEAR_SYSTEM ? nb_case_linear_tolerance(setting) : 0;
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        return linear > 0 ? linear : -1;
    return isnan(setting->tolerance) ? -1 : setting->tolerance;
}

bool nb_case_is_usable(const struct nb_case_result *result)
{
    return nb_ending_is_usable(ending_of(result));
}

bool nb_case_is_reached(const struct nb_case *setting, const struct nb_case_result *result)
{
    return tolerance_of(setting) < 0 || ending_of(result) == NB_ENDING_CONVERGED;
}

/* The bodies of a contact, where the file has some. */
static void print_bodies(const struct nb_problem *problem, double contact)
{
    if (problem->form != NB_NONLINEAR || !(contact < problem->contacts.count))
        return;
    const int *body = problem->contacts.body + 2 * (int)contact;
    if (body[0] >= 0 && body[1] >= 0)
        printf(" of bodies %d and %d", body[0], body[1]);
    else if (body[0] >= 0 || body[1] >= 0)
        printf(" of body %d and the world", body[0] >= 0 ? body[0] : body[1]);
}

static void print_error(const struct nb_case *setting, const struct nb_case_result *result,
                        const struct nb_problem *problem)
{
    const struct nb_metrics *errors = &result->errors;
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("residual %.3e after %ld iterations\n", errors->residual, result->counts.linear_iterations);
        return;
    }
    printf("error %.3e after %d iterations", errors->step_error, result->counts.newton_iterations);
    if (errors->step_error > 0)
        printf(", most of it %s", largest_part(errors));
    if (errors->step_error > 0 && !isnan(errors->worst_contact)) {
        printf("; worst contact %.0f", errors->worst_contact);
        print_bodies(problem, errors->worst_contact);
    }
    printf("\n");
}

/* A backward error bounds velocities by the step's condition only. */
static void print_uncertainty(const struct nb_case_result *result)
{
    const double condition = result->step_condition, error = result->errors.step_error;
    if (isnan(condition) || !(error > 0))
        return;
    printf("             velocities uncertain by about %.1e of V%s (condition %.1e)\n", fmin(1, condition * error),
           condition * error >= 1 ? " or more" : "", condition);
}

static void print_spread(const struct nb_case_result *result)
{
    if (result->velocity_spread > 0)
        printf("             the velocities are not unique: another answer as right is %.2g of V apart\n",
               result->velocity_spread);
}

static void print_outcome(const struct nb_case *setting, const struct nb_case_result *result)
{
    const enum nb_ending ending = ending_of(result);
    const double tolerance = tolerance_of(setting);
    const bool system = setting->mode == NB_CASE_LINEAR_SYSTEM;
    const char *option = system ? "the linear solver's tol" : "--tol";
    const char *name = words[ending].name ? words[ending].name : nb_ending_name(ending);
    const char *more = system || !words[ending].of_step ? "" : words[ending].of_step;
    if (!nb_ending_is_usable(ending))
        printf("not usable: %s%s", name, more);
    else if (tolerance < 0)
        printf("%s%s (%s is not given)", name, more, option);
    else if (ending == NB_ENDING_CONVERGED)
        printf("converged to %s %g", option, tolerance);
    else
        printf("not converged to %s %g: %s%s", option, tolerance, name, more);
}

void nb_case_print_verdict(const struct nb_case *setting, const struct nb_case_result *result,
                           const struct nb_problem *problem)
{
    const bool fine = nb_case_is_usable(result) && nb_case_is_reached(setting, result);
    const enum nb_emphasis how = !fine ? NB_BAD : tolerance_of(setting) < 0 ? NB_HEADING : NB_GOOD;
    printf("verdict      %s", nb_emphasis(stdout, how));
    print_outcome(setting, result);
    printf("%s\n", nb_emphasis(stdout, NB_PLAIN));
    if (!result->trace.count)
        return;
    printf("             ");
    print_error(setting, result, problem);
    print_uncertainty(result);
    print_spread(result);
}

/* The table of `solve` and `linear`, an iteration a row, and the summary below it. */
#include "harness/cli/case_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/record.h"
#include "problems/base/emphasis.h"
#include "problems/base/processors.h"

/* The verdict on a run in words: whether it converged to the tolerance, or how it ended, with its error, the part of
 * it that is largest, and the contact that is worst. */

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

/* Below 0: it was not asked for. */
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

/* A file's own solution is judged, and nothing runs: only then has `external` no command. */
static bool is_stored(const struct nb_case *setting)
{
    return !strcmp(setting->options.solver, "external");
}

static void print_error(const struct nb_case *setting, const struct nb_case_result *result,
                        const struct nb_problem *problem)
{
    const struct nb_metrics *errors = &result->errors;
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("residual %.3e after %ld iterations\n", errors->residual, result->counts.linear_iterations);
        return;
    }
    printf("error %.3e", errors->step_error);
    if (!is_stored(setting))
        printf(" after %d iterations", result->counts.newton_iterations);
    if (result->further > 0)
        printf(" and %d more for sharper velocities", result->further);
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
    const double uncertain = nb_velocity_uncertainty(&result->condition, &result->errors);
    if (!(uncertain > 0))
        return;
    printf("             velocities uncertain by about %.1e of V%s (condition %.1e)\n", fmin(1, uncertain),
           uncertain >= 1 ? " or more" : "", result->condition.all);
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
    if (is_stored(setting) && ending != NB_ENDING_INFEASIBLE)
        printf(tolerance < 0                   ? "judged (--tol is not given)"
               : ending == NB_ENDING_CONVERGED ? "within --tol %g"
                                               : "not within --tol %g",
               tolerance);
    else if (!nb_ending_is_usable(ending))
        printf("not usable: %s%s", name, more);
    else if (tolerance < 0)
        printf("%s%s (%s is not given)", name, more, option);
    else if (ending == NB_ENDING_CONVERGED)
        printf("converged to %s %g", option, tolerance);
    else
        printf("not converged to %s %g: %s%s", option, tolerance, name, more);
}

/* Whether it converged, or how it ended; below, its error, the part that is largest, and where. */
static void case_print_verdict(const struct nb_case *setting, const struct nb_case_result *result,
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

/* Words of a metric's name as its heading: the first, and below it the unit, or the second where there is none. */
static void print_heading(const struct nb_metric *metric, bool second)
{
    const int length = (int)strcspn(metric->name, "_");
    char text[24];
    if (!second)
        snprintf(text, sizeof text, "%.*s", length, metric->name);
    else if (metric->unit[0])
        snprintf(text, sizeof text, "[%s]", metric->unit);
    else
        snprintf(text, sizeof text, "%s", metric->name + length + 1);
    printf("  %10s", text);
}

void nb_case_print_header(const struct nb_case *setting)
{
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("%5s  %12s\n", "iter", "residual");
        return;
    }
    const bool iterates = !is_stored(setting);
    for (int line = 0; line < 2; ++line) {
        printf("%5s", line || !iterates ? "" : "iter");
        for (int place = 1, m; (m = nb_metric_traced(NB_METRIC_OF_STEP, place)) >= 0; ++place)
            if (nb_metrics[m].shown)
                print_heading(&nb_metrics[m], line);
        if (iterates)
            printf("  %10s  %6s", line ? "change" : "largest", line ? "iters" : "linear");
        printf("\n");
    }
}

static void print_value(double value)
{
    if (isnan(value))
        printf("  %10s", "-");
    else
        printf("  %10.3e", value);
}

void nb_case_print_entry(void *context, const struct nb_trace *trace, int entry)
{
    const struct nb_case *setting = context;
    const bool iterates = !is_stored(setting);
    if (iterates)
        printf("%5d", (int)trace->column[NB_TRACE_ITERATION][entry]);
    else
        printf("%5s", "");
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("  %12.5e\n", trace->column[NB_METRIC_residual][entry]);
        return;
    }
    for (int place = 1, m; (m = nb_metric_traced(NB_METRIC_OF_STEP, place)) >= 0; ++place)
        if (nb_metrics[m].shown)
            print_value(trace->column[m][entry]);
    if (iterates) {
        print_value(trace->column[NB_TRACE_STEP][entry]);
        printf("  %6d", (int)trace->column[NB_TRACE_LINEAR][entry]);
    }
    printf("\n");
}

/* The strategies that were used, by the names of the options: a method on its own reads none but the precision. */
static void print_method(const struct nb_case *setting)
{
    const struct nb_case_setting *row;
    const char *separator = "method       ";
    for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
        const void *member = (const char *)setting + row->offset;
        if (row->option.type != NB_OPTION_TEXT || !nb_case_setting_is_read(row, setting))
            continue;
        printf("%s%s %s", separator, row->option.name, *(const char *const *)member);
        separator = ", ";
    }
    printf("\n");
}

static void print_ending(const struct nb_case *setting, const struct nb_case_result *result)
{
    const struct nb_run *counts = &result->counts;
    if (is_stored(setting)) {
        printf("size         %d dofs, %d contacts, %d bilateral rows\n", result->dofs, result->contacts,
               result->bilaterals);
        return;
    }
    printf("ended        %s%s%s\n", result->ending, result->detail[0] ? ": " : "",
           result->detail);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        printf("size         %d rows, %d entries\nwork         ", result->rows, result->entries);
    else
        printf("size         %d dofs, %d contacts, %d bilateral rows\nwork         %d Newton, ",
               result->dofs, result->contacts, result->bilaterals, counts->newton_iterations);
    printf("%ld linear iterations, %ld products, %ld preconditionings\n", counts->linear_iterations,
           counts->operator_applications, counts->preconditioner_applications);
}

/* The observed run is the first, and other programs' time is in it: its parts are not those of the solves that are
 * timed, which may take a fraction of it. Islands at once take longer than the run. */
static void print_parts(const struct nb_case_result *result)
{
    const struct nb_run *counts = &result->counts;
    const double whole = result->running; /* the set-up that is shown is the timed solves' */
    if (counts->assembly_seconds + counts->linear_seconds > whole)
        return;
    printf("             the run above, by the clock %.3g s: assembly %.3g s", whole, counts->assembly_seconds);
    if (counts->preparation_seconds > 0)
        printf(" (preconditioner and solver %.3g s)", counts->preparation_seconds);
    printf(", linear solves %.3g s\n", counts->linear_seconds);
}

static void print_times(const struct nb_case_result *result, const double *seconds, int count)
{
    const struct nb_run *counts = &result->counts;
    printf("time         load %.3g s, set-up %.3g s", result->load, result->setup);
    if (count)
        printf(", solve %.4g s (median of %d)", nb_median(seconds, count), count);
    printf("\n");
    if (counts->newton_iterations)
        print_parts(result);
    else if (counts->preparation_seconds > 0 && counts->preparation_seconds <= result->setup)
        printf("             of the set-up, preconditioner and solver %.3g s\n", counts->preparation_seconds);
}

static void print_errors(const struct nb_case *setting, const struct nb_case_result *result)
{
    const struct nb_metrics *errors = &result->errors;
    if (!result->trace.count) {
        printf("judged       nothing: there is no iterate\n");
        return;
    }
    printf("judged       natural map %.3e", errors->natural_map);
    if (!isnan(errors->natural_map_linearized))
        printf(" (linearised %.3e)", errors->natural_map_linearized);
    printf(", penetration %.3e m\n", errors->penetration);
    if (errors->strain_error != 0) /* only elements have one */
        printf("             error of the elements' strains %.3e\n", errors->strain_error);
    if (!isnan(errors->normal_force)) /* linear steps do not tell who touches the world */
        printf("             normal force on the world %.8g N\n", errors->normal_force);
    if (!isnan(errors->kinetic_energy))
        printf("             kinetic energy %.4g J\n", errors->kinetic_energy);
    printf("             contacts: %.0f open, %.0f sticking, %.0f sliding\n", errors->open,
           errors->stick, errors->slip);
    if (!is_stored(setting))
        printf("best         error %.3e at iteration %d\n", result->best_error, result->best_iteration);
}

static void print_system(const struct nb_case_result *result)
{
    const struct nb_exact_report *reference = &result->reference;
    const struct nb_floor_linear *floor = &result->linear_floor;
    printf("judged       residual %.3e, energy error %.3e\n", result->errors.residual, result->errors.energy_error);
    if (!reference->converged) {
        printf("reference    none: %s, %d refinements, condition number %.1e\n",
               reference->method ? reference->method : "not tried", reference->refinements,
               reference->condition);
        return;
    }
    printf("             largest entry: residual %.2e, forward error %.2e\n",
           result->errors.residual_max, result->errors.forward_error);
    printf("floors       norm-wise residual %.2e, forward %.2e; component-wise %.2e, %.2e\n",
           floor->residual, floor->forward, floor->component_residual, floor->component_forward);
    printf("reference    %s, %d refinements in quad, condition number %.1e\n", reference->method,
           reference->refinements, reference->condition);
}

static void print_step(const struct nb_case *setting, const struct nb_case_result *result, const struct nb_floor *floor)
{
    print_errors(setting, result);
    if (floor)
        printf("floors       norm-wise residual %.2e, step %.2e; component-wise constraints "
               "%.2e m/s, all rows %.2e; error up to %.2e\n",
               floor->residual, floor->step, floor->component_constraint, floor->component_all,
               floor->step_error);
}

/* Every file with a skew part is read, as implicit gyroscopic terms have one; by a slip it is another problem. */
static void print_asymmetry(const struct nb_problem *problem)
{
    const bool local = problem->form == NB_LINEAR_LOCAL;
    int row, column;
    if (!local && problem->form != NB_LINEAR_GLOBAL)
        return;
    const double asymmetry = nb_csr_asymmetry(local ? &problem->linear.delassus : &problem->linear.mass, &row, &column);
    if (asymmetry > NB_SYMMETRIC_WITHIN)
        printf("note         %s is NOT symmetric: entries (%d, %d) differ by %.2g of their rows' largest\n",
               local ? "W" : "M", row, column, asymmetry);
}

void nb_case_print_summary(const struct nb_case *setting, const struct nb_case_result *result, const double *seconds,
                           const struct nb_problem *problem, const struct nb_floor *floor)
{
    printf("\n");
    if (problem)
        print_asymmetry(problem);
    print_method(setting);
    char waiting[80];
    if (nb_waiting_threads(setting->options.threads, waiting, sizeof waiting))
        printf("note         %s\n", waiting);
    print_ending(setting, result);
    print_times(result, seconds, result->complete ? setting->repetitions : 0);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        print_system(result);
    else
        print_step(setting, result, floor);
    case_print_verdict(setting, result, problem);
}

void nb_case_print_share(const struct nb_case_share *share)
{
    const struct nb_redistribution *found = &share->found;
    printf("forces       shared in %d of %d pairs of bodies: norm %.6g -> %.6g N s, evenness %.4g -> %.4g, "
           "error %.3e -> %.3e%s\n",
           found->changed, found->pairs, found->before, found->after, share->before.force_evenness,
           share->after.force_evenness, share->before.step_error, share->after.step_error,
           share->kept || !found->changed ? "" : "; not taken, for the error would grow");
}

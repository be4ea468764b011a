/* The table of `solve` and `linear`, an iteration a row, and the summary below it. */
#include "harness/cli/case_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/record.h"

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
    for (int line = 0; line < 2; ++line) {
        printf("%5s", line ? "" : "iter");
        for (int place = 1, m; (m = nb_metric_traced(NB_METRIC_OF_STEP, place)) >= 0; ++place)
            if (nb_metrics[m].shown)
                print_heading(&nb_metrics[m], line);
        printf("  %10s  %6s\n", line ? "" : "step", line ? "iters" : "linear");
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
    printf("%5d", (int)trace->column[NB_TRACE_ITERATION][entry]);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("  %12.5e\n", trace->column[NB_METRIC_residual][entry]);
        return;
    }
    for (int place = 1, m; (m = nb_metric_traced(NB_METRIC_OF_STEP, place)) >= 0; ++place)
        if (nb_metrics[m].shown)
            print_value(trace->column[m][entry]);
    print_value(trace->column[NB_TRACE_STEP][entry]);
    printf("  %6d\n", (int)trace->column[NB_TRACE_LINEAR][entry]);
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

static void print_times(const struct nb_case_result *result, const double *seconds, int count)
{
    const struct nb_run *counts = &result->counts;
    printf("time         load %.3g s, set-up %.3g s", result->load, result->setup);
    if (count)
        printf(", solve %.4g s (median of %d)", nb_median(seconds, count), count);
    printf("\n");
    if (counts->newton_iterations)
        printf("             observed run: assembly %.3g s (%.3g s preconditioner and solver), "
               "linear %.3g s\n", counts->assembly_seconds, counts->preparation_seconds,
               counts->linear_seconds);
    else if (counts->preparation_seconds > 0)
        printf("             preconditioner and solver prepared in %.3g s\n",
               counts->preparation_seconds);
}

static void print_errors(const struct nb_case_result *result)
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
    printf("best         error %.3e at iteration %d\n", result->best_error,
           result->best_iteration);
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

static void print_step(const struct nb_case_result *result, const struct nb_floor *floor)
{
    print_errors(result);
    if (floor)
        printf("floors       norm-wise residual %.2e, step %.2e; component-wise constraints "
               "%.2e m/s, all rows %.2e; error up to %.2e\n",
               floor->residual, floor->step, floor->component_constraint, floor->component_all,
               floor->step_error);
}

void nb_case_print_summary(const struct nb_case *setting, const struct nb_case_result *result, const double *seconds,
                           const struct nb_problem *problem, const struct nb_floor *floor)
{
    printf("\n");
    print_method(setting);
    print_ending(setting, result);
    print_times(result, seconds, result->complete ? setting->repetitions : 0);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        print_system(result);
    else
        print_step(result, floor);
    nb_case_print_verdict(setting, result, problem);
}

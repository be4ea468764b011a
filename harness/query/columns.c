/* Columns from the tables that describe settings and metrics, and, of the members that no table describes, from lists
 * of names, units and meanings. A member of sizes and features has its own name as a setting and a metric have; that of
 * another object stands behind the object's, as in time_median: `linear` is a setting, a time and a count. */
#include "harness/query/columns.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "harness/case/case_settings.h"
#include "harness/judge/metrics.h"

#define OWN(object, member, type, unit, meaning) {#member, #object, #member, NULL, type, unit, meaning, false}
#define OF(object, prefix, member, type, unit, meaning) \
    {#prefix "_" #member, #object, #member, NULL, type, unit, meaning, false}
#define TOP(member, type, unit, meaning) {#member, #member, NULL, NULL, type, unit, meaning, false}
#define DERIVED(name, object, meaning) {#name, #object, NULL, NULL, "text", "", meaning, true}

static const struct nb_column id = {"id", NULL, NULL, NULL, "integer", "", "number of the record among all", false};
static const struct nb_column file = {"file", NULL, NULL, NULL, "text", "", "the results file", false};

static const struct nb_column of_all[] = {
    TOP(kind, "text", "", "case, floor, simulation, ..."),
    TOP(key, "text", "", "which one it is; of equal keys the last record counts"),
    {"json", NULL, NULL, NULL, "text", "", "the whole record, for json_extract and json_each", false},
};

static const struct nb_column how_it_ended[] = {
    TOP(key, "text", "", "which case it is; of equal keys the last record counts"),
    TOP(ending, "text", "", "how the case ended"),
    TOP(detail, "text", "", "why, in words"),
    TOP(probe, "text", "", "what a plugin's trial has found"),
    TOP(retry, "integer", "", "1: a sweep runs it again"),
    TOP(mixed, "text", "", "in what it differs from the first of a merge"),
};

static const struct nb_column derived[] = {
    DERIVED(method, settings, "solver, or of a linear system linear_method"),
    DERIVED(linear_method, settings, "linear and precond, as in pcr+ic0"),
    DERIVED(arithmetic, settings, "precision, and in which refinement solves, as in f64:in=f16"),
    DERIVED(machine, provenance, "kind of machine: cpu, simd, host_threads, governor"),
};

static const struct nb_column others[] = {
    OWN(sizes, dofs, "integer", "", "velocities"),
    OWN(sizes, contacts, "integer", "", "contacts"),
    OWN(sizes, bilaterals, "integer", "", "bilateral rows"),
    OWN(sizes, rows, "integer", "", "rows of the linear system"),
    OWN(sizes, largest_island, "integer", "", "of a step: contacts of the island that has most"),
    OWN(sizes, entries, "integer", "", "of a linear system: entries of the matrix"),
    OWN(sizes, product_bytes, "integer", "bytes", "what one product reads of the matrix"),
    OWN(features, elastic, "integer", "", "1: something in it is elastic"),
    OWN(features, contacts_per_body, "real", "", "contacts over bodies"),
    OWN(features, neighbours, "real", "", "mean number of other contacts that share a body with a contact"),
    OWN(features, redundancy, "real", "", "contact rows over velocities"),
    OWN(features, rank, "integer", "", "of the contacts' Jacobian"),
    OWN(features, rank_deficiency, "real", "", "1 - rank over contact rows"),
    OWN(features, mass_ratio, "real", "", "largest mass over smallest"),
    OF(counts, count, newton, "integer", "", "nonlinear iterations of one solve"),
    OF(counts, count, linear, "integer", "", "linear iterations"),
    OF(counts, count, operator, "integer", "", "products"),
    OF(counts, count, precond, "integer", "", "applications of the preconditioner"),
    OF(counts, count, islands, "text", "", "iterations of each island, as a JSON array"),
    OF(times, time, median, "real", "s", "of the repetitions of one solve"),
    OF(times, time, load, "real", "s", "reading the file"),
    OF(times, time, setup, "real", "s", "allocation and patterns; of a system also factors and preconditioner"),
    OF(times, time, start, "real", "s", "finding where to begin"),
    OF(times, time, assembly, "real", "s", "part of one solve"),
    OF(times, time, preparation, "real", "s", "part of the assembly: preconditioner and linear solver"),
    OF(times, time, linear, "real", "s", "part of one solve: linear solves"),
    OF(times, time, application, "real", "s", "part of the linear solves: the preconditioner"),
    OF(times, time, wall, "real", "s", "all that a sweep spent on the case"),
    OF(times, time, throttled, "real", "s", "in which quotas stopped the process's container"),
    OF(times, time, solves_per_repetition, "integer", "", "solves that one repetition times"),
    OF(times, time, processes, "integer", "", "processes that made the repetitions, one each"),
    OF(times, time, run, "text", "", "the run of a batch in which repetitions were taken in turn"),
    TOP(peak_memory, "integer", "bytes", "the most resident memory of the case's process"),
    OF(best, best, iteration, "integer", "", "iteration with the smallest step_error"),
    OF(best, best, step_error, "real", "", "that step_error"),
    TOP(step_condition, "real", "", "by how much velocities answer to the error"),
    TOP(velocity_spread, "real", "", "how far another right answer's velocities are"),
    OF(floor, floor, residual, "real", "", "floor of residual, or of residual_max"),
    OF(floor, floor, step, "real", "", "floor of the Newton step"),
    OF(floor, floor, component_all, "real", "", "component-wise, all rows"),
    OF(floor, floor, component_constraint, "real", "m/s", "component-wise, constraint rows"),
    OF(floor, floor, velocity_terms, "real", "m/s", "of a linear step, from J u"),
    OF(floor, floor, step_error, "real", "", "floor of step_error"),
    OF(floor, floor, forward, "real", "", "of a system: floor of forward_error"),
    OF(floor, floor, component_residual, "real", "", "of a system, component-wise"),
    OF(floor, floor, component_forward, "real", "", "of a system, component-wise"),
    OF(floor, floor, component_norm, "real", "", "of a system: floor of residual"),
    OF(reference, reference, method, "text", "", "of a system: how the exact solution was found"),
    OF(reference, reference, converged, "integer", "", "1: it was found"),
    OF(reference, reference, refinements, "integer", "", "refinements in quad precision"),
    OF(reference, reference, change, "real", "", "the last one, relative"),
    OF(reference, reference, condition, "real", "", "condition number, estimated"),
    OF(previous, previous, problem_hash, "text", "", "of the step before, where start is previous"),
    OF(previous, previous, ending, "text", "", "how its solve ended"),
    OF(previous, previous, iterations, "integer", "", "of its solve"),
    OF(previous, previous, step_error, "real", "", "at its end"),
    OF(previous, previous, contacts_found, "integer", "", "contacts of this step that are among its"),
    OF(strategies, source, precision, "text", "", "hash of the code of the precision"),
    OF(strategies, source, solver, "text", "", "of the solver"),
    OF(strategies, source, ncp, "text", "", "of the NCP function"),
    OF(strategies, source, scaling, "text", "", "of the scaling"),
    OF(strategies, source, operator, "text", "", "of the operator"),
    OF(strategies, source, linear, "text", "", "of the linear solver"),
    OF(strategies, source, precond, "text", "", "of the preconditioner"),
    OF(provenance, made, version, "text", "", "version of the program"),
    OF(provenance, made, commit, "text", "", "its commit"),
    OF(provenance, made, fingerprint, "text", "", "hash of its sources, compiler and flags"),
    OF(provenance, made, compiler, "text", "", "compiler"),
    OF(provenance, made, flags, "text", "", "its flags"),
    OF(provenance, made, cpu, "text", "", "processor"),
    OF(provenance, made, simd, "text", "", "vector instructions of products"),
    OF(provenance, made, blas, "text", "", "BLAS"),
    OF(provenance, made, hdf5, "text", "", "version of HDF5"),
    OF(provenance, made, cuda, "text", "", "version of CUDA, or none"),
    OF(provenance, made, gpu, "text", "", "the first card, or none"),
    OF(provenance, made, date, "text", "", "UTC, start of the sweep"),
    OF(provenance, made, host_threads, "integer", "", "threads of the machine"),
    OF(provenance, made, host, "text", "", "name of the machine"),
    OF(provenance, made, kernel, "text", "", "its kernel"),
    OF(provenance, made, governor, "text", "", "of the first processor's frequency"),
    OF(provenance, made, memory, "integer", "bytes", "of the machine"),
    OF(provenance, made, load, "real", "", "mean load of the minute before; -1: not known"),
    OF(provenance, made, quota, "real", "", "processors that the container's quota allows; null: all, or not known"),
};

static const struct nb_column entry = {"entry", NULL, NULL, NULL, "integer", "", "number in the array, from 0", false};
static const struct nb_column repetitions[] = {
    {"solve", "times", "solve", NULL, "real", "s", "time of one solve", false},
    {"setup", "times", "setups", NULL, "real", "s", "of a system: one set-up", false},
    {"waited", "times", "waited", NULL, "real", "s", "what the clock says beyond", false},
    {"control_solve", "times", "control", "solve", "real", "s", "the same case under a hidden name", false},
    {"control_setup", "times", "control", "setups", "real", "s", "its set-up", false},
};

static void add(struct nb_table *table, struct nb_column column)
{
    assert(table->count < NB_COLUMNS_MOST);
    table->column[table->count++] = column;
}

#define ADD_ALL(table, list)                                       \
    for (size_t i = 0; i < sizeof(list) / sizeof *(list); ++i) \
    add(table, (list)[i])

static const char *type_of_setting(enum nb_option_type type)
{
    return type == NB_OPTION_INTEGER || type == NB_OPTION_FLAG ? "integer" : type == NB_OPTION_NUMBER ? "real" : "text";
}

/* The first part of what an option says, up to a semicolon. */
static const char *meaning_of(const struct nb_option *option)
{
    char text[128];
    const char *meaning = option->meaning ? option->meaning : "";
    snprintf(text, sizeof text, "%.*s", (int)strcspn(meaning, ";"), meaning);
    const char *kept = nb_intern(text);
    return kept ? kept : meaning;
}

static void add_settings(struct nb_table *table)
{
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_column(i)); ++i)
        add(table, (struct nb_column){.name = row->name, .outer = "settings", .inner = row->name,
                                      .type = type_of_setting(row->option.type), .unit = "",
                                      .meaning = meaning_of(&row->option)});
}

static void add_metrics(struct nb_table *table)
{
    for (const struct nb_metric *m = nb_metrics; m < nb_metrics + NB_METRICS; ++m)
        add(table, (struct nb_column){.name = m->name, .outer = "errors", .inner = m->name, .type = "real",
                                      .unit = m->unit, .meaning = m->meaning});
}

static void add_traced(struct nb_table *table, const char *name, const char *unit, const char *meaning)
{
    add(table, (struct nb_column){.name = name, .outer = "trace", .inner = name, .type = "real", .unit = unit,
                                  .meaning = meaning});
}

static void fill_traces(struct nb_table *table)
{
    static const enum nb_metric_scope scopes[] = {NB_METRIC_OF_STEP, NB_METRIC_OF_SYSTEM};
    add(table, entry);
    add_traced(table, "iteration", "", "iteration of the observed run, from 0");
    for (size_t s = 0; s < sizeof scopes / sizeof *scopes; ++s)
        for (int place = 1, m; (m = nb_metric_traced(scopes[s], place)) >= 0; ++place)
            add_traced(table, nb_metrics[m].name, nb_metrics[m].unit, nb_metrics[m].meaning);
    add_traced(table, "step_size", "", "largest change of u and h lambda");
    add_traced(table, "linear_iterations", "", "linear iterations of the iteration");
}

static void fill(struct nb_table *tables)
{
    struct nb_table *cases = &tables[NB_TABLE_CASES], *all = &tables[NB_TABLE_RECORDS];
    add(cases, file);
    ADD_ALL(cases, how_it_ended);
    add_settings(cases);
    ADD_ALL(cases, derived);
    add_metrics(cases);
    ADD_ALL(cases, others);
    fill_traces(&tables[NB_TABLE_TRACES]);
    add(&tables[NB_TABLE_REPETITIONS], entry);
    ADD_ALL(&tables[NB_TABLE_REPETITIONS], repetitions);
    add(all, file);
    ADD_ALL(all, of_all);
}

const struct nb_table *nb_table_at(enum nb_table_index index)
{
    static struct nb_table tables[NB_TABLES] = {
        {"cases", "a row a case", 1, {id}},
        {"traces", "a row an iteration of a case's observed run", 1, {id}},
        {"repetitions", "a row a timed repetition of a case", 1, {id}},
        {"records", "a row a record of whatever kind", 1, {id}},
    };
    if (tables[0].count == 1)
        fill(tables);
    return &tables[index];
}

int nb_table_column(const struct nb_table *table, const char *name)
{
    for (int i = 0; i < table->count; ++i)
        if (!strcasecmp(table->column[i].name, name))
            return i;
    return -1;
}

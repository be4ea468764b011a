/* The table of a case's settings, in the order of records, and what follows from it: reading, comparing and writing
 * them one by one, and the key, a hash of those that differ from their defaults (harness/case/case_settings.h). */
#include "harness/case/case_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/records/json.h"
#include "problems/scene.h"
#include "solvers/newton_options.h"
#include "solvers/registry.h"

#define AT(member) offsetof(struct nb_case, member)

/* A strategy of a kind, which is chosen by name. */
#define STRATEGY(slot) .type = NB_OPTION_TEXT, .kind = slot, .argument = "NAME"

static const struct nb_case_setting table[] = {
    {"problem", AT(problem), NB_OF_FLOOR, .axis = 1, .column = 1,
     {.type = NB_OPTION_PATH, .meaning = "name of the problem's file, without path and suffix"}},
    {"optional_problem", AT(problem), NB_SPEC_ONLY, .axis = 2, .column = 0, {.type = NB_OPTION_PATH}},
    {"problem_file", AT(problem_file), NB_NOT_IN_KEY, .axis = 0, .column = 2,
     {.type = NB_OPTION_PATH, .meaning = "path of the problem's file"}},
    {"problem_hash", AT(problem_hash), NB_OF_FLOOR, .axis = 0, .column = 3,
     {.type = NB_OPTION_PATH, .meaning = "SHA-256 of the problem's content"}},
    {"mode", AT(mode), 0, .axis = 3, .column = 4,
     {.type = NB_OPTION_CHOICE, .choices = "step,linear_system", .meaning = "step, or a stored linear_system"}},
    {"system", AT(system), NB_OF_SYSTEM, .axis = 4, .column = 5,
     {.name = "system", .type = NB_OPTION_INTEGER, .maximum = 1000000, .argument = "K",
      .meaning = "index of the stored system, from 0"}},
    {"solver", AT(options.solver), NB_OF_SOLVER | NB_OF_STEP, .axis = 5, .column = 6,
     {.name = "solver", STRATEGY("solver"),
      .meaning = "nonlinear method, NAME or NAME:SETTING=VALUE:... (ncpbench list solver); newton "
                 "without it if --ncp, --scaling, --newton-form, --operator, --damping, --linear, "
                 "--precond, --linear-iters or --backend cuda is given"}},
    {"ncp", AT(options.ncp), NB_OF_SOLVER | NB_OF_STEP | NB_OF_FLOOR, .axis = 11, .column = 7,
     {.name = "ncp", STRATEGY("ncp"), .meaning = "complementarity function"}},
    {"scaling", AT(options.scaling), NB_OF_SOLVER | NB_OF_STEP | NB_OF_FLOOR, .axis = 12, .column = 8,
     {.name = "scaling", STRATEGY("scaling"), .meaning = "complementarity scaling r"}},
    {"newton_form", AT(options.newton_form), NB_OF_SOLVER | NB_OF_STEP | NB_OF_FLOOR, .axis = 10, .column = 9,
     {.name = "newton-form", .type = NB_OPTION_TEXT, .choices = "scaled,true",
      .argument = "NAME", .meaning = "force Jacobian scaled with the normal row, or true"}},
    {"operator", AT(options.operator_form), NB_OF_SOLVER | NB_OF_STEP, .axis = 17, .column = 12,
     {.name = "operator", STRATEGY("operator"), .meaning = "form of the Schur operator"}},
    {"newton_iters", AT(options.newton_iterations), NB_OF_SOLVER | NB_OF_STEP, .axis = 14, .column = 14,
     {.name = "newton-iters", .type = NB_OPTION_INTEGER, .maximum = 100000, .argument = "N",
      .meaning = "nonlinear iterations"}},
    {"damping", AT(options.damping), NB_OF_SOLVER | NB_OF_STEP, .axis = 8, .column = 16,
     {.name = "damping", .type = NB_OPTION_NUMBER, .maximum = 1, .above_minimum = true,
      .argument = "T",
      .meaning = "fraction of the Newton step taken; all of it in a linear step without contacts"}},
    {"linearized", AT(linearized), NB_OF_STEP | NB_OF_FLOOR, .axis = 6, .column = 19,
     {.name = "linearized", .type = NB_OPTION_FLAG, .choices = "no,yes",
      .meaning = "linearise a nonlinear step at its start first"}},
    {"tol", AT(tolerance), 0, .axis = 7, .column = 20,
     {.name = "tol", .type = NB_OPTION_NUMBER, .maximum = INFINITY, .above_minimum = true, .none = "none",
      .argument = "X", .meaning = "stop where step_error reaches this"}},
    {"start", AT(start), NB_OF_STEP, .axis = 21, .column = 24,
     {.name = "start", .type = NB_OPTION_CHOICE, .choices = "rest,guess,previous", .argument = "NAME",
      .meaning = "where a solve begins: rest, as the method does; guess, the file's; previous, the method's solution "
                 "of the step before, NAME-0007.h5 of NAME-0008.h5"}},
    {"linear", AT(options.linear), NB_OF_SOLVER, .axis = 13, .column = 10,
     {.name = "linear", STRATEGY("linear"),
      .meaning = "linear solver, NAME or NAME:SETTING=VALUE:... (ncpbench list linear)"}},
    {"precond", AT(options.precond), NB_OF_SOLVER, .axis = 16, .column = 11,
     {.name = "precond", STRATEGY("precond"),
      .meaning = "linear preconditioner, NAME or NAME:SETTING=VALUE:...; none for a linear "
                 "solver that takes none"}},
    {"backend", AT(on_device), NB_SPEC_ONLY, .axis = 18, .column = 0,
     {.name = "backend", .type = NB_OPTION_FLAG, .choices = "cpu,cuda", .argument = "NAME",
      .meaning = "cuda: the solver, or of `linear` the linear solver, in its version for a CUDA device "
                 "(cuda_newton, cuda_pcr, ...)"}},
    {"precision", AT(options.precision), NB_OF_SOLVER, .axis = 20, .column = 13,
     {.name = "precision", STRATEGY("precision"), .meaning = "arithmetic of the whole solve"}},
    {"linear_iters", AT(options.linear_iterations), NB_OF_SOLVER, .axis = 15, .column = 15,
     {.name = "linear-iters", .type = NB_OPTION_INTEGER, .maximum = 1000000, .argument = "M",
      .meaning = "linear iterations a Newton iteration; direct solvers ignore it"}},
    {"shift", AT(options.shift), NB_OF_SOLVER | NB_OF_FLOOR, .axis = 9, .column = 17,
     {.name = "shift", .type = NB_OPTION_NUMBER, .maximum = INFINITY, .argument = "EPS",
      .meaning = "times the mean diagonal of J M^-1 J^T, added to the Schur diagonal"}},
    {"islands", AT(options.islands), NB_OF_SOLVER | NB_OF_STEP, .axis = 22, .column = 25,
     {.name = "islands", .type = NB_OPTION_CHOICE, .choices = "own,apart,together", .argument = "NAME",
      .meaning = "how islands of a step that nothing couples are solved: apart, each to its own end; together, as one "
                 "system; own, as the method's default is, apart but for newton, external and cuda_newton"}},
    {"threads", AT(options.threads), NB_OF_SOLVER, .axis = 19, .column = 18,
     {.name = "threads", .type = NB_OPTION_INTEGER, .minimum = 1, .maximum = 1024, .argument = "K",
      .meaning = "threads; the result does not depend on it"}},
    {"repetitions", AT(repetitions), NB_OF_SWEEP, .axis = 0, .column = 21,
     {.type = NB_OPTION_INTEGER, .minimum = 5, .maximum = 10000,
      .meaning = "timed repetitions; fewer than five give no interval of 95 %"}},
    {"time_limit", AT(time_limit), NB_OF_SWEEP, .axis = 0, .column = 22,
     {.type = NB_OPTION_NUMBER, .maximum = 1000000, .above_minimum = true,
      .meaning = "seconds for the observed run, and again for each repetition"}},
    {"memory_limit", AT(memory_limit), NB_OF_SWEEP, .axis = 0, .column = 23,
     {.type = NB_OPTION_INTEGER, .minimum = 16, .maximum = 134217728,
      .meaning = "MiB of address space beyond the program's own"}},
    {"floors", AT(without_floor), NB_OF_SWEEP | NB_SPEC_ONLY, .axis = 0, .column = 0,
     {.type = NB_OPTION_FLAG, .choices = "yes,no"}},
};

enum { ROWS = sizeof table / sizeof *table };
_Static_assert((int)ROWS <= (int)NB_CASE_SETTINGS_MOST, "the lists of a spec have room for all axes");

const struct nb_case_setting *nb_case_setting_at(int index)
{
    return index < ROWS ? &table[index] : NULL;
}

static int place_of(const struct nb_case_setting *row, size_t place)
{
    return *(const int *)(const void *)((const char *)row + place);
}

/* Those that have the place, axis or column, in the order of the places; sorted [ROWS + 1], ended by NULL. */
static void sort_by(size_t place, const struct nb_case_setting **sorted)
{
    int count = 0;
    for (int next = 1; next <= ROWS; ++next)
        for (int i = 0; i < ROWS; ++i)
            if (place_of(&table[i], place) == next)
                sorted[count++] = &table[i];
    sorted[count] = NULL;
}

const struct nb_case_setting *nb_case_axis(int index)
{
    static const struct nb_case_setting *axes[ROWS + 1];
    if (!axes[0])
        sort_by(offsetof(struct nb_case_setting, axis), axes);
    return axes[index];
}

const struct nb_case_setting *nb_case_column(int index)
{
    static const struct nb_case_setting *columns[ROWS + 1];
    if (!columns[0])
        sort_by(offsetof(struct nb_case_setting, column), columns);
    return columns[index];
}

/* Names are the same where one has - and the other _. */
static bool same_name(const char *name, const char *option)
{
    for (; *name && (*name == *option || (*name == '_' && *option == '-')); ++name)
        ++option;
    return *name == *option;
}

const struct nb_case_setting *nb_case_setting_find(const char *name)
{
    for (int i = 0; i < ROWS; ++i)
        if (same_name(table[i].name, name))
            return &table[i];
    return NULL;
}

enum nb_status nb_case_setting_read(const struct nb_case_setting *row, const char *text, struct nb_case *setting,
                                    struct nb_error *error)
{
    struct nb_option option = row->option;
    if (option.type == NB_OPTION_PATH) {
        setting->optional_problem = row->of & NB_SPEC_ONLY;
        return nb_case_set_problem(setting, text, error);
    }
    option.target = (char *)setting + row->offset;
    return nb_option_read(&option, row->name, text, error);
}

/* A setting of a case, as what its type says. */
union value {
    const char *text;
    int integer;
    double number;
    bool flag;
};

static size_t size_of(const struct nb_case_setting *row)
{
    switch (row->option.type) {
    case NB_OPTION_FLAG: return sizeof(bool);
    case NB_OPTION_NUMBER: return sizeof(double);
    case NB_OPTION_CHOICE:
    case NB_OPTION_INTEGER: return sizeof(int);
    default: return sizeof(const char *);
    }
}

static union value value_of(const struct nb_case_setting *row, const struct nb_case *setting)
{
    const char *member = (const char *)setting + row->offset;
    union value value = {.text = member};
    if (row->option.type != NB_OPTION_PATH)
        memcpy(&value, member, size_of(row));
    return value;
}

bool nb_case_setting_equal(const struct nb_case_setting *row, const struct nb_case *a, const struct nb_case *b)
{
    const union value x = value_of(row, a), y = value_of(row, b);
    switch (row->option.type) {
    case NB_OPTION_FLAG: return x.flag == y.flag;
    case NB_OPTION_NUMBER: return x.number == y.number || (isnan(x.number) && isnan(y.number));
    case NB_OPTION_CHOICE:
    case NB_OPTION_INTEGER: return x.integer == y.integer;
    default: return !strcmp(x.text, y.text);
    }
}

bool nb_case_setting_is_read(const struct nb_case_setting *row, const struct nb_case *setting)
{
    const bool step = setting->mode == NB_CASE_STEP;
    if (row->of & (step ? NB_OF_SYSTEM : NB_OF_STEP))
        return false;
    return !step || !nb_is_newton_option(row->name) || !nb_registry_self_contained(setting->options.solver);
}

bool nb_case_setting_has_effect(const struct nb_case_setting *row, const struct nb_case *setting)
{
    return nb_case_setting_is_read(row, setting) &&
           (strcmp(row->name, "precond") || nb_registry_uses_precond(setting->options.linear));
}

void nb_case_forget_unread(struct nb_case *setting)
{
    const struct nb_case usual = nb_case_default();
    for (int i = 0; i < ROWS; ++i)
        if (nb_is_newton_option(table[i].name) && setting->mode == NB_CASE_STEP &&
            !nb_case_setting_is_read(&table[i], setting))
            memcpy((char *)setting + table[i].offset, (const char *)&usual + table[i].offset,
                   size_of(&table[i]));
    if (!nb_registry_uses_precond(setting->options.linear))
        setting->options.precond = "none";
}

/* --- as JSON --- */

static void add_member(cJSON *json, const struct nb_case_setting *row, const struct nb_case *setting)
{
    const union value value = value_of(row, setting);
    char word[32];
    switch (row->option.type) {
    case NB_OPTION_FLAG:
        cJSON_AddBoolToObject(json, row->name, value.flag);
        break;
    case NB_OPTION_NUMBER:
        nb_json_number(json, row->name, value.number);
        break;
    case NB_OPTION_CHOICE:
        nb_choice_name(row->option.choices, value.integer, word, sizeof word);
        cJSON_AddStringToObject(json, row->name, word);
        break;
    case NB_OPTION_INTEGER:
        cJSON_AddNumberToObject(json, row->name, value.integer);
        break;
    default:
        cJSON_AddStringToObject(json, row->name, value.text);
    }
}

/* With the number of iterations that the case has, where its method's own one is meant; and the method's own treatment
 * of islands, where it is asked for by name. */
static struct nb_case as_meant(const struct nb_case *setting)
{
    struct nb_case same = *setting;
    same.options.newton_iterations = nb_options_iterations(&setting->options);
    same.options.islands = NB_ISLANDS_OWN;
    if (nb_options_islands(&same.options) != nb_options_islands(&setting->options))
        same.options.islands = setting->options.islands;
    return same;
}

cJSON *nb_case_settings(const struct nb_case *setting)
{
    const struct nb_case shown = as_meant(setting);
    const unsigned unused = setting->mode == NB_CASE_STEP ? NB_OF_SYSTEM : NB_OF_STEP;
    cJSON *json = cJSON_CreateObject();
    for (int i = 0; i < ROWS && json; ++i)
        if (table[i].of & unused)
            cJSON_AddNullToObject(json, table[i].name);
        else if (!(table[i].of & NB_SPEC_ONLY))
            add_member(json, &table[i], &shown);
    return json;
}

static void add_those_of(cJSON *json, unsigned of, const struct nb_case *setting)
{
    const struct nb_case shown = as_meant(setting);
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_column(i)); ++i)
        if (row->of & of)
            add_member(json, row, &shown);
}

cJSON *nb_floor_settings(const struct nb_case *setting)
{
    cJSON *json = cJSON_CreateObject();
    if (json)
        add_those_of(json, NB_OF_FLOOR, setting);
    return json;
}

cJSON *nb_simulation_settings(const struct nb_options *options, const struct nb_problem *problem)
{
    struct nb_case setting = nb_case_default();
    cJSON *json = cJSON_CreateObject();
    setting.options = *options;
    add_those_of(json, NB_OF_SOLVER, &setting);
    if (options->warm_start)
        cJSON_AddTrueToObject(json, "warm_start");
    if (options->refine)
        nb_json_number(json, "refine", options->refine);
    if (nb_scene_mesh(problem))
        cJSON_AddStringToObject(json, "mesh", nb_scene_mesh(problem));
    nb_json_number(json, "time_step", problem->time_step);
    cJSON *parameters = cJSON_AddObjectToObject(json, "parameters");
    for (int i = 0; i < problem->parameter_count; ++i)
        nb_json_number(parameters, problem->parameters[i].name, problem->parameters[i].value);
    return json;
}

static void add_strategy(cJSON *json, const char *kind, const char *name)
{
    const char *hash = nb_registry_source(kind, name);
    if (hash)
        cJSON_AddStringToObject(json, kind, hash);
}

cJSON *nb_case_strategies(const struct nb_case *setting)
{
    const struct nb_options *options = &setting->options;
    cJSON *json = cJSON_CreateObject();
    add_strategy(json, "precision", options->precision);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        add_strategy(json, "operator", "assembled"); /* a stored system is a matrix already */
    for (int i = 0; i < ROWS && json; ++i) {
        const char *kind = table[i].option.kind;
        if (kind && strcmp(kind, "precision") && nb_case_setting_has_effect(&table[i], setting))
            add_strategy(json, kind, value_of(&table[i], setting).text);
    }
    return json;
}

cJSON *nb_floor_strategies(const struct nb_case *setting)
{
    cJSON *json = cJSON_CreateObject();
    for (int i = 0; i < ROWS && json; ++i)
        if ((table[i].of & NB_OF_FLOOR) && table[i].option.kind)
            add_strategy(json, table[i].option.kind, value_of(&table[i], setting).text);
    return json;
}

/* --- keys --- */

/* Of the settings that are part of `of`, 0: of all that the case's mode has. A case that differs from the usual in what
 * its floor is of alone says that it is a case: it is not its floor. */
static enum nb_status hash_settings(const struct nb_case *setting, unsigned of, char key[NB_KEY_SIZE],
                                    struct nb_error *error)
{
    const unsigned unused =
        NB_SPEC_ONLY | NB_NOT_IN_KEY | (setting->mode == NB_CASE_STEP ? NB_OF_SYSTEM : NB_OF_STEP);
    const struct nb_case given = as_meant(setting);
    struct nb_case usual = nb_case_default();
    usual.options.solver = given.options.solver; /* whose own are the defaults */
    usual = as_meant(&usual);
    usual.options.solver = nb_options_default().solver;
    cJSON *json = cJSON_CreateObject();
    bool as_floor = !of;
    cJSON_AddNumberToObject(json, "version", NB_KEY_VERSION);
    for (int i = 0; i < ROWS; ++i)
        if ((of ? table[i].of & of : !(table[i].of & unused)) && !nb_case_setting_equal(&table[i], &given, &usual)) {
            add_member(json, &table[i], &given);
            as_floor = as_floor && (table[i].of & NB_OF_FLOOR);
        }
    if (as_floor)
        cJSON_AddStringToObject(json, "kind", "case");
    if (!of && setting->start == NB_START_PREVIOUS && setting->mode == NB_CASE_STEP)
        cJSON_AddStringToObject(json, "previous_hash", setting->previous_hash);
    char *text = nb_json_print(json);
    cJSON_Delete(json);
    if (!text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a key");
    const enum nb_status status = nb_hash(text, strlen(text), key, NB_KEY_SIZE, error);
    cJSON_free(text);
    return status;
}

enum nb_status nb_case_key(const struct nb_case *setting, char key[NB_KEY_SIZE], struct nb_error *error)
{
    return hash_settings(setting, 0, key, error);
}

enum nb_status nb_floor_key(const struct nb_case *setting, char key[NB_KEY_SIZE], struct nb_error *error)
{
    return hash_settings(setting, NB_OF_FLOOR, key, error);
}

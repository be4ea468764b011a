/* Cases: records, and that a run's record agrees with the solver and the judge. Keys: test_case_key.c. */
#include "tests/support/folder.h"

#include "harness/case/case_record.h"
#include "harness/case/case_settings.h"
#include "harness/case/reference.h"
#include "harness/records/json.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/registry.h"

OWNER(cJSON_Delete)

static char stack_file[128];

static void make_problem(const char *scene, const char *path, int systems)
{
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    struct nb_error error = {""};
    OWNS(nb_newton_system_free) struct nb_newton_system system = {0};
    struct nb_problem_extras extras = {.system_count = systems, .systems = &system};
    const struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    if (nb_scene_create(scene, 0, NULL, &problem, &error) || nb_step_prepare(&problem, &error))
        fail_msg("%s", error.text);
    OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(&problem), sizeof *u);
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(&problem), sizeof *lambda);
    if (systems && (nb_solver_create(&solver, &problem, &options, &error) ||
                    nb_solver_system(solver, u, lambda, &system, &error)))
        fail_msg("%s", error.text);
    if (nb_problem_write(path, &problem, &extras, &error))
        fail_msg("%s", error.text);
    nb_solver_free(solver);
}

static int set_up(void **state)
{
    make_folder(state);
    strcpy(stack_file, test_path(&folder, "heavy_stack.h5"));
    make_problem("heavy_stack", stack_file, 1);
    return 0;
}

static struct nb_case stack_case(void)
{
    struct nb_case setting = nb_case_default();
    setting.options.solver = "newton";
    setting.options.newton_iterations = 30;
    assert_ok(nb_case_set_problem(&setting, stack_file, &why));
    assert_ok(nb_case_hash_problem(&setting, &why));
    return setting;
}

static cJSON *record_of(const struct nb_case *setting, struct nb_case_result *result)
{
    struct nb_case_run *run;
    char key[NB_KEY_SIZE];
    const double seconds[3] = {3, 1, 2};
    const struct nb_timing timing = {.count = 3, .solves = 4, .seconds = seconds};
    assert_ok(nb_case_run_open(&run, setting, &why));
    assert_ok(nb_case_run_trace(run, NULL, NULL, result, &why));
    assert_ok(nb_case_key(setting, key, &why));
    cJSON *part = nb_part_trace(result);
    cJSON *record = nb_record_case(setting, key, part, &timing, NULL, part);
    cJSON_Delete(part);
    nb_case_run_close(run);
    return record;
}

TEST(record_has_every_member)
{
    static const char *const members[] = {"kind", "version", "key", "settings", "strategies", "ending", "detail",
                                          "sizes", "counts", "times", "errors", "best", "floor", "trace",
                                          "provenance"};
    const struct nb_case_setting *row;
    struct nb_case setting = stack_case();
    OWNS(nb_case_result_free) struct nb_case_result result;
    setting.options.newton_iterations = 4;
    OWNS(cJSON_Delete_at) cJSON *record = record_of(&setting, &result);
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
        assert_non_null(cJSON_GetObjectItemCaseSensitive(record, members[i]));
    for (int i = 0; (row = nb_case_setting_at(i)); ++i)
        assert_true(!!nb_json_path(record, "settings", row->name) == !(row->of & NB_SPEC_ONLY));
    for (int m = 0; m < NB_METRICS; ++m) {
        const bool of_step = nb_metrics[m].scope == NB_METRIC_OF_STEP;
        assert_true(!!nb_json_path(record, "errors", nb_metrics[m].name) == of_step);
        assert_int_equal(cJSON_GetArraySize(nb_json_path(record, "trace", nb_metrics[m].name)),
                         of_step && nb_metrics[m].place ? 5 : 0);
    }
    assert_null(nb_json_path(record, "trace", "residual"));
    assert_true(cJSON_IsNull(nb_json_path(record, "settings", "tol")));
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(nb_json_path(record, "trace", "step_size"), 0)));
    assert_true(nb_json_path(record, "times", "median")->valuedouble == 2);
    assert_int_equal(nb_json_path(record, "counts", "newton")->valuedouble, 4);
}

/* A second implementation of the loop: solve, take the solution, judge. */
TEST(errors_are_the_judge_of_the_solution)
{
    const struct nb_case setting = stack_case();
    OWNS(nb_case_result_free) struct nb_case_result result;
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_solver *solver;
    struct nb_judge *judge;
    struct nb_metrics metrics;
    struct nb_run run;
    cJSON_Delete(record_of(&setting, &result));
    assert_ok(nb_problem_read(stack_file, &problem, &why));
    assert_ok(nb_solver_create(&solver, &problem, &setting.options, &why));
    assert_ok(nb_solver_run(solver, 30, NULL, &run, &why));
    OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(&problem), sizeof *u);
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(&problem), sizeof *lambda);
    nb_solver_solution(solver, u, lambda);
    assert_ok(nb_judge_create(&judge, &problem, &why));
    nb_judge_evaluate(judge, u, lambda, &metrics);
    assert_true(metrics.constraint_error == result.errors.constraint_error);
    assert_true(metrics.natural_map == result.errors.natural_map);
    assert_true(metrics.normal_force == result.errors.normal_force);
    assert_int_equal(result.trace.count, 31);
    assert_true(result.trace.column[NB_METRIC_constraint_error][30] == metrics.constraint_error);
    nb_judge_free(judge);
    nb_solver_free(solver);
}

TEST(tolerance_stops_at_the_first_iteration_below)
{
    struct nb_case setting = stack_case();
    OWNS(nb_case_result_free) struct nb_case_result result;
    setting.tolerance = 1e-6;
    OWNS(cJSON_Delete_at) cJSON *record = record_of(&setting, &result);
    const double *map = result.trace.column[NB_METRIC_step_error];
    assert_string_equal(result.ending, "converged");
    assert_int_equal(result.iterations, result.trace.count - 1);
    assert_true(result.iterations < 30 && map[result.iterations] <= 1e-6);
    for (int i = 0; i < result.iterations; ++i)
        assert_true(map[i] > 1e-6);
    assert_int_equal(nb_json_path(record, "counts", "newton")->valuedouble, result.iterations);
}

/* Each linear solver and precision on the stored system: the residual of the record is that of the
 * bench's own solution. */
/* Such as a sparse factor in single precision, which must say why. */
static bool cannot_run(const struct nb_case *setting)
{
    struct nb_case_run *run = NULL;
    struct nb_error error = {""};
    const enum nb_status status = nb_case_run_open(&run, setting, &error);
    nb_case_run_close(run);
    if (status == NB_UNSUPPORTED)
        assert_true(strlen(error.text) > 10);
    return status == NB_UNSUPPORTED;
}

TEST(linear_system_is_judged_in_double)
{
    const struct nb_registry_row *linear, *precision;
    for (size_t i = 0; (linear = nb_registry_row("linear", i)); ++i)
        for (size_t j = 0; (precision = nb_registry_row("precision", j)); ++j) {
            struct nb_case setting = stack_case();
            struct nb_case_result result;
            setting.mode = NB_CASE_LINEAR_SYSTEM;
            setting.options.linear = linear->name;
            setting.options.precond = nb_registry_uses_precond(linear->name) ? "jacobi" : "none";
            setting.options.precision = precision->name;
            setting.options.linear_iterations = 300;
            if (cannot_run(&setting))
                continue;
            cJSON *record = record_of(&setting, &result);
            const int last = result.trace.count - 1;
            assert_true(result.trace.column[NB_METRIC_residual][0] == 1);
            assert_true(result.trace.column[NB_METRIC_residual][last] == result.errors.residual);
            assert_true(result.errors.residual < 1);
            if (!strcmp(linear->name, "cholesky"))
                assert_true(result.errors.residual < 1e4 * nb_unit_roundoff(precision->name));
            if (!strcmp(linear->name, "cholesky") && !strcmp(precision->name, "f64"))
                assert_true(result.errors.energy_error < 1e-8);
            assert_null(nb_json_path(record, "errors", "natural_map"));
            assert_non_null(nb_json_path(record, "errors", "energy_error"));
            cJSON_Delete(record);
            nb_case_result_free(&result);
        }
}

TEST(what_cannot_run_is_told_apart)
{
    struct nb_case_result result;
    struct nb_case setting = nb_case_default();
    nb_case_result_failed(&result, &setting, NB_UNSUPPORTED, "because");
    assert_string_equal(result.ending, "unsupported");
    assert_string_equal(result.detail, "because");
    nb_case_result_failed(&result, &setting, NB_OUT_OF_MEMORY, "");
    assert_string_equal(result.ending, "out_of_memory");
    nb_case_result_failed(&result, &setting, NB_BREAKDOWN, "");
    assert_string_equal(result.ending, "breakdown");
    cJSON *part = nb_part_trace(&result);
    assert_true(cJSON_IsNull(nb_json_path(part, "errors", "natural_map"))); /* not zero */
    assert_true(cJSON_IsNull(nb_json_path(part, "errors", "stick")));
    assert_true(cJSON_IsNull(nb_json_path(part, "best", "step_error")));
    cJSON_Delete(part);
    setting.mode = NB_CASE_LINEAR_SYSTEM;
    nb_case_result_failed(&result, &setting, NB_BREAKDOWN, "");
    part = nb_part_trace(&result);
    assert_true(cJSON_IsNull(nb_json_path(part, "errors", "residual")));
    assert_null(nb_json_path(part, "errors", "natural_map"));
    cJSON_Delete(part);
    nb_case_result_free(&result);
    nb_case_result_free(NULL);
    nb_case_run_close(NULL);
}

TEST(floor_survives_json)
{
    const struct nb_floor_reference reference = {1.5, 2.5e-3, 0, 3, 4e-12, 0.1, 1e-9, 5, 7, 6};
    struct nb_floor_reference back;
    OWNS(cJSON_Delete_at) cJSON *part = nb_part_floor(&reference, 1, "");
    char *text = cJSON_PrintUnformatted(part);
    cJSON *parsed = cJSON_Parse(text);
    assert_true(nb_floor_from_json(parsed, &back));
    assert_memory_equal(&back.matrix_norm, &reference.matrix_norm, sizeof(double));
    assert_true(back.inverse_norm == reference.inverse_norm && back.inverse_exact == 0);
    assert_true(back.solution_norm == 3 && back.residual_norm == 4e-12);
    assert_true(back.component_all == 0.1 && back.component_constraint == 1e-9 && back.velocity_terms == 5 &&
                back.step_error == 7 && back.step_error_double == 6);
    cJSON_Delete(parsed);
    cJSON_Delete(part);
    cJSON_free(text);
    part = nb_part_floor(NULL, 0, "why");
    assert_false(nb_floor_from_json(part, &back));
}

TEST(reference_of_the_stack_is_exact)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_reference reference;
    const struct nb_options options = nb_options_default();
    assert_ok(nb_problem_read(stack_file, &problem, &why));
    assert_ok(nb_reference_compute(&problem, &options, &reference, &why));
    double sum = 0; /* the four contacts with the ground carry (8^5 - 1)/7 * 8 = 37448 kg */
    for (int i = 0; i < problem.contacts.count; ++i)
        if (problem.contacts.body[2 * i] < 0 || problem.contacts.body[2 * i + 1] < 0)
            sum += reference.lambda[3 * i];
    assert_true(reference.step_error < 1e-11); /* gaps are known to 1e-15 m of 7e-4 m */
    assert_true(fabs(sum / (37448 * 9.81) - 1) < 1e-10);
    nb_reference_free(&reference);
}

TEST(median_is_of_the_middle)
{
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
    assert_true(nb_median(odd, 3) == 3);
    assert_true(nb_median(even, 4) == 2.5);
    assert_true(isnan(nb_median(odd, 0)));
}

/* A short solve is made before the repetition, until it is warm, and tells how many make one, however long the observed
 * run took (test_cli_plugins.c counts the solves of a long one). */
TEST(a_repetition_has_a_warm_up)
{
    for (int seemed_long = 0; seemed_long < 2; ++seemed_long) {
        struct nb_case setting = stack_case();
        struct nb_case_result result;
        struct nb_case_run *run;
        struct nb_repetition repetition = {0};
        assert_int_equal(nb_case_run_open(&run, &setting, NULL), NB_OK);
        assert_int_equal(nb_case_run_trace(run, NULL, NULL, &result, NULL), NB_OK);
        nb_case_run_expect(run, (struct nb_expected){result.errors.step_error, result.counts.newton_iterations,
                                                     seemed_long ? 100 : 1e-6});
        assert_int_equal(nb_case_run_repeat(run, result.iterations, &repetition, NULL), NB_OK);
        assert_true(repetition.solves >= 1);
        assert_true(repetition.spent > (repetition.seconds + repetition.waited) * repetition.solves);
        assert_int_equal(nb_case_run_repeat(run, result.iterations, &repetition, NULL), NB_OK);
        const double told = (repetition.seconds + repetition.waited) * repetition.solves;
        assert_true(repetition.setup >= 0 && repetition.setup <= repetition.seconds);
        assert_true(repetition.spent - told >= repetition.setup * repetition.solves - 1e-9 * repetition.spent);
        nb_case_result_free(&result);
        nb_case_run_close(run);
    }
}

FIXTURE(set_up, remove_folder)

/* Where a solve begins: at the solution itself it ends at once, and so it does at that of an unchanged step before,
 * whatever the order of contacts; a step before that is not there is told. */
#include "harness/case/case_run.h"
#include "harness/case/case_settings.h"
#include "harness/records/record.h"
#include "tests/support/sweep_support.h"

static void swap(void *values, size_t size, int i, int j)
{
    char kept[128], *bytes = values;
    if (!values)
        return;
    memcpy(kept, bytes + (size_t)i * size, size);
    memcpy(bytes + (size_t)i * size, bytes + (size_t)j * size, size);
    memcpy(bytes + (size_t)j * size, kept, size);
}

static void reverse(struct nb_contacts *contacts)
{
    for (int i = 0, j = contacts->count - 1; i < j; ++i, --j) {
        swap(contacts->body, 2 * sizeof(int), i, j);
        swap(contacts->point, 6 * sizeof(double), i, j);
        swap(contacts->radius, 2 * sizeof(double), i, j);
        swap(contacts->particle, 6 * sizeof(int), i, j);
        swap(contacts->weight, 6 * sizeof(double), i, j);
        swap(contacts->frame, 9 * sizeof(double), i, j);
        swap(contacts->thickness, sizeof(double), i, j);
        swap(contacts->friction, sizeof(double), i, j);
    }
}

/* A stack's step as s-0001.h5 and s-0002.h5, in s-0003.h5 with its contacts in another order. */
static int set_up_series(void **state)
{
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    make_folder(state);
    write_scene("heavy_stack", "s-0001.h5");
    write_scene("heavy_stack", "s-0002.h5");
    write_scene("heavy_stack", "alone.h5");
    write_scene("heavy_stack", "t-20261125223352.h5");
    assert_ok(nb_problem_read(test_path(&folder, "s-0002.h5"), &problem, &why));
    assert_int_equal(problem.contacts.count, 20);
    reverse(&problem.contacts);
    assert_ok(nb_problem_write(test_path(&folder, "s-0003.h5"), &problem, NULL, &why));
    return 0;
}

static struct nb_case make_case(const char *name, const char *solver, enum nb_case_start start)
{
    struct nb_case setting = nb_case_default();
    assert_int_equal(nb_case_set_problem(&setting, test_path(&folder, name), NULL), NB_OK);
    setting.options.solver = solver;
    setting.options.newton_iterations = 100;
    setting.tolerance = 1e-6;
    setting.start = start;
    return setting;
}

/* The observed run; into u [30] and lambda [60], where they are asked for, what it left. */
static enum nb_status solve(const struct nb_case *setting, struct nb_case_result *result, double *u, double *lambda,
                            struct nb_error *error)
{
    struct nb_case_run *run = NULL;
    const double *left[2];
    *result = (struct nb_case_result){0};
    enum nb_status status = nb_case_run_open(&run, setting, error);
    if (!status)
        status = nb_case_run_trace(run, NULL, NULL, result, error);
    if (!status && u) {
        nb_case_run_solution(run, &left[0], &left[1]);
        memcpy(u, left[0], 30 * sizeof *u);
        memcpy(lambda, left[1], 60 * sizeof *lambda);
    }
    nb_case_run_close(run);
    nb_case_result_free(result);
    return status;
}

static const char *const methods[] = {"newton", "proximal_newton"};
enum { METHODS = sizeof methods / sizeof *methods };

TEST(step_before_that_did_not_change_ends_at_once)
{
    static const char *const names[] = {"s-0002.h5", "s-0003.h5"};
    for (int k = 0; k < METHODS * 2; ++k) {
        struct nb_case_result rest, previous;
        struct nb_case setting = make_case(names[k % 2], methods[k / 2], NB_START_REST);
        assert_ok(solve(&setting, &rest, NULL, NULL, &why));
        setting.start = NB_START_PREVIOUS;
        assert_ok(solve(&setting, &previous, NULL, NULL, &why));
        assert_true(rest.iterations > 0 && !rest.previous.ending && isnan(rest.start));
        assert_int_equal(previous.iterations, 0);
        assert_string_equal(previous.ending, "converged");
        assert_int_equal(previous.previous.found, 20);
        assert_string_equal(previous.previous.ending, "converged");
        assert_true(previous.previous.iterations > 0 && previous.start > 0);
    }
}

TEST(solution_of_the_file_ends_at_once)
{
    double u[30], lambda[60];
    struct nb_case_result result;
    struct nb_problem problem = {0};
    struct nb_case setting = make_case("alone.h5", "newton", NB_START_REST);
    assert_ok(solve(&setting, &result, u, lambda, &why));
    assert_ok(nb_problem_read(setting.problem_file, &problem, &why));
    assert_ok(nb_problem_write(test_path(&folder, "solved.h5"), &problem, &(struct nb_problem_extras){.u = u,
                                                                                                      .lambda = lambda},
                               &why));
    nb_problem_free(&problem);
    setting = make_case("solved.h5", "newton", NB_START_GUESS);
    assert_ok(solve(&setting, &result, NULL, NULL, &why));
    assert_int_equal(result.iterations, 0);
    assert_string_equal(result.ending, "converged");
}

TEST(what_is_not_there_is_told)
{
    static const struct {
        const char *name, *solver;
        enum nb_case_start start;
        const char *says;
    } cases[] = {
        {"alone.h5", "newton", NB_START_PREVIOUS, "alone.h5 is of no series: its name ends in no number"},
        {"s-0001.h5", "newton", NB_START_PREVIOUS, "s-0000.h5, the step before, is not there"},
        {"t-20261125223352.h5", "newton", NB_START_PREVIOUS, "t-20261125223351.h5, the step before, is not there"},
        {"alone.h5", "newton", NB_START_GUESS, "alone.h5 holds neither /guesses nor /solution"},
        {"s-0002.h5", "admm", NB_START_PREVIOUS, "admm has a start of its own"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nb_case_result result;
        struct nb_error error = {""};
        const struct nb_case setting = make_case(cases[i].name, cases[i].solver, cases[i].start);
        assert_int_equal(solve(&setting, &result, NULL, NULL, &error), NB_UNSUPPORTED);
        if (!strstr(error.text, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].says);
    }
}

/* The names that `export --steps` gives, with four digits at least, and those of others. */
TEST(the_step_before_has_a_digit_less_where_it_is_written_so)
{
    static const struct {
        const char *there, *second, *file, *previous; /* NULL: refused */
    } cases[] = {
        {"e-9999.h5", NULL, "e-10000.h5", "e-9999.h5"},   {"f-09999.h5", NULL, "f-10000.h5", "f-09999.h5"},
        {"g-9.h5", NULL, "g-10.h5", "g-9.h5"},            {"h-0009.h5", NULL, "h-0010.h5", "h-0009.h5"},
        {"i-9999.h5", "i-09999.h5", "i-10000.h5", NULL},  {"j-9.h5", NULL, "j-0010.h5", NULL},
        {"k-10001.h5", NULL, "k-10002.h5", "k-10001.h5"}, {"l99.h5", "l101.h5", "l100.h5", "l99.h5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nb_case setting = nb_case_default();
        char path[1024];
        test_write(test_path(&folder, cases[i].there), "");
        if (cases[i].second)
            test_write(test_path(&folder, cases[i].second), "");
        assert_ok(nb_case_set_problem(&setting, test_path(&folder, cases[i].file), &why));
        const enum nb_status status = nb_case_previous(&setting, path, &why);
        assert_int_equal(status, cases[i].previous ? NB_OK : NB_UNSUPPORTED);
        if (cases[i].previous)
            assert_string_equal(strrchr(path, '/') + 1, cases[i].previous);
    }
}

/* What the step before holds is part of the key; where a solve begins at rest the key is that of before. */
TEST(key_depends_on_the_step_before)
{
    char rest[NB_KEY_SIZE], none[NB_KEY_SIZE], first[NB_KEY_SIZE];
    struct nb_case setting = make_case("s-0002.h5", "newton", NB_START_REST);
    nb_case_hash_previous(&setting);
    assert_ok(nb_case_key(&setting, rest, &why));
    setting.previous_hash[0] = '\0';
    assert_ok(nb_case_key(&setting, none, &why));
    assert_string_equal(none, rest);
    setting.start = NB_START_PREVIOUS;
    assert_ok(nb_case_key(&setting, none, &why));
    nb_case_hash_previous(&setting);
    assert_int_equal(strlen(setting.previous_hash), NB_HASH_SIZE - 1);
    assert_ok(nb_case_key(&setting, first, &why));
    assert_string_not_equal(none, rest);
    assert_string_not_equal(first, none);
}

TEST(records_of_before_began_at_rest)
{
    static const struct {
        const char *settings, *start;
    } records[] = {{"{\"mode\":\"step\"}", "rest"},
                   {"{\"mode\":\"step\",\"start\":\"guess\"}", "guess"},
                   {"{\"mode\":\"linear_system\"}", ""}};
    for (size_t i = 0; i < sizeof records / sizeof *records; ++i) {
        char text[16];
        cJSON *record = cJSON_CreateObject();
        cJSON_AddItemToObject(record, "settings", cJSON_Parse(records[i].settings));
        assert_string_equal(nb_record_text(record, "start", text, sizeof text), records[i].start);
        cJSON_Delete(record);
    }
}

/* In a sweep, with copies in a folder of the node's own, the record says where it began; what cannot is recorded. */
TEST(sweep_records_where_it_began)
{
    char results[160], scratch[160];
    struct audit audit = {.ending = "unsupported"};
    struct nb_sweep_summary summary;
    snprintf(results, sizeof results, "%s", fresh("start.jsonl"));
    snprintf(scratch, sizeof scratch, "%s", folder.path);
    const struct nb_sweep_request request = {
        .spec = write_spec("[group a]\nproblem = s-0001.h5, s-0003.h5\nsolver = newton\nstart = rest, previous\n"
                           "tol = 1e-6\nnewton_iters = 100\n"),
        .results = results, .jobs = 1, .scratch = scratch};
    assert_ok(nb_sweep_run(&request, &summary, &why));
    assert_int_equal(summary.run, 4);
    assert_ok(nb_store_read(results, audit_record, &audit, &why));
    assert_int_equal(audit.with_ending, 1);
    assert_non_null(strstr(audit.detail, "s-0000.h5, the step before, is not there"));
    assert_int_equal(audit.incomplete, 0);
    OWNS(free_at) char *text = test_slurp(results);
    assert_non_null(strstr(text, "\"start\":\"previous\""));
    assert_non_null(strstr(text, "\"contacts_found\":20"));
}

FIXTURE(set_up_series, remove_folder)

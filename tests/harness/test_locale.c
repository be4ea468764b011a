/* A host program whose numbers have decimal commas: what is read and written as text stays as it is. */
#include "tests/support/folder.h"

#include <locale.h>

#include "harness/case/case.h"
#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "harness/sweep/spec.h"
#include "problems/import/import.h"
#include "problems/io/matrix_market.h"
#include "problems/scene.h"
#include "solvers/settings.h"

/* The locale of Germany, made here, as few machines have it. */
static bool use_commas(void)
{
    char command[600], where[300];
    snprintf(where, sizeof where, "%s", test_path(&folder, "de_DE.UTF-8"));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s' >/dev/null 2>&1", where);
    const int made = system(command);
    setenv("LOCPATH", folder.path, 1);
    return made >= 0 && setlocale(LC_ALL, "de_DE.UTF-8") && localeconv()->decimal_point[0] == ',';
}

/* The bits of the largest force of an imported model, 0 without MuJoCo. */
static unsigned long long imported(void)
{
    const struct nb_import request = {.model = "data/models/hand.xml", .step = 20, .copies = 1};
    struct nb_import_report report;
    struct nb_problem problem;
    unsigned long long bits;
    double largest = 0;
    if (!nb_import_version())
        return 0;
    assert_ok(nb_import_model(&request, &problem, &report, &why));
    for (int i = 0; i < problem.linear.dofs; ++i)
        largest = fmax(largest, fabs(problem.linear.force[i]));
    nb_import_report_free(&report);
    nb_problem_free(&problem);
    memcpy(&bits, &largest, sizeof bits);
    return bits;
}

/* A matrix's text, a spec's value, a scene's parameter, a solver's setting, a message, a key and a model. */
static void collect(char *text, size_t size)
{
    const int zero = 0;
    const double value = 2.5;
    struct nb_csr matrix;
    struct nb_newton_system system;
    struct nb_problem problem;
    struct nb_spec spec;
    struct nb_error error = {""};
    struct nb_options options = nb_options_default();
    struct nb_case usual = nb_case_default();
    const char *const parameters[] = {"speed=0.25"};
    const char *path = test_path(&folder, "a.mtx");
    char key[NB_KEY_SIZE];
    assert_int_equal(nb_csr_from_triplets(&matrix, 1, 1, 1, &zero, &zero, &value, NULL), NB_OK);
    assert_int_equal(nb_matrix_market_write(path, &matrix, &error), NB_OK);
    nb_csr_free(&matrix);
    if (nb_matrix_market_read(path, NULL, &system, &error))
        fail_msg("%s", error.text);
    const double read = system.schur.value[0];
    nb_newton_system_free(&system);

    test_write(test_path(&folder, "s.sweep"), "[sweep]\nname = s\ntime_limit = 2.5\n[group g]\nproblem = a.h5\n");
    if (nb_spec_read(test_path(&folder, "s.sweep"), &spec, &error))
        fail_msg("%s", error.text);
    const double limit = spec.usual.time_limit;
    nb_spec_free(&spec);

    const char *scene = "sliding_box";
    if (nb_scene_create(scene, 1, parameters, &problem, &error))
        fail_msg("%s", error.text);
    nb_problem_free(&problem);
    options.solver = "pgs:relaxation=1.3";
    if (nb_options_validate(&options, &error))
        fail_msg("%s", error.text);
    nb_fail(&error, NB_BAD_INPUT, "%g", 0.5);
    usual.options.damping = 0.5;
    usual.tolerance = 1.5e-7;
    assert_int_equal(nb_case_key(&usual, key, NULL), NB_OK);
    cJSON *settings = nb_case_settings(&usual);
    char *json = nb_json_print(settings);
    snprintf(text, size, "%d %d %s %s %s %llx", read == 2.5, limit == 2.5, error.text, key, json, imported());
    cJSON_free(json);
    cJSON_Delete(settings);
}

TEST(a_decimal_comma_changes_nothing)
{
    static char plain[4096], german[4096];
    collect(plain, sizeof plain);
    if (!use_commas()) {
        print_message("no locale with a decimal comma: localedef, of the package locales, makes one\n");
        skip();
    }
    collect(german, sizeof german);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
    assert_string_equal(plain, german);
    assert_non_null(strstr(plain, "1 1 0.5 "));
}

FIXTURE(make_folder, remove_folder)

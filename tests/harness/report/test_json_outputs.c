/* The documents of report, list and info: their numbers are those of the records, the registry and the file. */
#include <cJSON.h>

#include "harness/records/json.h"
#include "solvers/registry.h"
#include "solvers/settings.h"
#include "tests/support/case_text.h"
#include "tests/support/program.h"

FIXTURE(make_folder, remove_folder)

/* One document, and nothing after it. */
static cJSON *document(struct test_output output)
{
    const char *end;
    if (output.code)
        fail_msg("exit %d: %s", output.code, output.err);
    cJSON *json = cJSON_ParseWithOpts(output.out, &end, false);
    assert_non_null(json);
    assert_string_equal(end, "\n");
    test_output_free(&output);
    return json;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(item);
    return item;
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const cJSON *item_with(const cJSON *array, const char *name, const char *text)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array)
        if (!strcmp(nb_json_string(item, name), text))
            return item;
    return NULL;
}

static void write_cases(void)
{
    FILE *file = test_open(test_path(&folder, "cases.jsonl"), "w");
    struct case_text text = usual_case;
    put_case_text(file, &text);
    text.precond = "jacobi";
    text.seconds = 1e-3;
    put_case_text(file, &text);
    text.precond = "ssor";
    text.factor = 1;
    text.ending = "stagnated";
    put_case_text(file, &text);
    text = usual_case;
    text.mode = "linear_system";
    text.solver = "";
    put_case_text(file, &text);
    fprintf(file, "{\"kind\":\"simulation\",\"scene\":\"s\",\"settings\":{\"solver\":\"nsgs\",\"newton_iters\":5},"
            "\"observable\":\"height\",\"observable_unit\":\"m\",\"trace\":{\"time\":[0.1,0.2],"
            "\"observable\":[1,null],\"mechanical_energy\":[2,3]}}\n");
    assert_int_equal(fclose(file), 0);
}

TEST(report_has_the_numbers_of_its_tables)
{
    write_cases();
    cJSON *json = document(run("report %s/cases.jsonl --tol 2e-4 --json", folder.path));
    const cJSON *best = member(json, "best")->child, *fastest = member(best, "fastest");
    assert_string_equal(nb_json_string(fastest, "precond"), "jacobi");
    assert_true(fabs(number(fastest, "time") - 1e-3) < 1e-12);
    assert_true(number(fastest, "iterations") == 4);
    assert_true(fabs(number(member(best, "next_over_fastest"), "value") - 4) < 1e-9);
    assert_true(cJSON_IsNull(member(best, "nearest")));
    const cJSON *endings = member(json, "endings")->child;
    assert_true(number(endings, "converged") == 3 && number(endings, "stagnated") == 1);
    const cJSON *failed = item_with(member(json, "medians"), "precond", "ssor");
    assert_true(number(failed, "cases") == 1 && number(failed, "reached") == 0);
    assert_true(cJSON_IsNull(member(failed, "time")));
    const cJSON *simulation = member(json, "simulations")->child;
    assert_true(number(simulation, "first") == 1 && cJSON_IsNull(member(simulation, "last")));
    assert_true(number(simulation, "energy_gain") == 1 && number(simulation, "time") == 0.2);
    const cJSON *system = member(member(json, "linear_systems")->child, "cases")->child;
    const cJSON *reached = member(system, "reached");
    assert_true(fabs(number(system, "iteration_time") - 1e-3) < 1e-12); /* of four */
    assert_true(cJSON_IsNull(member(cJSON_GetArrayItem(reached, 0), "iterations"))); /* 1e-6 */
    cJSON_Delete(json);
}

TEST(report_has_one_form_at_a_time)
{
    write_cases();
    expect_refusal(run("report %s/cases.jsonl --tol 1e-3 --csv --json", folder.path), "one form at a time");
    expect_refusal(run("report %1$s/cases.jsonl --tol 1e-3 --json --markdown %1$s/x.md", folder.path),
                   "one form at a time");
    expect_refusal(run("report %s/cases.jsonl --json", folder.path), "--tol is missing");
}

/* Every row with every setting, a choice with its words, a number with its range. */
TEST(list_has_what_is_registered)
{
    cJSON *json = document(run("list --json"));
    const cJSON *object = member(json, "rows")->child;
    int settings = 0;
    for (const char *const *kind = nb_registry_kinds(); *kind; ++kind) {
        const struct nb_registry_row *row;
        for (size_t i = 0; (row = nb_registry_row(*kind, i)); ++i, object = object->next) {
            assert_string_equal(nb_json_string(object, "kind"), *kind);
            assert_string_equal(nb_json_string(object, "name"), row->name);
            assert_string_equal(nb_json_string(object, "title"), row->title);
            const struct nb_setting *setting = nb_registry_settings(*kind, row->name);
            for (const cJSON *given = member(object, "settings")->child; setting && setting->name; ++setting) {
                char text[64];
                nb_setting_default(setting, text, sizeof text);
                assert_string_equal(nb_json_string(given, "name"), setting->name);
                if (setting->choices)
                    assert_string_equal(nb_json_string(given, "default"), text);
                else
                    assert_true(number(given, "default") == setting->value &&
                                number(given, "minimum") == setting->minimum);
                given = given->next;
                ++settings;
            }
        }
    }
    assert_null(object);
    assert_true(settings > 50);
    cJSON_Delete(json);
    json = document(run("list precond --json"));
    assert_null(item_with(member(json, "rows"), "kind", "linear"));
    assert_non_null(item_with(member(json, "rows"), "name", "jacobi"));
    cJSON_Delete(json);
    json = document(run("list scene --json"));
    const cJSON *scene = item_with(member(json, "rows"), "name", "two_boxes");
    const cJSON *ratio = item_with(member(scene, "settings"), "name", "ratio");
    assert_true(number(ratio, "default") == 1000);
    cJSON_Delete(json);
}

TEST(info_has_the_numbers_of_the_file)
{
    expect_ok(run("export two_boxes --step 2 --newton-systems -o %s/two.h5", folder.path));
    cJSON *json = document(run("info %s/two.h5 --json", folder.path));
    assert_string_equal(nb_json_string(json, "form"), "nonlinear");
    assert_true(number(member(json, "sizes"), "contacts") == 8);
    assert_true(number(member(json, "sizes"), "dofs") == 12);
    assert_true(number(member(json, "parameters"), "ratio") == 1000);
    assert_true(member(json, "masses")->child->valuedouble == 1);
    assert_true(member(json, "masses")->child->next->valuedouble == 1000);
    assert_true(number(member(member(json, "islands"), "largest"), "bodies") == 2);
    assert_true(cJSON_IsNull(member(json, "deformable")));
    assert_true(number(member(json, "stored"), "newton_systems") > 0);
    cJSON_Delete(json);
    expect_refusal(run("info %s/none.h5 --json", folder.path), "none.h5");
}

/* A strategy's own settings: defaults, ranges, choices, what is refused, and their way through a spec. */
#include "tests/support/test.h"

#include "harness/case/case_settings.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

enum { FRICTION, FACTOR, COUNT };

static const struct nb_setting table[] = {
    [FRICTION] = {.name = "friction", .value = 1, .choices = "box,cone", .meaning = "bounds"},
    [FACTOR] = {.name = "factor", .value = 0.5, .minimum = 0, .maximum = 2, .above_minimum = 1,
                .meaning = "relaxation"},
    [COUNT] = {.name = "count", .value = 3, .minimum = 1, .maximum = INFINITY, .whole = 1,
               .meaning = "sweeps"},
    {.name = NULL},
};

TEST(test_defaults_and_values)
{
    double value[3];
    assert_ok(nb_settings_read(table, "method", value, &why));
    assert_true(value[FRICTION] == 1 && value[FACTOR] == 0.5 && value[COUNT] == 3);
    assert_ok(nb_settings_read(table, "method:friction=box:count=7", value, &why));
    assert_true(value[FRICTION] == 0 && value[FACTOR] == 0.5 && value[COUNT] == 7);
    assert_ok(nb_settings_read(table, "method:factor=2", NULL, &why));
    assert_ok(nb_settings_read(NULL, "method", value, &why));
    assert_int_equal(nb_settings_name_length("method:factor=2"), 6);
}

TEST(test_bad_settings_are_named)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"method:factor=0", "> 0 and <= 2"},       {"method:factor=2.1", "\"2.1\""},
        {"method:factor=", "factor"},              {"method:factor=nan", "not allowed"},
        {"method:factor=1x", "not allowed"},       {"method:factor= 1", "not allowed"},
        {"method:count=1.5", "a whole number"},    {"method:count=0", ">= 1"},
        {"method:friction=disc", "box, cone"},      {"method:friction=1", "box, cone"},
        {"method:", "NAME=VALUE"},                 {"method:factor", "NAME=VALUE"},
        {"method::factor=1", "NAME=VALUE"},        {"method:fractor=1", "nearest: factor"},
        {"method:factor=1:factor=2", "setting factor is set twice in \"method:factor=1:factor=2\""},
        {"method:count=2:factor=1:count=2", "setting count is set twice"},
        {"method:=1", "has no setting \"\""},
        {"method:a_name_that_is_much_longer_than_any_setting_has=1", "longer"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        struct nb_error error = {""};
        double value[3];
        assert_int_equal(nb_settings_read(table, bad[i].text, value, &error), NB_BAD_INPUT);
        if (!strstr(error.text, bad[i].message))
            fail_msg("%s: %s", bad[i].text, error.text);
    }
    struct nb_error error;
    assert_int_equal(nb_settings_read(NULL, "method:factor=1", NULL, &error), NB_BAD_INPUT);
    assert_non_null(strstr(error.text, "no settings"));
}

/* Every row's defaults are within its own range, and its words are listed. */
TEST(test_tables_of_all_solvers)
{
    const struct nb_registry_row *row;
    for (size_t i = 0; (row = nb_registry_row("solver", i)); ++i) {
        const struct nb_setting *setting = nb_registry_settings("solver", row->name);
        for (; setting && setting->name; ++setting) {
            char text[128], usual[64];
            nb_setting_default(setting, usual, sizeof usual);
            snprintf(text, sizeof text, "%s:%s=%s", row->name, setting->name, usual);
            assert_ok(nb_registry_check("", "solver", text, &why));
            assert_true(strlen(setting->meaning) > 0);
        }
    }
}

static enum nb_status set(struct nb_case *setting, const char *name, const char *text, struct nb_error *error)
{
    return nb_case_setting_read(nb_case_setting_find(name), text, setting, error);
}

/* A case does not borrow from the spec's text. */
TEST(test_a_case_keeps_its_settings)
{
    struct nb_case setting = nb_case_default();
    char text[] = "newton";
    assert_ok(set(&setting, "solver", text, &why));
    memset(text, 'x', sizeof text - 1);
    assert_string_equal(setting.options.solver, "newton");
    assert_refused(set(&setting, "precond", "none:step=1", &why), NB_BAD_INPUT, "none has no settings");
    assert_refused(set(&setting, "solver", "newton:stop=1", &why), NB_BAD_INPUT, "newton has no setting \"stop\"");
    assert_int_equal(set(&setting, "linear", "pcr:step=1", &why), NB_BAD_INPUT);
}

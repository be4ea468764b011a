/* The probe, on what is compiled in; files that are no plugins (tests/scripts/full_install.sh builds real
 * ones). */
#include "tests/support/support.h"

#include "harness/sweep/probe.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

/* Every preconditioner of ours is linear, symmetric and positive definite in every precision, or says
 * why it cannot be tried. */
TEST(own_preconditioners_pass)
{
    const struct nb_registry_row *precond, *precision;
    int tried = 0;
    for (size_t i = 0; (precond = nb_registry_row("precond", i)); ++i)
        for (size_t p = 0; (precision = nb_registry_row("precision", p)); ++p) {
            struct nb_error error = {""};
            const enum nb_status status = nb_plugin_probe(precond->name, precision->name, NULL, &error);
            if (status && status != NB_UNSUPPORTED)
                fail_msg("%s in %s: %s", precond->name, precision->name, error.text);
            tried += !status;
        }
    assert_true(tried >= 4);
}

TEST(probe_runs_in_a_child)
{
    char finding[200];
    assert_false(nb_probe_precond("jacobi", "f64", finding, sizeof finding));
    assert_true(nb_probe_precond("nothing", "f64", finding, sizeof finding));
    assert_non_null(strstr(finding, "no preconditioner nothing"));
}

TEST(refuses_other_files)
{
    struct nb_error error;
    static const char *const names[] = {"", ".so", "x", "README.md", "/nowhere/x.so",
                                        "a_name_that_is_longer_than_any_strategy_may_have_here.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        assert_int_not_equal(nb_plugin_load(names[i], &error), NB_OK);
        assert_non_null(strstr(error.text, names[i]));
    }
    assert_null(nb_plugin_precond(0));
    assert_null(nb_plugin_hash("precond", "jacobi"));
}

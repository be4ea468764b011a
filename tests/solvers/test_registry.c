/* The registry: every file of a slot folder is a row, names are unique, lookups and suggestions. */
#include <dirent.h>
#include "tests/support/test.h"

#include "build_info.h"
#include "solvers/registry.h"
#include "solvers/source.h"

static int files_in(const char *folder, const char *suffix)
{
    int count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name), tail = strlen(suffix);
        count += length > tail && strcmp(entry->d_name + length - tail, suffix) == 0;
    }
    closedir(directory);
    return count;
}

static int rows_of(const char *kind)
{
    int count = 0;
    while (nb_registry_row(kind, (size_t)count))
        ++count;
    return count;
}

TEST(test_one_file_one_row)
{
    const char *const slots[][3] = {
        {"solver", "solvers/outer", ".c"},      {"ncp", "solvers/ncp", ".c"},
        {"scaling", "solvers/scaling", ".c"},   {"linear", "solvers/linear", ".c"},
        {"precond", "solvers/precond", ".c"},   {"operator", "solvers/operator", ".c"},
        {"precision", "solvers/precision", ".h"}, {"scene", "problems/scenes", ".c"},
    };
    const int cuda = strcmp(NB_BUILD_CUDA, "none") != 0;
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i) {
        const char *slot = slots[i][0];
        int files = files_in(slots[i][1], slots[i][2]);
        if (cuda && strcmp(slot, "linear") == 0)
            files += files_in("solvers/cuda/linear", ".c");
        if (cuda && strcmp(slot, "solver") == 0)
            files += files_in("solvers/cuda/solver", ".c");
        assert_int_equal(rows_of(slot), files);
    }
}

TEST(test_names_are_unique_sorted_and_titled)
{
    for (size_t k = 0; nb_registry_kinds()[k]; ++k) {
        const char *kind = nb_registry_kinds()[k];
        assert_true(rows_of(kind) > 0);
        for (size_t i = 0; nb_registry_row(kind, i); ++i) {
            const struct nb_registry_row *row = nb_registry_row(kind, i);
            assert_string_equal(row->kind, kind);
            assert_true(strlen(row->title) > 0);
            assert_ptr_equal(nb_registry_find(kind, row->name), row);
            if (i > 0)
                assert_true(strcmp(nb_registry_row(kind, i - 1)->name, row->name) < 0);
        }
    }
}

/* Each strategy's own file has a hash, whatever name it gives itself. */
TEST(test_every_strategy_knows_its_source)
{
    for (size_t k = 0; nb_registry_kinds()[k]; ++k) {
        const char *kind = nb_registry_kinds()[k];
        const struct nb_registry_row *row;
        for (size_t i = 0; strcmp(kind, "scene") && (row = nb_registry_row(kind, i)); ++i) {
            const char *hash = nb_registry_source(kind, row->name);
            if (!hash || strlen(hash) != 16)
                fail_msg("%s %s has no hash", kind, row->name);
            if (i > 0)
                assert_string_not_equal(hash, nb_registry_source(kind, nb_registry_row(kind, i - 1)->name));
        }
    }
    assert_string_equal(nb_registry_source("linear", "sor:omega=1.3"), nb_registry_source("linear", "sor"));
    assert_null(nb_registry_source("linear", "nonsense"));
    assert_null(nb_registry_source("scene", "arch"));
    assert_int_equal(strlen(nb_source_fingerprint()), 16);
}

TEST(test_the_contract_of_the_command_line)
{
    const char *const names[][2] = {
        {"ncp", "fb"},           {"ncp", "min"},           {"scaling", "identity"},
        {"scaling", "timestep"}, {"scaling", "mass"},      {"linear", "pcr"},
        {"linear", "pcg"},       {"linear", "jacobi"},     {"linear", "gauss_seidel"},
        {"linear", "cholesky"},  {"precond", "none"},      {"precond", "jacobi"},
        {"operator", "assembled"}, {"operator", "factored"}, {"precision", "f64"},
        {"precision", "f32"},    {"scene", "heavy_stack"}, {"scene", "arch"},
        {"scene", "box_on_plane"}, {"scene", "sliding_box"}, {"scene", "incline"},
        {"solver", "newton"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        assert_non_null(nb_registry_find(names[i][0], names[i][1]));
    assert_true(nb_registry_uses_precond("pcr"));
    assert_false(nb_registry_uses_precond("cholesky"));
}

TEST(test_unknown_names)
{
    char text[200];
    assert_null(nb_registry_find("linear", "pcrr"));
    assert_null(nb_registry_find("nonsense", "pcr"));
    assert_null(nb_registry_row("nonsense", 0));
    nb_registry_suggest("linear", "chol", text, sizeof text);
    assert_non_null(strstr(text, "known: chebyshev, "));
    nb_registry_suggest("linear", "pgc", text, sizeof text);
    assert_non_null(strstr(text, "nearest: pcg"));
    nb_registry_suggest("linear", "pgc:tol=1e-8", text, sizeof text);
    assert_non_null(strstr(text, "nearest: pcg"));
    nb_registry_suggest("linear", "bogus", text, sizeof text); /* like none */
    assert_null(strstr(text, "nearest"));
    nb_registry_suggest("linear", "", text, 8); /* too small: cut, terminated */
    assert_int_equal(strlen(text), 7);
}

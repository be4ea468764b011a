/* What a record says about the machine. */
#include "tests/support/files.h"

#include <sys/stat.h>

#include "harness/records/provenance.h"

TEST(test_the_card_is_the_drivers_first)
{
    const struct test_folder folder = test_folder_make();
    char text[80];
    nb_provenance_card(folder.path, text, sizeof text);
    assert_string_equal(text, "none");
    assert_int_equal(mkdir(test_path(&folder, "0000:04:00.0"), 0700), 0);
    test_write(test_path(&folder, "0000:04:00.0/information"), "Model: \t\t NVIDIA H200\nIRQ:   \t\t 11\n");
    nb_provenance_card(folder.path, text, sizeof text);
    assert_string_equal(text, "NVIDIA H200");
    test_folder_remove(&folder);
}

TEST(test_a_record_names_processor_and_card)
{
    cJSON *json = nb_provenance();
    assert_non_null(json);
    const char *const names[] = {"cpu", "gpu", "cuda", "compiler", "flags", "blas", "hdf5", "date"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, names[k]));
        assert_non_null(value);
        assert_true(strlen(value) > 0);
    }
    cJSON_Delete(json);
}

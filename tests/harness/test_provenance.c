/* What a record says about the machine. */
#include "tests/support/files.h"

#include <stdbool.h>
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
    const char *const names[] = {"cpu", "gpu", "cuda", "compiler", "flags", "blas", "hdf5", "date",
                                 "host", "kernel", "governor"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, names[k]));
        assert_non_null(value);
        assert_true(strlen(value) > 0);
    }
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, "memory")) > 1e6);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(json, "load")));
    assert_true(nb_peak_memory() > 1e5);
    cJSON_Delete(json);
}

/* Of which times can be compared: a host of the same kind is none, and who does not say is not another. */
TEST(test_kinds_of_machines)
{
    cJSON *here = nb_provenance(), *there = cJSON_Duplicate(here, true);
    char text[NB_MACHINE];
    cJSON_ReplaceItemInObjectCaseSensitive(there, "host", cJSON_CreateString("another"));
    cJSON_DeleteItemFromObjectCaseSensitive(there, "governor");
    assert_null(nb_provenance_other_machine(here, there));
    cJSON_ReplaceItemInObjectCaseSensitive(there, "host_threads", cJSON_CreateNumber(1000));
    assert_string_equal(nb_provenance_other_machine(here, there), "host_threads");
    nb_provenance_machine(there, text, sizeof text);
    test_contains(text, ", host_threads 1000");
    cJSON_Delete(here);
    cJSON_Delete(there);
}

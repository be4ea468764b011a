/* What a record says about the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/provenance.h"

static void test_the_card_is_the_drivers_first(void **state)
{
    char folder[] = "/tmp/ncpbench_card_XXXXXX", card[64], file[96], text[80];
    (void)state;
    assert_non_null(mkdtemp(folder));
    nb_provenance_card(folder, text, sizeof text);
    assert_string_equal(text, "none");
    snprintf(card, sizeof card, "%s/0000:04:00.0", folder);
    snprintf(file, sizeof file, "%s/information", card);
    assert_int_equal(mkdir(card, 0700), 0);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs("Model: \t\t NVIDIA H200\nIRQ:   \t\t 11\n", out);
    fclose(out);
    nb_provenance_card(folder, text, sizeof text);
    assert_string_equal(text, "NVIDIA H200");
    unlink(file);
    rmdir(card);
    rmdir(folder);
}

static void test_a_record_names_processor_and_card(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_card_is_the_drivers_first),
        cmocka_unit_test(test_a_record_names_processor_and_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A sweep's spec, with the cases that it lists. */
#include "tests/fuzz/fuzz.h"

#include "harness/sweep/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nb_spec spec;
    struct nb_case *cases = NULL;
    struct nb_error error;
    int count = 0;
    if (nb_spec_read(fuzz_file(data, size), &spec, &error))
        return 0;
    if (!nb_spec_expand(&spec, NULL, &cases, &count, &error))
        free(cases);
    nb_spec_free(&spec);
    fuzz_check_memory();
    return 0;
}

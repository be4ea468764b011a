/* Matrix Market text, as a matrix and as a right-hand side. */
#include "tests/fuzz/fuzz.h"

#include "problems/io/matrix_market.h"
#include "problems/io/matrix_market_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct nb_newton_system system;
    struct nb_market vector;
    struct nb_error error;
    if (!nb_matrix_market_read(path, NULL, &system, &error))
        nb_newton_system_free(&system);
    if (!nb_market_read(path, data, size, 1, &vector, &error))
        nb_triplets_free(&vector.entries);
    fuzz_check_memory();
    return 0;
}

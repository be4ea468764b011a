/* All that is read of a problem file, of either format: the step, its linearisation, a stored solution, Newton
 * systems, a simulation's settings. Without the child process that reads first elsewhere: what crashes inside HDF5
 * is no finding where `ncpbench info` refuses it. */
#include "tests/fuzz/fuzz.h"

#include "problems/io/problem_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct nb_problem problem;
    struct nb_error error;
    double *u = NULL, *lambda = NULL;
    char settings[256];
    int systems = 0;
    if (nb_problem_read(path, &problem, &error)) {
        fuzz_check_memory();
        return 0;
    }
    nb_solution_read(path, &problem, &u, &lambda, &error);
    free(u);
    free(lambda);
    nb_problem_free(&problem);
    nb_newton_system_count(path, &systems, &error);
    for (int i = 0; i < systems && i < 4; ++i) {
        struct nb_newton_system system;
        if (!nb_newton_system_read(path, i, &system, &error))
            nb_newton_system_free(&system);
    }
    nb_simulation_read_settings(path, settings, sizeof settings, &error);
    fuzz_check_memory();
    return 0;
}

/* For the tests of figures: a folder of each test's own, and a small results file. */
#ifndef TEST_PLOT_SUPPORT_H
#define TEST_PLOT_SUPPORT_H

#include "harness/figures/plot.h"
#include "tests/support/folder.h"

#include <dirent.h>

static inline int make_plot_folder(void **state)
{
    make_folder(state);
    setenv("NCPBENCH_PLOTS", "plots", 1);
    return 0;
}

static inline const char *path_of(const char *name)
{
    return test_path(&folder, name);
}

static inline const char *write_file(const char *name, const char *text)
{
    const char *path = path_of(name);
    test_write(path, text);
    return path;
}

static inline int count_files(const char *path)
{
    DIR *stream = opendir(path);
    int count = 0;
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (stream)
        closedir(stream);
    return count;
}

/* A record of three iterations with errors scale, scale/4, scale/16; trace NULL: none. */
static inline void put_record(FILE *file, const char *key, const char *problem, const char *linear,
                       const char *precond, double scale, int with_trace)
{
    fprintf(file, "{\"kind\":\"case\",\"key\":\"%s\",\"settings\":{\"problem\":\"%s\",\"linear\":"
            "\"%s\",\"precond\":\"%s\",\"precision\":\"f64\",\"newton_iters\":%d},"
            "\"ending\":\"%s\",\"detail\":\"%s\",", key, problem, linear, precond, with_trace + 1,
            with_trace ? "converged" : "unsupported", with_trace ? "" : "no such thing");
    if (with_trace)
        fprintf(file, "\"floor\":{\"residual\":1e-3,\"step\":2e-3,\"component_all\":4e-4,"
                "\"component_constraint\":3e-4},\"trace\":{\"iteration\":[0,1,2],"
                "\"constraint_error\":[%.17g,%.17g,%.17g],\"step_size\":[null,%.17g,0]}}\n", scale,
                scale / 4, scale / 16, scale / 3);
    else
        fprintf(file, "\"floor\":null,\"trace\":null}\n");
}

static inline const char *write_records(void)
{
    const char *path = path_of("results.jsonl");
    OWNS(fclose_at) FILE *file = test_open(path, "w");
    put_record(file, "01", "a", "pcr", "none", 0.1, 1);
    put_record(file, "02", "a", "pcr", "jacobi", 0.2, 1);
    put_record(file, "03", "a", "pcr", "jacobi", 0.3, 2);
    put_record(file, "04", "a", "pcr", "none", 0.4, 1);
    put_record(file, "05", "a", "lu", "none", 0.5, 1);
    put_record(file, "06", "a", "richardson", "none", 0.6, 1);
    put_record(file, "07", "b", "pcr", "none", 1. / 3, 1);
    put_record(file, "08", "b", "pcg", "none", 0.8, 0);
    fprintf(file, "{\"kind\":\"floor\",\"key\":\"09\",\"settings\":{\"problem\":\"a\"}}\n");
    fprintf(file, "{\"kind\":\"case\",\"torn\":");
    return path;
}

/* Draws the figure, with changes, from one file into a folder, as PDF and PNG. */
static inline enum nb_status plot_file(const char *figure, char *const *changes, int count, const char *path,
                                       const char *into, FILE *report, struct nb_error *error)
{
    const struct nb_plot_request request = {.figure = figure, .changes = changes, .change_count = count,
                                            .formats = "pdf,png", .directory = into, .report = report,
                                            .list = report};
    return nb_plot(&request, &path, 1, error);
}

static inline int test_has_gnuplot(void)
{
    if (system("gnuplot --version >/dev/null 2>&1") == 0)
        return 1;
    print_message("gnuplot is not installed\n");
    return 0;
}

#define PLOT_TEST(name) TEST_WITH(name, make_plot_folder, remove_folder)

#endif

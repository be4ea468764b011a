/* Two scenes, a spec of eight cases, a sweep of them, and an audit of what it recorded. */
#ifndef NB_TESTS_SWEEP_SUPPORT_H
#define NB_TESTS_SWEEP_SUPPORT_H

#include "tests/support/folder.h"

#include "harness/records/json.h"
#include "harness/records/store.h"
#include "harness/sweep/sweep.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"

static inline void write_scene(const char *scene, const char *name)
{
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    assert_ok(nb_scene_create(scene, 0, NULL, &problem, &why));
    assert_ok(nb_step_prepare(&problem, &why));
    assert_ok(nb_problem_write(test_path(&folder, name), &problem, NULL, &why));
}

static inline int set_up(void **state)
{
    make_folder(state);
    write_scene("box_on_plane", "box.h5");
    write_scene("heavy_stack", "stack.h5");
    return 0;
}

/* A fresh results path; the old file and journal are gone. */
static inline const char *fresh(const char *name)
{
    char journal[160];
    const char *path = test_path(&folder, name);
    unlink(path);
    snprintf(journal, sizeof journal, "%s.journal", path);
    unlink(journal);
    return path;
}

static inline const char *write_spec(const char *groups)
{
    char text[2048];
    snprintf(text, sizeof text, "[sweep]\nname = test\nrepetitions = 5\ntime_limit = 20\n%s",
             groups);
    const char *path = test_path(&folder, "test.sweep");
    test_write(path, text);
    return path;
}

static const char eight[] = "[group a]\nproblem = box.h5\nncp = fb, min\nlinear = pcr, cholesky\n"
                            "precond = none\nprecision = f64, f32\nnewton_iters = 10\n"
                            "linear_iters = 10\n";
enum { EIGHT = 8 };

static inline struct nb_sweep_summary sweep_with(int observers, const char *spec, const char *results,
                                                 nb_sweep_hook *hook)
{
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .observers = observers,
                                             .hook = hook};
    struct nb_sweep_summary summary;
    assert_ok(nb_sweep_run(&request, &summary, &why));
    return summary;
}

static inline struct nb_sweep_summary sweep(const char *spec, const char *results, nb_sweep_hook *hook)
{
    return sweep_with(0, spec, results, hook);
}

/* Copies records, each as change leaves it. */
static inline void rewrite(const char *from, const char *to, void (*change)(void *, cJSON *), void *context)
{
    OWNS(fclose_at) FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    OWNS(free_at) char *line = NULL;
    size_t room = 0;
    assert_true(in && out);
    while (getline(&line, &room, in) > 0) {
        cJSON *record = cJSON_Parse(line);
        assert_non_null(record);
        change(context, record);
        char *text = cJSON_PrintUnformatted(record);
        fprintf(out, "%s\n", text);
        free(text);
        cJSON_Delete(record);
    }
}

struct audit {
    int cases, floors, repeated, incomplete;
    int misses;              /* their tolerance */
    int with_ending;         /* cases with the ending below */
    const char *ending;
    char detail[256];        /* of the last of them         */
    char key[64][20];
};

static inline enum nb_status audit_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct audit *audit = context;
    (void)error;
    if (strcmp(nb_json_string(record, "kind"), "case")) {
        ++audit->floors;
        return NB_OK;
    }
    const char *key = nb_json_string(record, "key"), *ending = nb_json_string(record, "ending");
    for (int i = 0; i < audit->cases; ++i)
        audit->repeated += !strcmp(audit->key[i], key);
    snprintf(audit->key[audit->cases++], sizeof audit->key[0], "%s", key);
    const int times = cJSON_GetArraySize(nb_json_path(record, "times", "solve"));
    const double repetitions = nb_json_path(record, "settings", "repetitions")->valuedouble;
    const bool died = !strcmp(ending, "crashed") || !strcmp(ending, "timed_out") ||
                      !strcmp(ending, "out_of_memory") || !strcmp(ending, "unsupported");
    const double tolerance = nb_json_path_number(record, "settings", "tol");
    const bool misses = tolerance > 0 && !(nb_json_path_number(record, "errors", "step_error") <= tolerance);
    audit->incomplete += !died && times != (misses ? fmin(repetitions, 1) : repetitions);
    audit->misses += misses;
    if (audit->ending && !strcmp(ending, audit->ending)) {
        ++audit->with_ending;
        snprintf(audit->detail, sizeof audit->detail, "%s", nb_json_string(record, "detail"));
    }
    return NB_OK;
}

static inline struct audit audit(const char *results, const char *ending)
{
    struct audit found = {.ending = ending};
    assert_ok(nb_store_read(results, audit_record, &found, &why));
    assert_int_equal(found.repeated, 0);
    assert_int_equal(found.incomplete, 0);
    return found;
}

#endif

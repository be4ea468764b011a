/* A model that is imported and, beside that, in MuJoCo's own hands. */
#ifndef NB_TESTS_IMPORT_PAIR_H
#define NB_TESTS_IMPORT_PAIR_H

#include <mujoco/mujoco.h>

#include "problems/import/import.h"
#include "tests/support/folder.h"

/* A model in MuJoCo's hands at the step that is imported, and the import. */
struct pair {
    mjModel *model;
    mjData *data;
    struct nb_problem problem;
    struct nb_import_report report;
};

static inline void import(struct pair *pair, const char *path, int step)
{
    const struct nb_import request = {.model = path, .step = step, .copies = 1};
    char reason[500];
    assert_ok(nb_import_model(&request, &pair->problem, &pair->report, &why));
    pair->model = mj_loadXML(path, NULL, reason, sizeof reason);
    assert_non_null(pair->model);
    pair->data = mj_makeData(pair->model);
    for (int k = 0; k < step; ++k)
        mj_step(pair->model, pair->data);
    mj_forward(pair->model, pair->data);
}

static inline void release(struct pair *pair)
{
    nb_problem_free(&pair->problem);
    nb_import_report_free(&pair->report);
    mj_deleteData(pair->data);
    mj_deleteModel(pair->model);
}

/* The path of a model of that text in the folder. */
static inline const char *model_of(const char *text)
{
    const char *path = test_path(&folder, "model.xml");
    test_write(path, text);
    return path;
}

#endif

/* Rows of a step for methods on impulses: u = M^-1 (f + J^T p), then J u + base with base so that at the linearisation
 * point this is the violation; where asked for, the Delassus operator is assembled. */
#include "solvers/model/step_rows.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
void nb_step_rows_free(struct nb_step_rows *rows)
{
    if (rows->op.strategy)
        rows->op.strategy->free(&rows->op);
    free(rows->memory);
    memset(rows, 0, sizeof *rows);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_step_rows *rows = data;
    nb_real **by_row[] = {&rows->ones, &rows->compliance, &rows->base, &rows->op.diagonal};
    nb_real **by_node[] = {&rows->u, &rows->defect, &rows->momentum};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; ++i)
        NB_ARRAY(arena, *by_row[i], rows->size);
    for (size_t i = 0; i < sizeof by_node / sizeof *by_node; ++i)
        NB_ARRAY(arena, *by_node[i], 3 * (size_t)rows->model->nodes);
}

enum nb_status nb_step_rows_create(struct nb_step_rows *rows, struct nb_model *model,
                                   int threads, int assembled, struct nb_error *error)
{
    memset(rows, 0, sizeof *rows);
    rows->model = model;
    rows->size = 3 * (size_t)model->blocks;
    rows->bilateral = 3 * (size_t)model->bilateral_blocks;
    rows->op.model = model;
    rows->op.size = rows->size;
    rows->op.threads = threads;
    enum nb_status status = NB_OK;
    rows->memory = nb_arena_allocate(lay_out, rows);
    if (!rows->memory)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rows of the step");
    if (!status && assembled) {
        rows->op.strategy = nb_find_operator("assembled");
        status = rows->op.strategy->setup(&rows->op, model, error);
    }
    if (status) {
        nb_step_rows_free(rows);
        return status;
    }
    for (size_t i = 0; i < rows->size; ++i)
        rows->ones[i] = 1;
    return NB_OK;
}

void nb_step_rows_assemble(struct nb_step_rows *rows)
{
    for (size_t i = 0; i < rows->bilateral; ++i)
        rows->compliance[i] = rows->model->bilateral_compliance[9 * (i / 3) + 4 * (i % 3)];
    rows->op.strategy->update(&rows->op, rows->ones, rows->compliance);
}

void nb_step_rows_linearise(struct nb_step_rows *rows)
{
    struct nb_model *model = rows->model;
    nb_model_evaluate(model, rows->u);
    nb_bsr_multiply(&model->jacobian, rows->u, rows->base, model->threads);
    for (size_t i = 0; i < rows->size; ++i)
        rows->base[i] = model->violation[i] - rows->base[i];
    nb_step_rows_assemble(rows);
}

static void velocity_from_impulse(struct nb_step_rows *rows, const nb_real *p)
{
    nb_model_respond(rows->model, p, rows->momentum, rows->defect, rows->u);
}

void nb_step_rows_start(struct nb_step_rows *rows)
{
    memset(rows->base, 0, rows->size * sizeof *rows->base);
    rows->op.applications = 0;
    velocity_from_impulse(rows, rows->base);
    nb_step_rows_linearise(rows);
}

void nb_step_rows_velocity(struct nb_step_rows *rows, const nb_real *p, nb_real *velocity)
{
    velocity_from_impulse(rows, p);
    nb_bsr_multiply(&rows->model->jacobian, rows->u, velocity, rows->model->threads);
    for (size_t i = 0; i < rows->size; ++i)
        velocity[i] += rows->base[i];
    nb_model_add_compliance(rows->model, p, velocity);
}

int nb_step_rows_publish(const struct nb_step_rows *rows, const nb_real *p, const struct nb_method_task *task,
                         const struct nb_linear_report *report)
{
    memcpy(task->u, rows->u, 3 * (size_t)rows->model->nodes * sizeof *task->u);
    for (size_t i = 0; i < rows->size; ++i)
        task->lambda[i] = p[i] / rows->model->time_step;
    return task->report(task, task->run->newton_iterations, report);
}

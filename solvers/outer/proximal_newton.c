/* Proximal point iteration around a semismooth Newton method on the Alart-Curnier map (Alart and
 * Curnier 1991; Rockafellar 1976). With U(p) = D p + q, D = J H^-1 J^T, each outer iteration solves
 *
 *     F(p; U(p) + w (p - p_k)) = 0          to a hundredth of the residual it starts with
 *
 * and takes its result as p_{k+1}. The weight w falls after an easy solve, less after a hard one,
 * and grows after one that failed: as w -> 0 it is plain Newton, and with w > 0 redundant contacts
 * leave no singular matrix. On a nonlinear step J and the gaps are evaluated anew between the outer
 * iterations. One iteration, as counted and observed, is one Newton iteration. The NCP function,
 * scaling, linear solver and damping of the options play no part. */
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/cone_newton.h"

enum { INNER_LIMIT = 25, EASY = 4, PATIENCE = 8 };
#define FIRST_SHIFT 0.01
#define LEAST_SHIFT 1e-12

struct proximal {
    struct NB(nb_cone_newton) *newton;
    double shift;             /* w over the median diagonal                       */
    nb_real *best, *best_u;   /* [n], [3 nodes]: p and u with the smallest ||F||  */
    nb_real least;            /* that ||F||, without the proximal term            */
};

static void release(void *data)
{
    struct proximal *self = data;
    if (!self)
        return;
    NB(nb_cone_newton_free)(self->newton);
    free(self->best);
    free(self->best_u);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct proximal *self = calloc(1, sizeof *self);
    enum nb_status status = NB_OK;
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    self->best = calloc(3 * (size_t)model->blocks + 1, sizeof *self->best);
    self->best_u = calloc(3 * (size_t)model->nodes + 1, sizeof *self->best_u);
    if (!self->best || !self->best_u)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    if (!status)
        status = NB(nb_cone_newton_create)(&self->newton, model, options->threads, error);
    if (status) {
        release(self);
        *out = NULL;
    }
    return status;
}

static size_t rows_of(const struct proximal *self) { return self->newton->op.size; }

static size_t dofs_of(const struct proximal *self)
{
    return 3 * (size_t)self->newton->model->nodes;
}

static void keep_best(struct proximal *self, nb_real norm)
{
    self->least = norm;
    memcpy(self->best, self->newton->p, rows_of(self) * sizeof *self->best);
    memcpy(self->best_u, self->newton->u, dofs_of(self) * sizeof *self->best_u);
}

/* Hands out the present iterate where ||F|| = norm beats the best one, else the best one, so that a
 * run may end anywhere. lambda = p/h. */
static int publish(struct proximal *self, const struct NB(nb_method_task) *task, nb_real norm,
                   const struct nb_linear_report *report)
{
    const int better = norm < self->least;
    const nb_real *p = better ? self->newton->p : self->best;
    memcpy(task->u, better ? self->newton->u : self->best_u,
           dofs_of(self) * sizeof *task->u);
    for (size_t i = 0; i < rows_of(self); ++i)
        task->lambda[i] = p[i] / self->newton->model->time_step;
    return task->report(task, task->run->newton_iterations, report);
}

/* Newton iterations on one proximal problem. Returns how many, negative if it failed; *stop is set
 * where the observer wants no more. */
static int solve_proximal(struct proximal *self, const struct NB(nb_method_task) *task,
                          nb_real *norm, int *stop)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const nb_real target = *norm / 100;
    for (int k = 1; k <= INNER_LIMIT && task->run->newton_iterations < task->iterations; ++k) {
        const int better = NB(nb_cone_newton_step)(self->newton, task->run, norm);
        const nb_real natural = NB(nb_cone_newton_natural)(self->newton);
        if (self->newton->model->constant && natural < self->least)
            keep_best(self, natural);
        *stop = publish(self, task, natural, &report);
        if (!better)
            return -k;
        if (*norm <= target || *stop)
            return k;
    }
    return -INNER_LIMIT;
}

static void set_shift(struct proximal *self, double shift)
{
    const double most = 1e8;
    self->shift = shift > most ? most : shift < LEAST_SHIFT ? LEAST_SHIFT : shift;
}

static void set_anchor(struct proximal *self)
{
    memcpy(self->newton->anchor, self->newton->p, rows_of(self) * sizeof *self->best);
}

/* Goes back to the best point with a larger weight. */
static void retreat(struct proximal *self)
{
    memcpy(self->newton->p, self->best, rows_of(self) * sizeof *self->best);
    memcpy(self->newton->u, self->best_u, dofs_of(self) * sizeof *self->best_u);
    set_shift(self, 4 * self->shift);
}

static void restart(struct proximal *self)
{
    const size_t n = rows_of(self), nodes = 3 * (size_t)self->newton->model->nodes;
    memset(self->newton->u, 0, nodes * sizeof *self->newton->u);
    memset(self->newton->p, 0, n * sizeof *self->newton->p);
    memset(self->newton->anchor, 0, n * sizeof *self->newton->anchor);
    self->shift = FIRST_SHIFT;
    self->newton->weight = 0;
    NB(nb_cone_newton_respond)(self->newton, self->newton->p); /* u~: the motion without contact forces */
    NB(nb_cone_newton_linearise)(self->newton);
    keep_best(self, NB(nb_cone_newton_evaluate)(self->newton));
}

/* ||F|| at p without the proximal term. */
static nb_real measure(struct NB(nb_cone_newton) *newton)
{
    const nb_real weight = newton->weight;
    newton->weight = 0;
    const nb_real norm = NB(nb_cone_newton_evaluate)(newton);
    newton->weight = weight;
    return norm;
}

/* One proximal problem: p, measured afresh with ||F|| = norm, becomes p_k. Within it a nonlinear step
 * keeps its gaps' linearisation, whose norms are not comparable: the best point is chosen here.
 * Nonzero if the problem was easy and the weight has room to fall: more is to be expected. */
static int advance(struct proximal *self, const struct NB(nb_method_task) *task, nb_real norm,
                   int *stop)
{
    set_anchor(self);
    if (norm < self->least)
        keep_best(self, norm);
    const int inner = solve_proximal(self, task, &norm, stop);
    if (inner < 0)
        retreat(self);
    else
        set_shift(self, self->shift * (inner <= EASY ? 0.2 : 0.7));
    return inner > 0 && inner <= EASY && self->shift > LEAST_SHIFT;
}

/* Without a better point for PATIENCE outer iterations that were not easy, what is left is round-off,
 * or beyond this method. */
static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct proximal *self = data;
    (void)error;
    restart(self);
    int stop = publish(self, task, self->least, NULL), waited = 0;
    while (!stop && waited <= PATIENCE && task->run->newton_iterations < task->iterations &&
           rows_of(self) > 0) {
        NB(nb_cone_newton_linearise)(self->newton);
        self->newton->weight = (nb_real)self->shift * self->newton->median;
        const nb_real norm = measure(self->newton);
        if (norm <= NB_REAL(NB_UNIT_ROUNDOFF) * NB(nb_norm)(rows_of(self), self->newton->p, 1))
            break;
        const nb_real before = self->least;
        const int promising = advance(self, task, norm, &stop);
        waited = self->least < before / 2 ? 0 : waited + !promising;
    }
    if (rows_of(self) == 0 && !stop && task->iterations > 0) {
        task->run->newton_iterations = 1; /* no contacts: u~ is the solution */
        publish(self, task, self->least, NULL);
    }
    return NB_OK;
}

const struct NB(nb_solver_strategy) NB(nb_solver_proximal_newton) = {
    .name = "proximal_newton",
    .title = "proximal semismooth Newton, Alart-Curnier",
    .source = "Alart and Curnier 1991; Rockafellar 1976",
    .self_contained = 1,
    .setup = setup,
    .run = run,
    .free = release,
};

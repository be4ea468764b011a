/* The edge-aware line search of implicit complementarity (Todorov 2010, III.C): between two
 * points l is smooth but where a contact crosses an edge, and both kinds of crossing are known
 * in closed form. Each piece in between is searched by a cubic; the best of all points is taken.
 * Contacts on active edges follow them. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/outer/implicit_complementarity/implicit_newton.h"

/* A line from `from` along `step`, and the best point seen on the way. */
struct line {
    struct nb_implicit *self;
    const nb_real *from;
    nb_real *step;
    nb_real least;      /* l of the best point, which is in self->best */
    int contact, edge;  /* the crossing that it is, or edge 0          */
    int found;
};

/* One end of a piece. */
struct end {
    nb_real alpha, value;
};

static nb_real friction_of(const struct nb_implicit *self, int contact)
{
    return self->rows.model->friction[contact];
}

static int compare(const void *a, const void *b)
{
    const struct nb_implicit_crossing *x = a, *y = b;
    if (x->alpha != y->alpha)
        return x->alpha < y->alpha ? -1 : 1;
    return x->contact != y->contact ? x->contact - y->contact : x->edge - y->edge;
}

static int find_crossings(const struct line *line)
{
    struct nb_implicit *self = line->self;
    int count = 0;
    for (int k = 0; k < self->rows.model->contacts; ++k) {
        const size_t i = self->rows.bilateral + 3 * (size_t)k;
        nb_real alpha[3];
        int edge[3];
        if (self->active[k] || self->edges == NB_IMPLICIT_IGNORED)
            continue;
        const int found = nb_implicit_crossings(line->from + i, line->step + i,
                                                friction_of(self, k), alpha, edge);
        for (int m = 0; m < found; ++m)
            self->crossing[count++] =
                (struct nb_implicit_crossing){alpha[m], k, edge[m]};
    }
    qsort(self->crossing, (size_t)count, sizeof *self->crossing, compare);
    return count;
}

/* self->trial = the point at alpha, on the crossed edge where one is given. */
static void set_trial(const struct line *line, nb_real alpha, int contact, int edge)
{
    const struct nb_implicit *self = line->self;
    for (size_t i = 0; i < self->rows.size; ++i)
        self->trial[i] = line->from[i] + alpha * line->step[i];
    nb_implicit_return_to_edges(self, self->trial);
    if (edge)
        nb_implicit_project(self->trial + self->rows.bilateral + 3 * (size_t)contact,
                            friction_of(self, contact), edge);
}

/* l there, r in residual_trial; kept if it is the best so far. */
static nb_real try_point(struct line *line, nb_real alpha, int contact, int edge)
{
    struct nb_implicit *self = line->self;
    set_trial(line, alpha, contact, edge);
    const nb_real value = nb_implicit_evaluate(self, self->trial, self->residual_trial);
    if (value < line->least) {
        line->least = value;
        line->contact = contact;
        line->edge = edge;
        line->found = 1;
        memcpy(self->best, self->trial, self->rows.size * sizeof *self->best);
    }
    return value;
}

/* dl/dalpha at self->trial, whose q is in back, as seen from the piece around alpha = middle. */
static nb_real slope_from(const struct line *line, nb_real middle)
{
    const struct nb_implicit *self = line->self;
    const size_t bilateral = self->rows.bilateral;
    nb_real sum = 0;
    for (size_t i = 0; i < self->rows.size; i += 3) {
        nb_real slope[9], moved[3], step[3];
        const nb_real *x = self->trial + i;
        memcpy(step, line->step + i, sizeof step);
        if (i < bilateral) {
            nb_implicit_slope(x, 0, NB_IMPLICIT_STICK, slope);
        } else {
            const int contact = (int)((i - bilateral) / 3), edge = self->active[contact];
            const nb_real mu = friction_of(self, contact);
            nb_real normal[3], inner[3];
            int region, below;
            for (size_t r = 0; r < 3; ++r)
                inner[r] = line->from[i + r] + middle * line->step[i + r];
            region = nb_implicit_region(inner, mu);
            if (edge) {
                nb_implicit_normal(x, mu, edge, normal, &region, &below);
                const nb_real off = normal[0] * step[0] + normal[1] * step[1] + normal[2] * step[2];
                for (int r = 0; r < 3; ++r)
                    step[r] -= off * normal[r];
            }
            nb_implicit_slope(x, mu, region, slope);
        }
        nb_block_apply(slope, step, moved);
        for (size_t r = 0; r < 3; ++r)
            sum += self->back[i + r] * moved[r] - self->residual_trial[i + r] * step[r];
    }
    return sum;
}

/* Minimiser of the cubic with values and slopes at a and b (Nocedal and Wright 2006, 3.59); a where
 * there is none between them. */
static nb_real cubic_minimum(struct end a, struct end b, nb_real slope_a, nb_real slope_b)
{
    const nb_real width = b.alpha - a.alpha;
    const nb_real d1 = slope_a + slope_b - 3 * (b.value - a.value) / width;
    const nb_real square = d1 * d1 - slope_a * slope_b;
    if (!(slope_a < 0) || !(square >= 0))
        return a.alpha;
    const nb_real d2 = nb_sqrt(square), divisor = slope_b - slope_a + 2 * d2;
    const nb_real at = b.alpha - width * (slope_b + d2 - d1) / divisor;
    return at > a.alpha && at < b.alpha ? at : a.alpha;
}

/* All pieces of one line. self->trial and residual_trial belong to its beginning on entry. */
static void search_line(struct line *line, nb_real value)
{
    struct nb_implicit *self = line->self;
    const int count = find_crossings(line);
    struct end a = {0, value};
    for (int m = 0; m <= count; ++m) {
        const int last = m == count;
        const nb_real alpha = last ? 1 : self->crossing[m].alpha;
        if (!(alpha > a.alpha))
            continue;
        const nb_real middle = (a.alpha + alpha) / 2;
        nb_implicit_transposed(self, self->residual_trial, self->back);
        const nb_real slope_a = slope_from(line, middle);
        const int contact = last ? 0 : self->crossing[m].contact;
        const int edge = last ? 0 : self->crossing[m].edge;
        struct end b = {alpha, try_point(line, alpha, contact, edge)};
        if (slope_a < 0) {
            nb_implicit_transposed(self, self->residual_trial, self->back);
            const nb_real at = cubic_minimum(a, b, slope_a, slope_from(line, middle));
            if (at > a.alpha) {
                try_point(line, at, 0, 0);
                set_trial(line, alpha, contact, edge);
                nb_implicit_evaluate(self, self->trial, self->residual_trial);
                self->tried--;
            }
        }
        a = b;
    }
}

int nb_implicit_search(struct nb_implicit *self)
{
    const size_t n = self->rows.size;
    struct line line = {.self = self, .from = self->x, .step = self->step,
                        .least = self->objective};
    const nb_real *ends[2] = {self->cauchy, self->newton};
    memcpy(self->trial, self->x, n * sizeof *self->x);
    memcpy(self->residual_trial, self->residual, n * sizeof *self->residual);
    nb_real value = self->objective;
    for (int leg = 0; leg < 2; ++leg) {
        for (size_t i = 0; i < n; ++i)
            self->step[i] = ends[leg][i] - line.from[i];
        search_line(&line, value);
        line.from = self->cauchy;
        if (leg == 0) {
            value = nb_implicit_evaluate(self, self->cauchy, self->residual_trial);
            self->tried--;
            memcpy(self->trial, self->cauchy, n * sizeof *self->trial);
        }
    }
    if (!line.found) {
        nb_implicit_evaluate(self, self->x, self->residual);
        return 0;
    }
    memcpy(self->x, self->best, n * sizeof *self->x);
    nb_implicit_stay_on_edges(self);
    self->crossed = line.edge != 0;
    if (line.edge)
        self->on[line.contact] = line.edge;
    self->objective = nb_implicit_evaluate(self, self->x, self->residual);
    self->tried--;
    return 1;
}

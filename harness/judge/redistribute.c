/* Forces of least norm (redistribute.h), pair by pair, by the dual problem: with y one number for each velocity of the
 * pair's bodies, at most 12,
 *
 *     R_i(y) = P_K(J_i y),     min over y of  1/2 sum |R_i(y)|^2 - w . y,     w = sum J_i^T R_i before,
 *
 * which is convex and once differentiable. Newton's method with the projections' slopes, each step halved until it goes
 * down; columns are scaled by their norms, so that lengths and angles have no units. */
#include "harness/judge/redistribute.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"

enum { COLUMNS = 12, ITERATIONS = 200, HALVINGS = 60 };
#define CLOSED 0x1p-20 /* of V_N, for the measure of evenness                      */
#define FOUND 1e-10    /* of w: a pair's forces have the effect that they had      */
#define RIDGE 1e-13    /* of the mean diagonal: redundant directions have no slope */

/* ---- pairs ---- */

struct side_key {
    int contact, count, column[COLUMNS]; /* the velocities that its rows meet; count 0: none, or too many */
};

static struct side_key key_of(const struct nb_judge *judge, int contact)
{
    struct side_key key = {.contact = contact};
    const struct nb_csr *rows = judge->jacobian;
    if (!rows || nb_judge_is_limit(judge, contact))
        return key;
    for (int row = 3 * contact; row < 3 * contact + 3; ++row)
        for (int k = rows->start[row]; k < rows->start[row + 1]; ++k) {
            int at = 0;
            while (at < key.count && key.column[at] < rows->column[k])
                ++at;
            if (at < key.count && key.column[at] == rows->column[k])
                continue;
            if (key.count == COLUMNS)
                return (struct side_key){.contact = contact};
            memmove(key.column + at + 1, key.column + at, (size_t)(key.count - at) * sizeof(int));
            key.column[at] = rows->column[k];
            ++key.count;
        }
    return key;
}

static int compare_columns(const struct side_key *a, const struct side_key *b)
{
    if (a->count != b->count)
        return a->count - b->count;
    return memcmp(a->column, b->column, (size_t)a->count * sizeof(int));
}

static int compare_keys(const void *a, const void *b)
{
    const struct side_key *x = a, *y = b;
    const int order = compare_columns(x, y);
    return order ? order : x->contact - y->contact;
}

static bool is_deformable(const struct nb_judge *judge, int contact)
{
    const struct nb_contacts *contacts = &judge->problem->contacts;
    return judge->problem->form == NB_NONLINEAR && contacts->particle && contact < contacts->count &&
           (contacts->particle[6 * contact] >= 0 || contacts->particle[6 * contact + 3] >= 0);
}

enum nb_status nb_judge_find_pairs(const struct nb_judge *judge, int *pair, int *pairs, struct nb_error *error)
{
    const int count = judge->contacts;
    struct side_key *key = malloc(((size_t)count + 1) * sizeof *key);
    *pairs = 0;
    if (!key)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the pairs of %d contacts", count);
    for (int i = 0; i < count; ++i) {
        key[i] = key_of(judge, i);
        pair[i] = -1;
    }
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    for (int i = 0; i < count; ++i) {
        if (key[i].count == 0 || is_deformable(judge, key[i].contact))
            continue;
        const bool goes_on = i > 0 && compare_columns(&key[i - 1], &key[i]) == 0 && pair[key[i - 1].contact] >= 0;
        pair[key[i].contact] = goes_on ? pair[key[i - 1].contact] : (*pairs)++;
    }
    free(key);
    return NB_OK;
}

/* ---- how even they are ---- */

struct share {
    int closed;
    double sum, squares;
};

double nb_judge_force_evenness(const struct nb_judge *judge)
{
    struct share *share = calloc((size_t)judge->pairs + 1, sizeof *share);
    double weighted = 0, weight = 0;
    if (!share)
        return NAN;
    for (int i = 0; i < judge->contacts; ++i) {
        const double normal = judge->impulse[3 * i];
        if (judge->pair[i] < 0 || !(judge->velocity[3 * i] <= CLOSED * judge->scale.velocity[i]))
            continue;
        struct share *own = &share[judge->pair[i]];
        ++own->closed;
        own->sum += fmax(0, normal);
        own->squares += fmax(0, normal) * fmax(0, normal);
    }
    for (int k = 0; k < judge->pairs; ++k)
        if (share[k].closed > 1 && share[k].squares > 0) {
            weighted += share[k].sum * share[k].sum * share[k].sum / (share[k].closed * share[k].squares);
            weight += share[k].sum;
        }
    free(share);
    return weight > 0 ? weighted / weight : NAN;
}

/* ---- the least norm of one pair ---- */

/* A contact that has a choice: along one direction, or in the cone. */
struct choice {
    int contact;
    bool slides;
    double mu, direction[3]; /* of one that slides, over its length          */
    double row[3][COLUMNS];  /* J_i, columns scaled                          */
    double impulse[3];       /* R_i(y)                                       */
    double slope[9];         /* of the projection there                      */
};

struct least_norm {
    int columns, count;
    struct choice *choice;
    double scale[COLUMNS], wanted[COLUMNS]; /* of columns; w                                     */
    double y[COLUMNS], gradient[COLUMNS], step[COLUMNS], hessian[COLUMNS * COLUMNS];
};

/* P_K(z) and its slope. */
static void project(const double *z, double mu, double *out, double *slope)
{
    const double tangent = hypot(z[1], z[2]), share = 1 / (1 + mu * mu);
    memset(slope, 0, 9 * sizeof *slope);
    memset(out, 0, 3 * sizeof *out);
    if (mu * tangent <= -z[0])
        return;
    if (tangent <= mu * z[0]) {
        memcpy(out, z, 3 * sizeof *out);
        slope[0] = slope[4] = slope[8] = 1;
        return;
    }
    const double t[2] = {z[1] / tangent, z[2] / tangent}, ray[3] = {1, mu * t[0], mu * t[1]};
    const double length = share * (z[0] + mu * tangent), across = mu * length / tangent;
    for (int r = 0; r < 3; ++r) {
        out[r] = length * ray[r];
        for (int c = 0; c < 3; ++c)
            slope[3 * r + c] = share * ray[r] * ray[c];
    }
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
            slope[3 * (r + 1) + c + 1] += across * ((r == c) - t[r] * t[c]);
}

static void project_choice(struct choice *choice, const double *z)
{
    if (!choice->slides) {
        project(z, choice->mu, choice->impulse, choice->slope);
        return;
    }
    double along = 0;
    for (int k = 0; k < 3; ++k)
        along += choice->direction[k] * z[k];
    for (int k = 0; k < 9; ++k)
        choice->slope[k] = along > 0 ? choice->direction[k / 3] * choice->direction[k % 3] : 0;
    for (int k = 0; k < 3; ++k)
        choice->impulse[k] = fmax(0, along) * choice->direction[k];
}

/* The dual function at y; its gradient, and the impulses and slopes of all choices. */
static double evaluate(struct least_norm *self, const double *y)
{
    double value = 0;
    for (int k = 0; k < self->columns; ++k) {
        self->gradient[k] = -self->wanted[k];
        value -= self->wanted[k] * y[k];
    }
    for (int i = 0; i < self->count; ++i) {
        struct choice *choice = &self->choice[i];
        double z[3] = {0, 0, 0};
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < self->columns; ++k)
                z[r] += choice->row[r][k] * y[k];
        project_choice(choice, z);
        for (int r = 0; r < 3; ++r) {
            value += choice->impulse[r] * choice->impulse[r] / 2;
            for (int k = 0; k < self->columns; ++k)
                self->gradient[k] += choice->row[r][k] * choice->impulse[r];
        }
    }
    return value;
}

static void fill_hessian(struct least_norm *self)
{
    const int n = self->columns;
    double trace = 0;
    memset(self->hessian, 0, sizeof self->hessian);
    for (int i = 0; i < self->count; ++i) {
        const struct choice *choice = &self->choice[i];
        for (int a = 0; a < n; ++a) {
            double left[3] = {0, 0, 0};
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    left[c] += choice->row[r][a] * choice->slope[3 * r + c];
            for (int b = 0; b < n; ++b)
                for (int c = 0; c < 3; ++c)
                    self->hessian[n * a + b] += left[c] * choice->row[c][b];
        }
    }
    for (int k = 0; k < n; ++k)
        trace += self->hessian[(n + 1) * k];
    for (int k = 0; k < n; ++k)
        self->hessian[(n + 1) * k] += RIDGE * (trace > 0 ? trace / n : 1);
}

/* step = -hessian^-1 gradient by Cholesky's factor in place; false where a pivot is not positive. */
static bool find_step(struct least_norm *self)
{
    const int n = self->columns;
    for (int k = 0; k < n; ++k)
        self->step[k] = -self->gradient[k];
    return !LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, 1, self->hessian, n, self->step, n);
}

/* Whether the wanted effect was met; the choices then have the impulses. */
static bool minimise(struct least_norm *self)
{
    const double size = nb_norm2(self->columns, self->wanted);
    double value = evaluate(self, self->y);
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        const double left = nb_norm2(self->columns, self->gradient);
        if (left <= 4 * DBL_EPSILON * size)
            break;
        fill_hessian(self);
        if (!find_step(self))
            break;
        double tried[COLUMNS], after = INFINITY, t = 1;
        int halved = 0;
        for (; halved < HALVINGS; ++halved, t /= 2) {
            for (int k = 0; k < self->columns; ++k)
                tried[k] = self->y[k] + t * self->step[k];
            after = evaluate(self, tried);
            if (after < value || (after <= value && nb_norm2(self->columns, self->gradient) < left))
                break;
        }
        if (halved == HALVINGS)
            break;
        memcpy(self->y, tried, sizeof tried);
        value = after;
    }
    evaluate(self, self->y);
    return nb_norm2(self->columns, self->gradient) <= FOUND * size;
}

/* ---- all pairs ---- */

/* Whether contact i may carry something else, and how. */
static bool choose(const struct nb_judge *judge, int i, double tolerance, struct choice *choice)
{
    const double *u = judge->velocity + 3 * i, slip = hypot(u[1], u[2]), mu = judge->friction[i];
    const double along = hypot(1, mu);
    if (nb_judge_softness(judge, i, 0) > 0 || nb_judge_softness(judge, i, 1) > 0 ||
        !(fabs(u[0]) <= tolerance * judge->scale.velocity[i]))
        return false;
    *choice = (struct choice){.contact = i, .mu = mu};
    choice->slides = mu == 0 || slip > tolerance * judge->scale.sliding[i];
    choice->direction[0] = 1 / along;
    for (int k = 1; k < 3 && slip > 0; ++k)
        choice->direction[k] = -mu / along * u[k] / slip;
    return true;
}

/* Column of a velocity among those of the pair, which the first contact's key has. */
static int place_of(const struct side_key *key, int column)
{
    int at = 0;
    while (at < key->count && key->column[at] != column)
        ++at;
    return at;
}

static void fill_rows(const struct nb_judge *judge, const struct side_key *key, struct least_norm *self)
{
    const struct nb_csr *rows = judge->jacobian;
    self->columns = key->count;
    memset(self->scale, 0, sizeof self->scale);
    for (int i = 0; i < self->count; ++i)
        for (int r = 0; r < 3; ++r) {
            const int row = 3 * self->choice[i].contact + r;
            for (int k = rows->start[row]; k < rows->start[row + 1]; ++k) {
                const int at = place_of(key, rows->column[k]);
                self->choice[i].row[r][at] = rows->value[k];
                self->scale[at] += rows->value[k] * rows->value[k];
            }
        }
    for (int k = 0; k < self->columns; ++k)
        self->scale[k] = self->scale[k] > 0 ? 1 / sqrt(self->scale[k]) : 1;
    memset(self->wanted, 0, sizeof self->wanted);
    memset(self->y, 0, sizeof self->y);
    for (int i = 0; i < self->count; ++i)
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < self->columns; ++k) {
                self->choice[i].row[r][k] *= self->scale[k];
                self->wanted[k] += self->choice[i].row[r][k] * judge->impulse[3 * self->choice[i].contact + r];
            }
}

static double squares_of(const struct nb_judge *judge, const struct least_norm *self, bool after)
{
    double sum = 0;
    for (int i = 0; i < self->count; ++i)
        for (int r = 0; r < 3; ++r) {
            const double p = after ? self->choice[i].impulse[r] : judge->impulse[3 * self->choice[i].contact + r];
            sum += p * p;
        }
    return sum;
}

/* Contacts of a pair, members [count], one after the other in order. */
static void redistribute_pair(const struct nb_judge *judge, const int *member, int count, double tolerance,
                              struct least_norm *self, double *lambda, struct nb_redistribution *done)
{
    self->count = 0;
    for (int i = 0; i < count; ++i)
        self->count += choose(judge, member[i], tolerance, &self->choice[self->count]);
    if (self->count < 2)
        return;
    const struct side_key key = key_of(judge, member[0]);
    ++done->pairs;
    fill_rows(judge, &key, self);
    if (!minimise(self) || !(squares_of(judge, self, true) < squares_of(judge, self, false)))
        return;
    ++done->changed;
    for (int i = 0; i < self->count; ++i)
        for (int r = 0; r < 3; ++r)
            lambda[judge->bilaterals + 3 * self->choice[i].contact + r] =
                self->choice[i].impulse[r] / judge->time_step;
}

static double norm_of(const struct nb_judge *judge, const double *lambda)
{
    return judge->time_step * nb_norm2(3 * judge->contacts, lambda + judge->bilaterals);
}

enum nb_status nb_redistribute(struct nb_judge *judge, const double *u, double *lambda, struct nb_redistribution *done,
                               struct nb_error *error)
{
    struct nb_metrics metrics;
    struct least_norm self = {0};
    const size_t contacts = (size_t)judge->contacts + 1, pairs = (size_t)judge->pairs + 2;
    *done = (struct nb_redistribution){0};
    if (!judge->jacobian)
        return nb_fail(error, NB_UNSUPPORTED, "a local step does not tell which contacts are of one pair of bodies");
    nb_judge_evaluate(judge, u, lambda, &metrics);
    int *start = calloc(pairs, sizeof *start), *member = calloc(contacts, sizeof *member);
    self.choice = malloc(contacts * sizeof *self.choice);
    if (start && member && self.choice) {
        const double tolerance = 2 * metrics.step_error;
        int *next = start + 1;
        for (int i = 0; i < judge->contacts; ++i)
            if (judge->pair[i] >= 0)
                ++next[judge->pair[i] + 1];
        for (int k = 1; k <= judge->pairs; ++k)
            next[k] += next[k - 1];
        for (int i = 0; i < judge->contacts; ++i)
            if (judge->pair[i] >= 0)
                member[next[judge->pair[i]]++] = i;
        done->before = norm_of(judge, lambda);
        for (int k = 0; k < judge->pairs; ++k)
            redistribute_pair(judge, member + start[k], start[k + 1] - start[k], tolerance, &self, lambda, done);
        done->after = norm_of(judge, lambda);
    }
    const bool held = start && member && self.choice;
    free(start);
    free(member);
    free(self.choice);
    return held ? NB_OK
                : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to share the forces of %d contacts", judge->contacts);
}

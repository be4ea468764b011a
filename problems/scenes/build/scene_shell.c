/* Bending as ties (problems/scenes/build/scene_shell.h). */
#include "problems/scenes/build/scene_shell.h"

#include "problems/base/svd3.h"
#include "problems/base/vec3.h"

/* The cotangent of the angle at `corner` towards a and b; *area of the triangle. */
static double cotangent(const double *corner, const double *a, const double *b, double *area)
{
    double first[3], second[3], cross[3];
    nb_subtract3(a, corner, first);
    nb_subtract3(b, corner, second);
    nb_cross3(first, second, cross);
    *area = nb_norm3(cross) / 2;
    return nb_dot3(first, second) / (2 * *area);
}

/* weight of c for the edge from corner e on: of the three corners and, behind them, the three wings. */
static void edge_weights(const double *position, const int *corner, const int *wing, int e, double *weight)
{
    const int next = (e + 1) % 3;
    const double *p[2] = {position + 3 * corner[e], position + 3 * corner[next]};
    for (int t = 0; t < 2; ++t) {
        const double *q = position + 3 * (t ? wing[e] : corner[(e + 2) % 3]);
        double area;
        const double cot_0 = cotangent(p[0], p[1], q, &area), cot_1 = cotangent(p[1], p[0], q, &area);
        weight[e] += cot_1;
        weight[next] += cot_0;
        weight[t ? 3 + e : (e + 2) % 3] -= cot_0 + cot_1;
    }
}

/* G [9], free edges eliminated: their rows are zero. */
static void fill_energy(const double *position, const int *corner, const int *wing, const struct nb_plate *plate,
                        double *g)
{
    double way[3][3], length[3], area;
    cotangent(position + 3 * corner[0], position + 3 * corner[1], position + 3 * corner[2], &area);
    for (int i = 0; i < 3; ++i) {
        nb_subtract3(position + 3 * corner[(i + 1) % 3], position + 3 * corner[i], way[i]);
        length[i] = nb_norm3(way[i]);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) { /* normals meet at the angle that edges do */
            const double cosine = nb_dot3(way[i], way[j]) / (length[i] * length[j]);
            g[3 * i + j] = plate->rigidity / (4 * area) * ((1 - plate->poisson) * cosine * cosine + plate->poisson);
        }
    for (int f = 0; f < 3; ++f) {
        if (wing[f] >= 0)
            continue;
        const double row[3] = {g[3 * f], g[3 * f + 1], g[3 * f + 2]}, pivot = g[4 * f];
        for (int k = 0; k < 9 && pivot > 0; ++k)
            g[k] -= row[k / 3] * row[k % 3] / pivot;
        for (int k = 0; k < 3; ++k)
            g[3 * f + k] = g[3 * k + f] = 0;
    }
}

static void store_tie(struct nb_ties *ties, int index, const int *corner, const int *wing, const double *weight)
{
    int *particle = ties->particle + NB_TIED * index, next = 0;
    for (int k = 0; k < NB_TIED; ++k)
        particle[k] = -1;
    for (int k = 0; k < 6; ++k) {
        const int of = k < 3 ? corner[k] : wing[k - 3];
        if (of < 0)
            continue;
        ties->weight[NB_TIED * index + next] = weight[k];
        particle[next++] = of;
    }
}

int nb_scene_bend(struct nb_problem *problem, int first, const int *corner, const int *wing,
                  const struct nb_plate *plate)
{
    const double *position = problem->particles.position;
    struct nb_ties *ties = &problem->ties;
    double weight[3][6] = {{0}}, g[9], stiffness[3], mode[9];
    int wings = 0, index = first;
    for (int e = 0; e < 3; ++e)
        if (wing[e] >= 0) {
            edge_weights(position, corner, wing, e, weight[e]);
            ++wings;
        }
    fill_energy(position, corner, wing, plate, g);
    nb_eigen3(g, stiffness, mode);
    for (int k = 3 - wings; k < 3; ++k, ++index) { /* ascending: the free edges' zeros are the first */
        double of[6] = {0};
        for (int e = 0; e < 3; ++e)
            for (int n = 0; n < 6; ++n)
                of[n] += mode[3 * e + k] * weight[e][n];
        store_tie(ties, index, corner, wing, of);
        ties->compliance[index] = 1 / stiffness[k];
    }
    return wings;
}

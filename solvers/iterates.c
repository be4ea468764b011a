/* The last place is overwritten as long as its iteration is no multiple of the stride. */
#include "solvers/iterates.h"

#include <stdlib.h>
#include <string.h>

void nb_iterates_begin(struct nb_iterates *kept, size_t dofs, size_t multipliers, int most)
{
    kept->size = dofs + multipliers;
    kept->most = most;
    kept->stride = 1;
    kept->count = 0;
}

static void copy_place(struct nb_iterates *kept, int to, int from)
{
    memmove(kept->value + (size_t)to * kept->size, kept->value + (size_t)from * kept->size,
            kept->size * sizeof *kept->value);
    kept->iteration[to] = kept->iteration[from];
    kept->linear[to] = kept->linear[from];
}

static void forget_half(struct nb_iterates *kept)
{
    int left = 0;
    kept->stride *= 2;
    for (int i = 0; i < kept->count; ++i)
        if (kept->iteration[i] % kept->stride == 0)
            copy_place(kept, left++, i);
    kept->count = left;
}

static int grow(struct nb_iterates *kept)
{
    const int room = kept->room ? (2 * kept->room < kept->most ? 2 * kept->room : kept->most) : 4;
    double *value = realloc(kept->value, ((size_t)room * kept->size + 1) * sizeof *value);
    kept->value = value ? value : kept->value;
    int *iteration = realloc(kept->iteration, (size_t)room * sizeof *iteration);
    kept->iteration = iteration ? iteration : kept->iteration;
    struct nb_linear_report *linear = realloc(kept->linear, (size_t)room * sizeof *linear);
    kept->linear = linear ? linear : kept->linear;
    if (!value || !iteration || !linear)
        return 0;
    kept->room = room;
    return 1;
}

int nb_iterates_add(struct nb_iterates *kept, int iteration, const double *u, const double *lambda, size_t dofs,
                    const struct nb_linear_report *linear)
{
    static const struct nb_linear_report none = {NB_LINEAR_CONVERGED, 0, ""};
    if (kept->count > 0 && (kept->iteration[kept->count - 1] % kept->stride != 0 ||
                            kept->iteration[kept->count - 1] == iteration))
        kept->count--;
    while (kept->count >= kept->most)
        forget_half(kept);
    if (kept->count == kept->room && !grow(kept))
        return 0;
    double *value = kept->value + (size_t)kept->count * kept->size;
    memcpy(value, u, dofs * sizeof *value);
    memcpy(value + dofs, lambda, (kept->size - dofs) * sizeof *value);
    kept->iteration[kept->count] = iteration;
    kept->linear[kept->count++] = linear ? *linear : none;
    return 1;
}

int nb_iterates_find(const struct nb_iterates *kept, int iteration, int from)
{
    while (from + 1 < kept->count && kept->iteration[from + 1] <= iteration)
        ++from;
    return from;
}

void nb_iterates_free(struct nb_iterates *kept)
{
    free(kept->value);
    free(kept->iteration);
    free(kept->linear);
    *kept = (struct nb_iterates){0};
}

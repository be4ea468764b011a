/* The forms' own files find the islands and copy their arrays; here are the lists by part and what they share. */
#include "problems/split.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/split_private.h"

struct sizes {
    struct nb_split_list *list;
    int count, things;
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct sizes *sizes = data;
    struct nb_split_list *list = sizes->list;
    NB_ARRAY(arena, list->part, sizes->things);
    NB_ARRAY(arena, list->local, sizes->things);
    NB_ARRAY(arena, list->member, sizes->things);
    NB_ARRAY(arena, list->start, sizes->count + 2);
}

int nb_split_sort(struct nb_split_list *list, int count, int things, const int *parts)
{
    struct sizes sizes = {list, count, things};
    list->memory = nb_arena_allocate(lay_out, &sizes);
    if (!list->memory)
        return 0;
    int *next = list->start + 1; /* of each part: first how many, then where the next one goes, which ends as start */
    for (int i = 0; i < things; ++i) {
        list->part[i] = parts[i];
        list->local[i] = next[parts[i] + 1]++;
    }
    for (int k = 1; k <= count; ++k)
        next[k] += next[k - 1];
    for (int i = 0; i < things; ++i)
        list->member[next[parts[i]]++] = i;
    return 1;
}

void nb_split_list_free(struct nb_split_list *list)
{
    free(list->memory);
    memset(list, 0, sizeof *list);
}

int nb_split_number(int nodes, int *label, const int *worth, int *scratch)
{
    int count = 0, before = 0;
    for (int i = 0; i < nodes; ++i)
        scratch[i] = -1;
    for (int i = 0; i < nodes; ++i) {
        int *number = &scratch[label[i]];
        if (worth[label[i]] && *number < 0)
            *number = count++;
        before = *number < 0 ? before : *number;
        label[i] = before;
    }
    return count;
}

enum nb_status nb_split_allocate(struct nb_split *split, int count, struct nb_error *error)
{
    split->part = calloc((size_t)count, sizeof *split->part);
    if (!split->part)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", count);
    split->count = count;
    return NB_OK;
}

enum nb_status nb_split_allocate_maps(struct nb_split_part *part, int dofs, int multipliers, struct nb_error *error)
{
    part->dofs = dofs;
    part->multipliers = multipliers;
    part->dof = malloc(((size_t)dofs + 1) * sizeof *part->dof);
    part->multiplier = malloc(((size_t)multipliers + 1) * sizeof *part->multiplier);
    return part->dof && part->multiplier
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an island of %d velocities", dofs);
}

enum nb_status nb_problem_split(const struct nb_problem *problem, struct nb_split *split, struct nb_error *error)
{
    *split = (struct nb_split){0};
    return problem->form == NB_NONLINEAR ? nb_split_nonlinear(problem, split, error)
                                         : nb_split_linear(problem, split, error);
}

void nb_split_free(struct nb_split *split)
{
    for (int k = 0; split->part && k < split->count; ++k) {
        nb_problem_free(&split->part[k].problem);
        free(split->part[k].dof);
        free(split->part[k].multiplier);
    }
    free(split->part);
    *split = (struct nb_split){0};
}

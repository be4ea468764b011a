/* design = pairs: of a group's combinations, as few as it takes that any two values of two axes that meet in one of
 * them on a problem meet there in a case that is kept, or in one of an earlier group of the same mode. An axis that a
 * method does not read meets nothing. Greedy (Cohen and others 1997): always the combination that has the most pairs
 * which have not met yet, of several the first, until there are none. So the design follows from the spec alone. */
#include "harness/sweep/spec_design.h"

#include <stdlib.h>
#include <string.h>

enum { UNREAD = -1 };

/* A value of an axis, as this case has it. */
struct value {
    int axis;
    const struct nb_case *holder;
};

struct design {
    const struct nb_case_setting *axis[NB_CASE_SETTINGS_MOST];
    int axes;
    struct value *value; /* of all axes, in one sequence */
    int values;
    int *number;         /* [cases][axes]: of the case's value, or UNREAD */
    bool *met;           /* [values][values], u <= v */
    bool *kept;          /* [cases] */
};

/* Those of which the group lists several values, but what tells problems apart. */
static void find_axes(struct design *design, const struct nb_spec_section *group)
{
    const struct nb_case_setting *axis;
    for (int i = 0; (axis = nb_case_axis(i)); ++i)
        if (group->value[i] && strchr(group->value[i], ',') && axis->option.type != NB_OPTION_PATH &&
            strcmp(axis->name, "mode") && strcmp(axis->name, "system"))
            design->axis[design->axes++] = axis;
}

/* The number of the case's value of an axis; UNREAD, too, of one that is not known. */
static int find_value(const struct design *design, int axis, const struct nb_case *setting)
{
    if (!nb_case_setting_has_effect(design->axis[axis], setting))
        return UNREAD;
    for (int v = 0; v < design->values; ++v)
        if (design->value[v].axis == axis &&
            nb_case_setting_equal(design->axis[axis], design->value[v].holder, setting))
            return v;
    return UNREAD;
}

/* The values that the group's cases have, and the numbers of all cases' values. */
static void number_values(struct design *design, const struct nb_case *cases, int first, int count)
{
    for (int i = first; i < count; ++i)
        for (int axis = 0; axis < design->axes; ++axis)
            if (nb_case_setting_has_effect(design->axis[axis], &cases[i]) &&
                find_value(design, axis, &cases[i]) == UNREAD)
                design->value[design->values++] = (struct value){axis, &cases[i]};
    for (int i = 0; i < count; ++i)
        for (int axis = 0; axis < design->axes; ++axis)
            design->number[i * design->axes + axis] = find_value(design, axis, &cases[i]);
}

/* Of the pairs that a case has, how many have not met; `meet`: now they have. A value that is alone is its own pair. */
static int pairs_to_meet(struct design *design, int index, bool meet)
{
    const int *number = &design->number[index * design->axes];
    int pairs = 0, read = 0;
    for (int a = 0; a < design->axes; ++a)
        read += number[a] != UNREAD;
    for (int a = 0; a < design->axes; ++a)
        for (int b = read > 1 ? a + 1 : a; b < design->axes; ++b) {
            if (number[a] == UNREAD || number[b] == UNREAD)
                continue;
            bool *met = &design->met[number[a] * design->values + number[b]];
            pairs += !*met;
            *met |= meet;
        }
    return pairs;
}

static bool same_problem(const struct nb_case *a, const struct nb_case *b)
{
    return a->mode == b->mode && a->system == b->system && !strcmp(a->problem_file, b->problem_file);
}

/* Chooses among the combinations from begin to end, which are those of one problem. */
static void choose(struct design *design, const struct nb_case *cases, int first, int begin, int end)
{
    memset(design->met, 0, sizeof *design->met * (size_t)design->values * (size_t)design->values);
    for (int i = 0; i < first; ++i)
        if (same_problem(&cases[i], &cases[begin]))
            pairs_to_meet(design, i, true);
    for (;;) {
        int best = begin, most = 0;
        for (int i = begin; i < end; ++i) {
            const int pairs = pairs_to_meet(design, i, false);
            if (pairs > most) {
                most = pairs;
                best = i;
            }
        }
        if (!most)
            return;
        pairs_to_meet(design, best, true);
        design->kept[best] = true;
    }
}

/* An axis has at most as many values as its list has commas, and one. */
static size_t most_values(const struct nb_spec_section *group)
{
    size_t values = 1;
    for (int i = 0; i < NB_CASE_SETTINGS_MOST; ++i)
        for (const char *c = group->value[i]; c && *c; ++c)
            values += *c == ',' || c == group->value[i];
    return values;
}

static bool allocate(struct design *design, const struct nb_spec_section *group, int count)
{
    const size_t values = most_values(group), cases = (size_t)count;
    design->value = calloc(values, sizeof *design->value);
    design->number = calloc(cases * (size_t)design->axes + 1, sizeof *design->number);
    design->met = calloc(values * values, sizeof *design->met);
    design->kept = calloc(cases, sizeof *design->kept);
    return design->value && design->number && design->met && design->kept;
}

static void free_design(struct design *design)
{
    free(design->value);
    free(design->number);
    free(design->met);
    free(design->kept);
}

/* `first` of them stay as they are. */
static int compact(const struct design *design, struct nb_case *cases, int first, int count)
{
    int kept = first;
    for (int i = first; i < count; ++i)
        if (design->kept[i])
            cases[kept++] = cases[i];
    return kept;
}

enum nb_status nb_design_pairs(const struct nb_spec_section *group, struct nb_case *cases, int first, int *count,
                               struct nb_error *error)
{
    struct design design = {.axes = 0};
    enum nb_status status = NB_OK;
    find_axes(&design, group);
    if (*count == first || !design.axes)
        return NB_OK;
    if (!allocate(&design, group, *count))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a design of %d cases", *count - first);
    if (!status) {
        number_values(&design, cases, first, *count);
        for (int begin = first, end; begin < *count; begin = end) {
            for (end = begin + 1; end < *count && same_problem(&cases[begin], &cases[end]);)
                ++end;
            choose(&design, cases, first, begin, end);
        }
        *count = compact(&design, cases, first, *count);
    }
    free_design(&design);
    return status;
}

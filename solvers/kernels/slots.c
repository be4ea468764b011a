/* The tables of one precision, from the rows that scripts/gen_registry.sh writes. */
#include <string.h>

#include "rows.h"
#include "solvers/kernels/driver.h"
#include "solvers/strategy.h"

#define STRUCT_solver nb_solver_strategy
#define STRUCT_ncp nb_ncp
#define STRUCT_scaling nb_scaling
#define STRUCT_linear nb_linear
#define STRUCT_precond nb_precond
#define STRUCT_operator nb_operator_strategy

#define SYMBOL_(kind, file, precision) nb_##kind##_##file##_##precision
#define SYMBOL(kind, file, precision) SYMBOL_(kind, file, precision)
#define DECLARE(kind, file) extern const struct NB(STRUCT_##kind) SYMBOL(kind, file, NB_PRECISION);
#define ENTRY(kind, file) &SYMBOL(kind, file, NB_PRECISION),

/* Whether a text that may bring settings names the strategy. */
static int names(const char *text, const char *name)
{
    const size_t length = nb_settings_name_length(text);
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* One kind: its table, ended by NULL, its lookup, and its part of the listing. */
#define SLOT(slot, ROWS)                                                                    \
    ROWS(DECLARE)                                                                           \
    static const struct NB(STRUCT_##slot) *const slot##_table[] = {ROWS(ENTRY) NULL};       \
    const struct NB(STRUCT_##slot) *NB(nb_find_##slot)(const char *name)                    \
    {                                                                                       \
        for (size_t i = 0; slot##_table[i]; ++i)                                            \
            if (names(name, slot##_table[i]->name))                                         \
                return slot##_table[i];                                                     \
        return NULL;                                                                        \
    }                                                                                       \
    static int slot##_row(size_t index, struct nb_registry_row *row)                        \
    {                                                                                       \
        if (index >= sizeof slot##_table / sizeof slot##_table[0] - 1)                      \
            return 0;                                                                       \
        row->kind = #slot;                                                                  \
        row->name = slot##_table[index]->name;                                              \
        row->title = slot##_table[index]->title;                                            \
        return 1;                                                                           \
    }

SLOT(solver, NB_ROWS_SOLVER)
SLOT(ncp, NB_ROWS_NCP)
SLOT(scaling, NB_ROWS_SCALING)
SLOT(linear, NB_ROWS_LINEAR)
SLOT(precond, NB_ROWS_PRECOND)
SLOT(operator, NB_ROWS_OPERATOR)

int NB(nb_linear_uses_precond)(const char *linear)
{
    const struct NB(nb_linear) *found = NB(nb_find_linear)(linear);
    return found && found->preconditioned;
}

int NB(nb_solver_self_contained)(const char *solver)
{
    const struct NB(nb_solver_strategy) *found = NB(nb_find_solver)(solver);
    return found && found->self_contained;
}

const struct nb_setting *NB(nb_solver_settings)(const char *solver)
{
    const struct NB(nb_solver_strategy) *found = NB(nb_find_solver)(solver);
    return found ? found->settings : NULL;
}

int NB(nb_slot_row)(const char *kind, size_t index, struct nb_registry_row *row)
{
    static const struct {
        const char *kind;
        int (*row)(size_t index, struct nb_registry_row *row);
    } slots[] = {{"solver", solver_row}, {"ncp", ncp_row},         {"scaling", scaling_row},
                 {"linear", linear_row}, {"precond", precond_row}, {"operator", operator_row}};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i)
        if (strcmp(slots[i].kind, kind) == 0)
            return slots[i].row(index, row);
    return 0;
}

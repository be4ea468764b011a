/* Walks through the records that a figure shows and keeps the settings of which all have the same value. */
#include "harness/figures/shared.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/look.h"
#include "harness/figures/plot_text.h"

/* In the order in which they are shown: what stands before and behind the value or its title. */
static const struct {
    const char *setting, *before, *after;
    const char *after_of_system; /* the same where a linear system is solved */
} SHOWN[NB_SHARED_PARTS] = {
    {"solver", "", "", ""},
    {"linear", "", "", ""},
    {"precond", "preconditioner: ", "", ""},
    {"ncp", "", "", ""},
    {"scaling", "scaling: ", "", ""},
    {"precision", "", "", ""},
    {"newton_iters", "at most ", " iterations", ""},
    {"linear_iters", "at most ", " linear iterations each", " iterations"},
    {"damping", "damping ", "", ""},
    {"tol", "stops at ", "", ""},
};

enum { NEWTON_ITERS = 6 }; /* its place */

struct shared {
    const struct nb_figure *figure;
    char value[NB_SHARED_PARTS][NB_PLOT_NAME]; /* "": none yet */
    bool differs[NB_SHARED_PARTS];
    bool system;
    int panels;
};

/* Its curves or panels say it; not a single panel, which may have no name. */
static bool is_grouped(const struct shared *shared, const char *setting)
{
    const char *const names[] = {shared->figure->curves.name,
                                 shared->panels > 1 ? shared->figure->panels.name : ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(names[i], setting) || (!strcmp(names[i], "method") && !strcmp(setting, "solver")) ||
            (!strcmp(names[i], "linear_method") && (!strcmp(setting, "linear") || !strcmp(setting, "precond"))) ||
            (!strcmp(names[i], "arithmetic") && !strcmp(setting, "precision")))
            return true;
    return false;
}

static void add(struct shared *shared, const cJSON *record)
{
    char value[NB_PLOT_NAME], mode[NB_PLOT_NAME];
    shared->system = !strcmp(nb_record_text(record, "mode", mode, sizeof mode), "linear_system");
    for (int i = 0; i < NB_SHARED_PARTS; ++i) {
        nb_record_text(record, SHOWN[i].setting, value, sizeof value);
        if (!value[0] || !strcmp(value, "null") || !nb_record_reads(record, SHOWN[i].setting))
            continue;
        shared->differs[i] = shared->differs[i] || (shared->value[i][0] && strcmp(shared->value[i], value));
        strcpy(shared->value[i], value);
    }
}

static void add_belonging(struct shared *shared, const struct nb_plot_data *data, const cJSON *records,
                          const char *variant)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        bool belongs = false;
        for (int i = 0; i < data->panels.count * data->curves.count && !belongs; ++i)
            belongs = nb_plot_belongs(shared->figure, variant, data->panels.word[i / data->curves.count],
                                      data->curves.word[i % data->curves.count], record);
        if (belongs)
            add(shared, record);
    }
}

static bool is_said(const struct shared *shared, int i)
{
    return shared->value[i][0] && !shared->differs[i] && !is_grouped(shared, SHOWN[i].setting);
}

int nb_plot_shared(const struct nb_figure *figure, const struct nb_plot_data *data, const cJSON *records,
                   const char *variant, char part[][NB_PLOT_NAME])
{
    struct shared shared = {.figure = figure, .panels = data->panels.count};
    int count = 0;
    if (figure->input != NB_FIGURE_RECORDS)
        add_belonging(&shared, data, records, variant);
    for (int i = 0; i < data->panels.count * data->curves.count && figure->input == NB_FIGURE_RECORDS; ++i)
        if (data->series[i].record)
            add(&shared, data->series[i].record);
    for (int i = 0; i < NB_SHARED_PARTS; ++i) {
        char title[2 * NB_PLOT_NAME];
        if (!is_said(&shared, i))
            continue;
        if (i == NEWTON_ITERS && is_said(&shared, i + 1)) {
            snprintf(part[count++], NB_PLOT_NAME, "at most %.20s iterations of %.20s linear ones", shared.value[i],
                     shared.value[i + 1]);
            ++i;
            continue;
        }
        nb_look_title(SHOWN[i].setting, shared.value[i], title, sizeof title);
        if (strtod(title, NULL) > 0)
            nb_text_short_exponent(title);
        snprintf(part[count++], NB_PLOT_NAME, "%s%.60s%s", SHOWN[i].before, title,
                 shared.system ? SHOWN[i].after_of_system : SHOWN[i].after);
    }
    return count;
}

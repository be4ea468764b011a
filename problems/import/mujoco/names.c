/* Contacts by the model's own names, and the pairs of geoms that overlap in the rest pose: a model whose parts are
 * drawn into each other has contacts that push with d/h from the first step on, and for ever if no joint lets them
 * apart. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/import/mujoco/mujoco.h"

static void name_geom(const mjModel *model, int geom, char text[56])
{
    const int body = model->geom_bodyid[geom];
    const char *name = mj_id2name(model, mjOBJ_GEOM, geom), *of = mj_id2name(model, mjOBJ_BODY, body);
    if (name && name[0])
        snprintf(text, 56, "%s", name);
    else if (of && of[0])
        snprintf(text, 56, "geom %d of %s", geom - model->body_geomadr[body], of);
    else
        snprintf(text, 56, "geom %d of body %d", geom - model->body_geomadr[body], body);
    nb_clean_text(text);
}

static struct nb_import_pair pair_of(const mjModel *model, const mjContact *contact)
{
    struct nb_import_pair pair = {.depth = -contact->dist};
    char first[56], second[56];
    name_geom(model, contact->geom1, first);
    name_geom(model, contact->geom2, second);
    snprintf(pair.name, sizeof pair.name, "%s and %s", first, second);
    return pair;
}

bool nb_mujoco_name_contact(const mjModel *model, const mjContact *contact, struct nb_import_report *report)
{
    if (report->contacts >= report->room) {
        const int room = 2 * report->contacts + 16;
        struct nb_import_pair *grown = realloc(report->pair, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        report->pair = grown;
        report->room = room;
    }
    report->pair[report->contacts] = pair_of(model, contact);
    return true;
}

/* Whether an earlier contact of the same geoms is at least as deep; of two that are equally deep the first counts. */
static bool is_covered(const mjData *data, int i)
{
    const mjContact *all = data->contact;
    for (int j = 0; j < data->ncon; ++j)
        if (j != i && all[j].geom1 == all[i].geom1 && all[j].geom2 == all[i].geom2 &&
            (all[j].dist < all[i].dist || (all[j].dist == all[i].dist && j < i)))
            return true;
    return false;
}

void nb_mujoco_overlaps(const mjModel *model, const mjData *data, struct nb_import_report *report)
{
    const double extent = model->stat.extent > 0 ? model->stat.extent : 1;
    for (int i = 0; i < data->ncon; ++i) {
        if (!(data->contact[i].dist < -64 * DBL_EPSILON * extent) || is_covered(data, i))
            continue;
        const struct nb_import_pair pair = pair_of(model, &data->contact[i]);
        int at = report->overlaps < NB_IMPORT_OVERLAPS ? report->overlaps : NB_IMPORT_OVERLAPS;
        ++report->overlaps;
        for (; at > 0 && report->overlap[at - 1].depth < pair.depth; --at)
            if (at < NB_IMPORT_OVERLAPS)
                report->overlap[at] = report->overlap[at - 1];
        if (at < NB_IMPORT_OVERLAPS)
            report->overlap[at] = pair;
    }
}

/* The table of scenes, and a scene made from "key=value" settings. */
#include "problems/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "problems/deformables.h"
#include "problems/joints.h"
#include "problems/scenes/build/mesh_file.h"
#include "rows.h"

#define DECLARE_SCENE(kind, name) extern const struct nb_scene nb_##kind##_##name;
NB_ROWS_SCENE(DECLARE_SCENE)

#define LIST_SCENE(kind, name) &nb_##kind##_##name,
static const struct nb_scene *const scenes[] = {NB_ROWS_SCENE(LIST_SCENE) NULL};

#define NAME_FILE(kind, name) #name ".c",
static const char *const file[] = {NB_ROWS_SCENE(NAME_FILE) NULL};

const struct nb_scene *const *nb_scenes(void)
{
    return scenes;
}

enum nb_status nb_scenes_check(struct nb_error *error)
{
    NB_DECIMAL_POINT;
    for (int i = 0; scenes[i]; ++i) {
        const struct nb_scene *s = scenes[i];
        if (!s->name || !*s->name || strpbrk(s->name, "=:,; \t") || !s->title || !s->source || !s->observable ||
            !s->observable_unit || !s->build || !s->observe)
            return nb_fail(error, NB_BAD_FILE, "%s: the scene lacks its name, title, source, observable, "
                           "observable_unit, build or observe (problems/scene.h)", file[i]);
        if (nb_scene_find(s->name) != s)
            return nb_fail(error, NB_BAD_FILE, "%s: there is a scene \"%s\" already", file[i], s->name);
    }
    return NB_OK;
}

const struct nb_scene *nb_scene_find(const char *name)
{
    for (int i = 0; scenes[i]; ++i)
        if (strcmp(scenes[i]->name, name) == 0)
            return scenes[i];
    return NULL;
}

void nb_scene_move_on(struct nb_problem *problem)
{
    const struct nb_scene *scene = nb_scene_find(problem->name);
    if (scene && scene->schedule)
        scene->schedule(problem);
    nb_joints_drift(problem);
    nb_attachments_drift(problem);
}

void nb_scene_drive(const struct nb_problem *problem, double *velocity)
{
    const struct nb_scene *scene = nb_scene_find(problem->name);
    if (scene && scene->drive)
        scene->drive(problem, velocity);
}

const struct nb_scene_parameter nb_common_parameters[NB_COMMON_PARAMETERS] = {
    {NB_CONTACT_COMPLIANCE, 0, 0, 1, 0, "m/N", "compliance of all contacts along their normals"},
    {NB_FRICTION_COMPLIANCE, 0, 0, 1, 0, "m/N", "compliance of all contacts along their tangents"},
};

static int parameter_count(const struct nb_scene *scene)
{
    int count = 0;
    while (count < NB_SCENE_PARAMETERS && scene->parameters[count].name)
        ++count;
    return count;
}

static enum nb_status unknown_scene(const char *name, struct nb_error *error)
{
    const char *known[256];
    char hint[400];
    size_t count = 0;
    for (; scenes[count] && count < sizeof known / sizeof *known; ++count)
        known[count] = scenes[count]->name;
    nb_suggest_name(name, known, count, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "unknown scene \"%.64s\"; %s", name, hint);
}

static enum nb_status unknown_key(const struct nb_scene *scene, const char *setting,
                                  struct nb_error *error)
{
    const char *known[NB_SCENE_PARAMETERS + NB_COMMON_PARAMETERS + 1];
    char key[65], hint[384];
    int count = parameter_count(scene);
    snprintf(key, sizeof key, "%.*s", (int)strcspn(setting, "="), setting);
    for (int i = 0; i < count; ++i)
        known[i] = scene->parameters[i].name;
    for (int i = 0; i < NB_COMMON_PARAMETERS; ++i)
        known[count++] = nb_common_parameters[i].name;
    if (scene->take_mesh)
        known[count++] = "mesh";
    nb_suggest_name(key, known, (size_t)count, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "%s: no parameter in \"%.64s\"; %s", scene->name, setting, hint);
}

/* "0 to 1 m": the range of a parameter, for messages. */
static void describe_range(const struct nb_scene_parameter *p, char *text, size_t size)
{
    const int pure = strcmp(p->unit, "1") == 0;
    snprintf(text, size, "%g to %g%s%s", p->minimum, p->maximum, pure ? "" : " ",
             pure ? "" : p->unit);
}

/* The file of a setting "mesh=FILE" of a scene that takes one, or NULL. */
static const char *mesh_of(const struct nb_scene *scene, const char *setting)
{
    return scene->take_mesh && !strncmp(setting, "mesh=", 5) ? setting + 5 : NULL;
}

static const char mesh_mark[] = "; mesh ";

const char *nb_scene_mesh(const struct nb_problem *problem)
{
    const char *mark = strstr(problem->source, mesh_mark);
    return mark ? mark + strlen(mesh_mark) : NULL;
}

/* What is built gets the mesh, and its source the file's name. */
static enum nb_status add_mesh(const struct nb_scene *scene, const char *path, const double *values,
                               struct nb_problem *problem, struct nb_error *error)
{
    struct nb_shape mesh = {0};
    const char *slash = strrchr(path, '/');
    const size_t length = strlen(problem->source);
    enum nb_status status = nb_mesh_read(path, &mesh, error);
    if (!status)
        status = scene->take_mesh(values, &mesh, problem, error);
    snprintf(problem->source + length, sizeof problem->source - length, "%s%s", mesh_mark,
             slash ? slash + 1 : path);
    nb_shape_free(&mesh);
    return status;
}

/* A scene's own, and behind them the common ones. */
static const struct nb_scene_parameter *parameter_at(const struct nb_scene *scene, int i)
{
    const int own = parameter_count(scene);
    return i < own ? &scene->parameters[i] : &nb_common_parameters[i - own];
}

/* One "key=value" into values; given marks what was set before; both have room for the common ones. */
static enum nb_status apply_setting(const struct nb_scene *scene, const char *setting,
                                    double *values, int *given, struct nb_error *error)
{
    const char *equals = strchr(setting, '=');
    const size_t length = equals ? (size_t)(equals - setting) : strlen(setting);
    int i = 0;
    const int count = parameter_count(scene) + NB_COMMON_PARAMETERS;
    while (i < count && (strlen(parameter_at(scene, i)->name) != length ||
                         strncmp(parameter_at(scene, i)->name, setting, length) != 0))
        ++i;
    if (i == count)
        return unknown_key(scene, setting, error);
    const struct nb_scene_parameter *p = parameter_at(scene, i);
    char range[96];
    describe_range(p, range, sizeof range);
    if (given[i]++)
        return nb_fail(error, NB_BAD_INPUT, "%s: %s is set twice", scene->name, p->name);
    if (!equals || !nb_read_decimal(equals + 1, &values[i]))
        return nb_fail(error, NB_BAD_INPUT, "%s: \"%.64s\": expected %s=number, %s", scene->name,
                       setting, p->name, range);
    if (!(values[i] >= p->minimum && values[i] <= p->maximum))
        return nb_fail(error, NB_BAD_INPUT, "%s: %s = %g is outside %s", scene->name, p->name,
                       values[i], range);
    if (p->integer && values[i] != floor(values[i]))
        return nb_fail(error, NB_BAD_INPUT, "%s: %s = %g must be a whole number, %s", scene->name,
                       p->name, values[i], range);
    return NB_OK;
}

const struct nb_scene *nb_scene_of(const struct nb_problem *problem)
{
    const struct nb_scene *scene = nb_scene_find(problem->name);
    for (int i = 0; scene && i < problem->parameter_count; ++i) {
        int k = parameter_count(scene) + NB_COMMON_PARAMETERS;
        while (k > 0 && strcmp(parameter_at(scene, k - 1)->name, problem->parameters[i].name))
            --k;
        if (k == 0)
            return NULL;
    }
    return problem->parameter_count > 0 ? scene : NULL;
}

static enum nb_status record_parameters(const struct nb_scene *scene, const double *values,
                                        struct nb_problem *problem, struct nb_error *error)
{
    const int own = parameter_count(scene), all = own + NB_COMMON_PARAMETERS;
    problem->parameters = calloc((size_t)all + 1, sizeof *problem->parameters);
    if (!problem->parameters)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for scene %s", scene->name);
    for (int i = 0; i < all; ++i) {
        struct nb_parameter *parameter = &problem->parameters[problem->parameter_count];
        if (i >= own && !(values[i] > 0))
            continue;
        snprintf(parameter->name, sizeof parameter->name, "%s", parameter_at(scene, i)->name);
        parameter->value = values[i];
        ++problem->parameter_count;
    }
    snprintf(problem->name, sizeof problem->name, "%s", scene->name);
    snprintf(problem->source, sizeof problem->source, "%s", scene->source);
    snprintf(problem->generator, sizeof problem->generator, "ncpbench, commit %s",
             NB_BUILD_COMMIT);
    return NB_OK;
}

enum nb_status nb_scene_create(const char *name, int count, const char *const *settings,
                               struct nb_problem *problem, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    double values[NB_SCENE_PARAMETERS + NB_COMMON_PARAMETERS] = {0};
    int given[NB_SCENE_PARAMETERS + NB_COMMON_PARAMETERS] = {0};
    enum nb_status status = NB_OK;
    memset(problem, 0, sizeof *problem);
    const struct nb_scene *scene = nb_scene_find(name);
    if (!scene)
        return unknown_scene(name, error);
    for (int i = 0; i < parameter_count(scene); ++i)
        values[i] = scene->parameters[i].value;
    const char *mesh = NULL;
    for (int i = 0; !status && i < count; ++i) {
        const char *path = mesh_of(scene, settings[i]);
        if (path && mesh)
            status = nb_fail(error, NB_BAD_INPUT, "%s: mesh is set twice", scene->name);
        else if (!path)
            status = apply_setting(scene, settings[i], values, given, error);
        mesh = path ? path : mesh;
    }
    if (!status)
        status = record_parameters(scene, values, problem, error);
    problem->time_step = nb_problem_parameter(problem, "time_step", 0);
    problem->gravity[2] = -nb_problem_parameter(problem, "gravity", 0);
    if (!status)
        status = scene->build(values, problem, error);
    if (!status && mesh)
        status = add_mesh(scene, mesh, values, problem, error);
    if (!status && scene->schedule)
        nb_scene_move_on(problem);
    if (status)
        nb_problem_free(problem);
    return status;
}

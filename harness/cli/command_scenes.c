/* ncpbench scenes describes the parameters of scenes, and prints a table of what each one's first step has beside
 * what the papers print. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "problems/islands.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/registry.h"

/* What the papers print of a scene: table 2 of Macklin et al. 2019 (bodies, joints, tetrahedra, contacts,
 * the largest island, Newton and linear iterations), table 3 of Macklin 2020 (contacts; steps a frame and
 * iterations are of other methods), figure 3 of Silcowitz et al. 2009 (contacts); - where they do not. */
static const struct printed {
    const char *scene, *bodies, *joints, *tetrahedra, *contacts, *island, *newton, *linear, *source;
} printed[] = {
    {"arch", "20", "0", "0", "134", "134", "6", "20", "2019, table 2"},
    {"beam", "42", "42", "0", "300", "300", "6", "50", "2019, table 2 (Fetch beam)"},
    {"box_pyramid", "-", "-", "-", "103", "-", "-", "-", "2009, figure 3"},
    {"cylinder_stack", "-", "-", "-", "189", "-", "-", "-", "2020, table 3"},
    {"granular_silo", "256000", "-", "-", "1510000", "-", "-", "-", "2020, table 3"},
    {"house_of_cards", "-", "-", "-", "1200", "-", "-", "-", "2020, table 3"},
    {"leaning_capsule", "-", "-", "-", "11", "-", "-", "-", "2020, table 3"},
    {"pneunet", "1", "0", "2241", "532", "532", "4", "80", "2019, table 2"},
    {"table_pile", "54", "0", "0", "936", "736", "4", "20", "2019, table 2"},
};

static void print_printed(const char *scene)
{
    for (size_t i = 0; i < sizeof printed / sizeof *printed; ++i) {
        const struct printed *p = &printed[i];
        if (!strcmp(p->scene, scene))
            printf("  | %8s %7s %7s %9s %8s %7s %7s  %s", p->bodies, p->joints, p->tetrahedra, p->contacts,
                   p->island, p->newton, p->linear, p->source);
    }
    printf("\n");
}

static enum nb_status print_row(const struct nb_scene *scene, struct nb_error *error)
{
    struct nb_problem problem = {0};
    struct nb_islands islands = {0};
    enum nb_status status = nb_scene_create(scene->name, 0, NULL, &problem, error);
    status = status ? status : nb_step_prepare(&problem, error);
    status = status ? status : nb_islands_find(&islands, &problem, error);
    if (!status) {
        const int largest = nb_islands_largest(&islands);
        printf("%-26s %8d %8d %7d %7d %9d %8d %8g", scene->name, problem.bodies.count,
               problem.shape_count, problem.joints.count, problem.tetrahedra.count,
               problem.contacts.count, largest >= 0 ? islands.contacts[largest] : 0, problem.time_step);
        print_printed(scene->name);
    }
    nb_islands_free(&islands);
    nb_problem_free(&problem);
    return status;
}

static enum nb_status print_table(struct nb_error *error)
{
    enum nb_status status = NB_OK;
    printf("%88s  | as printed in the papers; - where it is not\n", "");
    printf("%-26s %8s %8s %7s %7s %9s %8s %8s  | %8s %7s %7s %9s %8s %7s %7s  %s\n",
           "scene, first step", "bodies", "shapes", "joints", "tetra", "contacts", "island", "h [s]",
           "bodies", "joints", "tetra", "contacts", "island", "Newton", "linear",
           "source: Macklin 2019, 2020; Silcowitz 2009");
    for (const struct nb_scene *const *each = nb_scenes(); *each && !status; ++each)
        status = print_row(*each, error);
    return status;
}

static void print_parameter(const struct nb_scene_parameter *p)
{
    const int pure = !strcmp(p->unit, "1");
    printf("  %-20s %s%s%s%s; %g to %g [%g]\n", p->name, p->meaning, pure ? "" : " [", pure ? "" : p->unit,
           pure ? "" : "]", p->minimum, p->maximum, p->value);
}

static void print_scene(const struct nb_scene *scene)
{
    printf("%s: %s\n  source: %s\n  observable: %s [%s]\n", scene->name, scene->title,
           scene->source, scene->observable, scene->observable_unit);
    for (int i = 0; i < NB_SCENE_PARAMETERS && scene->parameters[i].name; ++i)
        print_parameter(&scene->parameters[i]);
    for (int i = 0; i < NB_COMMON_PARAMETERS; ++i)
        print_parameter(&nb_common_parameters[i]);
    if (scene->take_mesh)
        printf("  %-20s %s; a file *.obj or *.stl\n", "mesh", scene->mesh);
}

int nb_command_scenes(int argc, char **argv)
{
    struct nb_error error;
    bool table = false;
    struct nb_command command = {
        .name = "scenes", .arguments = "[SCENE] [options]",
        .summary = "Describes scenes: source, observable, parameters with ranges and defaults.",
        .details = "--table builds all scenes at their defaults and counts what the first step "
                   "has, beside what the papers print.",
        .example = "ncpbench scenes --table",
        .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    nb_command_add_flag(&command, "table", &table, "a table of all scenes instead");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *name = command.positional[0];
    if (table && name)
        return nb_command_refuse(&command, "--table is of all scenes: it takes no SCENE");
    if (name && nb_registry_check("", "scene", name, &error))
        return nb_command_fail(&command, &error);
    if (table)
        return print_table(&error) ? nb_command_fail(&command, &error) : NB_EXIT_OK;
    for (const struct nb_scene *const *each = nb_scenes(); *each; ++each)
        if (!name || !strcmp(name, (*each)->name))
            print_scene(*each);
    return NB_EXIT_OK;
}

/* What is refused, with the words that say why. */
#ifndef NB_TESTS_REFUSED_H
#define NB_TESTS_REFUSED_H

#include "problems/fields.h"
#include "problems/problem.h"
#include "problems/scene.h"
#include "tests/support/test.h"

/* A scene with one setting that it cannot have; nothing is left behind. */
static inline void assert_scene_refused(const char *scene, const char *setting,
                                        const char *expected)
{
    const char *settings[] = {setting};
    struct nb_error error = {""};
    struct nb_problem problem;
    assert_int_equal(nb_scene_create(scene, 1, settings, &problem, &error), NB_BAD_INPUT);
    if (!strstr(error.text, expected))
        fail_msg("%s %s: expected \"%s\" in: %s", scene, setting, expected, error.text);
    assert_null(problem.shapes);
    assert_null(problem.parameters);
}

/* A problem with a damaged entry, by a text that holds both words; then forgets the problem. */
static inline void assert_problem_refused(struct nb_problem *problem, const char *dataset,
                                          const char *entry)
{
    struct nb_error error = {""};
    assert_int_equal(nb_problem_validate(problem, &error), NB_BAD_INPUT);
    if (!strstr(error.text, dataset) || !strstr(error.text, entry))
        fail_msg("expected \"%s\" and \"%s\" in: %s", dataset, entry, error.text);
    nb_problem_free(problem);
}

/* One number of an array of problems/fields.h, and the words that refuse it. */
struct damage {
    const char *dataset;
    int index;
    double value;
    const char *words;
};

static inline void damage_entry(struct nb_problem *problem, const char *dataset, int index, double value)
{
    for (int group = 0; group < NB_FIELD_GROUPS; ++group)
        for (const struct nb_field *field = nb_field_groups[group].field; field->name; ++field)
            if (strcmp(field->name, dataset) == 0) {
                void *array = nb_field_array(problem, field);
                if (field->whole)
                    ((int *)array)[index] = (int)value;
                else
                    ((double *)array)[index] = value;
                return;
            }
    fail_msg("no dataset %s", dataset);
}

/* Each alone in a problem of its own. */
static inline void assert_each_refused(void (*make)(struct nb_problem *), const struct damage *damages, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        struct nb_problem problem;
        make(&problem);
        damage_entry(&problem, damages[i].dataset, damages[i].index, damages[i].value);
        assert_problem_refused(&problem, damages[i].dataset, damages[i].words);
    }
}

/* Every needed array of a group that has entries, taken away. */
static inline void assert_missing_refused(void (*make)(struct nb_problem *))
{
    for (int group = 0; group < NB_FIELD_GROUPS; ++group)
        for (const struct nb_field *field = nb_field_groups[group].field; field->name; ++field) {
            struct nb_problem problem;
            make(&problem);
            if (nb_field_entries(&problem, field) > 0 && field->need == NB_FIELD_NEEDED) {
                free(nb_field_array(&problem, field));
                nb_field_set(&problem, field, NULL);
                assert_problem_refused(&problem, field->name, "is missing");
            } else {
                nb_problem_free(&problem);
            }
        }
}

#endif

/* What is refused, with the words that say why. */
#ifndef NB_TESTS_REFUSED_H
#define NB_TESTS_REFUSED_H

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

#endif

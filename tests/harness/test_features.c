/* Features of steps that can be counted by hand, in all three forms, and the classes made of them. */
#include "tests/support/method_support.h"

#include "harness/judge/features.h"
#include "harness/records/problem_name.h"
#include "problems/scenes/build/scene_build.h"

static void check(const struct nb_features *got, int rank, double deficiency, double neighbours)
{
    assert_int_equal(got->rank, rank);
    assert_true(fabs(got->rank_deficiency - deficiency) < 1e-15);
    assert_true(fabs(got->neighbours - neighbours) < 1e-15);
}

/* Two cubes of 8 and 64 kg on each other: 4 contacts each, all of them at the lower cube. The same numbers
 * from the linearised step, whose bodies are sets of 6 velocities, and from W alone. */
TEST(test_two_cubes)
{
    static const char *const settings[] = {"count=2", NULL};
    OWNS(nb_problem_free) struct nb_problem problem, linear, local;
    struct nb_features features;
    test_scene(&problem, "heavy_stack", settings);
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    test_condense(&linear, &local, test_dense_solve);
    nb_features(&problem, &features);
    check(&features, 12, 0.5, 7);
    assert_string_equal(features.scene, "heavy_stack");
    assert_int_equal(features.elastic, 0);
    assert_true(features.contacts_per_body == 4 && features.redundancy == 2);
    assert_true(fabs(features.mass_ratio - 8) < 1e-12);
    nb_features(&linear, &features);
    check(&features, 12, 0.5, 7);
    assert_int_equal(features.elastic, 0);
    assert_true(features.contacts_per_body == 4 && features.redundancy == 2);
    const double ratio = features.mass_ratio;
    nb_features(&local, &features);
    check(&features, 12, 0.5, 7);
    assert_int_equal(features.elastic, -1);
    assert_true(isnan(features.contacts_per_body) && isnan(features.redundancy));
    assert_true(ratio > 1 && fabs(features.mass_ratio - ratio) < 1e-9 * ratio);
}

/* Metres become millimetres, kilograms tonnes: what does not depend on units does not change. */
TEST(test_units)
{
    static const char *const settings[] = {"count=3", NULL};
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    struct nb_features before, after;
    test_scene(&problem, "heavy_stack", settings);
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    nb_features(&linear, &before);
    struct nb_linear_step *step = &linear.linear;
    for (int i = 0; i < step->dofs; ++i)
        for (int k = step->mass.start[i]; k < step->mass.start[i + 1]; ++k)
            step->mass.value[k] *= 1e-3 * (i % 6 < 3 ? 1 : 1e6);
    for (int k = 0; k < step->contact_jacobian.start[step->contact_jacobian.rows]; ++k)
        step->contact_jacobian.value[k] *= step->contact_jacobian.column[k] % 6 < 3 ? 1 : 1e3;
    nb_features(&linear, &after);
    check(&after, before.rank, before.rank_deficiency, before.neighbours);
    assert_int_equal(before.rank, 18);
    assert_true(fabs(after.mass_ratio - before.mass_ratio) < 1e-9 * before.mass_ratio);
}

/* A general mass of 12 velocities is elastic; a tetrahedron is, whatever touches it; without contacts
 * nothing is redundant. */
TEST(test_elastic)
{
    OWNS(nb_problem_free) struct nb_problem global, block;
    struct nb_features features;
    test_global(&global, 12, 3, 0, 1, 5);
    nb_features(&global, &features);
    check(&features, 9, 0, 2);
    assert_int_equal(features.elastic, 1);
    test_scene(&block, "material_extension", NULL);
    nb_features(&block, &features);
    check(&features, 0, 0, 0);
    assert_int_equal(features.elastic, 1);
}

/* Three cubes on each other, the outer two joined: 12 contacts with 7, 11 and 7 neighbours an interface,
 * whether the joint is hard or has a compliance, which the linearised step folds into M. */
TEST(test_joined)
{
    static const char *const settings[] = {"count=3", NULL};
    const double anchor[3] = {0, 0, 0.3}, axes[4] = {1, 0, 0, 0};
    for (int soft = 0; soft < 2; ++soft) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_features features;
        test_scene(&problem, "heavy_stack", settings);
        assert_int_equal(nb_scene_allocate_joints(&problem, 1, NULL), NB_OK);
        nb_scene_make_joint(&problem, 0, NB_JOINT_BALL, 0, 2, anchor, axes);
        for (int k = 0; k < 3; ++k)
            problem.joints.compliance[k] = soft ? 1e-6 : 0;
        assert_int_equal(nb_problem_validate(&problem, NULL), NB_OK);
        nb_features(&problem, &features);
        assert_int_equal(features.elastic, 0);
        assert_true(features.contacts_per_body == 4);
        assert_true(fabs(features.neighbours - 25. / 3) < 1e-14);
    }
}

static cJSON *add_case(cJSON *records, const char *hash, const char *features)
{
    cJSON *record = cJSON_CreateObject(), *settings;
    cJSON_AddItemToArray(records, record);
    cJSON_AddStringToObject(record, "kind", "case");
    settings = cJSON_AddObjectToObject(record, "settings");
    cJSON_AddStringToObject(settings, "problem_hash", hash);
    if (features)
        cJSON_AddItemToObject(record, "features", cJSON_Parse(features));
    return record;
}

static void expect(const cJSON *record, const char *elasticity, const char *density,
                   const char *rank, const char *mass)
{
    const char *const text[] = {elasticity, density, rank, mass};
    for (int i = 0; i < NB_PROBLEM_CLASSES; ++i)
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
                                record, nb_problem_classes[i].name)), text[i]);
}

TEST(test_classes)
{
    cJSON *records = cJSON_CreateArray();
    const cJSON *soft = add_case(records, "a", "{\"elastic\":true,\"neighbours\":12,"
                                 "\"rank_deficiency\":0,\"redundancy\":0.1,\"mass_ratio\":99.9}");
    const cJSON *crashed = add_case(records, "b", "{\"elastic\":null,\"neighbours\":null}");
    const cJSON *large = add_case(records, "b", "{\"elastic\":false,\"neighbours\":11.9,"
                                  "\"rank_deficiency\":null,\"redundancy\":2.5,\"mass_ratio\":100}");
    const cJSON *half = add_case(records, "c", "{\"elastic\":null,\"neighbours\":1,"
                                 "\"rank_deficiency\":0.5,\"redundancy\":null,\"mass_ratio\":1}");
    const cJSON *old = add_case(records, "d", NULL);
    nb_problem_classes_add(records);
    expect(soft, "flexible", "dense", "full_rank", "mass_ratio_below_100");
    expect(large, "rigid", "sparse", "strongly_deficient", "mass_ratio_from_100");
    expect(crashed, "rigid", "sparse", "strongly_deficient", "mass_ratio_from_100");
    expect(half, "unknown", "sparse", "deficient", "mass_ratio_below_100");
    expect(old, "unknown", "unknown", "unknown", "unknown");
    cJSON_Delete(records);
}

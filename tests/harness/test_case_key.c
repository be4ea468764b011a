/* Keys of cases: what changes them and what does not. */
#include "tests/support/folder.h"

#include "harness/case/case.h"
#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "problems/base/hash.h"
#include "problems/io/matrix_market.h"
#include "problems/scene.h"
#include "problems/step.h"

/* A key knows a problem by its name and the hash of its file, whatever that holds. */
static struct nb_case newton_case(void)
{
    struct nb_case setting = nb_case_default();
    const char *path = test_path(&folder, "problem.h5");
    test_write(path, "any bytes");
    setting.options.solver = "newton";
    setting.options.newton_iterations = 30;
    assert_ok(nb_case_set_problem(&setting, path, &why));
    assert_ok(nb_case_hash_problem(&setting, &why));
    return setting;
}

/* What `printf foobar | sha256sum` prints. */
static const char foobar[] = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

TEST(hash_is_sha256)
{
    char hash[NB_HASH_SIZE], beginning[NB_SHORT_HASH_SIZE];
    /* Published vectors: FIPS 180-4's "abc", and nothing. */
    assert_ok(nb_hash("", 0, hash, sizeof hash, &why));
    assert_string_equal(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_ok(nb_hash("abc", 3, hash, sizeof hash, &why));
    assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_ok(nb_hash("abc", 3, beginning, sizeof beginning, &why));
    assert_string_equal(beginning, "ba7816bf8f01cfea");
}

/* What is read says the hash of its own bytes, and the case says the same. */
TEST(problems_are_known_by_the_hash_of_their_bytes)
{
    const char *path = test_path(&folder, "foobar");
    test_write(path, "foobar");
    struct nb_case setting = nb_case_default();
    assert_ok(nb_case_set_problem(&setting, path, &why));
    assert_ok(nb_case_hash_problem(&setting, &why));
    assert_string_equal(setting.problem_hash, foobar);
    assert_ok(nb_case_set_problem(&setting, "/nowhere", &why));
    assert_int_equal(nb_case_hash_problem(&setting, &why), NB_BAD_FILE);
    assert_ok(nb_case_set_problem(&setting, folder.path, &why));
    assert_int_equal(nb_case_hash_problem(&setting, &why), NB_BAD_FILE);
    /* A right-hand side counts: "foo" and "bar" hash like "foobar". */
    test_write(test_path(&folder, "foo.A.mtx"), "foo");
    assert_ok(nb_case_set_problem(&setting, test_path(&folder, "foo.A.mtx"), &why));
    test_write(test_path(&folder, "foo.b.mtx"), "bar");
    assert_ok(nb_case_hash_problem(&setting, &why));
    assert_string_equal(setting.problem_hash, foobar);
}

/* Both ways to read a problem. */
TEST(what_was_read_says_its_hash)
{
    struct nb_newton_system system;
    struct nb_problem problem;
    struct nb_case setting = nb_case_default();
    char matrix[FILENAME_MAX];
    snprintf(matrix, sizeof matrix, "%s", test_path(&folder, "one.A.mtx"));
    test_write(matrix, "%%MatrixMarket matrix array real general\n1 1\n2\n");
    test_write(test_path(&folder, "one.b.mtx"), "%%MatrixMarket matrix array real general\n1 1\n4\n");
    assert_ok(nb_matrix_market_read(matrix, NULL, &system, &why));
    assert_ok(nb_case_set_problem(&setting, matrix, &why));
    assert_ok(nb_case_hash_problem(&setting, &why));
    assert_string_equal(system.hash, setting.problem_hash);
    nb_newton_system_free(&system);

    const char *path = test_path(&folder, "step.h5");
    assert_ok(nb_scene_create("box_on_plane", 0, NULL, &problem, &why));
    assert_ok(nb_step_prepare(&problem, &why));
    assert_string_equal(problem.hash, "");
    assert_ok(nb_problem_write(path, &problem, NULL, &why));
    nb_problem_free(&problem);
    assert_ok(nb_case_set_problem(&setting, path, &why));
    assert_ok(nb_case_hash_problem(&setting, &why));
    for (int linearized = 0; linearized <= 1; ++linearized) {
        setting.linearized = linearized;
        assert_ok(nb_case_read_step(&setting, 0, &problem, NULL, NULL, &why));
        assert_string_equal(problem.hash, setting.problem_hash);
        nb_problem_free(&problem);
    }
}

static struct nb_case changed(const struct nb_case *setting, const struct nb_case_setting *row)
{
    struct nb_case other = *setting;
    void *member = (char *)&other + row->offset;
    switch (row->option.type) {
    case NB_OPTION_FLAG: *(bool *)member = !*(bool *)member; break;
    case NB_OPTION_CHOICE: *(int *)member = 1 - *(int *)member; break;
    case NB_OPTION_INTEGER: *(int *)member += 1; break;
    case NB_OPTION_NUMBER: /* cJSON writes 15 digits where they suffice */
        *(double *)member = isnan(*(double *)member) ? 1e-8 : *(double *)member * (1 + 1e-13);
        break;
    case NB_OPTION_PATH: ((char *)member)[0] ^= 1; break;
    default: *(const char **)member = "other"; break;
    }
    return other;
}

static void key_of(const struct nb_case *setting, char key[NB_KEY_SIZE])
{
    assert_ok(nb_case_key(setting, key, &why));
}

TEST(every_setting_changes_the_key)
{
    const struct nb_case_setting *row;
    for (int mode = NB_CASE_STEP; mode <= NB_CASE_LINEAR_SYSTEM; ++mode)
        for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
            struct nb_case base = newton_case();
            char key[NB_KEY_SIZE], other_key[NB_KEY_SIZE];
            base.mode = mode;
            if (!strcmp(row->name, "mode") || !strcmp(row->name, "optional_problem"))
                continue;
            const struct nb_case other = changed(&base, row);
            key_of(&base, key);
            key_of(&other, other_key);
            /* A moved file is the same problem; a stored system has decided what a step would read. */
            const unsigned unused = mode == NB_CASE_STEP ? NB_OF_SYSTEM : NB_OF_STEP;
            const bool same = row->of & (NB_SPEC_ONLY | NB_NOT_IN_KEY | unused);
            if (same != !strcmp(key, other_key))
                fail_msg("%s: key %s and %s", row->name, key, other_key);
        }
    struct nb_case step = newton_case(), system = newton_case();
    char key[NB_KEY_SIZE], other_key[NB_KEY_SIZE];
    system.mode = NB_CASE_LINEAR_SYSTEM;
    key_of(&step, key);
    key_of(&system, other_key);
    assert_string_not_equal(key, other_key);
}

/* What a key hashes leaves defaults out: a new setting, with a default, adds nothing to it. */
TEST(keys_leave_defaults_out)
{
    static const char plain[] = "{\"version\":3,\"problem\":\"arch\",\"problem_hash\":\"0123456789abcdef\","
                                "\"kind\":\"case\"}";
    static const char given[] = "{\"version\":3,\"problem\":\"arch\",\"problem_hash\":\"0123456789abcdef\","
                                "\"mode\":\"linear_system\",\"linear\":\"pcg\",\"shift\":0}";
    struct nb_case setting = nb_case_default();
    char key[NB_KEY_SIZE], floor_key[NB_KEY_SIZE], expected[NB_KEY_SIZE];
    strcpy(setting.problem, "arch");
    strcpy(setting.problem_hash, "0123456789abcdef");
    key_of(&setting, key);
    assert_int_equal(nb_hash(plain, strlen(plain), expected, sizeof expected, NULL), NB_OK);
    assert_string_equal(key, expected);
    assert_string_equal(key, "8e7299d1f7be3489");
    /* Its floor, which is of these settings as well, does not say so. */
    assert_ok(nb_floor_key(&setting, floor_key, &why));
    assert_string_equal(floor_key, "d51657405c219fd6");
    setting.options.newton_iterations = nb_options_iterations(&setting.options); /* the method's own, by number */
    key_of(&setting, key);
    assert_string_equal(key, expected);
    setting.mode = NB_CASE_LINEAR_SYSTEM;
    setting.options.linear = "pcg";
    setting.options.shift = 0;
    key_of(&setting, key);
    assert_int_equal(nb_hash(given, strlen(given), expected, sizeof expected, NULL), NB_OK);
    assert_string_equal(key, expected);
}

/* A default that changes would give old keys another meaning: then NB_KEY_VERSION has to change, too. */
TEST(defaults_are_those_of_the_keys)
{
    static const char known[] =
        "{\"mode\":\"step\",\"solver\":\"proximal_newton\",\"ncp\":\"fb\",\"scaling\":\"mass\","
        "\"newton_form\":\"scaled\",\"operator\":\"assembled\",\"damping\":0.75,\"linearized\":false,\"tol\":null,"
        "\"linear\":\"pcr\",\"precond\":\"jacobi\",\"precision\":\"f64\",\"linear_iters\":40,\"shift\":1e-8,"
        "\"start\":\"rest\",\"threads\":1,\"repetitions\":5,\"time_limit\":60,\"memory_limit\":4096}";
    const struct nb_case usual = nb_case_default();
    cJSON *settings = nb_case_settings(&usual), *expected = cJSON_Parse(known);
    const cJSON *item = NULL;
    assert_int_equal(NB_KEY_VERSION, 3);
    cJSON_ArrayForEach(item, expected)
        if (!cJSON_Compare(item, cJSON_GetObjectItemCaseSensitive(settings, item->string), true))
            fail_msg("the default of %s has changed: raise NB_KEY_VERSION", item->string);
    cJSON_Delete(expected);
    cJSON_Delete(settings);
}

FIXTURE(make_folder, remove_folder)

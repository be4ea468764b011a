/* Damaged datasets: each is deleted, reshaped, retyped, replaced and filled with nonsense in turn.
 * The file is either read (where what was damaged is not needed) or refused in one line that names it;
 * never a crash. */
#include "tests/support/io_datasets.h"
#include "tests/support/io_read_all.h"

#include <limits.h>

enum damage {
    DELETED, SHORTER, LONGER, DEEPER, RETYPED, A_GROUP, ENORMOUS, FIRST_BAD, LAST_BAD, NEGATIVE,
    DAMAGES
};

static const char *const damage_names[DAMAGES] = {
    "deleted", "shorter", "longer", "deeper", "retyped", "a group", "enormous", "first bad",
    "last bad", "negative",
};

/* Claims 2^27 rows and stores none. */
static void store_enormous(hid_t file, const char *name, const struct content *content)
{
    hsize_t size[8], chunk[8];
    const int rank = content->rank > 0 ? content->rank : 1;
    memcpy(size, content->size, sizeof size);
    size[0] = 1 << 27;
    for (int i = 0; i < rank; ++i)
        chunk[i] = i ? size[i] : 4096;
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, rank, chunk);
    const hid_t dataset =
        H5Dcreate2(file, name, content->class == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT,
                   space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
}

/* Changes the loaded content; 0 where this damage does not apply to it. */
static int change(enum damage damage, struct content *content)
{
    const hsize_t last = content->count - 1;
    switch (damage) {
    case SHORTER:
        return content->rank > 0 && content->size[0]-- > 0;
    case LONGER:
        if (content->rank == 0)
            content->rank = 1, content->size[0] = 1;
        content->size[0]++;
        return 1;
    case DEEPER:
        content->size[content->rank++] = 1;
        return 1;
    case RETYPED:
        content->class = content->class == H5T_FLOAT ? H5T_INTEGER : H5T_FLOAT;
        return 1;
    case FIRST_BAD:
        content->numbers[0] = NAN;
        content->integers[0] = INT_MAX;
        return content->count > 0;
    case LAST_BAD:
        content->numbers[last] = -INFINITY;
        content->integers[last] = INT_MIN;
        return content->count > 0;
    case NEGATIVE:
        content->numbers[last] = -7;
        content->integers[last] = -7;
        return content->count > 0;
    default:
        return 1;
    }
}

/* A copy of the sound file, opened, with one of its datasets. */
static hid_t open_copy(const char *sound, const char *copy, const char *name, struct content *content)
{
    size_t size;
    unsigned char *bytes = file_bytes(sound, &size);
    write_bytes(copy, bytes, size);
    free(bytes);
    const hid_t file = H5Fopen(copy, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    load(file, name, content);
    return file;
}

static void close_copy(hid_t file, struct content *content)
{
    free(content->numbers);
    free(content->integers);
    assert_true(H5Fclose(file) >= 0);
}

/* Copies the sound file and damages one dataset of the copy; 0 where that makes no sense. */
static int damage_copy(const char *sound, const char *copy, const char *name, enum damage damage)
{
    struct content content;
    const hid_t file = open_copy(sound, copy, name, &content);
    const int text = content.class == H5T_STRING;
    int done = !text || damage == DELETED || damage == A_GROUP || damage == RETYPED;
    done = done && change(damage, &content);
    if (done)
        assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    if (done && damage == A_GROUP)
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else if (done && damage == ENORMOUS)
        store_enormous(file, name, &content);
    else if (done && damage != DELETED)
        store(file, name, &content);
    close_copy(file, &content);
    return done;
}

static int starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Is the dataset read at all? In a nonlinear file the FCLIB group and the islands are for others, and
 * with v known u follows. */
static int is_needed(const char *name, enum nb_form form)
{
    if (form == NB_NONLINEAR && (starts_with(name, "fclib_global") || strstr(name, "/island")))
        return 0;
    return !strstr(name, "/info/");
}

/* What a solution may lack is looked at where it is there, but nothing is read from it. */
static bool is_checked_only(const char *name, enum nb_form form)
{
    return (form != NB_LINEAR_LOCAL && strcmp(name, "solution/u") == 0) ||
           (form == NB_NONLINEAR && strcmp(name, "solution/l") == 0);
}

/* Must the damage be noticed? Some is allowed: a negative number where no sign is asked for, nzmax
 * above what is stored, arrays of a matrix longer than its nz says, [n x 1] for a vector, numbers of
 * another type. */
static int must_fail(const char *name, enum damage damage, int flat, int integer, int text)
{
    static const char *const positive[] = {"bodies/mass", "friction", "/mu", "time_step",
                                           "radius", "half_length", "particles/mass",
                                           "tetrahedra/lame", "attachments/compliance",
                                           "distances/", "ties/compliance", "ties/damping", "contacts/weight"};
    const char *last = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    if ((damage == DEEPER && flat) || (damage == RETYPED && !text))
        return 0;
    if (strcmp(last, "nzmax") == 0)
        return damage != FIRST_BAD;
    if (starts_with(name, "fclib") && damage == LONGER && strlen(last) == 1 && strchr("pix", *last))
        return 0;
    if (damage != NEGATIVE || integer)
        return 1;
    for (size_t i = 0; i < sizeof positive / sizeof *positive; ++i)
        if (strstr(name, positive[i]))
            return 1;
    return 0;
}

static void try_damage(const char *sound, const char *copy, const char *name, enum damage damage,
                       enum nb_form form)
{
    struct nb_error error;
    struct content content;
    if (!damage_copy(sound, copy, name, damage))
        return;
    const hid_t file = H5Fopen(sound, H5F_ACC_RDONLY, H5P_DEFAULT);
    load(file, name, &content);
    const int flat = content.rank <= 1, integer = content.class == H5T_INTEGER;
    const int text = content.class == H5T_STRING;
    close_copy(file, &content);
    const enum nb_status status = read_all(copy, &error);
    if (is_checked_only(name, form) || (damage == DELETED && strstr(name, "/damping"))) /* a step may have none */
        return;
    if (!is_needed(name, form)) {
        if (status && (!text || form == NB_NONLINEAR))
            fail_msg("%s %s: refused, though nobody needs it: %s", name, damage_names[damage],
                     error.text);
        return;
    }
    if (must_fail(name, damage, flat, integer, text) && !status)
        fail_msg("%s %s: read without complaint", name, damage_names[damage]);
    const int by_name = damage == DELETED || damage == A_GROUP || (damage == RETYPED && text);
    if (by_name && !strstr(error.text, name))
        fail_msg("%s %s: not named in: %s", name, damage_names[damage], error.text);
}

/* Each dataset in turn, by a quarter of the damages, others at the next dataset; or by those that are left. */
static void damage_datasets(void **state, const struct nb_problem *problem,
                            const struct nb_problem_extras *extras, bool quarter)
{
    static struct names names;
    struct nb_error error;
    char sound[256], copy[256];
    snprintf(sound, sizeof sound, "%s", in_folder(state, "sound.h5"));
    snprintf(copy, sizeof copy, "%s", in_folder(state, "copy.h5"));
    assert_int_equal(nb_problem_write(sound, problem, extras, NULL), NB_OK);
    if (read_all(sound, &error))
        fail_msg("the sound file: %s", error.text);
    list_datasets(sound, &names);
    assert_true(names.count > 20);
    for (int i = 0; i < names.count; ++i)
        for (int damage = 0; damage < DAMAGES; ++damage)
            if ((damage % 4 == i % 4) == quarter)
                try_damage(sound, copy, names.name[i], (enum damage)damage, problem->form);
}

static void damage_nonlinear(void **state, bool quarter)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_newton_system_free) struct nb_newton_system system = {.iteration = 2};
    uint64_t random = 31;
    sample_nonlinear(&problem, 3, 4);
    sample_matrix(&system.mass, 18, 18, &random);
    sample_matrix(&system.jacobian, 12, 18, &random);
    sample_matrix(&system.schur, 12, 12, &random);
    system.compliance = sample_numbers(12, &random);
    system.momentum = sample_numbers(18, &random);
    system.constraint = sample_numbers(12, &random);
    system.right_side = sample_numbers(12, &random);
    OWNS(free_at) double *u = sample_numbers(18, &random), *lambda = sample_numbers(12, &random);
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda, .system_count = 1,
                                             .systems = &system, .settings = "ncp=fb"};
    damage_datasets(state, &problem, &extras, quarter);
}

static void sample_jointed(struct nb_problem *problem)
{
    sample_nonlinear(problem, 3, 4);
    sample_joints(problem, 6);
    sample_limits(problem);
}

static void sample_deformable(struct nb_problem *problem)
{
    sample_nonlinear(problem, 2, 5);
    sample_deformables(problem, 7);
}

static void sample_small_global(struct nb_problem *problem)
{
    sample_global(problem, 8, 2, 3);
}

static void sample_small_local(struct nb_problem *problem)
{
    sample_local(problem, 2, 2);
}

static void damage_all_kinds(void **state, bool quarter)
{
    static void (*const samples[])(struct nb_problem *) = {sample_jointed, sample_deformable, sample_small_global,
                                                           sample_small_local};
    damage_nonlinear(state, quarter);
    for (size_t k = 0; k < sizeof samples / sizeof *samples; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        uint64_t random = 41;
        samples[k](&problem);
        OWNS(free_at) double *u = sample_numbers(nb_problem_dofs(&problem), &random);
        OWNS(free_at) double *lambda = sample_numbers(nb_problem_multipliers(&problem), &random);
        const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
        damage_datasets(state, &problem, &extras, quarter);
    }
}

TEST_IN_FOLDER(a_quarter_of_the_damages)
{
    damage_all_kinds(state, true);
}

FULL_TEST_WITH(the_other_damages, make_folder, remove_folder)
{
    damage_all_kinds(state, false);
}

/* The values that people get wrong, and what they are told. */
TEST_IN_FOLDER(test_messages)
{
    static const struct {
        const char *dataset;
        int entry;
        double value;
        const char *says;
    } cases[] = {
        {"bodies/mass", 1, -2, "copy.h5: bodies/mass: entry 1 is -2 kg, must be positive"},
        {"bodies/mass", 2, NAN, "copy.h5: bodies/mass: entry 2 is nan, not a finite number"},
        {"bodies/position", 4, INFINITY, "copy.h5: bodies/position: entry 1 is inf"},
        {"bodies/orientation", 5, 3, "copy.h5: bodies/orientation: quaternion 1 has length"},
        {"bodies/inertia", 9, -1, "copy.h5: bodies/inertia: tensor 1 is not positive definite"},
        {"contacts/body", 3, 3, "copy.h5: contacts/body: entry 1 is body 3, must be -1"},
        {"contacts/frame", 0, 2, "copy.h5: contacts/frame: frame 0 is not right-handed"},
        {"contacts/friction", 0, -0.5, "copy.h5: contacts/friction: entry 0 is -0.5, must not"},
        {"shapes/face_vertex", 1, 4, "copy.h5: shapes/face_vertex: face 0 of shape 1 names"},
        {"shapes/first_face", 2, 9, "copy.h5: shapes/first_face: falls from 9 to 8"},
        {"time_step", 0, 0, "copy.h5: time_step is 0 s, must be positive"},
    };
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_error error;
    char sound[256], copy[256];
    sample_nonlinear(&problem, 3, 4);
    snprintf(sound, sizeof sound, "%s", in_folder(state, "sound.h5"));
    snprintf(copy, sizeof copy, "%s", in_folder(state, "copy.h5"));
    assert_int_equal(nb_problem_write(sound, &problem, NULL, NULL), NB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct content content;
        const hid_t file = open_copy(sound, copy, cases[i].dataset, &content);
        content.numbers[cases[i].entry] = cases[i].value;
        if (content.class == H5T_INTEGER)
            content.integers[cases[i].entry] = (int)cases[i].value;
        H5Ldelete(file, cases[i].dataset, H5P_DEFAULT);
        if (content.rank == 0)
            content.rank = 1, content.size[0] = 1;
        store(file, cases[i].dataset, &content);
        close_copy(file, &content);
        assert_int_equal(read_all(copy, &error), NB_BAD_INPUT);
        if (!strstr(error.text, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].says);
    }
}

/* Root attributes: all are needed; a version from the future is refused with both versions. */
TEST_IN_FOLDER(test_attributes)
{
    static const struct {
        const char *name;
        int version; /* 0: the attribute goes */
        enum nb_status status;
        const char *says;
    } cases[] = {
        {"version", 0, NB_BAD_INPUT, "version"}, {"form", 0, NB_BAD_INPUT, "form"},
        {"name", 0, NB_BAD_INPUT, "name"}, {"source", 0, NB_BAD_INPUT, "source"},
        {"generator", 0, NB_BAD_INPUT, "generator"}, {"step", 0, NB_BAD_INPUT, "step"},
        {"version", 7, NB_UNSUPPORTED, "a.h5: version 7 is newer than the 6 this program reads"},
        {"version", -1, NB_BAD_INPUT, "a.h5: version -1 does not exist"},
    };
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_error error;
    char path[256];
    sample_nonlinear(&problem, 1, 1);
    snprintf(path, sizeof path, "%s", in_folder(state, "a.h5"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(nb_problem_write(path, &problem, NULL, NULL), NB_OK);
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t attribute = H5Aopen(file, cases[i].name, H5P_DEFAULT);
        if (cases[i].version)
            H5Awrite(attribute, H5T_NATIVE_INT, &cases[i].version);
        else
            H5Adelete(file, cases[i].name);
        H5Aclose(attribute);
        H5Fclose(file);
        assert_int_equal(read_all(path, &error), cases[i].status);
        if (!strstr(error.text, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].says);
    }
}

FIXTURE(read_without_a_child, NULL)

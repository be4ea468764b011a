/* Every scene, with scenes to come: its file opens in libfclib as the step that we linearise, its
 * parameters have ranges that hold, and what cannot be built is refused with a reason. */
#include "tests/support/folder.h"

#include <fclib.h>

#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "tests/support/support.h"

/* y = A x (or A^T x) of libfclib's triplets. */
static void multiply(const struct fclib_matrix *matrix, int transposed, const double *x, double *y)
{
    assert_true(matrix->nz >= 0);
    for (int i = 0; i < (transposed ? matrix->n : matrix->m); ++i)
        y[i] = 0;
    for (int k = 0; k < matrix->nz; ++k) {
        const int row = matrix->i[k], column = matrix->p[k];
        y[transposed ? column : row] += matrix->x[k] * x[transposed ? row : column];
    }
}

static void same(const char *what, const char *scene, const double *theirs, const double *ours,
                 int count, double roundings)
{
    double largest = 0;
    for (int i = 0; i < count; ++i)
        largest = fmax(largest, fabs(ours[i]));
    for (int i = 0; i < count; ++i)
        if (!(fabs(theirs[i] - ours[i]) <= roundings * 0x1p-52 * largest))
            fail_msg("%s of %s: entry %d is %.17g, libfclib has %.17g", what, scene, i, ours[i],
                     theirs[i]);
}

/* A matrix of libfclib against ours by its product with a random vector. */
static void same_matrix(const char *what, const char *scene, const struct fclib_matrix *theirs,
                        const struct nb_csr *ours, int transposed)
{
    uint32_t seed = 17;
    const int rows = ours->rows, columns = ours->columns;
    OWNS(free_at) double *x = malloc(((size_t)columns + 1) * sizeof *x);
    OWNS(free_at) double *y = malloc(((size_t)rows + 1) * sizeof *y), *z = malloc(((size_t)rows + 1) * sizeof *z);
    assert_int_equal(transposed ? theirs->n : theirs->m, rows);
    assert_int_equal(transposed ? theirs->m : theirs->n, columns);
    for (int i = 0; i < columns; ++i)
        x[i] = test_uniform(&seed);
    nb_csr_multiply(ours, x, y, 0);
    multiply(theirs, transposed, x, z);
    same(what, scene, z, y, rows, 100);
}

TEST(files_open_in_libfclib)
{
    struct nb_error error;
    const char *path = test_path(&folder, "scene.h5");
    for (const struct nb_scene *const *each = nb_scenes(); *each; ++each) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        const char *name = (*each)->name;
        test_scene(&problem, name, NULL);
        if (nb_problem_write(path, &problem, NULL, &error) ||
            nb_problem_linearize(&problem, &linear, &error))
            fail_msg("%s: %s", name, error.text);
        OWNS(free_at) struct fclib_global *theirs = fclib_read_global(path);
        assert_non_null(theirs);
        const struct nb_linear_step *ours = &linear.linear;
        assert_int_equal(theirs->spacedim, 3);
        same_matrix("M", name, theirs->M, &ours->mass, 0);
        same_matrix("H", name, theirs->H, &ours->contact_jacobian, 1);
        assert_int_equal(theirs->G != NULL, ours->bilaterals > 0);
        if (theirs->G) {
            same_matrix("G", name, theirs->G, &ours->bilateral_jacobian, 1);
            same("b", name, theirs->b, ours->bilateral_velocity, ours->bilaterals, 0);
        }
        same("f", name, theirs->f, ours->force, ours->dofs, 0);
        same("w", name, theirs->w, ours->contact_velocity, 3 * ours->contacts, 0);
        same("mu", name, theirs->mu, ours->friction, ours->contacts, 0);
        fclib_delete_global(theirs);
    }
}

/* The message names the parameter and its range. */
static void refused(const struct nb_scene *scene, const struct nb_scene_parameter *p,
                    const char *value)
{
    char setting[96], range[64];
    const char *settings[] = {setting};
    struct nb_problem problem;
    snprintf(setting, sizeof setting, "%s=%s", p->name, value);
    snprintf(range, sizeof range, "%g to %g", p->minimum, p->maximum);
    assert_refused(nb_scene_create(scene->name, 1, settings, &problem, &why), NB_BAD_INPUT, scene->name, p->name,
                   range);
    assert_null(problem.shapes);
}

TEST(bad_parameters_are_refused_with_the_range)
{
    for (const struct nb_scene *const *each = nb_scenes(); *each; ++each)
        for (int i = 0; i < NB_SCENE_PARAMETERS && (*each)->parameters[i].name; ++i) {
            const struct nb_scene_parameter *p = &(*each)->parameters[i];
            char low[64], high[64], between[64];
            assert_true(p->value >= p->minimum && p->value <= p->maximum);
            snprintf(low, sizeof low, "%.17g", p->minimum - fmax(1e-9, 0.5 * fabs(p->minimum)));
            snprintf(high, sizeof high, "%.17g", p->maximum + fmax(1e-9, 0.5 * fabs(p->maximum)));
            snprintf(between, sizeof between, "%.17g", p->value + 0.5);
            refused(*each, p, low);
            refused(*each, p, high);
            refused(*each, p, "much");
            refused(*each, p, "");
            if (p->integer && p->value + 0.5 <= p->maximum)
                refused(*each, p, between);
        }
}

/* The ends of a range are allowed by themselves; with the other defaults they make a valid step,
 * or are refused with a reason that names the scene. Counts are left out: their ends are for
 * patience. */
TEST(ends_of_ranges_build_or_are_refused)
{
    for (const struct nb_scene *const *each = nb_scenes(); *each; ++each)
        for (int i = 0; i < NB_SCENE_PARAMETERS && (*each)->parameters[i].name; ++i) {
            const struct nb_scene_parameter *p = &(*each)->parameters[i];
            const double ends[2] = {p->minimum, p->maximum};
            for (int end = 0; end < 2 && !p->integer; ++end) {
                char setting[96];
                const char *settings[] = {setting};
                struct nb_problem problem;
                struct nb_error error = {""};
                snprintf(setting, sizeof setting, "%s=%.17g", p->name, ends[end]);
                const enum nb_status status =
                    nb_scene_create((*each)->name, 1, settings, &problem, &error);
                if (status == NB_OK)
                    nb_problem_free(&problem);
                else if (status != NB_BAD_INPUT || !strstr(error.text, (*each)->name))
                    fail_msg("%s %s: status %d: %s", (*each)->name, setting, (int)status,
                             error.text);
            }
        }
}

FIXTURE(make_folder, remove_folder)

/* Islands as steps of their own: what they hold together is the whole step, and nothing stands between two of them. */
#include "tests/support/deformable_samples.h"

#include "problems/copies.h"
#include "problems/islands.h"
#include "problems/join.h"
#include "problems/split.h"

/* Every velocity and multiplier of the whole is in one part, in its order. */
static void assert_maps(const struct nb_problem *problem, const struct nb_split *split)
{
    const int dofs = nb_problem_dofs(problem), rows = nb_problem_multipliers(problem);
    int *seen = calloc((size_t)dofs + (size_t)rows + 1, sizeof *seen);
    assert_non_null(seen);
    for (int k = 0; k < split->count; ++k) {
        const struct nb_split_part *part = &split->part[k];
        assert_ok(nb_problem_validate(&part->problem, &why));
        assert_int_equal(part->dofs, nb_problem_dofs(&part->problem));
        assert_int_equal(part->multipliers, nb_problem_multipliers(&part->problem));
        for (int i = 0; i < part->dofs; ++i) {
            assert_true(i == 0 || part->dof[i] > part->dof[i - 1]);
            seen[part->dof[i]]++;
        }
        for (int i = 0; i < part->multipliers; ++i)
            seen[dofs + part->multiplier[i]]++;
    }
    for (int i = 0; i < dofs + rows; ++i)
        assert_int_equal(seen[i], 1);
    free(seen);
}

static struct nb_csr *matrix_of(struct nb_problem *problem, int which)
{
    struct nb_linear_step *step = &problem->linear;
    struct nb_csr *all[] = {&step->mass, &step->contact_jacobian, &step->bilateral_jacobian};
    return all[which];
}

/* y = A x of the parts is that of the whole, of M, H^T and G^T. */
static void assert_products(struct nb_problem *problem, const struct nb_split *split)
{
    for (int which = 0; which < 3; ++which) {
        const struct nb_csr *whole = matrix_of(problem, which);
        double *x = malloc(((size_t)whole->columns + 1) * sizeof *x);
        double *y = calloc((size_t)whole->rows + 1, sizeof *y), *own = calloc((size_t)whole->rows + 1, sizeof *own);
        double *own_x = malloc(((size_t)whole->columns + 1) * sizeof *own_x);
        for (int i = 0; i < whole->columns; ++i)
            x[i] = sin(1 + i);
        nb_csr_multiply(whole, x, y, 0);
        for (int k = 0; k < split->count; ++k) {
            struct nb_split_part *part = &split->part[k];
            const struct nb_csr *matrix = matrix_of(&part->problem, which);
            const int bilaterals = part->problem.linear.bilaterals;
            for (int i = 0; i < part->dofs; ++i)
                own_x[i] = x[part->dof[i]];
            nb_csr_multiply(matrix, own_x, own, 0);
            for (int i = 0; i < matrix->rows; ++i) {
                const int row = which == 0   ? part->dof[i]
                                : which == 1 ? part->multiplier[bilaterals + i] - problem->linear.bilaterals
                                             : part->multiplier[i];
                assert_true(own[i] == y[row]);
            }
        }
        free(x);
        free(y);
        free(own);
        free(own_x);
    }
}

static void linearize(const char *scene, struct nb_problem *linear)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, scene, NULL);
    assert_ok(nb_problem_linearize(&problem, linear, &why));
}

/* How many parts a step has, and their steps' numbers of contacts and velocities, one after the other. */
static int list_parts(const struct nb_problem *problem, int *sizes)
{
    OWNS(nb_split_free) struct nb_split split;
    assert_ok(nb_problem_split(problem, &split, &why));
    for (int k = 0; k < split.count; ++k) {
        sizes[2 * k] = split.part[k].problem.linear.contacts;
        sizes[2 * k + 1] = split.part[k].problem.linear.dofs;
    }
    if (split.count == 0) {
        sizes[0] = problem->linear.contacts;
        sizes[1] = problem->linear.dofs;
    }
    return split.count ? split.count : 1;
}

TEST(a_joined_step_comes_apart_again)
{
    OWNS(nb_problem_free) struct nb_problem door, boxes, both;
    OWNS(nb_split_free) struct nb_split split;
    int sizes[64], count = 0;
    linearize("hinge_limits", &door);
    linearize("two_boxes", &boxes);
    const struct nb_problem parts[] = {door, boxes, door};
    assert_ok(nb_problem_join(parts, 3, &both, &why));
    assert_ok(nb_problem_split(&both, &split, &why));
    for (int k = 0; k < 3; ++k)
        count += list_parts(&parts[k], sizes + 2 * count);
    assert_int_equal(split.count, count);
    assert_true(both.linear.bilaterals > 0);
    for (int k = 0; k < count; ++k) {
        assert_int_equal(split.part[k].problem.linear.contacts, sizes[2 * k]);
        assert_int_equal(split.part[k].dofs, sizes[2 * k + 1]);
    }
    assert_maps(&both, &split);
    assert_products(&both, &split);
}

/* A stored zero between two islands joins none, a number does; W as well as M, H and G. */
TEST(stored_zeros_join_nothing)
{
    for (int value = 0; value < 2; ++value) {
        OWNS(nb_problem_free) struct nb_problem problem = {.form = NB_LINEAR_LOCAL, .time_step = 1};
        OWNS(nb_split_free) struct nb_split split;
        int row[38], column[38], entries = 0;
        double entry[38];
        for (int i = 0; i < 6; ++i) {
            row[entries] = column[entries] = i;
            entry[entries++] = 2;
        }
        for (int k = 0; k < 2; ++k) { /* rows 1 and 4 */
            row[entries] = k ? 4 : 1;
            column[entries] = k ? 1 : 4;
            entry[entries++] = value;
        }
        assert_true(nb_linear_vectors_allocate(&problem.linear, 0, 2, 0));
        assert_ok(nb_csr_from_triplets(&problem.linear.delassus, 6, 6, entries, row, column, entry, &why));
        assert_ok(nb_problem_split(&problem, &split, &why));
        assert_int_equal(split.count, value ? 0 : 2);
        for (int k = 0; k < split.count; ++k) {
            assert_int_equal(split.part[k].problem.linear.delassus.start[3], 3);
            assert_int_equal(split.part[k].dof[1], 3 * k + 1);
            assert_int_equal(split.part[k].multiplier[2], 3 * k + 2);
        }
    }
}

/* Bodies in free flight go with the others; a step of such bodies alone is not taken apart. */
TEST(what_touches_nothing_is_no_part)
{
    OWNS(nb_problem_free) struct nb_problem one, many;
    OWNS(nb_split_free) struct nb_split split;
    test_scene(&one, "two_boxes", NULL);
    assert_ok(nb_problem_repeat(&one, 4, &many, &why));
    const int contacts = one.contacts.count, bodies = one.bodies.count;
    many.contacts.count -= contacts; /* the last copy's */
    assert_ok(nb_problem_split(&many, &split, &why));
    assert_int_equal(split.count, 3);
    assert_maps(&many, &split);
    assert_int_equal(split.part[2].problem.bodies.count, 2 * bodies);
    nb_split_free(&split);
    many.contacts.count = contacts;
    assert_ok(nb_problem_split(&many, &split, &why));
    assert_int_equal(split.count, 0);
    nb_split_free(&split);
    many.contacts.count = 0;
    assert_ok(nb_problem_split(&many, &split, &why));
    assert_int_equal(split.count, 0);
    many.contacts.count = 4 * contacts;
}

/* Bodies, particles and all that links them, as nb_islands_find tells it. */
TEST(scenes_come_apart_by_their_islands)
{
    static const char *const scenes[] = {"table_pile", "pneunet", "hinge_limits", "sheet", "balls_in_cube"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(nb_islands_free) struct nb_islands islands;
        OWNS(nb_split_free) struct nb_split split;
        test_scene(&problem, scenes[s], NULL);
        assert_ok(nb_islands_find(&islands, &problem, &why));
        assert_ok(nb_problem_split(&problem, &split, &why));
        assert_true(split.count <= islands.count && split.count != 1);
        if (split.count > 1)
            assert_maps(&problem, &split);
        for (int i = 0; i < problem.contacts.count && split.count > 1; ++i)
            assert_true(islands.contact[i] >= 0);
    }
}

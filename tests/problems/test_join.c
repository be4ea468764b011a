/* Linear steps that can be drawn: written, read, copied, refused where they are damaged; and joined to one. */
#include "tests/support/folder.h"

#include <limits.h>

#include "problems/copies.h"
#include "problems/io/problem_file.h"
#include "problems/join.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/surface.h"
#include "tests/support/refused.h"
#include "tests/support/same_problem.h"
#include "tests/support/support.h"

enum { FIRST = 3 }; /* contacts that there is a drawing of */

/* A scene's linearised step with a ball at x, a plane, and the places of its first contacts. */
static void drawn(struct nb_problem *linear, const char *count, double x)
{
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    test_scene(&problem, "heavy_stack", (const char *const[]){count, NULL});
    assert_ok(nb_problem_linearize(&problem, linear, &why));
    linear->gravity[2] = -9.81;
    linear->shapes = calloc(3, sizeof *linear->shapes);
    linear->shape_count = 2;
    linear->shapes[0] = (struct nb_shape){.kind = NB_SHAPE_PLANE, .body = -1, .orientation = {1}};
    linear->shapes[1] = (struct nb_shape){.kind = NB_SHAPE_SPHERE, .body = -1, .orientation = {1}, .radius = 0.5};
    linear->shapes[1].position[0] = x;
    assert_ok(nb_group_allocate(linear, NB_DRAWING, FIRST, &why));
    for (int i = 0; i < FIRST; ++i) {
        nb_contact_point(&problem, i, 0, linear->drawing.point + 3 * i);
        memcpy(linear->drawing.frame + 9 * i, problem.contacts.frame + 9 * i, 9 * sizeof(double));
        linear->drawing.body[2 * i] = i;
        linear->drawing.body[2 * i + 1] = -1;
    }
    assert_ok(nb_group_allocate(linear, NB_MOTION, linear->linear.dofs, &why));
    for (int i = 0; i < linear->linear.dofs; ++i) {
        linear->motion.velocity[i] = i;
        linear->motion.force[i] = -i;
    }
}

static void draw_stack(struct nb_problem *linear) { drawn(linear, "count=2", 0); }

static void same_drawing(const struct nb_problem *a, const struct nb_problem *b)
{
    same_linear(&a->linear, &b->linear);
    same_arrays(a, b);
    assert_int_equal(a->shape_count, b->shape_count);
    same_bytes("gravity", a->gravity, b->gravity, sizeof a->gravity);
    for (int i = 0; i < a->shape_count; ++i)
        same_bytes("shape", &a->shapes[i], &b->shapes[i], offsetof(struct nb_shape, vertex));
}

TEST_IN_FOLDER(a_drawing_is_written_and_read)
{
    OWNS(nb_problem_free) struct nb_problem problem, read, copy;
    const char *path = test_path(&folder, "a.h5");
    draw_stack(&problem);
    assert_ok(nb_problem_write(path, &problem, NULL, &why));
    assert_ok(nb_problem_read(path, &read, &why));
    assert_ok(nb_problem_copy(&read, &copy, &why));
    same_drawing(&problem, &read);
    same_drawing(&problem, &copy);
    assert_int_equal(nb_contacts_placed(&read), FIRST);
}

TEST(damaged_drawings_are_refused)
{
    static const struct damage damages[] = {
        {"drawing/point", 4, NAN, "drawing/point"},
        {"drawing/frame", 8, INFINITY, "drawing/frame"},
        {"motion/velocity", 3, NAN, "motion/velocity"},
        {"motion/force", 0, INFINITY, "motion/force"},
    };
    struct nb_problem problem;
    assert_each_refused(draw_stack, damages, sizeof damages / sizeof *damages);
    draw_stack(&problem);
    problem.drawing.count = problem.linear.contacts + 1;
    free(problem.drawing.point);
    free(problem.drawing.body);
    free(problem.drawing.frame);
    nb_group_allocate(&problem, NB_DRAWING, problem.drawing.count, NULL);
    assert_problem_refused(&problem, "drawing/body", "the step has 8");
    draw_stack(&problem);
    problem.motion.count = 3;
    assert_problem_refused(&problem, "motion/velocity", "the step has 12");
    draw_stack(&problem);
    problem.shapes[1].body = 0;
    assert_problem_refused(&problem, "shapes/body", "1");
    draw_stack(&problem);
    problem.gravity[1] = NAN;
    assert_problem_refused(&problem, "gravity", "finite");
}

/* Blocks of one part among the whole, contact c of the part being contact at[c] there. */
static void same_part(const struct nb_linear_step *part, const struct nb_linear_step *whole, int dofs, const int *at)
{
    for (int i = 0; i < part->dofs; ++i) {
        assert_true(part->force[i] == whole->force[dofs + i]);
        assert_int_equal(whole->mass.start[dofs + i + 1] - whole->mass.start[dofs + i],
                         part->mass.start[i + 1] - part->mass.start[i]);
        for (int j = 0; j < part->dofs; ++j)
            assert_true(nb_csr_entry(&part->mass, i, j) == nb_csr_entry(&whole->mass, dofs + i, dofs + j));
    }
    for (int c = 0; c < part->contacts; ++c) {
        assert_true(part->friction[c] == whole->friction[at[c]]);
        for (int r = 0; r < 3; ++r) {
            const struct nb_csr *ours = &part->contact_jacobian, *all = &whole->contact_jacobian;
            const int row = 3 * c + r, there = 3 * at[c] + r;
            assert_true(part->contact_velocity[row] == whole->contact_velocity[there]);
            assert_int_equal(all->start[there + 1] - all->start[there], ours->start[row + 1] - ours->start[row]);
            for (int j = 0; j < part->dofs; ++j)
                assert_true(nb_csr_entry(ours, row, j) == nb_csr_entry(all, there, dofs + j));
        }
    }
}

/* Drawn contacts come first: of both parts, then the others of both. */
TEST(joined_steps_are_blocks)
{
    struct nb_problem part[2], whole;
    draw_stack(&part[0]);
    drawn(&part[1], "count=3", 2);
    assert_ok(nb_problem_join(part, 2, &whole, &why));
    assert_ok(nb_problem_validate(&whole, &why));
    const int contacts[2] = {part[0].linear.contacts, part[1].linear.contacts};
    int at[2][64];
    for (int k = 0, drawn_before = 0, others = 2 * FIRST; k < 2; ++k) {
        for (int c = 0; c < contacts[k]; ++c)
            at[k][c] = c < FIRST ? drawn_before++ : others++;
        same_part(&part[k].linear, &whole.linear, k * part[0].linear.dofs, at[k]);
    }
    assert_int_equal(whole.linear.contacts, contacts[0] + contacts[1]);
    assert_int_equal(whole.drawing.count, 2 * FIRST);
    assert_int_equal(whole.motion.count, whole.linear.dofs);
    assert_true(whole.motion.velocity[part[0].linear.dofs + 1] == 1 && whole.motion.force[whole.linear.dofs - 1] < 0);
    assert_int_equal(whole.shape_count, 3); /* one plane */
    assert_int_equal(whole.drawing.body[2 * FIRST], FIRST); /* bodies 0 to 2 are the first part's */
    const double shift = whole.shapes[2].position[0] - part[1].shapes[1].position[0];
    assert_true(shift >= 1); /* the balls' diameter */
    assert_true(whole.drawing.point[3 * FIRST] == part[1].drawing.point[0] + shift);
    for (int k = 0; k < 2; ++k)
        nb_problem_free(&part[k]);
    nb_problem_free(&whole);
}

TEST(other_steps_are_not_joined)
{
    struct nb_problem problem = {0}, whole;
    test_scene(&problem, "heavy_stack", (const char *const[]){"count=2", NULL});
    assert_refused(nb_problem_join(&problem, 1, &whole, &why), NB_UNSUPPORTED, "linear");
    nb_problem_free(&problem);
}

TEST(a_linear_step_is_repeated)
{
    enum { COPIES = 4 };
    struct nb_problem one, parts[COPIES], joined, many;
    draw_stack(&one);
    for (int k = 0; k < COPIES; ++k)
        parts[k] = one;
    assert_ok(nb_problem_repeat(&one, COPIES, &many, &why));
    assert_ok(nb_problem_join(parts, COPIES, &joined, &why));
    same_drawing(&joined, &many);
    assert_int_equal(many.linear.dofs, COPIES * one.linear.dofs);
    assert_int_equal(nb_problem_repeat(&one, 0, &parts[0], &why), NB_BAD_INPUT);
    assert_int_equal(nb_problem_repeat(&one, INT_MAX / 64, &parts[0], &why), NB_BAD_INPUT);
    one.drawing.body[1] = INT_MAX / 64 - 1;
    assert_ok(nb_problem_validate(&one, &why));
    assert_int_equal(nb_problem_repeat(&one, 2, &parts[0], &why), NB_UNSUPPORTED);
    static const int none[] = {-2, INT_MAX / 64, INT_MAX};
    for (int i = 0; i < 3; ++i) {
        one.drawing.body[1] = none[i];
        assert_refused(nb_problem_validate(&one, &why), NB_BAD_INPUT, "drawing/body");
    }
    nb_problem_free(&one);
    nb_problem_free(&many);
    nb_problem_free(&joined);
}

/* ncpbench scenes and export --settled as a user meets them. Runs build/ncpbench. */
#include "tests/support/program.h"

#include "problems/scene.h"
#include "problems/step.h"

/* The line of a scene in the table. */
static const char *row_of(const char *table, const char *scene)
{
    char start[64];
    snprintf(start, sizeof start, "\n%s ", scene);
    const char *row = strstr(table, start);
    if (!row)
        fail_msg("no row of %s in:\n%s", scene, table);
    return row + 1;
}

/* One row a scene, with the counts of the scene itself. */
TEST(the_table_counts_every_scene)
{
    OWNS(test_output_free) struct test_output output = run("scenes --table");
    assert_int_equal(output.code, 0);
    for (const struct nb_scene *const *scene = nb_scenes(); *scene; ++scene) {
        OWNS(nb_problem_free) struct nb_problem problem;
        int bodies, shapes, joints, tetrahedra, contacts, island;
        double step;
        assert_ok(nb_scene_create((*scene)->name, 0, NULL, &problem, &why));
        assert_ok(nb_step_prepare(&problem, &why));
        assert_int_equal(sscanf(row_of(output.out, (*scene)->name), "%*s %d %d %d %d %d %d %lf",
                                &bodies, &shapes, &joints, &tetrahedra, &contacts, &island, &step),
                         7);
        assert_int_equal(bodies, problem.bodies.count);
        assert_int_equal(shapes, problem.shape_count);
        assert_int_equal(joints, problem.joints.count);
        assert_int_equal(tetrahedra, problem.tetrahedra.count);
        assert_int_equal(contacts, problem.contacts.count);
        assert_in_range(island, 0, contacts);
        assert_true(step == problem.time_step);
    }
    test_contains(row_of(output.out, "arch"), "|       20       0       0       134      134       6      20");
    test_contains(row_of(output.out, "beam"), "|       42      42       0       300      300       6      50");
    test_contains(row_of(output.out, "leaning_capsule"), "|        -       -       -        11        -");
    test_contains(row_of(output.out, "heavy_stack"), "20       20   0.0083");
    test_contains(row_of(output.out, "table_pile"), "936      736       4      20");
}

TEST(a_scene_is_described)
{
    struct test_output output = run("scenes table_pile");
    assert_int_equal(output.code, 0);
    test_contains(output.out, "friction coefficient of all surfaces; 0 to 10 [0.7]");
    test_contains(output.out, "Macklin et al. 2019");
    assert_null(strstr(output.out, "heavy_stack"));
    test_output_free(&output);
    expect(run("scenes"), 0, "heavy_stack: Heavy stack", "");
    expect(run("scenes tablepile"), 2, "", "nearest: table_pile");
    expect(run("scenes arch --table"), 2, "", "takes no SCENE");
}

/* A box dropped by 2 cm lies still after its fall of 8 steps and 20 quiet ones. */
TEST(settled_stops_at_rest)
{
    const char *f = folder.path;
    struct test_output output = run("export box_on_plane --set gap=0.02 --settled -o %s/b.h5", f);
    int step = 0;
    assert_int_equal(output.code, 0);
    const char *at = strstr(output.err, "is at rest at step ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "is at rest at step %d", &step), 1);
    assert_in_range(step, 20, 40);
    test_output_free(&output);
    expect(run("info %s/b.h5", f), 0, "4 contacts", "");
}

/* A box that falls does not come to rest within the limit: the file is written, exit 1. */
TEST(settled_tells_what_it_did_not_reach)
{
    const char *f = folder.path;
    expect(run("export box_on_plane --set gap=90 --settled --step-limit 110 -o %s/f.h5", f), 1,
           "step 110", "is not at rest after 110 steps: largest speed");
    OWNS(test_output_free) struct test_output output = run("export box_on_plane --set gap=90 --step 110 -o %s/g.h5",
                                                           f);
    assert_int_equal(output.code, 0);
    assert_null(strstr(output.err, "rest"));
}

TEST(settled_refuses_nonsense)
{
    const char *f = folder.path;
    expect(run("export arch --settled --step 3 -o %s/x.h5", f), 2, "", "--step and --settled");
    expect(run("export arch --rest-speed 1 -o %s/x.h5", f), 2, "", "--rest-speed goes with --settled");
    expect(run("export arch --step-limit 9 -o %s/x.h5", f), 2, "", "--step-limit goes with --settled");
    expect(run("simulate arch --time 1 --steps 3"), 2, "", "--time and --steps cannot both be given");
    expect(run("export arch --settled --rest-speed 0 -o %s/x.h5", f), 2, "", "--rest-speed");
    expect(run("export arch --settled --step-limit 0 -o %s/x.h5", f), 2, "", "--step-limit");
}

/* A deformable step is described, and solved again from its file alone. */
TEST(a_deformable_step_is_described_and_solved)
{
    const char *f = folder.path;
    expect(run("export pneunet_finger -o %s/p.h5", f), 0, "pneunet_finger", "");
    expect(run("info %s/p.h5", f), 0, "750 co-rotational Hooke, 0 neo-Hookean", "");
    expect(run("solve %s/p.h5 --newton-iters 1 --linear cholesky --precond none", f), 0,
           "error of the elements' strains", "");
}

/* A picture takes a name and a size of its own; nothing else of a figure's options is for it. */
TEST(a_picture_has_a_name)
{
    const char *f = folder.path;
    if (system("command -v gnuplot >/dev/null"))
        skip();
    expect_ok(run("export beam -o %s/b.h5", f));
    expect_ok(run("plot figure14 %s/b.h5 -o %s/picture --format svg --name insertion --size 120x40", f, f));
    assert_int_equal(access(test_path(&folder, "picture/insertion_beam.svg"), R_OK), 0);
    expect_refusal(run("plot figure14 %s/b.h5 -o %s/picture --name insertion --where linear=pcr", f, f),
                   "not for it");
}

/* Gravity downwards that is none is 0, not -0. */
TEST(no_gravity_has_no_sign)
{
    const char *f = folder.path;
    expect_ok(run("export box_on_plane --set gravity=0 -o %s/n.h5", f));
    expect(run("info %s/n.h5", f), 0, "gravity      0 0 0 m/s^2", "");
}

FIXTURE(make_folder, remove_folder)

/* ncpbench import as a user meets it: models written, solved and drawn; what cannot be imported gets one line, leaves
 * no file and no log of MuJoCo's. */
#include "tests/support/program.h"

#include <fclib.h>
#include <math.h>
#include <sys/stat.h>

#include "problems/import/import.h"
#include "problems/io/problem_file.h"
#include "tests/problems/import_models.h"

FIXTURE(make_folder, remove_folder)

#ifndef NB_IMPORT
TEST(a_program_without_mujoco_says_so)
{
    const char *path = test_path(&folder, "a.h5");
    expect_refusal(run("import data/models/humanoid.xml -o %s", path), "libmujoco-dev");
    assert_int_not_equal(access(path, F_OK), 0);
    print_message("built without MuJoCo: import is not tested\n");
}
#else

/* Every model, read by libfclib, solved with a solution that libfclib reads, and drawn for ParaView. */
TEST(models_are_written_and_solved)
{
    for (int i = 0; i < IMPORT_MODELS; ++i) {
        const char *path = test_path(&folder, "a.h5"), *solved = test_path(&folder, "solved.h5");
        expect_ok(run("import %s --step %d -o %s", import_models[i].path, import_models[i].step, path));
        expect_ok(run("solve %s --tol 1e-6 -o %s --vtkhdf %s", path, solved, test_path(&folder, "a.vtkhdf")));
        struct fclib_global *theirs = fclib_read_global(solved);
        assert_non_null(theirs);
        struct fclib_solution *solution = fclib_read_solution(solved);
        assert_non_null(solution);
        fclib_delete_global(theirs);
        free(theirs);
        fclib_delete_solutions(solution, 1);
        expect_ok(run("judge %s --tol 1e-6", solved));
    }
}

TEST(what_is_lost_is_said)
{
    char path[160]; /* of its own: there are few rotating ones */
    snprintf(path, sizeof path, "%s", test_path(&folder, "cart.h5"));
    expect_says(run("import data/models/cart.xml --step 80 -o %s", path), "lose torsional friction",
                "lose rolling friction", "two coefficients of friction");
    expect_says(run("info %s", path), "without torsional, rolling", "rolling_dropped = 8", "MuJoCo 2.2");
    expect_says(run("import data/models/drawer.xml --step 100 -o %s", path),
                "joints and tendons that lose dry friction (frictionloss): 1");
    expect_says(run("import data/models/boxes.xml --step 20 --copies 2 --controls random -o %s", path), "no actuators",
                "all copies are equal");
    expect_says(run("import data/models/slider_crank.xml -o %s", path), "2 equality rows",
                "no velocity changes them: 1");
}

/* A puck on two slides whose place along z is `height`, on a table of 0.2 m: no slide has a part of the normal. */
static const char *puck(double height)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><worldbody>"
        "<geom name='table' type='box' size='1 1 .1' pos='0 0 .1'/><geom name='floor' type='plane' size='9 9 1'/>"
        "<body pos='0 0 %.17g'><joint type='slide' axis='1 0 0' damping='1'/><joint type='slide' axis='0 1 0'/>"
        "<geom name='puck' type='sphere' size='.1'/></body>"
        "<body pos='3 0 .055'><freejoint/><geom name='ball' type='sphere' size='.06'/></body></worldbody></mujoco>";
    FILE *file = fopen(test_path(&folder, "puck.xml"), "w");
    assert_non_null(file);
    fprintf(file, text, height);
    fclose(file);
    return test_path(&folder, "puck.xml");
}

/* 0.1 + 0.2 is not 0.3: what rounding makes of touching is left out; what overlaps is named, in the rest pose and as
 * hopeless, and left out on demand. */
TEST(contacts_that_nothing_moves)
{
    char path[160], model[160];
    snprintf(path, sizeof path, "%s", test_path(&folder, "puck.h5"));
    const double touching[] = {0.3, 0.1 + 0.2, nextafter(0.3, 0)};
    for (int k = 0; k < 3; ++k) {
        snprintf(model, sizeof model, "%s", puck(touching[k]));
        struct test_output output = run("import %s -o %s", model, path);
        assert_int_equal(output.code, 0);
        assert_null(strstr(output.out, "never"));
        test_output_free(&output);
        expect_says(run("solve %s --tol 1e-8 --floor no", path), "converged to --tol");
    }
    snprintf(model, sizeof model, "%s", puck(0.29));
    expect_says(run("import %s -o %s", model, path), "in the rest pose puck and table overlap by 0.01 m",
                "can never be met: puck and table, 0.01 m deep\n", "--drop-hopeless");
    expect_says(run("import %s -o %s --drop-hopeless", model, path), "as they can never be met (--drop-hopeless): ");
    expect_says(run("solve %s --tol 1e-8 --floor no", path), "converged to --tol");
}

static void refuse(const char *text, const char *options, const char *part)
{
    const char *model = test_path(&folder, "bad.xml"), *path = test_path(&folder, "bad.h5");
    test_write(model, text);
    expect_refusal(run("import %s -o %s %s", model, path, options), part);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* A box that can only slide has sunk in: four contacts that nothing moves. Beside it one that can be met. */
TEST(all_that_can_never_be_met_is_left_out)
{
    char path[160], model[160];
    snprintf(path, sizeof path, "%s", test_path(&folder, "sunk.h5"));
    snprintf(model, sizeof model, "%s", test_path(&folder, "sunk.xml"));
    test_write(model, "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/>"
                      "<body name='sunk' pos='0 0 .05'><joint type='slide' axis='1 0 0'/>"
                      "<geom type='box' size='.1 .1 .1'/></body>"
                      "<body pos='3 0 .1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
    expect_says(run("import %s -o %s", model, path), "contact 3 can never be met: floor and geom 0 of sunk, 0.05 m");
    expect(run("solve %s --tol 1e-6", path), 1, "infeasible", "");
    expect_says(run("import %s -o %s --drop-hopeless", model, path), "(--drop-hopeless): 4\n");
    expect_ok(run("solve %s --tol 1e-6", path));
    expect_says(run("info %s", path), "1 contact");
}

/* A ball on a plane that has come from elsewhere: the velocity of the step tells where it began. */
static double first_velocity(const char *path)
{
    struct nb_problem problem;
    assert_ok(nb_problem_read(path, &problem, &why));
    const double velocity = problem.motion.velocity[0];
    nb_problem_free(&problem);
    return velocity;
}

TEST(a_step_begins_at_a_key_frame)
{
    char path[160], model[160];
    snprintf(path, sizeof path, "%s", test_path(&folder, "roll.h5"));
    snprintf(model, sizeof model, "%s", test_path(&folder, "roll.xml"));
    test_write(model, "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
                      "<geom size='.1'/></body></worldbody><keyframe><key name='fast' qvel='3 0 0 0 0 0'/>"
                      "<key qpos='0 0 .1 1 0 0 0' qvel='-1 0 0 0 0 0'/></keyframe></mujoco>");
    expect_says(run("import %s -o %s", model, path), "does not begin at (--key NAME): fast, 1\n");
    assert_true(first_velocity(path) == 0);
    expect_says(run("import %s --key fast -o %s", model, path), "begins at the model's key frame fast\n");
    assert_true(first_velocity(path) == 3);
    expect_says(run("info %s", path), "roll.xml from its key frame fast by MuJoCo");
    expect_ok(run("import %s --key 1 --copies 2 -o %s", model, path));
    assert_true(first_velocity(path) == -1);
    expect_ok(run("import %s --key 0 -o %s", model, path));
    assert_true(first_velocity(path) == 3);
    expect_refusal(run("import %s --key slow -o %s", model, path), "no key frame \"slow\"; it has fast, 1");
    expect_refusal(run("import %s --key 2 -o %s", model, path), "no key frame \"2\"");
    expect_refusal(run("import data/models/cart.xml --key slow -o %s", path), "no key frame \"slow\": it has none");
}

/* A name that is a number is a name; where a list of names would be read as another it is quoted; a key frame may stand
 * in another file, and a name in any letters. */
TEST(key_frames_have_any_names)
{
    char path[160], model[160];
    snprintf(path, sizeof path, "%s", test_path(&folder, "names.h5"));
    snprintf(model, sizeof model, "%s", test_path(&folder, "names.xml"));
    test_write(test_path(&folder, "keys.xml"), "<mujoco><keyframe><key qvel='1 0 0 0 0 0'/>"
                                               "<key name='0' qvel='2 0 0 0 0 0'/><key name='a, b' qvel='3 0 0 0 0 0'/>"
                                               "<key name='n\u00fc' qvel='4 0 0 0 0 0'/></keyframe></mujoco>");
    test_write(model, "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
                      "<geom size='.1'/></body></worldbody><include file='keys.xml'/></mujoco>");
    expect_says(run("import %s -o %s", model, path), "(--key NAME): 0, 0, \"a, b\", n\u00fc\n");
    const struct {
        const char *key;
        double velocity;
    } keys[] = {{"0", 2}, {"1", 2}, {"a, b", 3}, {"n\u00fc", 4}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        expect_ok(run("import %s --key '%s' -o %s", model, keys[k].key, path));
        assert_true(first_velocity(path) == keys[k].velocity);
    }
}

TEST(a_converted_step_keeps_its_velocities)
{
    char ours[160], model[160];
    snprintf(ours, sizeof ours, "%s", test_path(&folder, "slide.h5"));
    snprintf(model, sizeof model, "%s", test_path(&folder, "slide.xml"));
    expect_ok(run("export sliding_box -o %s", ours));
    expect_ok(run("convert %s %s", ours, model));
    struct nb_problem problem;
    assert_ok(nb_problem_read(ours, &problem, &why));
    const double velocity = problem.bodies.velocity[0];
    nb_problem_free(&problem);
    assert_true(velocity != 0);
    expect_says(run("import %s -o %s", model, ours), "begins at the model's key frame start");
    assert_true(fabs(first_velocity(ours) - velocity) <= 1e-12 * fabs(velocity));
}

/* With implicitfast, in the model or in an included file of an included file, to the bits as with implicit; and a step
 * is not of its integrator, only the state is. */
TEST(a_newer_integrator_is_brought_down)
{
    static const char form[] = "<mujoco model='m'>%s<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .1' "
                               "euler='3 4 0'><freejoint/><geom type='box' size='.1 .2 .1'/><body pos='.2 0 .1'>"
                               "<joint axis='0 1 0' damping='2' range='-90 90'/><geom size='.05'/></body></body>"
                               "</worldbody></mujoco>";
    static const char *const options[] = {"<option integrator=\"implicitfast\"/><!-- implicitfast' -->",
                                          "<include file='one.xml'/>", "<option integrator='implicit'/>",
                                          "<option integrator='Euler'/>"};
    enum { KINDS = sizeof options / sizeof *options };
    static const int steps[] = {30, 0};
    char model[160], path[160];
    snprintf(model, sizeof model, "%s", test_path(&folder, "newer.xml"));
    snprintf(path, sizeof path, "%s", test_path(&folder, "newer.h5"));
    test_write(test_path(&folder, "one.xml"), "<mujoco><include file='two.xml'/></mujoco>");
    test_write(test_path(&folder, "two.xml"), "<mujoco><option integrator='implicitfast'/></mujoco>");
    for (int at = 0; at < 2; ++at) {
        struct nb_problem problem[KINDS];
        for (int kind = 0; kind < KINDS; ++kind) {
            char text[1024];
            snprintf(text, sizeof text, form, options[kind]);
            test_write(model, text);
            OWNS(test_output_free)
            struct test_output output = run("import %s --step %d -o %s", model, steps[at], path);
            assert_int_equal(output.code, 0);
            assert_int_equal(strstr(output.err, "integrator=\"implicit\" for \"implicitfast\"") != NULL, kind < 2);
            assert_ok(nb_problem_read(path, &problem[kind], &why));
            assert_int_equal(problem[kind].linear.contacts, problem[0].linear.contacts);
        }
        const size_t rows = 3 * (size_t)problem[0].linear.contacts;
        const double *ours = problem[0].linear.contact_velocity;
        assert_true(rows > 0);
        for (int kind = 1; kind < KINDS; ++kind)
            assert_int_equal(memcmp(ours, problem[kind].linear.contact_velocity, rows * sizeof *ours) == 0,
                             kind < 3 || steps[at] == 0);
        for (int kind = 0; kind < KINDS; ++kind)
            nb_problem_free(&problem[kind]);
    }
    refuse("<mujoco><option integrator='fastest'/></mujoco>", "", "invalid keyword");
}

TEST(a_newer_model_is_understood)
{
    static const char door[] = "if that is a word of MuJoCo 3, Python makes the step, where it has mujoco: "
                               "python3 -m ncpbench_mujoco MODEL --step N -o FILE.h5";
    refuse("<mujoco><option integrator='implicitfast'/><worldbody><body gravcomp='1'/></worldbody></mujoco>", "", door);
    refuse("<mujoco><worldbody><body gravcomp='1'/></worldbody></mujoco>", "", door);
    refuse("<mujoco><worldbody><body gravcomp='1'/></worldbody></mujoco>", "", nb_import_version());
    char changed[64];
    snprintf(changed, sizeof changed, "(MuJoCo %s: read with integrator=", nb_import_version());
    refuse("<mujoco><option integrator='implicitfast'/><worldbody><body><freejoint/><geom size='1'/></body></worldbody>"
           "</mujoco>", "", changed);
}

/* A range that does not say whether it limits, behind comments and in an included file: as with `limited`. */
TEST(a_range_limits_by_itself)
{
    static const char form[] = "%s<mujoco model='m'>%s<worldbody><body><joint name='a' type='slide' axis='0 0 1' "
                               "%srange='0.1 1'/><geom size='1'/>%s</body></worldbody></mujoco>";
    const char *model = test_path(&folder, "range.xml"), *path = test_path(&folder, "range.h5");
    char text[1024];
    test_write(test_path(&folder, "joint.xml"), "<mujoco><body><joint type='slide' axis='1 0 0' range='0.1 2'/>"
                                                "<geom size='1' pos='9 9 9'/></body></mujoco>");
    for (int said = 0; said < 2; ++said) {
        struct nb_problem problem;
        snprintf(text, sizeof text, form, "<!-- <mujoco> --><!-- > -->", "<compiler angle='radian'/>",
                 said ? "limited='true' " : "", said ? "" : "<include file='joint.xml'/>");
        test_write(model, text);
        OWNS(test_output_free)
        struct test_output output = run("import %s -o %s", model, path);
        assert_int_equal(output.code, 0);
        assert_int_equal(strstr(output.err, "read with <compiler autolimits=\"true\"/> added") != NULL, !said);
        assert_ok(nb_problem_read(path, &problem, &why));
        assert_int_equal(problem.linear.contacts, said ? 1 : 2);
        assert_true(fabs(problem.linear.contact_velocity[0] + 0.1 / problem.time_step) < 1e-9);
        nb_problem_free(&problem);
    }
    refuse("<mujoco><worldbody><body gravcomp='1'><joint range='0 1'/><geom size='1'/></body></worldbody></mujoco>", "",
           "gravcomp");
}

TEST(a_picture_has_shapes_and_forces)
{
    const char *path = test_path(&folder, "boxes.h5"), *solved = test_path(&folder, "boxes-solved.h5");
    if (system("command -v gnuplot >/dev/null"))
        skip();
    expect_ok(run("import data/models/boxes.xml --step 100 -o %s", path));
    expect_ok(run("solve %s --tol 1e-6 -o %s", path, solved));
    expect_ok(run("plot figure14 %s -o %s --format svg", solved, folder.path));
    OWNS(free_at) char *data = test_slurp(test_path(&folder, "figure14_boxes.dat"));
    const char *forces = strstr(data, "# forces");
    assert_non_null(forces);
    int arrows = 0;
    for (const char *line = strchr(forces, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
        arrows += strncmp(line + 1, "NaN", 3) != 0;
    assert_true(arrows > 5);
}

TEST(bad_models_are_refused)
{
    refuse("This is no model.", "", "which reads models here, does not read it");
    refuse("", "", "which reads models here, does not read it");
    refuse("<mujoco><worldbody><wheel/></worldbody></mujoco>", "", "unrecognized");
    refuse("<mujoco><asset><mesh file='gone.stl'/></asset><worldbody><body><joint/><geom type='mesh' mesh='gone'/>"
           "</body></worldbody></mujoco>",
           "", "gone.stl");
    refuse("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", "", "nothing in it can move");
    refuse("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>", "", "nothing touches");
    refuse("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1.01'><freejoint/><geom size='1'/>"
           "</body></worldbody></mujoco>",
           "", "at step 23 something is: --step 23");
    refuse("<mujoco><option timestep='0.1'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'>"
           "<joint type='hinge' axis='0 1 0' stiffness='1e9'/><geom size='0.1' pos='1 0 0'/></body></worldbody>"
           "</mujoco>",
           "--step 5", "diverges at step 2");
    refuse("<mujoco><size nconmax='1' njmax='10'/><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/>"
           "<geom type='box' size='1 1 1'/></body></worldbody></mujoco>",
           "", "<size nconmax> than 1");
    /* A joint of a kind that there is none of ends MuJoCo 2.2.2, by a signal, which a sanitizer is to leave alone. */
    setenv("ASAN_OPTIONS", "handle_segv=0", 1);
    refuse("<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
           "iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' type='wheel'><parent link='a'/><child link='b'/>"
           "</joint></robot>", "", "bad.xml: MuJoCo");
    unsetenv("ASAN_OPTIONS");
    expect_refusal(run("import %s -o %s", test_path(&folder, "gone.xml"), test_path(&folder, "a.h5")), "No such file");
    expect_refusal(run("import %s -o %s", folder.path, test_path(&folder, "a.h5")), "directory");
    expect_refusal(run("import data/models/cart.xml"), "-o FILE.h5 is missing");
    expect_refusal(run("import data/models/cart.xml --seed 1 -o %s", test_path(&folder, "a.h5")), "--controls random");
    assert_int_not_equal(access("MUJOCO_LOG.TXT", F_OK), 0);
}

/* What never ends, and what asks for more than there is; the same models are read where they may have more. */
TEST(reading_a_model_is_limited_in_time_and_memory)
{
    char part[160], most[200];
    snprintf(part, sizeof part, "%s", test_path(&folder, "part.xml"));
    assert_int_equal(mkfifo(part, 0600), 0);
    refuse("<mujoco><include file='part.xml'/></mujoco>", "--time-limit 1", "is not read within 1 s: --time-limit");
    unlink(part);
    if (strstr(getenv("BUILD") ? getenv("BUILD") : "", "asan"))
        return; /* its shadow memory is beyond any limit */
    static const char *const asks[] = {"<size nkey='2000000000'/>", "<size nuser_body='2000000000'/>"};
    for (int k = 0; k < 2; ++k) {
        snprintf(most, sizeof most, "<mujoco>%s<worldbody><body><freejoint/><geom/></body></worldbody></mujoco>",
                 asks[k]);
        refuse(most, "--memory-limit 300", "bad.xml: ");
    }
}

/* That it said a step at which something touches is true. */
TEST(the_step_that_is_named_is_one)
{
    const char *model = test_path(&folder, "fall.xml"), *path = test_path(&folder, "fall.h5");
    test_write(model, "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1.01'><freejoint/>"
                      "<geom size='1'/></body></worldbody></mujoco>");
    expect_says(run("import %s -o %s --step 23", model, path), "1 contacts");
    expect_refusal(run("import %s -o %s --step 22", model, test_path(&folder, "early.h5")), "--step 23");
}
#endif

/* What the command line makes of a nonlinear method's name. Runs build/ncpbench. */
#include "tests/support/program.h"

#include <hdf5.h>

static int set_up(void **state)
{
    make_folder(state);
    expect_ok(run("export heavy_stack -o %s/stack.h5 --newton-systems", folder.path));
    expect_ok(run("export box_on_plane -o %s/box.h5", folder.path));
    return 0;
}

TEST(options_that_the_method_does_not_read_are_refused)
{
    const char *f = folder.path;
    expect_refusal(run("solve %s/box.h5 --solver apgd --ncp fb", f), "--ncp is an option of newton");
    expect_refusal(run("solve %s/box.h5 --linear-iters 9 --solver nsgs:order=symmetric", f),
                   "\"nsgs:order=symmetric\"");
    expect_refusal(run("simulate box_on_plane --solver proximal_newton --precond none"), "--precond");
    expect_ok(run("solve %s/box.h5 --solver newton --ncp fb", f));
    expect_ok(run("solve %s/box.h5 --ncp fb", f));
    expect_ok(run("solve %s/box.h5 --solver apgd --precision f32 --newton-iters 5", f));
}

/* Where there is no card the run itself says so, with the name of the device's version. */
TEST(a_backend_is_the_versions_of_the_device)
{
    const char *f = folder.path;
    expect_ok(run("solve %s/box.h5 --backend cpu --solver nsgs", f));
    expect_refusal(run("solve %s/box.h5 --backend gpu", f), "nearest: cuda");
    struct test_output output = run("list solver");
    const int built = strstr(output.out, "cuda_newton") != NULL;
    test_output_free(&output);
    if (!built) {
        expect_refusal(run("solve %s/box.h5 --backend cuda", f), "built without CUDA");
        return;
    }
    expect_refusal(run("solve %s/box.h5 --backend cuda --solver nsgs", f),
                   "the solver \"nsgs\" has no version for a device; known: cuda_newton");
    expect_refusal(run("linear %s/stack.h5 --backend cuda --linear minres", f), "cuda_pcr");
    expect_refusal(run("solve %s/box.h5 --backend cuda --ncp fb --linear minres", f),
                   "cuda_newton has the linear solvers");
}

/* A preconditioner that nothing would read is no comparison. */
TEST(a_preconditioner_for_a_linear_solver_without_one_is_refused)
{
    const char *f = folder.path;
    expect_refusal(run("solve %s/box.h5 --linear gauss_seidel --precond jacobi", f),
                   "--precond: the linear solver \"gauss_seidel\" takes no preconditioner");
    expect_refusal(run("solve %s/box.h5 --precond fsai:neighbours=3 --linear cholesky", f),
                   "\"fsai:neighbours=3\"");
    expect_refusal(run("linear %s/stack.h5 --linear ldlt --precond ic0", f), "--precond");
    expect_refusal(run("simulate box_on_plane --linear sor:omega=1.2 --precond ic0"), "\"sor:omega=1.2\"");
    expect_ok(run("solve %s/box.h5 --linear gauss_seidel --precond none", f));
    expect_ok(run("solve %s/box.h5 --linear gauss_seidel", f));
    expect_ok(run("solve %s/box.h5 --linear pcg --precond ic0", f));
}

TEST(the_text_says_what_ran)
{
    const char *f = folder.path;
    expect_says(run("solve %s/box.h5", f), "\nmethod       solver proximal_newton, precision f64\n");
    expect_says(run("solve %s/box.h5 --ncp min --precision f32", f),
                "\nmethod       solver newton, ncp min, scaling mass, newton-form scaled, operator assembled, "
                "linear pcr, precond jacobi, precision f32\n");
    expect_says(run("solve %s/box.h5 --linear cholesky:islands=yes", f),
                "linear cholesky:islands=yes, precond none, precision f64\n");
    expect_says(run("linear %s/stack.h5 --linear pcg:tol=1e-9 --precond ic0", f),
                "\nmethod       linear pcg:tol=1e-9, precond ic0, precision f64\n");
}

/* As for --tol of a step. */
TEST(a_linear_tolerance_that_is_not_reached_is_told)
{
    const char *f = folder.path;
    expect(run("linear %s/stack.h5 --linear gauss_seidel:tol=1e-8 --linear-iters 7", f), 1,
           "ended        iteration_limit", "");
    expect_ok(run("linear %s/stack.h5 --linear gauss_seidel:tol=0 --linear-iters 7", f));
    expect_ok(run("linear %s/stack.h5 --linear pcr:tol=1e-8 --linear-iters 200", f));
}

TEST(a_matrix_that_the_linear_solver_cannot_take_is_named)
{
    test_write(test_path(&folder, "negative.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n"
                                                   "2 2 3\n1 1 2\n2 1 0.5\n2 2 -2\n");
    expect(run("linear --matrix %s/negative.mtx --linear pcr", folder.path), 1,
           "breakdown: diagonal entry 1 of the operator is -2, must be above 0\n", "");
    expect_ok(run("linear --matrix %s/negative.mtx --linear dense_ldlt", folder.path));
}

/* The second differences of a row of springs without an end: rows add up to 0, and the last pivot is 0. */
TEST(a_factor_that_breaks_down_is_a_result)
{
    FILE *file = test_open(test_path(&folder, "chain.mtx"), "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n12 12 23\n");
    for (int i = 1; i <= 12; ++i)
        fprintf(file, "%d %d %d\n", i, i, i == 1 || i == 12 ? 1 : 2);
    for (int i = 1; i < 12; ++i)
        fprintf(file, "%d %d -1\n", i + 1, i);
    fclose(file);
    expect(run("linear --matrix %s/chain.mtx --linear ldlt --shift 0 --json", folder.path), 1,
           "\"ending\":\"breakdown\",\"detail\":\"L D L^T failed: zero pivot at row 11 of 12\"", "");
    expect(run("linear --matrix %s/chain.mtx --linear ldlt --shift 0", folder.path), 1, "not usable: breakdown", "");
}

TEST(ranges_are_told_whole)
{
    const char *path = test_path(&folder, "planted.h5");
    expect_refusal(run("generate -o %s --condition 1e16", path), "1e16 is out of range; allowed: 1 to 1000000000000");
    expect_says(run("generate --help"), "1e+12 [100]");
    expect_ok(run("generate -o %s --condition 1e12", path));
}

/* Of iterations, where the command names none: a first-order method's, Newton's. */
TEST(methods_have_limits_of_their_own)
{
    static const struct { const char *solver, *last, *beyond; } cases[] = {
        {"projected_gradient", "\n 1000  ", "\n 1001  "}, {"newton", "\n   30  ", "\n   31  "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        OWNS(test_output_free) struct test_output output = run("solve %s/stack.h5 --floor no --solver %s",
                                                               folder.path, cases[i].solver);
        assert_int_equal(output.code, 0);
        test_contains(output.out, cases[i].last);
        assert_null(strstr(output.out, cases[i].beyond));
    }
}

/* A sweep makes one case of an axis that the method does not read, and says so. */
TEST(sweeps_tell_what_they_merge)
{
    static const struct { const char *solvers, *says; } cases[] = {
        {"newton, proximal_newton", "merged: 4 combinations are 3 cases"}, {"newton", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char spec[256];
        snprintf(spec, sizeof spec, "[sweep]\nname = s\n[group a]\nproblem = box.h5\nsolver = %s\n"
                 "scaling = mass, timestep\nnewton_iters = 2\n", cases[i].solvers);
        test_write(test_path(&folder, "s.sweep"), spec);
        OWNS(test_output_free) struct test_output output = run("sweep %s/s.sweep -o %s/%zu.jsonl", folder.path,
                                                               folder.path, i);
        assert_int_equal(output.code, 0);
        if (cases[i].says)
            test_contains(output.err, cases[i].says);
        else
            assert_null(strstr(output.err, "merged"));
    }
}

/* The attribute of the group of Newton systems, up to 1023 characters. */
static void read_settings(const char *name, char *text)
{
    const hid_t file = H5Fopen(test_path(&folder, name), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute =
        H5Aopen_by_name(file, "newton_systems", "settings", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    memset(text, 0, 1024);
    assert_true(H5Tget_size(type) < 1024);
    assert_true(H5Aread(attribute, type, text) >= 0);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Fclose(file);
}

/* Of one step's systems those with rows of the axes and those without differ in size. */
TEST(stored_systems_name_the_method_that_made_them)
{
    char text[1024];
    const char *f = folder.path;
    read_settings("stack.h5", text);
    assert_ptr_equal(strstr(text, "solver=newton ncp=fb "), text);
    expect_ok(run("export material_extension -o %s/soft.h5 --newton-systems --system 0 "
                  "--set cells=2 --set cells_across=1 --solver newton:geometric_stiffness=none", f));
    read_settings("soft.h5", text);
    assert_ptr_equal(strstr(text, "solver=newton:geometric_stiffness=none ncp=fb "), text);
}

/* Broyden's diagonal belongs to two iterates: a system with M in its place is not the one that is solved. */
TEST(systems_that_no_iterate_has_alone_are_refused)
{
    const char *f = folder.path, *method = "--solver newton:geometric_stiffness=diagonal";
    expect_refusal(run("export material_extension -o %s/none.h5 --newton-systems --set cells=2 "
                       "--set cells_across=1 %s", f, method), "made from the step before");
    assert_int_equal(access(test_path(&folder, "none.h5"), F_OK), -1);
    expect_ok(run("export box_on_plane -o %s/rigid.h5 --newton-systems %s", f, method));
}

/* Velocities of 0.08 m/s cancel to 2e-15 in redundant contacts at rest: no solver here has it better. */
TEST(a_linear_step_at_rest_ends_at_its_floor)
{
    expect_ok(run("export house_of_cards --step 5 -o %s/cards.h5", folder.path));
    expect_says(run("solve %s/cards.h5 --linearized", folder.path), "ended        accuracy_floor");
}

/* 4874 rows of elements beside small forces: 3e-13 is the natural map's floor, which kkt reaches; this is 6e-13. */
FULL_TEST(a_soft_step_ends_at_its_floor)
{
    expect_ok(run("export pneunet_finger --step 3 -o %s/soft.h5", folder.path));
    expect_says(run("solve %s/soft.h5 --floor yes", folder.path), "ended        accuracy_floor");
}

/* Over 1e-6 s rounding of positions is 1e-11 m/s, beside impulses of 1e-8 N s: a large natural map, and the floor. */
TEST(a_tiny_time_step_ends_at_its_floor)
{
    expect_ok(run("export material_extension --set time_step=1e-6 --set cells=2 --set cells_across=1 --step 3 "
                  "-o %s/tiny.h5", folder.path));
    expect_says(run("solve %s/tiny.h5", folder.path), "ended        accuracy_floor");
}

FIXTURE(set_up, remove_folder)

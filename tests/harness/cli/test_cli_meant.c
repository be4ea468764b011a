/* What people type instead of our names is answered with what they mean, in one line, and never taken for it. */
#include "tests/support/program.h"

struct typed {
    const char *command, *meant;
};

static void expect_meant(const struct typed *typed, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        expect_refusal(run("%s", typed[i].command), typed[i].meant);
}

#define EXPECT_MEANT(...)                                   \
    do {                                                    \
        const struct typed typed[] = {__VA_ARGS__};         \
        expect_meant(typed, sizeof typed / sizeof *typed);  \
    } while (0)

TEST(options_by_other_words)
{
    EXPECT_MEANT({"solve f.h5 --tolerance 1e-6", "nearest: --tol X\n"},
                 {"solve f.h5 --iterations 9", "nearest: --newton-iters N or --linear-iters M\n"},
                 {"solve f.h5 --max_iter=9", "nearest: --newton-iters N or --linear-iters M\n"},
                 {"solve f.h5 --preconditioner=jacobi", "nearest: --precond NAME\n"},
                 {"solve f.h5 --output-file g.h5", "nearest: --output OUT.h5\n"},
                 {"solve f.h5 --method nsgs", "nearest: --solver NAME\n"},
                 {"sweep f.sweep --parallel 2", "nearest: --jobs N\n"},
                 {"sweep f.sweep --plugins x.so", "nearest: --plugin NAME.so\n"});
}

TEST(options_in_another_case_or_with_other_dashes)
{
    EXPECT_MEANT({"solve f.h5 --NCP fb", "nearest: --ncp NAME\n"},
                 {"solve f.h5 --newton_iters 3", "nearest: --newton-iters N\n"},
                 {"solve f.h5 -tol 1e-3", "nearest: --tol X\n"}, {"solve f.h5 -help", "nearest: --help\n"},
                 {"solve f.h5 --prec f32", "nearest: --precond NAME or --precision NAME\n"});
}

TEST(settings_and_names_given_as_options)
{
    EXPECT_MEANT({"export arch --friction 0.3", "nearest: --set friction=0.3\n"},
                 {"export --mu=0.3 arch", "nearest: --set friction=0.3\n"},
                 {"simulate arch --dt 0.01", "nearest: --set time_step=0.01\n"},
                 {"linear f.h5 --tol 1e-8", "nearest: --linear pcr:tol=1e-8\n"},
                 {"linear f.h5 --tolerance 1e-8 --linear pcg", "nearest: --linear pcg:tol=1e-8\n"},
                 {"linear f.h5 --pcg", "nearest: --linear pcg\n"},
                 {"solve f.h5 --jacobi", "nearest: --linear jacobi or --precond jacobi\n"});
}

TEST(values_by_other_words)
{
    EXPECT_MEANT({"solve f.h5 --precision float32", "nearest: f32\n"},
                 {"solve f.h5 --precision fp32", "nearest: f32\n"},
                 {"solve f.h5 --precision single", "nearest: f32\n"},
                 {"solve f.h5 --precision double", "nearest: f64\n"},
                 {"solve f.h5 --precision Float64", "nearest: f64\n"}, {"solve f.h5 --linear PCG", "nearest: pcg; "},
                 {"solve f.h5 --linear pcg:IN=f32", "nearest: in\n"},
                 {"linear f.h5 --linear pcg:in=half", "nearest: f16\n"},
                 {"solve f.h5 --precond block-jacobi", "nearest: block_jacobi; "},
                 {"solve f.h5 --ncp fischer-burmeister", "nearest: fb; "},
                 {"solve f.h5 --backend GPU", "nearest: cuda\n"}, {"simulate Heavy-Stack", "nearest: heavy_stack\n"},
                 {"plot 18 r.jsonl", "nearest: figure18;"}, {"plot Figure18 r.jsonl", "nearest: figure18;"},
                 {"plot fig18 r.jsonl", "nearest: figure18;"}, {"plot fig18", "nearest: figure18;"},
                 {"plot figure18", "RESULTS.jsonl or FILE.h5 is missing; usage: ncpbench plot FIGURE "});
    expect_refusal(run("export arch -o %s/x.h5 --set Friction=0.3", folder.path), "nearest: friction\n");
    expect_refusal(run("export arch friction=0.3 -o %s/x.h5", folder.path), "nearest: --set friction=0.3\n");
}

TEST(what_is_near_to_nothing_is_answered_with_all)
{
    EXPECT_MEANT({"solve f.h5 --frobnicate", "known: --solver, --ncp,"},
                 {"solve f.h5 --precision quad", "known: f32, f32_sums, f64\n"},
                 {"frobnicate", "known: list, scenes,"});
}

TEST(commands_by_other_words)
{
    EXPECT_MEANT({"Solve f.h5", "nearest: solve\n"}, {"run f.h5", "nearest: solve\n"},
                 {"help sovle", "unknown command \"sovle\"; nearest: solve\n"}, {"sovle help", "nearest: solve\n"},
                 {"version", "nearest: --version; known: list"});
}

TEST(help_is_found_before_and_behind_a_command)
{
    expect_says(run("help"), "usage: ncpbench COMMAND");
    expect_says(run("-h"), "usage: ncpbench COMMAND");
    expect_says(run("help sweep"), "usage: ncpbench sweep SPEC");
    expect_says(run("sweep help"), "usage: ncpbench sweep SPEC");
    expect_says(run("sweep -h"), "usage: ncpbench sweep SPEC");
}

TEST(help_finds_what_has_to_do_with_a_word)
{
    expect_says(run("help tolerance"), "ncpbench solve         --tol X\n",
                "ncpbench linear        --linear pcr:tol=VALUE\n");
    expect_says(run("help friction"), "ncpbench export        --set friction=VALUE\n");
    expect_says(run("help Float32"), "ncpbench solve         --precision f32\n");
    expect_says(run("help gpu"), "ncpbench solve         --backend cuda\n");
    expect_says(run("help 18"), "ncpbench plot          figure18\n");
    expect_says(run("help heavy-stack"), "ncpbench export        heavy_stack\n");
    expect_refusal(run("help frobnicate"), "unknown command \"frobnicate\"; known: list");
}

TEST(an_option_given_twice_is_refused)
{
    EXPECT_MEANT({"solve f.h5 --tol 1e-3 --tol=1e-6", "--tol is given twice"},
                 {"solve f.h5 -o a.h5 --output b.h5", "--output is given twice"},
                 {"solve f.h5 --json --json", "--json is given twice"});
    expect_ok(run("export arch -o %s/twice.h5 --set friction=0.5 --set margin=0.001", folder.path));
    expect_refusal(run("export arch -o %s/x.h5 --set friction=0.5 --set friction=0.6", folder.path),
                   "friction is set twice");
}

FIXTURE(make_folder, remove_folder)

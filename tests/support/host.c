/* A host program of libncpbench.so, with a locale, signal handlers, BLAS threads and an HDF5 handler of its own:
 *
 *     host FOLDER FILE...      solves each problem alone, then all at once in a thread each, three times
 *
 * It says "same" where every thread's bits are those of the problem solved alone and nothing of the host changed, or
 * what differs; into FOLDER it writes and reads what holds numbers as text. */
#include <cblas.h>
#include <hdf5.h>
#include <locale.h>
#include <ncpbench.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 8,
       REPEATS = 3,
       BLAS_THREADS = 2 };

struct job {
    const char *path;
    double *u, *lambda;
    int dofs, multipliers;
    struct nb_metrics metrics;
    struct nb_error error;
    enum nb_status status;
};

/* Reads, solves, judges and writes, as any thread of a host would. */
static void *solve(void *context)
{
    struct job *job = context;
    struct nb_problem problem = {0};
    struct nb_solver *solver = NULL;
    struct nb_judge *judge = NULL;
    struct nb_options options = nb_options_default();
    struct nb_run run;
    job->status = nb_problem_read(job->path, &problem, &job->error);
    if (!job->status)
        job->status = nb_solver_create(&solver, &problem, &options, &job->error);
    if (!job->status)
        job->status = nb_solver_run(solver, nb_options_iterations(&options), NULL, &run, &job->error);
    if (!job->status)
        job->status = nb_judge_create(&judge, &problem, &job->error);
    if (!job->status) {
        job->dofs = nb_problem_dofs(&problem);
        job->multipliers = nb_problem_multipliers(&problem);
        job->u = calloc((size_t)job->dofs + 1, sizeof *job->u);
        job->lambda = calloc((size_t)job->multipliers + 1, sizeof *job->lambda);
        nb_solver_solution(solver, job->u, job->lambda);
        nb_judge_evaluate(judge, job->u, job->lambda, &job->metrics);
    }
    nb_judge_free(judge);
    nb_solver_free(solver);
    nb_problem_free(&problem);
    return NULL;
}

static int same(const struct job *a, const struct job *b)
{
    return !a->status && !b->status && a->dofs == b->dofs && a->multipliers == b->multipliers &&
           !memcmp(a->u, b->u, (size_t)a->dofs * sizeof *a->u) &&
           !memcmp(a->lambda, b->lambda, (size_t)a->multipliers * sizeof *a->lambda) &&
           !memcmp(&a->metrics, &b->metrics, sizeof a->metrics);
}

static void forget(struct job *job)
{
    free(job->u);
    free(job->lambda);
}

/* All files in a thread each; how many came out otherwise than alone. */
static int solve_together(const struct job *alone, int count)
{
    struct job jobs[FILES];
    pthread_t threads[FILES];
    int differ = 0;
    for (int i = 0; i < count; ++i) {
        jobs[i] = (struct job){.path = alone[i].path};
        if (pthread_create(&threads[i], NULL, solve, &jobs[i]))
            exit(3);
    }
    for (int i = 0; i < count; ++i) {
        pthread_join(threads[i], NULL);
        if (!same(&alone[i], &jobs[i]))
            differ += printf("%s: other bits in a thread (%s)\n", jobs[i].path, jobs[i].error.text) > 0;
        forget(&jobs[i]);
    }
    return differ;
}

/* Threads of BLAS at work while others read: OpenBLAS takes a fork ill then. */
static void *multiply(void *context)
{
    enum { N = 300 };
    double *a = calloc(3 * N * N, sizeof *a);
    while (a && !atomic_load((atomic_int *)context))
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, a + N * N, N, 0, a + 2 * N * N, N);
    free(a);
    return NULL;
}

static int threads_differ(char **paths, int count)
{
    struct job alone[FILES] = {0};
    int differ = 0;
    for (int i = 0; i < count; ++i) {
        alone[i].path = paths[i];
        solve(&alone[i]);
        if (alone[i].status || !(alone[i].metrics.step_error < 1e-8))
            differ += printf("%s: error %g %s\n", paths[i], alone[i].metrics.step_error, alone[i].error.text) > 0;
    }
    atomic_int enough = 0;
    pthread_t busy;
    if (pthread_create(&busy, NULL, multiply, &enough))
        exit(3);
    for (int k = 0; k < REPEATS; ++k)
        differ += solve_together(alone, count);
    atomic_store(&enough, 1);
    pthread_join(busy, NULL);
    for (int i = 0; i < count; ++i)
        forget(&alone[i]);
    return differ;
}

/* What has numbers as text: settings of a scene and of a solver, problem files, Matrix Market text. */
static int text_differs(const char *folder)
{
    static const char *const settings[] = {"friction=0.25"};
    const int row[] = {0, 1, 2}, column[] = {0, 1, 2};
    const double value[] = {2.5, 0.125, 3.75};
    char step[500], matrix[500];
    struct nb_problem problem = {0};
    struct nb_solver *solver = NULL;
    struct nb_options options = nb_options_default();
    struct nb_newton_system system = {0};
    struct nb_csr csr = {0};
    struct nb_error error = {""};
    options.solver = "pgs:relaxation=1.25";
    snprintf(step, sizeof step, "%s/step.h5", folder);
    snprintf(matrix, sizeof matrix, "%s/a.mtx", folder);
    const int bad = nb_scene_create("box_on_plane", 1, settings, &problem, &error) ||
                    nb_problem_parameter(&problem, "friction", 0) != 0.25 ||
                    nb_simulate(&problem, 1, &options, NULL, NULL, &error) ||
                    nb_problem_write(step, &problem, NULL, &error) ||
                    nb_solver_create(&solver, &problem, &options, &error) ||
                    nb_csr_from_triplets(&csr, 3, 3, 3, row, column, value, &error) ||
                    nb_matrix_market_write(matrix, &csr, &error) ||
                    nb_matrix_market_read(matrix, NULL, &system, &error) ||
                    nb_csr_entry(&system.schur, 0, 0) != 2.5;
    nb_newton_system_free(&system);
    nb_csr_free(&csr);
    nb_solver_free(solver);
    nb_problem_free(&problem);
    return bad ? printf("numbers as text: %s\n", error.text) > 0 : 0;
}

/* Bad input of every kind is a status with a message, and nothing else. */
static int refusals_differ(const char *folder)
{
    struct nb_problem problem = {0};
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_error error = {""};
    char path[500];
    options.solver = "no_such";
    snprintf(path, sizeof path, "%s/damaged.h5", folder);
    FILE *file = fopen(path, "wb");
    if (!file)
        return 1;
    fputs("\x89HDF\r\n\x1a\n and no more", file);
    fclose(file);
    const int refused = nb_problem_read(path, &problem, &error) && strstr(error.text, "damaged.h5") &&
                        nb_problem_read("nowhere.h5", &problem, &error) && strstr(error.text, "nowhere.h5") &&
                        nb_options_validate(&options, &error) && strstr(error.text, "no_such");
    nb_solver_free(solver);
    return refused ? 0 : printf("not refused: %s\n", error.text) > 0;
}

static void on_signal(int number)
{
    (void)number;
}

static herr_t on_hdf5_error(hid_t stack, void *context)
{
    (void)stack, (void)context;
    return 0;
}

/* What of a process a library could change. */
struct host {
    struct sigaction action[NSIG];
    sigset_t mask;
    char locale[200], decimal_point[8];
    int blas_threads;
    H5E_auto2_t report;
    void *context;
};

static struct host look(void)
{
    struct host host;
    memset(&host, 0, sizeof host);
    for (int i = 1; i < NSIG; ++i)
        sigaction(i, NULL, &host.action[i]);
    pthread_sigmask(SIG_BLOCK, NULL, &host.mask);
    snprintf(host.locale, sizeof host.locale, "%s", setlocale(LC_ALL, NULL));
    snprintf(host.decimal_point, sizeof host.decimal_point, "%.2f", 0.5);
    host.blas_threads = openblas_get_num_threads();
    H5Eget_auto2(H5E_DEFAULT, &host.report, &host.context);
    return host;
}

static int host_differs(const struct host *a, const struct host *b)
{
    int differ = 0;
    for (int i = 1; i < NSIG; ++i)
        if (a->action[i].sa_handler != b->action[i].sa_handler)
            differ += printf("the handler of signal %d changed\n", i) > 0;
    if (memcmp(&a->mask, &b->mask, sizeof a->mask))
        differ += printf("the signal mask changed\n") > 0;
    if (strcmp(a->locale, b->locale) || strcmp(a->decimal_point, b->decimal_point))
        differ += printf("the locale changed from %s to %s\n", a->locale, b->locale) > 0;
    if (a->blas_threads != b->blas_threads)
        differ += printf("BLAS has %d threads instead of %d\n", b->blas_threads, a->blas_threads) > 0;
    if (a->report != b->report || a->context != b->context)
        differ += printf("HDF5's error handler changed\n") > 0;
    return differ;
}

int main(int argc, char **argv)
{
    static int context;
    if (argc < 3 || argc - 2 > FILES || !setlocale(LC_ALL, ""))
        return 3;
    const int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGPIPE, SIGCHLD, SIGXFSZ};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; ++i)
        signal(handled[i], on_signal);
    openblas_set_num_threads(BLAS_THREADS);
    H5Eset_auto2(H5E_DEFAULT, on_hdf5_error, &context);
    const struct host before = look();
    int differ = threads_differ(argv + 2, argc - 2) + text_differs(argv[1]) + refusals_differ(argv[1]);
    const struct host after = look();
    differ += host_differs(&before, &after);
    if (!differ)
        printf("same\n");
    return differ != 0;
}

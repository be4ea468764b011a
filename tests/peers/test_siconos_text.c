/* Siconos' own reader and writer as the second opinion on its text format: what either writes, the other reads with the
 * same numbers, sparse matrices, of which it prints six digits, to these. */
#include "tests/support/io_files.h"
#include "tests/support/io_samples.h"
#include "tests/support/same_problem.h"

#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <NumericsMatrix.h>

#include "problems/io/problem_file.h"

static void same_entries(NumericsMatrix *theirs, const struct nb_csr *ours, int transposed, double within)
{
    assert_int_equal(theirs->size0, transposed ? ours->columns : ours->rows);
    assert_int_equal(theirs->size1, transposed ? ours->rows : ours->columns);
    for (int i = 0; i < theirs->size0; ++i)
        for (int j = 0; j < theirs->size1; ++j) {
            const double a = NM_get_value(theirs, i, j);
            const double b = transposed ? nb_csr_entry(ours, j, i) : nb_csr_entry(ours, i, j);
            if (!(fabs(a - b) <= within * fabs(b)))
                fail_msg("entry %d, %d is %.17g, Siconos has %.17g", i, j, b, a);
        }
}

static void same_values(const double *theirs, const double *ours, int count)
{
    for (int i = 0; i < count; ++i)
        assert_true(theirs[i] == ours[i]);
}

static void convert(const char *path, const struct nb_problem *problem)
{
    struct nb_error error;
    if (nb_problem_exchange(path, NB_EXCHANGE_SICONOS, problem, NULL, &error))
        fail_msg("%s", error.text);
}

static void read_ours(const char *path, struct nb_problem *problem)
{
    struct nb_error error;
    if (nb_problem_read(path, problem, &error))
        fail_msg("%s", error.text);
}

TEST_IN_FOLDER(local_problems)
{
    struct nb_problem problem, back;
    const char *path = in_folder(state, "local.dat"), *theirs = in_folder(state, "theirs.dat");
    sample_local(&problem, 5, 0);
    convert(path, &problem);
    FrictionContactProblem *read = frictionContact_new_from_filename(path);
    assert_int_equal(read->numberOfContacts, 5);
    same_entries(read->M, &problem.linear.delassus, 0, 0);
    same_values(read->q, problem.linear.contact_velocity, 15);
    same_values(read->mu, problem.linear.friction, 5);
    assert_int_equal(frictionContact_printInFilename(read, (char *)theirs), 0);
    read_ours(theirs, &back);
    assert_int_equal(back.form, NB_LINEAR_LOCAL);
    same_entries(read->M, &back.linear.delassus, 0, 0);
    same_values(back.linear.contact_velocity, problem.linear.contact_velocity, 15);
    frictionContactProblem_free(read);
    nb_problem_free(&problem);
    nb_problem_free(&back);
}

TEST_IN_FOLDER(global_problems)
{
    struct nb_problem problem, back;
    const char *path = in_folder(state, "global.dat"), *theirs = in_folder(state, "theirs.dat");
    sample_global(&problem, 14, 3, 0);
    convert(path, &problem);
    GlobalFrictionContactProblem *read = globalFrictionContact_new_from_filename(path);
    assert_int_equal(read->numberOfContacts, 3);
    same_entries(read->M, &problem.linear.mass, 0, 0);
    same_entries(read->H, &problem.linear.contact_jacobian, 1, 0);
    same_values(read->q, problem.linear.force, 14);
    same_values(read->b, problem.linear.contact_velocity, 9);
    same_values(read->mu, problem.linear.friction, 3);
    assert_int_equal(globalFrictionContact_printInFileName(read, theirs), 0);
    read_ours(theirs, &back);
    assert_int_equal(back.form, NB_LINEAR_GLOBAL);
    same_entries(read->M, &back.linear.mass, 0, 1e-5);
    same_entries(read->H, &back.linear.contact_jacobian, 1, 1e-5);
    same_values(back.linear.force, problem.linear.force, 14);
    globalFrictionContact_free(read);
    nb_problem_free(&problem);
    nb_problem_free(&back);
}

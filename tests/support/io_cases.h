/* A case of everything that a problem file may hold, written and read. */
#ifndef NB_TESTS_IO_CASES_H
#define NB_TESTS_IO_CASES_H

#include "problems/io/problem_file.h"
#include "tests/support/io_files.h"
#include "tests/support/io_sample_deformables.h"
#include "tests/support/same_problem.h"

enum { IO_CASES = 13 };

static inline void make_case(int which, struct nb_problem *problem)
{
    switch (which) {
    case 0: sample_nonlinear(problem, 3, 5); break;
    case 1: sample_nonlinear(problem, 2, 0); break;   /* no contacts */
    case 2: sample_nonlinear(problem, 0, 0); break;   /* nothing at all */
    case 3: sample_nonlinear(problem, 300, 700); break; /* compressed, chunked */
    case 4: sample_global(problem, 14, 3, 4); break;  /* bilateral rows */
    case 5: sample_global(problem, 6, 0, 0); break;
    case 6: sample_local(problem, 4, 5); break;
    case 7: sample_local(problem, 2, 0); break;
    case 8:
        sample_nonlinear(problem, 4, 3);
        sample_joints(problem, 9);
        sample_limits(problem);
        break;
    case 9:
        sample_nonlinear(problem, 200, 0);
        sample_joints(problem, 250);
        break;
    case 10:
        sample_nonlinear(problem, 3, 8);
        sample_joints(problem, 5);
        sample_deformables(problem, 9);
        break;
    case 11: /* particles alone, compressed */
        sample_nonlinear(problem, 0, 0);
        sample_deformables(problem, 400);
        break;
    default:
        sample_nonlinear(problem, 20, 300);
        sample_deformables(problem, 90);
        break;
    }
    struct nb_error error;
    if (nb_problem_validate(problem, &error))
        fail_msg("case %d is not valid: %s", which, error.text);
}

static inline void write_ok(const char *path, const struct nb_problem *problem,
                            const struct nb_problem_extras *extras)
{
    assert_ok(nb_problem_write(path, problem, extras, &why));
}

static inline void read_ok(const char *path, struct nb_problem *problem)
{
    assert_ok(nb_problem_read(path, problem, &why));
}

#endif

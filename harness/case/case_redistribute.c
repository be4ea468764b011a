/* Forces of least norm for the answer (case_run.h), judged again: what the pairs' sums leave unchanged, the judge sees
 * anew, contact by contact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_private.h"
#include "harness/judge/overlap.h"

#define ROUNDING 0x1p-40 /* an error below is one, whatever it was before */

enum nb_status nb_case_run_redistribute(struct nb_case_run *run, struct nb_case_result *result,
                                        struct nb_case_share *share, struct nb_error *error)
{
    const size_t rows = (size_t)nb_problem_multipliers(&run->problem) + 1;
    double *lambda = malloc(rows * sizeof *lambda);
    *share = (struct nb_case_share){.before = result->errors, .after = result->errors};
    if (!lambda)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to share the forces of %d contacts", result->contacts);
    memcpy(lambda, run->lambda, (rows - 1) * sizeof *lambda);
    enum nb_status status = nb_redistribute(run->judge, run->u, lambda, &share->found, error);
    if (!status) {
        nb_judge_evaluate(run->judge, run->u, lambda, &share->after);
        status = nb_overlap_add(&run->problem, run->u, &share->after.penetration, error);
        const double most = fmax(fmax(share->before.step_error, ROUNDING), run->setting->tolerance);
        share->kept = !status && share->found.changed > 0 && share->after.step_error <= most;
    }
    if (share->kept) {
        memcpy(run->lambda, lambda, (rows - 1) * sizeof *lambda);
        result->errors = share->after;
        status = nb_step_condition(run->judge, run->u, run->lambda, &result->condition, error);
    }
    free(lambda);
    return status;
}

/* What `solve` and `linear` share: one case in this process, as a table or as a record. */
#ifndef NB_COMMAND_CASE_H
#define NB_COMMAND_CASE_H

#include "harness/case/case_run.h"
#include "harness/cli/options.h"

struct nb_case_request {
    struct nb_case setting;
    const char *floor;     /* auto | yes | no        */
    const char *output;    /* -o, or NULL            */
    const char *vtkhdf;    /* --vtkhdf, or NULL      */
    const char *forces;    /* --forces, or NULL      */
    bool json;
    bool stored;           /* no solver runs: the file's own solution is judged */
};

/* Adds --vtkhdf, --forces: of a step. */
void nb_case_request_add_outputs(struct nb_command *command, struct nb_case_request *request);

/* Adds --repetitions, --json. */
void nb_case_request_add(struct nb_command *command, struct nb_case_request *request);

/* Runs, prints, writes; returns the exit code. */
int nb_case_request_run(const struct nb_command *command, struct nb_case_request *request,
                        const char *file);

#endif

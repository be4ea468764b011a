/* Asks a child process to try a plugin's preconditioner on a small system, and waits for its answer no longer than
 * the limit. */
#include "harness/sweep/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/child.h"
#include "problems/base/numbers.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

/* A preconditioner that needs longer for 75 rows does not return. */
static const double time_limit = 3;

struct question {
    const char *precond, *precision;
};

static int ask(void *context, int commands, int answers)
{
    const struct question *question = context;
    struct nb_error error = {""};
    (void)commands;
    const enum nb_status status = nb_plugin_probe(question->precond, question->precision, &error);
    return !nb_child_answer(answers, status ? error.text : "fine");
}

bool nb_probe_precond(const char *precond, const char *precision, char *finding, size_t size)
{
    NB_DECIMAL_POINT;
    struct question question = {precond, precision};
    const struct nb_child_limits limits = {.memory = 1024};
    struct nb_child child = {0};
    struct nb_error error;
    char ending[64];
    bool late = false;
    if (nb_child_start(&child, &limits, ask, &question, &error)) {
        snprintf(finding, size, "not tried: %s", error.text);
        return true;
    }
    char *line = nb_child_await(&child, time_limit, &late);
    nb_child_stop(&child, ending, sizeof ending);
    const bool fine = line && !strcmp(line, "fine");
    if (late)
        snprintf(finding, size, "does not return within %g s", time_limit);
    else
        snprintf(finding, size, "%s", line ? line : ending);
    free(line);
    return !fine;
}

bool nb_probe_precisions(const char *precond, char *finding, size_t size)
{
    const struct nb_registry_row *row;
    char text[160];
    bool wrong = false;
    for (size_t p = 0; (row = nb_registry_row("precision", p)) && !wrong; ++p) {
        wrong = nb_probe_precond(precond, row->name, text, sizeof text);
        if (wrong)
            snprintf(finding, size, "%s (in %s)", text, row->name);
    }
    nb_plugin_note_finding(precond, wrong ? finding : "fine");
    return wrong;
}

/* The command line, as data: a command is a table of options with types, ranges and meanings, from
 * which parsing, range messages and --help all follow. */
#ifndef NB_OPTIONS_H
#define NB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/records/values.h"
#include "problems/base/status.h"
#include "solvers/solve.h"

/* The exit codes of every command. */
enum { NB_EXIT_OK = 0, NB_EXIT_NOT_CONVERGED = 1, NB_EXIT_BAD_INPUT = 2 };

enum nb_option_type {
    NB_OPTION_FLAG,    /* bool: given or not           */
    NB_OPTION_TEXT,    /* const char *, borrowed       */
    NB_OPTION_OUTPUT,  /* the same: a file to write, in a folder that is there */
    NB_OPTION_PREFIX,  /* the same: with what the names of such files begin    */
    NB_OPTION_INTEGER, /* int                          */
    NB_OPTION_NUMBER,  /* double                       */
    NB_OPTION_LIST     /* struct nb_option_list        */
};

struct nb_option {
    const char *name;        /* without the dashes; NULL ends a table              */
    char letter;             /* short form, or 0                                   */
    enum nb_option_type type;
    void *target;            /* of the type above; its value beforehand is the default */
    double minimum, maximum; /* for integers and numbers, both allowed             */
    bool above_minimum;      /* the minimum itself is not allowed                  */
    bool of_newton;          /* of Newton's method alone (nb_command_add_solver)    */
    const char *kind;        /* registry kind that lists the values, or NULL       */
    const char *choices;     /* comma-separated values, or NULL                    */
    const char *argument;    /* how help calls the value: "N"; NULL for flags      */
    const char *meaning;
};

#define NB_COMMAND_OPTIONS 32
#define NB_COMMAND_POSITIONALS 2

struct nb_command {
    const char *name;
    const char *arguments;   /* as in usage, after the name: "FILE [options]"      */
    const char *summary;     /* one sentence                                       */
    const char *details;     /* further help, or NULL                              */
    const char *example;
    bool by_lines;           /* prints while it works, each line at once           */
    int minimum_positionals; /* at most NB_COMMAND_POSITIONALS                     */
    int maximum_positionals;
    const char *positional_name[NB_COMMAND_POSITIONALS];
    const char *positional[NB_COMMAND_POSITIONALS]; /* out; NULL where not given   */
    struct nb_options *solver_options; /* of nb_command_add_solver, nonlinear; or NULL */
    struct nb_options *linear_options; /* of the same, linear; or NULL             */
    const char *backend;     /* of the same: cpu, or cuda in place of what was chosen */
    int option_count;
    struct nb_option option[NB_COMMAND_OPTIONS];
    bool given[NB_COMMAND_OPTIONS]; /* out: on the command line                    */
};

/* Adds a row; the rows of one command fit in the table by construction (asserted). */
void nb_command_add(struct nb_command *command, struct nb_option option);

/* --set KEY=VALUE: the parameters of a command's scene. */
void nb_command_add_scene_settings(struct nb_command *command, struct nb_option_list *settings);

/* --checkpoint, --checkpoint-every and --resume. */
struct nb_checkpoint;
void nb_command_add_checkpoint(struct nb_command *command, struct nb_checkpoint *checkpoint);

/* The options that every command with a solver shares. Which of them a command has is chosen by
 * flags. Where an option of Newton's method is given and no solver, Newton's method is meant; with one that
 * does not read it, it is refused. */
enum {
    NB_SOLVER_NONLINEAR = 1, /* solver, NCP function, scaling, Newton form, iterations, damping */
    NB_SOLVER_LINEAR = 2     /* linear solver, preconditioner, precision, shift, threads        */
};
void nb_command_add_solver(struct nb_command *command, struct nb_options *options, int which);

/* Prints the usage, the options with defaults and ranges, and the example. */
void nb_command_help(const struct nb_command *command, FILE *stream);

/* Prints words up to column 100, from the column `indent` on, where further lines begin, too. */
void nb_print_wrapped(const char *text, int indent, FILE *stream);

/* The most common beginning of a command: parses argv[1..], answers --help and reports errors. Returns
 * -1 to go on, or the exit code. Options may stand before and after the positional arguments; "--" ends
 * them. */
int nb_command_begin(struct nb_command *command, int argc, char **argv);

/* Whether the option stood on the command line. */
bool nb_command_given(const struct nb_command *command, const char *name);

/* Prints "ncpbench NAME: message" on stderr and returns NB_EXIT_BAD_INPUT. */
int nb_command_fail(const struct nb_command *command, const struct nb_error *error);

#endif

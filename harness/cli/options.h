/* The command line, as data: a command is a table of options (harness/records/values.h) with types, ranges and
 * meanings, from which parsing, range messages and --help all follow. */
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

#define NB_COMMAND_OPTIONS 32
#define NB_COMMAND_POSITIONALS 4096 /* as results files of shards */

struct nb_command {
    const char *name;
    const char *arguments;   /* as in usage, after the name: "FILE [options]"      */
    const char *summary;     /* one sentence                                       */
    const char *details;     /* further help, or NULL                              */
    const char *example;
    bool by_lines;           /* prints while it works, each line at once           */
    int minimum_positionals; /* at most NB_COMMAND_POSITIONALS                     */
    int maximum_positionals;
    const char *choices;     /* what the first argument may be, with commas, or NULL */
    const char *positional_name[2]; /* as messages call those that must be given   */
    const char *positional[NB_COMMAND_POSITIONALS]; /* out; NULL where not given   */
    int positional_count;    /* out                                                */
    struct nb_options *solver_options; /* of nb_command_add_solver, nonlinear; or NULL */
    struct nb_options *linear_options; /* of the same, linear; or NULL             */
    bool on_device;          /* of the same: the version for a CUDA device of what was chosen */
    int option_count;
    struct nb_option option[NB_COMMAND_OPTIONS];
    bool given[NB_COMMAND_OPTIONS]; /* out: on the command line                    */
};

/* Adds a row and returns it; the rows of one command fit in the table by construction (asserted). */
struct nb_option *nb_command_add(struct nb_command *command, struct nb_option option);

/* Rows by the type of their target, whose value beforehand is the default; argument: how help calls the value. A flag
 * is given or not; of a count and a number both bounds are allowed, a positive number is above 0. */
struct nb_option *nb_command_add_flag(struct nb_command *command, const char *name, bool *target, const char *meaning);
struct nb_option *nb_command_add_count(struct nb_command *command, const char *name, int *target, int minimum,
                                       int maximum, const char *argument, const char *meaning);
struct nb_option *nb_command_add_number(struct nb_command *command, const char *name, double *target, double minimum,
                                        double maximum, const char *argument, const char *meaning);
struct nb_option *nb_command_add_positive(struct nb_command *command, const char *name, double *target,
                                          double maximum, const char *argument, const char *meaning);
struct nb_option *nb_command_add_text(struct nb_command *command, const char *name, const char **target,
                                      const char *argument, const char *meaning);
struct nb_option *nb_command_add_list(struct nb_command *command, const char *name, struct nb_option_list *target,
                                      const char *argument, const char *meaning);

/* One of the choices, with commas between: as its word, or as its index. */
struct nb_option *nb_command_add_word(struct nb_command *command, const char *name, const char **target,
                                      const char *choices, const char *argument, const char *meaning);
struct nb_option *nb_command_add_choice(struct nb_command *command, const char *name, int *target,
                                        const char *choices, const char *argument, const char *meaning);

/* A file to write; -o, --output likewise, and -o for a folder, which is made where it is missing. */
struct nb_option *nb_command_add_file(struct nb_command *command, const char *name, const char **target,
                                      const char *argument, const char *meaning);
struct nb_option *nb_command_add_output(struct nb_command *command, const char **target, const char *argument,
                                        const char *meaning);
struct nb_option *nb_command_add_folder(struct nb_command *command, const char **target, const char *argument,
                                        const char *meaning);

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

/* The option of one setting of the case, by its name in harness/case/case_settings.h. */
struct nb_case;
void nb_command_add_setting(struct nb_command *command, struct nb_case *setting, const char *name);

/* Prints the usage, the options with defaults and ranges, and the example. */
void nb_command_help(const struct nb_command *command, FILE *stream);

/* What --help=find:WORD prints: how the command would be told what the word may mean. False: it has nothing like it. */
bool nb_command_find(const struct nb_command *command, const char *word, FILE *stream);

/* What --help=man and --help=words print: the manual page, and a branch of a shell's script for completion. */
void nb_command_write_man(const struct nb_command *command, FILE *stream);
void nb_command_complete(const struct nb_command *command, FILE *stream);
void nb_man_begin(const char *name, const char *summary, FILE *stream);
void nb_man_section(const char *title, const char *text, FILE *stream);

/* The kind of the registry that the first argument is a name of, as SCENE is; false: of none. */
bool nb_command_argument_kind(const struct nb_command *command, char *kind, size_t size);

/* Prints words up to column 100, from the column `indent` on, where further lines begin, too; a line also ends
 * where the text has one. */
void nb_print_wrapped(const char *text, int indent, FILE *stream);

/* Refuses argv[index], which is not an option of the command, and says which one, or what else, is meant. */
enum nb_status nb_command_unknown(const struct nb_command *command, int argc, char **argv, int index,
                                  struct nb_error *error);

/* The most common beginning of a command: parses argv[1..], answers --help, in any form, and reports errors. Returns
 * -1 to go on, or the exit code. Options may stand before and after the positional arguments, each once but
 * for lists; "--" ends them. */
int nb_command_begin(struct nb_command *command, int argc, char **argv);

/* Whether the option stood on the command line. */
bool nb_command_given(const struct nb_command *command, const char *name);

/* Prints "ncpbench NAME: message" on stderr and returns NB_EXIT_BAD_INPUT. */
int nb_command_fail(const struct nb_command *command, const struct nb_error *error);

/* The same of a message. */
int nb_command_refuse(const struct nb_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

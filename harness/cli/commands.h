/* The subcommands of ncpbench: argv[0] is the command's name. Each returns the exit code of
 * harness/cli/options.h. */
#ifndef NB_COMMANDS_H
#define NB_COMMANDS_H

struct nb_command_row {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

/* All of them, in the order of --help; a NULL name ends them. */
extern const struct nb_command_row nb_commands[];

/* Calls the command that argv[1] names. */
int nb_dispatch(int argc, char **argv);

int nb_command_list(int argc, char **argv);
int nb_command_scenes(int argc, char **argv);
int nb_command_export(int argc, char **argv);
int nb_command_import(int argc, char **argv);
int nb_command_generate(int argc, char **argv);
int nb_command_info(int argc, char **argv);
int nb_command_index(int argc, char **argv);
int nb_command_convert(int argc, char **argv);
int nb_command_solve(int argc, char **argv);
int nb_command_judge(int argc, char **argv);
int nb_command_linear(int argc, char **argv);
int nb_command_simulate(int argc, char **argv);
int nb_command_iterations(int argc, char **argv);
int nb_command_spectrum(int argc, char **argv);
int nb_command_conditioning(int argc, char **argv);
int nb_command_functions(int argc, char **argv);
int nb_command_try(int argc, char **argv);
int nb_command_sweep(int argc, char **argv);
int nb_command_merge(int argc, char **argv);
int nb_command_report(int argc, char **argv);
int nb_command_plot(int argc, char **argv);
int nb_command_profile(int argc, char **argv);
int nb_command_completion(int argc, char **argv);
int nb_command_man_page(int argc, char **argv);
int nb_command_compare(int argc, char **argv);
int nb_command_claims(int argc, char **argv);

#endif

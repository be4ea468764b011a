/* The subcommands of ncpbench: argv[0] is the command's name. Each returns the exit code of
 * harness/cli/options.h. */
#ifndef NB_COMMANDS_H
#define NB_COMMANDS_H

/* Calls the command that argv[1] names; harness/cli/dispatch.c has the table. */
int nb_dispatch(int argc, char **argv);

int nb_command_list(int argc, char **argv);
int nb_command_scenes(int argc, char **argv);
int nb_command_export(int argc, char **argv);
int nb_command_info(int argc, char **argv);
int nb_command_solve(int argc, char **argv);
int nb_command_linear(int argc, char **argv);
int nb_command_simulate(int argc, char **argv);
int nb_command_iterations(int argc, char **argv);
int nb_command_spectrum(int argc, char **argv);
int nb_command_conditioning(int argc, char **argv);
int nb_command_sweep(int argc, char **argv);
int nb_command_report(int argc, char **argv);
int nb_command_plot(int argc, char **argv);
int nb_command_profile(int argc, char **argv);
int nb_command_compare(int argc, char **argv);

#endif

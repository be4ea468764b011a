/* The subcommands of ncpbench: argv[0] is the command's name. Each returns the exit code of
 * harness/cli/options.h. */
#ifndef NB_COMMANDS_H
#define NB_COMMANDS_H

/* Their names and summaries, in the order of --help. */
#define NB_COMMANDS(ROW)                                                    \
    ROW(list, "what is compiled in: scenes, solvers, NCP functions, ...")   \
    ROW(scenes, "describe scenes; --table: count what they have")           \
    ROW(export, "simulate a scene and write one step to a file")            \
    ROW(import, "write a time step of a MuJoCo model to a file")            \
    ROW(generate, "write a step with a known solution, rank and condition") \
    ROW(info, "describe a problem file")                                    \
    ROW(convert, "convert a problem to or from other programs' formats")    \
    ROW(index, "list the problems of a collection")                         \
    ROW(solve, "solve one step and judge every iteration")                  \
    ROW(judge, "judge the solution that a file holds")                      \
    ROW(linear, "solve one stored Newton system")                           \
    ROW(simulate, "run a scene over time")                                  \
    ROW(gradient, "how velocities after a step answer to its parameters")   \
    ROW(closest, "points nearest to distance fields, by method")            \
    ROW(try, "is a strategy of your own better than known ones?")           \
    ROW(sweep, "run all cases of a spec and record them")                   \
    ROW(merge, "join the results of a sweep's shards to one file")          \
    ROW(report, "tables from the records")                                  \
    ROW(compare, "is B faster than A? with confidence intervals")           \
    ROW(query, "ask the records in SQL, or make them a file of SQLite")     \
    ROW(claims, "what the papers claim, judged")                            \
    ROW(submit, "can records join the evidence?")                           \
    ROW(profile, "performance and data profiles")                           \
    ROW(plot, "figures from the records")                                   \
    ROW(completion, "completion of all this for bash or zsh")               \
    ROW(man, "manual pages")

struct nb_command_row {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

/* All of them, in the order of --help; a NULL name ends them. */
extern const struct nb_command_row nb_commands[];

/* Calls the command that argv[1] names. */
int nb_dispatch(int argc, char **argv);

#define ROW(name, summary) int nb_command_##name(int argc, char **argv);
NB_COMMANDS(ROW)
#undef ROW

#endif

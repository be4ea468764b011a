/* Another program that speaks lines on its standard input and output: started once, asked, and ended. Its standard
 * error goes to ours. It ends with us, and what it does cannot end us. */
#ifndef NB_EXTERNAL_PROCESS_H
#define NB_EXTERNAL_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "problems/base/status.h"

enum { NB_EXTERNAL_LINE = 512 }; /* characters of a line, at most */

struct nb_external_process; /* opaque */

/* The program of a command [length] as a reader knows it, without folders: "python3 mine.py". */
void nb_external_name(const char *command, size_t length, char *name, size_t size);

/* command: a program, by its path or searched in PATH, and its arguments, separated by blanks; started without a shell.
 * limit: seconds that an answer may take. From here until it has read the first question it starts, which is no part of
 * a set-up (solvers/aside.h). */
enum nb_status nb_external_start(struct nb_external_process **process, const char *command, double limit,
                                 struct nb_error *error);

/* Sends the line and waits for the next one, which begins with `word` and a blank or nothing; what follows goes into
 * rest [NB_EXTERNAL_LINE], if that is not NULL. A line "error TEXT" is NB_BREAKDOWN with that text, as is an end
 * of the program (with how, and the last line of its standard error), another line, no line within the limit, and one
 * that was there before the program had read the question. */
enum nb_status nb_external_ask(struct nb_external_process *process, const char *line, const char *word, char *rest,
                               struct nb_error *error);

/* The path of a process's folder in $TMPDIR or /tmp, which need not be there. */
enum { NB_EXTERNAL_PATH = 400 };
void nb_external_folder(pid_t process, char folder[NB_EXTERNAL_PATH]);

/* A folder of this process's in $TMPDIR or /tmp, and in file the path of step.h5 in it; NB_UNSUPPORTED where the
 * process has it already. It is there until nb_external_leave_folder. */
enum nb_status nb_external_make_folder(char *file, size_t size, struct nb_error *error);
void nb_external_leave_folder(void);
/* Removes the folder of a process that was killed, 0: ours, with all that is in it, be it of the program's own; nothing
 * where there is none. */
void nb_external_remove_folder(pid_t process);

/* Says "quit", waits a second, and ends it. NULL is allowed. */
void nb_external_end(struct nb_external_process *process);

#endif

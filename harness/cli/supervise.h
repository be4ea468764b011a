/* A program with code of others in it runs in a child process: whatever that code does when it is loaded, when it works
 * and when it ends, the user gets a message and an exit status of ours, and no process stays behind. */
#ifndef NB_SUPERVISE_H
#define NB_SUPERVISE_H

typedef int nb_supervised_main(int argc, char **argv);

/* Runs it in a child with this process's streams; its result is returned. A child that is killed, that ends before
 * run returns, or that loads for more than 5 s is told on stderr, and NB_EXIT_BAD_INPUT is returned. It is told if a
 * child's own messages are lost. Signals that end a program on request (interrupt, hang-up, terminate, quit) are passed
 * on and end this process, too. */
int nb_supervise(nb_supervised_main *run, int argc, char **argv);

/* Before that: a plugin that was compiled with -fsanitize=address needs the sanitizer's library before all others, so
 * that it guards the harness's arrays, which the plugin is given. Then this program is started again with it. */
void nb_supervise_sanitized(const char *file);

/* In the child: all is said and written, and the result is `code`. What plugins do when they are freed is waited for
 * 5 s more, and then left out with a word. */
void nb_supervise_finishing(int code);

/* From now on, this process says that text, a literal, before a signal that asks it to end ends it: after the line of
 * progress, which on a terminal is not ended. */
void nb_supervise_stop(const char *text);

/* In the child: a repetition begins, which may take so long [s]; 0: it has ended. */
void nb_supervise_repetition(double limit);

/* In the child: the file that is loaded now; NULL: all are. The text is one that was there before the child. */
void nb_supervise_loading(const char *file);

#endif

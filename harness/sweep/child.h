/* A child process that works on request: forked, limited in memory, killed with its parent, and talking in lines over a
 * socket and a pipe. Whatever happens in it, the parent goes on, and what it started ends with it. */
#ifndef NB_CHILD_H
#define NB_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "problems/base/status.h"

/* What the child runs; commands and answers are its ends of both. The result is its exit status. */
typedef int nb_child_main(void *context, int commands, int answers);

enum {
    NB_CHILD_NONCE = 16,   /* letters before each line of an answer, given with its command */
    NB_CHILD_COMMAND = 128 /* bytes of a command, at most: with its nonce it is one write */
};

struct nb_child_limits {
    int memory;     /* [MiB] of address space beyond what the parent uses; 0: unlimited */
    int first_core; /* pinned to core_count cores from the first_core-th allowed one     */
    int core_count; /* 0: not pinned                                                     */
};

struct nb_child {
    pid_t pid;    /* 0: none */
    int to, from; /* descriptors of the parent's ends */
    char *text;   /* what has arrived and not been taken [used of room] */
    size_t used, room;
    size_t searched;       /* of used, known to hold no end of line */
    char nonce[NB_CHILD_NONCE + 1]; /* of the last command, or of the start before the first one */
    struct nb_child *next; /* the list of all that live */
};

/* Returns once the child begins to run; where it cannot, the error says why. */
enum nb_status nb_child_start(struct nb_child *child, const struct nb_child_limits *limits,
                              nb_child_main *run, void *context, struct nb_error *error);

/* Sends a command of so many bytes; false where the child is gone, which ends nobody by SIGPIPE. */
bool nb_child_command(struct nb_child *child, const void *command, size_t size);

/* Sends what a command announces beyond its size; likewise. */
bool nb_child_send(struct nb_child *child, const void *data, size_t size);

/* Reads what is there without waiting. False at the end of the child's answers: at the end of the pipe, at that of
 * the child although one of its own holds the pipe, or beyond 1 GiB without an end of line. */
bool nb_child_receive(struct nb_child *child);

/* Takes the next whole line, without its nonce and end, or NULL; "a garbled answer" replaces a line without the nonce
 * of the last command. The caller frees it. */
char *nb_child_take_line(struct nb_child *child);

/* Waits for the next whole line for at most so many seconds: NULL where none comes, *late where it was for the time.
 * The caller frees it. */
char *nb_child_await(struct nb_child *child, double limit, bool *late);

/* Kills the child and what it started, reaps it, closes and frees. Describes how it ended in text
 * [size >= 1]: "killed by SIGSEGV", "exit status 3". Returns the signal that ended it, or 0. */
int nb_child_stop(struct nb_child *child, char *text, size_t size);

/* From now on this process is the subreaper of what ended children leave behind. Only a program calls it, as it begins:
 * the children that it has by then are another's (a shell that it has replaced). */
void nb_child_adopt_orphans(void);

/* Kills and reaps the children that this process has adopted. */
void nb_child_end_orphans(void);

/* In the child: writes one line; false where the parent is gone. */
bool nb_child_answer(int answers, const char *line);

/* In the child: waits for the next command of that size; false at the end. */
bool nb_child_wait(int commands, void *command, size_t size);

/* In the child: reads what nb_child_send sent. */
bool nb_child_read(int commands, void *data, size_t size);

/* In the child: has one of its own work, which answers through the same pipe, takes no commands and has a limit of
 * memory [MiB] beyond what is used now but for `spare` bytes of it; waits for its end and ends what it left behind.
 * *status is as of waitpid; false: it could not be started. */
typedef int nb_child_work(void *context, int answers);
bool nb_child_fork(int commands, int answers, int memory, size_t spare, nb_child_work *work, void *context,
                   int *status);

#endif

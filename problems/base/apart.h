/* Work in a process of its own: it may crash, hang or take all memory, and this one goes on and says how it ended. */
#ifndef NB_APART_H
#define NB_APART_H

#include <stddef.h>
#include <sys/types.h>

struct nb_apart_limits {
    int memory;   /* [MiB] of address space beyond what is in use; 0: what the program began with; -1: as it is */
    size_t spare; /* so much of what is in use does not count [bytes] */
    int seconds;  /* of processor time; 0: no limit */
};

/* Forks. The child, which gets 0, ends with this process; with limits it has these, and leaves no core. Below 0: errno
 * says why. */
pid_t nb_apart_fork(const struct nb_apart_limits *limits);

/* A program with its words, of which the first is its name, looked for in the PATH where it has no slash. */
struct nb_apart_program {
    char *const *words;       /* ended by NULL */
    char *const *environment; /* NULL: ours */
    const char *folder;       /* in which it runs; NULL: here */
    int output;               /* its standard output; below 0: /dev/null */
    const char *errors;       /* a file in the folder to which its standard error is appended; NULL: ours */
};

/* Starts it, with nothing to read; 0, or what keeps it from starting, as errno. Unlike a fork it may outlive this
 * process, which waits for it. */
int nb_apart_start(const struct nb_apart_program *program, pid_t *pid);

/* Waits for its end; as of waitpid, or -1 where there is no such child. */
int nb_apart_wait(pid_t pid);

/* "killed by SIGSEGV", "exit status 3" for a status of waitpid, in text [size >= 1]; returns the signal or 0. */
int nb_apart_ending(int status, char *text, size_t size);

/* Limits this process's memory as the limits of a child do; 0: no longer. */
void nb_apart_limit_memory(int mebibytes, size_t spare);

/* Bytes of address space that are in use; 0 where the system does not tell. */
size_t nb_apart_address_space(void);

#endif

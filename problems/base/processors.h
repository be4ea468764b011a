/* The processors that this process may run on: fewer than the machine has under taskset or a batch system. */
#ifndef NB_PROCESSORS_H
#define NB_PROCESSORS_H

#include <stddef.h>

int nb_processors(void);

/* The note on threads of which there are more than that, into text [size]. Returns text; NULL: none waits. */
const char *nb_waiting_threads(int threads, char *text, size_t size);

#endif

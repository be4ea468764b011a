/* What of a set-up is none of the method's: starting another program, or a library that sets itself up once a process.
 * Each thread adds up its own. */
#ifndef NB_ASIDE_H
#define NB_ASIDE_H

/* seconds >= 0 more. */
void nb_aside_add(double seconds);

/* All so far [s], from 0: the difference of two calls is what came between them. */
double nb_aside_seconds(void);

#endif

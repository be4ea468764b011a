/* The arithmetic that all results rest on: IEEE 754's, rounded to nearest, with denormal numbers. A library may change
 * it for the whole thread, as what is linked with -ffast-math does when it is loaded (denormal numbers become 0), and
 * then every number that comes after it. */
#ifndef NB_ARITHMETIC_H
#define NB_ARITHMETIC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Puts this thread's arithmetic back, where what ran last has changed it, and then returns what it was, such as
 * "denormal numbers were 0"; otherwise NULL. It takes a few nanoseconds. */
const char *nb_arithmetic_restore(void);

#ifdef __cplusplus
}
#endif

#endif

/* Which sources the program was made from, by hashes that the build computes (scripts/gen_source_hashes.sh):
 * results are of a strategy's code, and of the code that all share. */
#ifndef NB_SOURCE_H
#define NB_SOURCE_H

/* The hash of a strategy's own file, by the file's name without folder and suffix, 16 hexadecimal digits;
 * NULL: no such file was compiled in. */
const char *nb_source_hash(const char *kind, const char *file);

/* The hash of all sources, the compiler and its flags: two programs that differ in any of them have
 * different ones. */
const char *nb_source_fingerprint(void);

#endif

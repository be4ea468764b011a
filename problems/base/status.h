/* Errors are values: a status says what kind of thing went wrong, and a message
 * names the file, the dataset or the option, and the range allowed.
 *
 * Not converging is a result, not an error: see enum nb_ending in harness/judge/ending.h. */
#ifndef NB_STATUS_H
#define NB_STATUS_H

enum nb_status {
    NB_OK = 0,
    NB_BAD_INPUT,    /* a file, an option or an argument is wrong            */
    NB_BAD_FILE,     /* the system refused to read or to write a file        */
    NB_OUT_OF_MEMORY,
    NB_UNSUPPORTED,  /* a valid combination that cannot run; the text says why */
    NB_BREAKDOWN     /* the numbers of this run allow no further step          */
};

/* Owned by the caller, usually on the stack; the text is always terminated. */
struct nb_error {
    char text[512];
};

/* Writes the formatted message, one line without control characters, into error (which may be NULL) and returns
 * status, so that a function can end with `return nb_fail(...)`. */
enum nb_status nb_fail(struct nb_error *error, enum nb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of what code of others returned, which began with error->text empty: a status that is not one of ours is a breakdown,
 * and a failure without a message gets one that names who it was. */
enum nb_status nb_fail_named(struct nb_error *error, enum nb_status status, const char *who);

#endif

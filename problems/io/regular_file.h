/* Regular files alone are read or written by name: a pipe would wait for ever, a device never end, and
 * what is put in place by renaming would replace a device. */
#ifndef NB_REGULAR_FILE_H
#define NB_REGULAR_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "problems/base/status.h"

/* NB_BAD_FILE, and what path is, unless it is a regular file. */
enum nb_status nb_check_readable(const char *path, struct nb_error *error);

/* The same for a file to write or to append to, which need not exist yet. It may not be the one to which
 * standard output or standard error go: each would overwrite the other. */
enum nb_status nb_check_writable(const char *path, struct nb_error *error);

/* NB_BAD_INPUT where both are one file: what is made of it would replace it. */
enum nb_status nb_check_apart(const char *input, const char *output, struct nb_error *error);

/* For files that others read: NB_BAD_FILE, and what fetches it, where the path leads to a pointer of Git LFS's or
 * git-annex's; whatever else is wrong with the path, they say. */
enum nb_status nb_check_no_pointer(const char *path, struct nb_error *error);

/* Opens for reading what nb_check_readable lets pass, and is no pointer of Git LFS's; *file is NULL otherwise. */
enum nb_status nb_open_regular(const char *path, FILE **file, struct nb_error *error);

/* A file's bytes, read once: what is hashed is what is parsed, even where the file is replaced meanwhile. */
struct nb_content {
    unsigned char *bytes; /* [size], and a zero behind them; owned */
    size_t size;
};

/* Adds the whole file to the content, which is {0} before the first. On failure it stays as it was. */
enum nb_status nb_content_add(struct nb_content *content, const char *path, struct nb_error *error);
void nb_content_free(struct nb_content *content);

#endif

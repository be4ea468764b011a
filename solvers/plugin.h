/* Strategies from outside: a shared object NAME.so that holds nb_<slot>_NAME of solvers/strategy.h,
 * compiled once for every precision of the program. scripts/ncpbench-plugin builds it from one C file,
 * the same that would stand in the slot folder.
 *
 * The object says for which layout of the slots it was compiled; another one is refused. */
#ifndef NB_PLUGIN_H
#define NB_PLUGIN_H

#include <stddef.h>

#include "problems/base/status.h"

/* Raised whenever a struct of solvers/strategy.h or solvers/block/matrix.h changes its meaning. */
#define NB_ABI_VERSION 11

struct nb_abi {
    int version;
    size_t sizes[14]; /* of the structs that cross the border, and of the number types */
};

/* Loads path and adds its strategies to the registry, before anything is looked up. The name of the
 * file, without path and ".so", is that of the symbols. Messages name the file and what it lacks. */
enum nb_status nb_plugin_load(const char *path, struct nb_error *error);

/* The file of a plugin, as it was named, in the order of loading; NULL past the last. */
const char *nb_plugin_file(int index);

/* The hash of the plugin that provides that strategy, 16 hexadecimal digits; NULL: it is compiled in. */
const char *nb_plugin_hash(const char *kind, const char *name);

/* Plugins' preconditioners one after the other; NULL past the last. */
const char *nb_plugin_precond(int index);

/* A descriptor of the working folder, which foreign code may change: for nb_plugin_restore_folder, which closes it. -1,
 * which that takes, where there are no plugins. */
int nb_plugin_keep_folder(void);
void nb_plugin_restore_folder(int folder);

/* What a trial of that preconditioner has found, for its records: "fine", or what is wrong; NULL: it was not tried. */
void nb_plugin_note_finding(const char *precond, const char *finding);
const char *nb_plugin_finding(const char *precond);

/* Tries the preconditioner in that precision on a matrix, or, NULL, on that of a small system of contacts: whether P^-1
 * writes what it is to write, is finite, linear, symmetric and positive definite, to what the precision allows. NB_OK,
 * or NB_BREAKDOWN with what is wrong. It runs foreign code: call it in a child. */
struct nb_csr;
enum nb_status nb_plugin_probe(const char *precond, const char *precision, const struct nb_csr *matrix,
                               struct nb_error *error);

#endif

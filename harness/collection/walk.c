/* Walks the tree of folders in the order of names; symbolic links are followed, a loop of them is not. */
#include "harness/collection/walk.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <string.h>

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), size = strlen(end);
    return length > size && !strcmp(name + length - size, end);
}

static bool is_problem(const char *name)
{
    static const char *const kinds[] = {".h5", ".hdf5", ".dat", ".mtx"};
    static const char *const parts[] = {".b.mtx", ".H.mtx", ".G.mtx", ".f.mtx", ".w.mtx", ".mu.mtx",
                                        ".V.mtx", ".R.mtx", ".q.mtx", ".s.mtx"};
    bool problem = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        problem |= ends_in(name, kinds[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        problem &= !ends_in(name, parts[i]);
    return problem;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum nb_status visit_entry(const FTSENT *entry, nb_walk_function *visit, void *context, struct nb_error *error)
{
    switch (entry->fts_info) {
    case FTS_NS:
    case FTS_DNR:
    case FTS_ERR:
        if (entry->fts_level == FTS_ROOTLEVEL)
            return nb_fail(error, NB_BAD_FILE, "%.400s: %s", entry->fts_path, strerror(entry->fts_errno));
        return visit(context, entry->fts_path, strerror(entry->fts_errno), error);
    case FTS_F:
    case FTS_DEFAULT:
    case FTS_SLNONE:
        return entry->fts_level == FTS_ROOTLEVEL || is_problem(entry->fts_name)
                   ? visit(context, entry->fts_path, NULL, error)
                   : NB_OK;
    default:
        return NB_OK;
    }
}

enum nb_status nb_walk(const char *path, nb_walk_function *visit, void *context, struct nb_error *error)
{
    char *const roots[] = {(char *)path, NULL};
    const FTSENT *entry = NULL;
    enum nb_status status = NB_OK;
    FTS *tree = *path ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name) : NULL;
    if (!tree)
        return nb_fail(error, NB_BAD_FILE, "%.400s: %s", path, strerror(*path ? errno : ENOENT));
    while (!status && (errno = 0, entry = fts_read(tree)))
        status = visit_entry(entry, visit, context, error);
    if (!status && errno)
        status = nb_fail(error, NB_BAD_FILE, "%.400s: %s", path, strerror(errno));
    fts_close(tree);
    return status;
}

/* Replaces a nonlinear method, or the linear solver of a stored system, by its version for a CUDA device: the row
 * named cuda_NAME, or cuda_NAME_persistent where there are several ways to run it. */
#include "harness/case/backend.h"

#include <stdio.h>
#include <string.h>

#include "harness/records/values.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

static const char prefix[] = "cuda_";
enum { PREFIX = sizeof prefix - 1 };

static bool on_device(const char *name)
{
    return !strncmp(name, prefix, PREFIX);
}

/* The rows that there are, as "cuda_newton, cuda_..."; they are few. */
static void list_device(const char *kind, char *text, size_t size)
{
    const struct nb_registry_row *row;
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; (row = nb_registry_row(kind, i)) && used < size; ++i)
        if (on_device(row->name))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", row->name);
}

/* Puts the device's version in the place of the choice, with the settings that this has: cuda_NAME:settings. */
static enum nb_status replace(const char *kind, const char **choice, struct nb_error *error)
{
    const int length = (int)nb_settings_name_length(*choice);
    char name[1024], known[400];
    if (on_device(*choice))
        return NB_OK;
    const int written = snprintf(name, sizeof name, "%s%s", prefix, *choice);
    if (written < (int)sizeof name && nb_registry_find(kind, name)) {
        const enum nb_status status = nb_registry_check("backend cuda: ", kind, name, error);
        if (status)
            return status;
        const char *kept = nb_intern(name);
        *choice = kept ? kept : *choice;
        return kept ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the name %.60s", name);
    }
    list_device(kind, known, sizeof known);
    if (!known[0])
        return nb_fail(error, NB_UNSUPPORTED, "backend cuda: this program is built without CUDA (make, where nvcc "
                       "is found)");
    return nb_fail(error, NB_BAD_INPUT, "backend cuda: the %s \"%.*s\" has no version for a device; known: %s",
                   strcmp(kind, "linear") ? kind : "linear solver", length, *choice, known);
}

enum nb_status nb_backend_cuda(struct nb_options *options, bool system, struct nb_error *error)
{
    return system ? replace("linear", &options->linear, error) : replace("solver", &options->solver, error);
}

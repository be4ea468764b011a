/* A case by itself: its defaults, its problem's name, hash and step, its label for people. */
#include "harness/case/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/features.h"
#include "harness/records/values.h"
#include "problems/base/clean_text.h"
#include "problems/base/clock.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

/* Replaces a nonlinear method, or the linear solver of a stored system, by its version for a CUDA device: the row
 * named cuda_NAME, or cuda_NAME_persistent where there are several ways to run it. */

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

struct nb_case nb_case_default(void)
{
    return (struct nb_case){.mode = NB_CASE_STEP,
                            .options = nb_options_default(),
                            .tolerance = NAN,
                            .repetitions = 5,
                            .time_limit = 60,
                            .memory_limit = 4096};
}

enum nb_status nb_case_set_problem(struct nb_case *setting, const char *path,
                                   struct nb_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (slash && !*name) { /* a folder, as a shell completes it */
        char folder[sizeof setting->problem_file];
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        return nb_case_set_problem(setting, folder, error);
    }
    const char *dot = strrchr(name, '.');
    const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    if (!length || length >= sizeof setting->problem ||
        strlen(path) >= sizeof setting->problem_file)
        return nb_fail(error, NB_BAD_INPUT,
                       "%s: a problem file's name has 1 to %zu characters before its suffix", path,
                       sizeof setting->problem - 1);
    memcpy(setting->problem, name, length);
    setting->problem[length] = 0;
    nb_clean_text(setting->problem);
    strcpy(setting->problem_file, path);
    return NB_OK;
}

enum nb_status nb_case_read_step(const struct nb_case *setting, double unit_roundoff, struct nb_problem *step,
                                 struct nb_features *features, double *seconds, struct nb_error *error)
{
    struct nb_problem linear;
    const double start = nb_seconds();
    enum nb_status status = nb_problem_read(setting->problem_file, step, error);
    const double read = nb_seconds();
    if (status)
        return status;
    if (features)
        nb_features(step, features);
    const double again = nb_seconds();
    if ((status = nb_case_check_hash(setting, step->hash, error))) {
        nb_problem_free(step);
        return status;
    }
    if (setting->linearized && step->form == NB_NONLINEAR) {
        status = nb_problem_linearize_in(step, unit_roundoff, &linear, error);
        nb_problem_free(step);
        if (!status)
            *step = linear;
    }
    if (seconds)
        *seconds = read - start + nb_seconds() - again;
    return status;
}

void nb_case_label(const struct nb_case *setting, char *text, size_t size)
{
    const struct nb_options *options = &setting->options;
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        snprintf(text, size, "%s system %d %s+%s %s %d", setting->problem, setting->system,
                 options->linear, options->precond, options->precision,
                 options->linear_iterations);
    else if (nb_registry_self_contained(options->solver))
        snprintf(text, size, "%s %s %s %d", setting->problem, options->solver, options->precision,
                 nb_options_iterations(options));
    else
        snprintf(text, size, "%s %s%s%s/%s %s+%s %s %s %dx%d", setting->problem,
                 strchr(options->solver, ':') ? options->solver : "",
                 strchr(options->solver, ':') ? " " : "", options->ncp,
                 options->scaling, options->linear, options->precond, options->operator_form,
                 options->precision, nb_options_iterations(options), options->linear_iterations);
    static const char *const starts[] = {"", " from its guess", " from the step before"};
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", starts[setting->mode == NB_CASE_STEP ? setting->start : NB_START_REST]);
}

enum nb_status nb_case_check_hash(const struct nb_case *setting, const char *read, struct nb_error *error)
{
    if (!setting->problem_hash[0] || !strcmp(setting->problem_hash, read))
        return NB_OK;
    return nb_fail(error, NB_BAD_FILE, "%s: replaced since it was hashed: its SHA-256 is now %.12s..., was %.12s...",
                   setting->problem_file, read, setting->problem_hash);
}

enum nb_status nb_case_hash_problem(struct nb_case *setting, struct nb_error *error)
{
    struct nb_problem_bytes bytes;
    const char *right_side = setting->right_side_file[0] ? setting->right_side_file : NULL;
    const enum nb_status status = nb_problem_bytes_read(setting->problem_file, right_side, &bytes, error);
    nb_content_free(&bytes.content);
    strcpy(setting->problem_hash, status ? "" : bytes.hash);
    return status;
}

double nb_case_linear_tolerance(const struct nb_case *setting)
{
    const char *linear = setting->options.linear;
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    const struct nb_setting *known = nb_registry_settings("linear", linear);
    return nb_settings_read(known, linear, value, NULL) ? 0 : value[NB_LINEAR_TOL];
}

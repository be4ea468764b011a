/* A linear step as Matrix Market text: NAME.M.mtx, NAME.H.mtx, NAME.f.mtx, NAME.w.mtx, NAME.mu.mtx, or NAME.W.mtx,
 * NAME.q.mtx, NAME.mu.mtx, and those of bilateral rows (step_parts.h). Vectors are dense. Which form it is, the files
 * that are there tell. The step's hash is that of all its files, in this order, one behind the other. They are written
 * beside their places and renamed when all are whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/io/foreign/foreign.h"
#include "problems/io/foreign/step_parts.h"
#include "problems/io/matrix_market.h"
#include "problems/io/matrix_market_parse.h"

enum { LONGEST_PATH = 1100 };

/* The length of NAME in NAME.mtx, or, where the file is a matrix of a step, in NAME.M.mtx or NAME.W.mtx. */
static int name_length(const char *path)
{
    const size_t length = strlen(path), end = strlen(".M.mtx");
    const int part = length > end && (!strcmp(path + length - end, ".M.mtx") || !strcmp(path + length - end, ".W.mtx"));
    return (int)(length - (part ? end : strlen(".mtx")));
}

static const char *part_path(const char *path, const char *part, char text[LONGEST_PATH])
{
    snprintf(text, LONGEST_PATH, "%.*s.%s.mtx", name_length(path), path, part);
    return text;
}

static int is_there(const char *path, const char *part)
{
    char text[LONGEST_PATH];
    return !access(part_path(path, part, text), F_OK);
}

int nb_is_market_step(const char *path)
{
    return nb_is_matrix_market(path) && strlen(path) < LONGEST_PATH - 16 && is_there(path, "mu") &&
           (is_there(path, "M") || is_there(path, "W")) &&
           (access(path, F_OK) == 0) == ((size_t)name_length(path) + strlen(".mtx") < strlen(path));
}

enum nb_status nb_refuse_market_step(const char *path, struct nb_error *error)
{
    return nb_fail(error, NB_UNSUPPORTED, "%.300s: is a step in several files of Matrix Market text, of which "
                   "`ncpbench convert` makes one problem file", path);
}

/* The files of a step, read one behind the other. */
struct files {
    const char *path;
    struct nb_reader *reader;
    struct nb_content content;
};

/* A part, matrix or vector; its content stands behind that of the parts before. */
static void read_part(struct files *files, const char *part, int vector, struct nb_market *market)
{
    char text[LONGEST_PATH];
    const size_t before = files->content.size;
    struct nb_reader *reader = files->reader;
    memset(market, 0, sizeof *market);
    if (reader->status)
        return;
    reader->status = nb_content_add(&files->content, part_path(files->path, part, text), reader->error);
    if (!reader->status)
        reader->status = nb_market_read(text, files->content.bytes + before, files->content.size - before, vector,
                                        market, reader->error);
}

static void read_matrix(struct files *files, const char *part, int rows, int columns, struct nb_triplets *entries)
{
    struct nb_market market;
    read_part(files, part, 0, &market);
    *entries = market.entries;
    if (!files->reader->status && (market.rows != rows || market.columns != columns))
        nb_reader_fail(files->reader, NB_BAD_INPUT, part, "is %d x %d, must be %d x %d to fit the vectors", market.rows,
                       market.columns, rows, columns);
}

/* As an array of *count numbers. */
static double *read_vector(struct files *files, const char *part, int *count)
{
    struct nb_market market;
    read_part(files, part, 1, &market);
    double *values = calloc((size_t)market.rows + 1, sizeof *values);
    if (!values)
        nb_reader_fail(files->reader, NB_OUT_OF_MEMORY, part, "no memory for %d numbers", market.rows);
    if (!files->reader->status && market.columns != 1)
        nb_reader_fail(files->reader, NB_BAD_INPUT, part, "has %d columns, must be a vector", market.columns);
    for (int k = 0; values && k < market.entries.count && !files->reader->status; ++k)
        values[market.entries.row[k]] = market.entries.value[k];
    *count = market.rows;
    nb_triplets_free(&market.entries);
    return values;
}

static void read_step(struct files *files, struct nb_problem *problem)
{
    struct nb_step_parts parts = {.form = is_there(files->path, "M") ? NB_LINEAR_GLOBAL : NB_LINEAR_LOCAL};
    const struct nb_step_form *form = nb_step_form(parts.form);
    const char *bilateral = form->vector[NB_PART_BILATERAL].name;
    int count[NB_STEP_VECTORS] = {0};
    for (int i = 0; i < NB_STEP_VECTORS; ++i)
        if (form->vector[i].name && (i != NB_PART_BILATERAL || is_there(files->path, bilateral)))
            parts.vector[i] = read_vector(files, form->vector[i].name, &count[i]);
    nb_step_parts_measure(files->reader, form->vector[NB_PART_VELOCITY].name, count[NB_PART_FRICTION],
                          count[NB_PART_VELOCITY], &parts);
    if (parts.dimension == 5)
        nb_reader_fail(files->reader, NB_UNSUPPORTED, "mu", "rolling friction is not read from Matrix Market text");
    parts.dofs = count[NB_PART_FORCE];
    parts.bilaterals = count[NB_PART_BILATERAL];
    for (int i = 0; i < NB_STEP_MATRICES && !files->reader->status; ++i)
        if (parts.bilaterals > 0 || !nb_step_part_is_bilateral(parts.form, i))
            read_matrix(files, form->matrix[i].name, nb_step_extent(&parts, form->matrix[i].rows),
                        nb_step_extent(&parts, form->matrix[i].columns), &parts.entries[i]);
        else if (is_there(files->path, form->matrix[i].name))
            nb_reader_fail(files->reader, NB_BAD_INPUT, bilateral, "missing, though there is a %s",
                           form->matrix[i].name);
    nb_step_parts_build(files->reader, &parts, problem);
}

enum nb_status nb_read_market_step(const char *path, struct nb_problem *problem, struct nb_error *error)
{
    struct nb_reader reader = {.path = path, .error = error};
    struct files files = {.path = path, .reader = &reader};
    read_step(&files, problem);
    if (!reader.status)
        reader.status = nb_hash(files.content.bytes, files.content.size, problem->hash, sizeof problem->hash, error);
    nb_content_free(&files.content);
    return reader.status;
}

static enum nb_status check_stranger(const char *path, const char *part, struct nb_error *error)
{
    char text[LONGEST_PATH];
    return is_there(path, part) ? nb_fail(error, NB_BAD_FILE, "%.300s: is there, and no part of what is to be written",
                                          part_path(path, part, text))
                                : NB_OK;
}

/* Parts that are not written, but there, would be read as this problem's. */
static enum nb_status check_strangers(const char *path, const struct nb_step_parts *parts, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int f = NB_LINEAR_GLOBAL; f <= NB_LINEAR_LOCAL; ++f)
        for (int i = 0; i < NB_STEP_MATRICES && !status; ++i) {
            const int written = f == (int)parts->form &&
                                (parts->bilaterals > 0 || !nb_step_part_is_bilateral(parts->form, i));
            if (!written)
                status = check_stranger(path, nb_step_form((enum nb_form)f)->matrix[i].name, error);
        }
    if (!status && parts->bilaterals == 0)
        status = check_stranger(path, nb_step_form(parts->form)->vector[NB_PART_BILATERAL].name, error);
    return status;
}

/* The parts that are written, beside their places until all are. */
struct written {
    int count;
    struct nb_new_file file[NB_STEP_MATRICES + NB_STEP_VECTORS];
    char path[NB_STEP_MATRICES + NB_STEP_VECTORS][LONGEST_PATH];
};

static enum nb_status write_parts(const char *path, const struct nb_step_parts *parts, struct written *written,
                                  struct nb_error *error)
{
    const struct nb_step_form *form = nb_step_form(parts->form);
    enum nb_status status = NB_OK;
    for (int i = 0; i < NB_STEP_MATRICES && !status; ++i)
        if (parts->bilaterals > 0 || !nb_step_part_is_bilateral(parts->form, i)) {
            const int n = written->count++;
            status = nb_matrix_market_begin(&written->file[n], part_path(path, form->matrix[i].name, written->path[n]),
                                            &parts->matrix[i], error);
        }
    for (int i = 0; i < NB_STEP_VECTORS && !status; ++i)
        if (form->vector[i].name && (i != NB_PART_BILATERAL || parts->bilaterals > 0)) {
            const int n = written->count++;
            status = nb_matrix_market_begin_vector(
                &written->file[n], part_path(path, form->vector[i].name, written->path[n]), parts->vector[i],
                nb_step_extent(parts, form->vector[i].rows), error);
        }
    return status;
}

enum nb_status nb_write_market_step(const char *path, const struct nb_problem *linear, struct nb_error *error)
{
    struct nb_step_parts parts;
    struct written written = {0};
    if (strlen(path) >= LONGEST_PATH - 16)
        return nb_fail(error, NB_BAD_INPUT, "%.200s...: a path has at most %d characters", path, LONGEST_PATH - 17);
    if (linear->linear.contacts == 0)
        return nb_fail(error, NB_UNSUPPORTED, "%.200s: not written: Matrix Market text has no empty matrix, and the "
                       "step no contact", path);
    enum nb_status status = nb_step_parts_take(linear, &parts, error);
    if (status)
        return status;
    status = check_strangers(path, &parts, error);
    if (!status)
        status = write_parts(path, &parts, &written, error);
    status = nb_new_files_place(written.file, written.count, status, error);
    nb_step_parts_free(&parts);
    return status;
}

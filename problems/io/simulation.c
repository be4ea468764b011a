/* What a simulation recorded on its way to the step of the file: the group simulation, with its
 * settings and one dataset a column. */
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

void nb_write_simulation(struct nb_writer *writer, const struct nb_simulation *simulation)
{
    nb_write_group(writer, "simulation");
    nb_write_text_attribute(writer, "simulation", "settings", simulation->settings);
    for (int c = 0; c < simulation->columns; ++c) {
        char path[NB_MEMBER];
        nb_member("simulation", simulation->name[c], path);
        nb_write_doubles(writer, path, simulation->steps, 0, 0, simulation->column[c], NULL, NULL);
    }
}

void nb_simulation_free(struct nb_simulation *simulation)
{
    for (int c = 0; simulation->column && c < simulation->columns; ++c)
        free(simulation->column[c]);
    free(simulation->column);
    memset(simulation, 0, sizeof *simulation);
}

static void read_columns(struct nb_reader *reader, void *context)
{
    struct nb_simulation *simulation = context;
    char path[NB_MEMBER];
    for (int c = 0; c < simulation->columns && !reader->status; ++c) {
        nb_member("simulation", simulation->name[c], path);
        if (c == 0)
            simulation->steps = nb_read_count(reader, path);
        simulation->column[c] = nb_read_doubles(reader, path, simulation->steps, 0, 0);
    }
}

struct settings {
    char *text;
    size_t size;
};

static void read_settings(struct nb_reader *reader, void *context)
{
    const struct settings *settings = context;
    if (!reader->status && !nb_reader_has(reader, "simulation"))
        nb_reader_fail(reader, NB_BAD_INPUT, "simulation", "is not there: the file is no checkpoint");
    if (!reader->status)
        nb_read_text_attribute(reader, "simulation", "settings", settings->text, settings->size);
}

enum nb_status nb_simulation_read_settings(const char *path, char *settings, size_t size,
                                           struct nb_error *error)
{
    struct settings text = {settings, size};
    return nb_read_file(path, read_settings, &text, NULL, error);
}

enum nb_status nb_simulation_read(const char *path, int columns, const char *const *name,
                                  struct nb_simulation *simulation, struct nb_error *error)
{
    *simulation = (struct nb_simulation){.columns = columns, .name = name};
    simulation->column = calloc((size_t)columns + 1, sizeof *simulation->column);
    if (!simulation->column)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its simulation", path);
    const enum nb_status status = nb_read_file(path, read_columns, simulation, NULL, error);
    if (status)
        nb_simulation_free(simulation);
    return status;
}

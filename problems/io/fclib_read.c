/* The groups fclib_global, fclib_local and fclib_global_rolling (Acary et al.; docs/reference/formats.md):
 *
 *     M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0        global
 *     u = W r + V l + q,    V^T r + R l + s = 0                  local
 *
 * with H, G and V as the file has them; in memory the transposes of H and G are kept, and W, V, R
 * as one matrix, and a problem of the plane as one in space (fclib_planar.h). */
#include <stdio.h>

#include "problems/io/fclib_planar.h"
#include "problems/io/foreign/step_parts.h"

void nb_read_fclib(struct nb_reader *reader, enum nb_form form, struct nb_problem *problem)
{
    const char *group = form == NB_LINEAR_LOCAL ? "fclib_local" : "fclib_global";
    char matrices[32], vectors[32], info[NB_MEMBER], title[NB_MEMBER];
    struct nb_step_parts parts = {.form = form};
    snprintf(matrices, sizeof matrices, "%s/", group);
    snprintf(vectors, sizeof vectors, "%s/vectors/", group);
    if (!reader->status && !nb_reader_has(reader, group))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "missing");
    parts.dimension = nb_read_dimension(reader, form);
    nb_step_parts_read(reader, &(struct nb_step_place){matrices, vectors, nb_read_fclib_matrix}, NULL, &parts, problem);
    if (nb_reader_has(reader, nb_member(group, "info", info)) && nb_reader_has(reader, nb_member(info, "title", title)))
        nb_read_text(reader, title, problem->source, sizeof problem->source);
}

void nb_read_rolling(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem)
{
    static const struct nb_step_place place = {"fclib_global_rolling/", "fclib_global_rolling/vectors/",
                                               nb_read_fclib_matrix};
    nb_step_parts_read(reader, &place, notes, &(struct nb_step_parts){.form = NB_LINEAR_GLOBAL}, problem);
}

/* Units, shapes and meanings of a step's arrays, and what can be done with any of them (problems/fields.h). */
#include "problems/fields.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY(group, member) \
    .name = #group "/" #member, .array = offsetof(struct nb_problem, group.member), \
    .count = offsetof(struct nb_problem, group.count)

static const struct nb_field bodies[] = {
    {ARRAY(bodies, position), .width = 3, .unit = "m", .meaning = "centre of mass, world frame"},
    {ARRAY(bodies, orientation), .width = 4, .rule = NB_FIELD_QUATERNION, .unit = "1",
     .meaning = "unit quaternion w, x, y, z: body to world"},
    {ARRAY(bodies, velocity), .width = 6, .unit = "m/s, rad/s",
     .meaning = "u-: velocity of the centre of mass, then angular velocity, world frame"},
    {ARRAY(bodies, mass), .rule = NB_FIELD_POSITIVE, .unit = "kg"},
    {ARRAY(bodies, inertia), .width = 3, .depth = 3, .unit = "kg m^2",
     .meaning = "about the centre of mass, body frame"},
    {.name = NULL},
};

static const struct nb_field contacts[] = {
    {ARRAY(contacts, body), .whole = 1, .width = 2, .rule = NB_FIELD_BODY,
     .meaning = "side a, side b: index into bodies, or -1 for the world"},
    {ARRAY(contacts, point), .width = 2, .depth = 3, .unit = "m",
     .meaning = "of side a, then b, from the centre of mass in its body's frame; in the world "
                "frame where the body is -1"},
    {ARRAY(contacts, radius), .width = 2, .rule = NB_FIELD_NOT_NEGATIVE, .need = NB_FIELD_ZERO, .unit = "m",
     .meaning = "rho of side a, then b: the side's point is moved by -rho n (a), rho n (b)"},
    {ARRAY(contacts, frame), .width = 3, .depth = 3, .unit = "1",
     .meaning = "rows: unit normal from b to a, two tangents; world frame, fixed over the step; friction along a "
                "tangent is its length times mu"},
    {ARRAY(contacts, thickness), .unit = "m", .meaning = "d in C_n = n . (a - b) - d"},
    {ARRAY(contacts, friction), .rule = NB_FIELD_NOT_NEGATIVE, .unit = "1", .meaning = "mu"},
    {ARRAY(contacts, particle), .whole = 1, .width = 6, .need = NB_FIELD_MAYBE,
     .meaning = "up to three particles of side a, then b; -1: no more"},
    {ARRAY(contacts, weight), .width = 2, .depth = 3, .need = NB_FIELD_MAYBE, .unit = "1",
     .meaning = "their barycentric weights"},
    {ARRAY(contacts, compliance), .width = 2, .rule = NB_FIELD_NOT_NEGATIVE, .need = NB_FIELD_MAYBE, .unit = "m/N",
     .meaning = "e_n, e_t: C_n + e_n lambda_n and D^T u + (e_t/h) lambda_f in the laws of contact"},
    {.name = NULL},
};

static const struct nb_field joints[] = {
    {ARRAY(joints, kind), .whole = 1, .meaning = "0: fixed; 1: ball; 2: hinge about z; 3: slider along z"},
    {ARRAY(joints, body), .whole = 1, .width = 2, .rule = NB_FIELD_BODY,
     .meaning = "side a, side b: index into bodies, or -1 for the world"},
    {ARRAY(joints, point), .width = 2, .depth = 3, .unit = "m",
     .meaning = "origin of side a's frame, then b's, from the centre of mass in its body's "
                "frame; in the world frame at the end of the step where the body is -1"},
    {ARRAY(joints, orientation), .width = 2, .depth = 4, .rule = NB_FIELD_QUATERNION, .unit = "1",
     .meaning = "of side a's frame, then b's, likewise: unit quaternion w, x, y, z"},
    {ARRAY(joints, compliance), .width = 6, .unit = "m/N, 1/(N m)",
     .meaning = "of the joint's rows in their order; 0 beyond them"},
    {ARRAY(joints, drift), .width = 6, .unit = "m/s, rad/s",
     .meaning = "prescribed velocity of the world's frame, then its angular velocity"},
    {.name = NULL},
};

static const struct nb_field limits[] = {
    {ARRAY(limits, joint), .whole = 1, .meaning = "index of a joint, not a fixed one"},
    {ARRAY(limits, side), .whole = 1, .meaning = "0: lower; 1: upper"},
    {ARRAY(limits, bound), .unit = "rad, m", .meaning = "of a hinge's angle, or of a slider's displacement"},
    {.name = NULL},
};

static const struct nb_field particles[] = {
    {ARRAY(particles, position), .width = 3, .unit = "m", .meaning = "world frame"},
    {ARRAY(particles, velocity), .width = 3, .unit = "m/s", .meaning = "u-"},
    {ARRAY(particles, mass), .rule = NB_FIELD_POSITIVE, .unit = "kg", .meaning = "lumped"},
    {.name = NULL},
};

static const struct nb_field tetrahedra[] = {
    {ARRAY(tetrahedra, particle), .whole = 1, .width = 4, .rule = NB_FIELD_PARTICLE,
     .meaning = "corners 0 to 3, positively oriented at rest"},
    {ARRAY(tetrahedra, rest), .width = 3, .depth = 3, .unit = "m",
     .meaning = "columns: the edges from corner 0 to 1, 2, 3 at rest"},
    {ARRAY(tetrahedra, material), .whole = 1, .meaning = "0: co-rotational Hooke; 1: stable neo-Hookean"},
    {ARRAY(tetrahedra, lame), .width = 2, .unit = "Pa", .meaning = "Lame's lambda, mu"},
    {ARRAY(tetrahedra, inflation), .unit = "Pa", .meaning = "pressure, taken from the normal stresses"},
    {.name = NULL},
};

static const struct nb_field attachments[] = {
    {ARRAY(attachments, particle), .whole = 1, .rule = NB_FIELD_PARTICLE},
    {ARRAY(attachments, body), .whole = 1, .rule = NB_FIELD_BODY,
     .meaning = "index into bodies, or -1 for the world"},
    {ARRAY(attachments, point), .width = 3, .unit = "m",
     .meaning = "from the centre of mass in the body's frame; in the world frame at the end "
                "of the step where the body is -1"},
    {ARRAY(attachments, compliance), .rule = NB_FIELD_NOT_NEGATIVE, .unit = "m/N",
     .meaning = "of all three rows"},
    {ARRAY(attachments, drift), .width = 3, .unit = "m/s",
     .meaning = "prescribed velocity of the world's point"},
    {.name = NULL},
};

static const struct nb_field distances[] = {
    {ARRAY(distances, particle), .whole = 1, .width = 2, .rule = NB_FIELD_PARTICLE},
    {ARRAY(distances, length), .rule = NB_FIELD_POSITIVE, .unit = "m"},
    {ARRAY(distances, compliance), .rule = NB_FIELD_NOT_NEGATIVE, .unit = "m/N"},
    {ARRAY(distances, damping), .rule = NB_FIELD_NOT_NEGATIVE, .need = NB_FIELD_MAYBE, .unit = "N s/m",
     .meaning = "force over dc/dt"},
    {.name = NULL},
};

static const struct nb_field ties[] = {
    {ARRAY(ties, particle), .whole = 1, .width = NB_TIED, .meaning = "different ones; -1: no more"},
    {ARRAY(ties, weight), .width = NB_TIED, .unit = "1", .meaning = "w in c = sum w x; 0 without a particle"},
    {ARRAY(ties, compliance), .rule = NB_FIELD_NOT_NEGATIVE, .unit = "m/N", .meaning = "of all three rows"},
    {ARRAY(ties, damping), .rule = NB_FIELD_NOT_NEGATIVE, .need = NB_FIELD_MAYBE, .unit = "N s/m",
     .meaning = "force over dc/dt"},
    {.name = NULL},
};

static const struct nb_field drawing[] = {
    {ARRAY(drawing, body), .whole = 1, .width = 2,
     .meaning = "side a, side b: number of a body where the step comes from, or -1"},
    {ARRAY(drawing, point), .width = 3, .unit = "m", .meaning = "of the first contacts, world frame"},
    {ARRAY(drawing, frame), .width = 3, .depth = 3, .unit = "1",
     .meaning = "rows: normal from b to a, two tangents; world frame"},
    {.name = NULL},
};

static const struct nb_field motion[] = {
    {ARRAY(motion, velocity), .unit = "m/s", .meaning = "u- in the step's velocities; rad/s where one is an angle's"},
    {ARRAY(motion, force), .unit = "N", .meaning = "all forces but those of constraints: f = M u- + h force"},
    {.name = NULL},
};

const struct nb_field_group nb_field_groups[NB_FIELD_GROUPS] = {
    [NB_BODIES] = {"bodies", "bodies/mass", 0, bodies},
    [NB_CONTACTS] = {"contacts", "contacts/friction", 0, contacts},
    [NB_JOINTS] = {"joints", "joints/kind", 1, joints},
    [NB_LIMITS] = {"limits", "limits/bound", 1, limits},
    [NB_PARTICLES] = {"particles", "particles/mass", 1, particles},
    [NB_TETRAHEDRA] = {"tetrahedra", "tetrahedra/material", 1, tetrahedra},
    [NB_ATTACHMENTS] = {"attachments", "attachments/particle", 1, attachments},
    [NB_DISTANCES] = {"distances", "distances/length", 1, distances},
    [NB_TIES] = {"ties", "ties/compliance", 1, ties},
    [NB_DRAWING] = {"drawing", "drawing/body", 1, drawing},
    [NB_MOTION] = {"motion", "motion/velocity", 1, motion},
};

void *nb_field_array(const void *owner, const struct nb_field *field)
{
    void *array;
    memcpy(&array, (const char *)owner + field->array, sizeof array);
    return array;
}

void nb_field_set(void *owner, const struct nb_field *field, void *array)
{
    memcpy((char *)owner + field->array, &array, sizeof array);
}

int nb_field_entries(const void *owner, const struct nb_field *field)
{
    int count;
    memcpy(&count, (const char *)owner + field->count, sizeof count);
    return count + field->more;
}

void nb_field_set_count(void *owner, const struct nb_field *field, int count)
{
    memcpy((char *)owner + field->count, &count, sizeof count);
}

size_t nb_field_bytes(const struct nb_field *field)
{
    const size_t numbers = (size_t)(field->width ? field->width : 1) * (size_t)(field->depth ? field->depth : 1);
    return numbers * (field->whole ? sizeof(int) : sizeof(double));
}

int nb_fields_allocate(void *owner, const struct nb_field *fields)
{
    int done = 1;
    for (const struct nb_field *field = fields; field->name; ++field) {
        if (field->need != NB_FIELD_NEEDED)
            continue;
        void *array = calloc((size_t)nb_field_entries(owner, field) + 1, nb_field_bytes(field));
        nb_field_set(owner, field, array);
        done = done && array;
    }
    return done;
}

void nb_fields_free(void *owner, const struct nb_field *fields)
{
    for (const struct nb_field *field = fields; field->name; ++field) {
        free(nb_field_array(owner, field));
        nb_field_set(owner, field, NULL);
    }
}

void *nb_repeat(const void *from, size_t bytes, int copies, int *failed)
{
    char *to = from ? malloc(bytes * (size_t)copies + 1) : NULL;
    if (from && !to)
        *failed = 1;
    for (int k = 0; to && k < copies; ++k)
        memcpy(to + bytes * (size_t)k, from, bytes);
    return to;
}

int nb_fields_repeat(const void *from, void *to, const struct nb_field *fields, int copies)
{
    int failed = 0;
    for (const struct nb_field *field = fields; field->name; ++field) {
        const size_t bytes = (size_t)nb_field_entries(from, field) * nb_field_bytes(field);
        nb_field_set(to, field, nb_repeat(nb_field_array(from, field), bytes, copies, &failed));
    }
    return !failed;
}

int nb_fields_pick(const void *from, void *to, const struct nb_field *fields, int count, const int *index)
{
    int done = 1;
    nb_field_set_count(to, fields, count);
    for (const struct nb_field *field = fields; field->name; ++field) {
        const size_t bytes = nb_field_bytes(field);
        const char *source = nb_field_array(from, field);
        char *array = source ? malloc(bytes * (size_t)count + 1) : NULL;
        nb_field_set(to, field, array);
        done = done && (array || !source);
        for (int i = 0; array && i < count; ++i)
            memcpy(array + bytes * (size_t)i, source + bytes * (size_t)index[i], bytes);
    }
    return done;
}

enum nb_status nb_group_allocate(struct nb_problem *problem, enum nb_field_groups group, int count,
                                 struct nb_error *error)
{
    const struct nb_field_group *of = &nb_field_groups[group];
    nb_field_set_count(problem, of->field, count);
    if (nb_fields_allocate(problem, of->field))
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d %s", count, of->name);
}

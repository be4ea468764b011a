/* Contacts put into a problem: points into the bodies' frames, radii apart (struct nb_contacts). */
#include "problems/collide/contact_list.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/matchstick.h"
#include "problems/fields.h"

void nb_contact_list_clear(struct nb_contact_list *list)
{
    nb_fields_free(list->problem, nb_field_groups[NB_CONTACTS].field);
    list->problem->contacts.count = list->capacity = 0;
}

static enum nb_status reserve(struct nb_contact_list *list, struct nb_error *error)
{
    struct nb_problem *problem = list->problem;
    if (problem->contacts.count < list->capacity)
        return NB_OK;
    const size_t room = 2 * (size_t)problem->contacts.count + 16;
    for (const struct nb_field *field = nb_field_groups[NB_CONTACTS].field; field->name; ++field) {
        if (field->need == NB_FIELD_MAYBE &&
            (!list->deformable || field->array == offsetof(struct nb_problem, contacts.compliance)))
            continue; /* compliance comes when all contacts are there */
        void *grown = realloc(nb_field_array(problem, field), room * nb_field_bytes(field));
        if (!grown)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d contacts", problem->contacts.count);
        nb_field_set(problem, field, grown);
    }
    list->capacity = (int)room;
    return NB_OK;
}

/* A point of a skin is told by its particles. */
static void store_skin(struct nb_contacts *contacts, int contact, int side,
                       const struct nb_contact_side *from)
{
    contacts->body[2 * contact + side] = -1;
    contacts->radius[2 * contact + side] = from->shape->radius;
    memset(contacts->point + 6 * contact + 3 * side, 0, 3 * sizeof *contacts->point);
    memcpy(contacts->particle + 6 * contact + 3 * side, from->particle, sizeof from->particle);
    memcpy(contacts->weight + 6 * contact + 3 * side, from->weight, sizeof from->weight);
}

/* In its body's frame: on the surface, or of a round shape in its middle. */
static void store_rigid(struct nb_problem *problem, int contact, int side,
                        const struct nb_contact_side *from, const double *normal)
{
    struct nb_contacts *contacts = &problem->contacts;
    const struct nb_shape *shape = from->shape;
    const double radius = nb_shape_is_round(shape) ? shape->radius : 0;
    double middle[3];
    nb_add_scaled3(from->point, side == 0 ? radius : -radius, normal, middle);
    contacts->body[2 * contact + side] = shape->body;
    contacts->radius[2 * contact + side] = radius;
    nb_to_body_frame(&problem->bodies, shape->body, middle, contacts->point + 6 * contact + 3 * side);
    for (int k = 0; contacts->particle && k < 3; ++k) {
        contacts->particle[6 * contact + 3 * side + k] = -1;
        contacts->weight[6 * contact + 3 * side + k] = 0;
    }
}

enum nb_status nb_contact_list_add(struct nb_contact_list *list, const struct nb_contact_side *a,
                                   const struct nb_contact_side *b, const double *normal,
                                   struct nb_error *error)
{
    struct nb_contacts *contacts = &list->problem->contacts;
    const struct nb_contact_side *sides[2] = {a, b};
    const enum nb_status status = reserve(list, error);
    if (status)
        return status;
    const int i = contacts->count++;
    for (int side = 0; side < 2; ++side) {
        if (sides[side]->shape->kind == NB_SHAPE_SURFACE)
            store_skin(contacts, i, side, sides[side]);
        else
            store_rigid(list->problem, i, side, sides[side], normal);
    }
    memcpy(contacts->frame + 9 * i, normal, 3 * sizeof *normal);
    contacts->thickness[i] = 0;
    contacts->friction[i] =
        nb_contact_friction(list->problem, a->shape, a->point, b->shape, b->point, contacts->frame + 9 * i);
    return NB_OK;
}

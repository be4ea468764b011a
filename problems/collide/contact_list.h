/* Contacts as they are found, put into a problem. Internal to problems/collide. */
#ifndef NB_CONTACT_LIST_H
#define NB_CONTACT_LIST_H

#include "problems/collide/collide.h"

/* One side of a contact: a point of a shape's surface in the world and, where the shape is a skin, the
 * particles it lies between. */
struct nb_contact_side {
    const struct nb_shape *shape;
    const double *point; /* [3] on the surface, world [m]    */
    int particle[3];     /* of a skin: -1 where there are fewer */
    double weight[3];    /* their barycentric weights        */
};

struct nb_contact_list {
    struct nb_problem *problem;
    int capacity;
    int deformable; /* some side may be a skin's */
    struct nb_culling culling;
};

/* Removes the problem's contacts. */
void nb_contact_list_clear(struct nb_contact_list *list);

/* Adds a contact with the unit normal [3] from side b to side a. Its friction: problems/collide/matchstick.h. */
enum nb_status nb_contact_list_add(struct nb_contact_list *list, const struct nb_contact_side *a,
                                   const struct nb_contact_side *b, const double *normal,
                                   struct nb_error *error);

#endif

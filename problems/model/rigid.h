/* A nonlinear step of rigid bodies, in parts: the bodies' state, contacts between points fixed in
 * them, joints between frames fixed in them. Private to problems/model. */
#ifndef NB_MODEL_RIGID_H
#define NB_MODEL_RIGID_H

#include "solvers/model.h"

/* A body is two nodes: translation and rotation. */
struct NB(nb_body_state) {
    int count;
    nb_real *start_position;    /* [3 count] x-        */
    nb_real *start_orientation; /* [4 count] theta-    */
    nb_real *position;          /* [3 count] x+        */
    nb_real *orientation;       /* [4 count] theta+    */
    nb_real *rotation;          /* [9 count] R(theta+) */
};

struct NB(nb_contact_points) {
    const int *body;            /* [2 contacts] borrowed from the problem */
    nb_real *point;             /* [6 contacts] */
    nb_real *radius;            /* [2 contacts] */
    nb_real *frame;             /* [9 contacts] */
    nb_real *thickness;         /* [contacts]   */
};

struct NB(nb_joint_frames) {
    int count;
    const int *kind, *body;     /* borrowed from the problem */
    int *first_block;           /* [count] block row of its first row */
    nb_real *point;             /* [6 count] */
    nb_real *orientation;       /* [8 count] */
    nb_real *sign;              /* [count] of e, fixed over the step */
};

struct NB(nb_rigid) {
    struct NB(nb_body_state) bodies;
    struct NB(nb_contact_points) contacts;
    struct NB(nb_joint_frames) joints;
};

/* A copy in this precision, or NULL. */
nb_real *NB(nb_narrow)(const double *values, size_t count);

/* R from a quaternion w, x, y, z; product = a b, where none may overlap. */
void NB(nb_rotation_matrix)(const nb_real *q, nb_real *matrix);
void NB(nb_quaternion_times)(const nb_real *a, const nb_real *b, nb_real *product);

/* The bodies' state at q+, and H^-1 at q-. */
enum nb_status NB(nb_bodies_create)(struct NB(nb_model) *model, struct nb_error *error);
void NB(nb_bodies_evaluate)(struct NB(nb_model) *model, const nb_real *u);
void NB(nb_bodies_free)(struct NB(nb_body_state) *bodies);

enum nb_status NB(nb_contacts_create)(struct NB(nb_model) *model, struct nb_error *error);
void NB(nb_contacts_evaluate)(struct NB(nb_model) *model, const nb_real *u);
void NB(nb_contacts_free)(struct NB(nb_contact_points) *contacts);

enum nb_status NB(nb_joints_create)(struct NB(nb_model) *model, struct nb_error *error);
void NB(nb_joints_evaluate)(struct NB(nb_model) *model);
void NB(nb_joint_frames_free)(struct NB(nb_joint_frames) *joints);

#endif

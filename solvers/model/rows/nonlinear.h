/* A nonlinear step in parts: the state of bodies and particles at q+, and the rows on it. Block
 * rows are those of the joints, attachments, distances, ties, tetrahedra, contacts and limits of joints,
 * in this order; each of these begins a block row of its own. Private to solvers/model/rows and the CUDA
 * solvers. */
#ifndef NB_MODEL_NONLINEAR_H
#define NB_MODEL_NONLINEAR_H

#include "solvers/model/model.h"

#define nb_block_at NB(nb_block_at)
#define nb_block_of NB(nb_block_of)
#define nb_body_state NB(nb_body_state)
#define nb_contact_points NB(nb_contact_points)
#define nb_joint_frames NB(nb_joint_frames)
#define nb_joint_state NB(nb_joint_state)
#define nb_limit_rows NB(nb_limit_rows)
#define nb_links NB(nb_links)
#define nb_narrow NB(nb_narrow)
#define nb_nonlinear NB(nb_nonlinear)
#define nb_particle_state NB(nb_particle_state)

/* A body is two nodes: translation and rotation. */
struct nb_body_state {
    int count;
    nb_real *start_position;    /* [3 count] x-        */
    nb_real *start_orientation; /* [4 count] theta-    */
    nb_real *position;          /* [3 count] x+        */
    nb_real *orientation;       /* [4 count] theta+    */
    nb_real *rotation;          /* [9 count] R(theta+) */
};

/* A particle is one node, after those of the bodies. */
struct nb_particle_state {
    int count, first_node;
    nb_real *start_position;    /* [3 count] x- */
    nb_real *position;          /* [3 count] x+ */
};

struct nb_contact_points {
    int count;                  /* the limits of joints not among them */
    int soft;                   /* how many of them are soft           */
    const int *body;            /* [2 count] borrowed from the problem */
    const int *particle;        /* [6 count] likewise; NULL: no side is deformable */
    nb_real *point;             /* [6 count] */
    nb_real *radius;            /* [2 count] */
    nb_real *weight;            /* [6 count]; NULL as particle */
    nb_real *frame;             /* [9 count] */
    nb_real *thickness;         /* [count]   */
    int *place;                 /* [2 count] the Jacobian's block of the body's translation */
    int *pad;                   /* [count] node of a soft contact's pad, -1 of a rigid one; NULL: none is soft */
    nb_real *pad_slope;         /* [2 count] of the normal and the tangents by its velocity; NULL likewise */
};

struct nb_joint_frames {
    int count;
    const int *kind, *body;     /* borrowed from the problem */
    int *first_block;           /* [count] block row of its first row */
    nb_real *point;             /* [6 count] */
    nb_real *orientation;       /* [8 count] */
    nb_real *sign;              /* [count] of e, fixed over the step */
};

/* A joint at q+. */
struct nb_joint_state {
    nb_real axis[9];    /* row k: axis k of B in the world                  */
    nb_real arm[2][3];  /* from the centres of mass to P_A                  */
    nb_real between[3]; /* P_A - P_B                                        */
    nb_real turn[9];    /* row k: de_k/dt by omega_a - omega_b, world frame */
    nb_real scalar;     /* q_0                                              */
    nb_real vector[3];  /* v                                                */
};

struct nb_limit_rows {
    int count;
    const int *joint, *side;    /* borrowed from the problem */
    nb_real *bound;             /* [count] */
    nb_real *tangent;           /* [6 count] two axes of frame b at q-, world */
};

/* Differences of positions are taken at q- in double: in single precision they would keep few digits
 * far from the origin. */
struct nb_links {
    int attachments, first_attachment; /* count, and block row of the first */
    const int *particle, *body;        /* [attachments] borrowed from the problem */
    nb_real *point;                    /* [3 attachments] in the body's frame; the world's: 0 */
    nb_real *offset;                   /* [3 attachments] x- minus x_B-, or minus the world's point */
    int distances, first_distance;
    const int *pair;                   /* [2 distances] borrowed */
    nb_real *length;                   /* [distances] with what damping adds */
    nb_real *between;                  /* [3 distances] x_a - x_b at q- */
    int ties, first_tie;
    const int *tied;                   /* [6 ties] borrowed */
    nb_real *weight;                   /* [6 ties] */
    nb_real *start;                    /* [3 ties] c at q-, less what damping takes of it */
};

struct NB(nb_tetrahedron_rows) {
    int count;
    const int *material, *particle; /* borrowed from the problem */
    int *block;                     /* [count] block row of its first row       */
    nb_real *gradient;              /* [9 count] rows of R^-1: g_1, g_2, g_3    */
    nb_real *start;                 /* [9 count] F at q-                        */
    nb_real *lame, *inflation;      /* [2 count], [count]                       */
    nb_real *volume, *length;       /* [count] V, (det R)^(1/3)                 */
};

struct nb_nonlinear {
    struct nb_body_state bodies;
    struct nb_particle_state particles;
    struct nb_contact_points contacts;
    struct nb_joint_frames joints;
    struct nb_limit_rows limits;
    struct nb_links links;
    struct NB(nb_tetrahedron_rows) tetrahedra;
    void *memory; /* of all arrays that are not borrowed */
};

/* to [count] = values in this precision. */
void nb_narrow(nb_real *to, const double *values, size_t count);

/* Index of the Jacobian's block of `node` in a block row that has one. */
NB_BOTH int nb_block_at(const struct nb_bsr *jacobian, int row, int node)
{
    int at = jacobian->start[row];
    while (jacobian->column[at] != node)
        ++at;
    return at;
}

NB_BOTH nb_matrix *nb_block_of(struct nb_model *model, int row, int node)
{
    return model->jacobian.value + 9 * (size_t)nb_block_at(&model->jacobian, row, node);
}

/* Bilateral block rows and the pattern (solvers/model/rows/rows.c): places of the problem's bilateral
 * rows, compliance 1 in the padding and 0 elsewhere, multipliers' units, and the Jacobian's columns. */
enum nb_status NB(nb_rows_create)(struct nb_model *model, struct nb_error *error);

/* The state at q+, and H^-1 and u~ at q-. */
void NB(nb_bodies_start)(struct nb_model *model);
void NB(nb_bodies_evaluate)(struct nb_model *model, const nb_real *u);

void NB(nb_particles_start)(struct nb_model *model);
void NB(nb_particles_evaluate)(struct nb_model *model, const nb_real *u);

/* Rows: violation, Jacobian, and the compliance where it depends on q+. */
void NB(nb_contacts_start)(struct nb_model *model);
void NB(nb_contacts_evaluate)(struct nb_model *model, const nb_real *u);

/* Before and after the contacts (solvers/model/rows/pads.c). NB_UNSUPPORTED where this precision cannot hold a mass. */
enum nb_status NB(nb_pads_start)(struct nb_model *model, struct nb_error *error);
void NB(nb_pads_evaluate)(struct nb_model *model, const nb_real *u);

void NB(nb_joints_start)(struct nb_model *model);
void NB(nb_joints_evaluate)(struct nb_model *model);

/* After the joints and contacts. */
void NB(nb_limits_start)(struct nb_model *model);
void NB(nb_limits_evaluate)(struct nb_model *model, const nb_real *u);

void NB(nb_links_start)(struct nb_model *model);
void NB(nb_links_evaluate)(struct nb_model *model, const nb_real *u);

void NB(nb_tetrahedra_start)(struct nb_model *model);
void NB(nb_tetrahedra_evaluate)(struct nb_model *model, const nb_real *u);
/* Adds to the pairs of nb_model_curvature what of the elements' stiffness is negative and has no rows. */
void NB(nb_tetrahedra_curvature)(const struct nb_model *model, const nb_real *u,
                                 const int *pair_start, nb_real *pairs);

#endif

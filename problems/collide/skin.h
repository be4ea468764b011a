/* Skins of deformable bodies: triangles between particles, thickened by a radius. Internal to
 * problems/collide. */
#ifndef NB_SKIN_H
#define NB_SKIN_H

#include "problems/collide/contact_list.h"
#include "problems/collide/solid.h"

struct nb_skin {
    const struct nb_shape *shape;
    double *normal; /* [3 faces] outward, unit; 0 for a face without area                */
    int *edge;      /* [3 faces] number of the edge from corner k to the next            */
    int edge_count;
};

/* A vertex and a face of a skin near it. */
struct nb_noted {
    int particle, skin, face;
    double margin;
};

/* All skins of a problem, with working space. Particles on several skins belong to the last. */
struct nb_skins {
    const struct nb_problem *problem; /* borrowed */
    int count;
    struct nb_skin *skin;
    int *skin_of;          /* [particles] index of the particle's skin, or -1          */
    int *owner;            /* [particles] first face of that skin that has it as corner */
    double *vertex_normal; /* [3 particles] sum of its faces' normals by their areas   */
    int *seen, *seen_edge; /* [particles], [most edges] stamps                         */
    int stamp;
    int noted_count, noted_capacity;
    struct nb_noted *noted; /* [noted_count] */
};

/* Solids from `solid` on become the faces' boxes, in the order of shapes and faces. The caller frees, also after a
 * failure. */
enum nb_status nb_skins_create(struct nb_skins *skins, const struct nb_problem *problem,
                               struct nb_solid *solid, struct nb_error *error);
void nb_skins_free(struct nb_skins *skins);

/* Faces of all skins of a problem. */
int nb_skin_faces(const struct nb_problem *problem);

/* The point of a triangle that is nearest to another. */
struct nb_nearest {
    double weight[3]; /* barycentric, >= 0, of sum 1                                    */
    double point[3];
    int corners;      /* with weight: 1 at a corner, 2 on an edge, 3 between            */
    int index;        /* that corner, or the corner where that edge begins; 0 otherwise */
};

/* corners [3] are rows of position [3]. */
void nb_nearest_on_triangle(const double *const *corner, const double *x,
                            struct nb_nearest *nearest);

/* The same for face f of a skin. */
void nb_skin_nearest(const struct nb_skins *skins, const struct nb_skin *skin, int face,
                     const double *x, struct nb_nearest *nearest);

/* Is a unit direction, into which a face or vertex would be pushed, against its outward normal? A rope has none, and
 * may be pushed into any. */
int nb_skin_faces_against(const double *normal, const double *direction);

/* The side of a contact at a point of a face's middle surface; its surface point, radius along
 * `outward` from there, is written to surface [3]. */
struct nb_contact_side nb_skin_side(const struct nb_skin *skin, int face,
                                    const struct nb_nearest *nearest, const double *outward,
                                    double *surface);

/* Contacts of one skin with one rigid solid: the faces are faces[0..count-1], ascending. depth: how far behind a face
 * a corner of the solid counts [m]. */
enum nb_status nb_skin_meets_solid(struct nb_skins *skins, struct nb_skin *skin, const int *faces,
                                   int count, const struct nb_solid *solid, double margin, double depth,
                                   struct nb_manifold *manifold, struct nb_contact_list *list,
                                   struct nb_error *error);

/* The same with a field, which has an inside: how deep does not matter. */
enum nb_status nb_skin_meets_field(struct nb_skins *skins, struct nb_skin *skin, const int *faces, int count,
                                   const struct nb_solid *solid, double margin, struct nb_contact_list *list,
                                   struct nb_error *error);

/* Notes that faces of two skins are within the margin of each other. */
enum nb_status nb_skins_note(struct nb_skins *skins, const struct nb_solid *a,
                             const struct nb_solid *b, double margin, struct nb_error *error);

/* Contacts between vertices and faces of the pairs that were noted; depth as above. */
enum nb_status nb_skins_meet(struct nb_skins *skins, double depth, struct nb_contact_list *list,
                             struct nb_error *error);

#endif

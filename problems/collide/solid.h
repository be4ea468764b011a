/* A shape placed in the world, with what collision detection asks of it, and the contact points of
 * two of them. Internal to problems/collide. */
#ifndef NB_SOLID_H
#define NB_SOLID_H

#include "problems/problem.h"

/* An edge runs from vertex[0] to vertex[1] counter-clockwise in face[0], backwards in face[1]. */
struct nb_edge {
    int vertex[2];
    int face[2];
};

/* Points x of face f satisfy normal_f . x = offset_f; inside is below. A plane is one face without
 * vertices. A round solid, sphere or capsule, has neither: it is what lies within the shape's radius
 * of the segment between the ends. Corner lists are borrowed from the problem's shape. */
struct nb_solid {
    const struct nb_shape *shape;
    double *vertex;  /* [3 shape->vertex_count], world [m]      */
    double *normal;  /* [3 face_count], outward, unit           */
    double *offset;  /* [face_count] [m]                        */
    struct nb_edge *edge; /* [edge_count]                       */
    int face_count, edge_count;
    double ends[6];  /* of a round solid's segment, world [m]; equal for a sphere */
    double lower[3], upper[3]; /* bounding box [m]; a plane's is empty */
    double size;     /* smallest extent of the bounding box [m] */
    double rotation[9], position[3]; /* of a field's frame in the world */
    int group;       /* solids of one group never meet: the body's index, -1 for the world */
    int skin, face;  /* of a deformable body's skin (skin.h): which one, and its face, of which there
                        is the bounding box only */
};

/* Rotation [9] and position [3] of a shape's frame in the world. */
void nb_shape_frame(const struct nb_problem *problem, const struct nb_shape *shape, double *rotation,
                    double *position);

/* The caller frees, also after a failure. */
enum nb_status nb_solid_create(struct nb_solid *solid, const struct nb_problem *problem,
                               const struct nb_shape *shape, struct nb_error *error);
void nb_solid_free(struct nb_solid *solid);

/* Moves it to where its body is now. */
void nb_solid_place(struct nb_solid *solid, const struct nb_problem *problem);

static inline int nb_solid_is_round(const struct nb_solid *solid)
{
    return nb_shape_is_round(solid->shape);
}

static inline int nb_solid_is_field(const struct nb_solid *solid)
{
    return solid->shape->kind == NB_SHAPE_FIELD;
}

/* The smallest and largest direction . x over the points x of a convex or round solid; the
 * direction is of unit length. */
void nb_solid_range(const struct nb_solid *solid, const double *direction, double *low,
                    double *high);

enum nb_feature { NB_FEATURE_FACE_A, NB_FEATURE_FACE_B, NB_FEATURE_EDGES };

/* The axis along which two convex solids lie farthest apart. */
struct nb_separation {
    enum nb_feature feature;
    int index_a, index_b; /* the face of a or of b, or the edges of both */
    double normal[3];     /* from b to a                                 */
    double gap;           /* negative: depth [m]                         */
};

/* Returns 1 where the gap is at most margin, else 0. If `steady`, of nearly equal gaps it is that of a face of a before
 * one of b, and that of a face before edges, so that it is the same from step to step. */
int nb_separate(const struct nb_solid *a, const struct nb_solid *b, double margin, int steady,
                struct nb_separation *result);

/* Contact points between two solids. Arrays have room for capacity points, polygon for two
 * polygons of that many corners. */
struct nb_manifold {
    int count, capacity;
    double *normal;      /* [3 capacity] from b to a     */
    double *on_a, *on_b; /* [3 capacity], world [m]      */
    double *polygon;     /* [6 capacity] working space   */
    void *memory;        /* of these arrays              */
    int faces, near;     /* of meshes beside a field: triangles, and those whose bounding spheres are near it */
};

enum nb_status nb_manifold_allocate(struct nb_manifold *manifold, int capacity,
                                    struct nb_error *error);
void nb_manifold_free(struct nb_manifold *manifold);

/* Nothing is added to a full one. */
void nb_manifold_add(struct nb_manifold *manifold, const double *normal, const double *on_a,
                     const double *on_b);

/* The contacts of any two solids, not both planes; the points' gaps are at most margin. */
void nb_manifold_find(struct nb_manifold *manifold, const struct nb_solid *a,
                      const struct nb_solid *b, double margin);

/* Closest points [3] of two segments, which may have no length: first and second are their ends [6].
 * Returns the distance. */
double nb_nearest_on_segments(const double *first, const double *second, double *on_first,
                              double *on_second);

/* a round; b round, a plane, or convex. */
void nb_manifold_round(struct nb_manifold *manifold, const struct nb_solid *a,
                       const struct nb_solid *b, double margin);
void nb_manifold_round_plane(struct nb_manifold *manifold, const struct nb_solid *a,
                             const struct nb_solid *b, double margin);
void nb_manifold_round_convex(struct nb_manifold *manifold, const struct nb_solid *a,
                              const struct nb_solid *b, double margin);

/* One of them a field, the other no plane. */
void nb_manifold_field(struct nb_manifold *manifold, const struct nb_solid *a, const struct nb_solid *b, double margin);

/* phi of a field's solid at a point of the world, and its gradient there. */
double nb_solid_distance(const struct nb_solid *solid, const double *x, double *gradient);

/* x of the world in the field's frame. */
void nb_solid_to_field(const struct nb_solid *solid, const double *x, double *local);

#endif

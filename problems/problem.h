/* One time step of frictional contact, as every part of ncpbench passes it on.
 *
 * Nonlinear step (form NB_NONLINEAR): find u+ and lambda+ with q+ = q- (+) h u+ such that
 *
 *     M (u+ - u~) - h J(q+)^T lambda+ = 0                     momentum   [N s]
 *     0 <= C_n(q+)  _|_  lambda_n >= 0                        contact    [m], [N]; limit of a joint
 *     |lambda_f| <= mu lambda_n,  D^T u+ opposes lambda_f      friction   [N], [m/s]
 *
 * with u~ = u- + h M^-1 f(q-, u-), C_n = n . (a(q) - b(q)) - d, and n fixed over the step
 * (Macklin et al. 2019, equations 9 and 45 to 50).
 *
 * Linear steps are FCLIB's (Acary et al.): with r = h lambda,
 *   global (NB_LINEAR_GLOBAL):  M v = H r + G l + f,  U = H^T v + w,  G^T v + b = 0,
 *   local  (NB_LINEAR_LOCAL):   U = W r + V l + q,    V^T r + R l + s = 0,
 * and in both  U + (mu |U_T|, 0, 0)  in K*  _|_  r in K, the Coulomb cone.
 *
 * Units are SI. Arrays are owned by the problem and freed by nb_problem_free. Every contact
 * stores its normal row first and the two tangents after it. All indices count from 0. */
#ifndef NB_PROBLEM_H
#define NB_PROBLEM_H

#include <stddef.h>

#include "problems/base/hash.h"
#include "problems/base/status.h"

enum nb_form { NB_NONLINEAR, NB_LINEAR_GLOBAL, NB_LINEAR_LOCAL };

/* Compressed sparse rows. Entries of a row are in ascending column order, without repeats. */
struct nb_csr {
    int rows, columns;
    int *start;    /* [rows + 1], start[0] = 0; start[rows] is the number of entries */
    int *column;   /* [start[rows]] */
    double *value; /* [start[rows]] */
};

/* Rigid bodies in maximal coordinates. Their velocity is (v, omega), world frame. */
struct nb_bodies {
    int count;
    double *position;    /* [3 count]  centre of mass, world [m]                     */
    double *orientation; /* [4 count]  unit quaternion w, x, y, z: body to world     */
    double *velocity;    /* [6 count]  u-: v [m/s], omega [rad/s]                    */
    double *mass;        /* [count]    > 0 [kg]                                      */
    double *inertia;     /* [9 count]  about the centre of mass, body frame [kg m^2] */
};

/* Particles: the nodes of deformable bodies. They have three velocities each and a lumped mass. */
struct nb_particles {
    int count;
    double *position; /* [3 count]  world [m]      */
    double *velocity; /* [3 count]  u- [m/s]       */
    double *mass;     /* [count]    > 0 [kg]       */
};

/* Linear tetrahedra in compliance form (Macklin et al. 2019, 9.1, 9.2 and appendix B;
 * docs/theory/design.md, sections 3 and 5). With F = [x_1-x_0, x_2-x_0, x_3-x_0] R^-1, R the edges at rest,
 * V = det R / 6 and the energy V Psi(s), the rows of an element are E (V dPsi/ds + lambda) = 0 with
 *
 *   Hooke        s = (e_xx, e_yy, e_zz, 2 e_yz, 2 e_xz, 2 e_xy), e = sym(Q^T F) - 1, F = Q S the polar
 *                decomposition, Q a rotation; E = (V K)^-1; 6 rows
 *   neo-Hookean  s = principal stretches of F, s_1 >= s_2 >= |s_3|, s_3 with the sign of det F;
 *                Psi = C_1 (s.s - 3) + D_1 (J - alpha)^2, J = s_1 s_2 s_3, C_1 = mu/2,
 *                D_1 = (lambda + mu)/2, alpha = 1 + C_1/D_1; E = (V d2Psi/ds2)^-1, the
 *                eigenvalues of the Hessian by their size, at least mu/100; 3 rows
 *
 * to which a pressure p of inflation adds -p (1, 1, 1) to dPsi/ds (Hooke: in its normal rows). So
 * lambda = -V dPsi/ds [N m] at the solution, and J^T lambda are the forces on the particles. J
 * is ds/dx, which has no torque for any lambda. */
enum nb_material { NB_MATERIAL_HOOKE, NB_MATERIAL_NEO_HOOKEAN };

struct nb_tetrahedra {
    int count;
    int *particle;     /* [4 count]  positively oriented at rest                  */
    double *rest;      /* [9 count]  R, row by row: its columns are the edges [m] */
    int *material;     /* [count]    enum nb_material                             */
    double *lame;      /* [2 count]  lambda >= 0, mu > 0 [Pa]                     */
    double *inflation; /* [count]    p [Pa]                                       */
};

/* A particle held at a point of a rigid body or of the world, c = x - (x_B + R_B point), 3 rows.
 * Where the world's point moves, it is the one at the end of the step, as with joints. */
struct nb_attachments {
    int count;
    int *particle;      /* [count]                                              */
    int *body;          /* [count]    index into bodies, or -1 for the world    */
    double *point;      /* [3 count]  in the body's frame (-1: the world's) [m] */
    double *compliance; /* [count]    of all three rows, >= 0 [m/N]             */
    double *drift;      /* [3 count]  prescribed velocity of the world's point [m/s]; else 0 */
};

/* Two particles kept apart at a length: c = |x_a - x_b| - length, 1 row.
 *
 * damping d is strain-rate damping (Kelvin and Voigt's material): beside c/E the force d dc/dt, implicit in time,
 * E lambda = -c(q+) - (d E/h) (c(q+) - c(q-)). With the share s = d E/(h + d E) that is a row of the same form,
 *
 *     c(q+) - s c(q-) + (1 - s) E lambda = 0. */
struct nb_distances {
    int count;
    int *particle;      /* [2 count]                    */
    double *length;     /* [count]    > 0 [m]           */
    double *compliance; /* [count]    >= 0 [m/N]        */
    double *damping;    /* [count]    d >= 0 [N s/m]; NULL: none */
};

/* Up to six particles in a linear relation: c = sum_k w_k x_k, 3 rows in the world's axes, with damping as above.
 * Shells bend against such ties, between a triangle's corners and those of its neighbours, and a mass at the middle of
 * an element is tied to its corners, which is a consistent mass matrix (problems/scenes/build/scene_mass.h). */
enum { NB_TIED = 6 };

struct nb_ties {
    int count;
    int *particle;      /* [6 count]  different ones, then -1 where there are no more */
    double *weight;     /* [6 count]  w [1]; 0 without a particle                     */
    double *compliance; /* [count]    of all three rows, >= 0 [m/N]                   */
    double *damping;    /* [count]    d >= 0 [N s/m]; NULL: none                      */
};

enum nb_shape_kind {
    NB_SHAPE_PLANE,
    NB_SHAPE_CONVEX,
    NB_SHAPE_SPHERE,
    NB_SHAPE_CAPSULE,
    NB_SHAPE_SURFACE,
    NB_SHAPE_FIELD
};

/* A body given by its signed distance phi [m], negative inside, in its shape's frame; problems/distance/ evaluates it.
 * Its sizes [m] are
 *   sphere    radius                                 box       half sides
 *   capsule   radius, half length of its axis z      torus     radius of the ring about z, of the tube round it
 *   cylinder  radius, half height, axis z            cone      radius of the base z = 0, height of the apex
 *   spool     radius of the drum and of the flanges, half the width between these, their thickness; axis z
 *   grid      distance of two nodes, then the place of the first one; values at the nodes, x changing fastest */
enum nb_distance_kind {
    NB_DISTANCE_SPHERE,
    NB_DISTANCE_BOX,
    NB_DISTANCE_CAPSULE,
    NB_DISTANCE_TORUS,
    NB_DISTANCE_CYLINDER,
    NB_DISTANCE_CONE,
    NB_DISTANCE_SPOOL,
    NB_DISTANCE_GRID,
    NB_DISTANCE_KINDS
};

struct nb_distance {
    enum nb_distance_kind kind;
    double size[4]; /* 0 beyond those of the kind                        */
    int nodes[3];   /* of a grid, along x, y, z; otherwise 0             */
    double *value;  /* [product of nodes] of a grid [m]; otherwise NULL  */
};

static inline size_t nb_distance_nodes(const struct nb_distance *field)
{
    return (size_t)field->nodes[0] * (size_t)field->nodes[1] * (size_t)field->nodes[2];
}

/* Coefficients of friction along and across, and lengths of tangents, differ by no more. */
#define NB_ANISOTROPY 1000.0

/* Nodes of a map of structure along either axis, at most. */
#define NB_MAP_NODES 4096

/* A field of structure directions over a shape: by how much its structure is turned about z of its frame, at the nodes
 * of a grid over x and y of that frame, linear in x and in y between them, and beyond the edge as at the edge's
 * nearest point. */
struct nb_structure_map {
    int nodes[2];      /* along x, y, at least 2; 0: none, and structure is the same everywhere */
    double corner[2];  /* of the first node, shape's frame [m]                                  */
    double spacing[2]; /* > 0 [m]                                                               */
    double *angle;     /* [product of nodes], x changing fastest [rad]; NULL without            */
};

static inline size_t nb_structure_map_nodes(const struct nb_structure_map *map)
{
    return (size_t)map->nodes[0] * (size_t)map->nodes[1];
}

/* Shapes serve collision detection and drawing; the step itself needs only the contacts.
 * A plane has the outward normal z in its own frame and is infinite.
 * A convex polyhedron lists its faces counter-clockwise seen from outside. A sphere is centred on its
 * frame; a capsule is the set of points within radius of the segment from -half_length to half_length
 * on its frame's z axis. A surface is the closed or open skin of a deformable body: triangles whose
 * corners (face_vertex) are particles, counter-clockwise from outside; it has no body and no frame,
 * and is thickened by radius. Corners a, b, b are a segment of a rope, which has no side. A field is a body of any
 * form, given by its distance; its vertices and faces are a mesh of it, which is drawn, and which others meet. */
struct nb_shape {
    enum nb_shape_kind kind;
    int body;               /* index into bodies, or -1: fixed to the world */
    double position[3];     /* of the shape's frame in the body's (or world's) frame [m] */
    double orientation[4];  /* w, x, y, z */
    double friction;        /* mu; a contact takes the larger of its two shapes' */
    double structure[3];    /* unit vector in the shape's frame, along which mu is friction; 0: isotropic;
                             * no surface has one. How two go together: problems/collide/matchstick.h */
    double across;          /* mu across it, in the surface, friction/1000 to 1000 friction; 0 otherwise */
    double radius;          /* sphere, capsule, skin of a surface [m]; 0 otherwise */
    double half_length;     /* capsule [m]; 0 otherwise         */
    int vertex_count, face_count;
    double *vertex;         /* [3 vertex_count], shape frame [m]; a surface has none */
    int *face_start;        /* [face_count + 1]                       */
    int *face_vertex;       /* [face_start[face_count]]               */
    struct nb_distance field; /* of a field                           */
    struct nb_structure_map map; /* turns structure from place to place */
};

static inline int nb_shape_is_round(const struct nb_shape *shape)
{
    return shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_CAPSULE;
}

/* Whether its corners are vertices of its own. */
static inline int nb_shape_has_vertices(const struct nb_shape *shape)
{
    return shape->kind == NB_SHAPE_CONVEX || shape->kind == NB_SHAPE_FIELD;
}

/* Parameters of a problem that make every contact that is found soft, e_n and e_t [m/N]. */
#define NB_CONTACT_COMPLIANCE "contact_compliance"
#define NB_FRICTION_COMPLIANCE "friction_compliance"

/* C_n = n . (a - b) - d with n pointing from side b to side a: positive when open. A side's point is
 * a = x_A + R_A p_A - rho_a n and b = x_B + R_B p_B + rho_b n, with p fixed in the body and rho the radius of a round
 * surface about it: this does not turn with the body, so that what rolls is touched below its middle at q+, too. With
 * tangents of lengths s_1, s_2 Coulomb's law on D = (t_1, t_2), |lambda_f| <= mu lambda_n and D^T u opposite to
 * lambda_f, is that of maximal dissipation in the ellipse of the coefficients s_k mu: the force D lambda_f has the
 * components s_k lambda_f,k, the slip those of D^T u over s_k. The force acts at a and b. A side may instead be a point
 * of a deformable surface, a = sum_k w_k x_k - rho_a n over one to three particles; then its body is -1, its
 * point 0.
 *
 * A soft contact gives way by what it carries: in the place of C_n its laws have C_n + e_n lambda_n, in that of the
 * tangents' velocity D^T u + (e_t/h) lambda_f, as if two springs of stiffness 1/e_n and 1/e_t stood between its points,
 * the tangents' relaxed at q-. In U = J u + w + C R this is C = diag(e_n, e_t, e_t)/h^2 (Macklin et al. 2019, 54). */
struct nb_contacts {
    int count;
    int *body;         /* [2 count]  side a, side b: index into bodies, or -1 for the world      */
    double *point;     /* [6 count]  of side a, then b, in its body's frame (-1: the world's) [m] */
    double *radius;    /* [2 count]  rho of side a, then b [m]; NULL: 0 everywhere                */
    int *particle;     /* [6 count]  up to three particles of side a, then b; -1: no more; NULL:
                          no side is deformable                                                  */
    double *weight;    /* [6 count]  their barycentric weights, >= 0, of sum 1; NULL likewise     */
    double *frame;     /* [9 count]  rows n, t1, t2: right-handed orthogonal, world frame; n of length
                          1, t_k of length s_k, 1 where friction is isotropic                    */
    double *thickness; /* [count]    d [m]                                                        */
    double *friction;  /* [count]    mu >= 0                                                      */
    double *compliance; /* [2 count] e_n, e_t >= 0 of the rows as they are stored [m/N]; NULL: 0 everywhere */
};

/* Joints between frames fixed in two bodies, as compliant bilateral rows c_b(q) + E lambda_b = 0
 * (Macklin et al. 2019, 8 and 47). Side a's frame has its origin at point a and the axes of
 * orientation a; its z axis is the axis of a hinge or a slider. With x = point a - point b, and e the
 * rotation from frame b to frame a as a vector (twice the vector part of its quaternion, scalar part
 * made positive at q- and its sign then kept over the step), both in the axes of frame b:
 *
 *   fixed   x_x, x_y, x_z, e_x, e_y, e_z      ball    x_x, x_y, x_z
 *   hinge   x_x, x_y, x_z, e_x, e_y           slider  x_x, x_y, e_x, e_y, e_z
 *
 * Row order is as listed. Like those of contacts, the rows of J are velocities at q+ by (v, omega), and
 * J^T lambda_b acts at point a on both bodies. A side of -1 is the world; where the world's frame is
 * prescribed to move, point and orientation are those at the end of the step, and drift tells how
 * simulate.c moves it. Bodies joined by a joint do not collide with each other. */
enum nb_joint_kind { NB_JOINT_FIXED, NB_JOINT_BALL, NB_JOINT_HINGE, NB_JOINT_SLIDER };

struct nb_joints {
    int count;
    int *kind;           /* [count]    enum nb_joint_kind                                     */
    int *body;           /* [2 count]  side a, side b: index into bodies, or -1 for the world */
    double *point;       /* [6 count]  of side a, then b, in its body's frame (-1: world) [m] */
    double *orientation; /* [8 count]  of side a, then b, likewise; unit quaternions w, x, y, z */
    double *compliance;  /* [6 count]  of the rows in the order above; >= 0 [m/N], [1/(N m)];
                            entries beyond the joint's rows are 0                             */
    double *drift;       /* [6 count]  prescribed velocity of a side -1: v [m/s], omega [rad/s];
                            0 where neither side is the world                                 */
};

/* A point of the world, seen from a body, or from the world where body is -1; may overlap. */
void nb_to_body_frame(const struct nb_bodies *bodies, int body, const double *world, double *local);

/* Rows of a joint of that kind: 6, 3, 5 or 5. */
int nb_joint_rows(enum nb_joint_kind kind);

/* Bounds of the coordinate that a hinge, a slider or a ball leaves free, as unilateral rows
 *
 *     0 <= C_n(q+)  _|_  lambda_n >= 0,   C_n = c - bound  (lower),   C_n = bound - c  (upper),
 *
 * c the angle 2 atan2(v_z, q_0) of a hinge, (q_0, v) the rotation from frame b to frame a with the
 * sign of the joint's e, the whole angle 2 atan2(|v|, q_0) of a ball, about v, or the displacement x_z of
 * a slider. lambda_n is a torque about z, or v, [N m], or a force along z that acts at point a of both
 * bodies. A ball has an upper limit alone: its angle has no sign.
 *
 * Everywhere a limit is a contact without friction, after the contacts: its normal row is that of
 * C_n, its two tangents are the x and y axes of frame b at q-, along which a slider's bodies, or
 * about which a hinge's, move against each other; of a ball the two axes that follow in turn the one
 * nearest to v. These rows carry no force, since mu = 0; they give the block of a limit the full rank
 * that one of a contact has. */
enum nb_limit_side { NB_LIMIT_LOWER, NB_LIMIT_UPPER };

/* Largest bound of an angle [rad]: at pi it could not be told from -pi. */
#define NB_LIMIT_ANGLE 3.0

struct nb_limits {
    int count;
    int *joint;    /* [count] no fixed joint; ascending, lower limits before upper ones */
    int *side;     /* [count] enum nb_limit_side                                             */
    double *bound; /* [count] [rad] of a hinge or a ball, [m] of a slider                    */
};

/* Where the first contacts of a linear step are, for drawing alone: solvers read none of it. Its shapes stand where
 * they are at q-, in the world's frame (body -1). */
struct nb_drawing {
    int count;     /* of the first contacts of the linear step; 0: it is not known where they are   */
    int *body;     /* [2 count]  side a, side b: the bodies' numbers where the step comes from, or -1 */
    double *point; /* [3 count]  world frame [m]                                                     */
    double *frame; /* [9 count]  rows n, from b to a, t1, t2: world frame                            */
};

/* Of what f of a linear step is made, f = M u- + h force, for programs that take the step in another way: solvers read
 * none of it. */
struct nb_free_motion {
    int count;        /* linear.dofs, or 0: it is not known                                        */
    double *velocity; /* u- [count]                                                                */
    double *force;    /* [count]  all forces but those of constraints, in generalised coordinates [N] */
};

/* The linear step. Row 3 i of H^T belongs to contact i's normal, 3 i + 1 and 3 i + 2 to its
 * tangents. Matrices that a form lacks have zero rows. */
struct nb_linear_step {
    int dofs;           /* n: entries of v; 0 for a local problem       */
    int contacts;       /* n_c                                          */
    int bilaterals;     /* p: rows of G^T, or of R                      */
    struct nb_csr mass; /* M  [n x n]        global                     */
    struct nb_csr contact_jacobian;   /* H^T [3 n_c x n]   global       */
    struct nb_csr bilateral_jacobian; /* G^T [p x n]       global       */
    struct nb_csr delassus; /* local: [W V; V^T R], [(3 n_c + p) square], contacts first */
    double *force;      /* f [n]             global [N s]               */
    double *contact_velocity;   /* w, or q in a local problem [3 n_c] [m/s] */
    double *bilateral_velocity; /* b, or s in a local problem [p]     [m/s] */
    double *friction;   /* mu [n_c]                                     */
};

/* A scene's parameter as it was used, for the record. */
struct nb_parameter {
    char name[32];
    double value;
};

struct nb_problem {
    enum nb_form form;
    double time_step;  /* h [s]; 1 where a plain FCLIB file does not tell */
    /* Nonlinear step; empty otherwise, but for gravity and shapes, which a linear step may have to be drawn. */
    double gravity[3]; /* [m/s^2] */
    struct nb_bodies bodies;
    struct nb_particles particles;
    int shape_count;
    struct nb_shape *shapes;
    struct nb_contacts contacts;
    struct nb_joints joints;
    struct nb_limits limits;
    struct nb_attachments attachments;
    struct nb_distances distances;
    struct nb_ties ties;
    struct nb_tetrahedra tetrahedra;
    double *free_velocity; /* u~ [nb_problem_dofs]: 6 a body, then 3 a particle */
    /* Linear step; empty in a nonlinear problem. */
    struct nb_linear_step linear;
    struct nb_drawing drawing;
    struct nb_free_motion motion;
    /* Provenance, for people and records. */
    char name[64];     /* scene or file name without path and suffix  */
    char source[256];  /* the scene, or the FCLIB title               */
    char generator[128]; /* program, version and commit that wrote it */
    int step;          /* index of the step in the simulation         */
    char hash[NB_HASH_SIZE]; /* SHA-256 of the bytes it was read from, as `sha256sum FILE` prints it; "" of a step
                          that comes from no file. Copies and linearised steps keep it */
    int parameter_count;
    struct nb_parameter *parameters;
};

/* Rows of a tetrahedron of that material: 6 or 3. */
int nb_tetrahedron_rows(enum nb_material material);

/* Sizes that every form shares. The unknowns of any solver are
 *   u      [nb_problem_dofs]        velocity: 6 a body, then 3 a particle; or v, or U where the form is
 *                                   local (contacts' U first, then the p bilateral rows' velocity)
 *   lambda [nb_problem_multipliers] forces [N]: p bilateral rows (a nonlinear step: those of its
 *          joints, attachments, distances, ties and tetrahedra [N m], in order), then 3 a contact (n,
 *          t1, t2) and likewise 3 a limit of a joint
 * Limits of joints count as contacts, the last ones, here and wherever nothing else is said. */
int nb_problem_dofs(const struct nb_problem *problem);
int nb_problem_contacts(const struct nb_problem *problem);
int nb_problem_bilaterals(const struct nb_problem *problem);
int nb_problem_multipliers(const struct nb_problem *problem);

/* The value of the scene's parameter of that name, or otherwise. */
double nb_problem_parameter(const struct nb_problem *problem, const char *name, double otherwise);

/* Frees what a shape owns; it is not to be used afterwards. */
void nb_shape_free(struct nb_shape *shape);

/* Frees what the problem owns and clears it; a cleared problem is fine. */
void nb_problem_free(struct nb_problem *problem);

/* The shape with arrays of its own. Returns 0 without memory; what there is, is the copy's to free. */
int nb_shape_copy(const struct nb_shape *from, struct nb_shape *to);

/* Checks everything that a solver relies on: sizes, index ranges, CSR order, finiteness,
 * positive masses and time step, inertia symmetric positive definite, unit quaternions and
 * orthonormal frames (to 1e-6), mu >= 0, a square mass with positive diagonal. The message names
 * the array by its dataset name in docs/reference/formats.md and the first offending index. */
enum nb_status nb_problem_validate(const struct nb_problem *problem, struct nb_error *error);

/* What a problem made of another one keeps: time step, name, source, generator, step and parameters. Returns 0
 * without memory. */
int nb_problem_keep_provenance(const struct nb_problem *problem, struct nb_problem *other);

/* Sets the sizes and allocates the vectors, all zero; matrices are left alone. Returns 0 without memory: what there is
 * then belongs to the step all the same. */
int nb_linear_vectors_allocate(struct nb_linear_step *step, int dofs, int contacts, int bilaterals);

/* Deep copy. On failure *copy is cleared. */
enum nb_status nb_problem_copy(const struct nb_problem *problem, struct nb_problem *copy,
                               struct nb_error *error);

/* C_n(q-) of a contact, limits of joints not among them [m]. */
double nb_contact_gap(const struct nb_problem *problem, int contact);

/* The same step linearised at q-: a global problem with f = M u~ and w = C_n(q-)/h in the normal
 * entries (docs/theory/design.md, section 7). Bilateral rows without compliance become G and b = c_b(q-)/h; those with
 * compliance E, C = E/h^2, are folded into M + J^T C^-1 J and f - J^T C^-1 c_b(q-)/h, which leaves
 * the same u. Of tetrahedra, M + h^2 d2(V Psi)/dx2 (positive semidefinite, see elements.h) and
 * f - h d(V Psi)/dx remain. Linear problems are copied. The caller frees *linear.
 *
 * linearize_in: for arithmetic of this unit of roundoff; NB_UNSUPPORTED, with the row and the least E that it
 * takes, where E < unit_roundoff h^2 J M^-1 J^T. Nothing of M is left then in M + J^T C^-1 J. The other one
 * writes such a matrix; only where h^2/E is not finite it fails in this way. */
enum nb_status nb_problem_linearize(const struct nb_problem *problem, struct nb_problem *linear,
                                    struct nb_error *error);
enum nb_status nb_problem_linearize_in(const struct nb_problem *problem, double unit_roundoff,
                                       struct nb_problem *linear, struct nb_error *error);

/* The multipliers of the linearised step among those of the problem: without the bilateral rows that
 * are folded into its mass. out [nb_problem_multipliers of the linearised step]. */
void nb_problem_linear_multipliers(const struct nb_problem *problem, const double *lambda,
                                   double *out);

/* Soft contacts of a nonlinear step (struct nb_contacts). is_soft: whether a contact is one; limits of joints are none.
 * compliance [3]: the diagonal of C of a contact's rows [1/kg], 0 of a rigid one. */
int nb_contact_is_soft(const struct nb_problem *problem, int contact);
void nb_contact_compliance(const struct nb_problem *problem, int contact, double compliance[3]);
int nb_problem_soft_contacts(const struct nb_problem *problem);

/* Velocities of the linearised step, which are the problem's and, of each soft contact in their order, three more that
 * stand for its compliance, C R (problems/linearize/linearize_compliance.c); out [nb_problem_linear_dofs] may be u. Of
 * a linear step they are its own. */
int nb_problem_linear_dofs(const struct nb_problem *problem);
void nb_problem_linear_velocities(const struct nb_problem *problem, const double *u, const double *lambda, double *out);

/* M of a nonlinear step, with the world inertia of q- [nb_problem_dofs square]. The caller frees. */
enum nb_status nb_problem_mass(const struct nb_problem *problem, struct nb_csr *mass,
                               struct nb_error *error);

/* A sparse matrix of the given size with room for entries; values are zero. The caller frees. */
enum nb_status nb_csr_allocate(struct nb_csr *matrix, int rows, int columns, int entries,
                               struct nb_error *error);
void nb_csr_free(struct nb_csr *matrix);

/* Entry (row, row), 0 where none is stored. */
double nb_csr_diagonal(const struct nb_csr *matrix, int row);

/* Entries in any order, one after the other; all zero is none. */
struct nb_triplets {
    int count, room;   /* room -1: memory, or an int, could not hold one more */
    int *row, *column; /* [count] */
    double *value;     /* [count] */
};

/* Returns 0 where this one, or one before, could not be held. */
int nb_triplets_add(struct nb_triplets *triplets, int row, int column, double value);
void nb_triplets_free(struct nb_triplets *triplets);

/* From triplets: repeats are added in the order in which they come, and zeros kept. In time proportional to the
 * entries, rows and columns, whatever the order. row, column [entries], value [entries]. */
enum nb_status nb_csr_from_triplets(struct nb_csr *matrix, int rows, int columns, int entries,
                                    const int *row, const int *column, const double *value,
                                    struct nb_error *error);

/* The same of triplets, which are freed, also after a failure; NB_OUT_OF_MEMORY where one could not be held. */
enum nb_status nb_csr_take_triplets(struct nb_csr *matrix, int rows, int columns, struct nb_triplets *entries,
                                    struct nb_error *error);

/* The even number e for which the largest of the values is between 2^e and 2^(e+2) in size; 0 where all are zero or
 * one is not finite. And values times 2^-e: of roots and squares, too, all digits stay. */
int nb_even_exponent(const double *values, size_t count);
void nb_scale_down(double *values, size_t count, int exponent);

/* The largest |a_ij - a_ji| of a square matrix, relative to sqrt(s_i s_j), s_i being the largest entry of row i in
 * size: what rounding leaves of a symmetric matrix is a few units of roundoff, whatever the rows' units. row and
 * column say where. NaN where an entry is not finite. */
double nb_csr_asymmetry(const struct nb_csr *matrix, int *row, int *column);

/* Up to this it is rounding, which the sums of an assembly multiply. */
#define NB_SYMMETRIC_WITHIN 1e-12

/* Whether the rows and columns from begin to end - 1 hold entries beyond rounding on one side of the diagonal, or of
 * diagonal blocks, and none on the other side: a triangle of what is meant to be symmetric. row and column are the
 * first one's. */
int nb_csr_is_triangle(const struct nb_csr *matrix, int begin, int end, int *row, int *column);

double nb_csr_entry(const struct nb_csr *matrix, int row, int column);

/* y = A x (add = 0) or y += A x; transposed: y = A^T x. x and y must not overlap. */
void nb_csr_multiply(const struct nb_csr *matrix, const double *x, double *y, int add);
void nb_csr_multiply_transposed(const struct nb_csr *matrix, const double *x, double *y, int add);

#endif

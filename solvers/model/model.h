/* The step as the solvers see it: rows in blocks of three, velocities in nodes of three.
 *
 * A node is three velocity components whose inertia couples to no other node: the translation of a
 * rigid body, its rotation (world frame), a particle. A block row is a contact (normal, tangent,
 * tangent), a limit of a joint, which is a contact with mu = 0 to all solvers, or three bilateral
 * rows. The bilateral rows of a linear step fill blocks one after the
 * other, and the last block is padded with inert rows; each joint, attachment, distance and
 * tetrahedron of a nonlinear step begins a block of its own and pads its last one, so that a block
 * meets the nodes of one of them only. So every matrix of the Newton system (53), (59) consists of 3x3
 * blocks:
 *
 *     J  [blocks x nodes]      H^-1 [nodes], block diagonal      A = L J H^-1 J^T L + C [blocks^2]
 *
 * where C is block diagonal: three compliant bilateral rows may be coupled, as those of an element are.
 *
 * Where the mass is not block diagonal (finite elements in FCLIB files) or only the Delassus
 * operator is given (local FCLIB problems), J H^-1 J^T is held as a matrix of its own.
 *
 * A soft contact has a node of its own, a pad, whose H^-1 is the contact's C, so that J H^-1 J^T has C on its diagonal
 * and no method has to know.
 *
 * Block rows: bilateral blocks first, then one block a contact. In a local problem node i is the
 * relative velocity of block row i, J = 1 and H^-1 = W. */
#ifndef NB_MODEL_H
#define NB_MODEL_H

#include "problems/problem.h"
#include "solvers/block/matrix.h"
#include "solvers/precision.h"
#include "solvers/sparse/block_graph.h"

#define nb_bilateral_block_count NB(nb_bilateral_block_count)
#define nb_correct NB(nb_correct)
#define nb_linear_step_create NB(nb_linear_step_create)
#define nb_model NB(nb_model)
#define nb_model_add_compliance NB(nb_model_add_compliance)
#define nb_model_clear_axes NB(nb_model_clear_axes)
#define nb_model_correct NB(nb_model_correct)
#define nb_model_contact_pairs NB(nb_model_contact_pairs)
#define nb_model_coupling NB(nb_model_coupling)
#define nb_model_create NB(nb_model_create)
#define nb_model_create_with NB(nb_model_create_with)
#define nb_model_curvature NB(nb_model_curvature)
#define nb_model_defect NB(nb_model_defect)
#define nb_model_diagonal NB(nb_model_diagonal)
#define nb_model_evaluate NB(nb_model_evaluate)
#define nb_model_free NB(nb_model_free)
#define nb_model_gather NB(nb_model_gather)
#define nb_model_narrow_multiplier NB(nb_model_narrow_multiplier)
#define nb_model_narrow_velocity NB(nb_model_narrow_velocity)
#define nb_model_reset_inertia NB(nb_model_reset_inertia)
#define nb_model_respond NB(nb_model_respond)
#define nb_model_response NB(nb_model_response)
#define nb_model_settle_pads NB(nb_model_settle_pads)
#define nb_model_set_block NB(nb_model_set_block)
#define nb_model_set_inertia NB(nb_model_set_inertia)
#define nb_model_solve_mass NB(nb_model_solve_mass)
#define nb_model_widen_multiplier NB(nb_model_widen_multiplier)
#define nb_model_widen_velocity NB(nb_model_widen_velocity)
#define nb_nonlinear_contact_pairs NB(nb_nonlinear_contact_pairs)
#define nb_nonlinear_create NB(nb_nonlinear_create)
#define nb_nonlinear_curvature NB(nb_nonlinear_curvature)
#define nb_nonlinear_evaluate NB(nb_nonlinear_evaluate)
#define nb_nonlinear_free NB(nb_nonlinear_free)

enum nb_inertia_kind {
    NB_INERTIA_BLOCKS,   /* 3x3 blocks: rigid bodies, particles                 */
    NB_INERTIA_GENERAL,  /* any sparse symmetric positive definite M, factorised */
    NB_INERTIA_DELASSUS  /* local problem: W is all there is                     */
};

/* How elements, and the identity shift, enter the Newton matrix; the residual, and so the solution, is the same in all
 * forms. */
struct nb_elasticity {
    int no_axis_rows;        /* leave out the stiffness against turning of the principal axes */
    int diagonal_compliance; /* a diagonal E, of a bound of the elastic Hessian               */
    int from_last_step;      /* H of 1: particles, 2: bodies too, has what the last iteration's step showed: no iterate
                                alone gives it */
    int absolute_shift;      /* the options' shift is a number [1/kg], not a share of the mean diagonal */
};

struct nb_model {
    const struct nb_problem *problem; /* borrowed */
    int nodes, blocks, bilateral_blocks, contacts;
    int particles;           /* the last so many nodes */
    int pads;                /* of soft contacts, among them and behind them all (rows/pads.c) */
    int dofs, bilaterals;    /* without padding */
    int threads;
    nb_real time_step;       /* h [s] */
    enum nb_inertia_kind inertia_kind;
    int constant;            /* the Jacobian does not depend on u (linear steps) */

    struct nb_bsr jacobian; /* J [blocks x nodes], rows unscaled */
    int *node_start, *node_block; /* transpose of its pattern: blocks of each node [nodes + 1], [blocks] */
    int *block_row;          /* block row of each Jacobian block [blocks] */
    nb_real *inverse_mass;   /* [9 nodes] blocks of H^-1 (NB_INERTIA_BLOCKS) */
    nb_real *inverse_root;   /* [9 nodes] G with G G^T = H^-1, diagonal where that is (likewise) */
    nb_real *particle_mass;  /* [particles] */
    nb_real *mass_ratio;     /* [3 particles] M over the H that stands in inverse_mass: 1 at first */
    nb_real *body_ratio;     /* [9 nodes of bodies] H^-1 M, likewise; another's; NULL: H is M */
    struct nb_factor *factor; /* of M (NB_INERTIA_GENERAL)                    */
    struct nb_block_sets components, touched; /* of M, and of block rows (likewise): solvers/sparse/coupling.h */
    struct nb_bsr delassus;  /* J H^-1 J^T where constant and not from blocks; symmetric part */
    struct nb_bsr delassus_as_given; /* local problem: W, maybe not symmetric */

    nb_real *mass_values;    /* M as given, in the pattern of the problem's CSR (global linear) */
    nb_real *force;          /* f [3 nodes] [N s] (global linear) */
    nb_real *free_velocity;  /* u~ [3 nodes] (other forms) */
    nb_real *friction;       /* mu [contacts] */
    int *bilateral_entry;    /* [bilaterals] where each of the problem's bilateral rows is */
    nb_real *multiplier_unit; /* [bilaterals] the problem's multiplier over the model's: 1, or the length
                                 that makes an element's rows [m/s] and [N]; NULL: 1 everywhere */
    int axis_rows, diagonal_compliance, from_last_step, absolute_shift; /* as struct nb_elasticity says */
    unsigned char *is_axis;  /* [bilateral_blocks] 1: rows of an element's principal axes. They have no
                                violation, and their multipliers, which vanish at the solution, are no
                                part of an iterate: a method that judges iterates clears them */
    nb_real *bilateral_compliance; /* E/h^2 [9 bilateral_blocks]: symmetric 3x3 blocks, 1 on the
                                diagonal of padding rows; at the last evaluation [1/kg] */
    nb_real *offset;         /* [3 blocks] linear steps: b, w; violation = J u + offset [m/s] */
    nb_real *violation;      /* [3 blocks] at the last evaluation: c_b/h, C_n/h, D^T u [m/s] */

    struct NB(nb_nonlinear) *nonlinear; /* nonlinear steps: their parts in this precision */
    void *memory;            /* of the arrays, but node_block and block_row */
};

/* Builds the model of a valid problem; without elasticity: all of the above. NB_UNSUPPORTED with the reason where
 * this precision cannot hold it. The problem must outlive the model. */
enum nb_status nb_model_create(struct nb_model **model, const struct nb_problem *problem,
                               int threads, struct nb_error *error);
enum nb_status nb_model_create_with(struct nb_model **model, const struct nb_problem *problem,
                                    const struct nb_elasticity *elasticity, int threads,
                                    struct nb_error *error);
void nb_model_free(struct nb_model *model);

/* Evaluates violation, and the Jacobian and E unless constant, at velocity u [3 nodes]. */
void nb_model_evaluate(struct nb_model *model, const nb_real *u);

/* Derivatives by u where a nonlinear step was evaluated last:
 *
 *     slope [9 Jacobian blocks] = d violation / du, in the Jacobian's pattern,
 *     pairs = d(J^T impulse)/du of the bilateral rows: block row i with nodes N_i (in its order) has
 *             |N_i|^2 blocks from pair_start[i] on, row node by column node.
 *
 * Exact but for tetrahedra, whose slope is J and whose pairs are those of negative stiffnesses. */
void nb_model_curvature(const struct nb_model *model, const nb_real *u,
                        const nb_real *impulse, const int *pair_start, nb_real *slope,
                        nb_real *pairs);

/* The pairs [9 |N_i|^2] of block row i of a contact or a limit, which are too many to be kept. */
enum { NB_CONTACT_NODES = 7 }; /* at most: three particles on either side, and a pad */
void nb_model_contact_pairs(const struct nb_model *model, int i, const nb_real *u, const nb_real *impulse,
                            nb_real *pairs);

/* velocity = H^-1 momentum, both [3 nodes]; they may be the same. Not of a local problem. The factor's own buffers
 * are large enough, so that a solve cannot fail for lack of memory after the first one. */
enum nb_status nb_model_solve_mass(const struct nb_model *model, const nb_real *momentum,
                                   nb_real *velocity, struct nb_error *error);

/* velocity = H^-1 J^T impulse; impulse [3 blocks] [N s], velocity [3 nodes] [m/s]. `momentum`
 * [3 nodes] is scratch. In a local problem H^-1 is the symmetric part of W. */
void nb_model_response(const struct nb_model *model, const nb_real *impulse,
                       nb_real *momentum, nb_real *velocity);

/* defect = H^-1 (M (u - u~) - J^T impulse) [m/s], arguments as above. The residual is formed with M,
 * or W, as given, even where it is not quite symmetric or H is another matrix; only H^-1 is
 * symmetrised. */
void nb_model_defect(const struct nb_model *model, const nb_real *u,
                     const nb_real *impulse, nb_real *momentum, nb_real *defect);

/* u [3 nodes] with M u = f + J^T impulse at the present J, from the u that is given or, respond, from nothing but
 * the impulse; momentum, defect [3 nodes]: room. */
void nb_model_correct(const struct nb_model *model, const nb_real *impulse,
                      nb_real *momentum, nb_real *defect, nb_real *u);
void nb_model_respond(const struct nb_model *model, const nb_real *impulse,
                      nb_real *momentum, nb_real *defect, nb_real *u);

/* Corrects u by its defect, `most` times or until defects no longer halve, or the next would change nothing,
 * falling as the last one did. take_defect returns the defect's norm, subtract_defect u's after it. */
enum { NB_CORRECTIONS = 40 };
void nb_correct(int most, nb_real (*take_defect)(void *), nb_real (*subtract_defect)(void *), void *context);

/* Zero multipliers or impulses in the rows of principal axes [3 blocks]. */
void nb_model_clear_axes(const struct nb_model *model, nb_real *impulse);

/* Geometric stiffness (Macklin et al. 2019, 74): entry i of the diagonal of H, of a particle's velocity,
 * becomes inertia > 0 in all that follows; reset makes H = M again. */
void nb_model_set_inertia(struct nb_model *model, size_t i, nb_real inertia);
void nb_model_reset_inertia(struct nb_model *model);

/* The same of a node of a body: H = M + diag shift [3], M its block [9]; into ratio [9] H^-1 M. Where H has no
 * inverse it stays as it is. */
void nb_model_set_block(struct nb_model *model, size_t node, const nb_real *mass, const nb_real *shift,
                        nb_real *ratio);

/* momentum = J^T impulse, gathered node by node: same bits for any thread count. */
void nb_model_gather(const struct nb_model *model, const nb_real *impulse, nb_real *momentum);

/* diagonal [3 blocks] of J H^-1 J^T [1/kg] with the present Jacobian. */
void nb_model_diagonal(const struct nb_model *model, nb_real *diagonal);

/* What the other two rows of its block add to row i of C x: the sum over c != r of (E/h^2)_rc x_c.
 * i < 3 bilateral_blocks; x [3 blocks]. */
static inline nb_real nb_model_coupling(const struct nb_model *model, size_t i, const nb_real *x)
{
    const size_t block = i / 3, r = i % 3, b = (r + 1) % 3, c = (r + 2) % 3;
    const nb_real *row = model->bilateral_compliance + 9 * block + 3 * r;
    return row[b] * x[3 * block + b] + row[c] * x[3 * block + c];
}

/* out += (E/h^2) impulse in the bilateral rows; impulse, out [3 blocks]. */
void nb_model_add_compliance(const struct nb_model *model, const nb_real *impulse, nb_real *out);

/* The pads' part of u [3 nodes] as the multipliers [3 blocks] have it: C R. */
void nb_model_settle_pads(const struct nb_model *model, const nb_real *lambda, nb_real *u);

/* Nonlinear steps (solvers/model/rows/nonlinear.c); bilateral_block_count: of one. */
int nb_bilateral_block_count(const struct nb_problem *problem, int axis_rows);
enum nb_status nb_nonlinear_create(struct nb_model *model, struct nb_error *error);
void nb_nonlinear_evaluate(struct nb_model *model, const nb_real *u);
void nb_nonlinear_curvature(const struct nb_model *model, const nb_real *u,
                            const nb_real *impulse, const int *pair_start, nb_real *slope,
                            nb_real *pairs);
void nb_nonlinear_contact_pairs(const struct nb_model *model, int row, const nb_real *u, const nb_real *impulse,
                                nb_real *pairs);
void nb_nonlinear_free(struct NB(nb_nonlinear) *step);

/* Linear steps, global and local (solvers/model/rows/linear.c). */
enum nb_status nb_linear_step_create(struct nb_model *model, struct nb_error *error);

/* Conversion of unknowns between problem (double, unpadded) and model (padded). */
void nb_model_widen_velocity(const struct nb_model *model, const nb_real *u, double *out);
void nb_model_widen_multiplier(const struct nb_model *model, const nb_real *lambda, double *out);
void nb_model_narrow_velocity(const struct nb_model *model, const double *u, nb_real *out);
void nb_model_narrow_multiplier(const struct nb_model *model, const double *lambda, nb_real *out);

#endif

/* What the parts of the judge share; harness/floor*.c reads it too. Nothing here comes from
 * solvers/: gaps, Jacobians and scalings are evaluated a second time, in float64. */
#ifndef NB_METRICS_PRIVATE_H
#define NB_METRICS_PRIVATE_H

#include <stdbool.h>

#include "harness/judge/metrics.h"

/* q+: where the bodies and particles are. */
struct nb_configuration {
    double *position;    /* [3 bodies]    */
    double *orientation; /* [4 bodies]    */
    double *particle;    /* [3 particles] */
};

/* Of two tangents in their plane: mirrored first, the second of them, if sign is -1. */
struct nb_turn {
    double cosine, sine, sign;
};

/* What a step has to do (step_scale.c). Nodes are the contacts, then the bilateral rows, then the velocities; rows the
 * first two. An island is named by its lowest node, at which its own values stand. */
struct nb_step_scale {
    void *memory;         /* of every array */
    int *first;           /* [contacts] the first contact with the same rows, but for a turn     */
    struct nb_turn *turn; /* [contacts] from the tangents of the first to its own                */
    int *island;          /* [nodes]                                                             */
    double *inverse_mass; /* [rows] w [1/kg]                                                     */
    double *velocity;     /* [rows] what errors are relative to, of contacts V_N [m/s]           */
    double *sliding;      /* [contacts] V_T, likewise along the tangents                         */
    double *speed;        /* [contacts] the largest approach and sliding of its island, or V_N [m/s] */
    double *energy;       /* [nodes] E of an island [J]                                          */
    double *unexplained_energy; /* [nodes] of an island [J], scratch                             */
    double *impulse;      /* [3 contacts] R, added up in the first of equal contacts             */
    double *dropped;      /* [3 contacts + bilaterals] R - r', in the first of equal contacts     */
    double *unexplained;  /* [dofs] M u - f - J^T r' - G l [N s]                                 */
    double *explained;    /* [dofs] M^-1 of it [m/s]                                             */
    double *row;          /* [3 contacts + bilaterals] scratch                                   */
};

/* All forms meet in one shape, in which limits of joints are contacts, the last ones. With R = h
 * lambda of the contacts and l = h lambda of the p bilateral rows (a nonlinear step: those of its
 * joints, attachments, distances, ties and tetrahedra):
 *
 *   momentum  = M u - f - J^T R - G l        (local form: the given u minus the computed one)
 *   velocity  = [U; bilateral velocity]      (U_n = C_n(q+)/h and (c_b(q+) + E lambda_b)/h in a
 *                                            nonlinear step; + C R of soft contacts)
 *
 * Matrices that belong to the problem are borrowed; own_* belong to the judge. */
struct nb_judge {
    const struct nb_problem *problem;
    int dofs, contacts, bilaterals;
    double time_step;
    const struct nb_csr *mass;      /* M [dofs x dofs]          NULL: local form              */
    const struct nb_csr *jacobian;  /* J = H^T [3 contacts x dofs]; at q+ in a nonlinear step */
    const struct nb_csr *bilateral; /* G^T [bilaterals x dofs]  NULL: none                    */
    const double *force;            /* f [dofs]                 NULL: local form              */
    const double *constant;         /* [3 contacts] w, q, or C_n(q-)/h in the normal entries  */
    const double *bilateral_constant; /* b, s, or c_b(q-)/h [bilaterals]    NULL: none        */
    const double *bilateral_compliance; /* E/h^2 [bilaterals]   NULL: 0; 0 in tetrahedra's    */
    const double *contact_compliance; /* C [3 contacts]         NULL: none is soft            */
    const double *friction;         /* mu [contacts]                                          */
    struct nb_csr own_mass, own_jacobian, own_bilateral;
    void *memory;                   /* of every array below             */
    double *own_force, *own_constant, *own_friction;
    double *own_bilateral_constant, *own_compliance, *own_contact_compliance;
    double *gap_terms;              /* [contacts] magnitudes in C_n(q-), nonlinear steps only */
    double *bilateral_terms;        /* [bilaterals] magnitudes in c_b(q-), likewise           */
    double *joint_sign;             /* [joints] of e                                          */
    double *bilateral_value;        /* [bilaterals] c_b; of tetrahedra E V dPsi/ds            */
    double *element_compliance;     /* [36 tetrahedra] E/h^2 at q+, [rows x rows] each        */
    double *row_length;             /* [bilaterals] (6 V)^(1/3) of tetrahedra [m], else 1     */
    int first_deformable;           /* first bilateral row that is not a joint's              */
    int first_strain;               /* first that is a tetrahedron's                          */
    double *linear_lambda;          /* [3 contacts + bilaterals] room for the linear judge    */
    double *linear_u;               /* [nb_problem_linear_dofs] likewise                      */
    double *diagonal;               /* [3 contacts] of J M^-1 J^T + C at q-                   */
    double *r_normal, *r_friction;  /* [contacts] mass scaling [m/N], [m/(s N)]               */
    struct nb_configuration at;     /* q+                                                     */
    double *gap;                    /* C_n, of a soft contact C_n + e_n lambda_n [contacts] [m] */
    double *velocity;               /* [3 contacts + bilaterals] [m/s]                        */
    double *impulse;                /* [3 contacts + bilaterals] R, then l [N s]              */
    double *momentum;               /* [dofs]                                                 */
    double *product;                /* [dofs] scratch                                         */
    double force_norm;              /* ||f||, or ||[q; s]||                                   */
    double mass_norm, contact_norm, bilateral_norm; /* ||M u||, ||J^T R||, ||G l||            */
    double kinetic_energy;
    struct nb_mass_factor *factor;  /* of M                     NULL: local form              */
    int *pair, pairs;               /* [contacts] nb_judge_find_pairs; of a whole judge alone */
    struct nb_step_scale scale;     /* empty in linear_judge                                  */
    struct nb_problem linearized;   /* the step at q-; empty where the problem is linear      */
    struct nb_judge *linear_judge;  /* of linearized, or NULL                                 */
};

/* Fills gap, velocity, impulse, momentum and the norms from (u, lambda). */
void nb_judge_update(struct nb_judge *judge, const double *u, const double *lambda);

/* What makes a displacement of a bilateral row's measure: the size of its element where that is a strain. */
static inline double nb_judge_length(const struct nb_judge *judge, int row)
{
    return row < judge->first_strain ? 1 : judge->row_length[row];
}

/* C of row k of contact i, 0 where that is rigid. */
static inline double nb_judge_softness(const struct nb_judge *judge, int contact, int k)
{
    return judge->contact_compliance ? judge->contact_compliance[3 * contact + k] : 0;
}

/* Limits of joints are the last contacts of a nonlinear step. */
static inline bool nb_judge_is_limit(const struct nb_judge *judge, int contact)
{
    return judge->problem->form == NB_NONLINEAR && contact >= judge->problem->contacts.count;
}

/* ---- metrics_rigid.c: bodies, particles and contacts ---- */

/* M with the world inertia of q- [dofs square], J's pattern [3 contacts x dofs] with limits. */
enum nb_status nb_rigid_allocate(const struct nb_problem *problem, struct nb_csr *mass,
                                 struct nb_csr *jacobian, struct nb_error *error);

/* q+ = q- (+) h u; u = NULL means q-. */
void nb_rigid_advance(const struct nb_problem *problem, const double *u,
                      const struct nb_configuration *at);

/* C_n [contacts] and the values of J at the given configuration, limits left out. */
void nb_rigid_contacts(const struct nb_problem *problem, const struct nb_configuration *at,
                       double *gap, struct nb_csr *jacobian);

/* terms [contacts]: the sum of the magnitudes of which C_n is made up. */
void nb_rigid_gap_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                        double *terms);

/* ---- metrics_joints.c: joints between rigid bodies, and all bilateral rows of a nonlinear step ---- */

/* The pattern of J_b [bilaterals x dofs]. */
enum nb_status nb_bilaterals_allocate(const struct nb_problem *problem, struct nb_csr *jacobian,
                                      struct nb_error *error);

/* Once, at q-; then bilateral_value, element_compliance and own_bilateral at judge->at; then the
 * velocities (c_b + E lambda_b)/h of these rows. */
enum nb_status nb_judge_prepare_bilaterals(struct nb_judge *judge, struct nb_error *error);
void nb_judge_evaluate_bilaterals(struct nb_judge *judge);
void nb_judge_bilateral_velocity(struct nb_judge *judge);

/* diagonal [bilaterals] += that of E/h^2. */
void nb_judge_add_compliance(const struct nb_judge *judge, double *diagonal);

/* sign [joints] of e, from the configuration at q-. */
void nb_joints_signs(const struct nb_problem *problem, const struct nb_configuration *at,
                     double *sign);

/* c_b [rows of joints] and the values of J_b at the given configuration. */
void nb_joints_evaluate(const struct nb_problem *problem, const struct nb_configuration *at,
                        const double *sign, double *value, struct nb_csr *jacobian);

/* Of limits of joints, what nb_rigid_contacts and nb_rigid_gap_terms give of contacts: gap, terms
 * [limits]; J's rows are those after the contacts'. */
void nb_limits_evaluate(const struct nb_problem *problem, const struct nb_configuration *at,
                        const double *sign, double *gap, struct nb_csr *jacobian);
void nb_limits_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                     double *terms);

/* ---- metrics_deformables.c: attachments, distances, ties, tetrahedra ---- */

/* Columns of J_b from row `row` on. */
void nb_deformables_pattern(const struct nb_problem *problem, int row, struct nb_csr *jacobian);

/* E/h^2 of attachments, distances and ties, and the lengths of tetrahedra: [bilaterals] arrays of which
 * the rows from `row` on are set. */
void nb_deformables_constants(const struct nb_problem *problem, int row, double *compliance,
                              double *length);

/* c_b, E/h^2 of tetrahedra [36 each] and the values of J_b, likewise. */
void nb_deformables_evaluate(const struct nb_problem *problem, const struct nb_configuration *at,
                             int row, double *value, double *compliance, struct nb_csr *jacobian);

/* velocity += E/h^2 impulse in the rows of tetrahedra; both [bilaterals]. */
void nb_deformables_add_compliance(const struct nb_problem *problem, int row,
                                   const double *compliance, const double *impulse,
                                   double *velocity);

/* diagonal += that of E/h^2 in the rows of tetrahedra [bilaterals]. */
void nb_deformables_add_diagonal(const struct nb_problem *problem, int row, const double *compliance, double *diagonal);

/* Does what nb_joints_terms does; J_b must have its values there. */
void nb_deformables_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                          int row, const struct nb_csr *jacobian, double *terms);

/* ---- metrics_scaling.c ---- */

/* The Cholesky factor of (M + M^T)/2. NB_BAD_INPUT where that is not positive definite; freed by the caller, NULL is
 * fine. */
struct nb_mass_factor;
enum nb_status nb_mass_factor_create(struct nb_mass_factor **factor, const struct nb_csr *mass,
                                     struct nb_error *error);
void nb_mass_factor_free(struct nb_mass_factor *factor);

/* x = M^-1 b [dofs]. NB_OUT_OF_MEMORY without a message. */
enum nb_status nb_mass_factor_solve(struct nb_mass_factor *factor, const double *b, double *x);

/* diagonal[i] = (J M^-1 J^T)_ii for every row of J. */
enum nb_status nb_mass_factor_diagonal(const struct nb_mass_factor *factor, const struct nb_csr *jacobian,
                                       double *diagonal, struct nb_error *error);

/* sums = |J M^-1 force| + |J M^-1| terms [rows of J]; force, terms [dofs], terms not negative. */
enum nb_status nb_mass_factor_terms(const struct nb_mass_factor *factor, const struct nb_csr *jacobian,
                                    const double *force, const double *terms, double *sums, struct nb_error *error);

/* ---- metrics_map.c: the natural map ---- */

/* projection = P_K(z), K = {|z_T| <= mu z_N}; z, projection [3], normal first. */
void nb_project_on_cone(const double *z, double mu, double *projection);

/* ||F||^2 of one contact: F = R - P_K(R - U^), U^ = U + (mu |U_T|, 0, 0). */
double nb_natural_map_squared(const double *impulse, const double *velocity, double mu);

/* ||F_N||^2 and ||F_T||^2 of one contact with box friction are added to squares [2]. */
void nb_add_box_map(const double *impulse, const double *velocity, double mu, double *squares);

/* The natural maps of the last update, their parts, and force_norm. */
void nb_judge_natural_map(const struct nb_judge *judge, struct nb_metrics *metrics);

/* ---- step_motion.c, step_scale.c, step_error.c: the measure that verdicts are taken from ---- */

/* error / scale: 0 if the error is 0, whatever the scale. */
static inline double nb_step_relative(double error, double scale)
{
    return error == 0 ? 0 : error / scale;
}

/* What row k of contact i is relative to: V_N of its normal, V_T of its tangents. */
static inline double nb_step_scale_of(const struct nb_judge *judge, int contact, int k)
{
    return k == 0 ? judge->scale.velocity[contact] : judge->scale.sliding[contact];
}

/* turned [2] of the components along two tangents [2], and back. */
static inline void nb_turn_tangents(const struct nb_turn *turn, const double *tangents, double *turned)
{
    turned[0] = turn->cosine * tangents[0] - turn->sine * turn->sign * tangents[1];
    turned[1] = turn->sine * tangents[0] + turn->cosine * turn->sign * tangents[1];
}

static inline void nb_turn_back(const struct nb_turn *turn, const double *turned, double *tangents)
{
    tangents[0] = turn->cosine * turned[0] + turn->sine * turned[1];
    tangents[1] = turn->sign * (turn->cosine * turned[1] - turn->sine * turned[0]);
}

/* step_repeated.c: of scale, first and turn, with its velocities. */
enum nb_status nb_judge_find_repeated(struct nb_judge *judge, struct nb_error *error);

/* step_motion.c: of scale, island. */
void nb_judge_find_islands(struct nb_judge *judge);

/* step_motion.c, with the scale's inverse masses: motion becomes u without forces of constraints, or with those that
 * meet the bilateral rows, and behind it their impulses; a local form has these alone. Zero where it is not found. */
enum nb_status nb_judge_find_motion(const struct nb_judge *judge, bool with_bilaterals, double *motion,
                                    struct nb_error *error);

/* The judge is at q-, with its factor and diagonal. */
enum nb_status nb_judge_prepare_scale(struct nb_judge *judge, struct nb_error *error);

/* step_error and its parts, of the last update; those of metrics are 0 before. */
void nb_judge_step_error(const struct nb_judge *judge, struct nb_metrics *metrics);

/* The largest error of a contact, after nb_judge_step_error of the same state. */
double nb_judge_contact_error(const struct nb_judge *judge, int contact);

/* ---- metrics_ellipse.c: anisotropic friction from the surfaces alone ---- */

/* The largest error of the last update; NaN where no contact has a friction ellipse that its shapes tell. */
double nb_judge_ellipse_error(const struct nb_judge *judge);

/* error / divisor; a divisor that is not above 1.5e-8 is left out, as Siconos does. A divisor that
 * is not finite makes the result so too. */
double nb_relative(double error, double divisor);

/* The larger value; NaN if any is. */
double nb_worst(double a, double b);

/* The smaller value; NaN if any is. */
double nb_least(double a, double b);

/* Euclidean norm. */
double nb_norm2(int n, const double *x);

#endif

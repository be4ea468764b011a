/* The energy of a run: kinetic, of gravity, of compliant rows and of elements, less the work of what is driven. The
 * run passes test_energy_record to nb_simulate.
 *
 * Driven are the frames of joints and attachments while they move, the world's or a motor's, the lengths of distances
 * that change from one step to the next, the inflation p of tetrahedra, and bodies by a scene's torques, of motors and
 * dampers, which are in the free velocity u~. Over a step they do the work
 *
 *     torques   M (u~ - u~ without them) . u of all together, if positive: what dampers take is lost
 *     rows      h lambda . J u + dS,  S = c^2/(2 E) the energy of a compliant row, 0 of a rigid one
 *     lengths   dS at q-, by the change of c alone
 *     pressure  p V d(s_1 + s_2 + s_3) of each element
 *
 * on the bodies. What then still grows comes from nothing. Damped rows, which solvers see as c(q+) - s c(q-) with the
 * compliance (1 - s) E, store c(q+)^2/(2 E) as if there were no damping: what it takes is lost.
 *
 * A step itself can gain, by what it leaves out of second order in h. Its forces are those of q+, where they do the
 * work h lambda . J(q+) u, and contacts are those that q- has. With C_n lambda_n = 0 at q+ a step's gain is at most
 *
 *     overlap   sum of -lambda_n C_n(q-) where C_n(q-) < 0: contacts push out what no contact stopped before
 *     turning   sum of lambda (h J(q+) u - (c(q+) - c(q-))) of all rows: arms and directions turn within a step
 *
 * by the identity E(q+) - E(q-) = overlap + turning - |u+ - u-|^2_M / 2 - (what friction, impacts and springs take).
 * Neither is physics: both are told so that what gains by anything else is seen. */
#ifndef NB_TESTS_ENERGY_H
#define NB_TESTS_ENERGY_H

#include "harness/judge/metrics_private.h"
#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/deformables.h"
#include "problems/elements.h"
#include "problems/joints.h"
#include "problems/step.h"
#include "tests/support/judged.h"

struct test_energy {
    int steps;
    double first;          /* energy of the first state [J]                               */
    double excess;         /* energy above the first less all work, of the last state [J]  */
    double largest_excess; /* [J]                                                         */
    double least, rise;    /* the least excess so far; the most above the least before [J] */
    double work;           /* of what is driven [J]                                       */
    double exchanged;      /* the largest of kinetic energy, |work| and |excess| [J]        */
    double overlap, turning; /* the step's own errors so far, not in `work` [J]           */
    double unexplained;    /* the most that the excess less both rose above its least [J] */
    double least_unexplained;
    double terms;          /* the largest sum of what the energy is made up of, by size [J] */
    double *pressure, *strain; /* p V and s_1 + s_2 + s_3 of each element at the step before; NULL at first */
    double *stored;        /* S of each row that is no element's                          */
    double *frames;        /* orientation of joints at the step before                    */
    double *length;        /* of each distance at the step before [m]; NULL at first      */
};

static inline void test_energy_free(struct test_energy *energy)
{
    free(energy->pressure);
    free(energy->strain);
    free(energy->stored);
    free(energy->frames);
    free(energy->length);
}

static inline double test_kinetic_energy(const struct nb_problem *problem)
{
    const struct nb_bodies *bodies = &problem->bodies;
    double energy = 0;
    for (int i = 0; i < bodies->count; ++i) {
        const double *u = bodies->velocity + 6 * i;
        double rotation[9], inertia[9], spin[3];
        nb_quaternion_matrix(bodies->orientation + 4 * i, rotation);
        nb_world_inertia(rotation, bodies->inertia + 9 * i, inertia);
        nb_rotate(inertia, u + 3, spin);
        energy += (bodies->mass[i] * nb_dot3(u, u) + nb_dot3(u + 3, spin)) / 2;
    }
    for (int i = 0; i < problem->particles.count; ++i) {
        const double *u = problem->particles.velocity + 3 * i;
        energy += problem->particles.mass[i] * nb_dot3(u, u) / 2;
    }
    return energy;
}

/* *terms: the same with all signs +. */
static inline double test_gravity_energy(const struct nb_problem *problem, double *terms)
{
    double energy = 0;
    *terms = 0;
    for (int i = 0; i < problem->bodies.count + problem->particles.count; ++i) {
        const int particle = i - problem->bodies.count;
        const double mass = particle < 0 ? problem->bodies.mass[i] : problem->particles.mass[particle];
        const double *x = particle < 0 ? problem->bodies.position + 3 * i : problem->particles.position + 3 * particle;
        energy -= mass * nb_dot3(problem->gravity, x);
        *terms += mass * nb_norm3(problem->gravity) * nb_norm3(x);
    }
    return energy;
}

/* Of the elements at q-, without pressure; adds the pressure's work since the step before to the work. */
static inline double test_elastic_energy(struct test_energy *energy, const struct nb_problem *problem)
{
    struct nb_tetrahedra still = problem->tetrahedra;
    double *none = calloc((size_t)still.count + 1, sizeof *none), sum = 0;
    const bool first = !energy->pressure;
    if (first) {
        energy->pressure = calloc((size_t)still.count + 1, sizeof(double));
        energy->strain = calloc((size_t)still.count + 1, sizeof(double));
    }
    still.inflation = none;
    for (int t = 0; t < still.count; ++t) {
        struct nb_element element;
        nb_element_evaluate(&still, t, problem->particles.position, &element);
        const double strain = element.strain[0] + element.strain[1] + element.strain[2];
        sum += element.energy;
        if (!first)
            energy->work += energy->pressure[t] * (strain - energy->strain[t]);
        energy->pressure[t] = problem->tetrahedra.inflation[t] * element.volume;
        energy->strain[t] = strain;
    }
    free(none);
    return sum;
}

/* Which rows before those of elements are driven in this step; frames: of the step before. */
static inline void test_driven_rows(const struct nb_problem *problem, const double *frames, bool *driven)
{
    int row = 0;
    for (int i = 0; i < problem->joints.count; ++i) {
        bool moves = memcmp(frames + 8 * i, problem->joints.orientation + 8 * i, 8 * sizeof *frames) != 0;
        for (int k = 0; k < 6; ++k)
            moves |= problem->joints.drift[6 * i + k] != 0;
        for (int rows = nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]); rows > 0; --rows)
            driven[row++] = moves;
    }
    for (int i = 0; i < problem->attachments.count; ++i)
        for (int k = 0; k < 3; ++k)
            driven[row++] = nb_dot3(problem->attachments.drift + 3 * i, problem->attachments.drift + 3 * i) > 0;
    for (int i = 0; i < problem->distances.count; ++i)
        driven[row++] = false;
}

/* S of each row where the judge was evaluated last. */
static inline void test_stored_energies(const struct nb_judge *judge, double *stored)
{
    const double h = judge->time_step;
    for (int row = 0; row < judge->first_strain; ++row) {
        const double compliance = judge->bilateral_compliance[row] * h * h, c = judge->bilateral_value[row];
        stored[row] = compliance > 0 ? c * c / (2 * compliance) : 0;
    }
}

/* Where lengths have changed since the step before, S is anew and the difference is work. row: the first distance's. */
static inline void test_changed_lengths(struct test_energy *energy, const struct nb_problem *problem, int row)
{
    const struct nb_distances *distances = &problem->distances;
    const bool first = !energy->length;
    if (first)
        energy->length = calloc((size_t)distances->count + 1, sizeof *energy->length);
    for (int i = 0; i < distances->count; ++i) {
        double direction[3], c = nb_distance_evaluate(problem, i, direction), *stored = &energy->stored[row + i];
        if (!first && energy->length[i] != distances->length[i] && distances->compliance[i] > 0) {
            energy->work += c * c / (2 * distances->compliance[i]) - *stored;
            *stored = c * c / (2 * distances->compliance[i]);
        }
        energy->length[i] = distances->length[i];
    }
}

/* The rows' energy before the step; adds the work of those that are driven in it. */
static inline double test_row_energy(struct test_energy *energy, const struct nb_problem *problem, const double *u,
                                     const double *lambda, double *work)
{
    struct nb_problem undamped = *problem;
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    double sum = 0;
    undamped.distances.damping = undamped.ties.damping = NULL;
    assert_int_equal(nb_judge_create(&judge, &undamped, NULL), NB_OK);
    const int rows = judge->bilaterals ? judge->first_strain : 0;
    const size_t unknowns = (size_t)judge->dofs + (size_t)nb_problem_multipliers(problem);
    double *velocity = calloc((size_t)judge->bilaterals + 1, sizeof *velocity);
    double *rest = calloc(unknowns + 1, sizeof *rest);
    double *stored = calloc((size_t)rows + 1, sizeof *stored);
    bool *driven = calloc((size_t)rows + 1, sizeof *driven);
    if (!energy->stored) {
        energy->stored = calloc((size_t)rows + 1, sizeof *energy->stored);
        nb_judge_evaluate(judge, rest, rest, &metrics);
        if (rows)
            test_stored_energies(judge, energy->stored);
    }
    *work = 0;
    if (rows) {
        test_changed_lengths(energy, problem, judge->first_deformable + 3 * problem->attachments.count);
        nb_judge_evaluate(judge, u, lambda, &metrics);
        test_stored_energies(judge, stored);
        nb_csr_multiply(judge->bilateral, u, velocity, 0);
        test_driven_rows(problem, energy->frames, driven);
    }
    for (int k = 0; k < 8 * problem->joints.count; ++k)
        energy->frames[k] = problem->joints.orientation[k];
    for (int row = 0; row < rows; ++row) {
        sum += energy->stored[row];
        if (driven[row])
            *work += judge->time_step * lambda[row] * velocity[row] + stored[row] - energy->stored[row];
        energy->stored[row] = stored[row];
    }
    free(velocity);
    free(rest);
    free(stored);
    free(driven);
    nb_judge_free(judge);
    return sum;
}

/* Of a scene's torques, where they give more than they take. */
static inline double test_torque_work(const struct nb_problem *problem, const double *u)
{
    double work = 0;
    for (int i = 0; i < problem->bodies.count; ++i) {
        double change[6], rotation[9], inertia[9], impulse[3];
        assert_int_equal(nb_step_free_velocity(problem, i, change, NULL), NB_OK);
        for (int k = 0; k < 6; ++k)
            change[k] = problem->free_velocity[6 * i + k] - change[k];
        nb_quaternion_matrix(problem->bodies.orientation + 4 * i, rotation);
        nb_world_inertia(rotation, problem->bodies.inertia + 9 * i, inertia);
        nb_rotate(inertia, change + 3, impulse);
        work += problem->bodies.mass[i] * nb_dot3(change, u + 6 * i) + nb_dot3(impulse, u + 6 * i + 3);
    }
    return fmax(work, 0);
}

/* C_n of all contacts, then c of rows before those of elements, where the judge was evaluated last. */
static inline void test_values(const struct nb_judge *judge, double *value)
{
    for (int i = 0; i < judge->contacts; ++i)
        value[i] = judge->gap[i];
    for (int row = 0; judge->bilaterals && row < judge->first_strain; ++row)
        value[judge->contacts + row] = judge->bilateral_value[row];
}

/* overlap and turning of the step; of rows that are driven, and of elements, no turning. */
static inline void test_second_order(struct test_energy *energy, const struct nb_problem *problem, const double *u,
                                     const double *lambda, double *overlap, double *turning)
{
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    assert_int_equal(nb_judge_create(&judge, problem, NULL), NB_OK);
    const int contacts = judge->contacts, rows = judge->bilaterals ? judge->first_strain : 0;
    const double h = judge->time_step, *force = lambda + judge->bilaterals;
    double *rest = calloc((size_t)judge->dofs + (size_t)nb_problem_multipliers(problem) + 1, sizeof *rest);
    double *before = calloc((size_t)(contacts + rows) + 1, sizeof *before);
    double *after = calloc((size_t)(contacts + rows) + 1, sizeof *after);
    double *velocity = calloc((size_t)(3 * contacts + judge->bilaterals) + 1, sizeof *velocity);
    bool *driven = calloc((size_t)rows + 1, sizeof *driven);
    *overlap = *turning = 0;
    nb_judge_evaluate(judge, rest, rest, &metrics);
    test_values(judge, before);
    nb_judge_evaluate(judge, u, lambda, &metrics);
    test_values(judge, after);
    if (contacts)
        nb_csr_multiply(judge->jacobian, u, velocity, 0);
    if (rows) {
        nb_csr_multiply(judge->bilateral, u, velocity + 3 * contacts, 0);
        test_driven_rows(problem, energy->frames, driven);
    }
    for (int i = 0; i < contacts; ++i) {
        *overlap += fmax(0, -force[3 * i] * before[i]);
        *turning += force[3 * i] * (h * velocity[3 * i] - (after[i] - before[i]));
    }
    for (int row = 0, i = contacts; row < rows; ++row, ++i)
        *turning += driven[row] ? 0 : lambda[row] * (h * velocity[2 * contacts + i] - (after[i] - before[i]));
    free(rest);
    free(before);
    free(after);
    free(velocity);
    free(driven);
    nb_judge_free(judge);
}

/* Watches nb_simulate; context: a struct test_energy, zero at first. The last step's own end is not seen. */
static inline int test_energy_record(void *context, const struct nb_problem *problem, const double *u,
                                     const double *lambda)
{
    struct test_energy *energy = context;
    double coming, terms, overlap, turning;
    if (!energy->frames)
        energy->frames = calloc(8 * (size_t)problem->joints.count + 1, sizeof *energy->frames);
    test_second_order(energy, problem, u, lambda, &overlap, &turning);
    const double kinetic = test_kinetic_energy(problem), gravity = test_gravity_energy(problem, &terms);
    const double elastic = test_elastic_energy(energy, problem) +
                           test_row_energy(energy, problem, u, lambda, &coming);
    if (energy->steps == 0)
        energy->first = kinetic + gravity + elastic;
    energy->excess = kinetic + gravity + elastic - energy->first - energy->work;
    energy->terms = fmax(energy->terms, terms + kinetic + fabs(elastic) + fabs(energy->work));
    energy->largest_excess = fmax(energy->largest_excess, energy->excess);
    energy->rise = fmax(energy->rise, energy->excess - energy->least);
    energy->least = fmin(energy->least, energy->excess);
    const double rest = energy->excess - energy->overlap - energy->turning;
    energy->unexplained = fmax(energy->unexplained, rest - energy->least_unexplained);
    energy->least_unexplained = fmin(energy->least_unexplained, rest);
    energy->exchanged = fmax(energy->exchanged, fmax(fabs(energy->work), fmax(kinetic, fabs(energy->excess))));
    energy->work += coming + test_torque_work(problem, u);
    energy->overlap += overlap;
    energy->turning += turning;
    ++energy->steps;
    return 0;
}

#endif

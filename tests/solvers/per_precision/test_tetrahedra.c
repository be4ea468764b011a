/* Tetrahedra in the model of this precision, against the elements in double (problems/elements.c), and
 * for what holds of every elastic element: no strain by rigid motion, forces that turn with the
 * element, no net force or torque, compliance positive definite, the inverted and the flat included. */
#include "tests/support/support.h"

#include "tests/support/near.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "solvers/block/block3.h"
#include "solvers/model/model.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static const double h = 0.01, lame[2] = {3e5, 1e5};
static const double rest[9] = {0.3, 0.05, -0.02, 0.01, 0.2, 0.04, 0.03, -0.05, 0.25};

/* One element whose particles have position x- = origin + F X; the caller frees. */
static void make_element(struct nb_problem *problem, enum nb_material material, const double *f,
                         double inflation)
{
    memset(problem, 0, sizeof *problem);
    problem->time_step = h;
    problem->particles.count = 4;
    problem->particles.position = calloc(12, sizeof(double));
    problem->particles.velocity = calloc(12, sizeof(double));
    problem->particles.mass = calloc(4, sizeof(double));
    problem->free_velocity = calloc(12, sizeof(double));
    problem->tetrahedra.count = 1;
    problem->tetrahedra.particle = calloc(4, sizeof(int));
    problem->tetrahedra.rest = calloc(9, sizeof(double));
    problem->tetrahedra.material = calloc(1, sizeof(int));
    problem->tetrahedra.lame = calloc(2, sizeof(double));
    problem->tetrahedra.inflation = calloc(1, sizeof(double));
    memcpy(problem->tetrahedra.rest, rest, sizeof rest);
    memcpy(problem->tetrahedra.lame, lame, sizeof lame);
    problem->tetrahedra.material[0] = (int)material;
    problem->tetrahedra.inflation[0] = inflation;
    for (int v = 0; v < 4; ++v) {
        problem->tetrahedra.particle[v] = 3 - v; /* columns ascend, the element's order does not */
        problem->particles.mass[3 - v] = 0.1 + 0.02 * v;
        for (int row = 0; row < 3; ++row) {
            double *x = problem->particles.position + 3 * (3 - v) + row;
            *x = 0.5 - 0.3 * row;
            for (int k = 0; v > 0 && k < 3; ++k)
                *x += f[3 * row + k] * rest[3 * k + v - 1];
        }
    }
}

static nb_real velocity[12]; /* of the model that was made last */

/* The model at q+ where F is that of `f`; q- is another deformation, so that velocities count. */
static struct NB(nb_model) *model_at(struct nb_problem *problem, enum nb_material material,
                                     const double *f, double inflation)
{
    static const double other[9] = {1.02, 0.03, 0, -0.05, 0.97, 0.02, 0.01, 0, 1.05};
    OWNS(nb_problem_free) struct nb_problem ahead;
    struct NB(nb_model) *model = NULL;
    nb_real *u = velocity;
    make_element(problem, material, other, inflation);
    make_element(&ahead, material, f, inflation);
    for (int i = 0; i < 12; ++i)
        u[i] = (nb_real)((ahead.particles.position[i] - problem->particles.position[i]) / h);
    assert_int_equal(NB(nb_model_create)(&model, problem, 1, NULL), NB_OK);
    NB(nb_model_evaluate)(model, u);
    double *start = problem->particles.position; /* for reference: the particles at q+ */
    problem->particles.position = ahead.particles.position;
    ahead.particles.position = start;
    return model;
}

static double length(void)
{
    return cbrt(rest[0] * (rest[4] * rest[8] - rest[5] * rest[7]) -
                rest[1] * (rest[3] * rest[8] - rest[5] * rest[6]) +
                rest[2] * (rest[3] * rest[7] - rest[4] * rest[6]));
}

static void random_matrix(double *f, double size, uint32_t *seed)
{
    for (int k = 0; k < 9; ++k)
        f[k] = (k % 4 == 0) + 2 * size * test_uniform(seed);
}

static double determinant(const double *f)
{
    return f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
           f[2] * (f[3] * f[7] - f[4] * f[6]);
}

/* How far the principal axes are from turning at will. */
static double axes_gap(enum nb_material material, const double *s)
{
    return material == NB_MATERIAL_HOOKE ? s[1] + s[2] : fmin(s[0] - s[1], s[1] - s[2]);
}

/* J [rows x 12] in the order of the particles, without the length. */
static void dense_jacobian(const struct NB(nb_model) *model, int rows, double *dense)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    for (int r = 0; r < rows; ++r)
        for (int k = jacobian->start[r / 3]; k < jacobian->start[r / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                dense[12 * r + 3 * jacobian->column[k] + c] =
                    (double)jacobian->value[9 * k + 3 * (r % 3) + c] / length();
}

static void check_element(enum nb_material material, const double *f, double inflation)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_element element;
    const int rows = nb_tetrahedron_rows(material);
    double jacobian[72], expected[6] = {0}, force[12] = {0}, wanted[12] = {0}, size = 0, stress = lame[0];
    struct NB(nb_model) *model = model_at(&problem, material, f, inflation);
    nb_element_evaluate(&problem.tetrahedra, 0, problem.particles.position, &element);
    dense_jacobian(model, rows, jacobian);
    for (int k = 0; k < rows * rows; ++k)
        size = fmax(size, fabs(element.compliance[k]));
    const double l = length(), spread = size * element.volume * lame[1]; /* stiffest over softest */
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < rows; ++k) {
            expected[r] += element.compliance[rows * r + k] * element.volume * element.stress[k];
            if (r / 3 == k / 3)
                assert_near((double)model->bilateral_compliance[9 * (r / 3) + 3 * (r % 3) + k % 3],
                            l * l * element.compliance[rows * r + k] / (h * h),
                            400 * U * (1 + spread) * l * l * size / (h * h));
            else
                assert_true(element.compliance[rows * r + k] == 0);
        }
    for (int r = 0; r < rows; ++r)
        stress = fmax(stress, fabs(element.stress[r]));
    for (int r = 0; r < rows; ++r) {
        assert_near((double)model->violation[r] * h / l, expected[r],
                    400 * U * (1 + spread) * (1 + size * element.volume * stress));
        for (int c = 0; c < 12; ++c) {
            force[c] += jacobian[12 * r + c] * element.volume * element.stress[r];
            wanted[c] += element.jacobian[12 * r + 3 * (3 - c / 3) + c % 3] * element.volume *
                         element.stress[r];
        }
    }
    for (int c = 0; c < 12; ++c) /* particles of the element are 3, 2, 1, 0 */
        assert_near(force[c], wanted[c], 4000 * U * element.volume * stress / 0.1);
    NB(nb_model_free)(model);
}

TEST(test_agrees_with_double)
{
    uint32_t seed = 3;
    int inverted = 0;
    for (int i = 0; i < 60; ++i) {
        double f[9];
        random_matrix(f, i < 20 ? 0.05 : i < 40 ? 0.7 : 2, &seed);
        inverted += determinant(f) < 0;
        check_element(NB_MATERIAL_HOOKE, f, i % 2 ? 2e4 : 0);
        check_element(NB_MATERIAL_NEO_HOOKEAN, f, i % 2 ? 2e4 : 0);
    }
    assert_in_range(inverted, 5, 40);
}

/* Principal stretches: J is the elements' own, and ds/dx by differences in double. Hooke's, which holds Q
 * fixed, shows in the forces and in the stiffness. */
TEST(test_jacobian_is_the_derivative)
{
    uint32_t seed = 17;
    for (int i = 0; i < 40; ++i) {
        const enum nb_material material = NB_MATERIAL_NEO_HOOKEAN;
        const int rows = nb_tetrahedron_rows(material);
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_element at, before, after;
        double f[9], jacobian[72], gap;
        random_matrix(f, 0.6, &seed);
        struct NB(nb_model) *model = model_at(&problem, material, f, 0);
        dense_jacobian(model, rows, jacobian);
        nb_element_evaluate(&problem.tetrahedra, 0, problem.particles.position, &at);
        gap = axes_gap(material, at.stretch);
        for (int c = 0; c < 12 && gap > 0.05; ++c) {
            double *x = problem.particles.position + c;
            *x += 1e-6;
            nb_element_evaluate(&problem.tetrahedra, 0, problem.particles.position, &after);
            *x -= 2e-6;
            nb_element_evaluate(&problem.tetrahedra, 0, problem.particles.position, &before);
            *x += 1e-6;
            for (int r = 0; r < rows; ++r) {
                const double own = at.jacobian[12 * r + 3 * (3 - c / 3) + c % 3];
                assert_near(jacobian[12 * r + c], own, 200 * U / gap);
                assert_near((after.strain[r] - before.strain[r]) / 2e-6, jacobian[12 * r + c],
                            1e-6 / gap + 200 * U / gap);
            }
        }
        NB(nb_model_free)(model);
    }
}

/* Forces on the particles where those of an element are, in double. */
static void forces_at(const struct nb_problem *problem, double *force)
{
    struct nb_element element;
    nb_element_evaluate(&problem->tetrahedra, 0, problem->particles.position, &element);
    memset(force, 0, 12 * sizeof *force);
    for (int r = 0; r < element.rows; ++r)
        for (int c = 0; c < 12; ++c) /* particles of the element are 3, 2, 1, 0 */
            force[3 * (3 - c / 3) + c % 3] +=
                element.volume * element.stress[r] * element.jacobian[12 * r + c];
}

/* sum over all block rows of J^T C^-1 J / h^2: the stiffness that the Newton matrix gives the element. */
static void stiffness_of(const struct NB(nb_model) *model, double *k)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    memset(k, 0, 144 * sizeof *k);
    for (int b = 0; b < model->blocks; ++b) {
        double row[36] = {0}; /* L^-1 J, C = L L^T */
        nb_real factor[9];
        assert_true(NB(nb_block_invert_factor)(model->bilateral_compliance + 9 * b, factor));
        for (int e = jacobian->start[b]; e < jacobian->start[b + 1]; ++e)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    for (int m = 0; m <= r; ++m)
                        row[12 * r + 3 * jacobian->column[e] + c] +=
                            (double)factor[3 * r + m] *
                            (double)jacobian->value[9 * e + 3 * m + c];
        for (int i = 0; i < 144; ++i)
            for (int r = 0; r < 3; ++r)
                k[i] += row[12 * r + i / 12] * row[12 * r + i % 12] / (h * h);
    }
}

/* Takes d(J^T p)/du / h^2 off the stiffness. */
static void add_curvature(const struct NB(nb_model) *model, double *k)
{
    int pair_start[8] = {0};
    nb_real impulse[9] = {0}, slope[9 * 12], pairs[9 * 48];
    for (int b = 0; b < model->blocks; ++b)
        pair_start[b + 1] = pair_start[b] + 16;
    NB(nb_model_curvature)(model, velocity, impulse, pair_start, slope, pairs);
    for (int p = 0; p < 16 * model->blocks; ++p)
        for (int e = 0; e < 9; ++e)
            k[12 * (3 * (p % 16 / 4) + e / 3) + 3 * (p % 4) + e % 3] -=
                (double)pairs[9 * p + e] / (h * h);
}

/* Rows and curvature against the derivative of the forces by differences; whether anything of the
 * stiffness against turning was negative. */
static int check_stiffness(enum nb_material material, const double *f, double inflation)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double rows[144], k[144], before[12], after[12];
    int negative = 0;
    struct NB(nb_model) *model = model_at(&problem, material, f, inflation);
    stiffness_of(model, rows);
    memcpy(k, rows, sizeof k);
    add_curvature(model, k);
    for (int c = 0; c < 12; ++c) {
        double *x = problem.particles.position + c;
        *x += 1e-6;
        forces_at(&problem, after);
        *x -= 2e-6;
        forces_at(&problem, before);
        *x += 1e-6;
        for (int r = 0; r < 12; ++r) {
            assert_near((after[r] - before[r]) / 2e-6, k[12 * r + c],
                        (1e-7 + 200 * U) * lame[0] * length());
            negative |= k[12 * r + c] != rows[12 * r + c];
        }
    }
    for (int b = material == NB_MATERIAL_HOOKE ? 2 : 1; b < 3; ++b)
        for (int r = 0; r < 3; ++r)
            assert_true(model->is_axis[b] && model->violation[3 * b + r] == 0);
    assert_int_equal(model->bilaterals, nb_tetrahedron_rows(material));
    NB(nb_model_free)(model);
    return negative;
}

/* In moderate tension the rows are the whole stiffness; compressed, the curvature has the rest. */
TEST(test_axis_rows_complete_the_stiffness)
{
    uint32_t seed = 53;
    for (int i = 0; i < 60; ++i) {
        const enum nb_material material = i % 2 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN;
        const int pressed = i % 3 == 0;
        double f[9];
        random_matrix(f, 0.03, &seed);
        for (int d = 0; d < 9; d += 4)
            f[d] *= pressed ? 0.93 : 1.07;
        assert_int_equal(check_stiffness(material, f, 0), pressed);
        check_stiffness(material, f, 2e4);
    }
}

TEST(test_rigid_motion_strains_nothing)
{
    uint32_t seed = 23;
    for (int i = 0; i < 20; ++i) {
        double q[4] = {1, 0, 0, 0}, turn[3], f[9];
        for (int k = 0; k < 3; ++k)
            turn[k] = 8 * test_uniform(&seed);
        nb_quaternion_advance(q, 1, turn);
        nb_quaternion_matrix(q, f);
        for (int m = 0; m < 2; ++m) {
            OWNS(nb_problem_free) struct nb_problem problem;
            struct NB(nb_model) *model =
                model_at(&problem, m ? NB_MATERIAL_NEO_HOOKEAN : NB_MATERIAL_HOOKE, f, 0);
            for (int r = 0; r < 3 * model->blocks; ++r)
                assert_near((double)model->violation[r] * h, 0, 60 * U);
            NB(nb_model_free)(model);
        }
    }
}

/* The forces of principal stretches have no sum and no torque for any multipliers, Hooke's no torque for
 * stresses with the strain's axes; and they turn with the element. */
TEST(test_forces_are_objective_and_balanced)
{
    const double q[4] = {0.5, -0.5, 0.5, 0.5};
    double rotation[9];
    uint32_t seed = 29;
    nb_quaternion_matrix(q, rotation);
    for (int i = 0; i < 30; ++i) {
        const enum nb_material material = i % 2 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN;
        OWNS(nb_problem_free) struct nb_problem problem, turned;
        struct nb_element element;
        double f[9], rf[9], force[3] = {0}, torque[3] = {0}, moment[3];
        nb_real impulse[9] = {0}, p[12], rp[12];
        random_matrix(f, 0.6, &seed);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                rf[3 * r + c] = rotation[3 * r] * f[c] + rotation[3 * r + 1] * f[3 + c] +
                                rotation[3 * r + 2] * f[6 + c];
        struct NB(nb_model) *a = model_at(&problem, material, f, 0);
        struct NB(nb_model) *b = model_at(&turned, material, rf, 0);
        nb_element_evaluate(&problem.tetrahedra, 0, problem.particles.position, &element);
        for (int r = 0; r < element.rows; ++r)
            impulse[r] = (nb_real)(material == NB_MATERIAL_HOOKE ? element.stress[r] / lame[0]
                                                                 : test_uniform(&seed));
        NB(nb_model_gather)(a, impulse, p);
        NB(nb_model_gather)(b, impulse, rp);
        for (int v = 0; v < 4; ++v) {
            double wide[3], expected[3];
            for (int k = 0; k < 3; ++k)
                force[k] += wide[k] = (double)p[3 * v + k];
            nb_cross3(problem.particles.position + 3 * v, wide, moment);
            nb_add_scaled3(torque, 1, moment, torque);
            nb_rotate(rotation, wide, expected);
            for (int k = 0; k < 3; ++k)
                assert_near((double)rp[3 * v + k], expected[k],
                            200 * U / fabs(axes_gap(material, element.stretch)));
        }
        assert_near(nb_norm3(force), 0, 20 * U);
        assert_near(nb_norm3(torque), 0, 200 * U);
        NB(nb_model_free)(a);
        NB(nb_model_free)(b);
    }
}

/* Random, flat, linear, pointlike, inverted and large: E has a Cholesky factor, all else is finite. */
TEST(test_compliance_is_positive_definite)
{
    static const double special[6][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 0},  {2, 0, 0, 0, 0, 0, 0, 0, 0},  {0},
        {-1, 0, 0, 0, -1, 0, 0, 0, -1}, {1, 0, 0, 0, 1, 0, 0, 0, -1}, {9, 0, 0, 0, 7, 0, 0, 0, 8}};
    uint32_t seed = 41;
    for (int i = 0; i < 206; ++i) {
        const enum nb_material material = i % 2 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN;
        struct nb_problem problem;
        double f[9];
        random_matrix(f, 1.5, &seed);
        if (i < 6)
            memcpy(f, special[i], sizeof f);
        for (int turn = 0; turn < 2; ++turn) {
            struct NB(nb_model) *model = model_at(
                &problem, turn ? material : NB_MATERIAL_NEO_HOOKEAN, f, i % 3 ? 0 : 1e4);
            nb_real factor[9];
            for (int b = 0; b < model->blocks; ++b) {
                const nb_real *e = model->bilateral_compliance + 9 * b;
                assert_true(NB(nb_block_invert_factor)(e, factor));
                assert_true(e[1] == e[3] && e[2] == e[6] && e[5] == e[7]);
            }
            for (int r = 0; r < 3 * model->blocks; ++r)
                assert_true(isfinite((double)model->violation[r]));
            for (int k = 0; k < 9 * model->jacobian.start[model->blocks]; ++k)
                assert_true(isfinite((double)model->jacobian.value[k]));
            NB(nb_model_free)(model);
            nb_problem_free(&problem);
        }
    }
}

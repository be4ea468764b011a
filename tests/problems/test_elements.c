/* Elements against finite differences of their energy, against Hooke's law at small strain, and
 * inverted: both materials, with and without inflation. */
#include <float.h>

#include "tests/support/near.h"

#include "problems/base/rotation.h"
#include "problems/elements.h"

static const double lambda = 3e5, mu = 1e5;
static const enum nb_material materials[] = {NB_MATERIAL_HOOKE, NB_MATERIAL_NEO_HOOKEAN};

/* One element of its own arrays; x = rotation (F0 rest) for any F0. */
struct single {
    struct nb_tetrahedra tetrahedra;
    int particle[4], material[1];
    double rest[9], lame[2], inflation[1], position[12];
};

static void make_single(struct single *single, enum nb_material material, double inflation)
{
    static const double rest[9] = {0.3, 0.05, -0.02, 0.01, 0.2, 0.04, 0.03, -0.05, 0.25};
    memset(single, 0, sizeof *single);
    for (int v = 0; v < 4; ++v)
        single->particle[v] = v;
    memcpy(single->rest, rest, sizeof rest);
    single->material[0] = (int)material;
    single->lame[0] = lambda;
    single->lame[1] = mu;
    single->inflation[0] = inflation;
    single->tetrahedra = (struct nb_tetrahedra){1, single->particle, single->rest, single->material,
                                                single->lame, single->inflation};
}

/* Places the element by x = x_0 + F X. */
static void deform(struct single *single, const double *f)
{
    for (int k = 0; k < 3; ++k)
        single->position[k] = 0.2 * k - 0.5;
    for (int v = 0; v < 3; ++v)
        for (int row = 0; row < 3; ++row) {
            double *x = single->position + 3 * (v + 1) + row;
            *x = single->position[row];
            for (int k = 0; k < 3; ++k)
                *x += f[3 * row + k] * single->rest[3 * k + v];
        }
}

static void evaluate(const struct single *single, struct nb_element *element)
{
    nb_element_evaluate(&single->tetrahedra, 0, single->position, element);
}

/* F = rotation (1 + size A), A some fixed matrix. */
static void strained(double size, double *f)
{
    static const double a[9] = {0.3, 0.6, -0.2, -0.1, -0.5, 0.4, 0.5, 0.2, 0.7};
    const double turn[3] = {0.7, -0.4, 1.1};
    double q[4] = {1, 0, 0, 0}, r[9];
    nb_quaternion_advance(q, 1, turn);
    nb_quaternion_matrix(q, r);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            f[3 * i + j] = r[3 * i + j];
            for (int k = 0; k < 3; ++k)
                f[3 * i + j] += r[3 * i + k] * size * a[3 * k + j];
        }
}

static const double sizes[] = {0, 0.01, 0.5, 1, -1.2, -2.5}; /* the last two invert */

/* d energy/dx = J^T (V dPsi/ds), whatever J leaves out. */
static void check_force(enum nb_material material, double inflation, double size)
{
    const double step = 1e-6;
    struct single single;
    struct nb_element at, ahead, behind;
    double f[9];
    make_single(&single, material, inflation);
    strained(size, f);
    deform(&single, f);
    evaluate(&single, &at);
    for (int i = 0; i < 12; ++i) {
        const double x = single.position[i];
        double force = 0;
        for (int r = 0; r < at.rows; ++r)
            force += at.jacobian[12 * r + i] * at.volume * at.stress[r];
        single.position[i] = x + step;
        evaluate(&single, &ahead);
        single.position[i] = x - step;
        evaluate(&single, &behind);
        single.position[i] = x;
        assert_near(force, (ahead.energy - behind.energy) / (2 * step), 1e-4);
    }
}

TEST(forces_are_the_slope_of_the_energy)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        for (int m = 0; m < 2; ++m) {
            check_force(materials[m], 0, sizes[k]);
            check_force(materials[m], 2e4, sizes[k]);
        }
}

static void check_jacobian(enum nb_material material, double size)
{
    const double step = 1e-6;
    struct single single;
    struct nb_element at, ahead, behind;
    double f[9];
    make_single(&single, material, 0);
    strained(size, f);
    deform(&single, f);
    evaluate(&single, &at);
    for (int i = 0; i < 12; ++i) {
        const double x = single.position[i];
        single.position[i] = x + step;
        evaluate(&single, &ahead);
        single.position[i] = x - step;
        evaluate(&single, &behind);
        single.position[i] = x;
        for (int r = 0; r < at.rows; ++r)
            assert_near(at.jacobian[12 * r + i], (ahead.strain[r] - behind.strain[r]) / (2 * step),
                        1e-6);
    }
}

TEST(jacobians_are_the_slope_of_the_strain)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        check_jacobian(NB_MATERIAL_HOOKE, sizes[k]);
        if (sizes[k] != 0) /* equal stretches have no slope of their own */
            check_jacobian(NB_MATERIAL_NEO_HOOKEAN, sizes[k]);
    }
}

/* J^T lambda is without force and torque for any lambda: sum f = 0, sum x x f = 0. */
TEST(rows_do_not_push_or_turn_the_element)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        for (int m = 0; m < 2; ++m) {
            struct single single;
            struct nb_element at;
            double f[9];
            make_single(&single, materials[m], 0);
            strained(sizes[k], f);
            deform(&single, f);
            evaluate(&single, &at);
            for (int r = 0; r < at.rows; ++r)
                for (int a = 0; a < 3; ++a) {
                    const int b = (a + 1) % 3, c = (a + 2) % 3;
                    double force = 0, torque = 0;
                    for (int v = 0; v < 4; ++v) {
                        const double *j = at.jacobian + 12 * r + 3 * v;
                        const double *x = single.position + 3 * v;
                        force += j[a];
                        torque += x[b] * j[c] - x[c] * j[b];
                    }
                    assert_near(force, 0, 1e-13);
                    assert_near(torque, 0, 1e-13);
                }
        }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* The element whose stretches are s, in the axes of its own rest. */
static void stretch_by(struct single *single, const double *s, struct nb_element *element)
{
    const double f[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]};
    deform(single, f);
    evaluate(single, element);
}

/* Second derivatives of the energy by the stretches, where they are positive definite. */
TEST(stiffness_is_the_slope_of_the_stress)
{
    static const double at[][3] = {{1.3, 1.1, 0.8}, {1, 0.9, 0.7}, {1.1, 1.05, 1.02}};
    const double step = 1e-6;
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        struct single single;
        struct nb_element element, ahead, behind;
        double s[3];
        make_single(&single, NB_MATERIAL_NEO_HOOKEAN, 1e4);
        stretch_by(&single, at[i], &element);
        for (int k = 0; k < 3; ++k) {
            memcpy(s, at[i], sizeof s);
            s[k] += step;
            stretch_by(&single, s, &ahead);
            s[k] -= 2 * step;
            stretch_by(&single, s, &behind);
            const double slope = (ahead.energy - behind.energy) / (2 * step);
            assert_near(element.volume * element.stress[k], slope, 1e-5);
            for (int j = 0; j < 3; ++j)
                assert_near(element.stiffness[3 * j + k],
                            (ahead.stress[j] - behind.stress[j]) / (2 * step), 1e-2);
        }
    }
}

/* E (V d2Psi/ds2) = 1, and both are positive definite everywhere, the inverted included. */
TEST(compliance_is_the_positive_inverse)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        for (int m = 0; m < 2; ++m) {
            struct single single;
            struct nb_element at;
            double f[9];
            make_single(&single, materials[m], 0);
            strained(sizes[k], f);
            deform(&single, f);
            evaluate(&single, &at);
            for (int i = 0; i < at.rows; ++i)
                for (int j = 0; j < at.rows; ++j) {
                    double sum = 0;
                    for (int l = 0; l < at.rows; ++l)
                        sum += at.compliance[at.rows * i + l] * at.stiffness[at.rows * l + j];
                    assert_near(sum * at.volume, i == j, 1e-11);
                }
            for (int round = 0; round < 27; ++round) {
                const double x[6] = {round % 3 - 1.0, round / 3 % 3 - 1.0, round / 9 - 1.0,
                                     0.3, -0.2, 0.1};
                double y[6];
                for (int i = 0; i < at.rows; ++i)
                    y[i] = dot(at.rows, at.stiffness + at.rows * i, x);
                assert_true(dot(at.rows, x, y) >= 0.0099 * mu * dot(at.rows, x, x));
            }
        }
}

/* x^T K x >= 0 for any x, and a rigid displacement costs nothing. */
TEST(the_tangent_is_positive_semidefinite)
{
    uint32_t seed = 3;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        for (int m = 0; m < 2; ++m) {
            struct single single;
            double f[9], tangent[144];
            make_single(&single, materials[m], 1e4);
            strained(sizes[k], f);
            deform(&single, f);
            nb_element_tangent(&single.tetrahedra, 0, single.position, tangent);
            for (int round = 0; round < 200; ++round) {
                double x[12], y[12];
                for (int i = 0; i < 12; ++i) {
                    seed = seed * 1664525u + 1013904223u;
                    x[i] = round ? (double)(seed >> 8) / (1 << 23) - 1 : (i % 3) - 0.5;
                }
                for (int i = 0; i < 12; ++i)
                    y[i] = dot(12, tangent + 12 * i, x);
                assert_true(dot(12, x, y) >= -1e-8);
                for (int i = 0; round == 0 && i < 12; ++i)
                    assert_near(y[i], 0, 1e-8);
            }
        }
}

/* The Hessian is the slope of J^T V dPsi/ds with all its signs, under pressure, too; the tangent is no less. */
TEST(the_hessian_is_the_slope_of_the_forces)
{
    for (size_t k = 0; k < 4; ++k)
        for (int m = 0; m < 2; ++m) {
            struct single single;
            double f[9], hessian[144], size = 0;
            make_single(&single, materials[m], 2e4);
            strained(-0.5 + 0.3 * (double)k, f);
            deform(&single, f);
            nb_element_hessian(&single.tetrahedra, 0, single.position, hessian);
            for (int i = 0; i < 144; ++i)
                size = fmax(size, fabs(hessian[i]));
            for (int j = 0; j < 12; ++j) {
                const double step = 1e-6, at = single.position[j];
                double force[2][12] = {{0}};
                for (int side = 0; side < 2; ++side) {
                    struct nb_element element;
                    single.position[j] = at + (side ? step : -step);
                    evaluate(&single, &element);
                    for (int i = 0; i < 12; ++i)
                        for (int r = 0; r < element.rows; ++r)
                            force[side][i] += element.volume * element.jacobian[12 * r + i] * element.stress[r];
                }
                single.position[j] = at;
                for (int i = 0; i < 12; ++i)
                    assert_near(hessian[12 * i + j] / size, (force[1][i] - force[0][i]) / (2 * step) / size, 1e-7);
            }
        }
}

/* P = 2 mu e + lambda tr(e) 1: the first Piola-Kirchhoff stress from the forces on the particles,
 * P = sum_v f_v X_v^T / V at small strain, of second order in the strain. */
TEST(both_materials_are_hookes_at_small_strain)
{
    static const double e[9] = {0.3, 0.2, -0.4, 0.2, -0.5, 0.1, -0.4, 0.1, 0.7};
    for (double size = 1e-2; size > 1e-6; size /= 10)
        for (int m = 0; m < 2; ++m) {
            struct single single;
            struct nb_element at;
            double f[9];
            make_single(&single, materials[m], 0);
            for (int k = 0; k < 9; ++k)
                f[k] = (k % 4 == 0) + size * e[k];
            deform(&single, f);
            evaluate(&single, &at);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    double piola = 0;
                    for (int v = 0; v < 3; ++v)
                        for (int r = 0; r < at.rows; ++r)
                            piola += at.jacobian[12 * r + 3 * (v + 1) + i] * at.stress[r] *
                                     single.rest[3 * j + v];
                    const double hooke =
                        size * (2 * mu * e[3 * i + j] + (i == j ? lambda * 0.5 : 0));
                    assert_near(piola, hooke, 5 * lambda * size * size + 1e-8);
                }
            const double energy = at.volume * size * size * (mu * dot(9, e, e) + lambda * 0.125);
            assert_near(at.energy, energy, 10 * size * energy + 1e-12);
        }
}

/* At rest in any position: no strain energy, no stress, no force. */
TEST(rest_is_free_of_stress)
{
    for (int m = 0; m < 2; ++m) {
        struct single single;
        struct nb_element at;
        double f[9];
        make_single(&single, materials[m], 0);
        strained(0, f);
        deform(&single, f);
        evaluate(&single, &at);
        assert_near(at.energy, 0, 1e-12);
        for (int k = 0; k < at.rows; ++k)
            assert_near(at.stress[k], 0, 1e-8);
    }
}

/* From inverted through flat to shortened, the energy falls all the way. */
TEST(inverted_elements_are_pushed_back)
{
    for (int m = 0; m < 2; ++m) {
        double last = INFINITY;
        for (double s = -0.95; s < 0.9; s += 0.1) {
            const double stretch[3] = {1, 1, s};
            struct single single;
            struct nb_element at;
            make_single(&single, materials[m], 0);
            stretch_by(&single, stretch, &at);
            assert_true(at.energy < last);
            assert_near(at.stretch[2], s, 1e-14);
            last = at.energy;
        }
    }
}

/* Flat, a line, a point: everything stays finite. */
TEST(degenerate_elements_have_finite_forces)
{
    static const double f[][9] = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {1, 0, 0, 2, 0, 0, 0, 0, 0},
                                  {1, 1, 1, 1, 1, 1, 1, 1, 1}, {-1, 0, 0, 0, -1, 0, 0, 0, -1}};
    for (size_t k = 0; k < sizeof f / sizeof *f; ++k)
        for (int m = 0; m < 2; ++m) {
            struct single single;
            struct nb_element at;
            make_single(&single, materials[m], 0);
            deform(&single, f[k]);
            evaluate(&single, &at);
            assert_true(isfinite(at.energy));
            for (int i = 0; i < 12 * at.rows; ++i)
                assert_true(isfinite(at.jacobian[i]));
            for (int i = 0; i < at.rows * at.rows; ++i)
                assert_true(isfinite(at.compliance[i]));
        }
}

/* V K s = p V (1, 1, 1) at the free expansion of s = p / (3 lambda + 2 mu): the pressure of an
 * inflated element is balanced there, for both materials to first order. */
TEST(inflation_expands)
{
    const double pressure = 10, expansion = pressure / (3 * lambda + 2 * mu);
    const double stretch[3] = {1 + expansion, 1 + expansion, 1 + expansion};
    for (int m = 0; m < 2; ++m) {
        struct single single;
        struct nb_element at;
        make_single(&single, materials[m], pressure);
        stretch_by(&single, stretch, &at);
        for (int k = 0; k < at.rows; ++k)
            assert_near(at.stress[k], 0, 1e-4 * pressure);
    }
}

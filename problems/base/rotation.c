/* Quaternions by Macklin et al. (2019), appendix on rigid bodies, (89): with the world-frame
 * angular velocity omega, d theta/dt = 1/2 (0, omega) theta, quaternion product. */
#include "problems/base/rotation.h"

#include "problems/base/vec3.h"

void nb_quaternion_matrix(const double *quaternion, double *matrix)
{
    const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    matrix[0] = 1 - 2 * (y * y + z * z);
    matrix[1] = 2 * (x * y - w * z);
    matrix[2] = 2 * (x * z + w * y);
    matrix[3] = 2 * (x * y + w * z);
    matrix[4] = 1 - 2 * (x * x + z * z);
    matrix[5] = 2 * (y * z - w * x);
    matrix[6] = 2 * (x * z - w * y);
    matrix[7] = 2 * (y * z + w * x);
    matrix[8] = 1 - 2 * (x * x + y * y);
}

void nb_quaternion_product(const double *a, const double *b, double *product)
{
    product[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    product[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    product[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    product[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

void nb_quaternion_advance(double *quaternion, double time_step, const double *omega)
{
    const double spin[4] = {0, omega[0], omega[1], omega[2]};
    double rate[4], norm = 0;
    nb_quaternion_product(spin, quaternion, rate);
    for (int k = 0; k < 4; ++k) {
        quaternion[k] += 0.5 * time_step * rate[k];
        norm += quaternion[k] * quaternion[k];
    }
    norm = sqrt(norm);
    for (int k = 0; k < 4; ++k)
        quaternion[k] /= norm;
}

void nb_rotate(const double *matrix, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i)
        y[i] = nb_dot3(matrix + 3 * i, x);
}

void nb_rotate_back(const double *matrix, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i)
        y[i] = matrix[i] * x[0] + matrix[3 + i] * x[1] + matrix[6 + i] * x[2];
}

void nb_world_inertia(const double *matrix, const double *inertia, double *world)
{
    double half[9]; /* row i: I applied to row i of R */
    for (int i = 0; i < 3; ++i)
        nb_rotate(inertia, matrix + 3 * i, half + 3 * i);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            world[3 * i + j] = world[3 * j + i] = nb_dot3(half + 3 * i, matrix + 3 * j);
}

int nb_solve_spd3(const double *matrix, const double *b, double *x)
{
    double lower[9], y[3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = matrix[3 * i + j];
            for (int k = 0; k < j; ++k)
                sum -= lower[3 * i + k] * lower[3 * j + k];
            if (i == j && !(sum > 0))
                return 1;
            lower[3 * i + j] = i == j ? sqrt(sum) : sum / lower[4 * j];
        }
    }
    for (int i = 0; i < 3; ++i) {
        y[i] = b[i];
        for (int k = 0; k < i; ++k)
            y[i] -= lower[3 * i + k] * y[k];
        y[i] /= lower[4 * i];
    }
    for (int i = 2; i >= 0; --i) {
        x[i] = y[i];
        for (int k = i + 1; k < 3; ++k)
            x[i] -= lower[3 * k + i] * x[k];
        x[i] /= lower[4 * i];
    }
    return 0;
}

/* The smallest rotation that takes the unit vector e to n takes f, orthogonal to e, to
 *     t1 = f - (n . f) / (1 + e . n) (e + n).
 * It fails only at n = -e, so e is a direction that no scene's faces have, and f is chosen such
 * that t1 = x at n = z. */
void nb_contact_frame(const double *normal, double *frame)
{
    const double e[3] = {2 / 7.0, 3 / 7.0, 6 / 7.0};
    const double f[3] = {87 / 91.0, -6 / 91.0, -26 / 91.0};
    double *n = frame, *t1 = frame + 3, *t2 = frame + 6, sum[3];
    const double away = 1 + nb_dot3(e, normal);
    nb_add_scaled3(e, 1, normal, sum);
    nb_add_scaled3(normal, 0, normal, n);
    nb_add_scaled3(f, away > 0 ? -nb_dot3(normal, f) / away : 0, sum, t1);
    /* Near n = -e the quotient is inexact: make t1 orthonormal again. */
    nb_add_scaled3(t1, -nb_dot3(n, t1), n, t1);
    nb_normalise3(t1);
    nb_cross3(n, t1, t2);
}

/* Singular values by one-sided Jacobi rotations (Hestenes 1958): V turns the columns of F until they are
 * orthogonal. F^T F is never formed, so that small stretches keep their digits in single precision
 * too. Eigenvalues of symmetric matrices by Jacobi's two-sided rotations. */
#include "problems/model/stretch.h"

#include <string.h>

/* Convergence is quadratic: three or four sweeps do; the rest is for safety. */
enum { SWEEPS = 10 };

static nb_real dot(const nb_real *a, const nb_real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const nb_real *a, const nb_real *b, nb_real *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* (a, b) = (c a - s b, s a + c b) */
static void rotate(nb_real *a, nb_real *b, nb_real c, nb_real s)
{
    for (int k = 0; k < 3; ++k) {
        const nb_real x = a[k], y = b[k];
        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
    }
}

/* The smaller root t of t^2 + 2 zeta t = 1, as cosine and sine. */
static void jacobi_angle(nb_real zeta, nb_real *c, nb_real *s)
{
    const nb_real size = nb_abs(zeta) + nb_sqrt(1 + zeta * zeta);
    const nb_real t = (zeta < 0 ? -1 : 1) / size;
    *c = 1 / nb_sqrt(1 + t * t);
    *s = *c * t;
}

/* Rows p and q of b orthogonal, the same rotation on v; zero where they were already. */
static int orthogonalise(nb_real *b, nb_real *v, int p, int q)
{
    nb_real *x = b + 3 * p, *y = b + 3 * q, c, s;
    const nb_real xx = dot(x, x), yy = dot(y, y), xy = dot(x, y);
    if (!(nb_abs(xy) > 4 * NB_REAL(NB_UNIT_ROUNDOFF) * nb_sqrt(xx) * nb_sqrt(yy)))
        return 0;
    jacobi_angle((yy - xx) / (2 * xy), &c, &s);
    rotate(x, y, c, s);
    rotate(v + 3 * p, v + 3 * q, c, s);
    return 1;
}

/* The longer of rows p < q first; one changes sign, so that (v_i) stays right-handed. */
static void order(nb_real *b, nb_real *v, int p, int q)
{
    if (dot(b + 3 * p, b + 3 * p) >= dot(b + 3 * q, b + 3 * q))
        return;
    rotate(b + 3 * p, b + 3 * q, 0, -1);
    rotate(v + 3 * p, v + 3 * q, 0, -1);
}

/* A unit vector across u. */
static void any_normal(const nb_real *u, nb_real *out)
{
    int least = 0;
    for (int k = 1; k < 3; ++k)
        if (nb_abs(u[k]) < nb_abs(u[least]))
            least = k;
    nb_real axis[3] = {0, 0, 0};
    axis[least] = 1;
    cross(u, axis, out);
    const nb_real size = nb_sqrt(dot(out, out));
    for (int k = 0; k < 3; ++k)
        out[k] /= size;
}

/* Left vectors from orthogonal rows b_i = s_i u_i in descending order. */
static void fill_left(const nb_real *b, struct NB(nb_stretch) *out)
{
    nb_real *u = out->left, across[3];
    const nb_real first = nb_sqrt(dot(b, b));
    for (int k = 0; k < 3; ++k)
        u[k] = first > 0 ? b[k] / first : (nb_real)(k == 0);
    const nb_real along = dot(u, b + 3);
    for (int k = 0; k < 3; ++k)
        across[k] = b[3 + k] - along * u[k];
    const nb_real second = nb_sqrt(dot(across, across));
    if (second > NB_REAL(NB_UNIT_ROUNDOFF) * first)
        for (int k = 0; k < 3; ++k)
            u[3 + k] = across[k] / second;
    else
        any_normal(u, u + 3);
    cross(u, u + 3, u + 6);
    out->value[0] = first;
    out->value[1] = second;
    out->value[2] = dot(u + 6, b + 6);
}

void NB(nb_stretch_of)(const nb_real *f, struct NB(nb_stretch) *out)
{
    nb_real b[9], *v = out->right; /* rows of b: columns of F V */
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            b[3 * i + k] = f[3 * k + i];
            v[3 * i + k] = (nb_real)(i == k);
        }
    for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; ++sweep) {
        turned = orthogonalise(b, v, 0, 1);
        turned |= orthogonalise(b, v, 0, 2);
        turned |= orthogonalise(b, v, 1, 2);
    }
    order(b, v, 0, 1);
    order(b, v, 0, 2);
    order(b, v, 1, 2);
    fill_left(b, out);
}

/* Rows and columns p and q of a; the rotation into v. Zero where a_pq was negligible. */
static int diagonalise(nb_real *a, nb_real *v, int p, int q)
{
    const nb_real off = a[3 * p + q], size = nb_abs(a[4 * p]) + nb_abs(a[4 * q]);
    nb_real c, s;
    if (!(nb_abs(off) > NB_REAL(NB_UNIT_ROUNDOFF) / 4 * size))
        return 0;
    jacobi_angle((a[4 * q] - a[4 * p]) / (2 * off), &c, &s);
    rotate(a + 3 * p, a + 3 * q, c, s);
    for (int k = 0; k < 3; ++k) {
        const nb_real x = a[3 * k + p], y = a[3 * k + q];
        a[3 * k + p] = c * x - s * y;
        a[3 * k + q] = s * x + c * y;
    }
    rotate(v + 3 * p, v + 3 * q, c, s);
    return 1;
}

void NB(nb_symmetric_eigen)(const nb_real *a, nb_real *e, nb_real *v)
{
    nb_real work[9];
    memcpy(work, a, sizeof work);
    for (int k = 0; k < 9; ++k)
        v[k] = (nb_real)(k % 4 == 0);
    for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; ++sweep) {
        turned = diagonalise(work, v, 0, 1);
        turned |= diagonalise(work, v, 0, 2);
        turned |= diagonalise(work, v, 1, 2);
    }
    for (int k = 0; k < 3; ++k)
        e[k] = work[4 * k];
}

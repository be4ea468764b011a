/* Principal stretches of a 3x3 matrix, and eigenvalues of a symmetric one, in this precision. Any
 * finite matrix will do: regular, reflecting, flat or zero. Private to solvers/model/rows and the CUDA
 * solvers.
 *
 * Singular values by one-sided Jacobi rotations (Hestenes 1958): V turns the columns of F until they are
 * orthogonal. F^T F is never formed, so that small stretches keep their digits in single precision
 * too. Eigenvalues of symmetric matrices by Jacobi's two-sided rotations. */
#ifndef NB_MODEL_STRETCH_H
#define NB_MODEL_STRETCH_H

#include <string.h>

#include "solvers/block/block3.h"

#define nb_turn_pair NB(nb_turn_pair)

/* The result of nb_stretch_of. */
struct NB(nb_stretch) {
    nb_real value[3];  /* s_i          */
    nb_real left[9];   /* row i is u_i */
    nb_real right[9];  /* row i is v_i */
};

/* Convergence is quadratic: three or four sweeps do; the rest is for safety. */
enum { NB_JACOBI_SWEEPS = 10 };

/* (a, b) = (c a - s b, s a + c b) */
NB_BOTH void nb_turn_pair(nb_real *a, nb_real *b, nb_real c, nb_real s)
{
    for (int k = 0; k < 3; ++k) {
        const nb_real x = a[k], y = b[k];
        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
    }
}

/* The smaller root t of t^2 + 2 zeta t = 1, as cosine and sine. */
NB_BOTH void NB(nb_jacobi_angle)(nb_real zeta, nb_real *c, nb_real *s)
{
    const nb_real size = nb_abs(zeta) + nb_sqrt(1 + zeta * zeta);
    const nb_real t = (zeta < 0 ? -1 : 1) / size;
    *c = 1 / nb_sqrt(1 + t * t);
    *s = *c * t;
}

/* Rows p and q of b orthogonal, the same rotation on v; zero where they were already. */
NB_BOTH int NB(nb_orthogonalise_rows)(nb_real *b, nb_real *v, int p, int q)
{
    nb_real *x = b + 3 * p, *y = b + 3 * q, c, s;
    const nb_real xx = NB(nb_dot3)(x, x), yy = NB(nb_dot3)(y, y), xy = NB(nb_dot3)(x, y);
    if (!(nb_abs(xy) > 4 * NB_REAL(NB_UNIT_ROUNDOFF) * nb_sqrt(xx) * nb_sqrt(yy)))
        return 0;
    NB(nb_jacobi_angle)((yy - xx) / (2 * xy), &c, &s);
    nb_turn_pair(x, y, c, s);
    nb_turn_pair(v + 3 * p, v + 3 * q, c, s);
    return 1;
}

/* The longer of rows p < q first; one changes sign, so that (v_i) stays right-handed. */
NB_BOTH void NB(nb_order_rows)(nb_real *b, nb_real *v, int p, int q)
{
    if (NB(nb_dot3)(b + 3 * p, b + 3 * p) >= NB(nb_dot3)(b + 3 * q, b + 3 * q))
        return;
    nb_turn_pair(b + 3 * p, b + 3 * q, 0, -1);
    nb_turn_pair(v + 3 * p, v + 3 * q, 0, -1);
}

/* A unit vector across u. */
NB_BOTH void NB(nb_any_normal)(const nb_real *u, nb_real *out)
{
    int least = 0;
    for (int k = 1; k < 3; ++k)
        if (nb_abs(u[k]) < nb_abs(u[least]))
            least = k;
    nb_real axis[3] = {0, 0, 0};
    axis[least] = 1;
    NB(nb_cross3)(u, axis, out);
    const nb_real size = nb_sqrt(NB(nb_dot3)(out, out));
    for (int k = 0; k < 3; ++k)
        out[k] /= size;
}

/* Left vectors from orthogonal rows b_i = s_i u_i in descending order. */
NB_BOTH void NB(nb_fill_left_vectors)(const nb_real *b, struct NB(nb_stretch) *out)
{
    nb_real *u = out->left, across[3];
    const nb_real first = nb_sqrt(NB(nb_dot3)(b, b));
    for (int k = 0; k < 3; ++k)
        u[k] = first > 0 ? b[k] / first : (nb_real)(k == 0);
    const nb_real along = NB(nb_dot3)(u, b + 3);
    for (int k = 0; k < 3; ++k)
        across[k] = b[3 + k] - along * u[k];
    const nb_real second = nb_sqrt(NB(nb_dot3)(across, across));
    if (second > NB_REAL(NB_UNIT_ROUNDOFF) * first)
        for (int k = 0; k < 3; ++k)
            u[3 + k] = across[k] / second;
    else
        NB(nb_any_normal)(u, u + 3);
    NB(nb_cross3)(u, u + 3, u + 6);
    out->value[0] = first;
    out->value[1] = second;
    out->value[2] = NB(nb_dot3)(u + 6, b + 6);
}

/* F = sum_i s_i u_i v_i^T with s_1 >= s_2 >= |s_3|, s_3 of the sign of det F, and (u_i), (v_i)
 * right-handed. */
NB_BOTH void NB(nb_stretch_of)(const nb_real *f, struct NB(nb_stretch) *out)
{
    nb_real b[9], *v = out->right; /* rows of b: columns of F V */
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            b[3 * i + k] = f[3 * k + i];
            v[3 * i + k] = (nb_real)(i == k);
        }
    for (int sweep = 0, turned = 1; turned && sweep < NB_JACOBI_SWEEPS; ++sweep) {
        turned = NB(nb_orthogonalise_rows)(b, v, 0, 1);
        turned |= NB(nb_orthogonalise_rows)(b, v, 0, 2);
        turned |= NB(nb_orthogonalise_rows)(b, v, 1, 2);
    }
    NB(nb_order_rows)(b, v, 0, 1);
    NB(nb_order_rows)(b, v, 0, 2);
    NB(nb_order_rows)(b, v, 1, 2);
    NB(nb_fill_left_vectors)(b, out);
}

/* Rows and columns p and q of a; the rotation into v. Zero where a_pq was negligible. */
NB_BOTH int NB(nb_diagonalise_pair)(nb_real *a, nb_real *v, int p, int q)
{
    const nb_real off = a[3 * p + q], size = nb_abs(a[4 * p]) + nb_abs(a[4 * q]);
    nb_real c, s;
    if (!(nb_abs(off) > NB_REAL(NB_UNIT_ROUNDOFF) / 4 * size))
        return 0;
    NB(nb_jacobi_angle)((a[4 * q] - a[4 * p]) / (2 * off), &c, &s);
    nb_turn_pair(a + 3 * p, a + 3 * q, c, s);
    for (int k = 0; k < 3; ++k) {
        const nb_real x = a[3 * k + p], y = a[3 * k + q];
        a[3 * k + p] = c * x - s * y;
        a[3 * k + q] = s * x + c * y;
    }
    nb_turn_pair(v + 3 * p, v + 3 * q, c, s);
    return 1;
}

/* A = sum_i e_i v_i v_i^T for symmetric A [9]; row i of v is v_i. */
NB_BOTH void NB(nb_symmetric_eigen)(const nb_real *a, nb_real *e, nb_real *v)
{
    nb_real work[9];
    memcpy(work, a, sizeof work);
    for (int k = 0; k < 9; ++k)
        v[k] = (nb_real)(k % 4 == 0);
    for (int sweep = 0, turned = 1; turned && sweep < NB_JACOBI_SWEEPS; ++sweep) {
        turned = NB(nb_diagonalise_pair)(work, v, 0, 1);
        turned |= NB(nb_diagonalise_pair)(work, v, 0, 2);
        turned |= NB(nb_diagonalise_pair)(work, v, 1, 2);
    }
    for (int k = 0; k < 3; ++k)
        e[k] = work[4 * k];
}

#endif

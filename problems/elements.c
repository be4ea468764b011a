/* Co-rotational Hooke and stable neo-Hookean tetrahedra (problems/elements.h; Macklin et al. 2019,
 * 9.2 and appendix B; Smith et al. 2018; docs/theory/design.md, section 3).
 *
 *     F = D R^-1,  D = [x_1-x_0, x_2-x_0, x_3-x_0],   F = U diag(sigma) V^T
 *     Hooke        Q = U V^T,  s = V diag(sigma - 1) V^T in Voigt's order with doubled shears,
 *                  Psi = s^T K s / 2
 *     neo-Hookean  s = sigma,  dPsi/ds_i = 2 C_1 s_i + 2 D_1 (J - alpha) J_i,
 *                  d2Psi/ds_i ds_j = 2 C_1 delta_ij + 2 D_1 (J_i J_j + (J - alpha) J_ij),
 *                  J_i = dJ/ds_i, J_ij = d2J/ds_i ds_j: the third stretch where i != j, else 0
 *
 * d2Psi/dF2 of an isotropic energy has, beside the block d2Psi/dsigma2 on u_i v_i^T, the
 * eigenvalues
 *     (g_i - g_j)/(sigma_i - sigma_j)   on (u_i v_j^T + u_j v_i^T)/sqrt 2
 *     (g_i + g_j)/(sigma_i + sigma_j)   on (u_i v_j^T - u_j v_i^T)/sqrt 2,   g = dPsi/dsigma
 * (Smith, de Goes and Kim 2019). */
#include "problems/elements.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problems/base/svd3.h"

/* Least size of the stiffness's eigenvalues over mu: the material's own is mu where J = alpha. */
static const double least_stiffness = 0.01;

/* Voigt's order of the entries (i, j) of a symmetric tensor. */
static const int voigt[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

/* What depends on the configuration alone. */
struct deformation {
    double inverse[9];           /* R^-1 */
    double u[9], v[9], sigma[3]; /* F = U diag(sigma) V^T */
};

static double determinant(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static void invert(const double *a, double *out)
{
    const double det = determinant(a);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[3 * i + j] = (a[3 * r + c] * a[3 * s + d] - a[3 * r + d] * a[3 * s + c]) / det;
        }
}

/* c = a b, or a b^T. */
static void product(const double *a, const double *b, int transposed, double *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k)
                c[3 * i + j] += a[3 * i + k] * (transposed ? b[3 * j + k] : b[3 * k + j]);
        }
}

static void deform(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                   struct deformation *out)
{
    const int *particle = tetrahedra->particle + 4 * index;
    double edges[9], f[9];
    for (int row = 0; row < 3; ++row)
        for (int a = 0; a < 3; ++a)
            edges[3 * row + a] =
                position[3 * particle[a + 1] + row] - position[3 * particle[0] + row];
    invert(tetrahedra->rest + 9 * index, out->inverse);
    product(edges, out->inverse, 0, f);
    nb_svd3(f, out->u, out->sigma, out->v);
}

/* Row of J from ds = G : dF = sum_ka (G R^-T)_ka dD_ka. */
static void jacobian_row(const double *g, const double *inverse, double *row)
{
    double by_edge[9];
    product(g, inverse, 1, by_edge);
    for (int k = 0; k < 3; ++k) {
        row[k] = 0;
        for (int a = 0; a < 3; ++a) {
            row[3 + 3 * a + k] = by_edge[3 * k + a];
            row[k] -= by_edge[3 * k + a];
        }
    }
}

/* K and its inverse: two numbers for normal strains, one for shears. */
static void fill_hooke(double lambda, double mu, struct nb_element *element)
{
    const double bulk = mu * (3 * lambda + 2 * mu) * element->volume;
    memset(element->stiffness, 0, sizeof element->stiffness);
    memset(element->compliance, 0, sizeof element->compliance);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            element->stiffness[6 * i + j] = lambda + (i == j ? 2 * mu : 0);
            element->compliance[6 * i + j] = (i == j ? lambda + mu : -lambda / 2) / bulk;
        }
        element->stiffness[7 * (i + 3)] = mu;
        element->compliance[7 * (i + 3)] = 1 / (mu * element->volume);
    }
}

/* G of one entry (a, b) of dS = V dS' V^T: in the axes of V, with F' = U^T F V and both stretches of a
 * pair, dS'_ij = (s_i dF'_ij + s_j dF'_ji) / (s_i + s_j). Where two stretches are opposite Q jumps, and
 * its rate is kept finite. */
static void strain_slope(const struct deformation *at, int a, int b, double *g)
{
    const double *s = at->sigma, least = sqrt(DBL_EPSILON) * fmax(s[0], sqrt(DBL_EPSILON));
    double c[9], half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double both = at->v[3 * a + i] * at->v[3 * b + j] +
                                at->v[3 * a + j] * at->v[3 * b + i];
            c[3 * i + j] = both * (1 + (s[i] - s[j]) / fmax(s[i] + s[j], least)) / 2;
        }
    product(at->u, c, 0, half);
    product(half, at->v, 1, g);
}

static void evaluate_hooke(const struct deformation *at, double lambda, double mu,
                           struct nb_element *element)
{
    fill_hooke(lambda, mu, element);
    for (int r = 0; r < 6; ++r) {
        const int i = voigt[r][0], j = voigt[r][1];
        const double factor = r < 3 ? 1 : 2;
        double g[9], strain = 0;
        strain_slope(at, i, j, g);
        for (int k = 0; k < 3; ++k)
            strain += at->v[3 * i + k] * (at->sigma[k] - 1) * at->v[3 * j + k];
        for (int k = 0; k < 9; ++k)
            g[k] *= factor;
        element->strain[r] = factor * strain;
        jacobian_row(g, at->inverse, element->jacobian + 12 * r);
    }
    for (int r = 0; r < 6; ++r) {
        element->stress[r] = 0;
        for (int k = 0; k < 6; ++k)
            element->stress[r] += element->stiffness[6 * r + k] * element->strain[k];
        element->energy += element->volume * element->strain[r] * element->stress[r] / 2;
    }
}

/* The stiffness with its eigenvalues by their size (Chen, Liu, Levin, Zheng and Jacobson 2024), at least
 * the least one, and its inverse over V. */
static void project(double least, struct nb_element *element)
{
    double e[3], v[9];
    nb_eigen3(element->stiffness, e, v);
    memset(element->stiffness, 0, sizeof element->stiffness);
    memset(element->compliance, 0, sizeof element->compliance);
    for (int k = 0; k < 3; ++k) {
        const double raised = fmax(fabs(e[k]), least);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const double both = v[3 * i + k] * v[3 * j + k];
                element->stiffness[3 * i + j] += raised * both;
                element->compliance[3 * i + j] += both / (raised * element->volume);
            }
    }
}

/* d2Psi/ds2 of the neo-Hookean material, with J - alpha as (J - 1) - C_1/D_1. */
static void neo_hookean_stiffness(const double *s, double lambda, double mu, double *stiffness)
{
    const double c = mu / 2, d = (lambda + mu) / 2, beyond = s[0] * s[1] * s[2] - 1 - c / d;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        stiffness[4 * i] = 2 * c + 2 * d * s[j] * s[k] * s[j] * s[k];
        stiffness[3 * i + j] = stiffness[3 * j + i] = 2 * d * (s[j] * s[k] * s[k] * s[i] + beyond * s[k]);
    }
}

/* J - alpha as (J - 1) - C_1/D_1, and the energy against that of rest: so the stress at rest is
 * zero but for the rounding of the stretches. */
static void evaluate_neo_hookean(const struct deformation *at, double lambda, double mu,
                                 struct nb_element *element)
{
    const double c = mu / 2, d = (lambda + mu) / 2, *s = at->sigma;
    const double excess = s[0] * s[1] * s[2] - 1, beyond = excess - c / d;
    double psi = d * excess * (beyond - c / d);
    memcpy(element->strain, s, 3 * sizeof *s);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        double g[9];
        psi += c * (s[i] - 1) * (s[i] + 1);
        element->stress[i] = 2 * c * (s[i] - s[j] * s[k]) + 2 * d * excess * s[j] * s[k];
        for (int row = 0; row < 3; ++row)
            for (int col = 0; col < 3; ++col)
                g[3 * row + col] = at->u[3 * row + i] * at->v[3 * col + i];
        jacobian_row(g, at->inverse, element->jacobian + 12 * i);
    }
    element->energy = element->volume * psi;
    neo_hookean_stiffness(s, lambda, mu, element->stiffness);
    project(least_stiffness * mu, element);
}

/* tangent += weight a b^T */
static void add_product(double weight, const double *a, const double *b, double *tangent)
{
    for (int i = 0; i < 12; ++i)
        for (int k = 0; k < 12; ++k)
            tangent[12 * i + k] += weight * a[i] * b[k];
}

/* Rows of J for ds = (u_i v_j^T +- u_j v_i^T) : dF / sqrt 2. */
static void pair_row(const struct deformation *at, int i, int j, double sign, double *row)
{
    double g[9];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            g[3 * a + b] = sqrt(0.5) * (at->u[3 * a + i] * at->v[3 * b + j] +
                                        sign * at->u[3 * a + j] * at->v[3 * b + i]);
    jacobian_row(g, at->inverse, row);
}

/* Eigenvalues of the pair whose third stretch is s[k]. An inverted element whose stretches cancel
 * has no second one. */
static void pair_stiffness(const struct nb_tetrahedra *tetrahedra, int index, const double *s,
                           int k, double *symmetric, double *turning)
{
    const double lambda = tetrahedra->lame[2 * index], mu = tetrahedra->lame[2 * index + 1];
    const double sum = s[(k + 1) % 3] + s[(k + 2) % 3];
    double over = -2 * tetrahedra->inflation[index]; /* of what is divided by the sum */
    if (tetrahedra->material[index] == NB_MATERIAL_HOOKE) {
        *symmetric = *turning = 2 * mu;
        over += 2 * lambda * (s[0] + s[1] + s[2] - 3) - 4 * mu;
    } else {
        const double pressure = (lambda + mu) * (s[0] * s[1] * s[2] - 1) - mu;
        *symmetric = mu - pressure * s[k];
        *turning = mu + pressure * s[k];
    }
    *turning = sum > 0 ? *turning + over / sum : 0;
}

/* raised: to positive semidefinite. */
static void fill_tangent(const struct nb_tetrahedra *tetrahedra, int index, const double *position, int raised,
                         double *tangent)
{
    const int hooke = tetrahedra->material[index] == NB_MATERIAL_HOOKE;
    struct deformation at;
    struct nb_element element;
    double row[3][12];
    nb_element_evaluate(tetrahedra, index, position, &element);
    deform(tetrahedra, index, position, &at);
    if (!raised && !hooke)
        neo_hookean_stiffness(at.sigma, tetrahedra->lame[2 * index], tetrahedra->lame[2 * index + 1],
                              element.stiffness);
    memset(tangent, 0, 144 * sizeof *tangent);
    for (int i = 0; i < 3; ++i) {
        double g[9];
        for (int k = 0; k < 9; ++k)
            g[k] = at.u[3 * (k / 3) + i] * at.v[3 * (k % 3) + i];
        jacobian_row(g, at.inverse, row[i]);
    }
    for (int i = 0; i < 3; ++i) {
        double symmetric, turning, mode[12];
        for (int k = 0; k < 3; ++k) /* the upper left corner of Hooke's is d2Psi/dsigma2 */
            add_product(element.volume * element.stiffness[(hooke ? 6 : 3) * i + k], row[i], row[k],
                        tangent);
        pair_stiffness(tetrahedra, index, at.sigma, i, &symmetric, &turning);
        pair_row(&at, (i + 1) % 3, (i + 2) % 3, 1, mode);
        add_product(element.volume * (raised ? fmax(symmetric, 0) : symmetric), mode, mode, tangent);
        pair_row(&at, (i + 1) % 3, (i + 2) % 3, -1, mode);
        add_product(element.volume * (raised ? fmax(turning, 0) : turning), mode, mode, tangent);
    }
}

void nb_element_tangent(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                        double *tangent)
{
    fill_tangent(tetrahedra, index, position, 1, tangent);
}

void nb_element_hessian(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                        double *hessian)
{
    fill_tangent(tetrahedra, index, position, 0, hessian);
}

double nb_element_volume(const struct nb_tetrahedra *tetrahedra, int index)
{
    return determinant(tetrahedra->rest + 9 * index) / 6;
}

void nb_element_evaluate(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                         struct nb_element *element)
{
    const enum nb_material material = (enum nb_material)tetrahedra->material[index];
    const double lambda = tetrahedra->lame[2 * index], mu = tetrahedra->lame[2 * index + 1];
    const double inflation = tetrahedra->inflation[index];
    struct deformation at;
    memset(element, 0, sizeof *element);
    element->rows = nb_tetrahedron_rows(material);
    element->volume = nb_element_volume(tetrahedra, index);
    deform(tetrahedra, index, position, &at);
    memcpy(element->stretch, at.sigma, sizeof at.sigma);
    if (material == NB_MATERIAL_HOOKE)
        evaluate_hooke(&at, lambda, mu, element);
    else
        evaluate_neo_hookean(&at, lambda, mu, element);
    for (int k = 0; k < 3; ++k) {
        element->stress[k] -= inflation;
        element->energy -= inflation * element->volume * (at.sigma[k] - 1);
    }
}

/* U diag(d) U^T as xx, yy, zz, xy, yz, xz. */
static void principal_tensor(const double *u, const double *d, double *tensor)
{
    static const int order[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    for (int k = 0; k < 6; ++k) {
        tensor[k] = 0;
        for (int i = 0; i < 3; ++i)
            tensor[k] += d[i] * u[3 * order[k][0] + i] * u[3 * order[k][1] + i];
    }
}

void nb_element_tensors(const struct nb_tetrahedra *tetrahedra, int index, const double *position,
                        double *stress, double *strain)
{
    const double lambda = tetrahedra->lame[2 * index], mu = tetrahedra->lame[2 * index + 1];
    const int hooke = tetrahedra->material[index] == NB_MATERIAL_HOOKE;
    const double least_volume = 1e-6;
    struct nb_element element;
    struct deformation at;
    double stretched[3], pulled[3];
    deform(tetrahedra, index, position, &at);
    nb_element_evaluate(tetrahedra, index, position, &element);
    const double *s = at.sigma, ratio = s[0] * s[1] * s[2];
    const double volume = fabs(ratio) < least_volume ? copysign(least_volume, ratio) : ratio;
    for (int i = 0; i < 3; ++i) {
        const double g = hooke ? lambda * (s[0] + s[1] + s[2] - 3) + 2 * mu * (s[i] - 1) -
                                     tetrahedra->inflation[index]
                               : element.stress[i];
        stretched[i] = s[i] - 1;
        pulled[i] = g * s[i] / volume;
    }
    principal_tensor(at.u, pulled, stress);
    principal_tensor(at.u, stretched, strain);
}

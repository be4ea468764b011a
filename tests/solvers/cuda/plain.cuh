// Systems of 3x3 blocks in double, and the Krylov methods and relaxations by the book: what the emulated ones are
// compared with.
#ifndef NB_TEST_CUDA_PLAIN_CUH
#define NB_TEST_CUDA_PLAIN_CUH

#include <cstddef>
#include <vector>

// Symmetric and positive definite.
struct problem {
    int rows = 0;
    std::vector<int> start, column;
    std::vector<double> value, b;
    size_t size() const { return 3 * (size_t)rows; }
};

// G H^-1 G^T + C with all of its blocks; b is not set. G is by block rows, mass H^-1 [9 nodes], compliance C [9 rows].
inline problem assemble(int rows, int nodes, const int *start, const int *column, const std::vector<double> &value,
                        const std::vector<double> &mass, const std::vector<double> &compliance)
{
    const size_t n = 3 * (size_t)rows, m = 3 * (size_t)nodes;
    std::vector<double> g(n * m, 0.0), weighted(n * m, 0.0);
    problem out;
    for (size_t i = 0; i < (size_t)rows; ++i)
        for (int k = start[i] - start[0]; k < start[i + 1] - start[0]; ++k)
            for (size_t e = 0; e < 9; ++e)
                g[(3 * i + e / 3) * m + 3 * (size_t)column[k] + e % 3] = value[9 * (size_t)k + e];
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < m; ++j)
            for (size_t c = 0; c < 3; ++c)
                weighted[i * m + j] += g[i * m + j / 3 * 3 + c] * mass[j / 3 * 9 + 3 * c + j % 3];
    out.rows = rows;
    out.start.push_back(0);
    for (size_t i = 0; i < (size_t)rows; ++i) {
        for (size_t j = 0; j < (size_t)rows; ++j) {
            out.column.push_back((int)j);
            for (size_t e = 0; e < 9; ++e) {
                double sum = i == j ? compliance[9 * i + e] : 0;
                for (size_t k = 0; k < m; ++k)
                    sum += weighted[(3 * i + e / 3) * m + k] * g[(3 * j + e % 3) * m + k];
                out.value.push_back(sum);
            }
        }
        out.start.push_back((int)out.column.size());
    }
    return out;
}

inline std::vector<double> multiply(const problem &p, const std::vector<double> &x)
{
    std::vector<double> y(p.size(), 0.0);
    for (int i = 0; i < p.rows; ++i)
        for (int k = p.start[i]; k < p.start[i + 1]; ++k)
            for (int e = 0; e < 9; ++e)
                y[3 * i + e / 3] += p.value[9 * k + e] * x[3 * p.column[k] + e % 3];
    return y;
}

inline double dot(const std::vector<double> &x, const std::vector<double> &y)
{
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
        sum += x[i] * y[i];
    return sum;
}

inline std::vector<double> precondition(const std::vector<double> &inverse, const std::vector<double> &r)
{
    std::vector<double> z(r.size());
    const bool wide = inverse.size() > r.size();
    for (size_t i = 0; i < r.size(); ++i) {
        const size_t row = i / 3 * 3;
        z[i] = wide ? inverse[3 * i] * r[row] + inverse[3 * i + 1] * r[row + 1] +
                          inverse[3 * i + 2] * r[row + 2]
                    : inverse[i] * r[i];
    }
    return z;
}

// Saad 2003, algorithms 6.20 (preconditioned) and 9.1, by the book; what is solved exactly is not iterated on.
inline std::vector<double> plain_krylov(const problem &p, const std::vector<double> &inverse, int count,
                                 bool gradients)
{
    std::vector<double> x(p.size(), 0.0), r = p.b, z = precondition(inverse, r), d = z;
    std::vector<double> az = multiply(p, z), ad = az;
    double rho = gradients ? dot(r, z) : dot(z, az);
    for (int k = 0; k < count && rho != 0; ++k) {
        const double gamma = gradients ? dot(d, ad) : dot(ad, precondition(inverse, ad));
        for (size_t i = 0; i < x.size(); ++i) {
            x[i] += rho / gamma * d[i];
            r[i] -= rho / gamma * ad[i];
        }
        z = precondition(inverse, r);
        az = multiply(p, z);
        const double next = gradients ? dot(r, z) : dot(z, az);
        for (size_t i = 0; i < x.size(); ++i) {
            d[i] = z[i] + next / rho * d[i];
            ad[i] = az[i] + next / rho * ad[i];
        }
        rho = next;
    }
    return x;
}

inline std::vector<double> plain_residuals(const problem &p, const std::vector<double> &inverse, int count)
{
    return plain_krylov(p, inverse, count, false);
}
inline std::vector<double> plain_gradients(const problem &p, const std::vector<double> &inverse, int count)
{
    return plain_krylov(p, inverse, count, true);
}
inline std::vector<double> plain_jacobi(const problem &p, const std::vector<double> &inverse, int count)
{
    std::vector<double> x(p.size(), 0.0);
    for (int k = 0; k < count; ++k) {
        const std::vector<double> product = multiply(p, x);
        for (size_t i = 0; i < x.size(); ++i)
            x[i] += inverse[i] * (p.b[i] - product[i]);
    }
    return x;
}
// Block rows in that order, their scalar rows in order.
inline std::vector<double> plain_gauss_seidel(const problem &p, const std::vector<double> &inverse, const int *order,
                                              int count)
{
    std::vector<double> x(p.size(), 0.0);
    for (int sweep = 0; sweep < count; ++sweep)
        for (int i = 0; i < p.rows; ++i)
            for (int r = 0; r < 3; ++r) {
                const int row = order[i];
                double residual = p.b[3 * row + r];
                for (int k = p.start[row]; k < p.start[row + 1]; ++k)
                    for (int c = 0; c < 3; ++c)
                        residual -= p.value[9 * k + 3 * r + c] * x[3 * p.column[k] + c];
                x[3 * row + r] += inverse[3 * row + r] * residual;
            }
    return x;
}
using plain_method = std::vector<double> (*)(const problem &, const std::vector<double> &inverse, int count);

#endif

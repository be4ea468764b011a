// Systems of 3x3 blocks in double, and the Krylov methods and Jacobi by the book: what the emulated ones are compared with.
#ifndef NB_TEST_CUDA_PLAIN_CUH
#define NB_TEST_CUDA_PLAIN_CUH

#include <cstddef>
#include <vector>

// Symmetric and positive definite.
struct problem {
    int rows;
    std::vector<int> start, column;
    std::vector<double> value, b;
    size_t size() const { return 3 * (size_t)rows; }
};

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
using plain_method = std::vector<double> (*)(const problem &, const std::vector<double> &inverse, int count);

// The dense matrix, by rows.
inline std::vector<double> spread(const problem &p)
{
    const size_t n = p.size();
    std::vector<double> out(n * n, 0.0);
    for (int i = 0; i < p.rows; ++i)
        for (int k = p.start[i]; k < p.start[i + 1]; ++k)
            for (size_t e = 0; e < 9; ++e)
                out[(3 * (size_t)i + e / 3) * n + 3 * (size_t)p.column[k] + e % 3] = p.value[9 * (size_t)k + e];
    return out;
}

// Gauss's elimination without pivots; the row of the first one that is not positive, or -1.
inline int eliminate(const problem &p, std::vector<double> &x)
{
    const size_t n = p.size();
    std::vector<double> a = spread(p);
    x = p.b;
    for (size_t k = 0; k < n; ++k) {
        if (!(a[k * n + k] > 0))
            return (int)k;
        for (size_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; ++j)
            x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
    return -1;
}

#endif

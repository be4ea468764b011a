// The linear systems that a step on emulated threads has left, part by part, as plain ones in double.
#ifndef NB_TEST_CUDA_STEP_PARTS_CUH
#define NB_TEST_CUDA_STEP_PARTS_CUH

#include "tests/solvers/cuda/plain.cuh"
#include "tests/solvers/cuda/steps.cuh"

// Entry k of the values of A or L J, widened by arithmetic of its own.
inline double stored_value(const step_system &s, size_t k)
{
    if (!s.linear.storage)
        return (double)((const nb_real *)s.linear.value)[k];
    const unsigned bits = ((const unsigned short *)s.linear.value)[k];
    const int digits = s.linear.storage == PCR_F16 ? 10 : 7, bias = s.linear.storage == PCR_F16 ? 15 : 127;
    const int exponent = (int)(bits >> digits & ((1u << (15 - digits)) - 1));
    const unsigned fraction = bits & ((1u << digits) - 1);
    const double size = exponent ? std::ldexp(fraction + (double)(1u << digits), exponent - bias - digits)
                                 : std::ldexp((double)fraction, 1 - bias - digits);
    return bits & 0x8000u ? -size : size;
}

// G H^-1 G^T + C of a part, every block of it.
inline void multiply_factors(const step_system &s, const step_plan &plan, int part, problem &out)
{
    const size_t first = (size_t)plan.rows.start[(size_t)part], n = out.size();
    const size_t node = (size_t)plan.nodes.start[(size_t)part];
    const size_t width = 3 * ((size_t)plan.nodes.start[(size_t)part + 1] - node);
    std::vector<double> g(n * width, 0.0), weighted(n * width, 0.0);
    for (size_t row = 0; row < (size_t)out.rows; ++row)
        for (int k = plan.start[first + row]; k < plan.start[first + row + 1]; ++k)
            for (size_t e = 0; e < 9; ++e)
                g[(3 * row + e / 3) * width + 3 * (size_t)plan.column[(size_t)k] + e % 3] =
                    stored_value(s, 9 * (size_t)k + e);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < width; ++j)
            for (size_t c = 0; c < 3; ++c)
                weighted[i * width + j] += g[i * width + j / 3 * 3 + c] *
                                           (double)s.linear.factors.inverse_mass[3 * (3 * node + j / 3 * 3 + c) + j % 3];
    for (size_t row = 0; row < (size_t)out.rows; ++row) {
        for (size_t other = 0; other < (size_t)out.rows; ++other) {
            out.column.push_back((int)other);
            for (size_t e = 0; e < 9; ++e) {
                const double *left = weighted.data() + (3 * row + e / 3) * width;
                const double *right = g.data() + (3 * other + e % 3) * width;
                double sum = row == other ? (double)s.linear.factors.compliance[9 * (first + row) + e] : 0;
                for (size_t j = 0; j < width; ++j)
                    sum += left[j] * right[j];
                out.value.push_back(sum);
            }
        }
        out.start.push_back((int)out.column.size());
    }
}

// The system of the part's last linear solve.
inline problem part_problem(const step_system &s, const step_plan &plan, int part)
{
    const size_t first = (size_t)plan.rows.start[(size_t)part];
    problem out;
    out.rows = plan.rows.start[(size_t)part + 1] - (int)first;
    out.start.push_back(0);
    for (size_t i = 3 * first; i < 3 * (first + (size_t)out.rows); ++i)
        out.b.push_back((double)s.linear.b[i]);
    if (plan.factored) {
        multiply_factors(s, plan, part, out);
        return out;
    }
    for (size_t row = first; row < first + (size_t)out.rows; ++row) {
        for (size_t k = (size_t)plan.start[row]; k < (size_t)plan.start[row + 1]; ++k) {
            out.column.push_back(plan.column[k]);
            for (size_t e = 0; e < 9; ++e)
                out.value.push_back(stored_value(s, 9 * k + e));
        }
        out.start.push_back((int)out.column.size());
    }
    return out;
}

// Its preconditioner.
inline std::vector<double> part_inverse(const step_system &s, const step_plan &plan, int part)
{
    const size_t wide = s.linear.wide ? 9 : 3, first = (size_t)plan.rows.start[(size_t)part];
    const nb_real *from = s.linear.inverse + wide * first;
    return std::vector<double>(from, from + wide * ((size_t)plan.rows.start[(size_t)part + 1] - first));
}

#endif

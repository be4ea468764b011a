// The linear systems that a step has left, part by part, as plain ones in double.
#ifndef NB_TEST_CUDA_STEP_SYSTEMS_CUH
#define NB_TEST_CUDA_STEP_SYSTEMS_CUH

#include "tests/solvers/cuda/plain.cuh"
#include "tests/solvers/cuda/steps.cuh"

// Entry k of the values of A or L J, widened by arithmetic of its own.
inline double stored_value(const step_system &s, size_t k)
{
    if (!s.linear.storage)
        return (double)((const nb_real *)s.linear.value)[k];
    const unsigned bits = ((const unsigned short *)s.linear.value)[k];
    const int digits = s.linear.storage == STORED_F16 ? 10 : 7, bias = s.linear.storage == STORED_F16 ? 15 : 127;
    const int exponent = (int)(bits >> digits & ((1u << (15 - digits)) - 1));
    const unsigned fraction = bits & ((1u << digits) - 1);
    const double size = exponent ? std::ldexp(fraction + (double)(1u << digits), exponent - bias - digits)
                                 : std::ldexp((double)fraction, 1 - bias - digits);
    return bits & 0x8000u ? -size : size;
}

inline std::vector<double> widened(const nb_real *from, size_t count)
{
    return std::vector<double>(from, from + count);
}

// The system of the part's last linear solve.
inline problem part_problem(const NB(nb_cuda_step) &step, size_t part)
{
    const step_system &s = step.system;
    const step_partition &own = step.partition;
    const size_t first = (size_t)own.rows.start[part], rows = (size_t)own.rows.start[part + 1] - first;
    const size_t entry = (size_t)own.start[first], entries = (size_t)own.start[first + rows] - entry;
    std::vector<double> value;
    for (size_t k = 9 * entry; k < 9 * (entry + entries); ++k)
        value.push_back(stored_value(s, k));
    problem out;
    if (own.factored) {
        const size_t node = (size_t)own.nodes.start[part], nodes = (size_t)own.nodes.start[part + 1] - node;
        out = assemble((int)rows, (int)nodes, own.start.data() + first, own.column.data() + entry, value,
                       widened(s.linear.factors.inverse_mass + 9 * node, 9 * nodes),
                       widened(s.linear.factors.compliance + 9 * first, 9 * rows));
    } else {
        out.rows = (int)rows;
        for (size_t row = 0; row <= rows; ++row)
            out.start.push_back(own.start[first + row] - (int)entry);
        out.column.assign(own.column.begin() + (long)entry, own.column.begin() + (long)(entry + entries));
        out.value = value;
    }
    out.b = widened(s.linear.b + 3 * first, 3 * rows);
    return out;
}

// Its preconditioner.
inline std::vector<double> part_inverse(const NB(nb_cuda_step) &step, size_t part)
{
    const size_t wide = step.system.linear.wide ? 9 : 3, first = (size_t)step.partition.rows.start[part];
    const size_t rows = (size_t)step.partition.rows.start[part + 1] - first;
    return widened(step.system.linear.inverse + wide * first, wide * rows);
}

#endif

// A solver of frictional contact for ncpbench in C++: projected Gauss-Seidel on the dense W = H^T M^-1 H.
//
//     g++ -O2 external_solver.cpp $(pkg-config --cflags --libs hdf5-serial) -o external_solver
//     ncpbench solve p.h5 --linearized --solver external:command=./external_solver:tol=1e-6
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using vector = std::vector<double>;

static bool has(hid_t file, const std::string &name) { return H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0; }

static vector read(hid_t file, const std::string &name)
{
    const hid_t data = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    if (data < 0)
        throw std::runtime_error(name + " is missing");
    const hid_t space = H5Dget_space(data);
    vector out((size_t)H5Sget_simple_extent_npoints(space));
    const herr_t failed = H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data());
    H5Sclose(space);
    H5Dclose(data);
    if (failed < 0)
        throw std::runtime_error(name + " cannot be read");
    return out;
}

static void write(hid_t file, const std::string &name, const vector &values)
{
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t data = H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
}

struct matrix {
    size_t rows = 0, columns = 0;
    vector value;
    double &operator()(size_t i, size_t j) { return value[i * columns + j]; }
    double operator()(size_t i, size_t j) const { return value[i * columns + j]; }
    vector times(const vector &x) const
    {
        vector y(rows);
        for (size_t i = 0; i < rows; ++i)
            y[i] = std::inner_product(x.begin(), x.end(), value.begin() + (long)(i * columns), 0.0);
        return y;
    }
    matrix transposed() const
    {
        matrix out{columns, rows, vector(value.size())};
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = 0; j < columns; ++j)
                out(j, i) = (*this)(i, j);
        return out;
    }
};

// FCLIB's matrix: triplets (nz >= 0), compressed columns (-1) or compressed rows (-2).
static matrix dense(hid_t file, const std::string &name)
{
    const vector i = read(file, name + "/i"), p = read(file, name + "/p"), x = read(file, name + "/x");
    matrix out{(size_t)read(file, name + "/m")[0], (size_t)read(file, name + "/n")[0], {}};
    const int nz = (int)read(file, name + "/nz")[0];
    out.value.resize(out.rows * out.columns);
    for (size_t k = 0; nz >= 0 && k < (size_t)nz; ++k)
        out((size_t)i[k], (size_t)p[k]) += x[k];
    for (size_t outer = 0; nz < 0 && outer + 1 < p.size(); ++outer)
        for (size_t k = (size_t)p[outer]; k < (size_t)p[outer + 1]; ++k)
            (nz == -1 ? out((size_t)i[k], outer) : out(outer, (size_t)i[k])) += x[k];
    return out;
}

// x becomes M^-1 x by M = L D L^T, which is formed in place of M the first time.
struct factor {
    matrix m;
    explicit factor(matrix of) : m(std::move(of))
    {
        for (size_t j = 0; j < m.rows; ++j)
            for (size_t i = j + 1; i < m.rows; ++i) {
                const double l = m(i, j) / m(j, j);
                for (size_t k = j + 1; l != 0 && k <= i; ++k)
                    m(i, k) -= l * m(k, j);
            }
    }
    void solve(vector &x) const
    {
        for (size_t j = 0; j < m.rows; ++j)
            for (size_t i = j + 1; i < m.rows; ++i)
                x[i] -= m(i, j) / m(j, j) * x[j];
        for (size_t j = m.rows; j-- > 0;) {
            x[j] /= m(j, j);
            for (size_t i = 0; i < j; ++i)
                x[i] -= m(j, i) * x[j];
        }
    }
};

struct step {
    std::string path;
    matrix W, H;
    vector q, mu, f, r;
    std::vector<factor> mass; // one, or none of a local problem

    explicit step(std::string from) : path(std::move(from))
    {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        if (file < 0)
            throw std::runtime_error("cannot be opened: " + path);
        const std::string group = has(file, "fclib_local") ? "fclib_local" : "fclib_global";
        if (has(file, group + "/G") || has(file, group + "/V"))
            throw std::runtime_error("bilateral rows are not for this example");
        mu = read(file, group + "/vectors/mu");
        if (has(file, group + "/M"))
            reduce(file);
        else
            W = dense(file, group + "/W"), q = read(file, group + "/vectors/q");
        H5Fclose(file);
    }

    // W = H^T M^-1 H, q = H^T M^-1 f + w
    void reduce(hid_t file)
    {
        H = dense(file, "fclib_global/H");
        f = read(file, "fclib_global/vectors/f");
        mass.emplace_back(dense(file, "fclib_global/M"));
        const matrix rows = H.transposed();
        const vector w = read(file, "fclib_global/vectors/w");
        W = {H.columns, H.columns, vector(H.columns * H.columns)};
        for (size_t j = 0; j < W.rows; ++j) {
            vector column(rows.value.begin() + (long)(j * H.rows), rows.value.begin() + (long)((j + 1) * H.rows));
            mass[0].solve(column);
            const vector image = rows.times(column);
            for (size_t i = 0; i < W.rows; ++i)
                W(i, j) = image[i];
        }
        vector free = f;
        mass[0].solve(free);
        q = rows.times(free);
        std::transform(q.begin(), q.end(), w.begin(), q.begin(), std::plus<>());
    }

    // U = W r + q; contact by contact r <- P(r - U / W_nn) on the Coulomb disk (normal first).
    int solve(double tolerance)
    {
        r.assign(q.size(), 0);
        for (int sweep = 1;; ++sweep) {
            double change = 0, largest = 0;
            for (size_t c = 0; c < mu.size(); ++c) {
                double next[3], step = 0;
                for (size_t k = 3 * c; k < 3 * c + 3; ++k)
                    step += W(k, k);
                for (size_t k = 0; k < 3; ++k) {
                    const auto row = W.value.begin() + (long)((3 * c + k) * W.columns);
                    next[k] = r[3 * c + k] - 1.5 / step * std::inner_product(r.begin(), r.end(), row, q[3 * c + k]);
                }
                next[0] = std::max(next[0], 0.0);
                const double length = std::hypot(next[1], next[2]);
                for (int k = 1; k < 3 && length > mu[c] * next[0]; ++k)
                    next[k] *= mu[c] * next[0] / length;
                for (size_t k = 0; k < 3; ++k) {
                    change = std::max(change, std::fabs(next[k] - r[3 * c + k]));
                    largest = std::max(largest, std::fabs(next[k]));
                    r[3 * c + k] = next[k];
                }
            }
            if (change <= tolerance * largest || sweep == 10000)
                return sweep;
        }
    }

    void write_answer() const
    {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        if (has(file, "solution"))
            H5Ldelete(file, "solution", H5P_DEFAULT);
        H5Gclose(H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        vector u = W.times(r);
        std::transform(u.begin(), u.end(), q.begin(), u.begin(), std::plus<>());
        write(file, "solution/r", r);
        write(file, "solution/u", u);
        if (!mass.empty()) {
            vector v = H.times(r);
            std::transform(v.begin(), v.end(), f.begin(), v.begin(), std::plus<>());
            mass[0].solve(v);
            write(file, "solution/v", v);
        }
        H5Fclose(file);
    }
};

int main()
{
    std::vector<step> loaded;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string word = line.substr(0, line.find(' '));
        const std::string rest = line.substr(std::min(word.size() + 1, line.size()));
        try {
            if (word == "load") {
                loaded.assign(1, step(rest));
                std::cout << "ready projected Gauss-Seidel in C++ 1.0" << std::endl;
            } else if (word == "solve") {
                std::cout << "solved " << loaded.at(0).solve(std::strtod(rest.c_str(), nullptr)) << std::endl;
            } else if (word == "write") {
                loaded.at(0).write_answer();
                std::cout << "written" << std::endl;
            } else {
                break;
            }
        } catch (const std::exception &failure) {
            std::cout << "error " << failure.what() << std::endl;
        }
    }
}

// Relaxations in one kernel.
#include "solvers/cuda/colours.cuh"
#include "solvers/cuda/persistent.cuh"

namespace {

template <class T> class gauss_seidel : public persistent<gauss_seidel_method, T> {
public:
    ~gauss_seidel() override { cudaFree(lists); }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        const size_t rows = (size_t)pattern.rows;
        const nb_cuda_colours colours =
            nb_cuda_colour_rows(pattern.rows, pattern.start, pattern.column);
        std::vector<int> host = colours.order;
        host.insert(host.end(), colours.start.begin(), colours.start.end());
        this->system.colours = (int)colours.start.size() - 1;
        const size_t size = host.size() * sizeof(int);
        nb_status status = nb_cuda_status(cudaMalloc((void **)&lists, size), "allocating", error);
        if (!status)
            status = nb_cuda_status(
                cudaMemcpy(lists, host.data(), size, cudaMemcpyHostToDevice),
                "copying the colours", error);
        this->system.order = lists;
        this->system.colour_start = lists + rows;
        return status ? status : persistent<gauss_seidel_method, T>::plan(pattern, error);
    }

private:
    int *lists = nullptr;
};

} // namespace

template <class T> nb_cuda_pcr *pcr_new_sweep(nb_cuda_method method)
{
    if (method == NB_CUDA_JACOBI)
        return new persistent<jacobi_method, T>;
    return new gauss_seidel<T>;
}
template nb_cuda_pcr *pcr_new_sweep<float>(nb_cuda_method);
template nb_cuda_pcr *pcr_new_sweep<double>(nb_cuda_method);

// Opens cuBLAS and cuSPARSE; see libraries.cuh.
#include <cstdio>
#include <dlfcn.h>

#include "solvers/cuda/libraries.cuh"

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

// The build's own folder first: it has the version that the headers describe.
static void *open_library(const char *name, nb_error *error)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TEXT(NB_CUDA_LIBRARY_FOLDER), name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        nb_fail(error, NB_UNSUPPORTED, "%s cannot be opened: %s", name, dlerror());
    return library;
}

template <class F>
static bool find(void *library, const char *name, F *function, nb_error *error)
{
    *function = reinterpret_cast<F>(dlsym(library, name));
    if (!*function)
        nb_fail(error, NB_UNSUPPORTED, "this version of CUDA's libraries has no %s", name);
    return *function != nullptr;
}

nb_status nb_cuda_open_libraries(const nb_cuda_libraries **libraries, nb_error *error)
{
    static nb_cuda_libraries all;
    static bool complete;
    *libraries = &all;
    if (complete)
        return NB_OK;
    void *blas = open_library("libcublas.so." TEXT(NB_CUBLAS_MAJOR), error);
    void *sparse = blas ? open_library("libcusparse.so." TEXT(NB_CUSPARSE_MAJOR), error) : nullptr;
    if (!blas || !sparse)
        return NB_UNSUPPORTED;
#define BLAS(name) && find(blas, #name, &all.name, error)
#define SPARSE(name) && find(sparse, #name, &all.name, error)
    complete = true NB_CUDA_FUNCTIONS(BLAS, SPARSE);
#undef BLAS
#undef SPARSE
    return complete ? NB_OK : NB_UNSUPPORTED;
}

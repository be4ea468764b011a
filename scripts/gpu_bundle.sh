#!/bin/sh
# The program, the CUDA tests and the libraries that they need in one archive, for a machine with a card
# and nvcc's libraries but without ours:
#
#     BUILD=build-gpu scripts/gpu_bundle.sh make TEST...          writes BUILD/gpu-bundle.tar.xz
#     scripts/gpu_bundle.sh check|bench BUILD/gpu-bundle.tar.xz   unpacks it there and runs gpu_check.sh
#                                                                 or gpu_bench.sh on it
#
# Problems that are in data/problems/gpu when it is made go along, but for the large silos.
#
# The C library, the compiler's runtimes and the driver are that machine's own. Exit as those scripts do.
set -eu
cd "$(dirname "$0")/.."

# Libraries of the programs given, by path, without those that belong to the machine.
libraries() {
    ldd "$@" | awk '$3 ~ /^\// { print $3 }' | sort -u |
        grep -v -E '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*|libgcc_s|libstdc\+\+|libcuda)\.so'
}

make_bundle() {
    build=${BUILD:-build-gpu}
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder/tests" "$folder/lib" "$folder/problems"
    cp data/problems/gpu/*.h5 "$folder/problems/" 2>/dev/null || true
    rm -f "$folder"/problems/silo_64k* "$folder"/problems/silo_256k*
    cp "$build/ncpbench" "$build/gpu_copy" "$folder/"
    cp "$@" "$folder/tests/"
    libraries "$folder/ncpbench" "$folder"/tests/* | while read -r library; do
        cp -L "$library" "$folder/lib/"
    done
    strip "$folder/ncpbench" "$folder/gpu_copy" "$folder"/tests/* 2>/dev/null || true
    strip --strip-unneeded "$folder"/lib/* 2>/dev/null || true
    # The program and the tests' library hold the same code: xz finds that over tens of megabytes, gzip does not.
    XZ_OPT=-9 tar -C "$folder" -cJf "$build/gpu-bundle.tar.xz" .
    size=$(wc -c <"$build/gpu-bundle.tar.xz")
    echo "$build/gpu-bundle.tar.xz: $((size / 1048576)) MiB, $(ls "$folder/lib" | wc -l) libraries"
}

# Folders that may hold CUDA's libraries, one a line: of the toolkit, of Python's packages, of the driver.
cuda_libraries() {
    printf '%s\n' "$CUDA_HOME/lib64" "$CUDA_HOME/lib" "$CUDA_HOME/targets/x86_64-linux/lib" /usr/local/cuda/lib64
    python3 -c 'import glob, sysconfig
print("\n".join(sorted(glob.glob(sysconfig.get_paths()["purelib"] + "/nvidia/*/lib"))))' 2>/dev/null || true
    printf '%s\n' /usr/local/nvidia/lib64
}

unpack() {
    unpacked=$(dirname "$1")/gpu-bundle
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    if command -v xz >/dev/null; then
        tar -C "$unpacked" -xJf "$1"
    else
        python3 -m tarfile -e "$1" "$unpacked"
    fi
    mkdir -p data/problems/gpu
    cp "$unpacked"/problems/*.h5 data/problems/gpu/ 2>/dev/null || true
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    CUDA_HOME=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$nvcc" || echo "$nvcc")")")}
    # Ours first, then what the machine's own settings name, then where else CUDA may be.
    LD_LIBRARY_PATH=$(cd "$unpacked" && pwd)/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}$(cuda_libraries |
        while read -r folder; do [ ! -d "$folder" ] || printf ':%s' "$folder"; done)
    PATH=$PATH:$CUDA_HOME/bin:/usr/local/cuda/bin
    export CUDA_HOME LD_LIBRARY_PATH PATH
    BUILD=$unpacked
    export BUILD
}

case ${1:-} in
make)
    shift
    make_bundle "$@"
    ;;
check)
    unpack "$2"
    exec scripts/gpu_check.sh "$BUILD"/tests/test_cuda_*
    ;;
bench)
    unpack "$2"
    exec scripts/gpu_bench.sh
    ;;
*)
    echo "usage: gpu_bundle.sh make TEST... | check ARCHIVE | bench ARCHIVE" >&2
    exit 2
    ;;
esac

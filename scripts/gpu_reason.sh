#!/bin/sh
# Exit 0 where the program in folder $1 can run CUDA solvers; 1 where it has no card or no CUDA, 2 where it has
# both and fails. The reason on stdout.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 1\n3 3 1\n' >"$folder/A.mtx"
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n' >"$folder/b.mtx"
answer=$("$1/ncpbench" linear --matrix "$folder/A.mtx" --rhs "$folder/b.mtx" --linear cuda_pcr \
    --precond none 2>&1) && exit 0
case $answer in
*"no CUDA device"*) printf '%s\n' "$answer" | grep -o "no CUDA device.*" | head -n 1 && exit 1 ;;
*'unknown linear "cuda_pcr"'*) echo "this program was built without CUDA (no nvcc, or CUDA=0)" && exit 1 ;;
esac
printf '%s\n' "$answer" | head -n 3
exit 2

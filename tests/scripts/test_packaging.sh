#!/usr/bin/env bash
# What scripts/packaging/ says of packages agrees with scripts/install_deps.sh and the Makefile: each list of what builds
# ncpbench holds all that install_deps.sh installs for that, and each library that is linked is in the Spack recipe.
set -euo pipefail
cd "$(dirname "$0")/../../scripts/packaging"
needed=$(sed -n '/^packages="gcc/,/zlib1g-dev/p' ../install_deps.sh | tr -d '"' | sed 's/packages=//' | tr -s ' \n' '\n' |
    sed '/gnuplot-nox/,$d')
grep -q '^libsuitesparse-dev$' <<<"$needed"
for package in $needed; do
    for file in Dockerfile ncpbench.def debian/control; do
        case $package in
        gcc | make | libc6-dev) [ $file != debian/control ] || continue ;; # build-essential has them
        esac
        grep -qE "(^|[ ,])${package/gcc/(gcc|g\\+\\+)}([ ,|]|$)" $file || { echo "$file lacks $package"; exit 1; }
    done
done

python3 -c 'import ast, sys; ast.parse(open("package.py").read())'
for package in hdf5 suite-sparse openblas libinih cjson sqlite openssl zlib-api; do
    grep -qE "depends_on\(\"$package(@|~|\")" package.py
done
version=$(sed -n 's/^#define NB_VERSION "\(.*\)"$/\1/p' ../../harness/version.h)
grep -q "version(\"$version\"" package.py
grep -q "/ncpbench-$version.tar.xz\"" package.py # as `make dist` calls it
! grep -qE '"(arch|os|platform|target)",$' package.py || { echo "package.py: the variant's name is Spack's own"; exit 1; }
sed -n '/^%post/,/^%[e-z]/p' ncpbench.def | sed '1d;$d; s/{{ ARCH }}/x86-64-v2/' | bash -n

# ncpbench for Spack, from the archive of `make dist` until there is an address to fetch it from:
#
#     mkdir -p my-repo/packages/ncpbench && cp scripts/packaging/package.py my-repo/packages/ncpbench
#     printf 'repo:\n  namespace: mine\n' > my-repo/repo.yaml && spack repo add ./my-repo
#     make dist && cd build && spack install --no-checksum ncpbench      # looks for the archive where it is called
#
# The packages below are Spack's. SuiteSparse 7 keeps its headers in a folder of their own, and OpenBLAS has LAPACKE in
# it: Debian's, taken as an external package, has not.
import os

from spack.package import *

try:  # before Spack 1.0 the build systems came with spack.package
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Ncpbench(MakefilePackage):
    """Benchmark harness for solvers of frictional contact."""

    url = "file://{0}/ncpbench-0.1.0.tar.xz".format(os.getcwd())
    manual_download = True
    download_instr = "Call spack in the folder of the archive that `make dist` made."

    license("BSD-3-Clause")

    version("0.1.0")

    variant(
        "march",
        default="x86-64-v2",
        values=lambda value: True,
        description="gcc's -march; loops for AVX2 and AVX-512 are chosen when the program starts",
    )
    variant("figures", default=False, description="Draw figures with gnuplot")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10:~mpi")
    depends_on("suite-sparse")
    depends_on("openblas~ilp64")
    depends_on("libinih")
    depends_on("cjson")
    depends_on("sqlite@3.38:")
    depends_on("openssl")
    depends_on("zlib-api")
    depends_on("gnuplot", type="run", when="+figures")

    requires("%gcc@12:", msg="ncpbench is compiled with gcc")
    conflicts("target=aarch64:", msg="ncpbench is for x86-64")

    def setup_build_environment(self, env):
        env.prepend_path("CPATH", join_path(self.spec["suite-sparse"].prefix.include, "suitesparse"))

    @property
    def options(self):
        return [
            "DEPS=skip",
            "CUDA=0",
            "IMPORT=0",
            "ARCH={0}".format(self.spec.variants["march"].value),
            "PREFIX={0}".format(self.prefix),
            "PACKAGES=hdf5 inih libcjson sqlite3 libcrypto openblas zlib",
        ]

    def build(self, spec, prefix):
        make("all", *self.options)

    def install(self, spec, prefix):
        make("install", *self.options)

# ncpbench: two commands do everything.
#
#   make bench       install what is missing, build, sweep the five canonical scenes, sum up which method is the best
#                    where, draw the figures (5 minutes; FULL=1: also over all scenes and combinations, hours)
#   make check       install what is missing, build, run the tests; T=name: all of test_name, in all precisions
#   make check-full  the tests that take long
#   make problems    export the canonical problems, only what changed
#   make figures     draw the papers' figures from the records in data/records/
#   make paper       run these anew, judge what the papers claim (75 minutes)
#   make collection  make the collection's 60 small problems, and check their SHA-256; FULL=1: all of them
#   make evidence    every solver on them, and their page (11 minutes; FULL=1: days, PEERS=1: others' solvers, too)
#
# Also: make (build only), make install [PREFIX=/usr/local] [LIBDIR=PREFIX/lib] [DESTDIR=...], make uninstall,
#       make dist (the sources as an archive), make check-asan, make clean,
#       make bench-linear [PEERS=1], make bench-assembly, make precision.
#       make golden: rewrites the outputs in tests/golden/ that a test compares with (scripts/golden.sh).
#       make docs: rewrites the tables of metrics, of SQL and of the schema from the program's own (scripts/docs.py).
#       make lint: layout, lengths, words, scripts, and the format of changed lines (scripts/lint.sh).
#       make check-valgrind: memcheck over the quicker test programs.
#       make fuzz: programs for a fuzzer (tests/fuzz/README.md).
#       make gpu-check, gpu-bench: tests and sweeps of the CUDA solvers; without a card they say so.
#       make gpu-bundle: what these two need, for a machine without our libraries.
# Options: PEERS=1, CUDA=0, IMPORT=0, BUILD=folder, ARCH=native|x86-64-v3|..., DEPS=skip, JOBS=n, V=1 (show commands).
# Another ARCH or compiler compiles all anew, so give make install those of the build.

# PEERS=1 builds other libraries' solvers in, to compare with (scripts/install_deps.sh --peers).
PEERS ?=
BUILD ?= build$(if $(PEERS),-peers)
ARCH  ?= native
JOBS  ?= $(shell nproc)
, := ,
CC    ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
SANITIZE ?=
OPTIMIZE ?= -O3

# Folders of solvers/ whose files are compiled once per header in solvers/precision/: the slots, of which every
# file directly in one is a row, and what the methods are made of.
SLOTS     := outer ncp scaling linear precond operator
ROOMS     := block contact delassus driver model
in_folders = $(wildcard $(foreach depth,* */* */*/*,$(1:%=%/$(depth).$(2))))
TEMPLATED := $(call in_folders,$(SLOTS:%=solvers/%) $(ROOMS:%=solvers/%),c)
PRECISION := $(patsubst solvers/precision/%.h,%,$(wildcard solvers/precision/*.h))
PLAIN     := $(filter-out harness/main.c,$(wildcard solvers/*.c solvers/sparse/*.c) \
               $(call in_folders,problems harness,c))
ifneq ($(PEERS),)
TEMPLATED += $(wildcard $(addprefix solvers/peers/,linear/*.c precond/*.c operator/*.c solver/*.c peer_*.c))
PLAIN     += $(filter-out solvers/peers/peer_%.c,$(wildcard solvers/peers/*.c))
OBJECTS   += $(BUILD)/solvers/peers/eigen.o
PEER_CFLAGS := $(patsubst -I%,-isystem %,$(filter -I%,$(shell pkg-config --cflags petsc ompi-c eigen3))) \
               -isystem /usr/include/hypre -isystem /usr/include/siconos -isystem /usr/include/siconos/numerics
PEER_LIBS := $(shell pkg-config --libs petsc ompi-c) -lHYPRE -lrsb -lsiconos_numerics -lsiconos_externals -lmujoco -lstdc++
endif
# CUDA solvers are built in where nvcc is found; CUDA=0 turns it off, NVCC names another. AddressSanitizer
# and CUDA claim the same addresses. For a machine without a card it takes `make bench` and `make check` three minutes,
# and they have no use for them.
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
NVCC := $(NVCC)
CUDA_USE := $(or $(wildcard /dev/nvidia[0-9]* /dev/dxg $(BUILD)/solvers/cuda/*.o),\
              $(filter-out bench check check-built,$(or $(MAKECMDGOALS),all)))
CUDA ?= $(if $(SANITIZE),0,$(if $(and $(NVCC),$(CUDA_USE)),1,0))
CUDA_VERSION := none
ifeq ($(CUDA),1)
CUDA_HOME    ?= $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
CUDA_LIBRARY := $(firstword $(wildcard $(CUDA_HOME)/lib64 $(CUDA_HOME)/targets/x86_64-linux/lib) \
                  $(CUDA_HOME)/lib)
CUDA_VERSION := $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
cuda_major    = $(shell sed -n 's/^ *.define $(1) *\([0-9]*\).*/\1/p' $(CUDA_HOME)/include/$(2))
CUDA_ARCH    ?= 90
NVCCFLAGS    := -std=c++17 -O3 -g -lineinfo -ccbin $(CXX) -D_GNU_SOURCE \
                -gencode arch=compute_$(CUDA_ARCH)$(,)code=[sm_$(CUDA_ARCH)$(,)compute_$(CUDA_ARCH)] \
                -Werror all-warnings -Xcompiler -fPIC,-Wall,-Wextra,-Werror,-Wshadow \
                -DNB_CUDA_LIBRARY_FOLDER=$(CUDA_LIBRARY) \
                -DNB_CUBLAS_MAJOR=$(call cuda_major,CUBLAS_VER_MAJOR,cublas_api.h) \
                -DNB_CUSPARSE_MAJOR=$(call cuda_major,CUSPARSE_VER_MAJOR,cusparse.h)
CUDA_SOURCES := $(wildcard solvers/cuda/*.cu)
TEMPLATED += $(wildcard solvers/cuda/*.c solvers/cuda/linear/*.c solvers/cuda/solver/*.c)
CUDA_TEMPLATED := $(wildcard solvers/cuda/step/*.cu)
OBJECTS   += $(CUDA_SOURCES:%.cu=$(BUILD)/%.o) \
             $(foreach p,$(PRECISION),$(CUDA_TEMPLATED:%.cu=$(BUILD)/$(p)/%.o))
CUDA_LIBS := -L$(CUDA_LIBRARY) -lcudart_static -lstdc++ -ldl -lrt -lpthread
endif
# `ncpbench import` is built in where MuJoCo 2.2 is found (scripts/install_deps.sh --import); IMPORT=0 turns it off.
IMPORT ?= $(if $(shell grep -s 'mjVERSION_HEADER 22' /usr/include/mujoco/mujoco.h),1,0)
# It is linked into programs beside the library, which does not need it (problems/import/simulator.h).
ifeq ($(IMPORT),1)
IMPORT_FLAGS   := -DNB_IMPORT
IMPORT_LIBS    := -lmujoco
IMPORT_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter problems/import/mujoco/%,$(PLAIN)))
else
PLAIN := $(filter-out problems/import/mujoco/%,$(PLAIN))
endif
OBJECTS   += $(filter-out $(IMPORT_OBJECTS),$(PLAIN:%.c=$(BUILD)/%.o)) \
             $(foreach p,$(PRECISION),$(TEMPLATED:%.c=$(BUILD)/$(p)/%.o))
# tests/ mirrors the tree; what is in tests/solvers/per_precision/ is compiled once per precision. `make check`
# runs all but the tests that say FULL_TEST (tests/support/test.h) and the scripts full_*.sh; `make check-full` runs
# those.
EACH      := tests/solvers/per_precision
TESTS     := $(patsubst %.c,$(BUILD)/%,$(filter-out $(EACH)/% tests/peers/%,\
               $(sort $(wildcard $(foreach depth,* */* */*/*,tests/$(depth)/test_*.c))))) \
             $(foreach p,$(PRECISION),$(patsubst %.c,$(BUILD)/%_$(p),$(wildcard $(EACH)/test_*.c)))

PACKAGES   := hdf5-serial inih libcjson sqlite3 libcrypto lapacke openblas zlib
SCRIPTS      := $(wildcard tests/scripts/test_*.sh)
FULL_SCRIPTS := $(wildcard tests/scripts/full_*.sh)
# The kernels' code on emulated threads; as C++, which nvcc needs too. Only `make check-full` runs it.
ifeq ($(CUDA),1)
FULL_TESTS := $(foreach p,f64 f32,$(patsubst %.cu,$(BUILD)/%_$(p),$(wildcard tests/solvers/cuda/test_*.cu)))
endif
# Other libraries keep their own promises, so that they have tests of their own: make check PEERS=1.
ifneq ($(PEERS),)
TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/peers/test_*.c))
FULL_TESTS :=
SCRIPTS :=
FULL_SCRIPTS :=
endif

# What every test program is linked with. The library is shared among them, with all of its functions: a copy of it in
# each of 200 programs is 8 GB under the sanitizers.
TESTED    := $(BUILD)/tests/libtested.so
LINKED    := $(BUILD)/tests/support/libmain.a $(TESTED)
FINDS_TESTED := -Wl,-rpath,$(abspath $(BUILD))/tests

# make check T=newton: all tests of tests/**/test_newton.c; of scripts tests/scripts/test_NAME.sh, full_NAME.sh; several names.
QUICK := NB_TESTS=quick
unexport T # a test that calls make means all of it
ifdef T
chosen = $(filter $(patsubst %,\%/test_%,$(1)) $(foreach p,$(PRECISION),$(patsubst %,\%/test_%_$(p),$(1))),\
                  $(TESTS) $(FULL_TESTS)) \
         $(filter tests/scripts/test_$(1).sh tests/scripts/full_$(1).sh,$(SCRIPTS) $(FULL_SCRIPTS))
NAMES := $(patsubst full_%,%,$(T:test_%=%))
$(foreach t,$(NAMES),$(if $(strip $(call chosen,$(t))),,\
  $(error check: no test is named $(t): T= takes the NAME of a test_NAME.c, test_NAME.sh or full_NAME.sh under tests/)))
CHOSEN  := $(foreach t,$(NAMES),$(call chosen,$(t)))
TESTS   := $(filter-out %.sh,$(CHOSEN))
SCRIPTS := $(filter %.sh,$(CHOSEN))
FULL_TESTS :=
FULL_SCRIPTS :=
QUICK :=
endif

PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
TEST_LIBS  := $(shell pkg-config --libs cmocka fclib 2>/dev/null) $(IMPORT_LIBS)

# One compilation serves the program and both libraries.
PIC := -fPIC -fno-semantic-interposition

# Vectors wider than the registers of ARCH pass between inline functions only: their ABI does not matter.
# What may be uninitialised hangs on what is unrolled for a processor: it warns, and stops no user's build.
WARNINGS := -Wall -Wextra -Werror -Wno-error=maybe-uninitialized -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-psabi
CFLAGS   := -std=c17 -D_GNU_SOURCE -g1 $(OPTIMIZE) -march=$(ARCH) -ffp-contract=fast \
            -fno-math-errno -fno-trapping-math -fopenmp $(PIC) $(WARNINGS) $(SANITIZE)
# Tests spend their time in the library, and their building a third of it with GNU's other linker, where it is.
GOLD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
TEST_CFLAGS = $(patsubst -O%,-O0,$(CFLAGS)) $(IMPORT_FLAGS) $(GOLD) $(FINDS_TESTED)
CPPFLAGS := -I. -I$(BUILD)/generated -isystem /usr/include/suitesparse \
            $(patsubst -I%,-isystem %,$(PKG_CFLAGS)) $(PEER_CFLAGS) -MMD -MP
LDLIBS   := $(PEER_LIBS) $(CUDA_LIBS) $(PKG_LIBS) -lcholmod -lsuitesparseconfig -lklu -lumfpack -lamd -lm
# HDF5's shared library brings thirty others, of HTTP, which the loader takes half of a start to find. Its archive, where
# it is, leaves out what nobody calls. Leaks of its own are told by the shared one's name.
HDF5_ARCHIVE := $(if $(PEERS)$(SANITIZE),,$(wildcard $(addsuffix /libhdf5.a,$(patsubst -L%,%,$(filter -L%/hdf5/serial,$(PKG_LIBS))))))
PROGRAM_LIBS := $(patsubst -lhdf5,$(if $(HDF5_ARCHIVE),-l:libhdf5.a -lsz -laec,-lhdf5),$(LDLIBS))

ifndef V
.SILENT:
# $(call say,CC,file,precision): the line that a recipe is announced by; make -s says nothing.
say = $(if $(findstring s,$(filter-out -%,$(firstword $(MAKEFLAGS)))),,echo '  $(1) $(2)$(if $(3), [$(3)])')
endif

.PHONY: all bench check check-full check-asan deps problems figures clean FORCE
all: $(BUILD)/ncpbench $(BUILD)/libncpbench.so

deps:
	DEPS=$(DEPS) scripts/install_deps.sh $(if $(PEERS),--peers)

# The dependencies may not be there when this file is first read, so both commands read it again.
bench: deps
	$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/ncpbench CUDA=$(CUDA)
	BUILD=$(BUILD) JOBS=$(JOBS) FULL=$(FULL) scripts/bench.sh

# The papers: their records anew, part by part (P="stack arch": these; scripts/paper.sh --list), all figures, and
# the page of the verdicts. About 75 minutes; a killed run goes on where it was. The other two need no run.
.PHONY: paper paper-page
paper: deps
	$(MAKE) --no-print-directory -j$(JOBS) all
	BUILD=$(BUILD) scripts/paper.sh $(P)
	$(MAKE) --no-print-directory BUILD=$(BUILD) figures paper-page

# The problems of data/collection.list are made by the sources that made them first, so that what changes since in scenes
# and solvers leaves them as they are, in a build that is the same on all machines (scripts/collection.py).
COLLECTION        := data/collection/$(if $(FULL),full,small)
COLLECTION_COMMIT := 56b7cbc7
.PHONY: collection evidence
collection: deps
	BUILD=build-collection JOBS=$(JOBS) scripts/collection_program.sh $(COLLECTION_COMMIT)
	PROGRAM=build-collection/program JOBS=$(JOBS) scripts/collection.py $(if $(FULL),,--small) $(COLLECTION)

evidence: collection
	$(MAKE) --no-print-directory -j$(JOBS) all
	BUILD=$(BUILD) JOBS=$(JOBS) FULL=$(FULL) PEERS=$(PEERS) scripts/evidence.sh

.PHONY: evidence-page
evidence-page:
	mkdir -p figures
	scripts/evidence/page.py data/evidence/small.jsonl.gz --pictures data/evidence/small.zip -o figures/evidence_small.html

figures: $(BUILD)/ncpbench
	BUILD=$(BUILD) scripts/figures.sh

paper-page: $(BUILD)/ncpbench
	BUILD=$(BUILD) scripts/paper/page.py

# Outputs of the commands on records as they are now; what changed is read before it is committed.
.PHONY: golden
golden: $(BUILD)/ncpbench
	BUILD=$(BUILD) tests/scripts/test_golden.sh --rewrite

# Tables of docs/ and data/record.schema.json as the program has them.
.PHONY: docs
docs: $(BUILD)/ncpbench $(BUILD)/libncpbench.so
	BUILD=$(BUILD) python3 scripts/docs.py

problems: deps
	$(MAKE) --no-print-directory -j$(JOBS) all
	BUILD=$(BUILD) JOBS=$(JOBS) scripts/problems.sh

# Linear solvers on the scenes' Schur systems; with PEERS=1 beside other libraries.
.PHONY: bench-linear
bench-linear: deps
	$(MAKE) --no-print-directory -j$(JOBS) all
	BUILD=$(BUILD) PEERS=$(PEERS) CC="$(CC)" scripts/bench_linear.sh

# One Newton iteration in parts, on problems of `make problems` or others.
FILES ?= $(wildcard data/problems/*.h5)
.PHONY: bench-assembly
bench-assembly: deps
	$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/assembly_f64 $(BUILD)/assembly_f32
	for p in f64 f32; do $(BUILD)/assembly_$$p $(FILES) || exit 2; done

# What each precision reaches in the scenes' linear systems, against its floors.
.PHONY: precision
precision: deps
	$(MAKE) --no-print-directory -j$(JOBS) all
	BUILD=$(BUILD) scripts/precision.sh

# Of the longest tests a program may take half an hour, on a machine that does other things or under the sanitizers.
check-full check-asan: export TEST_TIMEOUT ?= 1800
check check-full: deps | $(filter all,$(MAKECMDGOALS)) # two makes at once would write the same files
	$(MAKE) --no-print-directory -j$(JOBS) $@-built

# What check runs, under AddressSanitizer and UBSan; FULL=1: and what check-full runs, which takes hours.
check-asan: deps
	$(MAKE) --no-print-directory -j$(JOBS) $(if $(FULL),check-all-built,check-built) BUILD=$(BUILD)-asan OPTIMIZE=-O1 \
	    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

# The programs that take valgrind no more than a few minutes together, built without AVX-512, which it does not
# know. Not among them: those that stand in for the C library's allocation, and ncp_f64, whose long doubles
# valgrind rounds to double.
VALGRIND_TESTS := case collide compare exact_linear fclib floor half islands matrix_market \
                  metrics natural_map problem_file quantile refused_writes registry settings spec store \
                  stored_solution validate ncp_f32 $(foreach p,f32 f64,linear_$(p) linear_endings_$(p) \
                    linear_islands_$(p) local_contact_$(p) mixed_system_$(p) operator_$(p))
.PHONY: lint
lint:
	scripts/lint.sh

.PHONY: check-valgrind check-valgrind-built
check-valgrind: deps
	command -v valgrind >/dev/null || { echo "check-valgrind: install the package valgrind" >&2; exit 1; }
	$(MAKE) --no-print-directory -j$(JOBS) check-valgrind-built BUILD=$(BUILD)-valgrind ARCH=x86-64-v3 \
	    OPTIMIZE=-O1 CUDA=0

check-valgrind-built: $(foreach t,$(VALGRIND_TESTS),$(filter %/test_$(t),$(TESTS) $(FULL_TESTS)))
	WRAPPER="valgrind -q --error-exitcode=99 --leak-check=full \
	    --errors-for-leak-kinds=definite --show-leak-kinds=definite --num-callers=20 \
	    --suppressions=tests/valgrind.supp" BUILD=$(BUILD) tests/run.sh $^

# Scripts that build anything build it as this was built.
RUN = BUILD=$(BUILD) JOBS=$(JOBS) CC="$(CC)" ARCH=$(ARCH) OPTIMIZE="$(OPTIMIZE)" CUDA=$(CUDA) SANITIZE="$(SANITIZE)" \
      tests/run.sh
.PHONY: check-built check-full-built check-all-built
check-built: all $(TESTS)
	$(QUICK) $(RUN) $(TESTS) $(SCRIPTS)

check-full-built: all $(TESTS) $(FULL_TESTS)
	NB_TESTS=full $(RUN) $(TESTS) $(FULL_TESTS) $(FULL_SCRIPTS)

check-all-built: all $(TESTS) $(FULL_TESTS)
	$(RUN) $(TESTS) $(FULL_TESTS) $(SCRIPTS) $(FULL_SCRIPTS)

# Plugins may call any of the library's kernels, so all of it is in the program and can be seen.
$(BUILD)/ncpbench: $(BUILD)/harness/main.o $(IMPORT_OBJECTS) $(BUILD)/libncpbench.a
	$(call say,LD,$@)
	$(CC) $(CFLAGS) -rdynamic -o $@ $< $(IMPORT_OBJECTS) -Wl,--whole-archive $(BUILD)/libncpbench.a \
	    -Wl,--no-whole-archive $(IMPORT_LIBS) $(PROGRAM_LIBS)

$(BUILD)/libncpbench.a: $(OBJECTS)
	$(call say,AR,$@)
	rm -f $@
	ar rcs $@ $^

# The shared library has what harness/ncpbench.h declares, and of the rest what that needs. The number of its soname is
# raised whenever one of these functions or structs changes or goes.
SOVERSION := 1
SONAME    := libncpbench.so.$(SOVERSION)
EXPORTS   := $(BUILD)/generated/exports.map
$(EXPORTS): $(BUILD)/libncpbench.a harness/ncpbench.h scripts/gen_exports.sh
	CC="$(CC)" scripts/gen_exports.sh $(SOVERSION) $< $@

$(BUILD)/$(SONAME): $(BUILD)/libncpbench.a $(EXPORTS)
	$(call say,LD,$@)
	$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(EXPORTS) -Wl,--as-needed -o $@ \
	    $$(sed -n 's/^ *\(nb_.*\);/-Wl,-u,\1/p' $(EXPORTS)) $< $(LDLIBS)

$(BUILD)/libncpbench.so: $(BUILD)/$(SONAME)
	ln -sf $(<F) $@

$(TESTED): $(BUILD)/libncpbench.a $(IMPORT_OBJECTS)
	$(call say,LD,$@)
	mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -o $@ $(IMPORT_OBJECTS) -Wl,--whole-archive $< -Wl,--no-whole-archive \
	    $(IMPORT_LIBS) $(LDLIBS)

# The table of strategies is written anew each time and replaced only when it changed.
$(BUILD)/generated/rows.h: FORCE
	PEERS=$(PEERS) CUDA=$(CUDA) scripts/gen_registry.sh $@

# Commit, compiler and flags for --version and the records; replaced only when it changed.
$(BUILD)/generated/build_info.h: FORCE
	CC="$(CC)" FLAGS="$(OPTIMIZE) -march=$(ARCH) -ffp-contract=fast $(SANITIZE)" CUDA="$(CUDA_VERSION)" \
	    COMMIT="$(COMMIT)" scripts/gen_build_info.sh $@

# Style sheet and script of the page that `report --html` writes.
$(BUILD)/generated/report_page.h: scripts/gen_page.sh $(addprefix harness/report/report.,html css js)
	scripts/gen_page.sh harness/report/report.html harness/report/report.css harness/report/report.js $@

# What records say of compiler and flags is true of every object: others compile all anew.
CODE_FLAGS := $(CFLAGS) $(CUDA_VERSION) $(CUDA_ARCH) $(IMPORT_FLAGS)
FLAGS_FILE := $(BUILD)/generated/flags
$(FLAGS_FILE): FORCE
	mkdir -p $(@D)
	{ $(CC) --version | head -n 1; echo "$(CODE_FLAGS)"; } >$@.new.$$PPID
	cmp -s $@.new.$$PPID $@ || cp $@.new.$$PPID $@
	rm $@.new.$$PPID

# Hashes of the sources, by which records tell builds apart; replaced only when one changed.
SOURCES := $(sort $(PLAIN) harness/main.c $(TEMPLATED) $(CUDA_SOURCES) $(CUDA_TEMPLATED) \
             $(if $(PEERS),solvers/peers/eigen.cpp) \
             $(call in_folders,solvers problems harness,h) $(call in_folders,solvers/cuda,cuh))
$(BUILD)/generated/source_hashes.h: FORCE
	CC="$(CC)" FLAGS="$(CODE_FLAGS)" SOURCES="$(SOURCES)" scripts/gen_source_hashes.sh $@

# What reads, counts and prints records need not be fast; this saves a tenth of the build.
$(foreach f,claims cli collection figures query report sweep try,$(BUILD)/harness/$(f)/%.o): CFLAGS += -O1

$(PLAIN:%.c=$(BUILD)/%.o) $(BUILD)/harness/main.o: $(BUILD)/%.o: %.c $(FLAGS_FILE) | $(BUILD)/generated/rows.h \
    $(BUILD)/generated/build_info.h $(BUILD)/generated/source_hashes.h $(BUILD)/generated/report_page.h
	$(call say,CC,$<)
	mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/solvers/peers/eigen.o: solvers/peers/eigen.cpp $(FLAGS_FILE)
	$(call say,CXX,$<)
	mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMIZE) $(PIC) -g -march=$(ARCH) -Wall -Wextra -Werror \
	    -Wno-maybe-uninitialized $(SANITIZE) -c -o $@ $<

$(CUDA_SOURCES:%.cu=$(BUILD)/%.o): $(BUILD)/%.o: %.cu $(FLAGS_FILE)
	$(call say,NVCC,$<)
	mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -I. -MMD -MP -c -o $@ $<

define PRECISION_RULES
$(TEMPLATED:%.c=$(BUILD)/$(1)/%.o): $(BUILD)/$(1)/%.o: %.c $(FLAGS_FILE) | $(BUILD)/generated/rows.h
	$$(call say,CC,$$<,$(1))
	mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -include solvers/precision/$(1).h -c -o $$@ $$<

$(CUDA_TEMPLATED:%.cu=$(BUILD)/$(1)/%.o): $(BUILD)/$(1)/%.o: %.cu $(FLAGS_FILE)
	$$(call say,NVCC,$$<,$(1))
	mkdir -p $$(@D)
	$(NVCC) $(NVCCFLAGS) -I. -include solvers/precision/$(1).h -MMD -MP -c -o $$@ $$<

$(BUILD)/assembly_$(1): scripts/assembly.c $(BUILD)/libncpbench.a
	$$(call say,CC,$$<,$(1))
	$(CC) $(CPPFLAGS) $(CFLAGS) -include solvers/precision/$(1).h -o $$@ $$< $(BUILD)/libncpbench.a $(LDLIBS)

$(BUILD)/$(EACH)/%_$(1): $(EACH)/%.c $(LINKED)
	$$(call say,CC,$$<,$(1))
	mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) -include solvers/precision/$(1).h -o $$@ $$< $(LINKED) $(LDLIBS) $(TEST_LIBS)
endef
$(foreach p,$(PRECISION),$(eval $(call PRECISION_RULES,$(p))))

define CUDA_TEST_RULE
$(BUILD)/tests/solvers/cuda/%_$(1): tests/solvers/cuda/%.cu $(LINKED)
	$$(call say,CXX,$$<,$(1))
	mkdir -p $$(@D)
	$(CXX) -x c++ $(CPPFLAGS) -include solvers/precision/$(1).h -std=c++17 -O1 -g -U_FORTIFY_SOURCE \
	    -Wall -Wextra -Werror -Wno-subobject-linkage -fno-extern-tls-init -isystem $(CUDA_HOME)/include -fopenmp -o $$@ $$< \
	    -x none $(FINDS_TESTED) $(LINKED) $(LDLIBS) $(TEST_LIBS)
endef
$(foreach p,f64 f32,$(eval $(call CUDA_TEST_RULE,$(p))))

$(BUILD)/tests/%: tests/%.c $(LINKED)
	$(call say,CC,$<)
	mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) -o $@ $< $(LINKED) $(LDLIBS) $(TEST_LIBS)

# Programs that read what a fuzzer makes up (tests/fuzz/README.md): the readers anew, instrumented, before the library.
FUZZ_CC      ?= afl-clang-fast
FUZZ_FLAGS   := -std=c17 -D_GNU_SOURCE -O1 -g -march=$(ARCH) -DREAD_ONCE=1 -Wno-attributes
FUZZ_OBJECTS := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(wildcard problems/*.c problems/io/*.c problems/io/*/*.c problems/validate/*.c) \
                  $(wildcard harness/sweep/spec*.c) harness/records/ini.c harness/case/case.c \
                  harness/case/case_settings.c solvers/settings.c)
.PHONY: fuzz
fuzz: $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
$(BUILD)/fuzz/%.o: %.c
	$(call say,CC,$<,fuzz)
	mkdir -p $(@D)
	AFL_QUIET=1 $(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -c -o $@ $<

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_OBJECTS) $(BUILD)/libncpbench.a
	$(call say,CC,$<)
	AFL_QUIET=1 $(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -fopenmp=libgomp -o $@ $^ $(LDLIBS)

# In an archive, so that a program with a main() of its own leaves it out.
$(BUILD)/tests/support/libmain.a: tests/support/main.c $(FLAGS_FILE)
	$(call say,CC,$<)
	mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) -c -o $(@D)/main.o $<
	rm -f $@
	ar rcs $@ $(@D)/main.o

# On a machine with a card: the CUDA solvers against the CPU's, then under compute-sanitizer; their sweeps.
# Without one the scripts say so and end with 77, which is no error here. Where our libraries are not
# installed, they run what `make gpu-bundle` packed elsewhere.
.PHONY: gpu-check gpu-bench gpu-bundle
GPU_TESTS  := $(foreach p,$(PRECISION),$(patsubst %.c,$(BUILD)/%_$(p),$(wildcard $(EACH)/test_cuda_*.c)))
GPU_BUNDLE := $(if $(PKG_LIBS),,$(wildcard build-gpu/gpu-bundle.tar.xz))
ifneq ($(GPU_BUNDLE),)
gpu-check gpu-bench:
	scripts/gpu_bundle.sh $(@:gpu-%=%) $(GPU_BUNDLE) || [ $$? -eq 77 ]
else
gpu-check: $(BUILD)/ncpbench $(GPU_TESTS) $(if $(filter 1,$(CUDA)),$(BUILD)/gpu_copy)
	BUILD=$(BUILD) CUDA_HOME=$(CUDA_HOME) scripts/gpu_check.sh $(GPU_TESTS) || [ $$? -eq 77 ]

gpu-bench: $(BUILD)/ncpbench $(if $(filter 1,$(CUDA)),$(BUILD)/gpu_copy)
	BUILD=$(BUILD) scripts/gpu_bench.sh || [ $$? -eq 77 ]
endif

$(BUILD)/gpu_copy: scripts/gpu_copy.cu | $(BUILD)/ncpbench
	$(call say,NVCC,$<)
	$(NVCC) $(NVCCFLAGS) -o $@ $<

gpu-bundle:
	$(MAKE) --no-print-directory BUILD=build-gpu ARCH=x86-64-v3 IMPORT=0 build-gpu/ncpbench \
	    build-gpu/gpu_copy $(GPU_TESTS:$(BUILD)/%=build-gpu/%)
	BUILD=build-gpu scripts/gpu_problems.sh
	BUILD=build-gpu scripts/gpu_bundle.sh make $(GPU_TESTS:$(BUILD)/%=build-gpu/%)

# The program, its manual pages and completion, both libraries with their headers and pkg-config file, the Python
# modules, the figure files and the pages of docs/.
PREFIX  ?= /usr/local
override PREFIX := $(abspath $(PREFIX))
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
# Where Debian's python3 looks for modules below PREFIX=/usr and /usr/local; elsewhere PYTHONPATH has to name it.
PYTHONDIR ?= $(PREFIX)/lib/python3$(if $(filter /usr/local,$(PREFIX)),$(shell /usr/bin/python3 -c \
                'import sys; print(".%d" % sys.version_info[1])'))/dist-packages
# Where an installation is put together; another name for each of two at the same time.
STAGE   := $(abspath $(BUILD))/stage
# Plugins include any header of solvers/ and problems/; of harness/ goes what ncpbench.h includes.
HEADERS := $(filter-out solvers/cuda/% solvers/peers/% problems/import/mujoco/%,$(call in_folders,solvers problems,h))
# What install put there it lists in share/ncpbench/manifest, and uninstall removes exactly that.
.PHONY: install uninstall stage
install: stage
	scripts/install_files.sh install $(STAGE) "$(DESTDIR)" $(PREFIX)
	rm -rf $(STAGE)

uninstall:
	scripts/install_files.sh uninstall "$(DESTDIR)" $(PREFIX)

stage: $(BUILD)/ncpbench $(BUILD)/libncpbench.so
	rm -rf $(STAGE)
	install -d $(STAGE)$(PREFIX)/bin $(STAGE)$(LIBDIR)/pkgconfig $(STAGE)$(PREFIX)/share/ncpbench/plots
	install -m 755 $(BUILD)/ncpbench scripts/ncpbench-plugin scripts/ncpbench-slurm scripts/ncpbench-parallel $(STAGE)$(PREFIX)/bin
	install -m 644 $(BUILD)/libncpbench.a $(BUILD)/$(SONAME) $(STAGE)$(LIBDIR)
	ln -sf $(SONAME) $(STAGE)$(LIBDIR)/libncpbench.so
	install -d $(STAGE)$(PYTHONDIR)
	install -m 644 scripts/python/*.py $(STAGE)$(PYTHONDIR)
	install -d $(STAGE)$(PREFIX)/share/ncpbench/data
	install -m 644 data/try.sweep data/problems.list data/claims.list data/collection.list $(STAGE)$(PREFIX)/share/ncpbench/data
	install -d $(STAGE)$(PREFIX)/share/ncpbench/data/records $(STAGE)$(PREFIX)/share/ncpbench/data/models
	install -m 644 data/models/* $(STAGE)$(PREFIX)/share/ncpbench/data/models
	install -m 644 data/records/*.gz $(STAGE)$(PREFIX)/share/ncpbench/data/records
	install -d $(STAGE)$(PREFIX)/share/ncpbench/scripts/evidence
	install -m 755 scripts/evidence/*.py $(STAGE)$(PREFIX)/share/ncpbench/scripts/evidence
	install -m 644 scripts/evidence/page.css scripts/evidence/page.js harness/report/report.css \
	    $(STAGE)$(PREFIX)/share/ncpbench/scripts/evidence
	install -m 644 CITATION.cff $(STAGE)$(PREFIX)/share/ncpbench
	install -m 644 plots/*.gp $(STAGE)$(PREFIX)/share/ncpbench/plots
	for page in docs/*.md docs/*/*; do \
	    install -D -m 644 $$page $(STAGE)$(PREFIX)/share/doc/ncpbench/$$page; done
	included=$$($(CC) -I. -MM harness/ncpbench.h | grep -o 'harness/[a-z_/]*\.h' | grep -v ncpbench.h); \
	for header in $(HEADERS) $$included; do \
	    install -D -m 644 $$header $(STAGE)$(PREFIX)/include/ncpbench/$$header; done
	install -m 644 harness/ncpbench.h $(STAGE)$(PREFIX)/include/ncpbench
	scripts/install_shell.sh $(BUILD)/ncpbench $(STAGE)$(PREFIX)/share
	scripts/gen_pkgconfig.sh $(PREFIX) $(LIBDIR) "$(LDLIBS) -fopenmp" > $(STAGE)$(LIBDIR)/pkgconfig/ncpbench.pc

# The committed files as build/ncpbench-VERSION.tar.xz, the same bytes for the same commit.
.PHONY: dist
dist:
	scripts/dist.sh $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-valgrind $(BUILD)-peers build-collection

FORCE:

-include $(OBJECTS:.o=.d) $(IMPORT_OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(BUILD)/harness/main.d $(TESTS:=.d) $(FULL_TESTS:=.d)

ncpbench.o: harness/ncpbench.h harness/contact_functions.h \
 harness/gradient/gradient.h problems/problem.h problems/base/hash.h \
 problems/base/status.h harness/judge/island_judges.h \
 harness/judge/metrics.h solvers/solve.h harness/simulate/simulate.h \
 harness/simulate/warm_start.h problems/handle.h \
 problems/io/matrix_market.h problems/io/problem_file.h \
 problems/io/notes.h problems/io/regular_file.h \
 problems/io/replace_file.h problems/scene.h problems/step.h \
 problems/variation.h solvers/linear_solve.h solvers/plugin.h \
 solvers/registry.h
harness/contact_functions.h:
harness/gradient/gradient.h:
problems/problem.h:
problems/base/hash.h:
problems/base/status.h:
harness/judge/island_judges.h:
harness/judge/metrics.h:
solvers/solve.h:
harness/simulate/simulate.h:
harness/simulate/warm_start.h:
problems/handle.h:
problems/io/matrix_market.h:
problems/io/problem_file.h:
problems/io/notes.h:
problems/io/regular_file.h:
problems/io/replace_file.h:
problems/scene.h:
problems/step.h:
problems/variation.h:
solvers/linear_solve.h:
solvers/plugin.h:
solvers/registry.h:

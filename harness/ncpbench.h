/* The C interface, whole: problems and their files, solvers, linear systems, judgement. Programs
 * outside the project include this header (`pkg-config --cflags --libs ncpbench`); a plugin includes
 * solvers/strategy.h (scripts/ncpbench-plugin). */
#ifndef NCPBENCH_H
#define NCPBENCH_H

#ifdef __cplusplus
#include <math.h> /* outside, as they bring templates in C++ */
#include <stdlib.h>
extern "C" {
#endif

#include "harness/case/island_judges.h"
#include "harness/contact_functions.h"
#include "harness/gradient/gradient.h"
#include "harness/judge/metrics.h"
#include "harness/simulate/simulate.h"
#include "harness/simulate/warm_start.h"
#include "problems/handle.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"
#include "problems/problem.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "problems/variation.h"
#include "solvers/linear_solve.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"
#include "solvers/solve.h"

#ifdef __cplusplus
}
#endif

#endif

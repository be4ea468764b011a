/* Libraries take over signals when they start: MPI prints a trace on SIGSEGV, SIGBUS, SIGFPE and SIGABRT, PETSc on
 * twelve. A crash is to end the process as it would without them, so the handlers of before are put back. Starting
 * them, once in a process, is no part of a set-up. */
#include <mpi.h>
#include <signal.h>

#include "problems/base/clock.h"
#include "solvers/aside.h"
#include "solvers/peers/peer.h"

enum { SIGNALS = 32 };

static int start_mpi(void)
{
    int running = 0;
    return MPI_Initialized(&running) || (!running && MPI_Init(NULL, NULL));
}

int nb_peer_start(int (*start)(void))
{
    struct sigaction before[SIGNALS];
    int known[SIGNALS];
    const double begin = nb_seconds();
    for (int s = 1; s < SIGNALS; ++s)
        known[s] = sigaction(s, NULL, &before[s]) == 0;
    const int failed = start_mpi() || (start && start());
    for (int s = 1; s < SIGNALS; ++s)
        if (known[s])
            sigaction(s, &before[s], NULL);
    nb_aside_add(nb_seconds() - begin);
    return failed;
}

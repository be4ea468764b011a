/* HDF5's error stack, its tables of objects and its free lists are the process's: one lock guards every use of ours.
 * What a host does with HDF5 at the same time in another thread is not ours to guard. */
#include "problems/io/hdf5_session.h"

#include <pthread.h>
#include <stdbool.h>

#include "problems/io/problem_file.h"

static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;
static bool silent;

void nb_problem_hdf5_silent(void) { silent = true; }

void nb_hdf5_begin(struct nb_hdf5_session *session)
{
    pthread_mutex_lock(&in_use);
    H5Eget_auto2(H5E_DEFAULT, &session->report, &session->context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void nb_hdf5_end(const struct nb_hdf5_session *session)
{
    if (!silent)
        H5Eset_auto2(H5E_DEFAULT, session->report, session->context);
    pthread_mutex_unlock(&in_use);
}

/* Private to problems/io: HDF5 for one thread at a time, as the library needs it, and silent meanwhile. What a host
 * program had chosen to hear from HDF5 is as before when the session ends. */
#ifndef NB_HDF5_SESSION_H
#define NB_HDF5_SESSION_H

#include <hdf5.h>

struct nb_hdf5_session {
    H5E_auto2_t report; /* the host's */
    void *context;
};

/* Waits for other threads' sessions; a thread has one at a time. */
void nb_hdf5_begin(struct nb_hdf5_session *session);
void nb_hdf5_end(const struct nb_hdf5_session *session);

#endif

/* How long something took, less what others took meanwhile: other programs on its processor, or the quota of its
 * container. A process that never waits of its own accord, which the system counts, is ready to run all the time; what
 * its clock is then ahead of its processor time is not its own. The processor time of all threads counts, so that
 * threads make it too long, never too short. One that has waited for something, or was stopped, if only once, has the
 * whole clock, as has one with a CUDA device: that works on while the process is kept from its processor. */
#ifndef NB_OWN_TIME_H
#define NB_OWN_TIME_H

struct nb_own_time {
    double clock, processor; /* [s] */
    long waits;              /* of its own accord */
};

struct nb_own_time nb_own_time_begin(void);

/* Seconds of its own since then; *waited: what the clock says beyond. */
double nb_own_time_end(const struct nb_own_time *begin, double *waited);

#endif

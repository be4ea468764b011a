/* The processor time that a container, or a service of systemd, may use: control groups of either version, with those
 * that they are in. */
#ifndef NB_QUOTA_H
#define NB_QUOTA_H

/* The list of the process's groups, and the folder where they are mounted. */
#define NB_QUOTA_LIST "/proc/self/cgroup"
#define NB_QUOTA_FOLDER "/sys/fs/cgroup"

/* Processors' worth of time, the least of all groups; NaN: as much as there is, or not known. */
double nb_quota_processors(const char *list, const char *folder);

/* Seconds in which the groups were stopped for their quotas since they were made; NaN: no group says. */
double nb_quota_throttled(const char *list, const char *folder);

#endif

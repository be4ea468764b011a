/* What made a record: version, commit, fingerprint, compiler, flags, processors, libraries, date. */
#ifndef NB_PROVENANCE_H
#define NB_PROVENANCE_H

#include <cJSON.h>
#include <stdio.h>

/* The processor time that a container, or a service of systemd, may use: control groups of either version, with those
 * that they are in. */

/* The list of the process's groups, and the folder where they are mounted. */
#define NB_QUOTA_LIST "/proc/self/cgroup"
#define NB_QUOTA_FOLDER "/sys/fs/cgroup"

/* Processors' worth of time, the least of all groups; NaN: as much as there is, or not known. */
double nb_quota_processors(const char *list, const char *folder);

/* Seconds in which the groups were stopped for their quotas since they were made; NaN: no group says. */
double nb_quota_throttled(const char *list, const char *folder);

/* The object "provenance" of docs/reference/records.md; NULL where memory is short. */
cJSON *nb_provenance(void);

/* A copy with the load of now (mean of the last minute). */
cJSON *nb_provenance_now(const cJSON *provenance);

/* The kind of machine, of which times can be compared: processor, vector instructions, threads, governor. */
enum { NB_MACHINE = 320 };
void nb_provenance_machine(const cJSON *provenance, char *text, size_t size);

/* The member in which two kinds of machines differ; NULL: none. What one of the records does not know does not
 * differ. */
const char *nb_provenance_other_machine(const cJSON *a, const cJSON *b);

/* The most resident memory that this process has had [bytes]. */
double nb_peak_memory(void);

/* The first card's name as the NVIDIA driver writes it to `folder`; "none" without a driver. CUDA is not asked: a
 * process that has started it cannot fork its cases. */
void nb_provenance_card(const char *folder, char *text, size_t size);

/* The answer to --version. */
void nb_provenance_print(FILE *stream);

/* "ncpbench 0.1.0 (commit)", for the files that it writes. */
const char *nb_provenance_generator(void);

#endif

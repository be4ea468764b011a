/* A case's results as JSON: the parts that a child hands on and a journal keeps, and the record
 * that they become (docs/reference/records.md). All return NULL where memory is short. */
#ifndef NB_CASE_RECORD_H
#define NB_CASE_RECORD_H

#include "harness/case/case_run.h"
#include "harness/records/record.h"

/* Adds "features" and returns it: null where one is not known. */
cJSON *nb_features_add(cJSON *json, const struct nb_features *features);

/* The observed run: "part": "trace". */
cJSON *nb_part_trace(const struct nb_case_result *result);

/* One timed repetition: "part": "time". */
cJSON *nb_part_time(const struct nb_repetition *repetition);

/* A repetition that failed, or did not end where the observed run did: "part": "failure". */
cJSON *nb_part_failure(enum nb_status status, const char *detail);

/* Repetitions of a case, of at most count of which so many are done. */
struct nb_timed {
    int count, done;
    double *seconds, *setups, *waited; /* [count] */
    double throttled;                  /* of all [s] */
};

/* The repetitions. */
struct nb_timing {
    int count, solves;      /* solves in each                             */
    const double *seconds;  /* [count] of one solve                       */
    const double *setups;   /* [count] of a linear system's set-up; NULL or NaN: not repeated */
    const double *waited;   /* [count] beside `seconds`; NULL: not known */
    const char *run;        /* names the batch's run in which they took turns with others; NULL: none */
    double peak_memory;     /* of the case's processes [bytes]; 0: not known */
    double wall;            /* [s] that a sweep spent on the case in all; 0: not known */
    int processes;          /* in which they were made; 0: in that of the observed run */
    double throttled;       /* of all [s]; NaN: not known */
    const struct nb_timed *control; /* the same case again under a hidden name; NULL, or empty: it was not */
};

/* Which floors exist does not depend on the case's budget: "part": "floor". reference may be NULL,
 * detail then says why. */
cJSON *nb_part_floor(const struct nb_floor_reference *reference, double solving,
                     const char *detail);

/* A record of kind "case": trace is a part as above, floor may be NULL. Takes nothing over. */
cJSON *nb_record_case(const struct nb_case *setting, const char *key, const cJSON *trace,
                      const struct nb_timing *timing, const struct nb_floor *floor,
                      const cJSON *provenance);

/* A record of kind "floor". */
cJSON *nb_record_floor(const struct nb_case *setting, const char *key, const cJSON *part,
                       const cJSON *provenance);

/* Reads "reference" of a floor part or record; false where it is null. */
bool nb_floor_from_json(const cJSON *json, struct nb_floor_reference *reference);

#endif

/* What the files that read HDF5 share: private to problems/io. */
#ifndef NB_HDF5_PRIVATE_H
#define NB_HDF5_PRIVATE_H

#include "problems/io/hdf5_read.h"

/* An open dataset: what it claims agrees with what the file, and only this file, stores of it. */
struct nb_dataset {
    hid_t id;
    H5T_class_t type;
    size_t entry_bytes; /* in the file */
    int rank;
    int reversed;               /* its writer counts dimensions from the other end: size is as that one has them */
    hsize_t size[H5S_MAX_RANK]; /* [rank] */
    unsigned long long entries; /* all of them, below INT_MAX */
};

/* 1, or 0 after a failure. The caller closes the id. */
int nb_dataset_open(struct nb_reader *reader, const char *name, struct nb_dataset *dataset);

/* Records why the dataset's data cannot be read: a filter that is not there, or damage. */
void nb_dataset_explain(struct nb_reader *reader, const char *name, hid_t id);

/* Reads the single text of a dataset or attribute whose type and number of entries are given.
 * read(reader, object, source, type, buffer) is H5Dread's or H5Aread's work, and records its failure. */
typedef void nb_text_source(struct nb_reader *reader, const char *object, hid_t source, hid_t type, void *buffer);
void nb_read_text_from(struct nb_reader *reader, const char *object, hid_t source, hid_t type,
                       hid_t space, nb_text_source *read, char *text, size_t size);

#endif

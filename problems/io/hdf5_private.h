/* What the two files that read HDF5 share: private to problems/io. */
#ifndef NB_HDF5_PRIVATE_H
#define NB_HDF5_PRIVATE_H

#include "problems/io/hdf5_read.h"

/* Reads the single text of a dataset or attribute whose type and number of entries are given.
 * read(source, type, buffer) is H5Dread's or H5Aread's work. */
typedef herr_t nb_text_source(hid_t source, hid_t type, void *buffer);
void nb_read_text_from(struct nb_reader *reader, const char *object, hid_t source, hid_t type,
                       hid_t space, nb_text_source *read, char *text, size_t size);

#endif

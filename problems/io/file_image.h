/* An HDF5 file in memory, written and kept beyond its closing, or read: private to problems/io.
 *
 * H5Fget_file_image is no way to get it: before HDF5 2.0 it clears a flag in the superblock without
 * renewing the checksum over it (HDFGroup/hdf5 issue 1915), and such a file does not open. */
#ifndef NB_FILE_IMAGE_H
#define NB_FILE_IMAGE_H

#include <hdf5.h>
#include <stddef.h>

struct nb_file_image {
    unsigned char *bytes; /* owned; NULL before the file was closed */
    size_t capacity;
};

/* Makes files that are created with these access properties live in image, which must stay where it
 * is until the file is closed. Returns 0, or -1. */
int nb_file_image_use(hid_t access, struct nb_file_image *image);

/* Length of the closed file's part of bytes, 0 where there is no whole file. */
size_t nb_file_image_size(const struct nb_file_image *image);

/* Opens the file [size bytes] that is in memory for reading. The bytes are used in place: they are to outlive
 * the file. Negative on failure. */
hid_t nb_file_image_open(unsigned char *bytes, size_t size);

void nb_file_image_free(struct nb_file_image *image);

#endif

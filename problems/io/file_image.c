/* HDF5's core driver with memory of our own: see file_image.h. */
#include "problems/io/file_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t growth = 1 << 20; /* by which the file grows in memory [bytes] */

/* Grown memory is cleared, so that gaps in the file have the same bytes each time. */
static void *grow(void *bytes, size_t size, H5FD_file_image_op_t operation, void *context)
{
    struct nb_file_image *image = context;
    unsigned char *grown = realloc(bytes, size ? size : 1);
    (void)operation;
    if (!grown)
        return NULL;
    const size_t before = bytes ? image->capacity : 0;
    if (size > before)
        memset(grown + before, 0, size - before);
    image->capacity = size;
    return grown;
}

static void *start(size_t size, H5FD_file_image_op_t operation, void *context)
{
    return grow(NULL, size, operation, context);
}

/* What HDF5 would free at closing is kept. */
static herr_t keep(void *bytes, H5FD_file_image_op_t operation, void *context)
{
    struct nb_file_image *image = context;
    if (operation != H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
        free(bytes);
        return 0;
    }
    free(image->bytes);
    image->bytes = bytes;
    return 0;
}

/* Property lists are copied; all copies mean the one image. */
static void *same_context(void *context)
{
    return context;
}

static herr_t leave_context(void *context)
{
    (void)context;
    return 0;
}

int nb_file_image_use(hid_t access, struct nb_file_image *image)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = start,
        .image_realloc = grow,
        .image_free = keep,
        .udata_copy = same_context,
        .udata_free = leave_context,
        .udata = image,
    };
    *image = (struct nb_file_image){NULL, 0};
    if (H5Pset_fapl_core(access, growth, 0) < 0)
        return -1;
    return H5Pset_file_image_callbacks(access, &callbacks) < 0 ? -1 : 0;
}

/* The superblock of version 2 has the address of the end of the file in bytes 28 to 35 (HDF5 File
 * Format Specification, II.A). */
size_t nb_file_image_size(const struct nb_file_image *image)
{
    size_t size = 0;
    if (!image->bytes || image->capacity < 48 || image->bytes[8] != 2)
        return 0;
    for (int i = 35; i >= 28; --i)
        size = size << 8 | image->bytes[i];
    return size <= image->capacity ? size : 0;
}

void nb_file_image_free(struct nb_file_image *image)
{
    free(image->bytes);
    *image = (struct nb_file_image){NULL, 0};
}

/* Every copy that HDF5 would make is the one image, which is not its to free. */
static void *share(size_t size, H5FD_file_image_op_t operation, void *context)
{
    (void)size;
    (void)operation;
    return context;
}

static void *copied(void *to, const void *from, size_t size, H5FD_file_image_op_t operation, void *context)
{
    (void)from;
    (void)size;
    (void)operation;
    (void)context;
    return to;
}

static herr_t leave_bytes(void *bytes, H5FD_file_image_op_t operation, void *context)
{
    (void)bytes;
    (void)operation;
    (void)context;
    return 0;
}

/* HDF5 takes two open files of one name for the same, and refuses an image that a file has the name of. */
hid_t nb_file_image_open(unsigned char *bytes, size_t size)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = share,
        .image_memcpy = copied,
        .image_free = leave_bytes,
        .udata_copy = same_context,
        .udata_free = leave_context,
        .udata = bytes,
    };
    char name[48];
    hid_t file = H5I_INVALID_HID;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    snprintf(name, sizeof name, "/dev/null/%p", (void *)bytes);
    if (H5Pset_fapl_core(access, growth, 0) >= 0 && H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
        H5Pset_file_image(access, bytes, size) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        file = H5Fopen(name, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

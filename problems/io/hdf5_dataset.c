/* Datasets, looked at before anything is read of them: HDF5 would follow what a damaged or a malicious file says to
 * other files, to memory that is not there, or to more of it than the machine has. */
#include <limits.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/io/hdf5_private.h"

/* Entries of a sparse matrix are only counted, so there may be more of them than of anything else. */
static const unsigned long long largest_extent = INT_MAX - 1;

/* Deflate expands to at most 1032 times its input (RFC 1951: 258 bytes from 2 bits); what claims
 * more is not data. */
static const unsigned long long largest_expansion = 1100;

/* HDF5 reads whole chunks, so a chunk may not be out of proportion to its dataset. */
static const unsigned long long chunk_allowance = 64ull << 20;

/* What stands in the place of a text of variable length, as h5py writes it: its length, and where it is in a heap. */
enum { heap_reference = 16 };

static void read_extent(struct nb_reader *reader, const char *name, hid_t id, struct nb_dataset *dataset)
{
    const hid_t space = H5Dget_space(id);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    unsigned long long entries = 1;
    if (rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has no readable extent");
    else
        H5Sget_simple_extent_dims(space, dataset->size, NULL);
    if (space >= 0)
        H5Sclose(space);
    for (int i = 0; i < rank && entries > 0; ++i) { /* each factor before the last is in range */
        if (dataset->size[i] > largest_extent || (entries *= dataset->size[i]) > largest_extent)
            nb_reader_fail(reader, NB_BAD_INPUT, name, "has more than the %llu entries that are allowed",
                           largest_extent);
        if (reader->status)
            return;
    }
    dataset->rank = rank;
    dataset->entries = entries;
}

static unsigned long long chunk_bytes(hid_t properties, unsigned long long entry_bytes)
{
    hsize_t size[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, size);
    unsigned long long bytes = entry_bytes;
    for (int i = 0; i < rank; ++i) /* each is below 2^32 by HDF5's own limit */
        bytes = bytes > ULLONG_MAX >> 32 ? ULLONG_MAX : bytes * size[i];
    return bytes;
}

/* A virtual dataset is of other files, and an external one of files beside. */
static void check_inside(struct nb_reader *reader, const char *name, hid_t properties)
{
    const H5D_layout_t layout = properties < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(properties);
    const int outside = layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) != 0;
    if ((layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) || outside)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is not stored in this file");
}

/* The claimed extent against the bytes that are really there. Zeros may never have been written out. */
static void check_storage(struct nb_reader *reader, const char *name, hid_t properties,
                          const struct nb_dataset *dataset)
{
    const H5D_layout_t layout = H5Pget_layout(properties);
    const unsigned long long stored = H5Dget_storage_size(dataset->id), file = reader->content.size;
    const unsigned long long wanted = dataset->entries * dataset->entry_bytes;
    if (stored > file)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "claims %llu bytes in a file of %llu", stored, file);
    else if (stored == 0 && layout != H5D_COMPACT ? wanted / largest_expansion > file
             : layout == H5D_CHUNKED              ? stored < wanted / largest_expansion
                                                  : stored != wanted)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "claims %llu entries but stores %llu bytes", dataset->entries,
                       stored);
    else if (layout == H5D_CHUNKED &&
             chunk_bytes(properties, dataset->entry_bytes) / 64 > wanted + chunk_allowance / 64)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has chunks out of proportion to its size");
}

static void read_type(struct nb_reader *reader, const char *name, hid_t id, struct nb_dataset *dataset)
{
    const hid_t type = H5Dget_type(id);
    dataset->type = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    dataset->entry_bytes = type < 0 ? 0 : H5Tis_variable_str(type) > 0 ? heap_reference : H5Tget_size(type);
    if (type < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has no readable type");
    else
        H5Tclose(type);
}

static void look_at(struct nb_reader *reader, const char *name, struct nb_dataset *dataset)
{
    const hid_t properties = H5Dget_create_plist(dataset->id);
    check_inside(reader, name, properties);
    if (!reader->status) /* only then: the extent of a virtual dataset is looked up in its files */
        read_extent(reader, name, dataset->id, dataset);
    if (!reader->status)
        read_type(reader, name, dataset->id, dataset);
    if (!reader->status)
        check_storage(reader, name, properties, dataset);
    if (properties >= 0)
        H5Pclose(properties);
}

/* Whether the file, or one dataset, tells that its writer has columns first, as Fortran, Julia and R do. */
static int tells_columns_first(struct nb_reader *reader, const char *object, int otherwise)
{
    char order[24];
    if (!nb_reader_has_attribute(reader, object, "storage_order"))
        return otherwise;
    nb_read_text_attribute(reader, object, "storage_order", order, sizeof order);
    const int columns = !strcmp(order, "column_major");
    if (!columns && strcmp(order, "row_major") != 0)
        nb_reader_fail(reader, NB_BAD_INPUT, strcmp(object, "/") ? object : "root",
                       "its attribute storage_order is \"%s\", must be row_major or column_major", order);
    return columns;
}

int nb_reader_tells_order(struct nb_reader *reader, const char *name)
{
    return nb_reader_has_attribute(reader, name, "MATLAB_class") ||
           nb_reader_has_attribute(reader, name, "storage_order") ||
           nb_reader_has_attribute(reader, "/", "storage_order");
}

/* Dimensions as the writer has them: a language that has columns first stores the last one first. MATLAB marks each
 * dataset with its class, and what is empty by an attribute, with the dimensions in the place of data. */
static void read_order(struct nb_reader *reader, const char *name, struct nb_dataset *dataset)
{
    const int matlab = nb_reader_has_attribute(reader, name, "MATLAB_class");
    dataset->reversed = tells_columns_first(reader, name, matlab || tells_columns_first(reader, "/", 0));
    for (int i = 0; dataset->reversed && 2 * i < dataset->rank - 1; ++i) {
        const hsize_t size = dataset->size[i];
        dataset->size[i] = dataset->size[dataset->rank - 1 - i];
        dataset->size[dataset->rank - 1 - i] = size;
    }
    if (matlab && nb_reader_has_attribute(reader, name, "MATLAB_empty") &&
        nb_read_int_attribute(reader, name, "MATLAB_empty")) {
        dataset->rank = 1;
        dataset->size[0] = dataset->entries = 0;
    }
}

int nb_dataset_open(struct nb_reader *reader, const char *name, struct nb_dataset *dataset)
{
    memset(dataset, 0, sizeof *dataset);
    if (!nb_reader_has(reader, name)) {
        nb_reader_fail(reader, NB_BAD_INPUT, name, "missing");
        return 0;
    }
    dataset->id = H5Dopen2(reader->file, name, reader->links);
    if (dataset->id < 0) {
        nb_reader_fail(reader, NB_BAD_INPUT, name, "not a dataset, or damaged");
        return 0;
    }
    look_at(reader, name, dataset);
    if (!reader->status)
        read_order(reader, name, dataset);
    if (reader->status)
        H5Dclose(dataset->id);
    return !reader->status;
}

void nb_dataset_explain(struct nb_reader *reader, const char *name, hid_t id)
{
    const hid_t properties = H5Dget_create_plist(id);
    const int filters = properties < 0 ? 0 : H5Pget_nfilters(properties);
    for (int i = 0; i < filters; ++i) {
        char filter[64] = "";
        unsigned flags, configuration;
        size_t values = 0;
        const H5Z_filter_t number = H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL, sizeof filter,
                                                   filter, &configuration);
        nb_clean_text(filter);
        if (number >= 0 && H5Zfilter_avail(number) <= 0)
            nb_reader_fail(reader, NB_UNSUPPORTED, name, "needs the HDF5 filter %d (%s), which is not installed",
                           (int)number, filter);
    }
    if (properties >= 0)
        H5Pclose(properties);
    nb_reader_fail(reader, NB_BAD_INPUT, name, "its data is damaged");
}

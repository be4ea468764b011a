#include "problems/base/hash.h"

#include <openssl/evp.h>
#include <stdio.h>

enum nb_status nb_hash(const void *data, size_t bytes, char *text, size_t size, struct nb_error *error)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (!EVP_Digest(data, bytes, digest, NULL, EVP_sha256(), NULL))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a hash");
    for (size_t i = 0; 2 * i + 2 < size; ++i)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return NB_OK;
}

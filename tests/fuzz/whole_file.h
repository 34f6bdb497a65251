// whole_file.h -- model files for the fuzzer, with what would keep it at the door made right for it.
//
// An input is a header, a NUL, and the data: the length before the header is worked out here. Where a
// checksum does not fit, the complaint says which one would, and it is put in: so every other check is
// reached, by files whose checksums are those of their bytes.
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include "../../data/safetensors.h"
#include "fuzz.h"

// Puts the eight digits behind `complaint` in the place of those of `key`; false where there is neither.
static inline bool mend_checksum(char *file, size_t n, const char *key, const char *complaint,
                                 const Error *err) {
    char pattern[40];
    const char *right = strstr(err->text, complaint);
    size_t length = (size_t)snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    for (size_t at = 0; right && at + length + 8 <= n; at++)
        if (memcmp(file + at, pattern, length) == 0) {
            memcpy(file + at + length, right + strlen(complaint), 8);
            return true;
        }
    return false;
}

static inline void put_whole_file(const char *path, const uint8_t *bytes, size_t n) {
    const uint8_t *nul = memchr(bytes, 0, n);
    size_t header = nul ? (size_t)(nul - bytes) : n, data = nul ? n - header - 1 : 0,
           size = 8 + header + data;
    char *file = malloc(size);
    if (!file) abort();
    for (int i = 0; i < 8; i++) file[i] = (char)((uint64_t)header >> 8 * i);
    memcpy(file + 8, bytes, header);
    if (data) memcpy(file + 8 + header, nul + 1, data);
    Safetensors s;
    Error err = {0};
    for (int attempt = 0; attempt < 3; attempt++) {
        fuzz_file(path, file, size);
        if (safetensors_open(&s, path, &err)) {
            safetensors_close(&s);
            break;
        }
        if (!mend_checksum(file, size, "metadata_crc32", "the checksum of the metadata is ", &err) &&
            !mend_checksum(file, size, "crc32", "the checksum of the data is ", &err))
            break;
    }
    free(file);
}

#endif

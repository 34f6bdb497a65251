// metadata.h -- strings by name: what a model file says about itself.
#ifndef METADATA_H
#define METADATA_H

#include "error.h"
#include "json.h"

// In the order in which they were put.
typedef struct {
    struct MetadataEntry {
        String key, value;
    } * entry;
    long entries, room;
} Metadata;

bool metadata_put(Metadata *m, const char *key, const char *bytes, size_t n, Error *err);
bool metadata_print(Metadata *m, const char *key, Error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const String *metadata_get(const Metadata *m, const char *key);  // NULL where there is none
void metadata_free(Metadata *m);

// The value as a whole number from 0 to `most`, in digits alone, or as a finite number. False where it is
// missing or anything else.
bool metadata_whole(const Metadata *m, const char *key, long most, long *value);
bool metadata_finite(const Metadata *m, const char *key, double *value);

// A checksum of all names and values in order, but for the entries with a name in `except` (ends with NULL).
uint32_t metadata_crc32(const Metadata *m, const char *const *except);

// For a reader that has made the strings already: takes them over, also when it fails.
bool metadata_append(Metadata *m, String key, String value, Error *err);

// Whether the whole string is this one; it may hold a NUL, where strcmp would stop.
bool string_is(const String *s, const char *text);

#endif

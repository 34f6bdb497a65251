// safetensors.h -- the file format of models: 8 bytes of header length, a JSON header, raw little-endian
// tensors. Source: github.com/huggingface/safetensors, README, "Format".
#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include "error.h"
#include "metadata.h"
#include <stdint.h>
#include <stdio.h>

enum { SAFETENSORS_DIMS = 4 };

// The types that a tensor's numbers may have, and what they are called in a file.
typedef enum {
    SAFETENSORS_F64,
    SAFETENSORS_F32,
    SAFETENSORS_F16,
    SAFETENSORS_BF16,
    SAFETENSORS_I64,
    SAFETENSORS_I32,
    SAFETENSORS_I16,
    SAFETENSORS_I8,
    SAFETENSORS_U8,
    SAFETENSORS_BOOL
} SafetensorsType;
extern const char *const SAFETENSORS_TYPE_NAME[];
extern const int SAFETENSORS_TYPE_BYTES[];  // of a number

#define SAFETENSORS_METADATA_CHECKSUM "metadata_crc32"
#define SAFETENSORS_CHECKSUM \
    "crc32"  // keys of the checksums: of the data, and of the metadata but for these two

static const char *const SAFETENSORS_CHECKSUMS[] = {SAFETENSORS_METADATA_CHECKSUM, SAFETENSORS_CHECKSUM,
                                                    NULL};

typedef struct {
    String name;
    SafetensorsType type;
    int dims;
    int64_t shape[SAFETENSORS_DIMS];
    int64_t begin, size;  // bytes, from the first one after the header
} SafetensorsEntry;

typedef struct {
    FILE *stream;
    char *path;
    SafetensorsEntry *entry;  // in the order of their bytes
    long entries;
    Metadata metadata;
    int64_t data_begin, data_size;
} Safetensors;

// Opens a file and checks all of the header against the file's size before anything is allocated by it: the
// tensors cover the data without gap, overlap or rest; the checksum in the metadata, if there is one, is that
// of the data.
bool safetensors_open(Safetensors *s, const char *path, Error *err);

// Whether there is a regular file at `path` that begins like one of the format. What follows may be damaged.
bool safetensors_may_be(bool *may_be, const char *path, Error *err);
void safetensors_close(Safetensors *s);
const SafetensorsEntry *safetensors_find(const Safetensors *s, const char *name);  // NULL where there is none

// The tensor's numbers, which are of the host's own byte order in `to` (room for e->size bytes).
bool safetensors_read(Safetensors *s, const SafetensorsEntry *e, void *to, Error *err);

// A tensor to write: its numbers at `from`, in the host's own byte order.
typedef struct {
    char name[96];
    SafetensorsType type;
    int dims;
    int64_t shape[SAFETENSORS_DIMS];
    const void *from;
} SafetensorsTensor;

// Writes a whole file, replacing the one at `path` only when the new one is complete. With `checksums` those
// of the data and of the metadata are added to the metadata.
bool safetensors_write(const char *path, const SafetensorsTensor *tensor, long tensors,
                       const Metadata *metadata, bool checksums, Error *err);

#endif
